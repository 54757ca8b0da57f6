/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_ulp.c - cases of group ULP: SMC-R on a TCP connection (RFC 7609, A.4), and those over iWARP. */
#include "make_lint_iwp.h"

#define DECLINE 4
#define CONFIRM 3
#define BYTES 28

/* A message of CLC with the eyecatcher in front and at its end, of @n octets; a Decline has a diagnosis. */
static void put_clc(struct talk *t, uint8_t type, uint32_t n, uint32_t diagnosis)
{
	uint8_t b[44] = { 0xe2, 0xd4, 0xc3, 0xd9, type, 0, BYTES, 0x10 };

	b[6] = (uint8_t)n;
	ibw_put_be32(b + 16, diagnosis);
	ibw_put_be32(b + n - 4, 0xe2d4c3d9u);
	mk_iwp_put(t, B, ACK, b, n);
}

static void begin(struct talk *t, struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	*t = (struct talk){ .c = c, .seq = { 1, 5000 }, .port = 5432 };
	mk_file_fires(c, "CAP011");
}

static void declined(struct mk_capture *c)
{
	struct talk t;

	begin(&t, c);
	put_clc(&t, DECLINE, BYTES, 0x03030002);
	mk_iwp_fires(&t, "ULP023", "tcp");
}

/* Of version 2, with a number that has no words. */
static void declined_v2(struct mk_capture *c)
{
	struct talk t;

	begin(&t, c);
	put_clc(&t, DECLINE, 44, 0x03ff0000);
	mk_iwp_fires(&t, "ULP023", "tcp");
}

static void confirmed(struct mk_capture *c)
{
	struct talk t;

	begin(&t, c);
	put_clc(&t, CONFIRM, BYTES, 0x03030002);
	mk_iwp_misses(&t, "ULP023");
}

/* One octet more than its length says: data of something else. */
static void too_long(struct mk_capture *c)
{
	uint8_t b[BYTES + 1] = { 0xe2, 0xd4, 0xc3, 0xd9, DECLINE, 0, BYTES, 0x10 };
	struct talk t;

	begin(&t, c);
	ibw_put_be32(b + BYTES - 4, 0xe2d4c3d9u);
	mk_iwp_put(&t, B, ACK, b, sizeof(b));
	mk_iwp_misses(&t, "ULP023");
}

static const struct mk_file_case files[] = {
	{ "declined.pcap", declined },
	{ "unnamed-v2.pcap", declined_v2 },
	{ "confirmed.pcap", confirmed },
	{ "too-long.pcap", too_long },
	{ "iwarp-invalidates-own.pcap", mk_ulp_invalidates_own },
	{ "iwarp-invalidates-other.pcap", mk_ulp_invalidates_other },
	{ "iwarp-invalidates-nothing.pcap", mk_ulp_invalidates_nothing },
	{ "iwarp-send-1024.pcap", mk_ulp_send_1024 },
	{ "iwarp-send-1025.pcap", mk_ulp_send_1025 },
	{ "iwarp-send-unannounced.pcap", mk_ulp_send_unannounced },
	{ "iwarp-connect-own.pcap", mk_ulp_connect_own },
	{ "iwarp-connect-other.pcap", mk_ulp_connect_other },
	{ "iwarp-read-first.pcap", mk_ulp_read_first },
	{ "iwarp-read-first-of-nobody.pcap", mk_ulp_read_first_of_nobody },
	{ "iwarp-refused-queue.pcap", mk_ulp_refused_queue },
	{ "iwarp-refused-port.pcap", mk_ulp_refused_port },
	{ "iwarp-words.pcap", mk_ulp_words },
	{ "iwarp-word-count.pcap", mk_ulp_word_count },
	{ "iwarp-word-type.pcap", mk_ulp_word_type },
	{ "iwarp-word-lost.pcap", mk_ulp_word_lost },
	{ "iwarp-words-of-other.pcap", mk_ulp_words_of_other },
	{ "iwarp-words-of-nobody.pcap", mk_ulp_words_of_nobody },
	{ 0 },
};

static const struct mk_case none[] = { { 0 } };

const struct mk_group mk_lint_ulp = { "ulp", none, files, NULL };
