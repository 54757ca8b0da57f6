/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_lint_iwp.c - cases of group IWP: connections of iWARP, with what is wrong in one of their FPDUs.
 *
 * A (10.0.0.1, port 40000) asks, B (10.0.0.2, port 7471) answers. Each message is one FPDU and one TCP segment.
 */
#include <string.h>

#include <ibwire/build_fpdu.h>

#include "make.h"

#define MULPDU 1400

/* The two ends: what they send next. */
struct talk {
	struct mk_capture *c;
	uint32_t seq[2];
	uint64_t position[2]; /* of the next FPDU, from the first one on */
	bool markers[2], crc;
	uint16_t id[2]; /* of the next packet; 0: they have none */
	uint16_t mss;   /* that both SYNs ask for; 0: they do not */
	bool asked_crc;
};

enum side { A, B };

/* Octets of an MPA frame. */
#define FLAGS 16
#define REV 17

#define FIN 0x11
#define SYN 0x02
#define RST 0x14
#define ACK 0x10

/* The sum of TCP and what it covers in addition, all of it even. */
static void fix_checksum(uint8_t *ip, uint32_t n)
{
	uint64_t sum = IBW_IP_PROTO_TCP + n + ibw_bytes_sum(ip + 12, 8);

	sum += ibw_bytes_sum(ip + 20, n);
	ibw_put_be16(ip + 20 + 16, (uint16_t)~ibw_sum_fold(sum));
}

static void put(struct talk *t, enum side from, uint8_t flags, const uint8_t *bytes, uint32_t n)
{
	uint8_t b[20 + 20 + 1600] = { 0x45 }, *tcp = b + 20;
	uint8_t mss[4] = { 2, 4, (uint8_t)(t->mss >> 8), (uint8_t)t->mss };
	bool has_mss = t->mss && flags & SYN;
	struct mk_packet p = { 0 };

	if (has_mss) {
		bytes = mss;
		n = sizeof(mss);
	}
	ibw_put_be16(b + 2, (uint16_t)(40 + n));
	b[8] = 64;
	b[9] = IBW_IP_PROTO_TCP;
	ibw_put_be16(b + 4, t->id[from]);
	t->id[from] = (uint16_t)(t->id[from] + (t->id[from] != 0));
	ibw_put_be32(b + 12, 0x0a000001u + (from == B));
	ibw_put_be32(b + 16, 0x0a000001u + (from == A));
	ibw_put_be16(tcp, from == A ? 40000 : 7471);
	ibw_put_be16(tcp + 2, from == A ? 7471 : 40000);
	ibw_put_be32(tcp + 4, t->seq[from]);
	ibw_put_be32(tcp + 8, t->seq[!from]);
	tcp[12] = has_mss ? 6 << 4 : 5 << 4;
	tcp[13] = flags;
	ibw_put_be16(tcp + 14, 0xffff);
	if (n)
		memcpy(tcp + 20, bytes, n);
	fix_checksum(b, 20 + n);
	mk_eth_frame(&p, IBW_ETHERTYPE_IPV4, b, 40 + n);
	mk_fix_ip_checksum(&p);
	mk_put(t->c, &p);
	t->seq[from] += (has_mss ? 0 : n) + (flags & 3 ? 1 : 0);
}

static void begin_with(struct talk *t, struct mk_capture *c, uint16_t mss)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	*t = (struct talk){ .c = c, .seq = { 0xfffffff0u, 5000 }, .mss = mss };
	put(t, A, SYN, NULL, 0);
	put(t, B, SYN | ACK, NULL, 0);
}

static void begin(struct talk *t, struct mk_capture *c)
{
	begin_with(t, c, 0);
	mk_file_misses(c, "CAP019");
	mk_file_misses(c, "CAP011");
}

