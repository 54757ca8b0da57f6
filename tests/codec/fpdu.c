/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fpdu.c - FPDUs built and taken apart: random messages at any place of the stream, of any length, with markers and without, with
 * a CRC and without, in pieces, cut anywhere, changed anywhere; lengths that cannot be; frames of the set-up.
 *
 * What is built is compared with bytes that this test makes by itself, one after the other: at each 512th byte of the stream a
 * marker. What is taken apart is before a page of no access.
 */
#include "check.h"
#include "guard.h"
#include "random.h"

#include <ibwire/build_fpdu.h>
#include <ibwire/segment.h>

#define FPDU_MAX (65544 + 4 * 130)
#define PAYLOAD_MAX 65535

static uint8_t payload[PAYLOAD_MAX], built[FPDU_MAX], reference[FPDU_MAX], taken[FPDU_MAX];
static struct guard guard;

static uint32_t below(uint32_t n)
{
	return next_random() % n;
}

/* CRC-32C, a bit at a time. */
static uint32_t step(uint32_t crc, const unsigned char *p, size_t n)
{
	unsigned int bit;

	for (; n; n--, p++) {
		crc ^= *p;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return crc;
}

/* A stream that is written byte by byte. */
static struct {
	uint64_t position; /* of the next byte */
	size_t n;
	size_t length_at; /* in reference */
	bool markers, begun;
} out;

static void put(uint8_t byte)
{
	if (out.markers && out.position % 512 == 0) {
		size_t distance = out.begun ? out.n - out.length_at : 0;

		reference[out.n++] = 0;
		reference[out.n++] = 0;
		reference[out.n++] = (uint8_t)(distance >> 8);
		reference[out.n++] = (uint8_t)distance;
		out.position += 4;
	}
	if (!out.begun)
		out.length_at = out.n;
	out.begun = true;
	reference[out.n++] = byte;
	out.position++;
}

static void put_number(uint64_t v, unsigned int bytes)
{
	while (bytes--)
		put((uint8_t)(v >> 8 * bytes));
}

/* The FPDU of @b once more; its length. */
static size_t make_reference(const struct ibw_fpdu_build *b)
{
	const struct ibw_segment *s = &b->segment;
	uint32_t length = (s->tagged ? 14 : 18) + s->bytes, i, crc;

	memset(&out, 0, sizeof(out));
	out.position = b->position;
	out.markers = b->markers;
	put_number(length, 2);
	put((uint8_t)((s->tagged ? 0x81 : 0x01) | (s->last ? 0x40 : 0)));
	put((uint8_t)(0x40 | s->opcode));
	if (s->tagged) {
		put_number(s->stag, 4);
		put_number(s->to, 8);
	} else {
		put_number(s->inval_stag, 4);
		put_number(s->qn, 4);
		put_number(s->msn, 4);
		put_number(s->mo, 4);
	}
	for (i = 0; i < s->bytes; i++)
		put(payload[i]);
	for (i = length + 2; i % 4; i++)
		put(0);
	put(0xee); /* a marker in front of the CRC is before this */
	out.n--;
	crc = b->crc ? ~step(0xffffffffu, reference, out.n) : 0;
	for (i = 0; i < 4; i++)
		reference[out.n++] = (uint8_t)(crc >> 8 * i);
	return out.n;
}

/* A segment that may be, of any opcode. */
static void random_segment(struct ibw_segment *s)
{
	static const uint32_t most[] = { 8, 600, 2000, 5000, PAYLOAD_MAX };
	uint32_t flags, header;

	memset(s, 0, sizeof(*s));
	s->opcode = (uint8_t)below(12);
	flags = ibw_rdmap_flags(s->opcode);
	header = ibw_rdmap_header_bytes(s->opcode);
	s->tagged = (flags & IBW_RDMAP_TAGGED) != 0;
	s->last = header || below(2);
	s->dv = s->rv = 1;
	s->bytes = below(most[below(64) ? below(3) : below(5)]);
	if (s->bytes > 65535 - (s->tagged ? 14u : 18u))
		s->bytes = 65535 - (s->tagged ? 14u : 18u);
	if (header)
		s->bytes = header;
	if (s->opcode == IBW_RDMAP_TERMINATE)
		s->bytes += below(49);
	if (s->tagged) {
		s->stag = next_random();
		s->to = (uint64_t)next_random() << 32 | next_random();
		return;
	}
	s->qn = ibw_rdmap_qn(s->opcode);
	s->msn = next_random();
	s->mo = next_random();
	s->inval_stag = flags & IBW_RDMAP_INVALIDATES ? next_random() : 0;
}

static void random_build(struct ibw_fpdu_build *b)
{
	b->position = (uint64_t)next_random() << 20 | (below(2) ? below(512) : below(4) * 4 + 500);
	b->position &= ~(uint64_t)3;
	b->mulpdu = 65535;
	b->markers = below(2);
	b->crc = below(2);
	random_segment(&b->segment);
}

static uint32_t phase_of(const struct ibw_fpdu_build *b)
{
	return b->markers ? ibw_fpdu_phase(b->position) : IBW_FPDU_NO_MARKERS;
}

static void check_segment(const struct ibw_segment *got, const struct ibw_segment *want)
{
	CHECK(got->tagged == want->tagged && got->last == want->last);
	CHECK(got->dv == 1 && got->rv == 1 && got->opcode == want->opcode);
	CHECK(got->stag == want->stag && got->to == want->to);
	CHECK(got->inval_stag == want->inval_stag && got->qn == want->qn);
	CHECK(got->msn == want->msn && got->mo == want->mo && got->bytes == want->bytes);
}

/* The payload by runs of at most @most bytes, with as many markers between them as there are. */
static void check_payload(const struct ibw_fpdu *f, const struct ibw_segment *s, uint32_t most)
{
	struct ibw_fpdu_cursor c = ibw_fpdu_payload(f, s);
	const uint8_t *p;
	uint32_t n, at = 0;

	while ((n = ibw_fpdu_next(&c, most, &p)) != 0) {
		CHECK(n <= most && p >= f->p && p + n <= f->p + f->bytes - IBW_MPA_CRC_BYTES);
		if (!CHECK(at + n <= s->bytes))
			return;
		memcpy(taken + at, p, n);
		at += n;
	}
	CHECK_EQ(at, s->bytes);
	CHECK_MEM(taken, payload, s->bytes);
}

/* Any bytes of the ULPDU, and none that it does not have. */
static void check_bytes(const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	uint32_t header = s->tagged ? 14 : 18, at = below(s->bytes + 1),
		 n = below(s->bytes - at + 1);
	const uint8_t *p = ibw_fpdu_bytes(f, header + at, n, taken);

	CHECK(p != NULL);
	if (p)
		CHECK_MEM(p, payload + at, n);
	CHECK(!ibw_fpdu_bytes(f, header + at, s->bytes - at + 1, taken));
	CHECK(!ibw_fpdu_bytes(f, f->ulpdu_length + 1, 0, taken));
	CHECK(!ibw_fpdu_bytes(f, 1, 0xffffffffu, taken));
}

/* The CRC over pieces that are cut at random, one of them empty. */
static void check_pieces(const uint8_t *p, size_t n, bool right)
{
	size_t one = below((uint32_t)n + 1), two = one + below((uint32_t)(n - one) + 1);
	struct ibw_piece piece[] = {
		{ p, one }, { NULL, 0 }, { p + one, two - one }, { p + two, n - two }
	};

	CHECK_EQ(ibw_fpdu_check_pieces(piece, 4, n, ibw_crc32c_step),
		 right ? IBW_FPDU_CRC_RIGHT : IBW_FPDU_CRC_WRONG);
	CHECK_EQ(ibw_fpdu_check_pieces(piece, 4, n + 1, ibw_crc32c_step), IBW_FPDU_CRC_CUT);
	CHECK_EQ(ibw_fpdu_check_pieces(piece, 4, 3, ibw_crc32c_step), IBW_FPDU_CRC_CUT);
}

/* Cut at a place: no more is asked for than the FPDU has, and no byte after it is looked at. */
static void check_cut(const struct ibw_fpdu_build *b, size_t n, size_t left)
{
	struct ibw_fpdu f;
	const uint8_t *p = guard_tail(&guard, built, left);

	CHECK_EQ(ibw_fpdu_view(&f, p, left, phase_of(b)), IBW_FPDU_CUT);
	CHECK(f.bytes > left && f.bytes <= n);
	if (left >= 6)
		CHECK_EQ(f.bytes, n);
}

static void check_one(void)
{
	struct ibw_fpdu_build b;
	struct ibw_segment s;
	struct ibw_fpdu f;
	struct ibw_piece piece[3];
	size_t n, want, one, two;
	uint8_t *p;

	random_build(&b);
	check_case("opcode %u, %u bytes at %" PRIu64 "%s%s", b.segment.opcode, b.segment.bytes,
		   b.position % 512, b.markers ? ", markers" : "", b.crc ? ", CRC" : "");
	want = make_reference(&b);
	one = below(b.segment.bytes + 1);
	two = one + below((uint32_t)(b.segment.bytes - one) + 1);
	piece[0] = (struct ibw_piece){ payload, one };
	piece[1] = (struct ibw_piece){ payload + one, two - one };
	piece[2] = (struct ibw_piece){ payload + two,
				       b.segment.bytes - two + 7 }; /* more than is asked for */
	memset(built, 0x5a, want + 8);
	CHECK_EQ(ibw_build_fpdu(built, want - 1, &b, piece, 3, ibw_crc32c_step), want);
	CHECK(built[0] == 0x5a && built[want - 1] == 0x5a);
	n = ibw_build_fpdu(built, want, &b, piece, 3, b.crc ? ibw_crc32c_step : NULL);
	if (!CHECK_EQ(n, want))
		return;
	CHECK_EQ(ibw_fpdu_build_bytes(&b), want);
	CHECK_MEM(built, reference, n);
	CHECK_EQ(built[n], 0x5a);

	p = guard_tail(&guard, built, n);
	if (!CHECK_EQ(ibw_fpdu_view(&f, p, n, phase_of(&b)), IBW_FPDU_OK))
		return;
	CHECK(f.bytes == n && f.p == p && n % 4 == 0);
	CHECK_EQ(ibw_fpdu_phase_after(phase_of(&b), f.bytes),
		 b.markers ? (b.position + n) % 512 : IBW_FPDU_NO_MARKERS);
	ibw_segment_view(&s, &f);
	check_segment(&s, &b.segment);
	check_payload(&f, &s, 0xffffffffu);
	check_payload(&f, &s, 1 + below(700));
	check_bytes(&f, &s);
	CHECK_EQ(ibw_fpdu_crc_found(&f) == ibw_fpdu_crc(&f, ibw_crc32c_step), b.crc);
	CHECK_EQ(ibw_fpdu_crc(&f, ibw_crc32c_step), ~step(0xffffffffu, reference, n - 4));
	check_pieces(p, n, b.crc);
	check_cut(&b, n, below((uint32_t)n));
	check_cut(&b, n, below(8));
}

/* A byte changed: a marker is found wrong, or the CRC is, or it is another FPDU. */
static void check_changed(void)
{
	struct ibw_fpdu_build b;
	struct ibw_fpdu f;
	struct ibw_piece piece = { payload, sizeof(payload) };
	uint32_t at, i, first;
	size_t n;

	random_build(&b);
	b.markers = b.crc = true;
	n = ibw_build_fpdu(built, sizeof(built), &b, &piece, 1, ibw_crc32c_step);
	if (!CHECK(n > 0))
		return;
	at = below((uint32_t)n);
	built[at] = (uint8_t)(built[at] ^ 1u << below(8));
	check_case("%zu bytes at %" PRIu64 ", byte %u changed", n, b.position % 512, at);
	first = (uint32_t)(512 - b.position % 512) % 512;
	if (ibw_fpdu_view(&f, guard_tail(&guard, built, n), n, phase_of(&b)) == IBW_FPDU_OK) {
		CHECK(f.bytes != n || ibw_fpdu_crc_found(&f) != ibw_fpdu_crc(&f, ibw_crc32c_step));
		return;
	}
	/* Of a marker the pointer, but for its low two bits; of the length and T anything. */
	i = at >= first ? (at - first) % 512 : 512;
	if (f.fault == IBW_FPDU_FAULT_MARKER && f.bytes == n)
		CHECK(i == 2 || i == 3);
}

/* All lengths: what is too short for its header, by T, and what is not. */
static void check_lengths(void)
{
	uint8_t p[4] = { 0 };
	struct ibw_fpdu f;
	uint32_t length, tagged, want;

	for (length = 0; length < 65536; length++)
		for (tagged = 0; tagged < 2; tagged++) {
			check_case("length %u, T %u", length, tagged);
			p[0] = (uint8_t)(length >> 8);
			p[1] = (uint8_t)length;
			p[2] = tagged ? 0x81 : 0x01;
			want = length < (tagged ? 14 : 18) ? IBW_FPDU_MALFORMED : IBW_FPDU_CUT;
			CHECK_EQ(ibw_fpdu_view(&f, p, 4, IBW_FPDU_NO_MARKERS), want);
			CHECK_EQ(f.fault, want == IBW_FPDU_CUT ? IBW_FPDU_FAULT_NONE
							       : IBW_FPDU_FAULT_LENGTH);
			if (want == IBW_FPDU_CUT)
				CHECK_EQ(f.bytes, (length + 2 + 3) / 4 * 4 + 4);
			/* Without T nothing is said of 14 to 17. */
			CHECK_EQ(ibw_fpdu_view(&f, p, 2, IBW_FPDU_NO_MARKERS),
				 length < 14 ? IBW_FPDU_MALFORMED : IBW_FPDU_CUT);
		}
	for (length = 0; length < 1100; length++) {
		check_case("phase %u", length);
		CHECK_EQ(ibw_fpdu_view(&f, p, 0, length),
			 length % 4 || length > 512 ? IBW_FPDU_MALFORMED : IBW_FPDU_CUT);
	}
}

/* What is no FPDU is not built. */
static void check_refused(void)
{
	struct ibw_piece piece = { payload, 100 };
	struct ibw_fpdu_build b = { .mulpdu = 118 }, good;

	b.segment.opcode = IBW_RDMAP_SEND;
	b.segment.last = true;
	b.segment.bytes = 100;
	good = b;
	check_case("%s", "refused");
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OK);
	CHECK_EQ(ibw_build_fpdu(NULL, 0, &b, &piece, 1, NULL), 124);
	piece.n = 99;
	CHECK_EQ(ibw_build_fpdu(built, 1000, &b, &piece, 1, NULL), 0);
	b.position = 2;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_POSITION);
	CHECK_EQ(ibw_build_fpdu(built, 1000, &b, &piece, 1, NULL), 0);
	b = good;
	b.mulpdu = 117;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_LONG);
	b.mulpdu = 0xffffffff;
	b.segment.bytes = 65535 - 18;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OK);
	b.segment.bytes++;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_LONG);
	b.segment.bytes = 0xffffffff;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_LONG);
	b = good;
	b.segment.opcode = 12;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OPCODE);
	b.segment.opcode = IBW_RDMAP_WRITE; /* without T */
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OPCODE);
	b = good;
	b.segment.qn = 1;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OPCODE);
	b = good;
	b.segment.inval_stag = 1;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OPCODE);
	b.segment.opcode = IBW_RDMAP_SEND_INVALIDATE;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OK);
	b = good;
	b.segment.opcode = IBW_RDMAP_TERMINATE;
	b.segment.qn = 2;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_OK);
	b.segment.bytes = 3;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_PAYLOAD);
	b.segment.bytes = 4;
	b.segment.last = false;
	CHECK_EQ(ibw_fpdu_build_check(&b), IBW_FPDU_BUILD_PAYLOAD);
}

