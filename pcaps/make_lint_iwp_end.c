/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_iwp_end.c - cases of group IWP: how connections end, and what TCP did to them. */
#include "make_lint_iwp.h"

/* ---- How it ends ---- */

/* @what at the end: A's FIN, or B's RST. */
static void ends(struct talk *t, bool reset, bool fire)
{
	mk_iwp_put(t, reset ? B : A, reset ? RST : FIN, NULL, 0);
	if (fire)
		mk_iwp_fires(t, "IWP027", "rdmap");
	else
		mk_iwp_misses(t, "IWP027");
}

/* A Send of two segments, of which the capture has @n. */
static void half(struct mk_capture *c, unsigned int n, bool reset)
{
	const struct ibw_segment first = mk_iwp_send_of(1, 0, 64, false),
				 second = mk_iwp_send_of(1, 64, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send(&t, A, &first, NULL, 0, 0, false);
	if (n > 1)
		mk_iwp_send(&t, A, &second, NULL, 0, 0, false);
	ends(&t, reset, n == 1);
}

void mk_iwp_half_fin(struct mk_capture *c)
{
	half(c, 1, false);
}

void mk_iwp_half_reset(struct mk_capture *c)
{
	half(c, 1, true);
}

void mk_iwp_whole_fin(struct mk_capture *c)
{
	half(c, 2, false);
}

void mk_iwp_whole_reset(struct mk_capture *c)
{
	half(c, 2, true);
}

/* The capture ends, and the connection does not. */
void mk_iwp_half_open(struct mk_capture *c)
{
	const struct ibw_segment first = mk_iwp_send_of(1, 0, 64, false);
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send(&t, A, &first, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP027");
}

/* 12 octets of an FPDU. */
void mk_iwp_half_fpdu(struct mk_capture *c)
{
	const uint8_t bytes[12] = { 0, 82, 0x41, 0x43 };
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_put(&t, A, ACK, bytes, sizeof(bytes));
	ends(&t, false, true);
}

static void read_ends(struct mk_capture *c, bool answered, bool reset)
{
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_read_of(&t, A, 1, 64);
	if (answered)
		mk_iwp_respond(&t, B, 0x11, 0x1000, 64);
	ends(&t, reset, !answered);
}

void mk_iwp_read_unanswered(struct mk_capture *c)
{
	read_ends(c, false, true);
}

void mk_iwp_read_answered(struct mk_capture *c)
{
	read_ends(c, true, false);
}

/* A Send that B acknowledges and does not answer, before A closes @ns later. */
static void silent(struct mk_capture *c, uint64_t ns)
{
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send_msg(&t, A, 1);
	if (ns >= 2000000000)
		mk_iwp_fires(&t, "IWP026", "mpa_start");
	else
		mk_iwp_misses(&t, "IWP026");
	mk_iwp_put(&t, B, ACK, NULL, 0);
	c->time_ns += ns;
	mk_iwp_put(&t, A, FIN, NULL, 0);
}

void mk_iwp_silent_2s(struct mk_capture *c)
{
	silent(c, 2000000000);
}

void mk_iwp_silent_1s(struct mk_capture *c)
{
	silent(c, 1000000000);
}

void mk_iwp_silent_answered(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send_msg(&t, A, 1);
	mk_iwp_send_msg(&t, B, 1);
	mk_iwp_put(&t, A, ACK, NULL, 0);
	c->time_ns += 3000000000;
	mk_iwp_put(&t, A, FIN, NULL, 0);
	mk_iwp_misses(&t, "IWP026");
}

/* What only B sends needs no answer. */
void mk_iwp_silent_server(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send_msg(&t, B, 1);
	mk_iwp_put(&t, A, ACK, NULL, 0);
	c->time_ns += 3000000000;
	mk_iwp_put(&t, A, FIN, NULL, 0);
	mk_iwp_misses(&t, "IWP026");
}

/* A Read Request after an answered one, while another connection begins @ns later. */
static void silent_read(struct mk_capture *c, uint64_t ns)
{
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_read_of(&t, A, 1, 64);
	mk_iwp_respond(&t, B, 0x11, 0x1000, 64);
	mk_iwp_read_of(&t, A, 2, 64);
	if (ns >= 2000000000)
		mk_iwp_fires(&t, "IWP026", "mpa_start");
	else
		mk_iwp_misses(&t, "IWP026");
	mk_iwp_put(&t, B, ACK, NULL, 0);
	c->time_ns += ns;
	t.port = 7472;
	mk_iwp_put(&t, A, SYN, NULL, 0);
}

void mk_iwp_silent_read(struct mk_capture *c)
{
	silent_read(c, 2000000000);
}

void mk_iwp_silent_read_1s(struct mk_capture *c)
{
	silent_read(c, 1000000000);
}

/* A RST answers the SYN to @port. */
static void closed(struct mk_capture *c, uint16_t port, bool fire)
{
	struct talk t = { .c = c, .seq = { 100, 0 }, .port = port };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	mk_file_fires(c, "CAP011");
	mk_iwp_put(&t, A, SYN, NULL, 0);
	mk_iwp_put(&t, B, RST, NULL, 0);
	if (fire)
		mk_event_fires_milder(c, "IWP025", "mpa_start");
	else
		mk_iwp_misses(&t, "IWP025");
}

void mk_iwp_port_closed(struct mk_capture *c)
{
	closed(c, 20049, true);
}

/* That of NVMe over Fabrics, which NVMe over TCP has, too. */
void mk_iwp_port_of_tcp_closed(struct mk_capture *c)
{
	closed(c, 4420, false);
}

/* It accepts, and resets later. */
void mk_iwp_port_open(struct mk_capture *c)
{
	struct talk t = { .c = c, .seq = { 100, 0 }, .port = 20049 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	mk_file_fires(c, "CAP011");
	mk_iwp_put(&t, A, SYN, NULL, 0);
	mk_iwp_put(&t, B, SYN | ACK, NULL, 0);
	mk_iwp_put(&t, B, RST, NULL, 0);
	mk_iwp_misses(&t, "IWP025");
}

/* ---- What TCP did ---- */

#define SEND_FPDU 88 /* bytes of that of send_msg() */

/* Where the next FPDU of A is. */
static void move(struct talk *t, uint32_t forward, uint32_t back)
{
	t->seq[A] += forward - back;
	t->position[A] += (uint64_t)forward - back;
}

/* As agree(), the packets of A numbered from @id on; 0: not. */
static void agree_numbered(struct talk *t, struct mk_capture *c, uint16_t id)
{
	struct ibw_mpa_start_build b = { .rev = 2 };

	mk_iwp_begin(t, c);
	t->id[A] = id;
	mk_iwp_start(t, A, &b, 0, 0);
	b.reply = true;
	mk_iwp_start(t, B, &b, 0, 0);
}

/* From 1 % or 200 ms on it is as bad as the rule. */
static void tcp_fires(struct talk *t, bool resent, uint64_t ns)
{
	if (resent || ns >= 200000000)
		mk_iwp_fires(t, "IWP029", "tcp");
	else
		mk_event_fires_milder(t->c, "IWP029", "tcp");
}

/* The second of four FPDUs comes @ns after the third one; the third one has the number @third, the second one @second. */
static void second_late(struct mk_capture *c, uint16_t first, uint16_t third, uint16_t second,
			uint64_t ns, bool resent)
{
	struct talk t;

	agree_numbered(&t, c, first);
	mk_iwp_send_msg(&t, A, 1);
	move(&t, SEND_FPDU, 0);
	t.id[A] = third;
	mk_iwp_send_msg(&t, A, 3);
	move(&t, 0, 2 * SEND_FPDU);
	c->time_ns += ns;
	t.id[A] = second;
	mk_iwp_send_msg(&t, A, 2);
	tcp_fires(&t, resent, ns);
	move(&t, SEND_FPDU, 0);
	t.id[A] = (uint16_t)(first ? (third > second ? third : second) + 1 : 0);
	mk_iwp_send_msg(&t, A, 4);
	mk_iwp_misses(&t, "IWP016");
}

void mk_iwp_late(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65532, 5000000, false);
}

void mk_iwp_very_late(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65532, 200000000, false);
}

void mk_iwp_lost(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65534, 0, true);
}

