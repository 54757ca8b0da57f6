/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.h - what the rule groups about management datagrams share. Private to dissector/lint. */
#ifndef IBWIRE_LINT_MAD_H
#define IBWIRE_LINT_MAD_H

#include "lint/found/found.h"
#include "mad_text.h"
#include "track/view/mad.h"
#include "track/view/object.h"

/* mad.c: what there is to say of a MAD without a whole common header. */
void lint_mad_short(const struct lint_packet *p, const struct track_mad *m);

/* Whether what comes after the common header is ours: not that of Omni-Path. */
static inline bool lint_mad_readable(const struct track_mad *m)
{
	return ibw_mad_base_version(m->mad) == IBW_MAD_BASE_VERSION;
}

/* "SubnAdm GetResp(PathRecord)"; returns @buf. */
const char *lint_mad_text(const struct track_mad *m, char buf[LINT_MAD_TEXT]);

/* The same of the MAD of @p, with what it is about: "SubnMgt directed route Get(NodeInfo) by route 0,1,9,5 (host 3)". */
#define LINT_MAD_ABOUT (LINT_MAD_TEXT + TRACK_OBJECT_TEXT)
const char *lint_mad_about(const struct lint_packet *p, char buf[LINT_MAD_ABOUT]);

/* The words of a status, "busy; too many records"; returns @buf. */
const char *lint_mad_status_text(const struct track_mad *m, char buf[LINT_MAD_TEXT]);

/* Reports at a field of the header @hdr at @wire, which is in the packet. */
#define LINT_AT_WIRE(p, rule, wire, hdr, field, ...)                                               \
	LINT_AT_WIRE_IN(p, rule, NULL, wire, hdr, field, __VA_ARGS__)

/* The same, of the records, which may have been reassembled. */
#define LINT_AT_RECORD(p, rule, wire, hdr, field, ...)                                             \
	LINT_AT_WIRE_IN(p, rule, &(p)->mad->records.source, wire, hdr, field, __VA_ARGS__)

#define LINT_AT_WIRE_IN(p, rule, from, wire, hdr, field, ...)                                      \
	lint_found_in(p, rule, from, (wire)->b + ibw_##hdr##_##field##_AT / 8,                     \
		      ibw_##hdr##_##field##_END_ / 8 - ibw_##hdr##_##field##_AT / 8 + 1,           \
		      __VA_ARGS__)

#endif /* IBWIRE_LINT_MAD_H */
