/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_sarif.c - SARIF 2.1.0 (OASIS), for systems that collect results of checkers: a log with one run per capture.
 *
 * The rules are reportingDescriptors of each run, for a run has to be understood without the others. A finding is a
 * result: where its packet is in the file, of which connection it is, and two fingerprints by which it is found again.
 */
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "flow.h"
#include "interrupt.h"
#include "json_write.h"
#include "records.h"
#include "sink.h"

#define MAN_PAGE "man:pcap-lint(1)"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* Results of a run: readers refuse more. */
#define RESULTS_MAX 5000

/* A fingerprint: half a SHA-256, in hexadecimal digits. */
#define FINGERPRINT 32

/* An object's first key, which has no comma before it. */
static void first_text(struct ibw_out *o, const char *key, const char *text)
{
	ibw_out_str(o, "{\"");
	ibw_out_str(o, key);
	ibw_out_str(o, "\":");
	pl_json_string(o, text);
}

/* {"text":"...."}: a message, which ends like a sentence. */
static void message(struct ibw_out *o, const char *text)
{
	size_t n = strlen(text);
	char *sentence = n && text[n - 1] == '.' ? NULL : g_strconcat(text, ".", NULL);

	first_text(o, "text", sentence ? sentence : text);
	ibw_out_char(o, '}');
	g_free(sentence);
}

static void key_message(struct ibw_out *o, const char *key, const char *text)
{
	pl_json_key(o, key);
	message(o, text);
}

/* SARIF has no level of its own for what is only slow. */
static const char *level_of(enum lint_severity severity)
{
	return lint_severity_names[MIN(severity, LINT_NOTE)];
}

static void sarif_open(struct pl_output *output)
{
	ibw_out_str(&output->out, "{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[");
}

static void sarif_close(struct pl_output *output)
{
	ibw_out_str(&output->out, "]}\n");
}

/* "dissector/lint/rules/crc/CRC001.md": its page, from the top of the source tree; freed by the caller. */
static char *page_of(const struct lint_rule *r)
{
	char *group = g_ascii_strdown(r->id, (gssize)strcspn(r->id, "0123456789"));
	char *page = g_strdup_printf("dissector/lint/rules/%s/%s.md", group, r->id);

	g_free(group);
	return page;
}

/* A helpUri has to be absolute (3.49.12), so it is the man page's; its text leads to the page of the rule. */
static void help(struct ibw_out *o, const struct lint_rule *r, const char *page)
{
	char *text = g_strdup_printf("%s\n\nUsual cause: %s\n\nWhat to do: %s", r->why, r->cause,
				     r->advice);
	char *markdown = g_strdup_printf("%s\n\n[%s %s](%s)", text, r->id, r->name, page);

	pl_json_key(o, "help");
	first_text(o, "text", text);
	pl_json_text(o, "markdown", markdown);
	ibw_out_str(o, "},\"helpUri\":\"" MAN_PAGE "#");
	ibw_out_str(o, r->id);
	ibw_out_char(o, '"');
	g_free(markdown);
	g_free(text);
}

static void rule(struct ibw_out *o, const struct lint_rule *r, bool on)
{
	char *page = page_of(r);

	first_text(o, "id", r->id);
	pl_json_text(o, "name", r->name);
	key_message(o, "shortDescription", r->text);
	key_message(o, "fullDescription", r->why);
	help(o, r, page);
	pl_json_key(o, "defaultConfiguration");
	first_text(o, "level", level_of(r->severity));
	ibw_out_str(o, on ? "}" : ",\"enabled\":false}");
	pl_json_key(o, "properties");
	first_text(o, "layer", r->layer);
	pl_json_text(o, "page", page);
	ibw_out_str(o, "}}");
	g_free(page);
}

static void sarif_begin(struct pl_report *report)
{
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	pl_output_room(report->output);
	ibw_out_str(o, report->output->captures ? ",\n" : "\n");
	ibw_out_str(o, "{\"tool\":{\"driver\":");
	first_text(o, "name", "pcap-lint");
	pl_json_text(o, "version", PL_VERSION);
	pl_json_text(o, "semanticVersion", PL_VERSION);
	pl_json_text(o, "informationUri", MAN_PAGE);
	pl_json_key(o, "rules");
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		pl_output_room(report->output);
		ibw_out_str(o, i ? ",\n" : "[\n");
		rule(o, &lint_rules[i], report->options->rules[i]);
	}
	ibw_out_str(o, "]}},\n\"columnKind\":\"utf16CodeUnits\",\n\"results\":[");
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

	first_text(o, "fullyQualifiedName", name);
	g_free(name);
	ibw_out_str(o, ",\"name\":\"frame ");
	ibw_out_dec(o, place->frame);
	ibw_out_str(o, "\",\"kind\":\"packet\"}");
}

