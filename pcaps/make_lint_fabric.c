/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_fabric.c - captures of rules about congestion, flow control and how hosts address each other. */
#include <string.h>

#include "make_case.h"

#define A 1 /* hosts, and the last byte of their addresses */
#define B 2
#define A_QP 0x11 /* queue pairs */
#define B_QP 0x12
#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
}

/* After so many nanoseconds. */
static void put_by(struct mk_capture *c, struct mk_packet *p, uint32_t iface, uint64_t gap_ns)
{
	mk_put_at(c, p, iface, c->frames ? c->time_ns + gap_ns : MK_TIME_FIRST);
}

static void put(struct mk_capture *c, struct mk_packet *p, uint64_t gap_ns)
{
	put_by(c, p, 0, gap_ns);
}

/* The ends of a packet by any framing: 192.0.2.N, also as a GID, and 02:00:00:00:00:0N. */
static void between(struct mk_packet *p, uint8_t from, uint8_t to)
{
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 192, 0, 2 };

	p->eth.src[5] = from;
	p->eth.dst[5] = to;
	p->ipv4.src = 0xc0000200u | from;
	p->ipv4.dst = 0xc0000200u | to;
	memcpy(p->ipv6.src, mapped, 16);
	memcpy(p->ipv6.dst, mapped, 16);
	p->ipv6.src[15] = from;
	p->ipv6.dst[15] = to;
	memcpy(p->grh.sgid, p->ipv6.src, 16);
	memcpy(p->grh.dgid, p->ipv6.dst, 16);
}

/* A packet of the connection of A and B, whose PSNs begin at 5. */
static void start_rc(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint8_t from,
		     uint32_t psn, uint32_t len)
{
	memset(p, 0, sizeof(*p));
	mk_start(p, framing, opcode, len);
	between(p, from, from == A ? B : A);
	p->bth.dqpn = from == A ? B_QP : A_QP;
	p->bth.psn = psn;
	p->aeth.msn = psn - 4;
	p->udp.sport = 50000;
}

static void data(struct mk_capture *c, enum mk_framing framing, uint32_t psn)
{
	struct mk_packet p;

	start_rc(&p, framing, IBW_OP_RC_SEND_ONLY, A, psn, 16);
	mk_build(&p);
	put(c, &p, 10 * US);
}

static void ack(struct mk_capture *c, enum mk_framing framing, uint32_t psn)
{
	struct mk_packet p;

	start_rc(&p, framing, IBW_OP_RC_ACKNOWLEDGE, B, psn, 0);
	mk_build(&p);
	put(c, &p, 10 * US);
}

/* What makes the two halves a connection. */
static void connect(struct mk_capture *c, enum mk_framing framing)
{
	uint32_t psn;

	for (psn = 5; psn < 8; psn++) {
		data(c, framing, psn);
		ack(c, framing, psn);
	}
}

/* ---- Congestion ---- */

/* @n CNPs, 50 us apart, after data that are marked. */
static void notified(struct mk_capture *c, unsigned int n, bool fires)
{
	struct mk_packet p;
	unsigned int i;

	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, A, 8, 16);
	p.ipv4.ecn = IBW_ECN_CE;
	mk_build(&p);
	put(c, &p, 0);
	for (i = 0; i < n; i++) {
		start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_CNP, B, 0, 0);
		mk_build(&p);
		put(c, &p, 50 * US);
		if (i == 0 && fires)
			mk_event_fires(c, "CNG005", "bth");
		else
			mk_misses(c, "CNG005", "bth");
	}
}

static void ten_cnps(struct mk_capture *c)
{
	notified(c, 10, true);
}

static void nine_cnps(struct mk_capture *c)
{
	notified(c, 9, false);
}

/* A CNP to A. */
static void cnp(struct mk_capture *c)
{
	struct mk_packet p;

	start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_CNP, B, 0, 0);
	mk_build(&p);
	put(c, &p, US);
	mk_misses(c, "CNG010", "bth");
}

