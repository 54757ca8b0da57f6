/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_iwp.c - cases of group IWP: connections of iWARP, with what is wrong in one of their FPDUs. */
#include <string.h>

#include "make_lint_iwp.h"

/* ---- Start-up ---- */

/* The first octets of the key are @key; nothing is said of what follows. */
static void keys(struct mk_capture *c, const char *key, bool fire)
{
	uint8_t bytes[20] = "MPA ID Req Frame";
	struct ibw_mpa_start_build b = { .rev = 1, .reply = true };
	struct talk t;
	unsigned int i;

	mk_iwp_begin_with(&t, c, 0);
	for (i = 0; key[i]; i++)
		bytes[i] = (uint8_t)key[i];
	bytes[REV] = 1;
	mk_iwp_put(&t, A, ACK, bytes, sizeof(bytes));
	if (fire)
		mk_iwp_fires(&t, "IWP001", "mpa_start");
	else
		mk_iwp_misses(&t, "IWP001");
	t.asked_crc = true;
	if (fire)
		mk_iwp_start(&t, B, &b, 0, 0);
}

static void key_2(struct mk_capture *c)
{
	keys(c, "MPAID  Req", true);
}

static void key_first(struct mk_capture *c)
{
	keys(c, "mpa ID Req", true);
}

/* Another protocol of which the first letters are the same. */
static void key_4(struct mk_capture *c)
{
	keys(c, "MPA-id-req", false);
	mk_file_fires(c, "CAP011");
}

static void starts(struct mk_capture *c, uint32_t at, uint8_t octet, bool reply, const char *rule,
		   bool bad)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 7 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, reply ? 0 : at, octet);
	if (!reply && bad)
		mk_iwp_fires(&t, rule, "mpa_start");
	b.reply = true;
	mk_iwp_start(&t, B, &b, reply ? at : 0, octet);
	if (reply && bad)
		mk_iwp_fires(&t, rule, "mpa_start");
	if (!bad)
		mk_iwp_misses(&t, rule);
}

static void rev_0(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, REV, 0);
	mk_iwp_fires(&t, "IWP002", "mpa_start");
}

static void rev_3(struct mk_capture *c)
{
	starts(c, REV, 3, true, "IWP002", true);
}

static void rev_1(struct mk_capture *c)
{
	starts(c, REV, 1, true, "IWP002", false);
}

static void rev_above(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, 0, 0);
	mk_iwp_misses(&t, "IWP002");
	b.rev = 2;
	b.reply = true;
	mk_iwp_start(&t, B, &b, 0, 0);
	mk_iwp_fires(&t, "IWP002", "mpa_start");
}

static void flags_8(struct mk_capture *c)
{
	starts(c, FLAGS, 0x08, false, "IWP003", true);
}

static void flags_s(struct mk_capture *c)
{
	starts(c, FLAGS, 0x10, false, "IWP003", false);
}

static void flags_r(struct mk_capture *c)
{
	starts(c, FLAGS, 0x20, false, "IWP003", true);
}

static void flags_s_of_1(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, FLAGS, 0x10);
	mk_iwp_fires(&t, "IWP003", "mpa_start");
}

/* The length is 7 in two octets: 0x0207 are 519. */
static void private_519(struct mk_capture *c)
{
	starts(c, 18, 0x02, false, "IWP004", true);
}

static void private_512(struct mk_capture *c)
{
	uint8_t bytes[20 + 512] = "MPA ID Req Frame";
	struct talk t;

	mk_iwp_begin(&t, c);
	bytes[REV] = 1;
	bytes[18] = 2;
	mk_iwp_put(&t, A, ACK, bytes, sizeof(bytes));
	mk_iwp_misses(&t, "IWP004");
}

static void enhanced_3(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 3 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, FLAGS, 0x10);
	mk_iwp_fires(&t, "IWP005", "mpa_start");
}

static void enhanced_4(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 4 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, FLAGS, 0x10);
	mk_iwp_misses(&t, "IWP005");
}

static void rejected(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 7 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, 0, 0);
	mk_iwp_misses(&t, "IWP025");
	b.reply = b.reject = true;
	mk_iwp_start(&t, B, &b, 0, 0);
	mk_iwp_fires(&t, "IWP025", "mpa_start");
	mk_iwp_put(&t, B, FIN, NULL, 0);
	mk_iwp_misses(&t, "IWP026");
}