/* An MPA frame, of which the octet at @at is @octet instead, if @at is not 0. Without CRCs that is said of the reply. */
static void start(struct talk *t, enum side from, const struct ibw_mpa_start_build *b, uint32_t at,
		  uint8_t octet)
{
	uint8_t bytes[64];
	size_t n = ibw_build_mpa_start(bytes, sizeof(bytes), b, "why not");

	if (!n || n > sizeof(bytes))
		mk_die("no such MPA frame");
	if (at)
		bytes[at] = octet;
	put(t, from, ACK, bytes, (uint32_t)n);
	if (b->reply && !b->reject && !t->asked_crc && !b->crc)
		mk_event_fires(t->c, "IWP009", "mpa_start");
	else if (b->reply && !b->reject)
		mk_misses(t->c, "IWP009", NULL);
	t->asked_crc |= b->crc;
}

static void agree(struct talk *t, struct mk_capture *c, bool crc, bool markers)
{
	struct ibw_mpa_start_build b = {
		.rev = 2, .crc = crc, .has_enhanced = true, .enhanced = { .ird = 2, .ord = 2 }
	};

	begin(t, c);
	start(t, A, &b, 0, 0);
	b.reply = true;
	b.markers = markers;
	start(t, B, &b, 0, 0);
	t->crc = crc;
	t->markers[A] = markers;
}

/* The FPDU of a segment whose payload is @payload, of @bytes; the octet @at of it is changed by @mask, the CRC made right
 * after if @fix. */
static void send(struct talk *t, enum side from, const struct ibw_segment *s, const void *payload,
		 uint32_t at, uint8_t mask, bool fix)
{
	static const uint8_t zeros[1400];
	uint8_t bytes[1600];
	struct ibw_fpdu_build b = { .position = t->position[from],
				    .mulpdu = MULPDU,
				    .markers = t->markers[from],
				    .crc = t->crc,
				    .segment = *s };
	const struct ibw_piece piece = { payload ? payload : zeros, s->bytes };
	size_t n = ibw_build_fpdu(bytes, sizeof(bytes), &b, &piece, 1, ibw_crc32c_step);

	if (!n || n > sizeof(bytes))
		mk_die("no such FPDU");
	bytes[at] ^= mask;
	if (mask && fix && t->crc)
		ibw_put_le32(bytes + n - 4, ~ibw_crc32c_step(0xffffffffu, bytes, n - 4));
	put(t, from, ACK, bytes, (uint32_t)n);
	t->position[from] += n;
}

static struct ibw_segment send_of(uint32_t msn, uint32_t mo, uint32_t bytes, bool last)
{
	return (struct ibw_segment){
		.opcode = IBW_RDMAP_SEND, .msn = msn, .mo = mo, .bytes = bytes, .last = last
	};
}

static struct ibw_segment write_of(uint32_t stag, uint64_t to, uint32_t bytes, bool last)
{
	return (struct ibw_segment){ .opcode = IBW_RDMAP_WRITE,
				     .tagged = true,
				     .stag = stag,
				     .to = to,
				     .bytes = bytes,
				     .last = last };
}

static void send_msg(struct talk *t, enum side from, uint32_t msn)
{
	const struct ibw_segment s = send_of(msn, 0, 64, true);

	send(t, from, &s, NULL, 0, 0, false);
}

static void read_of(struct talk *t, enum side from, uint32_t msn, uint32_t bytes)
{
	const struct ibw_segment s = { .opcode = IBW_RDMAP_READ_REQUEST,
				       .qn = 1,
				       .msn = msn,
				       .bytes = ibw_rdmap_read_req_BYTES,
				       .last = true };
	const struct ibw_rdmap_read_req read = { .sink_stag = 0x11,
						 .sink_to = UINT64_C(0x1000) * msn,
						 .read_size = bytes,
						 .src_stag = 0x22,
						 .src_to = 0x9000 };
	struct ibw_rdmap_read_req_wire wire;

	ibw_rdmap_read_req_pack(&wire, &read);
	send(t, from, &s, &wire, 0, 0, false);
}

static void respond(struct talk *t, enum side from, uint32_t stag, uint64_t to, uint32_t bytes)
{
	struct ibw_segment s = write_of(stag, to, bytes, true);

	s.opcode = IBW_RDMAP_READ_RESPONSE;
	send(t, from, &s, NULL, 0, 0, false);
}

static void fires(struct talk *t, const char *rule, const char *layer)
{
	mk_event_fires(t->c, rule, layer);
}

static void misses(struct talk *t, const char *rule)
{
	mk_misses(t->c, rule, NULL);
}