/* A payload that is already where it goes. */
static void check_in_place(void)
{
	struct ibw_fpdu_build b = { .mulpdu = 65535, .crc = true };
	struct ibw_piece piece = { built + 2 + 14, 777 };

	check_case("%s", "in place");
	b.segment.tagged = b.segment.last = true;
	b.segment.opcode = IBW_RDMAP_WRITE;
	b.segment.bytes = 777;
	memcpy(built + 16, payload, 777);
	CHECK_EQ(ibw_build_fpdu(built, sizeof(built), &b, &piece, 1, step), make_reference(&b));
	CHECK_MEM(built, reference, out.n);
}

/* RFC 5044, 4.1: what fits a segment with every pad and as many markers as there can be. */
static void check_mulpdu(void)
{
	uint32_t emss, most;
	uint64_t at;

	CHECK_EQ(ibw_mulpdu(1448, false), 1442);
	CHECK_EQ(ibw_mulpdu(1460, true), 1442);
	CHECK_EQ(ibw_mulpdu(5, false), 0);
	CHECK_EQ(ibw_mulpdu(0, true), 0);
	for (emss = 40; emss < 3000; emss++) {
		struct ibw_fpdu_build b = { .markers = true };

		check_case("EMSS %u", emss);
		most = ibw_mulpdu(emss, true);
		b.segment.opcode = IBW_RDMAP_SEND;
		b.segment.bytes = most > 18 ? most - 18 : 0;
		for (at = 0; most > 18 && at < 512; at += 4) {
			b.position = at;
			CHECK(ibw_fpdu_build_bytes(&b) <= emss);
		}
	}
}