/* 1000 of A's packets, all of them marked; or not the first one. */
static void marked(struct mk_capture *c, enum ibw_ecn first, bool fires)
{
	struct mk_packet p;
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_UC_SEND_ONLY, A, 5 + i, 16);
		p.ipv4.ecn = (uint8_t)(i ? IBW_ECN_CE : first);
		mk_build(&p);
		put(c, &p, US);
		if (i == 0 && fires)
			mk_event_fires(c, "CNG010", "bth");
		else
			mk_misses(c, "CNG010", "bth");
	}
}

static void all_marked(struct mk_capture *c)
{
	start(c);
	marked(c, IBW_ECN_CE, true);
}

static void not_all_marked(struct mk_capture *c)
{
	start(c);
	marked(c, IBW_ECN_ECT0, false);
}

/* CNPs come before the first packet and after it: it has always been so. */
static void notified_ever(struct mk_capture *c)
{
	start(c);
	cnp(c);
	marked(c, IBW_ECN_CE, true);
	cnp(c);
}

/* They begin with the marks, or end with them. */
static void notified_after(struct mk_capture *c)
{
	start(c);
	marked(c, IBW_ECN_CE, false);
	cnp(c);
}

static void notified_before(struct mk_capture *c)
{
	start(c);
	cnp(c);
	marked(c, IBW_ECN_CE, false);
}

/* ---- Flow control ---- */

/* Who sends a pause frame, and the interface that it comes by. */
struct pauser {
	uint8_t mac;
	uint32_t iface;
};

/* PFC of one priority; @quanta 0: it may send again. */
static void pfc_of(struct mk_capture *c, const struct pauser *by, unsigned int priority,
		   uint16_t quanta, uint64_t gap_ns)
{
	struct mk_packet p = { 0 };

	mk_pfc(&p, by->mac, priority, quanta);
	put_by(c, &p, by->iface, gap_ns);
}

static void pfc(struct mk_capture *c, unsigned int priority, uint16_t quanta, uint64_t gap_ns)
{
	static const struct pauser by = { B, 0 };

	pfc_of(c, &by, priority, quanta, gap_ns);
}

/* Of all priorities. */
static void global_pause(struct mk_capture *c, const struct pauser *by, uint16_t quanta,
			 uint64_t gap_ns)
{
	const struct ibw_pause v = { .opcode = IBW_MAC_CONTROL_PAUSE, .quanta = quanta };
	uint8_t body[ibw_pause_BYTES + 42] = { 0 }; /* padded to 60 bytes */
	struct mk_packet p = { 0 };

	ibw_pause_pack(ibw_pause_view_mut(body, sizeof(body)), &v);
	mk_mac_control(&p, by->mac, body, sizeof(body));
	put_by(c, &p, by->iface, gap_ns);
}

/* 1.5 ms from XOFF to XON, in two parts. */
static void paused(struct mk_capture *c)
{
	start(c);
	pfc(c, 3, 0xffff, 0);
	mk_event_fires(c, "CNG012", "eth");
	pfc(c, 3, 0, MS);
	mk_misses(c, "CNG012", "eth");
	pfc(c, 3, 0xffff, MS);
	pfc(c, 3, 0, MS / 2);
	mk_misses(c, "CNG013", "eth");
	connect(c, MK_ROCE_V2_IPV4_VLAN);
}

/* 11 ms of 100: at the XON it is a storm. */
static void paused_long(struct mk_capture *c)
{
	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	pfc(c, 3, 0xffff, 0);
	mk_event_fires(c, "CNG012", "eth");
	pfc(c, 3, 0, 9 * MS);
	mk_misses(c, "CNG013", "eth");
	pfc(c, 3, 0xffff, MS);
	pfc(c, 3, 0, 2 * MS);
	mk_event_fires(c, "CNG013", "eth");
	pfc(c, 3, 0xffff, MS);
	pfc(c, 3, 0, 2 * MS);
	mk_misses(c, "CNG013", "eth");
}

