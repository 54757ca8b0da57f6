/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_notice.c - captures about traps, subscriptions to notices, and masters: groups SMP and SAQ. */
#include <string.h>

#include "make_case.h"

#define LID_PORT 7
#define LID_SM 2
#define LID_OTHER 9

static const uint8_t gid_port[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_other[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };

static uint64_t next_tid;

static void start(struct mk_capture *c)
{
	next_tid = 1;
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

static uint8_t *begin(struct mk_packet *p, uint8_t mgmt_class, uint8_t method, uint16_t attr,
		      uint16_t from, uint16_t to)
{
	return begin_mad(p, mgmt_class, method, attr, from, to, next_tid);
}

static void put_notice(uint8_t *at, uint16_t trap_num, const uint8_t *gid)
{
	const struct ibw_notice notice = { .is_generic = 1,
					   .type = 3,
					   .producer_type = gid ? 4 : 2,
					   .trap_num = trap_num,
					   .issuer_lid = gid ? LID_SM : LID_PORT };

	ibw_notice_pack((struct ibw_notice_wire *)at, &notice);
	if (gid)
		memcpy(at + ibw_notice_BYTES + 6, gid, 16);
}

/* Traps: a link changed its state; the second time the toggle bit differs. */

static void trap(struct mk_capture *c, uint8_t method, uint16_t trap_num, bool toggle)
{
	bool back = method == IBW_METHOD_TRAP_REPRESS;
	struct mk_packet p;
	uint8_t *mad = begin(&p, IBW_CLASS_SUBN_LID, method, IBW_ATTR_SM_NOTICE,
			     back ? LID_SM : LID_PORT, back ? LID_PORT : LID_SM);

	put_notice(mad + 64, trap_num, NULL);
	ibw_notice_set_toggle(IN(notice, 64), toggle);
	put_built(c, &p);
}

static void traps(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	trap(c, IBW_METHOD_TRAP, 144, false);
	mk_event_fires(c, "FAB006", "mad");
	trap(c, IBW_METHOD_TRAP_REPRESS, 144, false);
	for (i = 0; i < 6; i++) {
		trap(c, IBW_METHOD_TRAP, 128, i & 1);
		if (!i)
			mk_event_fires(c, "FAB006", "mad");
	}
	mk_misses(c, "SMP015", "mad");
	trap(c, IBW_METHOD_TRAP, 128, false);
	mk_event_fires(c, "SMP015", "mad");
	trap(c, IBW_METHOD_TRAP, 128, false);
	mk_misses(c, "SMP015", "mad");
}

static void traps_repressed(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	for (i = 0; i < 12; i++) {
		trap(c, IBW_METHOD_TRAP, 128, false);
		mk_misses(c, "SMP015", "mad");
		if (!i)
			mk_event_fires(c, "FAB006", "mad");
		if (i == 5)
			trap(c, IBW_METHOD_TRAP_REPRESS, 128, false);
	}
}

/* Whether anybody stops traps was not captured. */
static void traps_one_way(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	for (i = 0; i < 7; i++) {
		trap(c, IBW_METHOD_TRAP, 128, false);
		if (!i)
			mk_event_fires(c, "FAB006", "mad");
	}
	mk_event_fires_milder(c, "SMP015", "mad");
}

/* Masters */

static void sm_info(struct mk_capture *c, uint8_t method, uint64_t guid, uint8_t state)
{
	const struct ibw_sm_info info = { .guid = guid, .priority = 5, .state = state & 0xf };
	bool back = method & METHOD_RESP;
	struct mk_packet p;
	uint8_t *mad;

	next_tid += !back;
	mad = begin(&p, IBW_CLASS_SUBN_LID, method, IBW_ATTR_SM_SM_INFO, back ? LID_SM : LID_PORT,
		    back ? LID_PORT : LID_SM);
	ibw_sm_info_pack(IN(sm_info, 64), &info);
	put_built(c, &p);
}

static void says(struct mk_capture *c, uint64_t guid, uint8_t state)
{
	sm_info(c, IBW_METHOD_GET, 0, 0);
	sm_info(c, GET_RESP, guid, state);
}

static void two_masters(struct mk_capture *c)
{
	start(c);
	says(c, 1, IBW_SM_MASTER);
	says(c, 2, IBW_SM_MASTER);
	mk_misses(c, "SMP016", "sm_info");
	says(c, 1, IBW_SM_MASTER);
	mk_event_fires(c, "SMP016", "mad");
}

/* One is standby; then the other hands over. */
static void handover(struct mk_capture *c)
{
	start(c);
	says(c, 1, IBW_SM_MASTER);
	says(c, 2, IBW_SM_STANDBY);
	says(c, 1, IBW_SM_MASTER);
	mk_misses(c, "SMP016", "sm_info");
	sm_info(c, IBW_METHOD_SET, 1, IBW_SM_MASTER);
	sm_info(c, GET_RESP, 2, IBW_SM_MASTER);
	says(c, 1, IBW_SM_STANDBY);
	says(c, 2, IBW_SM_MASTER);
	mk_misses(c, "SMP016", "sm_info");
}

/* Subscriptions */

static void inform(struct mk_capture *c, uint8_t subscribe)
{
	struct ibw_inform_info info = { .lid_begin = 0xffff,
					.is_generic = 1,
					.subscribe = subscribe,
					.type = 0xffff,
					.trap_num = 0xffff,
					.qpn = 1,
					.producer_type = 0xffffff };
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_SET, IBW_ATTR_SA_INFORM_INFO, LID_PORT,
		    LID_SM);
	ibw_inform_info_pack(IN(inform_info, 56), &info);
	put_built(c, &p);
	mad = begin(&p, IBW_CLASS_SUBN_ADM, GET_RESP, IBW_ATTR_SA_INFORM_INFO, LID_SM, LID_PORT);
	ibw_inform_info_pack(IN(inform_info, 56), &info);
	put_built(c, &p);
}

/* The port joins a group: that is how its GID is known. */
static void join(struct mk_capture *c)
{
	static const uint8_t mgid[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [15] = 0x16 };
	struct ibw_mcmember_rec rec = { .join_state = IBW_JOIN_FULL };
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	memcpy(rec.mgid, mgid, 16);
	memcpy(rec.port_gid, gid_port, 16);
	mad = begin(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_SET, IBW_ATTR_SA_MCMEMBER_REC, LID_PORT,
		    LID_SM);
	ibw_sa_set_comp_mask(IN(sa, 36), 1ull << ibw_mcmember_rec_mgid_COMP |
						 1ull << ibw_mcmember_rec_port_gid_COMP |
						 1ull << ibw_mcmember_rec_join_state_COMP);
	ibw_mcmember_rec_pack(IN(mcmember_rec, 56), &rec);
	put_built(c, &p);
}

static void out_of_service(struct mk_capture *c, const uint8_t *gid)
{
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_REPORT, IBW_ATTR_SA_NOTICE, LID_SM,
		    LID_OTHER);
	put_notice(mad + 56, IBW_TRAP_OUT_OF_SERVICE, gid);
	put_built(c, &p);
}

static void subscribed(struct mk_capture *c)
{
	start(c);
	join(c);
	inform(c, 1);
	out_of_service(c, gid_other);
	mk_misses(c, "SAQ020", "notice");
	out_of_service(c, gid_port);
	mk_event_fires(c, "SAQ020", "mad");
}

static void unsubscribed(struct mk_capture *c)
{
	start(c);
	join(c);
	inform(c, 1);
	inform(c, 0);
	out_of_service(c, gid_port);
	mk_misses(c, "SAQ020", "notice");
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "traps.pcap", traps },
	{ "traps-repressed.pcap", traps_repressed },
	{ "traps-one-way.pcap", traps_one_way },
	{ "two-masters.pcap", two_masters },
	{ "handover.pcap", handover },
	{ "subscribed.pcap", subscribed },
	{ "unsubscribed.pcap", unsubscribed },
	{ 0 },
};

const struct mk_group mk_lint_notice = { "notice", cases, files, NULL };
