/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_fab_port.c - captures of group FAB: what ports tell, by traps and counters. */
#include "make_lint_fab.h"

/* Traps */

static uint8_t *notice(struct mk_packet *p, uint8_t method, uint16_t trap_num)
{
	const struct ibw_notice v = { .is_generic = 1,
				      .type = 3,
				      .producer_type = 2,
				      .trap_num = trap_num,
				      .issuer_lid = LID_PORT };
	bool back = method == IBW_METHOD_TRAP_REPRESS;
	uint8_t *mad = begin(p, IBW_CLASS_SUBN_LID, method, IBW_ATTR_SM_NOTICE,
			     back ? LID_SM : LID_PORT, back ? LID_PORT : LID_SM);

	ibw_notice_pack(IN(notice, 64), &v);
	return mad + 64 + ibw_notice_BYTES;
}

/* Of packets from @lid. */
static void key_trap(struct mk_capture *c, uint16_t trap_num, uint16_t lid)
{
	const struct ibw_notice_trap_257 v = {
		.lid1 = lid, .lid2 = LID_PORT, .key = 0x8001, .qp1 = 0x48, .qp2 = 0x52
	};
	const struct ibw_notice_trap_259 s = {
		.lid1 = lid, .lid2 = LID_PORT, .pkey = 0x8001, .qp1 = 0x48, .qp2 = 0x52
	};
	const struct ibw_notice_trap_256 m = { .lid = lid,
					       .method = IBW_METHOD_GET,
					       .attr_id = IBW_ATTR_SM_PORT_INFO };
	struct mk_packet p;
	uint8_t *mad = notice(&p, IBW_METHOD_TRAP, trap_num);

	if (trap_num == 256)
		ibw_notice_trap_256_pack(IN(notice_trap_256, 0), &m);
	else if (trap_num == 259)
		ibw_notice_trap_259_pack(IN(notice_trap_259, 0), &s);
	else
		ibw_notice_trap_257_pack(IN(notice_trap_257, 0), &v);
	put_built(c, &p);
}

void mk_fab_key_traps(struct mk_capture *c)
{
	static const struct {
		uint16_t trap_num;
		const char *rule;
	} traps[] = { { 256, "FAB001" }, { 257, "FAB002" }, { 258, "FAB003" }, { 259, "FAB002" } };
	unsigned int i;

	start(c);
	for (i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
		key_trap(c, traps[i].trap_num, LID_HOST);
		mk_event_fires(c, traps[i].rule, "mad");
		wait(c, SECOND);
		key_trap(c, traps[i].trap_num, LID_HOST); /* the same culprit */
		mk_misses(c, traps[i].rule, "mad");
		key_trap(c, traps[i].trap_num, LID_OTHER);
		mk_event_fires(c, traps[i].rule, "mad");
	}
}

void mk_fab_port_trap(struct mk_capture *c, uint16_t trap_num)
{
	const struct ibw_notice_trap_129 v = { .lid = LID_PORT, .port = 17 };
	struct mk_packet p;
	uint8_t *mad = notice(&p, IBW_METHOD_TRAP, trap_num);

	ibw_notice_trap_129_pack(IN(notice_trap_129, 0), &v);
	put_built(c, &p);
	mad = notice(&p, IBW_METHOD_TRAP_REPRESS, trap_num);
	ibw_notice_trap_129_pack(IN(notice_trap_129, 0), &v);
	put_built(c, &p);
}

/* @n traps; one gap of @gap ns. */
static void link_traps(struct mk_capture *c, unsigned int n, uint64_t gap, bool storm)
{
	unsigned int i;

	start(c);
	for (i = 0; i < n; i++) {
		if (i == 1)
			wait(c, gap - MK_TIME_STEP); /* from the trap, not from the answer to it */
		mk_fab_port_trap(c, 129);
		if (i)
			continue;
		c->frames--; /* the trap, not the answer to it */
		mk_event_fires(c, storm ? "FAB005" : "FAB004", "mad");
		mk_misses(c, storm ? "FAB004" : "FAB005", "mad");
		c->frames++;
	}
}

void mk_fab_traps_249(struct mk_capture *c)
{
	link_traps(c, 249, SECOND, false);
}

void mk_fab_traps_250(struct mk_capture *c)
{
	link_traps(c, 250, SECOND, true);
}

void mk_fab_traps_251(struct mk_capture *c)
{
	link_traps(c, 251, 60 * SECOND - 1, true);
}