/* 1001 frames in a second; 1001 in two. */
static void paused_often(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	for (i = 0; i < 1001; i++) {
		pfc(c, 0, 0, 900 * US);
		if (i == 0)
			mk_event_fires(c, "CNG012", "eth");
		if (i == 1000)
			mk_event_fires(c, "CNG013", "eth");
		else
			mk_misses(c, "CNG013", "eth");
	}
}

static void paused_rarely(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	for (i = 0; i < 1001; i++) {
		pfc(c, 0, 0, 1800 * US);
		if (i == 0)
			mk_event_fires(c, "CNG012", "eth");
		mk_misses(c, "CNG013", "eth");
	}
}

/* Who pauses what for how long before a loss shows; PCP 3 is that of tagged packets. */
struct pausing {
	struct pauser by;
	bool others;           /* two more hosts, C and D, talk on the link */
	unsigned int priority; /* 8: all */
	uint16_t quanta;
	uint64_t xon_ns;  /* from XOFF; 0: there is no XON */
	uint64_t next_ns; /* from the last of them to the packet after the gap */
};

enum { C = 3, D = 4, SWITCH = 0x77 }; /* more last bytes of addresses */

static void pause(struct mk_capture *c, const struct pausing *v)
{
	if (v->priority == 8)
		global_pause(c, &v->by, v->quanta, 10 * US);
	else
		pfc_of(c, &v->by, v->priority, v->quanta, 10 * US);
	mk_event_fires(c, "CNG012", "eth");
	if (v->xon_ns)
		pfc_of(c, &v->by, v->priority, 0, v->xon_ns);
}

static void data_of_others(struct mk_capture *c, enum mk_framing framing)
{
	struct mk_packet p;

	start_rc(&p, framing, IBW_OP_RC_SEND_ONLY, A, 5, 16);
	between(&p, C, D);
	p.bth.dqpn = 0x21;
	mk_build(&p);
	put(c, &p, 0);
}

/* PSN 8 is lost, asked for, and resent: @fires by the packet after it, @note: as a note. */
static void loss(struct mk_capture *c, enum mk_framing framing, const struct pausing *v, bool fires,
		 bool note)
{
	struct mk_packet p;

	if (v->by.iface) {
		mk_pcapng(c, MK_NANO);
		mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
		mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	} else {
		start(c);
	}
	connect(c, framing);
	pause(c, v);
	if (v->others)
		data_of_others(c, framing);
	start_rc(&p, framing, IBW_OP_RC_SEND_ONLY, A, 9, 16);
	mk_build(&p);
	put(c, &p, v->next_ns);
	if (note)
		mk_event_fires_milder(c, "CNG014", "bth");
	else if (fires)
		mk_event_fires(c, "CNG014", "bth");
	else
		mk_misses(c, "CNG014", "bth");
	start_rc(&p, framing, IBW_OP_RC_ACKNOWLEDGE, B, 8, 0);
	p.aeth.syndrome = 0x60; /* NAK, PSN sequence error */
	p.aeth.msn = 3;
	mk_build(&p);
	put(c, &p, 10 * US);
	data(c, framing, 8);
	data(c, framing, 9);
	ack(c, framing, 9);
}

