/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sarif_place.c - locations in SARIF: file, bytes, packet, connection. */
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/interrupt.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/base/records.h"
#include "sarif.h"

void pl_sarif_first(struct ibw_out *o, const char *key, const char *text)
{
	ibw_out_str(o, "{\"");
	ibw_out_str(o, key);
	ibw_out_str(o, "\":");
	pl_json_string(o, text);
}

void pl_sarif_message(struct ibw_out *o, const char *text)
{
	size_t n = strlen(text);
	char *sentence = n && text[n - 1] == '.' ? NULL : g_strconcat(text, ".", NULL);

	pl_sarif_first(o, "text", sentence ? sentence : text);
	ibw_out_char(o, '}');
	g_free(sentence);
}

void pl_sarif_key_message(struct ibw_out *o, const char *key, const char *text)
{
	pl_json_key(o, key);
	pl_sarif_message(o, text);
}

const char *pl_sarif_level(enum lint_severity severity)
{
	return lint_severity_names[MIN(severity, LINT_NOTE)];
}

/* A file name as a URI reference (RFC 3986): what has a meaning there, and bytes that are no ASCII, by their numbers. */
static void uri(struct ibw_out *o, const char *file)
{
	char *escaped = g_uri_escape_string(file, "/", FALSE);

	ibw_out_str(o, g_path_is_absolute(file) ? "\"file://" : "\"");
	ibw_out_str(o, escaped);
	ibw_out_char(o, '"');
	g_free(escaped);
}

/* "artifactLocation":{"uri":"x.pcap","index":0} */
static void artifact_location(struct ibw_out *o, const struct pl_place *place)
{
	ibw_out_str(o, "\"artifactLocation\":{\"uri\":");
	uri(o, place->file);
	pl_json_number(o, "index", place->index);
	ibw_out_char(o, '}');
}

/*
 * Where a frame is: its record; where that could not be read, what comes after the record before it; of frame 0 the whole file.
 * False: not known, as of a compressed file.
 */
static bool find(const struct pl_report *report, uint64_t frame, const struct pl_place *place,
		 uint64_t *offset, uint64_t *bytes)
{
	const uint64_t size = pl_records_of_file(report->records, place->index);
	uint64_t end = 0;

	if (frame && pl_records_find(report->records, frame, offset, bytes))
		return true;
	if (place->frame > 1 && pl_records_find(report->records, frame - 1, offset, bytes))
		end = *offset + *bytes;
	*offset = end < size ? end : 0;
	*bytes = size - *offset;
	return size > 0;
}

static void region(struct ibw_out *o, const struct pl_report *report, uint64_t frame,
		   const struct pl_place *place)
{
	uint64_t offset, bytes;

	if (!find(report, frame, place, &offset, &bytes))
		return;
	ibw_out_str(o, ",\"region\":{\"byteOffset\":");
	ibw_out_dec(o, offset);
	pl_json_number(o, "byteLength", bytes);
	ibw_out_char(o, '}');
}

/* {"fullyQualifiedName":"x.pcap:7","name":"frame 7","kind":"packet"} */
static void packet(struct ibw_out *o, const struct pl_place *place)
{
	char *name = g_strdup_printf("%s:%" G_GUINT64_FORMAT, place->file, (guint64)place->frame);

	pl_sarif_first(o, "fullyQualifiedName", name);
	g_free(name);
	ibw_out_str(o, ",\"name\":\"frame ");
	ibw_out_dec(o, place->frame);
	ibw_out_str(o, "\",\"kind\":\"packet\"}");
}

/*
 * {"fullyQualifiedName":"10.0.0.1 -> 10.0.0.2 qp 0x000117","kind":"connection"}, and the name if nodes have names by now. Readers
 * know a location by its fullyQualifiedName, which is therefore the same all the time.
 */
static void connection(struct pl_report *report, const struct track_flow *flow)
{
	struct ibw_out *o = &report->output->out;
	char text[TRACK_FLOW_TEXT], named[PL_FLOW_TEXT];

	pl_sarif_first(o, "fullyQualifiedName", track_flow_text(flow, text));
	if (strcmp(pl_flow_text(report, flow, named), text) != 0)
		pl_json_text(o, "name", named);
	ibw_out_str(o, ",\"kind\":\"connection\"}");
}

void pl_sarif_location(struct pl_report *report, uint64_t frame, const struct track_flow *flow)
{
	const struct pl_place place = pl_frames_place(&report->frames, frame);
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, "\"physicalLocation\":{");
	artifact_location(o, &place);
	region(o, report, frame, &place);
	ibw_out_char(o, '}');
	if (!frame && !flow)
		return;
	ibw_out_str(o, ",\"logicalLocations\":[");
	if (frame)
		packet(o, &place);
	if (frame && flow)
		ibw_out_char(o, ',');
	if (flow)
		connection(report, flow);
	ibw_out_char(o, ']');
}

/* The SHA-256 of a file; NULL: it cannot be read again, as of a pipe, or somebody wants an end. Freed by the caller. */
static char *digest(const char *file, uint64_t *bytes)
{
	guint8 buffer[16384];
	GStatBuf status;
	GChecksum *sum;
	char *text = NULL;
	size_t n = 1;
	FILE *f;

	if (g_stat(file, &status) || !S_ISREG(status.st_mode))
		return NULL;
	f = g_fopen(file, "rb");
	if (!f)
		return NULL;
	sum = g_checksum_new(G_CHECKSUM_SHA256);
	*bytes = 0;
	while (n && !pl_interrupted()) {
		n = fread(buffer, 1, sizeof(buffer), f);
		g_checksum_update(sum, buffer, (gssize)n);
		*bytes += n;
	}
	if (!n && !ferror(f))
		text = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	fclose(f);
	return text;
}

void pl_sarif_artifact(struct ibw_out *o, const char *file)
{
	uint64_t bytes;
	char *sum = strcmp(file, "-") ? digest(file, &bytes) : NULL;

	ibw_out_str(o, "{\"location\":{\"uri\":");
	uri(o, file);
	ibw_out_str(o, "},\"roles\":[\"analysisTarget\"]");
	if (sum) {
		pl_json_number(o, "length", bytes);
		pl_json_key(o, "hashes");
		pl_sarif_first(o, "sha-256", sum);
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, '}');
	g_free(sum);
}
