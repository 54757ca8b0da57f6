/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fpdu_streams.c - what the library says of TCP streams, for fpdu_oracle.py: test-fpdu_streams FILE
 *
 * FILE holds a stream after the other: how many bytes it has (32 bits, most significant first), whether markers are in it and whether
 * the CRC is in use (a byte each), and the bytes. Printed is a line for the frame of the set-up, for each FPDU, Terminate
 * and message, and for what is left at the end. Each FPDU is looked at once more without its last byte.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ibwire/crc.h>
#include <ibwire/segment.h>

static void print_frame(const struct ibw_mpa_frame *f)
{
	struct ibw_mpa_start start;

	ibw_mpa_start_unpack(&start, f->start);
	printf("frame %s m %u c %u r %u s %u rev %u pd_length %u", f->reply ? "reply" : "request",
	       start.m, start.c, start.r, start.s, start.rev, start.pd_length);
	if (f->enhanced)
		printf(" a %u b %u c %u d %u ird %u ord %u", ibw_mpa_enhanced_a(f->enhanced),
		       ibw_mpa_enhanced_b(f->enhanced), ibw_mpa_enhanced_c(f->enhanced),
		       ibw_mpa_enhanced_d(f->enhanced), ibw_mpa_enhanced_ird(f->enhanced),
		       ibw_mpa_enhanced_ord(f->enhanced));
	printf(" private %u %08x\n", f->private_bytes,
	       ibw_crc32(0, f->private_data, f->private_bytes));
}

static uint32_t sum_of_payload(const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	struct ibw_fpdu_cursor c = ibw_fpdu_payload(f, s);
	const uint8_t *p;
	uint32_t n, sum = 0;

	while ((n = ibw_fpdu_next(&c, 0xffffffffu, &p)) != 0)
		sum = ibw_crc32(sum, p, n);
	return sum;
}

static const char *crc_of(const struct ibw_fpdu *f, bool in_use)
{
	if (!in_use)
		return "unused";
	return ibw_fpdu_crc_found(f) == ibw_fpdu_crc(f, ibw_crc32c_step) ? "good" : "bad";
}

static void print_fpdu(const struct ibw_fpdu *f, const struct ibw_segment *s, size_t at, bool crc)
{
	printf("fpdu %zu bytes %u ulpdu %u pad %u markers %u crc %s dv %u rv %u opcode %u last %u ",
	       at, f->bytes, f->ulpdu_length, f->pad, f->markers, crc_of(f, crc), s->dv, s->rv,
	       s->opcode, s->last);
	if (s->tagged)
		printf("stag %08x to %016" PRIx64, s->stag, s->to);
	else
		printf("inval %08x qn %u msn %u mo %u", s->inval_stag, s->qn, s->msn, s->mo);
	printf(" payload %u %08x\n", s->bytes, sum_of_payload(f, s));
}

static void print_terminate(const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	uint8_t room[IBW_TERMINATE_MAX] = { 0 };
	uint32_t n = s->bytes < sizeof(room) ? s->bytes : (uint32_t)sizeof(room);
	struct ibw_terminate_words text;
	struct ibw_terminate t;

	if (!ibw_terminate_view(&t, ibw_fpdu_payload_bytes(f, s, n, room), n))
		return;
	ibw_terminate_text(&text, t.layer, t.etype, t.code);
	printf("terminate %u %u %u swapped %u cut %u length %d ddp %d read %d: %s; %s; %s\n",
	       t.layer, t.etype, t.code, t.swapped, t.cut,
	       t.terminated ? ibw_rdmap_terminated_ddp_segment_length(t.terminated) : -1,
	       t.ddp ? *t.ddp : -1, t.read_req ? (int)ibw_rdmap_read_req_read_size(t.read_req) : -1,
	       text.layer ? text.layer : "?", text.etype ? text.etype : "?",
	       text.code ? text.code : "?");
}

static void print_step(struct ibw_segment_join *join, const struct ibw_segment *s)
{
	uint32_t offset;

	switch (ibw_message_segment_take(join, s, &offset)) {
	case IBW_MESSAGE_COMPLETE:
		printf("message %u bytes %u segments %u\n", join->m.opcode, join->m.bytes,
		       join->segments);
		break;
	case IBW_MESSAGE_BROKEN:
		printf("broken\n");
		break;
	default:
		break;
	}
}

static void print_stream(const uint8_t *p, size_t n, bool markers, bool crc)
{
	uint32_t phase = markers ? 0 : IBW_FPDU_NO_MARKERS;
	struct ibw_segment_join join = { .open = false };
	enum ibw_fpdu_outcome outcome;
	struct ibw_mpa_frame frame;
	struct ibw_segment s;
	struct ibw_fpdu f, short_of;
	size_t at = 0;

	outcome = ibw_mpa_frame_view(&frame, p, n);
	if (outcome == IBW_FPDU_OK) {
		print_frame(&frame);
		at = frame.bytes;
		while ((outcome = ibw_fpdu_view(&f, p + at, n - at, phase)) == IBW_FPDU_OK) {
			if (ibw_fpdu_view(&short_of, p + at, f.bytes - 1, phase) != IBW_FPDU_CUT)
				printf("an FPDU without its last byte is not cut\n");
			ibw_segment_view(&s, &f);
			print_fpdu(&f, &s, at, crc);
			if (s.opcode == IBW_RDMAP_TERMINATE)
				print_terminate(&f, &s);
			print_step(&join, &s);
			at += f.bytes;
			phase = ibw_fpdu_phase_after(phase, f.bytes);
		}
	}
	printf("end %s %zu left\n", outcome == IBW_FPDU_CUT ? "cut" : "malformed", n - at);
}

static bool next_stream(FILE *in)
{
	uint8_t head[6], *p;
	size_t n;

	if (fread(head, 1, sizeof(head), in) != sizeof(head))
		return false;
	n = ibw_get_be32(head);
	p = malloc(n ? n : 1);
	if (!p || fread(p, 1, n, in) != n) {
		free(p);
		return false;
	}
	print_stream(p, n, head[4], head[5]);
	free(p);
	return true;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!in)
		return 1;
	while (next_stream(in))
		;
	fclose(in);
	return 0;
}
