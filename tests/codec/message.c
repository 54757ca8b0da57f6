/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * message.c - the packets of messages: every message that Linux's rdma_rxe sent in the captures of
 * pcaps/rxe, requests and READ responses, packet by packet; every operation and length around each path
 * MTU against a message cut up here; and what is no message.
 */
#include "check.h"
#include "pcap_file.h"

#include <glob.h>
#include <stdlib.h>

#include <ibwire/message.h>
#include <ibwire/packet.h>

#define FLOWS 64
#define PACKETS 1100

/* A packet as it was captured. */
struct sent {
	uint8_t opcode;
	bool se, ackreq;
	uint32_t psn, bytes, eths;
};

/* One direction to a QP, requests and responses apart; the message that has begun. */
static struct flow {
	uint32_t src, dqpn;
	bool response, begun;
	uint32_t n;
	struct sent sent[PACKETS];
} flows[FLOWS];
static size_t n_flows;
static unsigned int n_messages, n_long, n_responses;

static struct flow *flow_of(uint32_t src, uint32_t dqpn, bool response)
{
	size_t i;

	for (i = 0; i < n_flows; i++)
		if (flows[i].src == src && flows[i].dqpn == dqpn && flows[i].response == response)
			return &flows[i];
	if (!CHECK(n_flows < FLOWS))
		n_flows = 0;
	memset(&flows[n_flows], 0, sizeof(flows[0]));
	flows[n_flows].src = src;
	flows[n_flows].dqpn = dqpn;
	flows[n_flows].response = response;
	return &flows[n_flows++];
}

/* The smallest path MTU that holds @bytes: of a message of one packet no more is known. */
static uint32_t mtu_for(uint32_t bytes)
{
	uint32_t mtu = 256;

	while (mtu < bytes)
		mtu *= 2;
	return mtu;
}

/* The whole message in @f, from its bytes, PSN and last packet, is those packets. */
static void check_message(const struct flow *f)
{
	const struct sent *last = &f->sent[f->n - 1];
	struct ibw_opcode_parts parts;
	struct ibw_message_packet p;
	struct ibw_message m;
	uint32_t i;

	memset(&m, 0, sizeof(m));
	ibw_opcode_split(&parts, last->opcode);
	m.service = parts.service;
	m.operation = parts.operation;
	m.with = parts.with;
	m.se = last->se;
	m.ackreq = last->ackreq;
	m.mtu = mtu_for(f->sent[0].bytes);
	m.psn = f->sent[0].psn;
	for (i = 0; i < f->n; i++)
		m.bytes += f->sent[i].bytes;
	CHECK_EQ(ibw_message_check(&m), IBW_MESSAGE_OK);
	CHECK_EQ(ibw_message_packets(&m), f->n);
	CHECK(!ibw_message_packet_at(&m, f->n, &p));
	for (i = f->n; i-- > 0;) {
		if (!CHECK(ibw_message_packet_at(&m, i, &p)))
			return;
		CHECK_EQ(p.opcode, f->sent[i].opcode);
		CHECK_EQ(p.psn, f->sent[i].psn);
		CHECK_EQ(p.bytes, f->sent[i].bytes);
		CHECK_EQ(p.offset, i * m.mtu);
		CHECK_EQ(p.eths, f->sent[i].eths);
		CHECK_EQ(p.se, f->sent[i].se);
		if (m.service == IBW_SERVICE_RC) /* rxe asks for ACKs of UC and UD, too */
			CHECK_EQ(p.ackreq, f->sent[i].ackreq);
	}
	n_messages++;
	n_long += f->n > 1;
	n_responses += m.operation == IBW_OPERATION_READ_RESPONSE;
}

/* A packet belongs to the message that has begun, or begins one; what a loss tore apart is left out. */
static void take(struct flow *f, const struct sent *s)
{
	uint32_t flags = ibw_opcode_chain(s->opcode) >> 16;

	if (flags & (IBW_OPF_FIRST | IBW_OPF_ONLY)) {
		f->begun = true;
		f->n = 0;
	}
	if (!f->begun || f->n == PACKETS ||
	    (f->n && s->psn != ((f->sent[f->n - 1].psn + 1) & 0xffffff))) {
		f->begun = false;
		return;
	}
	f->sent[f->n++] = *s;
	if (!(flags & (IBW_OPF_LAST | IBW_OPF_ONLY)))
		return;
	check_message(f);
	f->begun = false;
}