/* ---- Start-up ---- */

/* The first octets of the key are @key; nothing is said of what follows. */
static void keys(struct mk_capture *c, const char *key, bool fire)
{
	uint8_t bytes[20] = "MPA ID Req Frame";
	struct ibw_mpa_start_build b = { .rev = 1, .reply = true };
	struct talk t;
	unsigned int i;

	begin_with(&t, c, 0);
	for (i = 0; key[i]; i++)
		bytes[i] = (uint8_t)key[i];
	bytes[REV] = 1;
	put(&t, A, ACK, bytes, sizeof(bytes));
	if (fire)
		fires(&t, "IWP001", "mpa_start");
	else
		misses(&t, "IWP001");
	t.asked_crc = true;
	if (fire)
		start(&t, B, &b, 0, 0);
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

	begin(&t, c);
	start(&t, A, &b, reply ? 0 : at, octet);
	if (!reply && bad)
		fires(&t, rule, "mpa_start");
	b.reply = true;
	start(&t, B, &b, reply ? at : 0, octet);
	if (reply && bad)
		fires(&t, rule, "mpa_start");
	if (!bad)
		misses(&t, rule);
}

static void rev_0(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1 };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, REV, 0);
	fires(&t, "IWP002", "mpa_start");
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

	begin(&t, c);
	start(&t, A, &b, 0, 0);
	misses(&t, "IWP002");
	b.rev = 2;
	b.reply = true;
	start(&t, B, &b, 0, 0);
	fires(&t, "IWP002", "mpa_start");
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

	begin(&t, c);
	start(&t, A, &b, FLAGS, 0x10);
	fires(&t, "IWP003", "mpa_start");
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

	begin(&t, c);
	bytes[REV] = 1;
	bytes[18] = 2;
	put(&t, A, ACK, bytes, sizeof(bytes));
	misses(&t, "IWP004");
}

static void enhanced_3(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 3 };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, FLAGS, 0x10);
	fires(&t, "IWP005", "mpa_start");
}

static void enhanced_4(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 4 };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, FLAGS, 0x10);
	misses(&t, "IWP005");
}

static void rejected(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 2, .private_bytes = 7 };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, 0, 0);
	misses(&t, "IWP025");
	b.reply = b.reject = true;
	start(&t, B, &b, 0, 0);
	fires(&t, "IWP025", "mpa_start");
	put(&t, B, FIN, NULL, 0);
	misses(&t, "IWP026");
}

/* The capture goes on for @ns after the request, and nothing is reset. */
static void unanswered(struct mk_capture *c, uint64_t ns, bool fin, bool fire)
{
	struct ibw_mpa_start_build b = { .rev = 2 };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, 0, 0);
	if (fire)
		fires(&t, "IWP026", "mpa_start");
	else
		misses(&t, "IWP026");
	c->time_ns += ns;
	put(&t, A, fin ? FIN : ACK, NULL, 0);
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

	agree(&t, c, false, false);
	send_msg(&t, A, 1);
	s = send_of(2, 0, 64, false);
	send(&t, A, &s, NULL, 0, 0, false);
	s = send_of(2, 64, 64, true);
	send(&t, A, &s, NULL, 0, 0, false);
	s = write_of(7, 0x100, 100, false);
	send(&t, A, &s, NULL, 0, 0, false);
	s = write_of(7, 0x164, 100, true);
	send(&t, A, &s, NULL, 0, 0, false);
	read_of(&t, A, 1, 64);
	read_of(&t, A, 2, 32);
	respond(&t, B, 0x11, 0x1000, 64);
	respond(&t, B, 0x11, 0x2000, 32);
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		misses(&t, rules[i]);
}

static void crc(struct mk_capture *c)
{
	const struct ibw_segment s = send_of(1, 0, 64, true), next = send_of(2, 0, 64, true);
	struct talk t;

	agree(&t, c, true, false);
	send(&t, A, &s, NULL, 30, 1, false);
	fires(&t, "IWP008", "mpa");
	send(&t, A, &next, NULL, 30, 1, true);
	misses(&t, "IWP008");
}