#define LOSS(name, framing, fires, note, ...)                                                      \
	static void name(struct mk_capture *c)                                                     \
	{                                                                                          \
		static const struct pausing v = { __VA_ARGS__ };                                   \
		loss(c, MK_ROCE_V2_IPV4##framing, &v, fires, note);                                \
	}

/* B pauses when it shows, or stopped less than 1 ms ago; without an XON and a speed, as at 10 Gbit/s. */
LOSS(loss_paused, _VLAN, true, false, { B, 0 }, false, 3, 0xffff, 0, 10 * US)
LOSS(loss_after_xon, _VLAN, true, false, { B, 0 }, false, 3, 0xffff, 10 * US, 999 * US)
LOSS(loss_long_after_xon, _VLAN, false, false, { B, 0 }, false, 3, 0xffff, 10 * US, 1001 * US)
LOSS(loss_quanta_over, _VLAN, true, false, { B, 0 }, false, 3, 1000, 0, 1051 * US)
LOSS(loss_quanta_long_over, _VLAN, false, false, { B, 0 }, false, 3, 1000, 0, 1052 * US)
LOSS(loss_of_other, _VLAN, false, false, { B, 0 }, false, 4, 0xffff, 0, 10 * US)
LOSS(loss_on_other_link, _VLAN, false, false, { B, 1 }, false, 3, 0xffff, 0, 10 * US)
/* The port of a switch, which shows in no packet: if it is the link of one host. Another host. */
LOSS(loss_by_switch, _VLAN, true, false, { SWITCH, 0 }, false, 3, 0xffff, 0, 10 * US)
LOSS(loss_by_some_switch, _VLAN, false, false, { SWITCH, 0 }, true, 3, 0xffff, 0, 10 * US)
LOSS(loss_by_host, _VLAN, false, false, { C, 0 }, true, 3, 0xffff, 0, 10 * US)
LOSS(loss_by_own_host, _VLAN, true, false, { A, 0 }, true, 3, 0xffff, 0, 10 * US)
/* Of all priorities; and of packets whose priority is not known. */
LOSS(loss_of_all, , true, false, { B, 0 }, false, 8, 0xffff, 0, 10 * US)
LOSS(loss_untagged, , true, true, { B, 0 }, false, 3, 0xffff, 0, 10 * US)

/* ---- Addresses ---- */

/* A REQ of A by RoCE v1, or v2; B, which does not answer within a second, sends v2. */
static void asked(struct mk_capture *c, enum mk_framing framing)
{
	struct ibw_cm_req req = { .local_comm_id = 1,
				  .service_id = 0x0200000000000001,
				  .local_qpn = A_QP + 0x10,
				  .retry_count = 7,
				  .rnr_retry_count = 7,
				  .path_mtu = 3,
				  .primary_ack_timeout = 19 };
	struct mk_packet p = { 0 };
	uint8_t *mad;

	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	mad = mk_start_mad(&p, framing, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REQ);
	between(&p, A, B);
	ibw_cm_req_pack(IN(cm_req, 24), &req);
	mk_build(&p);
	put(c, &p, 10 * US);
	if (framing == MK_ROCE_V1) {
		mk_event_fires(c, "ROC013", "bth");
		mk_event_fires_milder(c, "ROC012", "bth");
	} else {
		mk_misses(c, "ROC013", "bth");
		mk_misses(c, "ROC012", "bth");
	}
	data(c, MK_ROCE_V2_IPV4, 8);
	start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, B, 8, 0);
	mk_build(&p);
	put(c, &p, 1100 * MS);
}

static void asked_v1(struct mk_capture *c)
{
	asked(c, MK_ROCE_V1);
}

static void asked_v2(struct mk_capture *c)
{
	asked(c, MK_ROCE_V2_IPV4);
}

/* A sends by IPv4, and B answers by IPv6, from the address that the IPv4 one is mapped to. */
static void families(struct mk_capture *c)
{
	uint32_t psn;

	start(c);
	for (psn = 5; psn < 8; psn++) {
		data(c, MK_ROCE_V2_IPV4, psn);
		ack(c, MK_ROCE_V2_IPV6, psn);
		if (psn == 5)
			mk_event_fires(c, "ROC018", "bth");
	}
}

static void one_family(struct mk_capture *c)
{
	start(c);
	connect(c, MK_ROCE_V2_IPV6);
	mk_misses(c, "ROC018", "bth");
}