static uint32_t number24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static void take_packet(const struct pcap_file *f)
{
	struct ibw_opcode_parts parts;
	const uint8_t *bth;
	struct ibw_packet pkt;
	struct sent s;

	ibw_packet_walk(&pkt, f->frame, f->caplen, f->len, f->linktype, NULL);
	if (pkt.bth == IBW_NO_SPAN || pkt.outcome != IBW_OK || f->caplen < f->len)
		return;
	ibw_opcode_split(&parts, pkt.opcode);
	if (parts.operation != IBW_OPERATION_SEND && parts.operation != IBW_OPERATION_WRITE &&
	    parts.operation != IBW_OPERATION_READ_RESPONSE)
		return;
	/* Read here, not by accessors: IBTA vol 1, 9.2 */
	bth = f->frame + pkt.span[pkt.bth].off;
	s.opcode = bth[0];
	s.se = bth[1] >> 7;
	s.ackreq = bth[8] >> 7;
	s.psn = number24(bth + 9);
	s.bytes = pkt.payload_len;
	s.eths = pkt.eths;
	take(flow_of(f->frame[pkt.cover_off + 15], number24(bth + 5),
		     parts.operation == IBW_OPERATION_READ_RESPONSE),
	     &s);
}

static void test_captures(void)
{
	struct pcap_file f;
	glob_t found;
	size_t i;

	check_case("pcaps/rxe");
	if (!CHECK_EQ(glob("pcaps/rxe/*.pcap", 0, NULL, &found), 0))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		if (strstr(found.gl_pathv[i], "badicrc"))
			continue;
		n_flows = 0;
		pcap_file_open(&f, "pcaps", found.gl_pathv[i] + strlen("pcaps/"));
		while (pcap_file_next(&f)) {
			check_case("%s:%u", found.gl_pathv[i], f.number);
			take_packet(&f);
		}
		pcap_file_close(&f);
	}
	globfree(&found);
	check_case("pcaps/rxe");
	CHECK(n_messages > 15000 && n_long > 500 && n_responses > 80);
}

/* A message cut up packet by packet: what IBTA vol 1, 9.4 says of each. */
static void check_cut(const struct ibw_message *m)
{
	uint32_t left = m->bytes, i = 0, at = 0, psn = m->psn, flags;
	struct ibw_opcode_parts parts;
	struct ibw_message_packet p;
	bool acked = m->service != IBW_SERVICE_UC && m->service != IBW_SERVICE_UD &&
		     m->operation != IBW_OPERATION_READ_RESPONSE;
	bool last = false;

	for (i = 0; !last; i++) {
		last = left <= m->mtu;
		if (!CHECK(ibw_message_packet_at(m, i, &p)) ||
		    !CHECK(ibw_opcode_split(&parts, p.opcode)))
			return;
		flags = last ? (i ? IBW_OPF_LAST : IBW_OPF_ONLY)
			: i  ? IBW_OPF_MIDDLE
			     : IBW_OPF_FIRST;
		CHECK_EQ(parts.service, m->service);
		CHECK_EQ(parts.operation, m->operation);
		CHECK_EQ(parts.position, flags);
		CHECK_EQ(parts.with, last ? m->with : IBW_WITH_NOTHING);
		CHECK_EQ(p.psn, psn);
		CHECK_EQ(p.offset, at);
		CHECK_EQ(p.bytes, last ? left : m->mtu);
		CHECK_EQ(p.ackreq, acked && ((last && m->ackreq) ||
					     (m->ack_every && (i + 1) % m->ack_every == 0)));
		CHECK_EQ(p.se, last && m->se &&
				       (m->operation == IBW_OPERATION_SEND ||
					(m->operation == IBW_OPERATION_WRITE && m->with)));
		CHECK_EQ(!!(p.eths & IBW_ETH_RETH), m->operation == IBW_OPERATION_WRITE && !i);
		CHECK_EQ(!!(p.eths & IBW_ETH_IMMDT), last && m->with == IBW_WITH_IMMEDIATE);
		CHECK_EQ(!!(p.eths & IBW_ETH_IETH), last && m->with == IBW_WITH_INVALIDATE);
		CHECK_EQ(!!(p.eths & IBW_ETH_AETH),
			 m->operation == IBW_OPERATION_READ_RESPONSE && (last || !i));
		left -= p.bytes;
		at += p.bytes;
		psn = (psn + 1) % (1 << 24);
	}
	CHECK_EQ(ibw_message_packets(m), i);
	CHECK_EQ(ibw_message_psns(m), i);
	CHECK(!ibw_message_packet_at(m, i, &p));
	CHECK(!ibw_message_packet_at(m, UINT32_MAX, &p));
}

