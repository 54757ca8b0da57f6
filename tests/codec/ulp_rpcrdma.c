/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_rpcrdma.c - RPC over RDMA: lists of chunks, calls and replies; which headers are found where, what is wrong with those
 * that are; the operations of a COMPOUND, one by one; names.
 */
#include "check.h"
#include "ulp_check.h"

static uint32_t at;

/* A header of @type. */
static void begin(uint32_t type)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ibw_put_be32(ulp_bytes, 0x1234);
	ibw_put_be32(ulp_bytes + 4, 1);
	ibw_put_be32(ulp_bytes + 8, 32);
	ibw_put_be32(ulp_bytes + 12, type);
	at = 16;
}

static void word(uint32_t v)
{
	ibw_put_be32(ulp_bytes + at, v);
	at += 4;
}

static void no_chunks(void)
{
	word(0);
	word(0);
	word(0);
}

/* A credential or verifier of @n bytes. */
static void auth(uint32_t n)
{
	word(1);
	word(n);
	at += (n + 3) & ~3u;
}

static void call(void)
{
	word(0x1234);
	word(0);
	word(2);
	word(100003);
	word(4);
	word(1);
}

static void check_calls(void)
{
	begin(0);
	no_chunks();
	call();
	auth(23);
	auth(0);
	ulp_is(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr 0 rpc_call 28 rpc_auth 52 rpc_auth 84");
	ulp_is(IBW_ULP_RPCRDMA, IBW_ULP_FROM_INITIATOR, at + 100,
	       "rpcrdma_hdr 0 rpc_call 28 rpc_auth 52 rpc_auth 84 data 92 100");
	ulp_cut(IBW_ULP_RPCRDMA, 0, at + 50, at + 100, "rpc_call", "data",
		"rpcrdma_hdr 0 rpc_call 28 rpc_auth 52 rpc_auth 84 data 92 100");
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 83, "rpc_auth", "body_len", 24, 23,
		  "rpcrdma_hdr 0 rpc_call 28 rpc_auth 52");
	ibw_put_be32(ulp_bytes + 56, 401);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 1000, "rpc_auth", "body_len", 400, 401,
		  "rpcrdma_hdr 0 rpc_call 28 rpc_auth 52");
	ibw_put_be32(ulp_bytes + 56, 400);
	ulp_is(IBW_ULP_RPCRDMA, 0, 468, "rpcrdma_hdr 0 rpc_call 28 rpc_auth 52 rpc_auth 460");
	ibw_put_be32(ulp_bytes + 32, 2);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 468, "rpc_call", "type", 0, 2, "rpcrdma_hdr 0");
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 35, "rpc_call", NULL, 8, 7, "rpcrdma_hdr 0");
}

static void reply(uint32_t stat)
{
	begin(0);
	no_chunks();
	word(0x1234);
	word(1);
	word(stat);
}

static void check_replies(void)
{
	reply(0);
	auth(0);
	word(0);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 4,
	       "rpcrdma_hdr 0 rpc_reply 28 rpc_auth 40 rpc_accepted 48 data 52 4");
	ibw_put_be32(ulp_bytes + 48, 2);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 8,
	       "rpcrdma_hdr 0 rpc_reply 28 rpc_auth 40 rpc_accepted 48 rpc_versions 52");
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at + 7, "rpc_versions", NULL, 8, 7,
		  "rpcrdma_hdr 0 rpc_reply 28 rpc_auth 40 rpc_accepted 48");
	reply(1);
	word(0);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 8,
	       "rpcrdma_hdr 0 rpc_reply 28 rpc_denied 40 rpc_versions 44");
	ibw_put_be32(ulp_bytes + 40, 1);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 4,
	       "rpcrdma_hdr 0 rpc_reply 28 rpc_denied 40 rpc_auth_error 44");
	ibw_put_be32(ulp_bytes + 40, 7);
	ulp_is(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr 0 rpc_reply 28 rpc_denied 40");
	reply(2);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at, "rpc_reply", "stat", 0, 2, "rpcrdma_hdr 0 rpc_reply 28");
}

static void read_entry(void)
{
	word(1);
	at += 20;
}

