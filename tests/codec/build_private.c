/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_private.c - what consumers of the CM say: the private data that Linux's nvme, iser, srp, rds and
 * rpcrdma sent in pcaps/ulp, and bytes made by hand at the places of two sources (tests/facts) of what is in
 * no capture. Each is read, as the values written here, and written again, byte for byte; what is too
 * short, of another consumer or too wide for its field is refused.
 */
#include "check.h"
#include "pcap_file.h"
#include "words.h"

#include <ibwire/build_private.h>
#include <ibwire/ibwire.h>

/* In the frames: Ethernet, IPv4, UDP, BTH and DETH are in front of the MAD. */
#define MAD_AT 62
#define ROOM 256

static char said[400];

#define SAY(...) snprintf(said, sizeof(said), __VA_ARGS__)

/* 16 bytes as digits. */
static const char *digits(const uint8_t *p)
{
	static char text[4][33];
	static unsigned int next;
	char *to = text[next++ % 4];
	unsigned int i;

	for (i = 0; i < 16; i++)
		snprintf(to + 2 * (size_t)i, 3, "%02x", p[i]);
	return to;
}

/* What was taken last, to be put again. */
static struct {
	struct ibw_nvme_connect nvme;
	struct ibw_iser_cm iser;
	struct ibw_srp_login_req srp_req;
	struct ibw_srp_login_rsp srp_rsp;
	struct ibw_srp_login_rej srp_rej;
	struct ibw_sdp_hello hello;
	struct ibw_sdp_hello_ack ack;
	struct ibw_rds_cm rds;
	struct ibw_rds_cm6 rds6;
	struct ibw_rpcrdma rpc;
	struct ibw_ipoib_cm ipoib;
	uint16_t number;
} got;

static bool take_nvme_req(const uint8_t *p, size_t n)
{
	bool ok = ibw_nvme_take_req(&got.nvme, p, n);

	SAY("qid %u hrqsize %u hsqsize %u cntlid %u", got.nvme.qid, got.nvme.hrqsize,
	    got.nvme.hsqsize, got.nvme.cntlid);
	return ok;
}

static uint32_t put_nvme_req(uint8_t *p, size_t cap)
{
	return ibw_nvme_put_req(p, cap, &got.nvme);
}

static bool take_nvme_rep(const uint8_t *p, size_t n)
{
	bool ok = ibw_nvme_take_rep(&got.number, p, n);

	SAY("crqsize %u", got.number);
	return ok;
}

static uint32_t put_nvme_rep(uint8_t *p, size_t cap)
{
	return ibw_nvme_put_rep(p, cap, got.number);
}

static bool take_nvme_rej(const uint8_t *p, size_t n)
{
	bool ok = ibw_nvme_take_rej(&got.number, p, n);

	SAY("status %u", got.number);
	return ok;
}

static uint32_t put_nvme_rej(uint8_t *p, size_t cap)
{
	return ibw_nvme_put_rej(p, cap, got.number);
}

static bool take_iser(const uint8_t *p, size_t n)
{
	bool ok = ibw_iser_take(&got.iser, p, n);

	SAY("no_zbva %u no_send_inv %u", got.iser.no_zbva, got.iser.no_send_inv);
	return ok;
}

static uint32_t put_iser(uint8_t *p, size_t cap)
{
	return ibw_iser_put(p, cap, &got.iser);
}

static bool say_srp_req(bool ok)
{
	const struct ibw_srp_login_req *r = &got.srp_req;

	SAY("tag %" PRIu64 " iu %u fmt %u flags %u imm %u %s %s", r->tag, r->req_it_iu_len,
	    r->req_buf_fmt, r->req_flags, r->imm_data_offset, digits(r->initiator_port_id),
	    digits(r->target_port_id));
	return ok;
}

static bool take_srp_req(const uint8_t *p, size_t n)
{
	return say_srp_req(ibw_srp_take_req(&got.srp_req, p, n, false));
}