static bool is_same_join(const struct ibw_segment_join *a, const struct ibw_segment_join *b)
{
	return a->segments == b->segments && a->open == b->open && a->m.opcode == b->m.opcode &&
	       a->m.mulpdu == b->m.mulpdu && a->m.bytes == b->m.bytes && a->m.stag == b->m.stag &&
	       a->m.to == b->m.to && a->m.inval_stag == b->m.inval_stag && a->m.msn == b->m.msn;
}

/* A message cut into segments and joined again; and what does not go on is found. */
static void check_message(void)
{
	static const uint8_t opcodes[] = { 0, 2, 3, 4, 5, 6 };
	struct ibw_rdmap_message m = { .opcode = opcodes[below(6)], .mulpdu = 19 + below(3000) };
	struct ibw_segment_join j = { 0 }, before;
	struct ibw_segment s, other;
	uint32_t i, offset, at = 0, sum = 0;
	enum ibw_message_step want;

	m.bytes = below(20) ? below(20000) : 0;
	m.stag = next_random();
	m.to = (uint64_t)next_random() << 32 | next_random();
	m.inval_stag = next_random();
	m.msn = next_random();
	check_case("opcode %u, %u bytes by %u", m.opcode, m.bytes, m.mulpdu);
	for (i = 0; ibw_message_segment_at(&m, i, &s, &offset); i++) {
		CHECK_EQ(offset, sum);
		CHECK(s.bytes + (s.tagged ? 14 : 18) <= m.mulpdu);
		other = s;
		switch (below(5)) { /* one that does not go on */
		case 0:
			other.opcode = 12;
			break;
		case 1:
			other.dv = 0;
			break;
		case 2:
			other.rv = 2;
			break;
		case 3:
			other.tagged = !s.tagged;
			break;
		case 4:
			if (s.tagged && i)
				other.to++;
			else if (s.tagged)
				other.opcode = 3;
			else
				other.mo++;
			break;
		}
		before = j;
		CHECK_EQ(ibw_message_segment_take(&j, &other, &at), IBW_MESSAGE_BROKEN);
		CHECK(is_same_join(&before, &j));
		want = s.last ? IBW_MESSAGE_COMPLETE : i ? IBW_MESSAGE_GOES_ON : IBW_MESSAGE_BEGUN;
		CHECK_EQ(ibw_message_segment_take(&j, &s, &at), want);
		CHECK_EQ(at, offset);
		sum += s.bytes;
	}
	CHECK(sum == m.bytes && s.last && j.m.bytes == m.bytes && j.segments == i && !j.open);
	CHECK(j.m.opcode == m.opcode);
	if (ibw_rdmap_flags(m.opcode) & IBW_RDMAP_TAGGED)
		CHECK(j.m.stag == m.stag && j.m.to == m.to);
	else
		CHECK(j.m.msn == m.msn && j.m.inval_stag == m.inval_stag);
}