static void crc_of_one(struct mk_capture *c)
{
	struct ibw_mpa_start_build b = { .rev = 1, .crc = true };
	struct talk t;

	begin(&t, c);
	start(&t, A, &b, 0, 0);
	b.crc = false;
	b.reply = true;
	start(&t, B, &b, 0, 0);
	misses(&t, "IWP009");
}

static void crc_off(struct mk_capture *c)
{
	const struct ibw_segment s = send_of(1, 0, 64, true);
	struct talk t;

	agree(&t, c, false, false);
	send(&t, A, &s, NULL, 30, 1, false);
	misses(&t, "IWP008");
}

/* The first marker is at the first octet; its pointer says 4 instead of 0. */
static void marker(struct mk_capture *c)
{
	const struct ibw_segment s = send_of(1, 0, 1000, true), next = send_of(2, 0, 64, true);
	struct talk t;

	agree(&t, c, true, true);
	send(&t, A, &s, NULL, 0, 0, false);
	misses(&t, "IWP010");
	send(&t, A, &next, NULL, 0, 0, false);
	misses(&t, "IWP010");
}

static void marker_wrong(struct mk_capture *c)
{
	const struct ibw_segment s = send_of(1, 0, 1000, true), next = send_of(3, 0, 64, true);
	struct talk t;

	agree(&t, c, true, true);
	send(&t, A, &s, NULL, 515, 4, true);
	fires(&t, "IWP010", "mpa");
	send(&t, A, &next, NULL, 0, 0, false);
	misses(&t, "IWP016");
}

/* A length of 82 becomes one of 16; a tagged one of 78 one of 14. */
static void length(struct mk_capture *c)
{
	const struct ibw_segment w = write_of(7, 0, 64, true), s = send_of(1, 0, 64, true);
	struct talk t;

	agree(&t, c, false, false);
	send(&t, A, &w, NULL, 0, 0, false);
	misses(&t, "IWP012");
	send(&t, A, &s, NULL, 1, 82 ^ 16, false);
	fires(&t, "IWP012", "mpa");
}

static void length_13(struct mk_capture *c)
{
	const struct ibw_segment w = write_of(7, 0, 64, true);
	struct talk t;

	agree(&t, c, false, false);
	send(&t, A, &w, NULL, 1, 78 ^ 13, false);
	fires(&t, "IWP012", "mpa");
}

/* One octet of the header of a Send is changed. */
static void changed(struct mk_capture *c, uint32_t at, uint8_t mask, const char *rule,
		    const char *layer)
{
	const struct ibw_segment s = send_of(2, 0, 64, true);
	struct talk t;

	agree(&t, c, false, false);
	send_msg(&t, A, 1);
	misses(&t, rule);
	send(&t, A, &s, NULL, at, mask, false);
	fires(&t, rule, layer);
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

	agree(&t, c, false, false);
	send_msg(&t, A, 0);
	fires(&t, "IWP016", "ddp_untagged");
	send_msg(&t, A, 5);
	misses(&t, "IWP016");
}

/* The second segment of a message does not go on where the first one ended. */
static void torn(struct mk_capture *c, struct ibw_segment first, struct ibw_segment second,
		 const char *rule, const char *layer)
{
	struct talk t;

	agree(&t, c, false, false);
	send(&t, A, &first, NULL, 0, 0, false);
	send(&t, A, &second, NULL, 0, 0, false);
	fires(&t, rule, layer);
}

static void mo(struct mk_capture *c)
{
	torn(c, send_of(1, 0, 64, false), send_of(1, 65, 64, true), "IWP017", "ddp_untagged");
}

static void to(struct mk_capture *c)
{
	torn(c, write_of(7, 0, 64, false), write_of(7, 65, 64, true), "IWP023", "ddp_tagged");
}

static void stag(struct mk_capture *c)
{
	torn(c, write_of(7, 0, 64, false), write_of(8, 64, 64, true), "IWP023", "ddp_tagged");
}

static void unasked(struct mk_capture *c)
{
	struct talk t;

	agree(&t, c, false, false);
	read_of(&t, A, 1, 64);
	respond(&t, B, 0x11, 0x1000, 64);
	misses(&t, "IWP021");
	respond(&t, B, 0x11, 0x1000, 64);
	fires(&t, "IWP021", "rdmap");
}

