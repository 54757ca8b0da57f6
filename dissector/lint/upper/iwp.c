/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwp.c - group IWP: describes Terminates and other iWARP events in words. */
#include <inttypes.h>

#include <ibwire/fpdu.h>
#include <ibwire/out.h>
#include <ibwire/tables.h>

#include "iwp.h"
#include "lint/base/say.h"
#include "track/iwarp/iwarp.h"

void lint_out_terminate_meaning(struct ibw_out *o, uint8_t layer, uint8_t etype, uint8_t code)
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

void lint_out_terminate(struct ibw_out *o, const struct track_event *e)
{
	lint_out_terminate_meaning(o, (uint8_t)e->number[TRACK_IWARP_TERMINATE_layer],
				   (uint8_t)e->number[TRACK_IWARP_TERMINATE_etype],
				   (uint8_t)e->number[TRACK_IWARP_TERMINATE_code]);
}

/* Which message it is about, as far as it says; false: it does not. */
bool lint_out_refused(struct ibw_out *o, const struct track_event *e)
{
	const uint64_t opcode = e->number[TRACK_IWARP_TERMINATE_opcode];
	const char *name = ibw_name_of(ibw_rdmap_opcode_names, (uint32_t)opcode);

	if (opcode == TRACK_IWARP_NO_OPCODE)
		return false;
	ibw_out_str(o, name ? name : "message of an unknown opcode");
	if (e->number[TRACK_IWARP_TERMINATE_refused]) {
		ibw_out_str(o, " of frame ");
		ibw_out_dec(o, e->number[TRACK_IWARP_TERMINATE_refused]);
	}
	if (opcode == IBW_RDMAP_READ_REQUEST && !e->number[TRACK_IWARP_TERMINATE_key] &&
	    !e->number[TRACK_IWARP_TERMINATE_place])
		return true; /* what it asks for is not quoted */
	if (ibw_rdmap_flags((uint8_t)opcode) & IBW_RDMAP_TAGGED ||
	    opcode == IBW_RDMAP_READ_REQUEST) {
		hex(o, ", STag ", e->number[TRACK_IWARP_TERMINATE_key]);
		hex(o, ", offset ", e->number[TRACK_IWARP_TERMINATE_place]);
	} else {
		ibw_out_str(o, ", message ");
		ibw_out_dec(o, e->number[TRACK_IWARP_TERMINATE_key]);
	}
	return true;
}