/* The capture goes on for @ns after the request, and nothing is reset. */
static void unanswered(struct mk_capture *c, uint64_t ns, bool fin, bool fire)
{
	struct ibw_mpa_start_build b = { .rev = 2 };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, 0, 0);
	if (fire)
		mk_iwp_fires(&t, "IWP026", "mpa_start");
	else
		mk_iwp_misses(&t, "IWP026");
	c->time_ns += ns;
	mk_iwp_put(&t, A, fin ? FIN : ACK, NULL, 0);
}

static void unanswered_fin(struct mk_capture *c)
{
	unanswered(c, 1000, true, true);
}

static void unanswered_2s(struct mk_capture *c)
{
	unanswered(c, 2000000000, false, true);
}

static void unanswered_1s(struct mk_capture *c)
{
	unanswered(c, 1000000000, false, false);
}

/* ---- FPDUs ---- */

static void healthy(struct mk_capture *c)
{
	static const char *const rules[] = { "IWP012", "IWP013", "IWP015", "IWP016", "IWP017",
					     "IWP018", "IWP019", "IWP020", "IWP021", "IWP022",
					     "IWP023", "IWP024", "IWP014", "IWP027", "IWP028",
					     "IWP029", "IWP030" };
	struct ibw_segment s;
	struct talk t;
	unsigned int i;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 1);
	s = mk_iwp_send_of(2, 0, 64, false);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	s = mk_iwp_send_of(2, 64, 64, true);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	s = mk_iwp_write_of(7, 0x100, 100, false);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	s = mk_iwp_write_of(7, 0x164, 100, true);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	mk_iwp_read_of(&t, A, 1, 64);
	mk_iwp_read_of(&t, A, 2, 32);
	mk_iwp_respond(&t, B, 0x11, 0x1000, 64);
	mk_iwp_respond(&t, B, 0x11, 0x2000, 32);
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		mk_iwp_misses(&t, rules[i]);
}

static void crc(struct mk_capture *c)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 64, true),
				 next = mk_iwp_send_of(2, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send(&t, A, &s, NULL, 30, 1, false);
	mk_iwp_fires(&t, "IWP008", "mpa");
	mk_iwp_send(&t, A, &next, NULL, 30, 1, true);
	mk_iwp_misses(&t, "IWP008");
}

static void crc_of_one(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1, .crc = true };
	struct talk t;

	mk_iwp_begin(&t, c);
	mk_iwp_start(&t, A, &b, 0, 0);
	b.crc = false;
	b.reply = true;
	mk_iwp_start(&t, B, &b, 0, 0);
	mk_iwp_misses(&t, "IWP009");
}

static void crc_off(struct mk_capture *c)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send(&t, A, &s, NULL, 30, 1, false);
	mk_iwp_misses(&t, "IWP008");
}

/* The first marker is at the first octet; its pointer says 4 instead of 0. */
static void marker(struct mk_capture *c)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 1000, true),
				 next = mk_iwp_send_of(2, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, true);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP010");
	mk_iwp_send(&t, A, &next, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP010");
}

static void marker_wrong(struct mk_capture *c)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 1000, true),
				 next = mk_iwp_send_of(3, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, true);
	mk_iwp_send(&t, A, &s, NULL, 515, 4, true);
	mk_iwp_fires(&t, "IWP010", "mpa");
	mk_iwp_send(&t, A, &next, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP016");
}