static void check_chunks(void)
{
	begin(1);
	read_entry();
	read_entry();
	word(0);
	word(1); /* a write chunk with two segments */
	word(2);
	at += 32;
	word(1); /* another one with none */
	word(0);
	word(0);
	word(1); /* a reply chunk */
	word(1);
	at += 16;
	ulp_is(IBW_ULP_RPCRDMA, 0, at,
	       "rpcrdma_hdr 0 rpcrdma_read 16 rpcrdma_read 40 rpcrdma_write 68 rpcrdma_segment 76 "
	       "rpcrdma_segment 92 rpcrdma_write 108 rpcrdma_reply 120 rpcrdma_segment 128");
	ibw_put_be32(ulp_bytes + 124, 2);
	ulp_wrong(
		IBW_ULP_RPCRDMA, 0, at, "rpcrdma_reply", "count", 1, 2,
		"rpcrdma_hdr 0 rpcrdma_read 16 rpcrdma_read 40 rpcrdma_write 68 rpcrdma_segment 76 "
		"rpcrdma_segment 92 rpcrdma_write 108 rpcrdma_reply 120");
	ibw_put_be32(ulp_bytes + 72, UINT32_MAX);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_write", "count", 4, UINT32_MAX,
		  "rpcrdma_hdr 0 rpcrdma_read 16 rpcrdma_read 40 rpcrdma_write 68");
	ulp_cut(IBW_ULP_RPCRDMA, 0, 70, at, "rpcrdma_write", NULL,
		"rpcrdma_hdr 0 rpcrdma_read 16 rpcrdma_read 40");
	ibw_put_be32(ulp_bytes + 40, 2);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_read", "present", 1, 2,
		  "rpcrdma_hdr 0 rpcrdma_read 16");
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 42, "rpcrdma_read", NULL, 4, 2,
		  "rpcrdma_hdr 0 rpcrdma_read 16");
}

static void check_types(void)
{
	begin(1);
	no_chunks();
	ulp_is(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr 0");
	begin(4);
	word(1);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 8, "rpcrdma_hdr 0 rpcrdma_error 16 rpcrdma_versions 20");
	begin(4);
	word(2);
	ulp_is(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr 0 rpcrdma_error 16");
	begin(2);
	ulp_is(IBW_ULP_RPCRDMA, 0, at + 5, "rpcrdma_hdr 0 data 16 5");
	begin(3);
	ulp_is(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr 0");
	begin(5);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr", "type", 0, 5, "rpcrdma_hdr 0");
	ibw_put_be32(ulp_bytes + 4, 2);
	ulp_wrong(IBW_ULP_RPCRDMA, 0, at, "rpcrdma_hdr", "vers", 1, 2, "rpcrdma_hdr 0");
	ulp_wrong(IBW_ULP_RPCRDMA, 0, 15, "rpcrdma_hdr", NULL, 16, 15, "");
}

/* Arguments of a COMPOUND of @n operations. */
static void compound(uint32_t n)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	at = 0;
	word(3); /* a tag and its pad */
	word(0x61626300);
	word(1);
	word(n);
}

static void ops_are(const char *want, bool reduced, bool known)
{
	struct ibw_nfs4_ops o;
	char got[200] = "";
	uint32_t op;
	size_t n = 0;

	CHECK(ibw_nfs4_ops_begin(&o, ulp_bytes, at, reduced));
	CHECK_EQ(o.minor, 1u);
	while (ibw_nfs4_next_op(&o, &op))
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", n ? " " : "",
				      ibw_nfs4_op_name(op) ? ibw_nfs4_op_name(op) : "?");
	CHECK_STR(got, want);
	CHECK_EQ(o.known, known);
}

/* Operations whose arguments have one size, with it. */
static const struct {
	uint32_t op, bytes;
} fixed[] = { { 3, 4 },   { 4, 20 },  { 5, 12 },  { 7, 8 },   { 8, 16 },  { 10, 0 },
	      { 16, 0 },  { 19, 4 },  { 20, 20 }, { 21, 28 }, { 23, 0 },  { 24, 0 },
	      { 25, 28 }, { 27, 0 },  { 30, 8 },  { 31, 0 },  { 32, 0 },  { 36, 16 },
	      { 41, 24 }, { 44, 16 }, { 45, 16 }, { 52, 4 },  { 53, 32 }, { 57, 8 },
	      { 58, 4 },  { 59, 32 }, { 62, 32 }, { 68, 28 }, { 69, 28 } };

