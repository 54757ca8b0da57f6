/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messages_json.c - a message as one line of JSON: the keys, and their order, are a promise. */
#include "pcap-lint/base/json_write.h"
#include "messages.h"

/* Numbers and bytes between two pl_output_room(). */
#define NUMBERS_AT_ONCE 1024u
#define BYTES_AT_ONCE 16384u

static void head(struct ibw_out *o, const struct pl_message *p)
{
	pl_json_begin(o, "message");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", p->file);
	pl_json_number(o, "message", p->number);
	pl_json_number_or_null(o, "connection", p->connection, p->has_connection);
	pl_json_text(o, "direction",
		     !p->has_connection       ? NULL
		     : p->way == TRACK_A_TO_B ? "a_to_b"
					      : "b_to_a");
	pl_json_text(o, "kind", track_message_kinds[p->m->kind]);
	pl_json_number(o, "frame", p->m->frame);
}

static void frames(struct pl_output *output, const struct track_message_out *m)
{
	struct ibw_out *o = &output->out;
	uint32_t i;

	pl_json_key(o, "frames");
	ibw_out_char(o, '[');
	for (i = 0; i < m->n_frames; i++) {
		if (i % NUMBERS_AT_ONCE == 0)
			pl_output_room(output);
		if (i)
			ibw_out_char(o, ',');
		ibw_out_dec(o, m->frames[i]);
	}
	pl_output_room(output);
	ibw_out_char(o, ']');
}

/* 64 bits, as a string of hexadecimal digits. */
static void wide(struct ibw_out *o, const char *key, uint64_t n, bool known)
{
	pl_json_key(o, key);
	if (!known) {
		ibw_out_str(o, "null");
		return;
	}
	ibw_out_char(o, '"');
	ibw_out_hex(o, n, 16);
	ibw_out_char(o, '"');
}

static void immediate(struct ibw_out *o, const struct track_message_out *m)
{
	if (m->place.iwarp)
		wide(o, "immediate", m->immediate, m->has_immediate);
	else
		pl_json_number_or_null(o, "immediate", m->immediate, m->has_immediate);
}

static void payload(struct pl_output *output, const struct track_message_out *m)
{
	struct ibw_out *o = &output->out;
	uint32_t at, n;

	pl_json_key(o, "payload");
	ibw_out_str(o, "{\"length\":");
	ibw_out_dec(o, m->payload);
	pl_json_key(o, "bytes");
	ibw_out_char(o, '"');
	for (at = 0; at < m->n_bytes; at += n) {
		n = MIN(m->n_bytes - at, BYTES_AT_ONCE);
		pl_output_room(output);
		ibw_out_bytes(o, m->bytes + at, n);
	}
	pl_output_room(output);
	ibw_out_str(o, "\"}");
}

void pl_message_json(struct pl_output *output, const struct pl_message *p)
{
	const struct track_message_out *m = p->m;
	struct ibw_out *o = &output->out;
	bool first = true;

	pl_output_room(output);
	head(o, p);
	frames(output, m);
	pl_json_time(o, "time", p->has_begin, m->begin_ns);
	pl_json_time(o, "end", p->has_end, m->end_ns);
	pl_json_number_or_null(o, "psn", m->psn, m->has_psn);
	pl_json_number_or_null(o, "msn", m->msn, m->has_msn);
	pl_json_number_or_null(o, "key", m->key, m->has_key);
	wide(o, "address", m->address, m->has_key);
	pl_json_number(o, "length", m->length);
	immediate(o, m);
	pl_json_number_or_null(o, "invalidate", m->invalidate, m->has_invalidate);
	pl_json_bool(o, "solicited", m->solicited);
	pl_json_text(o, "outcome", track_message_outcomes[m->outcome]);
	pl_json_number_or_null(o, "answered", m->answered, m->answered != 0);
	pl_json_key(o, "layers");
	ibw_out_char(o, '[');
	pl_decode_json_layers(output, &p->layers, &first);
	pl_output_room(output);
	ibw_out_char(o, ']');
	payload(output, m);
	pl_json_end(o);
}