/* A length of 82 becomes one of 16; a tagged one of 78 one of 14. */
static void length(struct mk_capture *c)
{
	const struct ibw_segment w = mk_iwp_write_of(7, 0, 64, true),
				 s = mk_iwp_send_of(1, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send(&t, A, &w, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP012");
	mk_iwp_send(&t, A, &s, NULL, 1, 82 ^ 16, false);
	mk_iwp_fires(&t, "IWP012", "mpa");
}

static void length_13(struct mk_capture *c)
{
	const struct ibw_segment w = mk_iwp_write_of(7, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send(&t, A, &w, NULL, 1, 78 ^ 13, false);
	mk_iwp_fires(&t, "IWP012", "mpa");
}

/* One octet of the header of a Send is changed. */
static void changed(struct mk_capture *c, uint32_t at, uint8_t mask, const char *rule,
		    const char *layer)
{
	const struct ibw_segment s = mk_iwp_send_of(2, 0, 64, true);
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 1);
	mk_iwp_misses(&t, rule);
	mk_iwp_send(&t, A, &s, NULL, at, mask, false);
	mk_iwp_fires(&t, rule, layer);
}

static void ddp_version(struct mk_capture *c)
{
	changed(c, 2, 3, "IWP013", "ddp_untagged");
}

static void rdmap_version(struct mk_capture *c)
{
	changed(c, 3, 0xc0, "IWP013", "ddp_untagged");
}

static void queue(struct mk_capture *c)
{
	changed(c, 11, 1, "IWP015", "ddp_untagged");
}

static void opcode(struct mk_capture *c)
{
	changed(c, 3, 3 ^ 12, "IWP018", "rdmap");
}

static void opcode_tagged(struct mk_capture *c)
{
	changed(c, 3, 3, "IWP018", "rdmap");
}

static void msn(struct mk_capture *c)
{
	changed(c, 15, 1, "IWP016", "ddp_untagged");
}

static void msn_0(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 0);
	mk_iwp_fires(&t, "IWP016", "ddp_untagged");
	mk_iwp_send_msg(&t, A, 5);
	mk_iwp_misses(&t, "IWP016");
}

/* The second segment of a message does not go on where the first one ended. */
static void torn(struct mk_capture *c, struct ibw_segment first, struct ibw_segment second,
		 const char *rule, const char *layer)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send(&t, A, &first, NULL, 0, 0, false);
	mk_iwp_send(&t, A, &second, NULL, 0, 0, false);
	mk_iwp_fires(&t, rule, layer);
}

static void mo(struct mk_capture *c)
{
	torn(c, mk_iwp_send_of(1, 0, 64, false), mk_iwp_send_of(1, 65, 64, true), "IWP017",
	     "ddp_untagged");
}

static void to(struct mk_capture *c)
{
	torn(c, mk_iwp_write_of(7, 0, 64, false), mk_iwp_write_of(7, 65, 64, true), "IWP023",
	     "ddp_tagged");
}

static void stag(struct mk_capture *c)
{
	torn(c, mk_iwp_write_of(7, 0, 64, false), mk_iwp_write_of(8, 64, 64, true), "IWP023",
	     "ddp_tagged");
}

static void unasked(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_read_of(&t, A, 1, 64);
	mk_iwp_respond(&t, B, 0x11, 0x1000, 64);
	mk_iwp_misses(&t, "IWP021");
	mk_iwp_respond(&t, B, 0x11, 0x1000, 64);
	mk_iwp_fires(&t, "IWP021", "rdmap");
}

/* A READ of 64 bytes for STag 0x11 gets another answer. */
static void other_answer(struct mk_capture *c, uint32_t stag, uint32_t bytes)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_read_of(&t, A, 1, 64);
	mk_iwp_respond(&t, B, stag, 0x1000, bytes);
	mk_iwp_fires(&t, "IWP022", "rdmap");
}

static void other_sink(struct mk_capture *c)
{
	other_answer(c, 0x12, 64);
}

static void other_bytes(struct mk_capture *c)
{
	other_answer(c, 0x11, 63);
}

static void depth(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_read_of(&t, A, 1, 64);
	mk_iwp_read_of(&t, A, 2, 64);
	mk_iwp_misses(&t, "IWP024");
	mk_iwp_read_of(&t, A, 3, 64);
	mk_iwp_fires(&t, "IWP024", "rdmap");
}

/* The last octets of an FPDU of 63: one of pad, @pad. */
static void pad(struct mk_capture *c, uint8_t octet)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 63, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, false);
	mk_iwp_send(&t, A, &s, NULL, 2 + 18 + 63, octet, true);
	if (octet)
		mk_iwp_fires(&t, "IWP011", "mpa");
	else
		mk_iwp_misses(&t, "IWP011");
}

static void pad_0(struct mk_capture *c)
{
	pad(c, 0);
}

static void pad_1(struct mk_capture *c)
{
	pad(c, 1);
}

