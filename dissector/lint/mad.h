/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mad.h - the management datagram of a packet, walked once for all groups. Private to
 * dissector/lint.
 */
#ifndef IBWIRE_LINT_MAD_H
#define IBWIRE_LINT_MAD_H

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "rule.h"
#include "transfers.h"

/* Room for the layers of a MAD: a block of 32 VL arbitration entries twice, and headers. */
#define LINT_MAD_SPANS 72

/* SA: the records of the MAD, or of the transfer it completes. */
struct lint_records {
	const uint8_t *p; /* NULL: none to look at */
	uint32_t here;    /* bytes captured */
	struct ibw_sa_table table;
	bool put_together; /* from several packets: p is not in this one */
};

/* Headers the MAD does not have, or that were not captured, are NULL. */
struct lint_mad {
	const uint8_t *p; /* the MAD */
	uint32_t off;     /* where it is in the packet */
	uint32_t n;       /* bytes captured */
	uint32_t len;     /* bytes on the wire */
	const struct ibw_mad_wire *mad;
	const struct ibw_smp_wire *smp;
	const struct ibw_smp_dr_wire *dr;
	const struct ibw_smp_dr_status_wire *dr_status;
	const struct ibw_smp_dr_path_wire *dr_path;
	const struct ibw_rmpp_wire *rmpp;
	const struct ibw_sa_wire *sa;
	const struct ibw_vendor_oui_wire *oui;
	uint16_t status; /* without the direction bit of a directed-route SMP */
	struct lint_records records;
	struct ibw_mad_walked walked;
	struct ibw_span span[LINT_MAD_SPANS];
};

/*
 * Walks the payload of @pkt, a UD packet from or to QP0 or QP1. False: it is not meant as a
 * MAD. If it is, m->mad may still be NULL: there is less than the common header.
 */
bool lint_mad_walk(struct lint_mad *m, const struct ibw_packet *pkt);

/* The records of @m are from now on those of @t, which it completed. */
void lint_mad_complete(struct lint_mad *m, const struct lint_transfer *t);

/* mad.c: what there is to say of a MAD without a whole common header. */
void lint_mad_short(const struct lint_packet *p, const struct lint_mad *m);

/* Whether it is of one of the two SubnMgt classes; of class SubnAdm; of class ComMgt. */
bool lint_mad_is_smp(const struct lint_mad *m);
bool lint_mad_is_sa(const struct lint_mad *m);
bool lint_mad_is_cm(const struct lint_mad *m);

/* "SubnAdm GetResp(PathRecord)"; returns @buf. */
#define LINT_MAD_TEXT 128
const char *lint_mad_text(const struct lint_mad *m, char buf[LINT_MAD_TEXT]);

/* The words of a status, "busy; too many records"; returns @buf. */
const char *lint_mad_status_text(const struct lint_mad *m, char buf[LINT_MAD_TEXT]);

/*
 * SA: the record number @i (from 0), if at least @bytes of it are here; NULL: there is none. A
 * MAD that is one of several segments has none, its records may lie across them.
 */
const uint8_t *lint_mad_record(const struct lint_mad *m, unsigned int i, uint32_t bytes);
#define LINT_MAD_RECORD(m, i, name)                                                                \
	((const struct ibw_##name##_wire *)lint_mad_record((m), (i), ibw_##name##_BYTES))

/*
 * Reports at the @n bytes at @at, which are in the packet or in its records. Those put together
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