static uint32_t put_srp_req(uint8_t *p, size_t cap)
{
	got.srp_req.opcode = 0x5a; /* is not read */
	return ibw_srp_put_req(p, cap, &got.srp_req, false);
}

static bool take_srp_req_cma(const uint8_t *p, size_t n)
{
	return say_srp_req(ibw_srp_take_req(&got.srp_req, p, n, true));
}

static uint32_t put_srp_req_cma(uint8_t *p, size_t cap)
{
	got.srp_req.opcode = 0x5a;
	return ibw_srp_put_req(p, cap, &got.srp_req, true);
}

static bool take_srp_rsp(const uint8_t *p, size_t n)
{
	const struct ibw_srp_login_rsp *r = &got.srp_rsp;
	bool ok = ibw_srp_take_rsp(&got.srp_rsp, p, n);

	SAY("delta %u tag %" PRIu64 " iu %u %u fmt %u flags %u", r->req_lim_delta, r->tag,
	    r->max_it_iu_len, r->max_ti_iu_len, r->buf_fmt, r->rsp_flags);
	return ok;
}

static uint32_t put_srp_rsp(uint8_t *p, size_t cap)
{
	got.srp_rsp.opcode = 0x5a;
	return ibw_srp_put_rsp(p, cap, &got.srp_rsp);
}

static bool take_srp_rej(const uint8_t *p, size_t n)
{
	bool ok = ibw_srp_take_rej(&got.srp_rej, p, n);

	SAY("reason 0x%08x tag %" PRIu64 " fmt %u", got.srp_rej.reason, got.srp_rej.tag,
	    got.srp_rej.buf_fmt);
	return ok;
}

static uint32_t put_srp_rej(uint8_t *p, size_t cap)
{
	got.srp_rej.opcode = 0x5a;
	return ibw_srp_put_rej(p, cap, &got.srp_rej);
}

static bool take_hello(const uint8_t *p, size_t n)
{
	const struct ibw_sdp_hello *h = &got.hello;
	bool ok = ibw_sdp_take_hello(&got.hello, &got.number, p, n);

	SAY("bufs %u version %u.%u ip %u cap %u adverts %u sizes %u %u port %u %s %s", got.number,
	    h->major, h->minor, h->ip_version, h->cap, h->max_adverts, h->des_rem_rcv_sz,
	    h->local_rcv_sz, h->src_port, digits(h->src), digits(h->dst));
	return ok;
}

static uint32_t put_hello(uint8_t *p, size_t cap)
{
	return ibw_sdp_put_hello(p, cap, got.number, &got.hello);
}

static bool take_hello_ack(const uint8_t *p, size_t n)
{
	const struct ibw_sdp_hello_ack *h = &got.ack;
	bool ok = ibw_sdp_take_hello_ack(&got.ack, &got.number, p, n);

	SAY("bufs %u version %u.%u ip %u cap %u adverts %u size %u", got.number, h->major, h->minor,
	    h->ip_version, h->cap, h->max_adverts, h->act_rcv_sz);
	return ok;
}

static uint32_t put_hello_ack(uint8_t *p, size_t cap)
{
	return ibw_sdp_put_hello_ack(p, cap, got.number, &got.ack);
}

static bool take_rds(const uint8_t *p, size_t n)
{
	const struct ibw_rds_cm *r = &got.rds;
	bool ok = ibw_rds_take(&got.rds, p, n);

	SAY("%08x %08x %u.%u mask %u tos %u frag %u seq %" PRIu64 " credit %u", r->src, r->dst,
	    r->major, r->minor, r->minor_mask, r->tos, r->frag_sz, r->ack_seq, r->credit);
	return ok;
}

static uint32_t put_rds(uint8_t *p, size_t cap)
{
	return ibw_rds_put(p, cap, &got.rds);
}

static bool take_rds6(const uint8_t *p, size_t n)
{
	const struct ibw_rds_cm6 *r = &got.rds6;
	bool ok = ibw_rds_take6(&got.rds6, p, n);

	SAY("%s %s %u.%u mask %u seq %" PRIu64 " credit %u", digits(r->src), digits(r->dst),
	    r->major, r->minor, r->minor_mask, r->ack_seq, r->credit);
	return ok;
}