/* {"fullyQualifiedName":"10.0.0.1 -> 10.0.0.2 qp 0x000117","kind":"connection"} */
static void connection(struct ibw_out *o, const struct track_flow *flow)
{
	char text[TRACK_FLOW_TEXT];

	first_text(o, "fullyQualifiedName", track_flow_text(flow, text));
	ibw_out_str(o, ",\"kind\":\"connection\"}");
}

/* Where a frame is, or the file if there is none: the members of a location. */
static void location(struct pl_report *report, uint64_t frame, const struct track_flow *flow)
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
		connection(o, flow);
	ibw_out_char(o, ']');
}

static void related(struct pl_report *report, const uint64_t *frame, unsigned int n)
{
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	if (!n)
		return;
	pl_json_key(o, "relatedLocations");
	for (i = 0; i < n; i++) {
		pl_output_room(report->output);
		ibw_out_str(o, i ? ",{\"id\":" : "[{\"id\":");
		ibw_out_dec(o, i + 1);
		ibw_out_char(o, ',');
		location(report, frame[i], NULL);
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, ']');
}

/* A finding, or several of which only that is known which they have in common. */
struct result {
	enum lint_rule_id rule;
	enum lint_severity severity;
	const char *layer;
	const char *message;
	const struct track_flow *flow;
	uint64_t frame, time_ns, count;
	uint32_t offset, length, psn;
	const uint64_t *related;
	unsigned int n_related;
};

static void fingerprint(struct ibw_out *o, const char *of)
{
	char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, of, -1);

	ibw_out_char(o, '"');
	ibw_out_mem(o, sum, FINGERPRINT);
	ibw_out_char(o, '"');
	g_free(sum);
}

/* Both ends, without queue pairs: those are others tomorrow. */
static char *hosts(const struct track_flow *flow)
{
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT];

	if (!flow)
		return g_strdup("");
	return g_strdup_printf(
		"%s %s", track_address_text((enum track_address)flow->address, flow->src, src),
		track_address_text((enum track_address)flow->address, flow->dst, dst));
}

/*
 * "finding/v1": the same for the same packet, whatever its number and its file are called. "cause/v1": the same for the
 * same fault of the same hosts in a capture of another day.
 */
static void fingerprints(struct pl_report *report, const struct result *r, const char *service)
{
	struct ibw_out *o = &report->output->out;
	const char *id = lint_rules[r->rule].id;
	char *ends = hosts(r->flow), *of;

	of = g_strdup_printf(
		"%s|%s|%" G_GUINT32_FORMAT "|%" G_GUINT32_FORMAT "|%s|%" G_GUINT32_FORMAT
		"|%" G_GUINT32_FORMAT "|%" G_GUINT64_FORMAT "|%" G_GUINT64_FORMAT "|%s",
		id, ends, r->flow ? r->flow->dqpn : 0, r->psn, r->layer, r->offset, r->length,
		(guint64)r->time_ns, (guint64)r->count, r->frame ? "" : r->message);
	ibw_out_str(o, ",\"partialFingerprints\":{\"finding/v1\":");
	fingerprint(o, of);
	g_free(of);
	of = g_strdup_printf("%s|%s|%s", id, ends, service ? service : "");
	ibw_out_str(o, ",\"cause/v1\":");
	fingerprint(o, of);
	ibw_out_char(o, '}');
	g_free(of);
	g_free(ends);
}

static void properties(struct pl_report *report, const struct result *r, const char *service)
{
	struct ibw_out *o = &report->output->out;
	uint32_t number = 0;
	bool known =
		r->flow && report->track && track_connection_rank(report->track, r->flow, &number);

	pl_json_key(o, "properties");
	first_text(o, "layer", r->layer);
	pl_json_time(o, "time", r->time_ns != 0, r->time_ns);
	pl_json_number(o, "offset", r->offset);
	pl_json_number(o, "length", r->length);
	pl_json_number_or_null(o, "connection", number, known);
	pl_json_text(o, "service", service);
	pl_json_number_or_null(o, "psn", r->psn, r->psn != LINT_NO_PSN);
	ibw_out_char(o, '}');
}

