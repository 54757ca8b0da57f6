/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - --decode: a packet, layer by layer and field by field, as text or JSON. */
#ifndef PL_DECODE_H
#define PL_DECODE_H

#include <ibwire/print_mad.h>

#include "pcap-lint/options/options.h"
#include "pcap-lint/base/output.h"
#include "capture/capture.h"
#include "track/iwarp/decode.h"
#include "track/track.h"
#include "track/ulp/ulp.h"
#include "track/view/icmp.h"

/* Layers in a row: of the packet, of its payload, or of a record reassembled from several. */
struct pl_layers {
	const struct ibw_span *span;
	uint32_t n;
	const uint8_t *data;                   /* what the offsets of the spans count from */
	uint32_t off;                          /* where that is in the packet */
	const struct track_transfer *transfer; /* where the data came from; NULL: this packet */
	const struct track_upper *upper;       /* the commands it is about; NULL: none */
	const struct track_fpdu
		*fpdu; /* that data is of, from byte off on, without markers; NULL: none */
};

#define PL_LAYERS_MAX 2

/* Headers of a message of an upper layer; further ones are not shown. */
#define PL_UPPER_SPANS 264

struct pl_decoded {
	const char *file;
	const struct capture_packet *record;
	struct track_view *view;
	const struct track_context *context;
	struct pl_layers layers[PL_LAYERS_MAX]; /* those in the packet, its own first */
	unsigned int n_layers;
	uint8_t outcome;                   /* enum ibw_outcome, of packet and payload together */
	struct ibw_error error;            /* outcome CUT or MALFORMED */
	uint32_t payload_off, payload_len; /* what no layer accounts for */
	struct ibw_crc_verdict icrc, vcrc;
	const struct track_icmp *icmp; /* the error that it is, if that quotes RoCE; NULL: none */
	const struct track_iwarp *streams; /* that has FPDUs of the packet; NULL: none has */
};

/* Prints one packet. */
void pl_decode(struct pl_output *output, const struct pl_options *options, const char *file,
	       const struct capture_packet *record, struct track_view *view,
	       const struct track_context *context, const struct track_iwarp *streams);

/*
 * The records of the transfer that the packet completes, one after the other: the layers of the
 * next one, valid until the one after. False: there is none.
 */
struct pl_records {
	struct track_record_walk walk;
	bool started;
};
bool pl_decoded_record(const struct pl_decoded *d, struct pl_records *records,
		       struct pl_layers *layers);

/* Header @i of an FPDU. */
struct pl_layers pl_decoded_fpdu(const struct track_fpdu *f, unsigned int i);

/* Those of an upper layer's message that begins in it; where further FPDUs have the rest of it, those of this one. */
struct pl_layers pl_decoded_fpdu_upper(const struct pl_decoded *d, const struct track_fpdu *f,
				       struct ibw_span span[PL_UPPER_SPANS]);

/* Where layer @i is in the packet. */
uint32_t pl_decoded_place(const struct pl_layers *l, uint32_t i);

/* "good", "bad", "unused", "unverifiable"; NULL: it has no CRC. */
extern const char *const pl_fpdu_crc_names[];

/* The command that layer @i answers, or, of an RDMA READ or WRITE, that it is for; NULL: none. */
const struct track_ulp_of *pl_decoded_of(const struct pl_layers *l, uint32_t i);

/* The layers of what an ICMP error quotes. */
struct pl_layers pl_decoded_quoted(const struct track_icmp *icmp);

/* The two formats; each makes room in @output for every layer. */
void pl_decode_text(struct pl_output *output, const struct pl_decoded *d, bool verbose);
void pl_decode_json(struct pl_output *output, const struct pl_decoded *d);

/* So many bytes of @data from @off on, in hexadecimal digits, lines of 16. */
void pl_decode_text_dump(struct pl_output *output, const uint8_t *data, uint32_t off,
			 uint32_t bytes);

/* Some layers of those, as part of a list. */
void pl_decode_text_layers(struct pl_output *output, struct ibw_print_context *context,
			   const struct pl_layers *l);
void pl_decode_json_layers(struct pl_output *output, const struct pl_layers *l, bool *first);

#endif /* PL_DECODE_H */
