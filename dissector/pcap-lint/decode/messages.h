/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messages.h - --decode --messages: each message of a capture once, with the layers of what it carries, as text or JSON. */
#ifndef PL_MESSAGES_H
#define PL_MESSAGES_H

#include "decode.h"
#include "pcap-lint/report/iwarp.h"
#include "owner.h"
#include "track/message/message.h"

/* A message to be printed. */
struct pl_message {
	const struct track_message_out *m;
	const char *file;
	uint64_t number;     /* of the capture, from 0 */
	uint64_t connection; /* as --stats numbers them */
	bool has_connection;
	bool has_begin, has_end; /* times */
	uint8_t way;             /* enum track_way */
	struct pl_layers layers; /* of the upper layer */
};

struct pl_messages;

/*
 * @known has read the whole capture, @streams has the messages of iWARP; they stay until pl_messages_free(), as do the
 * others.
 */
struct pl_messages *pl_messages_new(struct pl_output *output, const struct pl_options *options,
				    const struct pl_owners *owners, struct track *known,
				    struct track_iwarp *streams);
void pl_messages_free(struct pl_messages *t); /* NULL is fine */

/* A packet, asked for or not; what is complete with it is printed. */
void pl_messages_packet(struct pl_messages *t, const char *file,
			const struct capture_packet *record, struct track_view *view,
			const struct track_context *context, const struct track_frame *frame,
			bool asked_for);

/* The capture ended: what is left is printed. */
void pl_messages_finish(struct pl_messages *t, const char *file);

/* What was reassembled, and what could not be. */
const struct track_messages *pl_messages_done(const struct pl_messages *t);

/* The two formats. */
void pl_message_text(struct pl_output *output, const struct pl_message *m, bool verbose);
void pl_message_json(struct pl_output *output, const struct pl_message *m);

#endif /* PL_MESSAGES_H */