static void result(struct pl_report *report, const struct result *r)
{
	struct ibw_out *o = &report->output->out;
	char text[TRACK_CM_SERVICE_TEXT];
	const char *service = pl_flow_named(report->track, r->flow, text);

	ibw_out_str(o, report->written > 1 ? ",\n" : "\n");
	first_text(o, "ruleId", lint_rules[r->rule].id);
	pl_json_number(o, "ruleIndex", r->rule);
	pl_json_text(o, "level", level_of(r->severity));
	key_message(o, "message", r->message);
	ibw_out_str(o, ",\"locations\":[{");
	location(report, r->frame, r->flow);
	ibw_out_str(o, "}]");
	related(report, r->related, r->n_related);
	pl_output_room(report->output);
	if (r->count > 1)
		pl_json_number(o, "occurrenceCount", r->count);
	fingerprints(report, r, service);
	properties(report, r, service);
	ibw_out_char(o, '}');
}

static void sarif_finding(struct pl_report *report, const struct lint_finding *f)
{
	const struct result r = {
		.rule = f->rule,
		.severity = f->severity,
		.layer = f->layer,
		.message = f->message,
		.flow = f->flow,
		.frame = f->frame,
		.time_ns = f->time_ns,
		.count = 1,
		.offset = f->offset,
		.length = f->length,
		.psn = f->psn,
		.related = f->related,
		.n_related = MIN(f->n_related, PL_RELATED_SHOWN),
	};

	result(report, &r);
}

static void sarif_sum(struct pl_report *report, const struct pl_limited *limited)
{
	char words[PL_FRAMES_MESSAGE];
	struct ibw_out text = ibw_out_open(words, sizeof(words));
	const struct result r = {
		.rule = limited->rule,
		.severity = limited->severity,
		.layer = limited->layer,
		.message = words,
		.flow = limited->flow.address == TRACK_ADDRESS_NONE ? NULL : &limited->flow,
		.frame = limited->first_frame,
		.time_ns = limited->first_time_ns,
		.count = limited->count,
		.psn = LINT_NO_PSN,
		.related = &limited->last_frame,
		.n_related = limited->last_frame > limited->first_frame,
	};

	pl_out_sum(&text, report, limited);
	ibw_out_close(&text);
	result(report, &r);
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

static void artifact(struct ibw_out *o, const char *file)
{
	uint64_t bytes;
	char *sum = strcmp(file, "-") ? digest(file, &bytes) : NULL;

	ibw_out_str(o, "{\"location\":{\"uri\":");
	uri(o, file);
	ibw_out_str(o, "},\"roles\":[\"analysisTarget\"]");
	if (sum) {
		pl_json_number(o, "length", bytes);
		pl_json_key(o, "hashes");
		first_text(o, "sha-256", sum);
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, '}');
	g_free(sum);
}

static void sarif_end(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	ibw_out_str(o, "],\n\"artifacts\":[");
	for (i = 0; i < pl_frames_count(&report->frames); i++) {
		pl_output_room(report->output);
		if (i)
			ibw_out_char(o, ',');
		artifact(o, pl_frames_name(&report->frames, i));
	}
	pl_output_room(report->output);
	ibw_out_str(o, "],\n\"invocations\":[{\"executionSuccessful\":");
	ibw_out_str(o, report->broken || report->interrupted ? "false" : "true");
	ibw_out_str(o, "}],\n\"properties\":{\"packets\":");
	ibw_out_dec(o, totals->packets);
	pl_json_number(o, "bytes", totals->bytes);
	pl_json_number(o, "connections", totals->connections);
	for (i = 0; i < LINT_SEVERITY_COUNT; i++)
		pl_json_number(o, lint_severity_names[i], totals->severities[i]);
	pl_json_number(o, "withheld", totals->withheld);
	pl_json_number(o, "notExamined", totals->unexamined);
	pl_json_number(o, "resultsLeftOut", report->unwritten);
	ibw_out_str(o, "}}");
}

const struct pl_sink pl_sink_sarif = { .most = RESULTS_MAX,
				       .open = sarif_open,
				       .close = sarif_close,
				       .begin = sarif_begin,
				       .end = sarif_end,
				       .finding = sarif_finding,
				       .sum = sarif_sum };
