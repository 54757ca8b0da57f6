/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.h - what the rule groups about management datagrams share. Private to dissector/lint. */
#ifndef IBWIRE_LINT_MAD_H
#define IBWIRE_LINT_MAD_H

#include "rule.h"
#include "track/mad.h"

/* mad.c: what there is to say of a MAD without a whole common header. */
void lint_mad_short(const struct lint_packet *p, const struct track_mad *m);

/* Whether what comes after the common header is ours: not that of Omni-Path. */
static inline bool lint_mad_readable(const struct track_mad *m)
{
	return ibw_mad_base_version(m->mad) == IBW_MAD_BASE_VERSION;
}

/* "SubnAdm GetResp(PathRecord)"; returns @buf. */
#define LINT_MAD_TEXT 128
const char *lint_mad_text(const struct track_mad *m, char buf[LINT_MAD_TEXT]);

/* The words of a status, "busy; too many records"; returns @buf. */
const char *lint_mad_status_text(const struct track_mad *m, char buf[LINT_MAD_TEXT]);

/*
 * Reports at the @n bytes at @at, which are in the packet or in its records. Those reassembled
 * from several packets have no place in this one: their number stands in the message.
 */
void lint_found_wire(const struct lint_packet *p, enum lint_rule_id rule, const uint8_t *at,
		     uint32_t n, const char *format, ...)
	__attribute__((cold, format(printf, 5, 6)));

/* The same at a field of the header @hdr at @wire. */
#define LINT_AT_WIRE(p, rule, wire, hdr, field, ...)                                               \
	lint_found_wire(p, rule, (wire)->b + ibw_##hdr##_##field##_AT / 8,                         \
			ibw_##hdr##_##field##_END_ / 8 - ibw_##hdr##_##field##_AT / 8 + 1,         \
			__VA_ARGS__)

#endif /* IBWIRE_LINT_MAD_H */
