/* SPDX-License-Identifier: GPL-2.0-or-later */
/* found.h - how rules report what they find in a packet. Private to dissector/lint. */
#ifndef IBWIRE_LINT_FOUND_H
#define IBWIRE_LINT_FOUND_H

#include "lint/base/rule.h"

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

/*
 * The same at a field of header @hdr, which is span @i of the packet:
 * LINT_AT(p, LINT_BTH006, pkt->bth, bth, pkey, "P_Key 0x%04x ...", pkey)
 */
#define LINT_AT(p, rule, i, hdr, field, ...)                                                       \
	lint_found(p, rule, (p)->pkt->span[i].off + ibw_##hdr##_##field##_AT / 8,                  \
		   ibw_##hdr##_##field##_END_ / 8 - ibw_##hdr##_##field##_AT / 8 + 1, __VA_ARGS__)

#endif /* IBWIRE_LINT_FOUND_H */