/* The marker in front of the CRC is no pad: 508 octets before it are 2 + 18 + 485 and 3 of pad. */
static void pad_marker(struct mk_capture *c)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, 485, true),
				 next = mk_iwp_send_of(2, 0, 485, true);
	struct talk t;

	mk_iwp_agree(&t, c, true, true);
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP011");
	mk_iwp_send(&t, A, &next, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP011");
}

static void ddp_reserved(struct mk_capture *c)
{
	changed(c, 2, 0x04, "IWP014", "ddp_untagged");
}

static void rdmap_reserved(struct mk_capture *c)
{
	changed(c, 3, 0x10, "IWP014", "ddp_untagged");
}

/* ---- Who is ready first ---- */

#define STAG_1 1
#define ALL_KINDS                                                                                  \
	(struct ibw_mpa_enhanced)                                                                  \
	{                                                                                          \
		.a = 1, .b = 1, .c = 1, .d = 1, .ird = 2, .ord = 2                                 \
	}

static void agree_rtr(struct talk *t, struct mk_capture *c, struct ibw_mpa_enhanced reply)
{
	struct ibw_mpa_start_build b = {
		.rev = 2, .crc = true, .has_enhanced = true, .enhanced = ALL_KINDS
	};

	mk_iwp_begin(t, c);
	mk_iwp_start(t, A, &b, 0, 0);
	b.reply = true;
	b.enhanced = reply;
	mk_iwp_start(t, B, &b, 0, 0);
	t->crc = true;
}

/* The first FPDU is a Write of @bytes to @stag, and the reply is such. */
static void rtr_write(struct mk_capture *c, struct ibw_mpa_enhanced reply, uint32_t stag,
		      uint32_t bytes, const char *rule)
{
	const struct ibw_segment w = mk_iwp_write_of(stag, 0, bytes, true);
	struct talk t;

	agree_rtr(&t, c, reply);
	mk_iwp_send(&t, A, &w, NULL, 0, 0, false);
	if (rule)
		mk_iwp_fires(&t, rule, "mpa");
	mk_iwp_misses(&t, rule && !strcmp(rule, "IWP006") ? "IWP007" : "IWP006");
	mk_iwp_send_msg(&t, B, 1);
	mk_iwp_misses(&t, "IWP006");
	mk_iwp_send_msg(&t, A, 1);
	mk_iwp_misses(&t, "IWP006");
}

static void rtr(struct mk_capture *c)
{
	rtr_write(c, ALL_KINDS, STAG_1, 0, NULL);
}

static void rtr_stag_0(struct mk_capture *c)
{
	rtr_write(c, ALL_KINDS, 0, 0, "IWP007");
}

static void rtr_other_kind(struct mk_capture *c)
{
	const struct ibw_mpa_enhanced sends = { .a = 1, .b = 1, .ird = 2, .ord = 2 };

	rtr_write(c, sends, STAG_1, 0, "IWP006");
}

static void rtr_data(struct mk_capture *c)
{
	rtr_write(c, ALL_KINDS, STAG_1, 64, "IWP006");
}

static void rtr_not_asked(struct mk_capture *c)
{
	const struct ibw_mpa_enhanced without = { .c = 1, .ird = 2, .ord = 2 };

	rtr_write(c, without, STAG_1, 64, NULL);
}

static void rtr_early(struct mk_capture *c)
{
	const struct ibw_segment w = mk_iwp_write_of(STAG_1, 0, 0, true);
	struct talk t;

	agree_rtr(&t, c, ALL_KINDS);
	mk_iwp_send_msg(&t, B, 1);
	mk_iwp_fires(&t, "IWP006", "mpa");
	mk_iwp_send(&t, A, &w, NULL, 0, 0, false);
	mk_iwp_misses(&t, "IWP006");
}
/* Both ends take segments of 536 octets: a ULPDU of 530 fits. RFC 5044, 4.1 */
static void mulpdu(struct mk_capture *c, uint32_t bytes, bool fire)
{
	const struct ibw_segment s = mk_iwp_send_of(1, 0, bytes, true);
	struct ibw_mpa_start_build b = { .rev = 2, .crc = true };
	struct talk t;

	mk_iwp_begin_with(&t, c, 536);
	mk_iwp_start(&t, A, &b, 0, 0);
	b.reply = true;
	mk_iwp_start(&t, B, &b, 0, 0);
	t.crc = true;
	mk_iwp_send(&t, A, &s, NULL, 0, 0, false);
	if (fire)
		mk_iwp_fires(&t, "IWP030", "mpa");
	else
		mk_iwp_misses(&t, "IWP030");
}

