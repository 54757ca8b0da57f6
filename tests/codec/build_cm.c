/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_cm.c - the exchanges that Linux's rdma_cm had in pcaps/rxe: each message is built from what
 * the ones before it said, and is the captured one, byte for byte; messages of others are not taken.
 */
#include <string.h>

#include "check.h"
#include "pcap_file.h"

#include <ibwire/build_cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#define CONNS 256

/* A connection as both ends know it. */
static struct pair {
	bool used;
	struct ibw_cm_conn active, passive;
} pairs[CONNS];
static unsigned int n_pairs, n_of[0x17];

static uint8_t made[256];

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

/* The same up to the private data of @bytes. */
static void is_made(const struct ibw_cm_mad *m, const uint8_t *mad, size_t bytes)
{
	if (CHECK(m != NULL))
		CHECK_MEM(made, mad, 24 + bytes);
	n_of[mad[17]]++;
}

/* The connection whose active end has the id @id, if @is_active, or whose passive end has it. */
static struct pair *pair_of(uint32_t id, bool is_active)
{
	unsigned int i;

	for (i = n_pairs; i-- > 0;)
		if ((is_active ? pairs[i].active : pairs[i].passive).local.comm_id == id)
			return &pairs[i];
	return NULL;
}

/* A REQ as captured, from the ids in it and the rest; numbers at the places of cm_msgs.h. */
static void take_req(const uint8_t *mad)
{
	struct pair *p = &pairs[n_pairs];
	struct ibw_cm_req req;

	if (pair_of(be32(mad + 24), true) || !CHECK(n_pairs < CONNS))
		return; /* sent again */
	n_pairs++;
	memset(p, 0, sizeof(*p));
	p->active.tid = be64(mad + 8);
	p->active.local.comm_id = be32(mad + 24);
	p->active.local.qpn = be32(mad + 56) >> 8;
	p->active.local.psn = be32(mad + 68) >> 8;
	ibw_cm_req_unpack(&req, (const struct ibw_cm_req_wire *)(mad + 24));
	req.local_comm_id = req.local_qpn = req.starting_psn = 0x123456;
	is_made(ibw_cm_build_req(made, 256, &p->active, &req), mad, 140);
	made[1] = 4; /* of another class */
	CHECK(!ibw_cm_take_req(&p->passive, made, 256));
	CHECK(!ibw_cm_take_req(&p->passive, mad, 255));
	CHECK(!ibw_cm_take_rep(&p->passive, mad, 256));
	CHECK(ibw_cm_take_req(&p->passive, mad, 256));
	CHECK_MEM(&p->passive.remote, &p->active.local, sizeof(p->active.local));
}

/* A REP: the passive end's own ids are new, the rest follows from the REQ. */
static void take_rep(const uint8_t *mad)
{
	struct pair *p = pair_of(be32(mad + 28), true);
	struct ibw_cm_conn other;
	struct ibw_cm_rep rep;

	if (!p)
		return;
	p->passive.local.comm_id = be32(mad + 24);
	p->passive.local.qpn = be32(mad + 36) >> 8;
	p->passive.local.psn = be32(mad + 44) >> 8;
	ibw_cm_rep_unpack(&rep, (const struct ibw_cm_rep_wire *)(mad + 24));
	rep.local_comm_id = rep.remote_comm_id = rep.local_qpn = rep.starting_psn = 0x654321;
	is_made(ibw_cm_build_rep(made, 256, &p->passive, &rep), mad, 36);
	other = p->active;
	other.local.comm_id++;
	CHECK(!ibw_cm_take_rep(&other, mad, 256));
	CHECK(ibw_cm_take_rep(&p->active, mad, 256));
	CHECK_MEM(&p->active.remote, &p->passive.local, sizeof(p->active.remote));
}

/* RTU, DREQ, DREP: nothing but the transaction id of a DREQ is new. */
static void take_rest(const uint8_t *mad)
{
	struct pair *p = pair_of(be32(mad + 24), true);
	struct ibw_cm_conn *from, *to, other;
	bool active = p && p->active.remote.comm_id == be32(mad + 28);

	if (!active)
		p = pair_of(be32(mad + 24), false);
	if (!p || p->passive.local.comm_id == 0)
		return;
	from = active ? &p->active : &p->passive;
	to = active ? &p->passive : &p->active;
	if (mad[17] == 0x14) {
		is_made(ibw_cm_build_rtu(made, 256, from), mad, 8);
	} else if (mad[17] == 0x15) {
		is_made(ibw_cm_build_dreq(made, 256, from, be64(mad + 8)), mad, 12);
		CHECK_EQ(from->end_tid, be64(mad + 8));
		other = *to;
		other.local.qpn++;
		CHECK(!ibw_cm_take_dreq(&other, mad, 256));
		other = *to;
		other.local.comm_id++;
		CHECK(!ibw_cm_take_dreq(&other, mad, 256));
		other = *to;
		other.remote.comm_id++;
		CHECK(!ibw_cm_take_dreq(&other, mad, 256));
		CHECK(!ibw_cm_take_dreq(to, mad, 255));
		CHECK(ibw_cm_take_dreq(to, mad, 256));
	} else if (mad[17] == 0x16) {
		is_made(ibw_cm_build_drep(made, 256, from), mad, 8);
	}
}

