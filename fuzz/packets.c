/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packets.c - any packets one after the other (packets.h), through one linter and one decoder.
 *
 * Who else looks at a packet changes nothing: what is found of it is the same with a decoder that sees it
 * first, and what is decoded is the same without a linter. The same packets again and again, which bring
 * nothing new, take no more memory.
 */
#include <string.h>

#include "command.h"
#include "heap.h"
#include "packets.h"
#include "pcap-lint/decode/decode.h"
#include "pcap-lint/options/options_impl.h"
#include "track/stream/qps.h"

/* Packets after which what is kept of a list that comes again and again is all that ever will be. */
#define ENOUGH UINT64_C(1000)

/*
 * But for the allocations of tables, which double, and of connections: whoever sends the same REQ again after the end
 * of its conversation begins another. One costs half of that.
 */
#define GROWTH 4096
#define CONNECTION 2048

/* It costs a hundred times what the rest does, so one input in so many is asked. */
#define GROWTH_INPUTS 16

#define HELD 10 /* findings of a rule that wait with their words: as pcap-lint has it */

struct viewer {
	struct track *track;
	struct lint *lint; /* NULL: it only decodes */
	struct packets_sum found;
	bool decodes;
	struct pl_options options;
	struct pl_output output;
	struct track_frame frame; /* the last one */
};

static uint64_t hash_of(const uint8_t *p, size_t n)
{
	uint64_t hash = n;

	while (n--)
		hash = packets_mix(hash, *p++);
	return hash;
}

static uint64_t hash_of_report(void)
{
	size_t n;
	const uint8_t *p = command_bytes(COMMAND_REPORT, &n);

	return hash_of(p, n);
}

static void decode(struct viewer *v, const struct packets *r, struct track_view *view,
		   const struct track_context *context)
{
	const struct capture_packet record = { .frame = r->frame.number,
					       .time_ns = r->frame.time_ns,
					       .has_time = true,
					       .data = r->pkt.data,
					       .caplen = r->pkt.caplen,
					       .len = r->pkt.len,
					       .linktype = r->pkt.linktype };

	v->options.format = r->frame.number % 2 ? PL_FORMAT_json : PL_FORMAT_text;
	pl_decode(&v->output, &v->options, "fuzz", &record, view, context,
		  track_iwarp_connections(v->track));
}

/* What is decoded goes to @report; NULL: nothing is. */
static void open_viewer(struct viewer *v, bool lints, const char *report)
{
	memset(v, 0, sizeof(*v));
	pl_options_default(&v->options);
	v->options.verbose = true;
	v->options.output = report;
	v->track = packets_track();
	if (lints)
		v->lint = packets_lint(v->track, HELD, &v->found);
	v->decodes = report != NULL;
	if (v->decodes)
		FUZZ_CHECK(pl_output_open(&v->output, &v->options, NULL));
}

static void close_viewer(struct viewer *v)
{
	if (v->decodes)
		FUZZ_CHECK(pl_output_close(&v->output, true, NULL));
	if (v->lint)
		packets_end(v->lint, v->track);
	else
		track_free(v->track);
}

/* The list once; numbers and times go on. */
static void view_packets(struct viewer *v, uint8_t *data, size_t size)
{
	struct packets r = { .p = data, .left = size, .frame = v->frame };
	const struct track_context *context;
	struct track_view view;

	while (packets_next(&r)) {
		track_view_packet(&view, r.pkt.data, r.pkt.caplen, r.pkt.len, r.pkt.linktype, NULL);
		context = track_feed(v->track, &view, &r.frame);
		if (v->decodes)
			decode(v, &r, &view, context);
		if (v->lint)
			lint_packet(v->lint, &r.frame, &view, context);
		if (v->lint && track_events_waiting(v->track))
			packets_pass_events(v->lint, v->track);
	}
	v->frame = r.frame;
}

static void check_apart(uint8_t *data, size_t size)
{
	struct viewer both, linter, decoder;
	uint64_t hash;

	command_empty(COMMAND_REPORT);
	open_viewer(&both, true, command_name(COMMAND_REPORT));
	view_packets(&both, data, size);
	close_viewer(&both);
	hash = hash_of_report();
	open_viewer(&linter, true, NULL);
	view_packets(&linter, data, size);
	close_viewer(&linter);
	FUZZ_CHECK(both.found.findings == linter.found.findings &&
		   both.found.hash == linter.found.hash);
	command_empty(COMMAND_REPORT);
	open_viewer(&decoder, false, command_name(COMMAND_REPORT));
	view_packets(&decoder, data, size);
	close_viewer(&decoder);
	FUZZ_CHECK(hash_of_report() == hash);
}

/* What is kept in the end of a list that came again and again, @packets of them. */
static size_t kept(uint8_t *data, size_t size, uint64_t packets, unsigned int *connections)
{
	struct track_qp **qps;
	struct viewer v;
	size_t before = heap_bytes(), bytes;

	open_viewer(&v, true, NULL);
	while (v.frame.number < packets)
		view_packets(&v, data, size);
	packets_settle(v.lint, v.track);
	bytes = heap_bytes();
	bytes -= bytes < before ? bytes : before;
	qps = track_qps_sorted(track_streams(v.track), connections);
	g_free(qps);
	lint_free(v.lint);
	track_free(v.track);
	return bytes;
}

/* Findings of frames that may have been cut wait, thousands of them: lint/found/slice.c. */
static bool has_cut(uint8_t *data, size_t size)
{
	struct packets r = { .p = data, .left = size };

	while (packets_next(&r))
		if (r.pkt.flags & IBW_PKT_BEYOND)
			return true;
	return false;
}

static void check_growth(uint8_t *data, size_t size)
{
	unsigned int n, twice_n;
	const size_t once = kept(data, size, ENOUGH, &n);
	const size_t twice = kept(data, size, 2 * ENOUGH, &twice_n);

	FUZZ_CHECK(twice <= once + GROWTH + (size_t)(twice_n - n) * CONNECTION + heap_slack());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[65536];

	if (size > sizeof(copy))
		return 0;
	memcpy(copy, data, size);
	check_apart(copy, size);
	if (size > PACKETS_HEAD && hash_of(copy, size) % GROWTH_INPUTS == 0 && !has_cut(copy, size))
		check_growth(copy, size);
	return 0;
}