static void mulpdu_530(struct mk_capture *c)
{
	mulpdu(c, 512, false);
}

static void mulpdu_531(struct mk_capture *c)
{
	mulpdu(c, 513, true);
}

/* @n FPDUs, and no start-up: with fewer than four it may be any protocol. */
static void middle(struct mk_capture *c, unsigned int n)
{
	struct talk t = { .c = c, .seq = { 77, 5000 } };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < n; i++)
		mk_iwp_send_msg(&t, A, 10 + i);
}

static void mid_3(struct mk_capture *c)
{
	middle(c, 3);
	mk_file_fires(c, "CAP011");
}

static void mid_4(struct mk_capture *c)
{
	middle(c, 4);
	mk_file_misses(c, "CAP011");
}

/* RDMAP, protection, bounds: of the Write that came before, whose header is quoted. */
static void terminate(struct talk *t, bool as_siw, uint8_t layer, uint8_t etype, uint8_t code,
		      const uint8_t *ddp, uint32_t n)
{
	uint8_t bytes[4 + 2 + 18] = { 0 };
	const struct ibw_segment s = { .opcode = IBW_RDMAP_TERMINATE,
				       .qn = 2,
				       .msn = 1,
				       .bytes = n ? 6 + n : 4,
				       .last = true };

	bytes[0] = (uint8_t)(as_siw ? etype << 4 | layer : layer << 4 | etype);
	bytes[1] = code;
	if (n)
		bytes[2] = as_siw ? 3 : 0xc0;
	if (n)
		memcpy(bytes + 6, ddp, n);
	mk_iwp_send(t, B, &s, bytes, 0, 0, false);
	mk_iwp_fires(t, "IWP019", "rdmap_terminate");
}

static void refused_write(struct mk_capture *c)
{
	const struct ibw_segment w = mk_iwp_write_of(7, 0x100, 64, true);
	uint8_t ddp[14] = { 0xc1, 0x40, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0 };
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send(&t, A, &w, NULL, 0, 0, false);
	terminate(&t, false, 0, 1, 1, ddp, sizeof(ddp));
	mk_iwp_send_msg(&t, A, 1);
	mk_iwp_misses(&t, "IWP020");
	mk_iwp_send_msg(&t, B, 1);
	mk_iwp_fires(&t, "IWP020", "rdmap");
}

static void refused_as_siw(struct mk_capture *c)
{
	uint8_t ddp[18] = { 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 1);
	terminate(&t, true, 1, 2, 2, ddp, sizeof(ddp));
}

/* What a Terminate explains is no news. */
static void refused_read(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_read_of(&t, A, 1, 64);
	terminate(&t, false, 0, 1, 1, NULL, 0);
	mk_iwp_put(&t, A, FIN, NULL, 0);
	mk_event_fires_milder(c, "IWP027", "rdmap");
}

