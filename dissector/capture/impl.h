/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impl.h - what the readers of the file formats share; nobody else's business. */
#ifndef CAPTURE_IMPL_H
#define CAPTURE_IMPL_H

#include <inttypes.h>
#include <string.h>

#include "capture.h"
#include "input.h"

struct capture_filter;

/* A reader's own structure begins with this one, in memory of GLib's. */
struct capture {
	enum capture_format format;
	struct capture_input *input;
	GArray *interfaces; /* struct capture_interface */
	struct capture_filter *filter;
	uint64_t frame;         /* the last one read */
	uint64_t offset;        /* of the record to be read next, in the uncompressed file */
	uint64_t packet_offset; /* of the last packet's record */
	struct capture_fault fault;
	struct capture_packet held; /* to be delivered after its fault */
	bool holds;
	bool ended;
	bool shows_left_out;
	bool is_part;               /* packets were left out of it: CAPTURE_PART */
	struct capture_block block; /* a pcapng's, at hand; no length: none is */
};

/*
 * The readers take over @input if they succeed. *_read() delivers a packet with all members but
 * the checks of capture_next().
 */
bool capture_pcap_matches(const uint8_t *head); /* 4 bytes */
struct capture *capture_pcap_open(struct capture_input *input, GError **err);
enum capture_result capture_pcap_read(struct capture *cap, struct capture_packet *pkt);
bool capture_pcapng_matches(const uint8_t *head); /* 4 bytes */
struct capture *capture_pcapng_open(struct capture_input *input, GError **err);
enum capture_result capture_pcapng_read(struct capture *cap, struct capture_packet *pkt);

void capture_init(struct capture *cap, enum capture_format format, struct capture_input *input);

/* Unaligned integers of a file, in this machine's byte order or @swapped against it. */
static inline uint16_t capture_load16(const uint8_t *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	if (swapped)
		v = GUINT16_SWAP_LE_BE(v);
	return v;
}

static inline uint32_t capture_load32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? GUINT32_SWAP_LE_BE(v) : v;
}

static inline uint64_t capture_load64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? GUINT64_SWAP_LE_BE(v) : v;
}

/* Raw IP has one number in files and others in the programs that write them. */
uint32_t capture_linktype(uint32_t in_file);

/* Of if_tsresol; 0: no whole number. */
uint64_t capture_ns_per_tick(uint8_t resolution);

/* A time stamp of the interface's clock; one outside of uint64_t becomes 0 or UINT64_MAX. */
uint64_t capture_time_ns(const struct capture_interface *iface, uint64_t ticks);

static inline struct capture_interface *capture_interface_at(const struct capture *cap,
							     unsigned int i)
{
	return &((struct capture_interface *)(void *)cap->interfaces->data)[i];
}

/* Records a fault of the record at cap->offset and frame cap->frame + 1; CAPTURE_FAULT. */
enum capture_result capture_fail(struct capture *cap, enum capture_fault_kind kind, bool fatal,
				 uint64_t needed, uint64_t had, const char *format, ...)
	G_GNUC_PRINTF(6, 7);

/* The same, of the packet read last; not fatal. */
enum capture_result capture_doubt(struct capture *cap, const struct capture_packet *pkt,
				  enum capture_fault_kind kind, uint64_t needed, uint64_t had,
				  const char *format, ...) G_GNUC_PRINTF(6, 7);

/* The same as capture_fail() for input that ended @had bytes into the @needed of @what: cut, or the input's own
 * failure, which is fatal; CAPTURE_END: the caller wanted no more. */
enum capture_result capture_cut(struct capture *cap, const char *what, uint64_t needed,
				uint64_t had);

enum capture_filtered { CAPTURE_FILTERED_OUT, CAPTURE_FILTERED_IN, CAPTURE_FILTERED_FAULT };

struct capture_filter *capture_filter_new(const struct capture *cap, const char *expression,
					  GError **err);
enum capture_filtered capture_filter_match(struct capture_filter *filter, struct capture *cap,
					   const struct capture_packet *pkt);
void capture_filter_free(struct capture_filter *filter);

/* Records the fault, and has the packet delivered after it. */
void capture_longer_than_wire(struct capture *cap, const struct capture_packet *pkt);

/* Whether a packet just read is to be delivered. */
static inline enum capture_filtered capture_check(struct capture *cap,
						  const struct capture_packet *pkt)
{
	if (G_UNLIKELY(pkt->caplen > pkt->len)) {
		capture_longer_than_wire(cap, pkt);
		return CAPTURE_FILTERED_FAULT;
	}
	return cap->filter ? capture_filter_match(cap->filter, cap, pkt) : CAPTURE_FILTERED_IN;
}

#endif /* CAPTURE_IMPL_H */