/* A READ of 64 bytes for STag 0x11 gets another answer. */
static void other_answer(struct mk_capture *c, uint32_t stag, uint32_t bytes)
{
	struct talk t;

	agree(&t, c, false, false);
	read_of(&t, A, 1, 64);
	respond(&t, B, stag, 0x1000, bytes);
	fires(&t, "IWP022", "rdmap");
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

	agree(&t, c, false, false);
	read_of(&t, A, 1, 64);
	read_of(&t, A, 2, 64);
	misses(&t, "IWP024");
	read_of(&t, A, 3, 64);
	fires(&t, "IWP024", "rdmap");
}

/* The last octets of an FPDU of 63: one of pad, @pad. */
static void pad(struct mk_capture *c, uint8_t octet)
{
	const struct ibw_segment s = send_of(1, 0, 63, true);
	struct talk t;

	agree(&t, c, true, false);
	send(&t, A, &s, NULL, 2 + 18 + 63, octet, true);
	if (octet)
		fires(&t, "IWP011", "mpa");
	else
		misses(&t, "IWP011");
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
	const struct ibw_segment s = send_of(1, 0, 485, true), next = send_of(2, 0, 485, true);
	struct talk t;

	agree(&t, c, true, true);
	send(&t, A, &s, NULL, 0, 0, false);
	misses(&t, "IWP011");
	send(&t, A, &next, NULL, 0, 0, false);
	misses(&t, "IWP011");
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

	begin(t, c);
	start(t, A, &b, 0, 0);
	b.reply = true;
	b.enhanced = reply;
	start(t, B, &b, 0, 0);
	t->crc = true;
}

/* The first FPDU is a Write of @bytes to @stag, and the reply is such. */
static void rtr_write(struct mk_capture *c, struct ibw_mpa_enhanced reply, uint32_t stag,
		      uint32_t bytes, const char *rule)
{
	const struct ibw_segment w = write_of(stag, 0, bytes, true);
	struct talk t;

	agree_rtr(&t, c, reply);
	send(&t, A, &w, NULL, 0, 0, false);
	if (rule)
		fires(&t, rule, "mpa");
	misses(&t, rule && !strcmp(rule, "IWP006") ? "IWP007" : "IWP006");
	send_msg(&t, B, 1);
	misses(&t, "IWP006");
	send_msg(&t, A, 1);
	misses(&t, "IWP006");
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
	const struct ibw_segment w = write_of(STAG_1, 0, 0, true);
	struct talk t;

	agree_rtr(&t, c, ALL_KINDS);
	send_msg(&t, B, 1);
	fires(&t, "IWP006", "mpa");
	send(&t, A, &w, NULL, 0, 0, false);
	misses(&t, "IWP006");
}

/* ---- How it ends ---- */

/* @what at the end: A's FIN, or B's RST. */
static void ends(struct talk *t, bool reset, bool fire)
{
	put(t, reset ? B : A, reset ? RST : FIN, NULL, 0);
	if (fire)
		fires(t, "IWP027", "rdmap");
	else
		misses(t, "IWP027");
}

/* A Send of two segments, of which the capture has @n. */
static void half(struct mk_capture *c, unsigned int n, bool reset)
{
	const struct ibw_segment first = send_of(1, 0, 64, false),
				 second = send_of(1, 64, 64, true);
	struct talk t;

	agree(&t, c, true, false);
	send(&t, A, &first, NULL, 0, 0, false);
	if (n > 1)
		send(&t, A, &second, NULL, 0, 0, false);
	ends(&t, reset, n == 1);
}

static void half_fin(struct mk_capture *c)
{
	half(c, 1, false);
}

static void half_reset(struct mk_capture *c)
{
	half(c, 1, true);
}

static void whole_fin(struct mk_capture *c)
{
	half(c, 2, false);
}

static void whole_reset(struct mk_capture *c)
{
	half(c, 2, true);
}

/* The capture ends, and the connection does not. */
static void half_open(struct mk_capture *c)
{
	const struct ibw_segment first = send_of(1, 0, 64, false);
	struct talk t;

	agree(&t, c, true, false);
	send(&t, A, &first, NULL, 0, 0, false);
	misses(&t, "IWP027");
}