static void refused_unquoted(struct mk_capture *c)
{
	struct talk t;

	mk_iwp_agree(&t, c, false, false);
	mk_iwp_send_msg(&t, A, 1);
	terminate(&t, false, 2, 0, 2, NULL, 0);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "key-2.pcap", key_2 },
	{ "key-first.pcap", key_first },
	{ "key-4.pcap", key_4 },
	{ "rev-0.pcap", rev_0 },
	{ "rev-1.pcap", rev_1 },
	{ "rev-3.pcap", rev_3 },
	{ "rev-above.pcap", rev_above },
	{ "flags-8.pcap", flags_8 },
	{ "flags-s.pcap", flags_s },
	{ "flags-r.pcap", flags_r },
	{ "flags-s-of-1.pcap", flags_s_of_1 },
	{ "private-519.pcap", private_519 },
	{ "private-512.pcap", private_512 },
	{ "enhanced-3.pcap", enhanced_3 },
	{ "enhanced-4.pcap", enhanced_4 },
	{ "rejected.pcap", rejected },
	{ "unanswered-fin.pcap", unanswered_fin },
	{ "unanswered-2s.pcap", unanswered_2s },
	{ "unanswered-1s.pcap", unanswered_1s },
	{ "wait-2s.pcap", mk_iwp_silent_2s },
	{ "wait-1s.pcap", mk_iwp_silent_1s },
	{ "wait-answered.pcap", mk_iwp_silent_answered },
	{ "wait-server.pcap", mk_iwp_silent_server },
	{ "wait-read.pcap", mk_iwp_silent_read },
	{ "wait-read-1s.pcap", mk_iwp_silent_read_1s },
	{ "rst-at-port.pcap", mk_iwp_port_closed },
	{ "rst-at-port-of-tcp.pcap", mk_iwp_port_of_tcp_closed },
	{ "rst-later.pcap", mk_iwp_port_open },
	{ "healthy.pcap", healthy },
	{ "crc.pcap", crc },
	{ "crc-of-one.pcap", crc_of_one },
	{ "crc-off.pcap", crc_off },
	{ "marker.pcap", marker },
	{ "marker-wrong.pcap", marker_wrong },
	{ "length.pcap", length },
	{ "length-13.pcap", length_13 },
	{ "ddp-version.pcap", ddp_version },
	{ "rdmap-version.pcap", rdmap_version },
	{ "queue.pcap", queue },
	{ "opcode.pcap", opcode },
	{ "opcode-tagged.pcap", opcode_tagged },
	{ "msn.pcap", msn },
	{ "msn-0.pcap", msn_0 },
	{ "mo.pcap", mo },
	{ "to.pcap", to },
	{ "stag.pcap", stag },
	{ "unasked.pcap", unasked },
	{ "other-sink.pcap", other_sink },
	{ "other-bytes.pcap", other_bytes },
	{ "depth.pcap", depth },
	{ "pad-0.pcap", pad_0 },
	{ "pad-1.pcap", pad_1 },
	{ "pad-marker.pcap", pad_marker },
	{ "ddp-reserved.pcap", ddp_reserved },
	{ "rdmap-reserved.pcap", rdmap_reserved },
	{ "rtr.pcap", rtr },
	{ "rtr-stag-0.pcap", rtr_stag_0 },
	{ "rtr-other-kind.pcap", rtr_other_kind },
	{ "rtr-data.pcap", rtr_data },
	{ "rtr-not-asked.pcap", rtr_not_asked },
	{ "rtr-early.pcap", rtr_early },
	{ "half-fin.pcap", mk_iwp_half_fin },
	{ "half-reset.pcap", mk_iwp_half_reset },
	{ "whole-fin.pcap", mk_iwp_whole_fin },
	{ "whole-reset.pcap", mk_iwp_whole_reset },
	{ "half-open.pcap", mk_iwp_half_open },
	{ "half-fpdu.pcap", mk_iwp_half_fpdu },
	{ "read-unanswered.pcap", mk_iwp_read_unanswered },
	{ "read-answered.pcap", mk_iwp_read_answered },
	{ "mulpdu-530.pcap", mulpdu_530 },
	{ "mulpdu-531.pcap", mulpdu_531 },
	{ "very-late.pcap", mk_iwp_very_late },
	{ "late.pcap", mk_iwp_late },
	{ "lost.pcap", mk_iwp_lost },
	{ "late-unnumbered.pcap", mk_iwp_late_unnumbered },
	{ "lost-unnumbered.pcap", mk_iwp_lost_unnumbered },
	{ "lost-numbered-at-random.pcap", mk_iwp_lost_numbered_at_random },
	{ "hole-acked.pcap", mk_iwp_hole_acked },
	{ "hole-open.pcap", mk_iwp_hole_open },
	{ "twice.pcap", mk_iwp_twice },
	{ "resent.pcap", mk_iwp_resent },
	{ "resent-unnumbered.pcap", mk_iwp_resent_unnumbered },
	{ "mid-3.pcap", mid_3 },
	{ "mid-4.pcap", mid_4 },
	{ "refused-write.pcap", refused_write },
	{ "refused-as-siw.pcap", refused_as_siw },
	{ "refused-unquoted.pcap", refused_unquoted },
	{ "refused-read.pcap", refused_read },
	{ "with-atomics.pcap", mk_iwp_atomics },
	{ 0 },
};

const struct mk_group mk_lint_iwp = { "iwp", cases, files, NULL };