/* One DSCP with two PCPs: that of the framing is 3. */
static void tagged(struct mk_capture *c, uint8_t pcp)
{
	struct mk_packet p;

	start(c);
	connect(c, MK_ROCE_V2_IPV4_VLAN);
	start_rc(&p, MK_ROCE_V2_IPV4_VLAN, IBW_OP_RC_SEND_ONLY, A, 8, 16);
	p.vlan[0].pcp = pcp;
	mk_build(&p);
	put(c, &p, 10 * US);
	if (pcp == 3)
		mk_misses(c, "ROC019", "vlan");
	else
		mk_event_fires(c, "ROC019", "vlan");
	ack(c, MK_ROCE_V2_IPV4_VLAN, 8);
}

static void two_pcps(struct mk_capture *c)
{
	tagged(c, 4);
}

static void one_pcp(struct mk_capture *c)
{
	tagged(c, 3);
}

/* Of no connection: what is said of all of these is said at the first of theirs. */
static void datagram(struct mk_capture *c)
{
	struct mk_packet p;

	start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, A, 1, 16);
	mk_build(&p);
	put(c, &p, 10 * US);
	mk_misses(c, "ROC020", "bth");
	mk_misses(c, "ROC022", "bth");
}

/* @n packets of A without DSCP and ECN, half of them answered, after a datagram. */
static void plain(struct mk_capture *c, unsigned int n, uint8_t dscp, enum ibw_ecn ecn)
{
	bool enough = n >= 100;
	struct mk_packet p;
	uint32_t i;

	start(c);
	datagram(c);
	for (i = 0; i < n; i++) {
		start_rc(&p, MK_ROCE_V2_IPV4, i % 2 ? IBW_OP_RC_ACKNOWLEDGE : IBW_OP_RC_SEND_ONLY,
			 i % 2 ? B : A, 5 + i / 2, i % 2 ? 0 : 16);
		p.ipv4.dscp = dscp;
		p.ipv4.ecn = (uint8_t)ecn;
		mk_build(&p);
		put(c, &p, 10 * US);
		if (i == 0 && enough && !dscp)
			mk_event_fires(c, "ROC020", "bth");
		else
			mk_misses(c, "ROC020", "bth");
		if (i == 0 && enough && !ecn)
			mk_event_fires(c, "ROC022", "bth");
		else
			mk_misses(c, "ROC022", "bth");
	}
}

static void no_class(struct mk_capture *c)
{
	plain(c, 100, 0, IBW_ECN_NOT_ECT);
}

static void few(struct mk_capture *c)
{
	plain(c, 98, 0, IBW_ECN_NOT_ECT);
}

static void classed(struct mk_capture *c)
{
	plain(c, 100, 26, IBW_ECN_ECT0);
}

/* Messages of three packets of 1024 bytes, and a frame of TCP, say, of @bytes. */
static void long_frame(struct mk_capture *c, uint32_t bytes)
{
	static const uint8_t opcodes[] = { IBW_OP_RC_SEND_FIRST, IBW_OP_RC_SEND_MIDDLE,
					   IBW_OP_RC_SEND_LAST };
	static const uint8_t zeros[9000];
	struct mk_packet p;
	uint32_t i;

	start(c);
	for (i = 0; i < 12; i++) {
		start_rc(&p, MK_ROCE_V2_IPV4, opcodes[i % 3], A, 5 + i, 1024);
		mk_build(&p);
		put(c, &p, US);
		if (i == 0 && bytes >= 4200)
			mk_event_fires(c, "ROC024", "bth");
		else
			mk_misses(c, "ROC024", "bth");
		if (i % 3 == 2)
			ack(c, MK_ROCE_V2_IPV4, 5 + i);
	}
	memset(&p, 0, sizeof(p));
	mk_eth_frame(&p, 0x88b5, zeros,
		     bytes - ibw_eth_BYTES); /* local experiments: no header known */
	put(c, &p, US);
}

static void jumbo(struct mk_capture *c)
{
	long_frame(c, 4200);
}

static void no_jumbo(struct mk_capture *c)
{
	long_frame(c, 4199);
}

static const struct mk_case cases[] = { { 0 } };

/* ---- Packets that cannot be followed ---- */