static uint32_t put_rds6(uint8_t *p, size_t cap)
{
	return ibw_rds_put6(p, cap, &got.rds6);
}

static bool take_rpc(const uint8_t *p, size_t n)
{
	bool ok = ibw_rpcrdma_take(&got.rpc, p, n);

	SAY("send %u recv %u inv %u", got.rpc.send_size, got.rpc.recv_size, got.rpc.inv_ok);
	return ok;
}

static uint32_t put_rpc(uint8_t *p, size_t cap)
{
	return ibw_rpcrdma_put(p, cap, &got.rpc);
}

static bool take_ipoib(const uint8_t *p, size_t n)
{
	bool ok = ibw_ipoib_cm_take(&got.ipoib, p, n);

	SAY("qpn 0x%06x mtu %u", got.ipoib.qpn, got.ipoib.mtu);
	return ok;
}

static uint32_t put_ipoib(uint8_t *p, size_t cap)
{
	return ibw_ipoib_cm_put(p, cap, &got.ipoib);
}

/* A message of a consumer: its bytes, those after it 0, and what they say. */
static const struct row {
	bool (*take)(const uint8_t *p, size_t n);
	uint32_t (*put)(uint8_t *p, size_t cap);
	uint32_t bytes;        /* that are needed */
	uint32_t all;          /* that are written */
	const char *hex;       /* from here on 0 */
	const char *says;      /* so read from the source's places */
	const char *file;      /* in pcaps/ulp; NULL: made by hand */
	uint32_t frame, at, n; /* of the MAD, where it is and how much the consumer has */
	bool ones;             /* all bytes 0xff say something, too */
} rows[] = {
	{ take_nvme_req, put_nvme_req, 32, 32, "0000000020001f00",
	  "qid 0 hrqsize 32 hsqsize 31 cntlid 0", "01-nvme.pcap", 1, 200, 56, false },
	{ take_nvme_req, put_nvme_req, 32, 32, "0000010080007f00",
	  "qid 1 hrqsize 128 hsqsize 127 cntlid 0", "01-nvme.pcap", 145, 200, 56, false },
	/* linux-6.12 and spdk have cntlid there, little endian */
	{ take_nvme_req, put_nvme_req, 32, 32, "00000100810080000201",
	  "qid 1 hrqsize 129 hsqsize 128 cntlid 258", NULL, 0, 0, 0, false },
	{ take_nvme_rep, put_nvme_rep, 32, 32, "00002000", "crqsize 32", "01-nvme.pcap", 2, 60, 196,
	  false },
	{ take_nvme_rep, put_nvme_rep, 32, 32, "00000102", "crqsize 513", NULL, 0, 0, 0, false },
	{ take_nvme_rej, put_nvme_rej, 4, 4, "00000301", "status 259", NULL, 0, 0, 0, false },
	{ take_iser, put_iser, 4, 4, "80", "no_zbva 1 no_send_inv 0", "02-iser.pcap", 1, 200, 56,
	  true },
	{ take_iser, put_iser, 4, 4, "80", "no_zbva 1 no_send_inv 0", "02-iser.pcap", 2, 60, 196,
	  true },
	{ take_iser, put_iser, 4, 4, "40", "no_zbva 0 no_send_inv 1", NULL, 0, 0, 0, true },
	{ take_srp_req_cma, put_srp_req_cma, 56, 56,
	  "000000000000000000068000000020440000000000000000505400fffe000701505400fffe000702"
	  "505400fffe0007020044",
	  "tag 0 iu 8260 fmt 6 flags 128 imm 68 0000000000000000505400fffe000701 "
	  "505400fffe000702505400fffe000702",
	  "03-srp.pcap", 3, 200, 56, false },
	/* linux-6.12 and ipxe; imm_data_offset of linux alone */
	{ take_srp_req, put_srp_req, 64, 64,
	  "0000000000000000000000000000000900002044000000000006010000440000"
	  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	  "tag 9 iu 8260 fmt 6 flags 1 imm 68 000102030405060708090a0b0c0d0e0f "
	  "101112131415161718191a1b1c1d1e1f",
	  NULL, 0, 0, 0, false },
	{ take_srp_rsp, put_srp_rsp, 52, 52,
	  "c00000000000008000000000000000000000205400002044000680",
	  "delta 128 tag 0 iu 8276 8260 fmt 6 flags 128", "03-srp.pcap", 4, 60, 196, false },
	{ take_srp_rej, put_srp_rej, 32, 32, "c200000000010001000000000000000000000000000000000006",
	  "reason 0x00010001 tag 0 fmt 6", "03b-srp-login-rejected.pcap", 2, 108, 148, false },
	/* as tests/data/vectors.txt has it from tshark, with the length that OFED and OpenIB write */
	{ take_hello, put_hello, 64, 92,
	  "000000400000005c00000000000000002240000100008010000080109c400000"
	  "000000000000000000000000c0000201000000000000000000000000c0000202",
	  "bufs 64 version 2.2 ip 4 cap 0 adverts 1 sizes 32784 32784 port 40000 "
	  "000000000000000000000000c0000201 000000000000000000000000c0000202",
	  NULL, 0, 0, 0, false },
	/* ofed and openib */
	{ take_hello_ack, put_hello_ack, 24, 196,
	  "01000041000000c40000000000000000224000020000c350",
	  "bufs 65 version 2.2 ip 4 cap 0 adverts 2 size 50000", NULL, 0, 0, 0, false },
	{ take_rds, put_rds, 28, 28, "0a0700010a07000203010003",
	  "0a070001 0a070002 3.1 mask 3 tos 0 frag 0 seq 0 credit 0", "04-rds.pcap", 1, 200, 56,
	  true },
	{ take_rds, put_rds, 28, 28, "0a0700020a07000103010003",
	  "0a070002 0a070001 3.1 mask 3 tos 0 frag 0 seq 0 credit 0", "04-rds.pcap", 2, 60, 196,
	  true },
	/* linux-6.12 and linux-uek alone */
	{ take_rds, put_rds, 28, 28, "c0000201c00002020401000307001000000000000000012300000040",
	  "c0000201 c0000202 4.1 mask 3 tos 7 frag 4096 seq 291 credit 64", NULL, 0, 0, 0, true },
	{ take_rds6, put_rds6, 52, 52,
	  "fd070000000000000000000000000001fd0700000000000000000000000000020401000300000000"
	  "000000000000012300000040",
	  "fd070000000000000000000000000001 fd070000000000000000000000000002 4.1 mask 3 seq 291 "
	  "credit 64",
	  NULL, 0, 0, 0, true },
	{ take_rpc, put_rpc, 8, 8, "f6ab0e1801010303", "send 4096 recv 4096 inv 1", "05-nfs40.pcap",
	  3, 200, 56, false },
	{ take_rpc, put_rpc, 8, 8, "f6ab0e1801000303", "send 4096 recv 4096 inv 0", "05-nfs40.pcap",
	  4, 60, 196, false },
	/* the ends of RFC 8797, 4.1 */
	{ take_rpc, put_rpc, 8, 8, "f6ab0e18010000ff", "send 1024 recv 262144 inv 0", NULL, 0, 0, 0,
	  false },
	/* linux-6.12 and RFC 4755 */
	{ take_ipoib, put_ipoib, 8, 8, "00f101170000ffc4", "qpn 0xf10117 mtu 65476", NULL, 0, 0, 0,
	  true },
};