static void check_fixed(void)
{
	struct ibw_nfs4_ops o;
	uint32_t op;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		check_case("operation %u", fixed[i].op);
		compound(2);
		word(fixed[i].op);
		at += fixed[i].bytes;
		word(10);
		CHECK(ibw_nfs4_ops_begin(&o, ulp_bytes, at, false));
		CHECK(ibw_nfs4_next_op(&o, &op) && op == fixed[i].op);
		CHECK(ibw_nfs4_next_op(&o, &op) && op == 10);
		CHECK(!ibw_nfs4_next_op(&o, &op) && o.known && o.at == o.n);
		if (!fixed[i].bytes)
			continue;
		/* One byte too few. */
		CHECK(ibw_nfs4_ops_begin(&o, ulp_bytes, at - 5, false));
		CHECK(ibw_nfs4_next_op(&o, &op) && op == fixed[i].op);
		CHECK(!ibw_nfs4_next_op(&o, &op) && !o.known);
	}
	check_case("%s", "");
}

static void check_compounds(void)
{
	compound(4);
	word(53);
	at += 32;
	word(22);
	word(5);
	at += 8;
	word(9);
	word(2);
	at += 8;
	word(10);
	ops_are("SEQUENCE PUTFH GETATTR GETFH", false, true);
	compound(3);
	word(38);
	at += 28;
	word(4096);
	word(9);
	word(0);
	word(10);
	ops_are("WRITE GETATTR GETFH", true, true);
	ops_are("WRITE", false, false);
	compound(3);
	word(29);
	word(1);
	word(0);
	word(4);
	word(0);
	word(34);
	at += 16;
	word(1);
	word(0);
	word(8);
	at += 8;
	word(26);
	at += 24;
	word(1);
	word(0);
	ops_are("RENAME SETATTR READDIR", false, true);
	compound(3);
	word(55);
	word(2);
	at += 32;
	word(37);
	word(0);
	word(0);
	word(18); /* OPEN: not stepped over */
	at += 100;
	ops_are("TEST_STATEID VERIFY OPEN", false, false);
	/* More are said than there are. */
	compound(UINT32_MAX);
	word(24);
	word(10);
	ops_are("PUTROOTFH GETFH", false, false);
	compound(2);
	word(22);
	word(UINT32_MAX);
	at += 8;
	ops_are("PUTFH", false, false);
	compound(2);
	word(9);
	word(0x40000001);
	at += 8;
	ops_are("GETATTR", false, false);
}

static void check_names(void)
{
	struct ibw_nfs4_ops o;

	CHECK(!ibw_nfs4_ops_begin(&o, ulp_bytes, 3, false));
	CHECK_STR(ibw_rpc_program_name(100003), "NFS");
	CHECK(!ibw_rpc_program_name(1));
	CHECK_STR(ibw_rpc_proc_name(100003, 3, 7), "WRITE");
	CHECK_STR(ibw_rpc_proc_name(100003, 4, 1), "COMPOUND");
	CHECK(!ibw_rpc_proc_name(100003, 4, 7));
	CHECK(!ibw_rpc_proc_name(100003, 2, 1));
	CHECK(!ibw_rpc_proc_name(100005, 3, 1));
	CHECK(!ibw_nfs4_op_name(2));
	CHECK_STR(ibw_nfs_status_name(0), "OK");
	CHECK_STR(ibw_nfs_status_name(2), "NOENT");
	CHECK_STR(ibw_nfs_status_name(10063), "SEQ_MISORDERED");
	CHECK(!ibw_nfs_status_name(3));
}

int main(void)
{
	check_calls();
	check_replies();
	check_chunks();
	check_types();
	check_fixed();
	check_compounds();
	check_names();
	return check_end();
}