/* What no message has. */
static void check_no_message(void)
{
	struct ibw_rdmap_message m = { .opcode = 3, .mulpdu = 18, .bytes = 1 };
	struct ibw_segment_join j = { 0 };
	struct ibw_segment s;
	uint32_t offset;

	check_case("%s", "no message");
	CHECK(!ibw_message_segment_at(&m, 0, &s, &offset));
	m.mulpdu = 19;
	CHECK(ibw_message_segment_at(&m, 0, &s, &offset) && s.bytes == 1);
	m.mulpdu = 0xffffffff;
	m.bytes = 0xffffffff;
	CHECK(ibw_message_segment_at(&m, 65536, &s, &offset) && s.bytes == 65517);
	CHECK(!ibw_message_segment_at(&m, 0xffffffff, &s, &offset));
	m.opcode = 12;
	CHECK(!ibw_message_segment_at(&m, 0, &s, &offset));
	m = (struct ibw_rdmap_message){ .opcode = 1, .mulpdu = 1000, .bytes = 28 };
	CHECK(ibw_message_segment_at(&m, 0, &s, &offset));
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_COMPLETE);
	s.bytes = 27;
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_BROKEN);
	s.bytes = 28;
	s.last = false;
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_BROKEN);
	m.opcode = 3;
	CHECK(ibw_message_segment_at(&m, 0, &s, &offset));
	s.last = false;
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_BEGUN);
	s.mo = 28;
	j.m.bytes = 28;
	s.bytes = 0xffffffff - 27; /* over 2^32 - 1 together */
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_BROKEN);
	s.bytes--;
	CHECK_EQ(ibw_message_segment_take(&j, &s, &offset), IBW_MESSAGE_GOES_ON);
}

