/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * transport_view.c - packets from the BTH on: which headers each opcode has and where its payload
 * begins, against what Linux's rxe, Wireshark and blue-rdma have (facts/opcodes.csv); every length,
 * before a page of no access; and what is built, against the end of ibw_build_headers().
 */
#include "fact_rows.h"
#include "guard.h"

#include <ibwire/transport_view.h>

static struct ibw_transport t;

/* The views of @t in wire order, by the names of facts/opcodes.csv. */
static const struct {
	const char *name;
	const void *const view;
	size_t bytes;
} views[] = {
	{ "RDETH", &t.rdeth, 4 },
	{ "DETH", &t.deth, 8 },
	{ "XRCETH", &t.xrceth, 4 },
	{ "FETH", &t.feth, 4 },
	{ "RETH", &t.reth, 16 },
	{ "ATOMICETH", &t.atomiceth, 28 },
	{ "AETH", &t.aeth, 4 },
	{ "ATOMICACKETH", &t.atomicacketh, 8 },
	{ "IMMDT", &t.immdt, 4 },
	{ "IETH", &t.ieth, 4 },
	{ "ATOMICWRITE", &t.atomicwrite, 8 },
	{ "CNP", &t.cnp, 16 },
};
#define VIEWS (sizeof(views) / sizeof(views[0]))

static const uint8_t *view_at(size_t i)
{
	const uint8_t *p;

	memcpy(&p, views[i].view, sizeof(p));
	return p;
}

static unsigned int compared_headers, compared_bytes;

/* "RETH+IMMDT", in wire order, one after the other after the BTH. */
static void check_headers(const uint8_t *p, const char *names)
{
	size_t i, n, at = 12;
	bool last;

	for (i = 0; i < VIEWS; i++) {
		n = strlen(views[i].name);
		last = strncmp(names, views[i].name, n) == 0 && (names[n] == '+' || !names[n]);
		if (!last) {
			CHECK(view_at(i) == NULL);
			continue;
		}
		CHECK_EQ(view_at(i) - p, at);
		at += views[i].bytes;
		names += n + (names[n] == '+');
	}
	CHECK(!*names || strcmp(names, "none") == 0);
	compared_headers++;
}

static void use_row(char **column)
{
	uint8_t p[100] = { (uint8_t)fact_number(column[1]), 0x20 };

	/* ATOMIC WRITE, RD FLUSH, and 0x15 and 0x80, which have names, are others' there: opcodes.c */
	if ((p[0] & 0x1f) == 0x1d || p[0] == 0x5c || p[0] == 0x15 || p[0] == 0x80)
		return;
	memset(&t, 0xee, sizeof(t)); /* what it was does not matter */
	CHECK_EQ(ibw_transport_view(&t, p, sizeof(p)), IBW_TRANSPORT_OK);
	CHECK_EQ(t.pad, 2);
	CHECK_EQ(t.payload - p + t.payload_len + t.pad, sizeof(p));
	if (fact_said(column[3]))
		check_headers(p, column[3]);
	if (fact_said(column[4])) {
		CHECK_EQ(t.payload - p, fact_number(column[4]));
		compared_bytes++;
	}
	memset(&t, 0, sizeof(t)); /* it is about p */
}

/* Every opcode at every length and pad: everything there is lies within it. */
static void test_lengths(void)
{
	struct guard g = guard_open(64);
	uint8_t data[64] = { 0 };
	unsigned int op, pad, n;
	enum ibw_transport_error error;
	const uint8_t *p;

	for (op = 0; op < 256; op++)
		for (pad = 0; pad < 4; pad++)
			for (n = 0; n <= sizeof(data); n++) {
				check_case("opcode 0x%02x pad %u length %u", op, pad, n);
				data[0] = (uint8_t)op;
				data[1] = (uint8_t)(pad << 4);
				p = guard_tail(&g, data, n);
				error = ibw_transport_view(&t, p, n);
				CHECK_EQ(t.bth != NULL, n >= 12);
				CHECK_EQ(error == IBW_TRANSPORT_OPCODE,
					 n >= 12 && !ibw_opcode_chain(data[0]));
				CHECK_EQ(error == IBW_TRANSPORT_OK, t.payload != NULL);
				if (error == IBW_TRANSPORT_OK)
					CHECK(t.payload + t.payload_len + pad == p + n &&
					      t.pad == pad);
				else
					CHECK(!t.chain && !t.reth && !t.aeth && !t.deth);
			}
	guard_close(&g);
}

/* Random values in front of nothing are what is after an IPv6 header otherwise. */
static void test_build(void)
{
	static uint8_t whole[200], part[200];
	struct ibw_build b;
	unsigned int op, cap;
	size_t n, want;

	for (op = 0; op < 256; op++) {
		check_case("build opcode 0x%02x", op);
		memset(&b, 0, sizeof(b));
		b.bth.pkey = 0x8001;
		b.bth.dqpn = 0x444444;
		b.bth.psn = 0x555555;
		b.deth = (struct ibw_deth){ 0x11223344, 0x556677 };
		b.rdeth.een = 0x222222;
		b.xrceth.xrcsrq = 0x333333;
		b.feth = (struct ibw_feth){ 1, 2 };
		b.reth = (struct ibw_reth){ 0x0102030405060708, 0x090a0b0c, 0x0d0e0f10 };
		b.atomiceth = (struct ibw_atomiceth){ 0x1112131415161718, 1, 2, 3 };
		b.aeth = (struct ibw_aeth){ 0x60, 0x777777 };
		b.atomicacketh.orig = 0x2122232425262728;
		b.immdt.data = 0x31323334;
		b.ieth.rkey = 0x41424344;
		b.kind = IBW_ICRC_ROCE_V2_IPV6;
		b.has_eth = b.has_ipoib = false;
		b.n_vlans = 0;
		b.bth.opcode = (uint8_t)op;
		b.payload_len = ibw_opcode_chain(b.bth.opcode) >> 16 & IBW_OPF_PAYLOAD ? 256 : 0;
		want = ibw_build_headers(whole, sizeof(whole), &b);
		n = ibw_build_transport(part, sizeof(part), &b);
		CHECK_EQ(n, want ? want - 48 : 0);
		if (!n)
			continue;
		CHECK_MEM(part, whole + 48, n);
		CHECK_EQ(ibw_transport_view(&t, part, n), IBW_TRANSPORT_OK);
		CHECK(t.payload == part + n);
		for (cap = 0; cap < n; cap++) {
			memset(part, 0x77, sizeof(part));
			CHECK_EQ(ibw_build_transport(part, cap, &b), n);
			CHECK_EQ(part[0], 0x77);
		}
		b.bth.dqpn = 0x1000000;
		CHECK_EQ(ibw_build_transport(part, sizeof(part), &b), 0);
		b.bth.dqpn = 2;
		b.payload_len = 4097;
		CHECK_EQ(ibw_build_transport(part, sizeof(part), &b), 0);
	}
}

int main(void)
{
	fact_rows("tests/facts/opcodes.csv", 9, use_row);
	check_case("facts");
	CHECK(compared_headers > 140 && compared_bytes > 130);
	test_lengths();
	test_build();
	return check_end();
}