/* 12 octets of an FPDU. */
static void half_fpdu(struct mk_capture *c)
{
	const uint8_t bytes[12] = { 0, 82, 0x41, 0x43 };
	struct talk t;

	agree(&t, c, true, false);
	put(&t, A, ACK, bytes, sizeof(bytes));
	ends(&t, false, true);
}

static void read_ends(struct mk_capture *c, bool answered, bool reset)
{
	struct talk t;

	agree(&t, c, true, false);
	read_of(&t, A, 1, 64);
	if (answered)
		respond(&t, B, 0x11, 0x1000, 64);
	ends(&t, reset, !answered);
}

static void read_unanswered(struct mk_capture *c)
{
	read_ends(c, false, true);
}

static void read_answered(struct mk_capture *c)
{
	read_ends(c, true, false);
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

	begin(t, c);
	t->id[A] = id;
	start(t, A, &b, 0, 0);
	b.reply = true;
	start(t, B, &b, 0, 0);
}

/* From 1 % or 200 ms on it is as bad as the rule. */
static void tcp_fires(struct talk *t, bool resent, uint64_t ns)
{
	if (resent || ns >= 200000000)
		fires(t, "IWP029", "tcp");
	else
		mk_event_fires_milder(t->c, "IWP029", "tcp");
}

/* The second of four FPDUs comes @ns after the third one; the third one has the number @third, the second one @second. */
static void second_late(struct mk_capture *c, uint16_t first, uint16_t third, uint16_t second,
			uint64_t ns, bool resent)
{
	struct talk t;

	agree_numbered(&t, c, first);
	send_msg(&t, A, 1);
	move(&t, SEND_FPDU, 0);
	t.id[A] = third;
	send_msg(&t, A, 3);
	move(&t, 0, 2 * SEND_FPDU);
	c->time_ns += ns;
	t.id[A] = second;
	send_msg(&t, A, 2);
	tcp_fires(&t, resent, ns);
	move(&t, SEND_FPDU, 0);
	t.id[A] = (uint16_t)(first ? (third > second ? third : second) + 1 : 0);
	send_msg(&t, A, 4);
	misses(&t, "IWP016");
}

static void late(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65532, 5000000, false);
}

static void very_late(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65532, 200000000, false);
}

static void lost(struct mk_capture *c)
{
	second_late(c, 65530, 65533, 65534, 0, true);
}

/* Without numbers, by the time since the hole opened, against that of the start-up. */
static void late_unnumbered(struct mk_capture *c)
{
	second_late(c, 0, 0, 0, 0, false);
}

static void lost_unnumbered(struct mk_capture *c)
{
	second_late(c, 0, 0, 0, 5000000, true);
}

/* Numbers of which no order follows: as without. */
static void lost_numbered_at_random(struct mk_capture *c)
{
	second_late(c, 60000, 40000, 20000, 5000000, true);
}

/* The second of six FPDUs is not there; whether B has it. */
static void hole(struct mk_capture *c, bool acked)
{
	struct talk t;
	uint32_t i;

	agree(&t, c, false, false);
	send_msg(&t, A, 1);
	move(&t, SEND_FPDU, 0);
	for (i = 3; i <= 6; i++)
		send_msg(&t, A, i);
	if (acked)
		send_msg(&t, B, 1);
	misses(&t, "IWP016");
	misses(&t, "IWP008");
	fires(&t, "IWP028", "mpa");
}

static void hole_acked(struct mk_capture *c)
{
	hole(c, true);
}

static void hole_open(struct mk_capture *c)
{
	hole(c, false);
}

/* The first of two FPDUs comes again, in a packet of the number @id. */
static void again(struct mk_capture *c, uint16_t first, uint16_t id)
{
	struct talk t;

	agree_numbered(&t, c, first);
	send_msg(&t, A, 1);
	move(&t, 0, SEND_FPDU);
	t.id[A] = id;
	send_msg(&t, A, 1);
	if (id == first + 1)
		misses(&t, "IWP029");
	else
		fires(&t, "IWP029", "tcp");
	send_msg(&t, A, 2);
	misses(&t, "IWP016");
	misses(&t, "IWP028");
}

