/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_cng.c - the cases of group CNG. */
#include "make_case.h"

STATED(cnp_ipv4, ROCE_V2_IPV4, CNP, 0, (void)p)
STATED(cnp_ipv6, ROCE_V2_IPV6, CNP, 0, (void)p)
STATED(cnp_first_byte, ROCE_V2_IPV4, CNP, 0, p->cnp.rsvd[0] = 0x80)
STATED(cnp_last_byte, ROCE_V2_IPV6, CNP, 0, p->cnp.rsvd[15] = 1)
STATED(cnp_without_reserved, ROCE_V2_IPV4, CNP, 0, p->eths = 0)
STATED(cnp_with_payload, ROCE_V2_IPV4, CNP, 4, (void)p)

BROKEN(cnp_half_icrc, ROCE_V2_IPV4, CNP, 0, leave_out(p, p->icrc_off, 2))
BROKEN(cnp_no_icrc, ROCE_V2_IPV4, CNP, 0, leave_out(p, p->icrc_off, 4))
BROKEN(cnp_cut, ROCE_V2_IPV4, CNP, 0, mk_cut(p, p->off[IBW_LAYER_cnp] + 8))

STATED(cnp_becn_0, ROCE_V2_IPV4, CNP, 0, p->bth.becn = 0)
STATED(cnp_se, ROCE_V2_IPV4, CNP, 0, p->bth.se = 1)
STATED(cnp_ackreq, ROCE_V2_IPV4, CNP, 0, p->bth.ackreq = 1)
STATED(cnp_psn, ROCE_V2_IPV6, CNP, 0, p->bth.psn = 1)
EDITED(cnp_padcnt, ROCE_V2_IPV4, CNP, 0, ibw_bth_set_padcnt(MK_AT(p, bth), 1))
STATED(cnp_fecn_migreq, ROCE_V2_IPV4, CNP, 0, p->bth.fecn = p->bth.migreq = 1)
STATED(data_without_becn, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.se = p->bth.ackreq = 1)

STATED(cnp_ce, ROCE_V2_IPV4, CNP, 0, p->ipv4.ecn = IBW_ECN_CE)
STATED(cnp_ce_ipv6, ROCE_V2_IPV6, CNP, 0, p->ipv6.ecn = IBW_ECN_CE)
STATED(cnp_ect0, ROCE_V2_IPV4, CNP, 0, p->ipv4.ecn = IBW_ECN_ECT0)
STATED(cnp_ect1, ROCE_V2_IPV6, CNP, 0, p->ipv6.ecn = IBW_ECN_ECT1)
STATED(data_ce, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->ipv4.ecn = IBW_ECN_CE)

STATED(ib_fecn, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.fecn = 1)
STATED(ib_becn, IB_GLOBAL, RC_ACKNOWLEDGE, 0, p->bth.becn = 1)
STATED(ib_neither, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.ackreq = 1)
STATED(roce_fecn, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.fecn = 1)

static const struct mk_case cases[] = {
	{ "CNG001", MK_FIRES, cnp_first_byte, "cnp.rsvd", NULL, "first reserved byte not 0" },
	{ "CNG001", MK_FIRES, cnp_last_byte, "cnp.rsvd", NULL, "last reserved byte not 0" },
	{ "CNG001", MK_FIRES, cnp_without_reserved, "cnp/icrc", NULL, "no reserved bytes" },
	{ "CNG001", MK_FIRES, cnp_with_payload, "cnp/payload", NULL, "4 bytes too many" },
	{ "CNG001", MK_FIRES, cnp_half_icrc, "cnp/cnp+0:18", NULL, "2 bytes of the ICRC" },
	{ "CNG001", MK_MISSES, cnp_ipv4, NULL, NULL, "a CNP" },
	{ "CNG001", MK_MISSES, cnp_ipv6, NULL, NULL, "a CNP, IPv6" },
	{ "CNG001", MK_MISSES, cnp_no_icrc, NULL, "CRC008=bth/end+0:0",
	  "no ICRC: a rule of its own" },
	{ "CNG001", MK_MISSES, cnp_cut, NULL, "CAP005=file/cnp+0:0", "cut by the capture" },

	{ "CNG002", MK_FIRES, cnp_becn_0, "bth", NULL, "BECN 0" },
	{ "CNG002", MK_FIRES, cnp_se, "bth", NULL, "SE 1" },
	{ "CNG002", MK_FIRES, cnp_ackreq, "bth", NULL, "AckReq 1" },
	{ "CNG002", MK_FIRES, cnp_psn, "bth", NULL, "PSN 1" },
	{ "CNG002", MK_FIRES, cnp_padcnt, "bth", "BTH010=bth.padcnt", "PadCnt 1" },
	{ "CNG002", MK_MISSES, cnp_fecn_migreq, NULL, NULL, "FECN and MigReq may be anything" },
	{ "CNG002", MK_MISSES, data_without_becn, NULL, NULL, "all of that in a SEND" },

	{ "CNG008", MK_FIRES, cnp_ce, "ipv4.ecn", NULL, "CNP with CE" },
	{ "CNG008", MK_FIRES, cnp_ce_ipv6, "ipv6.ecn", NULL, "CNP with CE, IPv6" },
	{ "CNG008", MK_MISSES, cnp_ect0, NULL, NULL,
	  "CNP with ECT(0), as a ConnectX-4 Lx sends it" },
	{ "CNG008", MK_MISSES, cnp_ect1, NULL, NULL, "CNP with ECT(1)" },
	{ "CNG008", MK_MISSES, data_ce, NULL, NULL, "data with CE" },

	{ "CNG009", MK_FIRES, ib_fecn, "bth.fecn", NULL, "FECN on IB" },
	{ "CNG009", MK_FIRES, ib_becn, "bth.becn", NULL, "BECN on IB" },
	{ "CNG009", MK_MISSES, ib_neither, NULL, NULL, "neither" },
	{ "CNG009", MK_MISSES, roce_fecn, NULL, NULL, "FECN on RoCE" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "CNG001", cnp_half_icrc, MK_IN_V1 | MK_IN_V2, "PktLen counts words" },
	{ "CNG008", NULL, MK_IN_V2, "ECN is of IP" },
	{ "CNG009", NULL, MK_IN_IB, "RoCE has CNPs" },
	{ 0 },
};

const struct mk_group mk_lint_cng = { "cng", cases, NULL, claims };
