/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_mcg.c - the cases of group MCG. */
#include <string.h>

#include "make_case.h"

#define GET IBW_METHOD_GET
#define SET IBW_METHOD_SET
#define DELETE IBW_METHOD_DELETE

#define BIT(field) (1ull << ibw_mcmember_rec_##field##_COMP)
#define JOIN (BIT(mgid) | BIT(port_gid) | BIT(join_state))
#define MASK(bits) ibw_sa_set_comp_mask(IN(sa, 36), bits)
#define REC IN(mcmember_rec, 56)
#define MGID (mad + 56)

static const uint8_t mgid_broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0,    0,
					    0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff };
static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };

/* A port joins the broadcast group, or leaves it, or is answered. */
static void member(uint8_t *mad, bool answer)
{
	struct ibw_mcmember_rec rec = { .join_state = IBW_JOIN_FULL };

	memcpy(rec.mgid, mgid_broadcast, 16);
	memcpy(rec.port_gid, gid_a, 16);
	if (answer) {
		rec.qkey = 0xb1b;
		rec.mlid = 0xc000;
		rec.pkey = 0xffff;
		rec.mtu_sel = rec.rate_sel = IBW_SELECTOR_EXACTLY;
		rec.mtu = 4;
		rec.rate = IBW_RATE_10;
	}
	ibw_mcmember_rec_pack(REC, &rec);
	MASK(JOIN);
}

#define MC(name, framing, method, ...)                                                             \
	MAD(name, framing, SUBN_ADM, method, IBW_ATTR_SA_MCMEMBER_REC,                             \
	    member(mad, ((method)&METHOD_RESP) != 0);                                              \
	    __VA_ARGS__)

MC(join, IB_LOCAL, SET, (void)p)
MC(leave, ROCE_V2_IPV4, DELETE, (void)p)
MC(answer, IB_LOCAL, GET_RESP, (void)p)
MC(mgid_unicast, IB_LOCAL, SET, memcpy(MGID, gid_a, 16))
MC(mgid_fe, ROCE_V2_IPV4, GET_RESP, MGID[0] = 0xfe)
MC(mgid_0, IB_LOCAL, SET, memset(MGID, 0, 16))
MC(get_mgid_0, IB_LOCAL, GET, memset(MGID, 0, 16))
MC(mgid_not_in_mask, IB_LOCAL, GET, memcpy(MGID, gid_a, 16); MASK(BIT(port_gid) | BIT(join_state)))
MC(flags_2, IB_LOCAL, SET, MGID[1] = 0x22)
MC(flags_9, IB_LOCAL, SET, MGID[1] = 0x92)
MC(flags_0, IB_LOCAL, SET, MGID[1] = 0x02)
MC(scope_15, IB_LOCAL, SET, MGID[1] = 0x1f)
MC(scope_1, IB_LOCAL, GET_RESP, MGID[1] = 0x11)
MC(scope_14, IB_LOCAL, SET, MGID[1] = 0x1e)
MC(of_rdma_cm, IB_LOCAL, SET, MGID[3] = 0x01) /* signature 0x4001: RDMA_PS_UDP of Linux */
MC(sa_link_local, IB_LOCAL, SET, MGID[2] = 0xa0)
MC(sa_site_local, IB_LOCAL, SET, MGID[1] = 0x15; MGID[2] = 0xa0)
MC(sa_link_local_answer, IB_LOCAL, GET_RESP, MGID[2] = 0xa0)
MC(without_port_gid, IB_LOCAL, SET, MASK(JOIN & ~BIT(port_gid)))
MC(without_join_state, ROCE_V2_IPV4, SET, MASK(JOIN & ~BIT(join_state)))
MC(get_by_mgid, IB_LOCAL, GET, MASK(BIT(mgid)))
MC(join_state_0, IB_LOCAL, SET, ibw_mcmember_rec_set_join_state(REC, 0))
MC(leave_state_0, IB_LOCAL, DELETE, ibw_mcmember_rec_set_join_state(REC, 0);
   ibw_mcmember_rec_set_scope(REC, 15))
MC(get_state_0, IB_LOCAL, GET, ibw_mcmember_rec_set_join_state(REC, 0))
MC(join_state_8, IB_LOCAL, SET, ibw_mcmember_rec_set_join_state(REC, 8))
MC(mlid_bfff, IB_LOCAL, GET_RESP, ibw_mcmember_rec_set_mlid(REC, 0xbfff))
MC(mlid_ffff, IB_LOCAL, GET_RESP, ibw_mcmember_rec_set_mlid(REC, 0xffff))
MC(mlid_fffe, IB_LOCAL, GET_RESP, ibw_mcmember_rec_set_mlid(REC, 0xfffe))
MC(left, IB_LOCAL, METHOD_RESP | IBW_METHOD_DELETE, ibw_mcmember_rec_set_mlid(REC, 0))
MC(refused, IB_LOCAL, GET_RESP, ibw_mcmember_rec_set_mlid(REC, 0); memset(MGID, 0, 16);
   ibw_mad_set_status(IN(mad, 0), IBW_SA_STATUS_REQ_INVALID << 8))

