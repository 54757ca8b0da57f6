/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair.c - --repair: corrects every packet of a capture, and reports the changes. */
#include <string.h>

#include "capture/capture.h"
#include "capture/pcapng_write.h"
#include "pcap-lint/base/interrupt.h"
#include "pcap-lint/base/mode.h"
#include "repair_packet.h"
#include "rewrite.h"

#include <ibwire/json.h>
#include <ibwire/out.h>

struct repair {
	struct pl_output *output;
	const struct pl_options *options;
	const char *file;
	struct pl_file out;
	struct capture_pcapng_writer writer;
	struct pl_repaired repaired;
	uint64_t packets, changed, left;
	enum pl_exit status;
};

/* "icrc absent -> 0x..." */
static void say_change(struct ibw_out *o, const struct pl_change *c)
{
	char text[128], was[16] = "absent";

	if (!c->added)
		g_snprintf(was, sizeof(was), "0x%0*x", c->digits, c->was);
	g_snprintf(text, sizeof(text), "%s.%s %s -> 0x%0*x", ibw_headers[c->layer].name, c->field,
		   was, c->digits, c->is);
	ibw_out_str(o, text);
}

/*
 * "FILE:17: repaired udp.length 0x2c -> 0x30, bth.icrc 0x... -> 0x..."
 * "FILE:18: not repaired: cut, 60 of 90 bytes captured"
 */
static void say_text(struct repair *r, uint64_t frame)
{
	struct ibw_out *o = &r->output->out;
	unsigned int i;

	pl_out_name(o, r->file);
	ibw_out_char(o, ':');
	ibw_out_dec(o, frame);
	for (i = 0; i < r->repaired.n_changes; i++) {
		ibw_out_str(o, i ? ", " : ": repaired ");
		say_change(o, &r->repaired.change[i]);
	}
	if (r->repaired.left[0]) {
		ibw_out_str(o, i ? "; " : ": not repaired: ");
		ibw_out_str(o, r->repaired.left);
	}
	ibw_out_char(o, '\n');
}

static void say_change_json(struct ibw_out *o, const struct pl_change *c)
{
	ibw_out_str(o, "{\"layer\":\"");
	ibw_out_str(o, ibw_headers[c->layer].name);
	ibw_out_str(o, "\",\"field\":\"");
	ibw_out_str(o, c->field);
	ibw_out_str(o, "\",\"was\":");
	if (c->added)
		ibw_out_str(o, "null");
	else
		ibw_out_dec(o, c->was);
	ibw_out_str(o, ",\"is\":");
	ibw_out_dec(o, c->is);
	ibw_out_char(o, '}');
}

/*
 * {"type":"repair","file":...,"frame":17,
 *  "changes":[{"layer":"udp","field":"length","was":44,"is":48}],"left":null}
 */
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
		if (i)
			ibw_out_char(o, ',');
		say_change_json(o, &r->repaired.change[i]);
	}
	ibw_out_str(o, "],\"left\":");
	if (r->repaired.left[0])
		ibw_json_string(o, r->repaired.left, strlen(r->repaired.left));
	else
		ibw_out_str(o, "null");
	ibw_out_str(o, "}\n");
}

static void say(struct repair *r, uint64_t frame)
{
	pl_output_room(r->output);
	if (r->options->format == PL_FORMAT_json)
		say_json(r, frame);
	else
		say_text(r, frame);
	pl_output_line(r->output);
}

static void write_repaired(struct repair *r, const struct capture_packet *record)
{
	struct capture_packet pkt = *record;

	pkt.data = r->repaired.bytes->data;
	pkt.caplen = r->repaired.bytes->len;
	pkt.len += pkt.caplen - record->caplen;
	capture_pcapng_write_packet(&r->writer, &pkt);
}

/* False: that was enough. */
static bool one_packet(void *user, const struct capture_packet *record)
{
	struct repair *r = user;
	const struct ibw_walk_options walk = { r->options->roce_ports, r->options->n_roce_ports };

	struct capture_packet walked = *record;

	walked.linktype = pl_linktype(r->options, record->linktype);
	pl_repair_packet(&r->repaired, &walked, &walk);
	write_repaired(r, record);
	r->packets++;
	r->changed += r->repaired.n_changes != 0;
	r->left += r->repaired.left[0] && !r->repaired.n_changes;
	if (r->repaired.n_changes || r->repaired.left[0])
		say(r, record->frame);
	return !r->writer.error && r->packets != r->options->count;
}

static void summary(struct repair *r)
{
	struct ibw_out *o = &r->output->out;

	if (r->options->quiet || r->options->format == PL_FORMAT_json) {
		if (pl_interrupted())
			pl_say_interrupted(r->output, r->file, r->packets);
		return;
	}
	pl_output_room(r->output);
	pl_out_name(o, r->file);
	ibw_out_str(o, ": ");
	if (pl_interrupted()) {
		pl_out_interrupted(o, r->packets);
		ibw_out_str(o, ": ");
	}
	pl_out_counted(o, r->packets, "packet");
	ibw_out_str(o, " written, ");
	ibw_out_dec(o, r->changed);
	ibw_out_str(o, " of them repaired, ");
	ibw_out_dec(o, r->left);
	ibw_out_str(o, r->left == 1 ? " left as it is\n" : " left as they are\n");
}

static enum pl_exit failed(struct repair *r, GError *err)
{
	pl_error(r->output, "%s", err->message);
	g_error_free(err);
	return PL_EXIT_ERROR;
}

/* False: *err says why the output cannot be written; what was there before stays. */
static bool write_all(struct repair *r, struct capture *capture, GError **err)
{
	FILE *stream = pl_file_stream(&r->out);

	if (!stream)
		return pl_file_failed(&r->out, err);
	capture_pcapng_write_open(&r->writer, capture, stream, true);
	r->repaired.bytes = g_byte_array_new();
	if (!pl_rewrite_each(r->output, r->file, capture, one_packet, r))
		r->status = PL_EXIT_ERROR;
	g_byte_array_free(r->repaired.bytes, TRUE);
	if (!capture_pcapng_write_close(&r->writer))
		return pl_file_failed(&r->out, err);
	return pl_rewrite_close(&r->out, r->file, r->packets, r->status != PL_EXIT_CLEAN, err);
}

enum pl_exit pl_repair(struct pl_output *output, const struct pl_options *options, const char *file)
{
	struct repair r = { .output = output, .options = options, .file = file };
	struct capture *capture;
	GError *err = NULL;

	capture = pl_rewrite_open(output, options, file, &err);
	if (!capture)
		return failed(&r, err);
	if (!pl_file_open(&r.out, options->repair, &err) || !write_all(&r, capture, &err))
		r.status = failed(&r, err);
	else
		summary(&r);
	capture_close(capture);
	pl_output_flush(output);
	return r.status;
}
