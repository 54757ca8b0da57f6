/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_walk.h - the walk over one management datagram: which layer lies where.
 *
 * The MAD is the payload of a UD packet to QP0 or QP1, as the packet walk found
 * it. Records that RMPP spread over several packets are walked after the caller has reassembled
 * them (rmpp.h).
 */
#ifndef IBWIRE_MAD_WALK_H
#define IBWIRE_MAD_WALK_H

#include "mad.h"
#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A row of list/mad_classes.def. */
struct ibw_mad_class_row {
	const char *text;    /* "SubnAdm" */
	uint8_t first, last; /* class numbers */
	uint8_t version;     /* 0: its own affair */
	uint8_t attrs;       /* enum ibw_mad_attrs: which attribute list */
	uint16_t layers[2];  /* after the common header; IBW_LAYER_COUNT: none */
	uint16_t off, len;   /* where the attribute lies */
};

/* The attribute lists. */
enum ibw_mad_attrs {
	IBW_ATTRS_SM,
	IBW_ATTRS_SA,
	IBW_ATTRS_PERF,
	IBW_ATTRS_BM,
	IBW_ATTRS_DM,
	IBW_ATTRS_CM,
	IBW_ATTRS_SNMP,
	IBW_ATTRS_CC,
	IBW_ATTRS_VENDOR,
	IBW_ATTRS_APPLICATION,
	IBW_ATTRS_PING,
	IBW_ATTRS_MLNX,
	IBW_ATTRS_SYSSTAT
};

/* A row of list/mad_attrs.def. */
struct ibw_mad_attr_row {
	const char *text; /* "PathRecord" */
	uint16_t id;
	uint16_t methods;   /* IBW_M_... */
	uint16_t layers[3]; /* one after the other; IBW_LAYER_COUNT: none */
	uint8_t attrs;      /* enum ibw_mad_attrs */
};

/* Rows of list/mad_classes.def and list/mad_attrs.def; NULL after the last. */
const struct ibw_mad_class_row *ibw_mad_class_at(unsigned int i);
const struct ibw_mad_attr_row *ibw_mad_attr_at(unsigned int i);

/* NULL: the class is not defined. */
const struct ibw_mad_class_row *ibw_mad_class_of(uint8_t mgmt_class);
/* NULL: the class has no such attribute. */
const struct ibw_mad_attr_row *ibw_mad_attr_of(const struct ibw_mad_class_row *row, uint16_t id);
/* Whether a MAD with this R bit and method may carry the attribute. */
bool ibw_mad_method_legal(const struct ibw_mad_attr_row *attr, bool response, uint8_t method);

enum ibw_mad_flags {
	IBW_MAD_OPA = 1 << 0,     /* base version 0x80: nothing after the common header is ours */
	IBW_MAD_SEGMENT = 1 << 1, /* one of several RMPP segments: the records need the others */
	IBW_MAD_CONTROL = 1 << 2, /* RMPP ACK, STOP or ABORT: carries no attribute */
	IBW_MAD_TABLE = 1 << 3,   /* records[] repeat every record_stride bytes */
	/* RMPP active, but no type and no segment: as user space hands it to the kernel, in one piece */
	IBW_MAD_UNSENT = 1 << 4
};

struct ibw_mad_walked {
	const struct ibw_mad_class_row *class_row; /* NULL: unknown class */
	const struct ibw_mad_attr_row *attr;       /* NULL: unknown attribute, or none in it */
	uint8_t outcome;                           /* enum ibw_outcome */
	uint8_t flags;                             /* enum ibw_mad_flags */
	uint32_t data_off, data_len; /* the attribute, or the records; from the start of the MAD */
	uint32_t record_stride;      /* SA: AttributeOffset in bytes; 0: one record, or none */
	uint32_t n_spans;            /* written to the caller's array */
	uint32_t needed_spans;       /* more than n_spans: the array was too small */
	struct ibw_error error;
};

/*
 * Walks the @n captured bytes at @p, of a MAD that had @len on the wire, and writes
 * up to @cap spans to @span, offsets from @p. Returns the outcome: OK, CUT, or
 * MALFORMED. A MAD whose class or attribute is not known is OK; its data is not walked. A refused
 * query need not have records in its answer.
 */
enum ibw_outcome ibw_mad_walk(struct ibw_mad_walked *mad, const uint8_t *p, uint32_t n,
			      uint32_t len, struct ibw_span *span, uint32_t cap);

/*
 * Walks one attribute or one SA record of @attr in the @n bytes at @p (offsets of
 * the spans from @p): what ibw_mad_walk() does for each record, for records that RMPP has
 * reassembled. @attr_mod is the MAD's. Returns the spans needed; at most @cap are written.
 */
uint32_t ibw_mad_walk_attr(const struct ibw_mad_attr_row *attr, uint32_t attr_mod, const uint8_t *p,
			   uint32_t n, struct ibw_span *span, uint32_t cap);

/*
 * The consumer's data in a REP or REJ cannot be decoded from the message alone: the service ID
 * decides, which is in the REQ that it answers (whose local communication ID is its remote one).
 * Walks the CM message of @n captured bytes at @mad with that @service_id: the layers lie over its
 * private data (cm_private_196, cm_private_148), offsets from @mad. Returns the spans needed, 0 if
 * the service says nothing; at most @cap are written.
 */
uint32_t ibw_mad_walk_cm_answer(uint64_t service_id, const uint8_t *mad, uint32_t n,
				struct ibw_span *span, uint32_t cap);

/* The layout of the records of a table. */
struct ibw_sa_table {
	uint32_t n;      /* records */
	uint32_t stride; /* bytes from one to the next */
	uint32_t record; /* bytes one has at least; the padding after the last may be missing */
	uint32_t rest;   /* bytes that are no record; all of them if the offset is too small */
};

/*
 * Divides a table of @bytes bytes into records of @attr, one every @stride bytes. A
 * @stride of 0 is right for a single record: IBTA vol 1, 15.2.1
 */
struct ibw_sa_table ibw_sa_table_of(const struct ibw_mad_attr_row *attr, uint32_t stride,
				    uint32_t bytes);

/* Whether the payload of a walked packet is a MAD: a UD packet from or to QP0 or QP1. */
bool ibw_packet_is_mad(const struct ibw_packet *pkt);

/* The captured bytes of a packet's payload. */
uint32_t ibw_packet_payload_captured(const struct ibw_packet *pkt);

/* The field that one bit of an SA component mask selects. */
struct ibw_sa_component {
	const struct ibw_field *field;
	uint16_t layer;   /* enum ibw_layer of the field */
	uint16_t element; /* of an array; else 0 */
	uint32_t at;      /* its first bit, from the start of the record */
};

/*
 * The components of the record @attr, which are the bits its component mask can have; 0: the
 * attribute has none. An embedded attribute's follow those of the record before it.
 */
unsigned int ibw_sa_components(const struct ibw_mad_attr_row *attr);

/*
 * The component of @bit; false: @attr has no such bit. Where a field has two bits or two
 * fields share one, it is the (first) field.
 */
bool ibw_sa_component_at(const struct ibw_mad_attr_row *attr, unsigned int bit,
			 struct ibw_sa_component *c);

#pragma GCC visibility pop

/* In the static library only: see tables.h. */
extern const struct ibw_mad_class_row ibw_mad_classes[];
extern const unsigned int ibw_mad_class_count;
extern const struct ibw_mad_attr_row ibw_mad_attributes[];
extern const unsigned int ibw_mad_attribute_count;
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_MAD_WALK_H */