static const struct {
	uint8_t service, operation, with;
} kinds[] = {
	{ IBW_SERVICE_RC, IBW_OPERATION_SEND, IBW_WITH_NOTHING },
	{ IBW_SERVICE_RC, IBW_OPERATION_SEND, IBW_WITH_IMMEDIATE },
	{ IBW_SERVICE_RC, IBW_OPERATION_SEND, IBW_WITH_INVALIDATE },
	{ IBW_SERVICE_RC, IBW_OPERATION_WRITE, IBW_WITH_NOTHING },
	{ IBW_SERVICE_RC, IBW_OPERATION_WRITE, IBW_WITH_IMMEDIATE },
	{ IBW_SERVICE_RC, IBW_OPERATION_READ_RESPONSE, IBW_WITH_NOTHING },
	{ IBW_SERVICE_UC, IBW_OPERATION_SEND, IBW_WITH_IMMEDIATE },
	{ IBW_SERVICE_UC, IBW_OPERATION_WRITE, IBW_WITH_NOTHING },
	{ IBW_SERVICE_RD, IBW_OPERATION_SEND, IBW_WITH_IMMEDIATE },
	{ IBW_SERVICE_XRC, IBW_OPERATION_SEND, IBW_WITH_INVALIDATE },
	{ IBW_SERVICE_XRC, IBW_OPERATION_READ_RESPONSE, IBW_WITH_NOTHING },
};

static void test_lengths(void)
{
	static const uint32_t lengths[] = { 0,    1,    255,  256,   257,  511,  512,
					    513,  1023, 1024, 1025,  4095, 4096, 4097,
					    8191, 8192, 8193, 12288, 20001 };
	struct ibw_message m;
	uint32_t k, l, how;

	memset(&m, 0, sizeof(m));
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
			for (m.mtu = 256; m.mtu <= 4096; m.mtu *= 2)
				for (how = 0; how < 8; how++) {
					m.service = kinds[k].service;
					m.operation = kinds[k].operation;
					m.with = kinds[k].with;
					m.bytes = lengths[l];
					m.psn = 0xfffffe + (how & 1) * 0x01000005;
					m.psn &= 0xffffff;
					m.se = how & 1;
					m.ackreq = how & 2;
					m.ack_every = how & 4 ? 3 : 0;
					check_case("kind %u, %u bytes, MTU %u, %u", k, m.bytes,
						   m.mtu, how);
					check_cut(&m);
				}
}

/* The whole of 2 GiB, by its ends; what its packets are made into by the builder. */
static void test_ends(void)
{
	struct ibw_message m = { IBW_SERVICE_RC,
				 IBW_OPERATION_WRITE,
				 IBW_WITH_IMMEDIATE,
				 true,
				 true,
				 0,
				 256,
				 IBW_MESSAGE_MAX,
				 7 };
	struct ibw_message_packet p;
	struct ibw_build b;

	check_case("2 GiB");
	CHECK_EQ(ibw_message_packets(&m), 8388608);
	CHECK(ibw_message_packet_at(&m, 8388607, &p));
	CHECK_EQ(p.offset, 0x7fffff00);
	CHECK_EQ(p.bytes, 256);
	CHECK_EQ(p.psn, 8388614);
	CHECK_EQ(p.opcode, 0x09);
	CHECK(!ibw_message_packet_at(&m, 8388608, &p));
	memset(&b, 0, sizeof(b));
	b.kind = IBW_ICRC_ROCE_V2_IPV4;
	b.bth.dqpn = 2;
	ibw_message_fill(&b, &p);
	CHECK(b.bth.opcode == 0x09 && b.bth.se && b.bth.ackreq && b.bth.psn == 8388614);
	CHECK_EQ(b.payload_len, 256);
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OK);
}

