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

#include "held.h"
#include "lint.h"
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

/*
 * Reports @rule at bytes [offset, offset + length) of the packet, if it is on.
 * The finding names the header these bytes are in. Never on the fast path.
 */
void lint_found(const struct lint_packet *p, enum lint_rule_id rule, uint32_t offset,
		uint32_t length, const char *format, ...)
	__attribute__((cold, format(printf, 5, 6)));

/* The same, with @doubt: bits of enum track_doubt, or LINT_DOUBT_LESSER. */
void lint_found_doubt(const struct lint_packet *p, enum lint_rule_id rule, uint16_t doubt,
		      uint32_t offset, uint32_t length, const char *format, ...)
	__attribute__((cold, format(printf, 6, 7)));

/*
 * The same at the @n bytes at @at, which are of the source @from. What was reassembled from
 * several packets has no place in this one: the number of the record is in the message.
 */
void lint_found_in(const struct lint_packet *p, enum lint_rule_id rule,
		   const struct track_source *from, const uint8_t *at, uint32_t n,
		   const char *format, ...) __attribute__((cold, format(printf, 6, 7)));

/* Reports @rule about an event, if it is on, of its half and frames; as sure as the event is: track_event_doubt(). */
void lint_found_event(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		      const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

/* The same, one step less severe. */
void lint_found_lesser(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		       const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

/*
 * The same at a field of header @hdr, which is span @i of the packet:
 * LINT_AT(p, LINT_BTH006, pkt->bth, bth, pkey, "P_Key 0x%04x ...", pkey)
 */
#define LINT_AT(p, rule, i, hdr, field, ...)                                                       \
	lint_found(p, rule, (p)->pkt->span[i].off + ibw_##hdr##_##field##_AT / 8,                  \
		   ibw_##hdr##_##field##_END_ / 8 - ibw_##hdr##_##field##_AT / 8 + 1, __VA_ARGS__)

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

/* lrh.c: where the DLID or the SLID is. */
uint32_t lint_lid_off(const struct ibw_packet *pkt, bool destination);

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

/* slice.c: whether a finding of @rule has to wait until it is known whether the frame was cut ... */
bool lint_slice_keeps(const struct lint_packet *p, enum lint_rule_id rule);

/* ... and then keeps it, with its words. */
void lint_slice_keep(const struct lint_packet *p, const struct lint_finding *f,
		     const char *message);

/* ... settles what waits for trim.c: it was @trimmed, or not. */
void lint_slice_settle(struct lint *l, unsigned int trim, bool trimmed);

/* trim.c: connections with packets that may be trimmed, at a time, numbered from 1 ... */
#define LINT_TRIMS 256u

/* ... whether a finding of @rule waits until it is known whether the packet was trimmed: for what; 0: it does not ... */
unsigned int lint_trim_waits(const struct lint_packet *p, enum lint_rule_id rule);

/* ... whether it is known that it was ... */
bool lint_trim_explains(const struct lint_packet *p, enum lint_rule_id rule);

/* ... whether a connection's first packet that may be trimmed is this one ... */
bool lint_trim_began(const struct lint *l, uint64_t frame);

/* ... and how many frames of an interface that have so many bytes were trimmed. */
uint64_t lint_trim_frames(const struct lint *l, uint32_t iface, uint32_t bytes);

/* rewritten.c: whether a finding of @rule has to wait for what is known of its flow later ... */
bool lint_rewritten_keeps(const struct lint_packet *p, enum lint_rule_id rule);

/* ... and then keeps it, with its words ... */
void lint_rewritten_keep(const struct lint_packet *p, const struct lint_finding *f,
			 const char *message);

/* ... for good: @e says all there is to say of the packets it is about. */
void lint_rewritten_explained(const struct lint *l, const struct track_event *e);

/* Part of group ROC: what is neither RDMA nor UDP, but IP. */
void lint_roc_icmp(const struct lint_packet *p);

/* cap.c: there is RDMA in the file, though in no packet that the walk takes for it. */
void lint_cap_rdma_elsewhere(struct lint_cap_state *cap);

/* cap_twice.c: CAP008, once the capture has ended. */
void lint_cap_twice(struct lint *l);

/* cap.c: counts a packet that is not decoded; how many were not, for the same reason, before it. */
uint64_t lint_cap_unseen(struct lint_cap_state *cap, const struct ibw_packet *pkt);

/* cap.c: how many packets nothing is said of: CAP019. */
uint64_t lint_cap_unexamined(const struct lint_cap_state *cap);

/* cap.c: how many packets the loss counters of the capture count. */
uint64_t lint_cap_lost(const struct lint_cap_state *cap);

/* Part of group IPO: IPoIB, in UD packets, by link type, or as CM messages say. */
void lint_ipo(const struct lint_packet *p);
void lint_ipo_nd(const struct lint_packet *p);
void lint_ipo_dhcp(const struct lint_packet *p);

/* say.c: "70.61 ms", in the unit that fits; @text, of LINT_DURATION_TEXT bytes. */
#define LINT_DURATION_TEXT 32
const char *lint_duration_text(uint64_t ns, char *text) __attribute__((cold));

#endif /* IBWIRE_LINT_RULE_H */
