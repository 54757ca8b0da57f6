/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwp.c - group IWP: what is said of a Terminate, in words. */
#include <inttypes.h>

#include <ibwire/fpdu.h>
#include <ibwire/out.h>
#include <ibwire/tables.h>

#include "iwp.h"
#include "track/iwarp/iwarp.h"

/* "RDMAP, Remote Protection Error, Invalid STag" */
static void meaning(struct ibw_out *o, uint8_t layer, uint8_t etype, uint8_t code)
{
	struct ibw_terminate_words words;

	ibw_terminate_text(&words, layer, etype, code);
	if (words.layer) {
		ibw_out_str(o, words.layer);
	} else {
		ibw_out_str(o, "layer ");
		ibw_out_dec(o, layer);
	}
	if (words.etype) {
		ibw_out_str(o, ", ");
		ibw_out_str(o, words.etype);
	} else {
		ibw_out_str(o, ", error type ");
		ibw_out_dec(o, etype);
	}
	if (words.code && words.code != words.etype) {
		ibw_out_str(o, ", ");
		ibw_out_str(o, words.code);
	} else if (!words.code) {
		ibw_out_str(o, ", code ");
		ibw_out_dec(o, code);
	}
}

static void hex(struct ibw_out *o, const char *what, uint64_t n)
{
	ibw_out_str(o, what);
	ibw_out_hex(o, n, 0);
}

/* Which message it is about, as far as it says. */
static void refused(struct ibw_out *o, const struct track_event *e)
{
	const uint64_t opcode = e->number[TRACK_IWARP_TERMINATE_opcode];
	const char *name = ibw_name_of(ibw_rdmap_opcode_names, (uint32_t)opcode);

	if (opcode == TRACK_IWARP_NO_OPCODE) {
		ibw_out_str(o, "; what it refuses is not quoted");
		return;
	}
	ibw_out_str(o, "; refused is the ");
	ibw_out_str(o, name ? name : "message of an unknown opcode");
	if (e->number[TRACK_IWARP_TERMINATE_refused]) {
		ibw_out_str(o, " of frame ");
		ibw_out_dec(o, e->number[TRACK_IWARP_TERMINATE_refused]);
	}
	if (opcode == IBW_RDMAP_READ_REQUEST && !e->number[TRACK_IWARP_TERMINATE_key] &&
	    !e->number[TRACK_IWARP_TERMINATE_place])
		return; /* what it asks for is not quoted */
	if (ibw_rdmap_flags((uint8_t)opcode) & IBW_RDMAP_TAGGED ||
	    opcode == IBW_RDMAP_READ_REQUEST) {
		hex(o, ", STag ", e->number[TRACK_IWARP_TERMINATE_key]);
		hex(o, ", offset ", e->number[TRACK_IWARP_TERMINATE_place]);
	} else {
		ibw_out_str(o, ", message ");
		ibw_out_dec(o, e->number[TRACK_IWARP_TERMINATE_key]);
	}
}

const char *lint_terminate_text(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
{
	const uint8_t layer = (uint8_t)e->number[TRACK_IWARP_TERMINATE_layer];
	const uint8_t etype = (uint8_t)e->number[TRACK_IWARP_TERMINATE_etype];
	const uint8_t code = (uint8_t)e->number[TRACK_IWARP_TERMINATE_code];
	struct ibw_out o = ibw_out_open(text, LINT_TERMINATE_TEXT);

	ibw_out_str(&o, "Terminate: ");
	meaning(&o, layer, etype, code);
	refused(&o, e);
	if (e->number[TRACK_IWARP_TERMINATE_swapped]) {
		ibw_out_str(&o, "; siw of Linux swaps layer and error type");
		if (layer == etype) {
			ibw_out_str(&o, ", which are the same here");
		} else {
			ibw_out_str(&o, ": read literally, it would say ");
			meaning(&o, etype, layer, code);
		}
	}
	ibw_out_close(&o);
	return text;
}

const char *lint_iwarp_end_text(uint64_t end)
{
	const char *text = ibw_name_of(track_iwarp_end_names, (uint32_t)end);

	return text ? text : "";
}
