/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - the interface of rule groups: what they see, and how they report. Private to
 * dissector/lint.
 *
 * A group file (bth.c, xth.c ...) has one entry for the packets it is about. The
 * entry begins with the cheapest test that lets a healthy packet pass; only
 * after it are the single rules asked.
 */
#ifndef IBWIRE_LINT_RULE_H
#define IBWIRE_LINT_RULE_H

#include <ibwire/ibwire.h>
#include <ibwire/net.h>
#include <ibwire/packet.h>

#include "finding.h"
#include "say.h"
#include "track/view/packet.h"

/* The packet being looked at. */
struct lint_packet {
	struct lint *lint;
	const struct track_frame *frame;
	const struct ibw_packet *pkt;
	struct track_view *view; /* its ICRC is worked out */
	const struct track_context *context;
	const struct track_mad *mad;    /* NULL: no management datagram */
	const struct ibw_packet *ipoib; /* walked as IPoIB; NULL: it is none */
	const uint64_t *related;        /* frames every finding belongs to as well */
	unsigned int n_related;
};

/* Whether @rule is on; for tests that cost something themselves. */
bool lint_on(const struct lint *l, enum lint_rule_id rule);

/* What the caller asked for: rules, ports. */
const struct lint_options *lint_options_of(const struct lint *l);

/* Whether another rule says all there is to say: silence.def. */
bool lint_silenced(const struct lint_packet *p, enum lint_rule_id rule) __attribute__((cold));

/* Reports @rule about an event, if it is on, of its half and frames; as sure as the event is: track_event_doubt(). */
void lint_found_event(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		      const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

/* The same, one step less severe. */
void lint_found_lesser(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		       const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

/*
 * Where the bytes end of a packet that has a BTH, but not room for all after it. Without room
 * for the ICRC the error is about the BTH, and had counts from where its headers end.
 */
static inline uint32_t lint_room_end(const struct ibw_packet *pkt)
{
	const struct ibw_error *e = &pkt->error;

	return (e->layer == IBW_LAYER_bth ? pkt->payload_off : e->off) + e->had;
}

/* "RC SEND Only" */
static inline const char *lint_opcode_text(const struct ibw_packet *pkt)
{
	const char *text = ibw_packet_opcode_text(pkt);

	return text ? text : "packet of unknown opcode";
}

/* name.c: "0x0009 (spine 1)", the node that has the LID, if no other one had it before; returns @text. */
#define LINT_LID_TEXT (TRACK_NODE_SHORT + 16)
const char *lint_lid_text(const struct lint *l, uint64_t lid, char text[LINT_LID_TEXT])
	__attribute__((cold));

/* name.c: " (spine 1)", the description of the node that the GUID is of, or of a port of; "": it is not known. Returns @text. */
const char *lint_guid_name(const struct lint *l, uint64_t guid, char text[LINT_LID_TEXT])
	__attribute__((cold));

/* The groups: groups.def. */
#define LINT_PACKET_GATE(name, otherwise, when)                                                    \
	bool lint_##name(const struct lint_packet *p);                                             \
	void lint_##otherwise(const struct lint_packet *p);
#define LINT_PACKET_REST(name, when) bool lint_##name(const struct lint_packet *p);
#define LINT_PACKET_GROUP(name, when) void lint_##name(struct lint_packet *p);
#define LINT_MAD_GROUP(name, when) void lint_##name(struct lint_packet *p);
#define LINT_RECORD_GROUP(name) void lint_##name(struct lint_packet *p);
#define LINT_STATE(name)                                                                           \
	struct lint_##name##_state;                                                                \
	struct lint_##name##_state *lint_##name##_new(void);                                       \
	void lint_##name##_finish(struct lint *l, const struct lint_##name##_state *state);        \
	void lint_##name##_free(struct lint_##name##_state *state);                                \
	struct lint_##name##_state *lint_##name##_of(const struct lint *l);
#include "groups.def"

#endif /* IBWIRE_LINT_RULE_H */
