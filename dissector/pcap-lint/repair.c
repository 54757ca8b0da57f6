/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair.c - a capture with every packet made right, and what that took. */
#include <errno.h>
#include <string.h>

#include "capture.h"
#include "repair.h"
#include "repair_packet.h"

#include <ibwire/json.h>
#include <ibwire/out.h>

/* Blocks of a pcapng: draft-ietf-opsawg-pcapng */
#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define SECTION_MAGIC 0x1a2b3c4du
#define OPTION_TSRESOL 9u
#define NANOSECONDS 9u

struct repair {
	struct pl_output *output;
	const struct pl_options *options;
	const char *file;
	struct pl_capture *capture;
	FILE *out;
	unsigned int interfaces; /* described so far */
	struct pl_repaired repaired;
	uint64_t packets, changed;
	bool failed; /* the output could not be written; said once */
	enum pl_exit status;
};

/* A block of @n bytes of body, a multiple of 4, in the byte order of this machine. */
static void put_block(struct repair *r, uint32_t type, const void *head, uint32_t head_bytes,
		      const void *body, uint32_t n)
{
	static const uint8_t zeros[4];
	uint32_t pad = (0u - n) & 3u, total = 12 + head_bytes + n + pad;

	if (r->failed)
		return;
	if (fwrite(&type, 4, 1, r->out) != 1 || fwrite(&total, 4, 1, r->out) != 1 ||
	    fwrite(head, 1, head_bytes, r->out) != head_bytes ||
	    (n && fwrite(body, 1, n, r->out) != n) || fwrite(zeros, 1, pad, r->out) != pad ||
	    fwrite(&total, 4, 1, r->out) != 1) {
		pl_error(r->output, "%s: %s", r->options->repair, g_strerror(errno));
		r->failed = true;
		r->status = PL_EXIT_ERROR;
	}
}

static void put_section(struct repair *r)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint64_t length; /* not said */
	} head = { SECTION_MAGIC, 1, 0, UINT64_MAX };

	put_block(r, BLOCK_SECTION, &head, sizeof(head), NULL, 0);
}

/* Those that came since the last packet. Times are written in nanoseconds. */
static void put_interfaces(struct repair *r)
{
	unsigned int n = pl_capture_interface_count(r->capture);

	for (; r->interfaces < n; r->interfaces++) {
		const struct pl_interface *in = pl_capture_interface(r->capture, r->interfaces);
		const struct {
			uint16_t linktype, reserved;
			uint32_t snaplen;
			uint16_t option, option_bytes;
			uint8_t resolution[4];
			uint32_t end;
		} head = { .linktype = (uint16_t)in->linktype,
			   .option = OPTION_TSRESOL,
			   .option_bytes = 1,
			   .resolution = { NANOSECONDS } };

		put_block(r, BLOCK_INTERFACE, &head, sizeof(head), NULL, 0);
	}
}

static void put_packet(struct repair *r, const struct pl_packet *record)
{
	const GByteArray *bytes = r->repaired.bytes;
	const struct {
		uint32_t iface, time_high, time_low, caplen, len;
	} head = { record->iface, (uint32_t)(record->time_ns >> 32), (uint32_t)record->time_ns,
		   bytes->len, record->len + bytes->len - record->caplen };

	put_interfaces(r);
	put_block(r, BLOCK_PACKET, &head, sizeof(head), bytes->data, bytes->len);
}

/* "FILE:17: repaired udp.length 44 -> 48, bth.icrc 0x... -> 0x..." */
static void say_text(struct repair *r, uint64_t frame)
{
	struct ibw_out *o = &r->output->out;
	const char *separator = ": repaired ";
	unsigned int i;

	pl_out_name(o, r->file);
	ibw_out_char(o, ':');
	ibw_out_dec(o, frame);
	for (i = 0; i < r->repaired.n_changes; i++) {
		const struct pl_change *c = &r->repaired.change[i];
		char *text = g_strdup_printf("%s%s.%s 0x%x -> 0x%x", separator,
					     ibw_headers[c->layer].name, c->field, c->was, c->is);

		ibw_out_str(o, text);
		g_free(text);
		separator = ", ";
	}
	ibw_out_char(o, '\n');
}