/* The frame of a row, whose MAD is copied to @mad. */
static bool frame_of(uint8_t mad[256], const char *file, uint32_t frame)
{
	struct pcap_file f;
	bool ok = false;

	pcap_file_open(&f, "pcaps/ulp", file);
	while (!ok && pcap_file_next(&f))
		ok = f.number == frame && CHECK(f.caplen >= MAD_AT + 256);
	if (ok)
		memcpy(mad, f.frame + MAD_AT, 256);
	pcap_file_close(&f);
	return CHECK(ok);
}

/* Where the consumer's bytes are in the captured message, and which. */
static void test_captured(const struct row *r, const uint8_t want[ROOM])
{
	uint8_t mad[256];
	uint32_t n;

	if (!r->file || !frame_of(mad, r->file, r->frame))
		return;
	CHECK_EQ(ibw_cm_consumer((const struct ibw_cm_mad *)mad, &n), r->at);
	CHECK_EQ(n, r->n);
	CHECK_MEM(mad + r->at, want, r->n);
}

static void test_row(const struct row *r)
{
	uint8_t want[ROOM] = { 0 }, wire[ROOM], full[ROOM], kept[ROOM];
	const char *hex = r->hex;
	uint32_t i;

	CHECK_EQ(bytes_take(&hex, want, sizeof(want)), strlen(r->hex) / 2);
	test_captured(r, want);
	memset(full, 0xff, sizeof(full));
	CHECK_EQ(r->take(full, ROOM), r->ones);
	if (CHECK(r->take(want, r->bytes)))
		CHECK_STR(said, r->says);
	for (i = 0; i < r->bytes; i++) {
		CHECK(!r->take(want, i));
		CHECK_STR(said, r->says);
	}
	memset(kept, 0xa5, sizeof(kept));
	memcpy(wire, kept, sizeof(wire));
	CHECK_EQ(r->put(wire, r->all - 1), 0);
	CHECK_MEM(wire, kept, sizeof(wire));
	CHECK_EQ(r->put(wire, r->all), r->all);
	CHECK_MEM(wire, want, r->all);
	CHECK_MEM(wire + r->all, kept + r->all, sizeof(wire) - r->all);
}