static void refused(uint8_t service, uint8_t operation, uint8_t with, uint32_t mtu, uint32_t bytes,
		    enum ibw_message_error want)
{
	struct ibw_message m = { service, operation, with, false, false, 0, mtu, bytes, 0 };
	struct ibw_message_packet p;

	check_case("service 0x%02x, operation %u, with %u, MTU %u, %u bytes", service, operation,
		   with, mtu, bytes);
	CHECK_EQ(ibw_message_check(&m), want);
	CHECK_EQ(ibw_message_packet_at(&m, 0, &p), want == IBW_MESSAGE_OK);
}

static void test_refusals(void)
{
	const uint8_t rc = IBW_SERVICE_RC, uc = IBW_SERVICE_UC, ud = IBW_SERVICE_UD;
	struct ibw_message read;
	struct ibw_message_packet p;

	refused(rc, IBW_OPERATION_SEND, IBW_WITH_NOTHING, 1000, 10, IBW_MESSAGE_MTU);
	refused(rc, IBW_OPERATION_SEND, IBW_WITH_NOTHING, 0, 10, IBW_MESSAGE_MTU);
	refused(rc, IBW_OPERATION_SEND, IBW_WITH_NOTHING, 1024, 0x80000001, IBW_MESSAGE_LONG);
	refused(uc, IBW_OPERATION_SEND, IBW_WITH_INVALIDATE, 1024, 10, IBW_MESSAGE_OPCODE);
	refused(uc, IBW_OPERATION_SEND, IBW_WITH_INVALIDATE, 1024, 5000, IBW_MESSAGE_OPCODE);
	refused(uc, IBW_OPERATION_READ_REQUEST, IBW_WITH_NOTHING, 1024, 10, IBW_MESSAGE_OPCODE);
	refused(rc, IBW_OPERATION_WRITE, IBW_WITH_INVALIDATE, 1024, 10, IBW_MESSAGE_OPCODE);
	refused(rc, IBW_OPERATION_READ_RESPONSE, IBW_WITH_IMMEDIATE, 1024, 10, IBW_MESSAGE_OPCODE);
	refused(rc, IBW_OPERATION_COMPARE_SWAP, IBW_WITH_NOTHING, 1024, 8, IBW_MESSAGE_LONG);
	refused(rc, IBW_OPERATION_COMPARE_SWAP, IBW_WITH_NOTHING, 1024, 0, IBW_MESSAGE_OK);
	refused(rc, IBW_OPERATION_NONE, IBW_WITH_NOTHING, 1024, 0, IBW_MESSAGE_OPCODE);
	refused(ud, IBW_OPERATION_SEND, IBW_WITH_IMMEDIATE, 1024, 1024, IBW_MESSAGE_OK);
	refused(ud, IBW_OPERATION_SEND, IBW_WITH_IMMEDIATE, 1024, 1025, IBW_MESSAGE_LONG);
	refused(ud, IBW_OPERATION_WRITE, IBW_WITH_NOTHING, 1024, 0, IBW_MESSAGE_OPCODE);
	refused(0xc0, IBW_OPERATION_SEND, IBW_WITH_NOTHING, 1024, 0, IBW_MESSAGE_OPCODE);
	check_case("UD asks for no ACK");
	read = (struct ibw_message){ ud, IBW_OPERATION_SEND, 0, false, true, 1, 1024, 5, 5 };
	CHECK(ibw_message_packet_at(&read, 0, &p) && !p.ackreq);
	read = (struct ibw_message){ rc, IBW_OPERATION_READ_REQUEST, 0, false, true, 0, 1024, 3000,
				     5 };
	check_case("READ Request");
	CHECK_EQ(ibw_message_packets(&read), 1);
	CHECK_EQ(ibw_message_psns(&read), 3);
	if (!CHECK(ibw_message_packet_at(&read, 0, &p)))
		return;
	CHECK(p.opcode == 0x0c && !p.bytes && p.psn == 5);
	CHECK(p.ackreq && !p.se && p.eths == IBW_ETH_RETH);
}

int main(void)
{
	test_captures();
	test_lengths();
	test_ends();
	test_refusals();
	return check_end();
}