static const struct mk_case cases[] = {
	{ "MCG001", MK_FIRES, mgid_unicast, "mcmember_rec.mgid", NULL, "join of a unicast GID" },
	{ "MCG001", MK_FIRES, mgid_fe, "mcmember_rec.mgid", NULL, "the answer has 0xfe.." },
	{ "MCG001", MK_FIRES, get_mgid_0, "mcmember_rec.mgid", NULL, "Get of the group ::" },
	{ "MCG001", MK_MISSES, join, "mcmember_rec", NULL, "join of ff12:..." },
	{ "MCG001", MK_MISSES, mgid_0, "mcmember_rec", NULL, "Set of :: asks for a new group" },
	{ "MCG001", MK_MISSES, mgid_not_in_mask, "mcmember_rec", "SAQ007=mcmember_rec.mgid",
	  "a unicast GID nobody looks at" },
	{ "MCG001", MK_MISSES, refused, "mcmember_rec", "MAD011=mad.status", "a refusal" },
	{ "MCG002", MK_FIRES, flags_2, "mcmember_rec.mgid", NULL, "flags 2" },
	{ "MCG002", MK_FIRES, flags_9, "mcmember_rec.mgid", NULL, "flags 9" },
	{ "MCG002", MK_MISSES, flags_0, "mcmember_rec", NULL, "flags 0" },
	{ "MCG003", MK_FIRES, scope_15, "mcmember_rec.mgid", NULL, "scope 15" },
	{ "MCG003", MK_FIRES, scope_1, "mcmember_rec.mgid", NULL, "scope 1 in an answer" },
	{ "MCG003", MK_FIRES, sa_link_local, "mcmember_rec.mgid", NULL,
	  "signature 0xa01b, link-local" },
	{ "MCG003", MK_MISSES, of_rdma_cm, "mcmember_rec", NULL, "the RDMA CM's own signature" },
	{ "MCG003", MK_MISSES, scope_14, "mcmember_rec", NULL, "scope 14" },
	{ "MCG003", MK_MISSES, sa_site_local, "mcmember_rec", NULL,
	  "signature 0xa01b, site-local" },
	{ "MCG003", MK_MISSES, sa_link_local_answer, "mcmember_rec", NULL,
	  "what the SA itself assigned" },
	{ "MCG004", MK_FIRES, without_port_gid, "sa.comp_mask", "SAQ007=mcmember_rec.port_gid",
	  "join without PortGID" },
	{ "MCG004", MK_FIRES, without_join_state, "sa.comp_mask", "SAQ007=mcmember_rec.join_state",
	  "join without JoinState" },
	{ "MCG004", MK_MISSES, join, "mcmember_rec", NULL, "join with all three" },
	{ "MCG004", MK_MISSES, get_by_mgid, "mcmember_rec", "SAQ007=mcmember_rec.join_state",
	  "Get by MGID" },
	{ "MCG007", MK_FIRES, join_state_0, "mcmember_rec.join_state", NULL,
	  "join with JoinState 0" },
	{ "MCG007", MK_FIRES, leave_state_0, "mcmember_rec.join_state", "SAQ007=mcmember_rec.scope",
	  "leave with JoinState 0" },
	{ "MCG007", MK_MISSES, leave, "mcmember_rec", NULL, "leave with JoinState 1" },
	{ "MCG007", MK_MISSES, join_state_8, "mcmember_rec", NULL, "join with JoinState 8" },
	{ "MCG007", MK_MISSES, get_state_0, "mcmember_rec", NULL, "Get with JoinState 0" },
	{ "MCG017", MK_FIRES, mlid_bfff, "mcmember_rec.mlid", NULL, "MLID 0xbfff" },
	{ "MCG017", MK_FIRES, mlid_ffff, "mcmember_rec.mlid", NULL, "MLID 0xffff" },
	{ "MCG017", MK_MISSES, mlid_fffe, "mcmember_rec", NULL, "MLID 0xfffe" },
	{ "MCG017", MK_MISSES, answer, "mcmember_rec", NULL, "MLID 0xc000" },
	{ "MCG017", MK_MISSES, left, "mcmember_rec", NULL, "the answer to a leave" },
	{ "MCG017", MK_MISSES, refused, "mcmember_rec", "MAD011=mad.status", "a refusal" },
	{ 0 },
};

const struct mk_group mk_lint_mcg = { "mcg", cases, NULL, NULL };