/* No bit of a header of another consumer makes it one of this. */
static void test_others(void)
{
	static const struct {
		const struct row *row;
		uint32_t byte;
		uint8_t value;
	} spoiled[] = {
		{ &rows[0], 0, 1 },     { &rows[0], 1, 1 },     { &rows[3], 1, 2 },
		{ &rows[5], 0, 1 },     { &rows[9], 11, 1 },    { &rows[10], 0, 0xc0 },
		{ &rows[11], 0, 0xc2 }, { &rows[12], 0, 0xc0 }, { &rows[13], 0, 1 },
		{ &rows[14], 0, 0 },    { &rows[15], 8, 0 },    { &rows[18], 32, 0 },
		{ &rows[19], 0, 0xf7 }, { &rows[19], 3, 0x19 }, { &rows[19], 4, 2 },
	};
	uint8_t wire[ROOM];
	const char *hex;
	size_t i;

	for (i = 0; i < sizeof(spoiled) / sizeof(spoiled[0]); i++) {
		check_case("row %d, byte %u", (int)(spoiled[i].row - rows), spoiled[i].byte);
		memset(wire, 0, sizeof(wire));
		hex = spoiled[i].row->hex;
		bytes_take(&hex, wire, sizeof(wire));
		CHECK(spoiled[i].row->take(wire, ROOM));
		wire[spoiled[i].byte] = spoiled[i].value;
		CHECK(!spoiled[i].row->take(wire, ROOM));
	}
}