/* Without numbers, by the time since the hole opened, against that of the start-up. */
void mk_iwp_late_unnumbered(struct mk_capture *c)
{
	second_late(c, 0, 0, 0, 0, false);
}

void mk_iwp_lost_unnumbered(struct mk_capture *c)
{
	second_late(c, 0, 0, 0, 5000000, true);
}

/* Numbers of which no order follows: as without. */
void mk_iwp_lost_numbered_at_random(struct mk_capture *c)
{
	second_late(c, 60000, 40000, 20000, 5000000, true);
}

/* The second of six FPDUs is not there; whether B has it. */
static void hole(struct mk_capture *c, bool acked)
{
	struct talk t;
	uint32_t i;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 1);
	move(&t, SEND_FPDU, 0);
	for (i = 3; i <= 6; i++)
		mk_iwp_send_msg(&t, A, i);
	if (acked)
		mk_iwp_send_msg(&t, B, 1);
	mk_iwp_misses(&t, "IWP016");
	mk_iwp_misses(&t, "IWP008");
	mk_iwp_fires(&t, "IWP028", "mpa");
}

void mk_iwp_hole_acked(struct mk_capture *c)
{
	hole(c, true);
}

void mk_iwp_hole_open(struct mk_capture *c)
{
	hole(c, false);
}

/* The first of two FPDUs comes again, in a packet of the number @id. */
static void again(struct mk_capture *c, uint16_t first, uint16_t id)
{
	struct talk t;

	agree_numbered(&t, c, first);
	mk_iwp_send_msg(&t, A, 1);
	move(&t, 0, SEND_FPDU);
	t.id[A] = id;
	mk_iwp_send_msg(&t, A, 1);
	if (id == first + 1)
		mk_iwp_misses(&t, "IWP029");
	else
		mk_iwp_fires(&t, "IWP029", "tcp");
	mk_iwp_send_msg(&t, A, 2);
	mk_iwp_misses(&t, "IWP016");
	mk_iwp_misses(&t, "IWP028");
}

void mk_iwp_twice(struct mk_capture *c)
{
	again(c, 7, 8);
}

void mk_iwp_resent(struct mk_capture *c)
{
	again(c, 7, 9);
}

void mk_iwp_resent_unnumbered(struct mk_capture *c)
{
	again(c, 0, 0);
}
