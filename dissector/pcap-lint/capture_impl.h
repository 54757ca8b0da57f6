/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_impl.h - what the readers of the file formats share; nobody else's business. */
#ifndef PL_CAPTURE_IMPL_H
#define PL_CAPTURE_IMPL_H

#include <inttypes.h>
#include <string.h>

#include "capture.h"
#include "capture_input.h"

struct pl_filter;

/* A reader's own structure begins with this one. */
struct pl_capture {
	enum pl_format format;
	/* Delivers a packet with all members but the checks of pl_capture_next(). */
	enum pl_result (*read)(struct pl_capture *cap, struct pl_packet *pkt);
	/* As pl_capture_each(), with those checks; NULL: there is no quicker way than read(). */
	enum pl_result (*each)(struct pl_capture *cap, pl_capture_do *what, void *user);
	void (*close)(struct pl_capture *cap);
	struct pl_input *input;
	bool plain;         /* the file is read as pl_input_plain() */
	GArray *interfaces; /* struct pl_interface */
	struct pl_filter *filter;
	uint64_t frame;         /* the last one read */
	uint64_t offset;        /* of the record to be read next, in the uncompressed file */
	uint64_t packet_offset; /* of the last packet's record */
	struct pl_fault fault;
	struct pl_packet held; /* to be delivered after its fault */
	bool holds;
	bool ended;
};

/* The readers take over @input if they succeed. */
bool pl_pcap_matches(const uint8_t *head); /* 4 bytes */
struct pl_capture *pl_pcap_open(struct pl_input *input, GError **err);
bool pl_pcapng_matches(const uint8_t *head); /* 4 bytes */
struct pl_capture *pl_pcapng_open(struct pl_input *input, GError **err);

void pl_capture_init(struct pl_capture *cap, enum pl_format format, struct pl_input *input);

/* Unaligned integers of a file, in this machine's byte order or @swapped against it. */
static inline uint16_t pl_load16(const uint8_t *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	if (swapped)
		v = GUINT16_SWAP_LE_BE(v);
	return v;
}

static inline uint32_t pl_load32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? GUINT32_SWAP_LE_BE(v) : v;
}

static inline uint64_t pl_load64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? GUINT64_SWAP_LE_BE(v) : v;
}

/* Raw IP has one number in files and others in the programs that write them. */
uint32_t pl_linktype(uint32_t in_file);

/* Of if_tsresol; 0: no whole number. */
uint64_t pl_ns_per_tick(uint8_t resolution);

/* A time stamp of the interface's clock; one outside of uint64_t becomes 0 or UINT64_MAX. */
uint64_t pl_time_ns(const struct pl_interface *iface, uint64_t ticks);

static inline struct pl_interface *pl_interface_at(const struct pl_capture *cap, unsigned int i)
{
	return &((struct pl_interface *)(void *)cap->interfaces->data)[i];
}

/* Records a fault of the record at cap->offset and frame cap->frame + 1; PL_FAULT. */
enum pl_result pl_capture_fail(struct pl_capture *cap, enum pl_fault_kind kind, bool fatal,
			       uint64_t needed, uint64_t had, const char *format, ...)
	G_GNUC_PRINTF(6, 7);

/* The same, of the packet read last; not fatal. */
enum pl_result pl_capture_doubt(struct pl_capture *cap, const struct pl_packet *pkt,
				enum pl_fault_kind kind, uint64_t needed, uint64_t had,
				const char *format, ...) G_GNUC_PRINTF(6, 7);

/* The same as pl_capture_fail() for input that ended @had bytes into the @needed of @what: cut, or the input's own
 * failure. Always fatal. */
enum pl_result pl_capture_cut(struct pl_capture *cap, const char *what, uint64_t needed,
			      uint64_t had);

enum pl_filtered { PL_FILTERED_OUT, PL_FILTERED_IN, PL_FILTERED_FAULT };

struct pl_filter *pl_filter_new(const struct pl_capture *cap, const char *expression, GError **err);
enum pl_filtered pl_filter_match(struct pl_filter *filter, struct pl_capture *cap,
				 const struct pl_packet *pkt);
void pl_filter_free(struct pl_filter *filter);

/* Records the fault, and has the packet delivered after it. */
void pl_capture_longer_than_wire(struct pl_capture *cap, const struct pl_packet *pkt);

/* Whether a packet just read is to be delivered. */
static inline enum pl_filtered pl_capture_check(struct pl_capture *cap, const struct pl_packet *pkt)
{
	if (G_UNLIKELY(pkt->caplen > pkt->len)) {
		pl_capture_longer_than_wire(cap, pkt);
		return PL_FILTERED_FAULT;
	}
	return cap->filter ? pl_filter_match(cap->filter, cap, pkt) : PL_FILTERED_IN;
}

#endif /* PL_CAPTURE_IMPL_H */