/* What does not fit its field. */
static void test_too_wide(void)
{
	struct ibw_ipoib_cm ipoib = { .qpn = 0x1000000 };
	struct ibw_iser_cm iser = { .no_zbva = 2 };
	struct ibw_sdp_hello hello = { .major = 16 };
	struct ibw_sdp_hello_ack ack = { .cap = 16 };
	struct ibw_rpcrdma rpc = { .send_size = 1024, .recv_size = 1024 };
	uint8_t wire[ROOM];
	uint32_t size;

	check_case("too wide");
	CHECK_EQ(ibw_ipoib_cm_put(wire, ROOM, &ipoib), 0);
	CHECK_EQ(ibw_iser_put(wire, ROOM, &iser), 0);
	iser = (struct ibw_iser_cm){ .no_send_inv = 2 };
	CHECK_EQ(ibw_iser_put(wire, ROOM, &iser), 0);
	CHECK_EQ(ibw_sdp_put_hello(wire, ROOM, 1, &hello), 0);
	hello = (struct ibw_sdp_hello){ .minor = 16 };
	CHECK_EQ(ibw_sdp_put_hello(wire, ROOM, 1, &hello), 0);
	hello = (struct ibw_sdp_hello){ .ip_version = 16 };
	CHECK_EQ(ibw_sdp_put_hello(wire, ROOM, 1, &hello), 0);
	hello = (struct ibw_sdp_hello){ .cap = 16 };
	CHECK_EQ(ibw_sdp_put_hello(wire, ROOM, 1, &hello), 0);
	CHECK_EQ(ibw_sdp_put_hello_ack(wire, ROOM, 1, &ack), 0);
	ack = (struct ibw_sdp_hello_ack){ .ip_version = 16 };
	CHECK_EQ(ibw_sdp_put_hello_ack(wire, ROOM, 1, &ack), 0);
	ack = (struct ibw_sdp_hello_ack){ .major = 16 };
	CHECK_EQ(ibw_sdp_put_hello_ack(wire, ROOM, 1, &ack), 0);
	ack = (struct ibw_sdp_hello_ack){ .minor = 16 };
	CHECK_EQ(ibw_sdp_put_hello_ack(wire, ROOM, 1, &ack), 0);
	for (size = 0; size <= 300000; size += 256) {
		bool fits = size >= 1024 && size <= 262144 && size % 1024 == 0;

		rpc.send_size = size;
		CHECK_EQ(ibw_rpcrdma_put(wire, ROOM, &rpc), fits ? 8 : 0);
		rpc.send_size = 1024;
		rpc.recv_size = size;
		CHECK_EQ(ibw_rpcrdma_put(wire, ROOM, &rpc), fits ? 8 : 0);
		rpc.recv_size = 1024;
	}
}

/* SMB Direct says nothing; and where the consumer's bytes are by the service. */
static void test_places(void)
{
	struct ibw_cm_conn c = { .tid = 1 };
	struct ibw_cm_req req = { .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 4420) };
	uint8_t mad[256], none[ROOM] = { 0 };
	struct ibw_cm_mad *m;
	uint32_t n, at;

	check_case("SMB Direct");
	if (frame_of(mad, "08-smb-direct.pcap", 3)) {
		at = ibw_cm_consumer((const struct ibw_cm_mad *)mad, &n);
		CHECK(at == 200 && n == 56);
		CHECK_MEM(mad + at, none, n);
	}
	check_case("places");
	m = ibw_cm_build_req(mad, sizeof(mad), &c, &req);
	if (!CHECK(m != NULL))
		return;
	CHECK_EQ(ibw_cm_consumer(m, &n), 164); /* no RDMA CM header yet */
	CHECK_EQ(n, 92);
	ibw_cma_put_ipv4(ibw_cm_req_private(m), 1, 2, 3);
	CHECK_EQ(ibw_cm_consumer(m, &n), 200);
	CHECK_EQ(n, 56);
	ibw_cm_req_set_service_id((struct ibw_cm_req_wire *)m->data,
				  ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 4420));
	CHECK_EQ(ibw_cm_consumer(m, &n), 164);
	ibw_cm_req_set_service_id((struct ibw_cm_req_wire *)m->data, 0x0002c90300001234);
	CHECK_EQ(ibw_cm_consumer(m, &n), 164);
	m = ibw_cm_build_rtu(mad, sizeof(mad), &c);
	CHECK_EQ(ibw_cm_consumer(m, &n), 0);
	CHECK_EQ(n, 0);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_case("row %zu: %s", i, rows[i].says);
		test_row(&rows[i]);
	}
	test_others();
	test_too_wide();
	test_places();
	return check_end();
}