/* Frames of the set-up: built, cut at every place, and each byte of the key changed. */
static void check_start(void)
{
	struct ibw_mpa_start_build b = { .reply = below(2), .rev = (uint8_t)(1 + below(2)) };
	enum ibw_fpdu_outcome outcome;
	struct ibw_mpa_frame f;
	size_t n, left;
	uint8_t *p;

	b.markers = below(2);
	b.crc = below(2);
	b.reject = b.reply && below(2);
	b.has_enhanced = b.rev == 2 && below(2);
	b.enhanced.a = (uint8_t)below(2);
	b.enhanced.ird = (uint16_t)below(0x4000);
	b.enhanced.d = (uint8_t)below(2);
	b.enhanced.ord = (uint16_t)below(0x4000);
	b.private_bytes = below(513 - (b.has_enhanced ? 4 : 0));
	check_case("%s of revision %u, %u bytes", b.reply ? "reply" : "request", b.rev,
		   b.private_bytes);
	n = ibw_build_mpa_start(built, 10, &b, payload);
	CHECK_EQ(n, 20u + (b.has_enhanced ? 4u : 0u) + b.private_bytes);
	CHECK_EQ(ibw_build_mpa_start(built, n, &b, payload), n);
	CHECK_MEM(built, b.reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", 16);
	CHECK_EQ(built[16], b.markers << 7 | b.crc << 6 | b.reject << 5 | b.has_enhanced << 4);
	for (left = 0; left < n; left++) {
		outcome = ibw_mpa_frame_view(&f, guard_tail(&guard, built, left), left);
		CHECK_EQ(outcome, IBW_FPDU_CUT);
	}
	p = guard_tail(&guard, built, n);
	if (CHECK_EQ(ibw_mpa_frame_view(&f, p, n), IBW_FPDU_OK)) {
		CHECK(f.reply == b.reply && f.bytes == n && f.private_bytes == b.private_bytes);
		CHECK_MEM(f.private_data, payload, f.private_bytes);
		CHECK_EQ(f.enhanced != NULL, b.has_enhanced);
		if (f.enhanced)
			CHECK(ibw_mpa_enhanced_ird(f.enhanced) == b.enhanced.ird &&
			      ibw_mpa_enhanced_ord(f.enhanced) == b.enhanced.ord);
	}
	left = below(16);
	p[left] ^= 0x20;
	CHECK_EQ(ibw_mpa_frame_view(&f, p, n), IBW_FPDU_MALFORMED);
	CHECK_EQ(ibw_mpa_frame_view(&f, p, left + 1), IBW_FPDU_MALFORMED);
}

static void check_start_refused(void)
{
	struct ibw_mpa_start_build b = { .rev = 1, .private_bytes = 513 };
	struct ibw_mpa_frame f;
	uint8_t p[24];

	check_case("%s", "frames that are none");
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.private_bytes = 0;
	b.reject = true;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.reject = false;
	b.has_enhanced = true;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.rev = 3;
	b.has_enhanced = false;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.rev = 0;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.rev = 2;
	b.has_enhanced = true;
	b.private_bytes = 509;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.private_bytes = 0;
	b.enhanced.ird = 0x4000;
	CHECK_EQ(ibw_build_mpa_start(built, 1000, &b, payload), 0);
	b.enhanced.ird = 0x3fff;
	CHECK_EQ(ibw_build_mpa_start(p, sizeof(p), &b, payload), 24);
	p[19] = 3; /* private data that the enhanced set-up does not fit */
	CHECK_EQ(ibw_mpa_frame_view(&f, p, 24), IBW_FPDU_MALFORMED);
	p[18] = 2;
	p[19] = 1;
	CHECK_EQ(ibw_mpa_frame_view(&f, p, 24), IBW_FPDU_MALFORMED);
	p[19] = 0;
	CHECK_EQ(ibw_mpa_frame_view(&f, p, 24), IBW_FPDU_CUT);
}

/* Any bytes as a Terminate: nothing after them is looked at, and what it quotes is inside. */
static void check_terminate(void)
{
	struct ibw_terminate t;
	uint32_t n = below(60), i;
	uint8_t bytes[60] = { 0 }, *p;

	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)next_random();
	p = guard_tail(&guard, bytes, n);
	check_case("Terminate of %u bytes", n);
	CHECK_EQ(ibw_terminate_view(&t, p, n), n >= 4);
	if (n < 4)
		return;
	CHECK(t.layer < 16 && t.etype < 16 && t.code == bytes[1]);
	if (t.terminated)
		CHECK((const uint8_t *)t.terminated == p + 4 && n >= 6);
	if (t.ddp)
		CHECK(t.ddp >= p + 4 && t.ddp + (*t.ddp & 0x80 ? 14 : 18) <= p + n);
	if (t.read_req)
		CHECK((const uint8_t *)t.read_req + 28 <= p + n && !t.cut);
}

int main(void)
{
	unsigned int i;

	guard = guard_open(FPDU_MAX);
	for (i = 0; i < PAYLOAD_MAX; i++)
		payload[i] = (uint8_t)next_random();
	for (i = 0; i < 20000; i++)
		check_one();
	for (i = 0; i < 20000; i++)
		check_changed();
	check_lengths();
	check_refused();
	check_in_place();
	check_mulpdu();
	for (i = 0; i < 5000; i++)
		check_message();
	check_no_message();
	for (i = 0; i < 500; i++)
		check_start();
	check_start_refused();
	for (i = 0; i < 5000; i++)
		check_terminate();
	guard_close(&guard);
	return check_end();
}
