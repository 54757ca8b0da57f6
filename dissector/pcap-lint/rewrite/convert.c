/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.c - --convert: writes the packets of a capture in another framing. */
#include <pcap/pcap.h>

#include "capture/capture.h"
#include "pcap-lint/base/interrupt.h"
#include "pcap-lint/base/mode.h"
#include "capture/erf.h"
#include "capture/pcap_write.h"
#include "capture/pcapng_write.h"
#include "rewrite.h"

#include <ibwire/out.h>
#include <ibwire/packet.h>

#define NS_PER_S 1000000000u
#define NS_PER_US 1000u
#define MICROSECONDS 6u /* as if_tsresol */

struct convert {
	struct pl_output *output;
	const struct pl_options *options;
	const char *file;
	struct capture *capture;
	struct pl_file out;
	struct capture_pcapng_writer pcapng; /* the output is one of these two */
	struct capture_pcap_writer pcap;
	bool begun; /* the pcap has its file header */
	GByteArray *bytes;
	uint64_t packets, left_out;
	enum pl_exit status;
};

static bool to_pcapng(const struct convert *c)
{
	return c->options->convert_to == PL_CONVERT_PCAPNG;
}

/* "link type 1 (EN10MB)" */
static char *linktype_text(uint32_t linktype)
{
	const char *name = pcap_datalink_val_to_name((int)linktype);

	return g_strdup_printf("link type %" G_GUINT32_FORMAT " (%s)", linktype,
			       name ? name : "unknown");
}

/* The link type packets of @linktype get in a pcap, if they can be converted. */
static uint32_t converted(const struct convert *c, uint32_t linktype)
{
	if (c->options->convert_to == PL_CONVERT_ERF)
		return IBW_LINKTYPE_ERF;
	return linktype == IBW_LINKTYPE_ERF ? IBW_LINKTYPE_INFINIBAND : linktype;
}

/* Room for what a record has around its packet; without it, what had been there before. */
static uint32_t converted_snaplen(const struct capture_interface *in, uint32_t linktype)
{
	if (linktype == in->linktype || in->snaplen == 0)
		return in->snaplen;
	if (linktype == IBW_LINKTYPE_ERF)
		return in->snaplen + MIN(CAPTURE_ERF_AROUND, UINT32_MAX - in->snaplen);
	return in->snaplen > CAPTURE_ERF_AROUND ? in->snaplen - CAPTURE_ERF_AROUND : in->snaplen;
}

/* What holds for @in, too, of those that become one with it. */
static void take_in(struct capture_pcap_kind *kind, const struct convert *c,
		    const struct capture_interface *in)
{
	const uint32_t snaplen = converted_snaplen(in, kind->linktype);

	if (converted(c, in->linktype) != kind->linktype)
		return;
	if (kind->snaplen)
		kind->snaplen = snaplen ? MAX(snaplen, kind->snaplen) : 0;
	/* In or around an ERF record it would be said of other bytes. */
	if (in->fcs_len != kind->fcs_len || in->fcs_len % 2 || in->linktype != kind->linktype)
		kind->fcs_len = 0;
	kind->microseconds &= in->ts_resolution <= MICROSECONDS;
}

/*
 * A pcap keeps its time resolution and its byte order, so that the way back leads there. Of a
 * pcapng count the interfaces known when its first packet comes; NULL: there is none.
 */
static void begin(struct convert *c, const struct capture_packet *first)
{
	static const struct capture_interface none = { .linktype = IBW_LINKTYPE_INFINIBAND };
	const struct capture_interface *in =
		capture_interface(c->capture, first ? first->iface : 0);
	struct capture_pcap_kind kind = { .microseconds = in != NULL };
	unsigned int i;

	if (!in)
		in = &none;
	kind.linktype = converted(c, in->linktype);
	kind.snaplen = converted_snaplen(in, kind.linktype);
	kind.fcs_len = first ? first->fcs_len : in->fcs_len;
	kind.swapped = in->swapped;
	for (i = 0; i < capture_interface_count(c->capture); i++)
		take_in(&kind, c, capture_interface(c->capture, i));
	capture_pcap_write_kind(&c->pcap, &kind);
	c->begun = true;
}

static bool refuse_linktype(const struct convert *c, uint32_t linktype, GError **err)
{
	char *text = linktype_text(linktype);

	if (c->options->convert_to == PL_CONVERT_ERF)
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: only InfiniBand packets (247) are put into ERF records", text);
	else
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: the pcap has packets of link type %" G_GUINT32_FORMAT
			    ", and can have no others",
			    text, c->pcap.kind.linktype);
	g_free(text);
	return false;
}

/* Whether packets of this link type can be converted at all. */
static bool can_convert(const struct convert *c, uint32_t linktype, GError **err)
{
	if (c->options->convert_to != PL_CONVERT_ERF || linktype == IBW_LINKTYPE_INFINIBAND ||
	    linktype == IBW_LINKTYPE_ERF)
		return true;
	return refuse_linktype(c, linktype, err);
}

static bool refuse_time(uint64_t time_ns, const char *what, GError **err)
{
	g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
		    "a time of %" G_GUINT64_FORMAT ".%09u s %s", (guint64)(time_ns / NS_PER_S),
		    (unsigned int)(time_ns % NS_PER_S), what);
	return false;
}

