/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * disagree.c - facts two sources tell differently: that ours is the side that is right.
 *
 * facts.c compares each source with the schema and leaves out what is known to be wrong;
 * here the right value is asked for by itself. RoCE source ports of QP1 and CNPs (bnxt_re,
 * qedr, mlx4 against the rule of Linux) are cases of ROC002 in pcaps/make_lint_roc.c, the
 * polynomial of the VCRC is that of every native capture (captures.c).
 */
#include "check.h"

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/ipoib.h>
#include <ibwire/mad_walk.h>

static uint8_t b[512];

/* All bytes 0 but ones in bits [at, at + n). */
static void set_bits(uint32_t at, uint32_t n)
{
	memset(b, 0, sizeof(b));
	for (; n; n--, at++)
		b[at / 8] |= (uint8_t)(0x80 >> at % 8);
}

/* The getter yields all ones for the bits [at, at + n), and 0 for the same many next to them. */
#define IS_AT(hdr, field, at, n)                                                                   \
	do {                                                                                       \
		check_case(#hdr "." #field);                                                       \
		set_bits(at, n);                                                                   \
		CHECK_EQ(ibw_##hdr##_##field(ibw_##hdr##_view(b, sizeof(b))),                      \
			 (uint64_t)-1 >> (64 - (n)));                                              \
		set_bits((at) + (n), n);                                                           \
		CHECK_EQ(ibw_##hdr##_##field(ibw_##hdr##_view(b, sizeof(b))), 0);                  \
	} while (0)

/* Places of fields: who says otherwise is next to each. */
static void test_places(void)
{
	IS_AT(port_counters, qp1_dropped, 160, 16);       /* libibmad: 176 */
	IS_AT(port_info_ext, hdr_fec_supported, 112, 16); /* libibmad: 96 */
	IS_AT(port_info_ext, hdr_fec_enabled, 128, 16);   /* libibmad: 144 */
	IS_AT(port_info_ext, ndr_fec_supported, 144, 16); /* libibmad: 128 */
	IS_AT(port_info_ext, ndr_fec_enabled, 160, 16);   /* libibmad: 176 */
	IS_AT(cm_req, primary_flow_label, 704, 20);       /* Wireshark: the upper 12 bits */
	IS_AT(cm_req, alt_flow_label, 1056, 20);
	IS_AT(cm_req, primary_packet_rate, 730, 6); /* Wireshark 4.0: byte 88 */
	IS_AT(smp_dr_status, d, 0, 1);              /* Wireshark: always 0 */
	IS_AT(path_rec, service_id, 0, 64);         /* Wireshark: reserved */
	IS_AT(path_rec, qos_class, 416, 12);        /* Wireshark: reserved */
	IS_AT(cm_sidr_rep, vendor_id_h, 48, 16);    /* older Linux: reserved */
	IS_AT(cm_sidr_rep, vendor_id_l, 88, 8);
	IS_AT(bth, psn, 72, 24);  /* Linux ib_hdrs.h: 32 bits */
	IS_AT(rdeth, een, 8, 24); /* Linux rxe_hdr.h: 8 bits */
	IS_AT(feth, sel, 26, 2);  /* Wireshark 4.4: 27 */
	IS_AT(feth, plt, 28, 4);  /* Wireshark 4.4: 29, three of them */
	check_case("%s", "");
}

static void test_opcodes(void)
{
	unsigned int op;

	CHECK_STR(ibw_opcodes[0x81].text, "CNP"); /* Wireshark: 0x80 */
	CHECK(!ibw_opcodes[0x80].text);
	/* XRCETH in every request and in no response: one source, a patch to rxe. */
	for (op = IBW_SERVICE_XRC; op < IBW_SERVICE_XRC + 0x20; op++) {
		check_case("opcode 0x%02x", op);
		if (ibw_opcodes[op].text)
			CHECK_EQ(!!(ibw_opcodes[op].eths & IBW_ETH_XRCETH),
				 !!(ibw_opcodes[op].flags & IBW_OPF_REQUEST));
	}
	check_case("%s", "");
}

static void test_names(void)
{
	CHECK_STR(ibw_name_of(ibw_cm_rej_reason_names, 24), "port and CM redirection");
	CHECK_STR(ibw_name_of(ibw_cm_rej_reason_names, 25), "port redirection"); /* opensm: 24 */
	CHECK(ibw_name_of(ibw_cm_rej_reason_names, 35));                         /* not in opensm */
	CHECK(ibw_name_of(ibw_cm_rej_reason_names, 0xffff));                     /* not in Linux */
	CHECK(ibw_name_of(ibw_rate_names, 24));  /* not in Linux 6.12 */
	CHECK(ibw_name_of(ibw_trap_names, 131)); /* two names for one thing */
	/* RDMA CM's own MGIDs in addition to those of IPoIB. */
	CHECK_EQ(IBW_MGID_RDMA_CM_IPV4, 0x4001);
	CHECK_EQ(IBW_MGID_RDMA_CM_IPV6, 0x6001);
	CHECK_EQ(IBW_MGID_IPOIB_IPV4, 0x401b);
	CHECK_EQ(IBW_MGID_IPOIB_IPV6, 0x601b);
}

static void test_records(void)
{
	const struct ibw_mad_class_row *sa = ibw_mad_class_of(IBW_CLASS_SUBN_ADM);
	struct ibw_sa_component c;
	struct ibw_sa_table t;

	/* libibmad has a reserved component there. */
	CHECK(ibw_sa_component_at(ibw_mad_attr_of(sa, IBW_ATTR_SA_PATH_REC), 14, &c));
	CHECK_STR(c.field->name, "qos_class");
	/* 52 bytes to Linux, 56 to libibumad: that far apart in a table, the last without padding. */
	CHECK_EQ(ibw_mcmember_rec_BYTES, 52);
	t = ibw_sa_table_of(ibw_mad_attr_of(sa, IBW_ATTR_SA_MCMEMBER_REC), 56, 56 + 52);
	CHECK_EQ(t.n, 2);
	CHECK_EQ(t.rest, 0);
}

int main(void)
{
	test_places();
	test_opcodes();
	test_names();
	test_records();
	return check_end();
}