/* What was refused, as Linux did it. */
static void take_rej(const uint8_t *mad)
{
	struct pair *p = pair_of(be32(mad + 28), true);

	if (!p || p->passive.local.comm_id)
		return;
	p->passive.local.comm_id = be32(mad + 24);
	is_made(ibw_cm_build_rej(made, 256, &p->passive, mad[32] >> 6,
				 (uint16_t)(mad[34] << 8 | mad[35])),
		mad, 12);
	p->passive.local.comm_id = 0;
}

static void take(const uint8_t *mad)
{
	if (mad[1] != 7)
		return;
	switch (mad[17]) {
	case 0x10:
		take_req(mad);
		break;
	case 0x12:
		take_rej(mad);
		break;
	case 0x13:
		take_rep(mad);
		break;
	default:
		take_rest(mad);
		break;
	}
}

static void test_capture(const char *name)
{
	struct ibw_packet pkt;
	struct pcap_file f;

	n_pairs = 0;
	pcap_file_open(&f, "pcaps", name);
	while (pcap_file_next(&f)) {
		check_case("%s:%u", name, f.number);
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth != IBW_NO_SPAN && pkt.payload_len == 256)
			take(f.frame + pkt.payload_off);
	}
	pcap_file_close(&f);
}

/* RDMA CM's header as it is in captured REQs: IP version, port and addresses. */
static void test_cma(void)
{
	static const uint8_t six_a[16] = { 0x20, 1, [15] = 1 },
			     six_b[16] = { 0xfe, 0x80, [15] = 2 };
	/* Linux 6.12 include/rdma/rdma_cm.h, struct cma_hdr: version, IP version, port, addresses */
	static const uint8_t four[36] = { 0, 0x40, 0x12,      0x34, [16] = 10, 1,
					  2, 3,    [32] = 10, 1,    2,         4 };
	uint8_t p[36], want[36] = { 0, 0x60, 0x43, 0x21 };
	uint32_t qpn;

	check_case("RDMA CM");
	memset(p, 0xff, sizeof(p));
	ibw_cma_put_ipv4(p, 0x0a010203, 0x0a010204, 0x1234);
	CHECK_MEM(p, four, 36);
	CHECK_EQ(ibw_cma_ip_version(p, 36), 4);
	CHECK_EQ(ibw_cma_ip_version(p, 35), 0);
	ibw_cma_put_ipv6(p, six_a, six_b, 0x4321);
	memcpy(want + 4, six_a, 16);
	memcpy(want + 20, six_b, 16);
	CHECK_MEM(p, want, 36);
	CHECK_EQ(ibw_cma_ip_version(p, 92), 6);
	p[1] = 0x50;
	CHECK_EQ(ibw_cma_ip_version(p, 92), 0);
	p[0] = 0x10;
	CHECK_EQ(ibw_cma_ip_version(p, 92), 0);
	p[1] = 0x60; /* the version alone */
	CHECK_EQ(ibw_cma_ip_version(p, 92), 0);
	CHECK_EQ(ibw_sid_ipoib_cm(0x1000002), ibw_sid_ipoib_cm(2));
	for (qpn = 0; qpn < 0x1000000; qpn += 65521) {
		struct ibw_sid sid = ibw_sid_split(ibw_sid_ipoib_cm(qpn));

		CHECK(sid.kind == IBW_SID_IPOIB_CM && sid.qpn == qpn);
	}
	for (qpn = 0; qpn < 0x10000; qpn += 251) {
		struct ibw_sid sid = ibw_sid_split(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, (uint16_t)qpn));

		CHECK(sid.kind == IBW_SID_RDMA_CM && sid.port == qpn);
		CHECK_EQ(sid.port_space, IBW_RDMA_PS_TCP);
	}
}

int main(void)
{
	test_capture("rxe/11-ucmatose-ok.pcap");
	test_capture("rxe/11b-ucmatose-rej-nolistener.pcap");
	test_capture("rxe/11d-cmtime.pcap");
	test_capture("rxe/01-rping-ipv4.pcap");
	test_capture("rxe/02-rping-ipv6.pcap");
	check_case("captures");
	CHECK(n_of[0x10] > 25 && n_of[0x12] > 2 && n_of[0x13] > 20 && n_of[0x14] > 20);
	CHECK(n_of[0x15] > 20 && n_of[0x16] > 20);
	CHECK(ibw_cm_build_rtu(made, 255, &pairs[0].active) == NULL);
	/* IBTA vol 1, 12.6.7: a REP is refused, message 1 */
	CHECK(ibw_cm_build_rej(made, 256, &pairs[0].active, 1, 28) != NULL);
	CHECK_EQ(made[32], 0x40);
	CHECK_EQ(made[35], 28);
	test_cma();
	return check_end();
}