/* A pcap says once for all packets what a pcapng says of each of its interfaces. */
static bool fits_pcap(const struct convert *c, const struct capture_packet *pkt, uint32_t linktype,
		      GError **err)
{
	const struct capture_pcap_kind *kind = &c->pcap.kind;

	if (c->begun && linktype != kind->linktype)
		return refuse_linktype(c, linktype, err);
	if (capture_time_before_1970(c->capture, pkt)) {
		g_set_error_literal(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
				    "a time before 1970 is too early for a pcap");
		return false;
	}
	if (pkt->time_ns / NS_PER_S > UINT32_MAX)
		return refuse_time(pkt->time_ns, "is too late for a pcap", err);
	if (c->begun && kind->microseconds && pkt->time_ns % NS_PER_US)
		return refuse_time(pkt->time_ns, "has nanoseconds, and the pcap microseconds", err);
	if (c->begun && kind->fcs_len && pkt->fcs_len != kind->fcs_len) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "an FCS of %u bytes, and the pcap says they have %u", pkt->fcs_len,
			    kind->fcs_len);
		return false;
	}
	return true;
}

static bool convert_packet(struct convert *c, struct capture_packet *pkt, GError **err)
{
	const uint32_t linktype = converted(c, pkt->linktype);

	if (to_pcapng(c))
		return true;
	if (!can_convert(c, pkt->linktype, err))
		return false;
	if (!fits_pcap(c, pkt, linktype, err))
		return false;
	if (pkt->linktype == linktype)
		return true;
	return linktype == IBW_LINKTYPE_ERF ? capture_erf_pack(pkt, c->bytes, err)
					    : capture_erf_unpack(pkt, err);
}

static bool open_output(struct convert *c)
{
	FILE *stream = pl_file_stream(&c->out);

	if (stream && to_pcapng(c))
		capture_pcapng_write_open(&c->pcapng, c->capture, stream, false);
	else if (stream)
		capture_pcap_write_open(&c->pcap, stream);
	return stream != NULL;
}

/* False: that failed. */
static bool write_packet(struct convert *c, const struct capture_packet *pkt)
{
	if (to_pcapng(c)) {
		capture_pcapng_write_packet(&c->pcapng, pkt);
		return !c->pcapng.error;
	}
	if (!c->begun)
		begin(c, pkt);
	capture_pcap_write_packet(&c->pcap, pkt->time_ns, pkt->data, pkt->caplen, pkt->len);
	return !c->pcap.error;
}

static bool close_output(struct convert *c)
{
	if (to_pcapng(c))
		return capture_pcapng_write_close(&c->pcapng);
	if (!c->begun)
		begin(c, NULL);
	return capture_pcap_write_close(&c->pcap);
}

/* One message a packet, as many as there may be findings of a rule. */
static void leave_out(struct convert *c, uint64_t frame, GError *err)
{
	c->left_out++;
	if (!c->options->max_per_rule || c->left_out <= c->options->max_per_rule)
		pl_error(c->output, "%s:%" G_GUINT64_FORMAT ": %s", c->file, (guint64)frame,
			 err->message);
	g_error_free(err);
	c->status = PL_EXIT_ERROR;
}

/* False: that was enough. */
static bool one_packet(void *user, const struct capture_packet *record)
{
	struct convert *c = user;
	struct capture_packet pkt = *record;
	GError *err = NULL;

	if (!convert_packet(c, &pkt, &err)) {
		leave_out(c, pkt.frame, err);
		return true;
	}
	c->packets++;
	return write_packet(c, &pkt) && c->packets != c->options->count;
}

static void summary(struct convert *c)
{
	struct ibw_out *o = &c->output->out;

	if (c->options->quiet || c->options->format == PL_FORMAT_json) {
		if (pl_interrupted())
			pl_say_interrupted(c->output, c->file, c->packets + c->left_out);
		return;
	}
	pl_output_room(c->output);
	pl_out_name(o, c->file);
	ibw_out_str(o, ": ");
	if (pl_interrupted()) {
		pl_out_interrupted(o, c->packets + c->left_out);
		ibw_out_str(o, ": ");
	}
	pl_out_counted(o, c->packets, "packet");
	ibw_out_str(o, " written, ");
	ibw_out_dec(o, c->left_out);
	ibw_out_str(o, " left out\n");
}

/* A pcap tells beforehand that nothing will come of it; the output is not touched then. */
static bool open_capture(struct convert *c, GError **err)
{
	GError *why = NULL;

	c->capture = pl_rewrite_open(c->output, c->options, c->file, err);
	if (!c->capture)
		return false;
	if (capture_format(c->capture) != CAPTURE_FORMAT_PCAP ||
	    can_convert(c, capture_interface(c->capture, 0)->linktype, &why))
		return true;
	g_propagate_prefixed_error(err, why, "%s: ", c->file);
	return false;
}

/* False: *err says why the output cannot be written; what was there before stays. */
static bool write_all(struct convert *c, GError **err)
{
	if (!open_output(c))
		return pl_file_failed(&c->out, err);
	c->bytes = g_byte_array_new();
	if (!pl_rewrite_each(c->output, c->file, c->capture, one_packet, c))
		c->status = PL_EXIT_ERROR;
	g_byte_array_free(c->bytes, TRUE);
	if (!close_output(c))
		return pl_file_failed(&c->out, err);
	return pl_rewrite_close(&c->out, c->file, c->packets, c->status != PL_EXIT_CLEAN, err);
}

enum pl_exit pl_convert(struct pl_output *output, const struct pl_options *options,
			const char *file)
{
	struct convert c = { .output = output, .options = options, .file = file };
	GError *err = NULL;

	if (open_capture(&c, &err) && pl_file_open(&c.out, options->convert, &err) &&
	    write_all(&c, &err)) {
		summary(&c);
	} else {
		pl_error(output, "%s", err->message);
		g_error_free(err);
		c.status = PL_EXIT_ERROR;
	}
	capture_close(c.capture);
	pl_output_flush(output);
	return c.status;
}