/* {"type":"repair","file":...,"frame":17,"changes":[{"layer":"udp","field":"length","was":44,"is":48}]} */
static void say_json(struct repair *r, uint64_t frame)
{
	struct ibw_out *o = &r->output->out;
	unsigned int i;

	ibw_out_str(o, "{\"type\":\"repair\",\"file\":");
	ibw_json_string(o, r->file, strlen(r->file));
	ibw_out_str(o, ",\"frame\":");
	ibw_out_dec(o, frame);
	ibw_out_str(o, ",\"changes\":[");
	for (i = 0; i < r->repaired.n_changes; i++) {
		const struct pl_change *c = &r->repaired.change[i];
		char *text = g_strdup_printf(
			"%s{\"layer\":\"%s\",\"field\":\"%s\",\"was\":%u,\"is\":%u}", i ? "," : "",
			ibw_headers[c->layer].name, c->field, c->was, c->is);

		ibw_out_str(o, text);
		g_free(text);
	}
	ibw_out_str(o, "]}\n");
}

static void one_packet(struct repair *r, const struct pl_packet *record)
{
	const struct ibw_walk_options walk = { r->options->roce_ports, r->options->n_roce_ports };
	struct ibw_packet pkt;

	ibw_packet_walk(&pkt, record->data, record->caplen, record->len, record->linktype, &walk);
	pl_repair_packet(&r->repaired, &pkt, record->fcs_len);
	put_packet(r, record);
	r->packets++;
	if (!r->repaired.n_changes)
		return;
	r->changed++;
	pl_output_room(r->output);
	if (r->options->format == PL_JSON)
		say_json(r, record->frame);
	else
		say_text(r, record->frame);
	pl_output_line(r->output);
}

static void all_packets(struct repair *r)
{
	struct pl_packet record;
	const struct pl_fault *f;

	while (!r->failed && (!r->options->count || r->packets < r->options->count)) {
		switch (pl_capture_next(r->capture, &record)) {
		case PL_PACKET:
			one_packet(r, &record);
			break;
		case PL_FAULT:
			f = pl_capture_fault(r->capture);
			pl_error(r->output, "%s:%" G_GUINT64_FORMAT ": %s", r->file,
				 (guint64)f->frame, f->text);
			r->status = PL_EXIT_ERROR;
			break;
		case PL_END:
			return;
		}
	}
}

static void summary(struct repair *r)
{
	struct ibw_out *o = &r->output->out;

	if (r->options->quiet || r->options->format == PL_JSON)
		return;
	pl_output_room(r->output);
	pl_out_name(o, r->file);
	ibw_out_str(o, ": ");
	ibw_out_dec(o, r->packets);
	ibw_out_str(o, " packets written, ");
	ibw_out_dec(o, r->changed);
	ibw_out_str(o, " of them repaired\n");
}

enum pl_exit pl_repair(struct pl_output *output, const struct pl_options *options, const char *file)
{
	struct repair r = { .output = output, .options = options, .file = file };
	GError *err = NULL;

	r.capture = pl_capture_open(file, &err);
	if (!r.capture ||
	    (options->filter && !pl_capture_filter(r.capture, options->filter, &err))) {
		pl_error(output, "%s", err->message);
		g_error_free(err);
		pl_capture_close(r.capture);
		return PL_EXIT_ERROR;
	}
	r.out = fopen(options->repair, "wb");
	if (!r.out) {
		pl_error(output, "%s: %s", options->repair, g_strerror(errno));
		pl_capture_close(r.capture);
		return PL_EXIT_ERROR;
	}
	r.repaired.bytes = g_byte_array_new();
	put_section(&r);
	all_packets(&r);
	if (fclose(r.out) && !r.failed) {
		pl_error(output, "%s: %s", options->repair, g_strerror(errno));
		r.status = PL_EXIT_ERROR;
	}
	summary(&r);
	g_byte_array_free(r.repaired.bytes, TRUE);
	pl_capture_close(r.capture);
	pl_output_flush(output);
	return r.status;
}
