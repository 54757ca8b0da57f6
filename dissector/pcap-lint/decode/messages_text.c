/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messages_text.c - a message as a line, and the layers of what it carries below it. */
#include "messages.h"

#define FRAMES_SHOWN 16u

static void number(struct ibw_out *o, const char *before, uint64_t n)
{
	ibw_out_str(o, before);
	ibw_out_dec(o, n);
}

static void hex(struct ibw_out *o, const char *before, uint64_t n, unsigned int digits)
{
	ibw_out_str(o, before);
	ibw_out_hex(o, n, digits);
}

/* "connection 0 a to b, 10.0.0.1 -> 10.0.0.2 qp 0x000117" */
static void who(struct ibw_out *o, const struct pl_message *p)
{
	struct track_flow flow = p->m->place.flow;
	char text[TRACK_FLOW_TEXT];

	if (p->has_connection) {
		number(o, "connection ", p->connection);
		ibw_out_str(o, p->way == TRACK_A_TO_B ? " a to b, " : " b to a, ");
	}
	track_flow_as_seen(&flow);
	ibw_out_str(o, track_flow_text(&flow, text));
}

/* "psn 7, key 0x00000011, address 0x0000000000001000, solicited" */
static void what(struct ibw_out *o, const struct track_message_out *m)
{
	ibw_out_str(o, ": ");
	ibw_out_str(o, track_message_kinds[m->kind]);
	if (m->has_psn)
		number(o, ", psn ", m->psn);
	if (m->has_msn)
		number(o, ", msn ", m->msn);
	if (m->has_key) {
		hex(o, ", key ", m->key, 8);
		hex(o, ", address ", m->address, 16);
	}
	if (m->has_immediate)
		hex(o, ", immediate ", m->immediate, m->place.iwarp ? 16 : 8);
	if (m->has_invalidate)
		hex(o, ", invalidates ", m->invalidate, 8);
	if (m->solicited)
		ibw_out_str(o, ", solicited");
	ibw_out_str(o, ", ");
	pl_out_counted(o, m->length, "byte");
}

/* " in frames 8 9 10", " in 70 frames 8 9 ... 77" */
static void frames(struct ibw_out *o, const struct track_message_out *m)
{
	uint32_t i, shown = MIN(m->n_frames, FRAMES_SHOWN);

	if (!m->n_frames)
		return;
	if (m->n_frames > FRAMES_SHOWN)
		number(o, " in ", m->n_frames);
	else
		ibw_out_str(o, " in");
	ibw_out_str(o, m->n_frames == 1 ? " frame" : " frames");
	for (i = 0; i < shown; i++)
		number(o, " ", m->frames[i]);
	if (shown < m->n_frames)
		number(o, " ... ", m->frames[m->n_frames - 1]);
}

static void head(struct ibw_out *o, const struct pl_message *p)
{
	const struct track_message_out *m = p->m;

	pl_out_name(o, p->file);
	number(o, ":", m->frame);
	number(o, ": message ", p->number);
	if (p->has_begin) {
		ibw_out_str(o, " at ");
		pl_out_time(o, m->begin_ns);
		if (p->has_end && m->end_ns != m->begin_ns) {
			ibw_out_str(o, " to ");
			pl_out_time(o, m->end_ns);
		}
	}
	ibw_out_str(o, ", ");
	who(o, p);
	what(o, m);
	frames(o, m);
	ibw_out_str(o, ": ");
	ibw_out_str(o, track_message_outcomes[m->outcome]);
	if (m->answered)
		number(o,
		       m->outcome == TRACK_MESSAGE_REFUSED ? " by frame " : ", answered by frame ",
		       m->answered);
	ibw_out_char(o, '\n');
}

void pl_message_text(struct pl_output *output, const struct pl_message *p, bool verbose)
{
	struct ibw_print_context context = ibw_print_start();

	pl_output_room(output);
	head(&output->out, p);
	pl_decode_text_layers(output, &context, &p->layers);
	if (verbose)
		pl_decode_text_dump(output, p->m->bytes, 0, p->m->n_bytes);
}
