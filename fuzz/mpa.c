/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mpa.c - a TCP stream of iWARP: what is taken apart is built again, and is the same.
 *
 * Input: a byte, 1: there are markers, 2: a frame of the set-up comes first; a byte, where the stream is, in units of 4 bytes; then the
 * stream.
 */
#include <stdlib.h>
#include <string.h>

#include <ibwire/crc.h>
#include <ibwire/segment.h>
#include <ibwire/build_fpdu.h>

#include "fuzz.h"

#define ROOM (65544 + 4 * 130)

/* No outcome but CUT may become another one when more bytes come. */
static void check_prefixes(const uint8_t *p, size_t n, uint32_t phase, enum ibw_fpdu_outcome whole)
{
	enum ibw_fpdu_outcome outcome;
	struct ibw_fpdu f;
	size_t left, by = n / 32 + 1;

	for (left = 0; left < n; left += left < 16 ? 1 : by) {
		outcome = ibw_fpdu_view(&f, p, left, phase);
		FUZZ_CHECK(outcome == IBW_FPDU_CUT ||
			   (outcome == IBW_FPDU_MALFORMED && outcome == whole));
		FUZZ_CHECK(outcome != IBW_FPDU_CUT || f.bytes > left);
	}
}

/* The payload in one piece, each byte of it inside the FPDU. */
static void gather(uint8_t *to, const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	struct ibw_fpdu_cursor c = ibw_fpdu_payload(f, s);
	const uint8_t *from;
	uint32_t n, all = 0;

	while ((n = ibw_fpdu_next(&c, 1000, &from)) != 0) {
		FUZZ_CHECK(from >= f->p && from + n <= f->p + f->bytes - IBW_MPA_CRC_BYTES);
		memcpy(to + all, from, n);
		all += n;
	}
	FUZZ_CHECK(all == s->bytes);
}

static bool same(const struct ibw_segment *a, const struct ibw_segment *b)
{
	return a->tagged == b->tagged && a->last == b->last && a->opcode == b->opcode &&
	       a->stag == b->stag && a->to == b->to && a->inval_stag == b->inval_stag &&
	       a->qn == b->qn && a->msn == b->msn && a->mo == b->mo && a->bytes == b->bytes;
}

/* Built from what was read: the same segment at the same place. */
static void check_built(const struct ibw_fpdu *f, const struct ibw_segment *s, uint32_t phase,
			const uint8_t *payload)
{
	static uint8_t built[ROOM], again[ROOM];
	struct ibw_fpdu_build b = { .mulpdu = 0xffff, .crc = true };
	struct ibw_piece piece[] = { { payload, s->bytes / 3 },
				     { payload + s->bytes / 3, s->bytes - s->bytes / 3 } };
	struct ibw_segment s2;
	struct ibw_fpdu f2;
	size_t n;

	b.markers = phase != IBW_FPDU_NO_MARKERS;
	b.position = b.markers ? phase : 0;
	b.segment = *s;
	if (ibw_fpdu_build_check(&b))
		return;
	FUZZ_CHECK(ibw_build_fpdu(built, 0, &b, piece, 2, ibw_crc32c_step) == f->bytes);
	n = ibw_build_fpdu(built, f->bytes, &b, piece, 2, ibw_crc32c_step);
	FUZZ_CHECK(n == f->bytes);
	FUZZ_CHECK(ibw_fpdu_view(&f2, built, n, phase) == IBW_FPDU_OK && f2.bytes == n);
	FUZZ_CHECK(f2.pad == f->pad && f2.markers == f->markers);
	FUZZ_CHECK(ibw_fpdu_crc_found(&f2) == ibw_fpdu_crc(&f2, ibw_crc32c_step));
	ibw_segment_view(&s2, &f2);
	FUZZ_CHECK(same(s, &s2));
	gather(again, &f2, &s2);
	FUZZ_CHECK(!memcmp(again, payload, s->bytes));
}

/* In pieces as in one, and by a step a byte as by one. */
static void check_crc(const struct ibw_fpdu *f)
{
	uint32_t crc = ibw_fpdu_crc(f, ibw_crc32c_step), bytewise = 0xffffffffu, i, n = f->bytes;
	bool right = crc == ibw_fpdu_crc_found(f);
	struct ibw_piece piece[] = { { f->p, n / 2 }, { f->p + n / 2, n - n / 2 } };

	FUZZ_CHECK(ibw_fpdu_check_pieces(piece, 2, n, ibw_crc32c_step) ==
		   (right ? IBW_FPDU_CRC_RIGHT : IBW_FPDU_CRC_WRONG));
	for (i = 0; i < n - IBW_MPA_CRC_BYTES; i++)
		bytewise = ibw_crc32c_step(bytewise, f->p + i, 1);
	FUZZ_CHECK(crc == ~bytewise);
}

static void check_terminate(const uint8_t *payload, uint32_t n)
{
	struct ibw_terminate_words text;
	struct ibw_terminate t;

	if (!ibw_terminate_view(&t, payload, n))
		return;
	ibw_terminate_text(&text, t.layer, t.etype, t.code);
	FUZZ_CHECK(!text.code || (text.etype && text.layer));
	FUZZ_CHECK(!t.ddp ||
		   t.ddp + (*t.ddp & 0x80 ? ibw_ddp_tagged_BYTES : ibw_ddp_untagged_BYTES) <=
			   payload + n);
	FUZZ_CHECK(!t.read_req ||
		   (const uint8_t *)t.read_req + ibw_rdmap_read_req_BYTES <= payload + n);
}

static void check_stream(const uint8_t *p, size_t left, uint32_t phase)
{
	static uint8_t payload[ROOM];
	struct ibw_segment_join join = { .open = false };
	enum ibw_fpdu_outcome outcome;
	struct ibw_segment s;
	struct ibw_fpdu f;
	uint32_t offset;

	for (;; p += f.bytes, left -= f.bytes, phase = ibw_fpdu_phase_after(phase, f.bytes)) {
		outcome = ibw_fpdu_view(&f, p, left, phase);
		check_prefixes(p, outcome == IBW_FPDU_OK ? f.bytes : left, phase, outcome);
		if (outcome != IBW_FPDU_OK)
			break;
		FUZZ_CHECK(f.bytes <= left && f.bytes % 4 == 0 && f.fault == IBW_FPDU_FAULT_NONE);
		ibw_segment_view(&s, &f);
		gather(payload, &f, &s);
		check_crc(&f);
		check_built(&f, &s, phase, payload);
		check_terminate(payload, s.bytes);
		if (ibw_message_segment_take(&join, &s, &offset) != IBW_MESSAGE_BROKEN)
			FUZZ_CHECK(join.m.bytes == offset + s.bytes && join.open == !s.last);
	}
	FUZZ_CHECK(outcome == IBW_FPDU_CUT || f.fault != IBW_FPDU_FAULT_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibw_mpa_frame frame;
	uint32_t phase;

	if (size < 2)
		return 0;
	phase = data[0] & 1 ? data[1] % 128u * 4 : IBW_FPDU_NO_MARKERS;
	if (data[0] & 2) {
		if (ibw_mpa_frame_view(&frame, data + 2, size - 2) != IBW_FPDU_OK)
			return 0;
		FUZZ_CHECK(frame.bytes <= size - 2);
		FUZZ_CHECK(frame.private_data + frame.private_bytes == data + 2 + frame.bytes);
		data += frame.bytes;
		size -= frame.bytes;
	}
	check_stream(data + 2, size - 2, phase);
	return 0;
}