const char *lint_terminate_text(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
{
	const uint8_t layer = (uint8_t)e->number[TRACK_IWARP_TERMINATE_layer];
	const uint8_t etype = (uint8_t)e->number[TRACK_IWARP_TERMINATE_etype];
	const uint8_t code = (uint8_t)e->number[TRACK_IWARP_TERMINATE_code];
	struct ibw_out o = ibw_out_open(text, LINT_TERMINATE_TEXT);

	ibw_out_str(&o, "Terminate: ");
	lint_out_terminate_meaning(&o, layer, etype, code);
	if (e->number[TRACK_IWARP_TERMINATE_opcode] == TRACK_IWARP_NO_OPCODE)
		ibw_out_str(&o, "; what it refuses is not quoted");
	else
		ibw_out_str(&o, "; refused is the ");
	lint_out_refused(&o, e);
	if (e->number[TRACK_IWARP_TERMINATE_swapped]) {
		ibw_out_str(&o, "; siw of Linux swaps layer and error type");
		if (layer == etype) {
			ibw_out_str(&o, ", which are the same here");
		} else {
			ibw_out_str(&o, ": read literally, it would say ");
			lint_out_terminate_meaning(&o, etype, layer, code);
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

#define SLOW_NS 200000000u
#define SLOW_PERCENT 1u

bool lint_is_slow_tcp(const struct track_event *e)
{
	const uint64_t resent = e->number[TRACK_IWARP_TCP_resent];

	return (resent && 100 * resent >= SLOW_PERCENT * e->number[TRACK_IWARP_TCP_segments]) ||
	       e->number[TRACK_IWARP_TCP_stall] >= SLOW_NS ||
	       e->number[TRACK_IWARP_TCP_unacknowledged] >= SLOW_NS;
}

const char *lint_rdmap_text(uint64_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_WRITE:
		return "an RDMA Write";
	case IBW_RDMAP_READ_REQUEST:
		return "an RDMA Read Request";
	case IBW_RDMAP_READ_RESPONSE:
		return "an RDMA Read Response";
	case IBW_RDMAP_TERMINATE:
		return "a Terminate";
	case IBW_RDMAP_IMMEDIATE:
	case IBW_RDMAP_IMMEDIATE_SE:
		return "Immediate Data";
	case IBW_RDMAP_ATOMIC_REQUEST:
		return "an Atomic Request";
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return "an Atomic Response";
	default:
		return ibw_name_of(ibw_rdmap_opcode_names, (uint32_t)opcode)
			       ? "a Send"
			       : "a message of an unknown opcode";
	}
}

const char *lint_rtr_text(uint64_t bits, char text[LINT_RTR_TEXT])
{
	static const struct ibw_name kinds[] = { { TRACK_IWARP_RTR_SEND, "a Send" },
						 { TRACK_IWARP_RTR_WRITE, "an RDMA Write" },
						 { TRACK_IWARP_RTR_READ, "an RDMA Read" } };
	struct ibw_out o = ibw_out_open(text, LINT_RTR_TEXT);
	const char *between = "";
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!(bits & kinds[i].value))
			continue;
		ibw_out_str(&o, between);
		ibw_out_str(&o, kinds[i].name);
		between = " or ";
	}
	ibw_out_str(&o, *between ? " without data" : "a message with data, or of another kind");
	ibw_out_close(&o);
	return text;
}

static void counted(struct ibw_out *o, uint64_t n, const char *what)
{
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_str(o, what);
	if (n != 1)
		ibw_out_char(o, 's');
}

/* "it was reset within an RDMA Write that began in frame 70, of which 4096 octets were sent" */
const char *lint_unfinished_text(const struct track_event *e, char text[LINT_IWP_TEXT])
{
	const uint64_t opcode = e->number[TRACK_IWARP_UNFINISHED_opcode];
	const uint64_t reads = e->number[TRACK_IWARP_UNFINISHED_unanswered];
	struct ibw_out o = ibw_out_open(text, LINT_IWP_TEXT);

	ibw_out_str(&o, "the connection ended: ");
	ibw_out_str(&o, lint_iwarp_end_text(e->number[TRACK_IWARP_UNFINISHED_end]));
	if (reads) {
		ibw_out_str(&o, " before ");
		counted(&o, reads, "Read Request");
		ibw_out_str(&o,
			    reads == 1 ? " was answered, for " : " were answered, the first for ");
		counted(&o, e->number[TRACK_IWARP_UNFINISHED_bytes], "octet");
		ibw_out_str(&o, " in frame ");
	} else if (opcode == TRACK_IWARP_NO_OPCODE) {
		ibw_out_str(&o, " after ");
		counted(&o, e->number[TRACK_IWARP_UNFINISHED_bytes], "octet");
		ibw_out_str(&o, " of an FPDU that is not whole, in frame ");
	} else {
		ibw_out_str(&o, " after ");
		counted(&o, e->number[TRACK_IWARP_UNFINISHED_bytes], "octet");
		ibw_out_str(&o, " of ");
		ibw_out_str(&o, lint_rdmap_text(opcode));
		ibw_out_str(&o, " that began in frame ");
	}
	ibw_out_dec(&o, e->number[TRACK_IWARP_UNFINISHED_begun]);
	if (e->number[TRACK_IWARP_UNFINISHED_terminated]) {
		ibw_out_str(&o, "; the Terminate of frame ");
		ibw_out_dec(&o, e->number[TRACK_IWARP_UNFINISHED_terminated]);
		ibw_out_str(&o, " says why");
	}
	ibw_out_close(&o);
	return text;
}

static void duration(struct ibw_out *o, uint64_t ns)
{
	char text[LINT_DURATION_TEXT];

	ibw_out_str(o, lint_duration_text(ns, text));
}

/*
 * "5 of 112 segments were retransmitted, one of them after 212 ms without an acknowledgement; messages were held up for 4.1 ms
 * by octets that came late"
 */
const char *lint_tcp_text(const struct track_event *e, char text[LINT_IWP_TEXT])
{
	const uint64_t resent = e->number[TRACK_IWARP_TCP_resent];
	const uint64_t stall = e->number[TRACK_IWARP_TCP_stall];
	const uint64_t unacknowledged = e->number[TRACK_IWARP_TCP_unacknowledged];
	struct ibw_out o = ibw_out_open(text, LINT_IWP_TEXT);

	if (resent) {
		ibw_out_dec(&o, resent);
		ibw_out_str(&o, " of ");
		counted(&o, e->number[TRACK_IWARP_TCP_segments], "segment");
		ibw_out_str(&o, resent == 1 ? " was retransmitted" : " were retransmitted");
	}
	if (unacknowledged) {
		ibw_out_str(&o, resent == 1 ? ", after " : ", one of them after ");
		duration(&o, unacknowledged);
		ibw_out_str(&o, " without an acknowledgement");
	}
	if (stall) {
		ibw_out_str(&o,
			    resent ? "; messages were held up for " : "messages were held up for ");
		duration(&o, stall);
		ibw_out_str(&o, " by octets that came late");
	}
	ibw_out_close(&o);
	return text;
}
