/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.h - the management datagram of a packet: its headers and its records. */
#ifndef IBWIRE_TRACK_MAD_H
#define IBWIRE_TRACK_MAD_H

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "rmpp.h"

/* More layers than a MAD, or one record of a reassembled table, can hold of the shortest. */
#define TRACK_SPANS 300

/* Bytes, and the frames they were reassembled from. */
struct track_source {
	const uint8_t *p;       /* NULL: there are none */
	uint32_t n;             /* bytes captured */
	uint32_t n_frames;      /* 0: they are the frame's own */
	const uint64_t *frames; /* the last of them is this one */
};

/* SA: the records of the MAD, or of the transfer it completes. */
struct track_records {
	struct track_source source;
	struct ibw_sa_table table;
};

/* Headers the MAD does not have, or that were not captured, are NULL. */
struct track_mad {
	const uint8_t *p; /* the MAD; spans count from here */
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
	struct track_records records;
	struct ibw_mad_walked walked;
	struct ibw_span span[TRACK_SPANS];
};

/*
 * Whether the payload of @pkt is meant as a MAD: a UD packet from or to QP0 or QP1. To another
 * QP than those two, only what looks like one is.
 */
bool track_is_mad(const struct ibw_packet *pkt);

/* Walks the payload of a packet of which that holds. m->mad is NULL if there is less than the
 * common header. */
void track_mad_walk(struct track_mad *m, const struct ibw_packet *pkt);

/* The layers that the answer to a CM REQ about @service_id has in its private data. */
void track_mad_answer(struct track_mad *m, uint64_t service_id);

/* The records of @m are from now on those of @t, which it completed. */
void track_mad_complete(struct track_mad *m, const struct track_transfer *t);

/* Whether it is of one of the two SubnMgt classes; of class SubnAdm; of class ComMgt. */
bool track_mad_is_smp(const struct track_mad *m);
bool track_mad_is_sa(const struct track_mad *m);
bool track_mad_is_cm(const struct track_mad *m);

/*
 * SA: the record number @i (from 0), if at least @bytes of it are here; NULL: there is none. A
 * MAD that is one of several segments has none, its records may lie across them.
 */
const uint8_t *track_mad_record(const struct track_mad *m, unsigned int i, uint32_t bytes);
#define TRACK_MAD_RECORD(m, i, name)                                                               \
	((const struct ibw_##name##_wire *)track_mad_record((m), (i), ibw_##name##_BYTES))

/* Goes through the records of a reassembled transfer, one after the other. */
struct track_record_walk {
	const struct ibw_mad_attr_row *attr; /* NULL: not known, so there are no records */
	uint32_t attr_mod;
	uint32_t stride; /* bytes from record to record; 0: one record */
	const uint8_t *p;
	uint32_t len;
	/* Of the record track_record_next() came to. */
	uint32_t off; /* from p */
	uint32_t n_spans;
	struct ibw_span span[TRACK_SPANS]; /* offsets from p */
	/* How far it is. */
	uint32_t left, next;
};

/* @len bytes at @p are the records; the members up to len are then set. */
void track_record_start(struct track_record_walk *w, const struct ibw_mad_attr_row *attr,
			uint32_t attr_mod, uint32_t stride, const uint8_t *p, uint32_t len);
/* False: there was no further record. */
bool track_record_next(struct track_record_walk *w);

/* Who sends it, or asked for it: Linux counts those up for the upper half of the transaction ID. */
static inline uint32_t track_mad_tid_agent(uint64_t tid)
{
	return (uint32_t)(tid >> 32);
}

/* Of a directed route: whether a part of the way is by LIDs. */
static inline bool track_mad_by_lid(const struct track_mad *m)
{
	return m->dr && (ibw_smp_dr_dr_slid(m->dr) != IBW_LID_PERMISSIVE ||
			 ibw_smp_dr_dr_dlid(m->dr) != IBW_LID_PERMISSIVE);
}

#endif /* IBWIRE_TRACK_MAD_H */