/* PSN 8 has an opcode that says nothing: it is there all the same, and acknowledged with PSN 9. */
static void strange(struct mk_capture *c, uint8_t opcode, const char *rule)
{
	struct mk_packet p;

	start(c);
	connect(c, MK_ROCE_V2_IPV4);
	start_rc(&p, MK_ROCE_V2_IPV4, opcode, A, 8, 16);
	mk_build(&p);
	put(c, &p, 10 * US);
	mk_fires(c, &p, rule, "bth.opcode");
	data(c, MK_ROCE_V2_IPV4, 9);
	mk_misses(c, "QPS002", NULL);
	ack(c, MK_ROCE_V2_IPV4, 9);
	mk_misses(c, "CAP017", NULL);
}

static void strange_reserved(struct mk_capture *c)
{
	strange(c, 0x1e, "BTH002");
}

static void strange_vendor(struct mk_capture *c)
{
	strange(c, IBW_OPCODE_VENDOR_FIRST, "BTH003");
}

/* The host that was captured on leaves the ICRCs of what it sends to its adapter: A is answered. */
static void placeholders(struct mk_capture *c)
{
	struct mk_packet p;
	uint32_t i;

	start(c);
	for (i = 0; i < 100; i++) {
		data(c, MK_ROCE_V2_IPV4, 5 + i);
		start_rc(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, B, 5 + i, 0);
		mk_build(&p);
		ibw_icrc_put(p.b + p.icrc_off, 0);
		put(c, &p, 10 * US);
		mk_fires(c, &p, "CRC001", "bth/icrc");
		if (i == 10)
			mk_event_fires(c, "CRC007", "bth");
		mk_misses(c, "CAP010", NULL);
	}
}

static const struct mk_file_case files[] = {
	{ "ten-cnps.pcap", ten_cnps },
	{ "nine-cnps.pcap", nine_cnps },
	{ "all-marked.pcap", all_marked },
	{ "not-all-marked.pcap", not_all_marked },
	{ "notified-ever.pcap", notified_ever },
	{ "notified-after.pcap", notified_after },
	{ "notified-before.pcap", notified_before },
	{ "paused.pcap", paused },
	{ "paused-long.pcap", paused_long },
	{ "paused-often.pcap", paused_often },
	{ "paused-rarely.pcap", paused_rarely },
	{ "loss-paused.pcap", loss_paused },
	{ "loss-after-xon.pcap", loss_after_xon },
	{ "loss-long-after-xon.pcap", loss_long_after_xon },
	{ "loss-quanta-over.pcap", loss_quanta_over },
	{ "loss-quanta-long-over.pcap", loss_quanta_long_over },
	{ "loss-of-other.pcap", loss_of_other },
	{ "loss-on-other-link.pcapng", loss_on_other_link },
	{ "loss-by-switch.pcap", loss_by_switch },
	{ "loss-by-some-switch.pcap", loss_by_some_switch },
	{ "loss-by-host.pcap", loss_by_host },
	{ "loss-by-own-host.pcap", loss_by_own_host },
	{ "loss-of-all.pcap", loss_of_all },
	{ "loss-untagged.pcap", loss_untagged },
	{ "asked-v1.pcap", asked_v1 },
	{ "asked-v2.pcap", asked_v2 },
	{ "families.pcap", families },
	{ "one-family.pcap", one_family },
	{ "two-pcps.pcap", two_pcps },
	{ "one-pcp.pcap", one_pcp },
	{ "no-class.pcap", no_class },
	{ "few.pcap", few },
	{ "classed.pcap", classed },
	{ "jumbo.pcap", jumbo },
	{ "no-jumbo.pcap", no_jumbo },
	{ "strange-reserved.pcap", strange_reserved },
	{ "strange-vendor.pcap", strange_vendor },
	{ "placeholders.pcap", placeholders },
	{ 0 },
};

const struct mk_group mk_lint_fabric = { "fabric", cases, files, NULL };