void mk_fab_traps_apart(struct mk_capture *c)
{
	link_traps(c, 250, 60 * SECOND, false);
}

void mk_fab_change_traps(struct mk_capture *c)
{
	start(c);
	mk_fab_port_trap(c, 128);
	c->frames--;
	mk_event_fires(c, "FAB006", "mad");
	c->frames++;
	mk_fab_port_trap(c, 128);
	mk_misses(c, "FAB006", "mad");
	mk_fab_port_trap(c, 65); /* of the subnet manager */
	mk_misses(c, "FAB006", "mad");
}

/* Counters */

static void counters(struct mk_capture *c, uint8_t method, uint16_t client, uint16_t symbols,
		     uint8_t downed)
{
	const struct ibw_port_counters v = { .port_select = 7,
					     .symbol_errors = symbols,
					     .link_downed = downed };
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_PERF, method, IBW_ATTR_PERF_COUNTERS, client, LID_PORT);
	IN(port_counters, 64)->b[1] = 7;
	put_built(c, &p);
	mad = begin(&p, IBW_CLASS_PERF, GET_RESP, IBW_ATTR_PERF_COUNTERS, LID_PORT, client);
	ibw_port_counters_pack(IN(port_counters, 64), &v);
	put_built(c, &p);
}

void mk_fab_ended(struct mk_capture *c)
{
	start(c);
	counters(c, IBW_METHOD_GET, LID_HOST, 65534, 254);
	mk_misses(c, "FAB014", "port_counters");
	counters(c, IBW_METHOD_GET, LID_HOST, 65535, 255);
	mk_event_fires(c, "FAB014", "port_counters");
	mk_event_fires(c, "FAB020", "port_counters");
	counters(c, IBW_METHOD_GET, LID_HOST, 65535, 255);
	mk_misses(c, "FAB014", "port_counters");
}

static void reset_by(struct mk_capture *c, uint16_t client, uint16_t now, bool fires)
{
	start(c);
	counters(c, IBW_METHOD_GET, LID_HOST, 120, 1);
	counters(c, IBW_METHOD_SET, client, 0, 0);
	mk_misses(c, "FAB015", "port_counters");
	counters(c, IBW_METHOD_GET, LID_HOST, now, 1);
	if (now < 120) /* it counts from 0 */
		mk_event_fires(c, "FAB020", "port_counters");
	if (fires)
		mk_event_fires(c, "FAB015", "port_counters");
	else
		mk_misses(c, "FAB015", "port_counters");
}

void mk_fab_reset_by_other(struct mk_capture *c)
{
	reset_by(c, LID_OTHER, 3, true);
}

void mk_fab_reset_by_reader(struct mk_capture *c)
{
	reset_by(c, LID_HOST, 3, false);
}

/* It resets others. */
void mk_fab_reset_nothing(struct mk_capture *c)
{
	reset_by(c, LID_OTHER, 120, false);
}

/* By so many symbols; others read the same. */
static void grows(struct mk_capture *c, uint16_t by, bool many)
{
	start(c);
	counters(c, IBW_METHOD_GET, LID_HOST, 100, 1);
	mk_misses(c, "FAB020", "port_counters");
	wait(c, 30 * SECOND);
	counters(c, IBW_METHOD_GET, LID_HOST, (uint16_t)(100 + by), 1);
	mk_event_fires(c, many ? "FAB019" : "FAB020", "port_counters");
	mk_misses(c, many ? "FAB020" : "FAB019", "port_counters");
	counters(c, IBW_METHOD_GET, LID_OTHER, (uint16_t)(100 + by), 1);
	mk_misses(c, many ? "FAB019" : "FAB020", "port_counters");
}

void mk_fab_grows_9(struct mk_capture *c)
{
	grows(c, 9, false);
}

void mk_fab_grows_10(struct mk_capture *c)
{
	grows(c, 10, true);
}

void mk_fab_grows_11(struct mk_capture *c)
{
	grows(c, 11, true);
}

void mk_fab_grows_not(struct mk_capture *c)
{
	start(c);
	counters(c, IBW_METHOD_GET, LID_HOST, 100, 1);
	wait(c, 30 * SECOND);
	counters(c, IBW_METHOD_GET, LID_HOST, 100, 1);
	mk_misses(c, "FAB019", "port_counters");
	mk_misses(c, "FAB020", "port_counters");
}