static void twice(struct mk_capture *c)
{
	again(c, 7, 8);
}

static void resent(struct mk_capture *c)
{
	again(c, 7, 9);
}

static void resent_unnumbered(struct mk_capture *c)
{
	again(c, 0, 0);
}

/* Both ends take segments of 536 octets: a ULPDU of 530 fits. RFC 5044, 4.1 */
static void mulpdu(struct mk_capture *c, uint32_t bytes, bool fire)
{
	const struct ibw_segment s = send_of(1, 0, bytes, true);
	struct ibw_mpa_start_build b = { .rev = 2, .crc = true };
	struct talk t;

	begin_with(&t, c, 536);
	start(&t, A, &b, 0, 0);
	b.reply = true;
	start(&t, B, &b, 0, 0);
	t.crc = true;
	send(&t, A, &s, NULL, 0, 0, false);
	if (fire)
		fires(&t, "IWP030", "mpa");
	else
		misses(&t, "IWP030");
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
		send_msg(&t, A, 10 + i);
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
	send(t, B, &s, bytes, 0, 0, false);
	fires(t, "IWP019", "rdmap_terminate");
}

static void refused_write(struct mk_capture *c)
{
	const struct ibw_segment w = write_of(7, 0x100, 64, true);
	uint8_t ddp[14] = { 0xc1, 0x40, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0 };
	struct talk t;

	agree(&t, c, false, false);
	send(&t, A, &w, NULL, 0, 0, false);
	terminate(&t, false, 0, 1, 1, ddp, sizeof(ddp));
	send_msg(&t, A, 1);
	misses(&t, "IWP020");
	send_msg(&t, B, 1);
	fires(&t, "IWP020", "rdmap");
}

static void refused_as_siw(struct mk_capture *c)
{
	uint8_t ddp[18] = { 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
	struct talk t;

	agree(&t, c, false, false);
	send_msg(&t, A, 1);
	terminate(&t, true, 1, 2, 2, ddp, sizeof(ddp));
}

/* What a Terminate explains is no news. */
static void refused_read(struct mk_capture *c)
{
	struct talk t;

	agree(&t, c, false, false);
	read_of(&t, A, 1, 64);
	terminate(&t, false, 0, 1, 1, NULL, 0);
	put(&t, A, FIN, NULL, 0);
	mk_event_fires_milder(c, "IWP027", "rdmap");
}

static void refused_unquoted(struct mk_capture *c)
{
	struct talk t;

	agree(&t, c, false, false);
	send_msg(&t, A, 1);
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
	{ "half-fin.pcap", half_fin },
	{ "half-reset.pcap", half_reset },
	{ "whole-fin.pcap", whole_fin },
	{ "whole-reset.pcap", whole_reset },
	{ "half-open.pcap", half_open },
	{ "half-fpdu.pcap", half_fpdu },
	{ "read-unanswered.pcap", read_unanswered },
	{ "read-answered.pcap", read_answered },
	{ "mulpdu-530.pcap", mulpdu_530 },
	{ "mulpdu-531.pcap", mulpdu_531 },
	{ "very-late.pcap", very_late },
	{ "late.pcap", late },
	{ "lost.pcap", lost },
	{ "late-unnumbered.pcap", late_unnumbered },
	{ "lost-unnumbered.pcap", lost_unnumbered },
	{ "lost-numbered-at-random.pcap", lost_numbered_at_random },
	{ "hole-acked.pcap", hole_acked },
	{ "hole-open.pcap", hole_open },
	{ "twice.pcap", twice },
	{ "resent.pcap", resent },
	{ "resent-unnumbered.pcap", resent_unnumbered },
	{ "mid-3.pcap", mid_3 },
	{ "mid-4.pcap", mid_4 },
	{ "refused-write.pcap", refused_write },
	{ "refused-as-siw.pcap", refused_as_siw },
	{ "refused-unquoted.pcap", refused_unquoted },
	{ "refused-read.pcap", refused_read },
	{ 0 },
};

const struct mk_group mk_lint_iwp = { "iwp", cases, files, NULL };
