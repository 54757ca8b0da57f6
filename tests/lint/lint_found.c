/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lint_found.c MADE - what a finding is handed over as: counted first, and what costs
 * something only for a sink that wants it; severity after doubt; its connection; all its frames.
 */
#include <glib.h>

#include "check.h"
#include "pcap_file.h"
#include <lint/lint.h>

/* Sees all, and wants only those from this frame on. */
struct sink {
	uint64_t wanted_from;
	unsigned int counted, taken;
	struct lint_finding last; /* the pointers of it are no longer valid */
	char message[512];
	bool has_related; /* all frames of a transfer of TRANSFER_FRAMES segments but the last */
};

#define TRANSFER_FRAMES 40

static bool count(void *user, const struct lint_finding *f)
{
	struct sink *s = user;

	s->counted++;
	CHECK(f->frame && f->time_ns && f->flow);
	CHECK(!f->layer && !f->message && !f->related && !f->connection);
	s->last = *f;
	return f->frame >= s->wanted_from;
}

static void take(void *user, const struct lint_finding *f)
{
	struct sink *s = user;
	unsigned int i;

	s->taken++;
	CHECK_EQ(f->frame, s->last.frame);
	CHECK_EQ(f->rule, s->last.rule);
	CHECK(f->layer && f->message && !f->message[strcspn(f->message, "\n")]);
	s->last = *f;
	g_strlcpy(s->message, f->message, sizeof(s->message));
	s->has_related = f->n_related == TRANSFER_FRAMES - 1;
	for (i = 0; i < f->n_related; i++)
		s->has_related &= f->related[i] == 100 + i;
}

/* The packets of a capture checked by one rule, each with @transfer in place of its own. */
static void check_file(struct sink *s, const char *dir, const char *name, enum lint_rule_id rule,
		       bool connections, const uint64_t *frames)
{
	struct track *track = track_new();
	struct lint_options options = { .track = track };
	const struct lint_sink sink = { count, take, NULL, s };
	struct pcap_file file;
	struct lint *lint;

	options.rules[rule] = true;
	lint = lint_new(&options, &sink);
	if (connections)
		track_want_connections(track);
	pcap_file_open(&file, dir, name);
	while (pcap_file_next(&file)) {
		const struct track_frame frame = { file.number, file.number * UINT64_C(1000), 0 };
		const struct track_context *said;
		struct track_transfer transfer;
		struct track_context context;
		struct track_view view;

		track_view_packet(&view, file.frame, file.caplen, file.len, file.linktype, NULL);
		said = track_feed(track, &view, &frame);
		context = *said;
		if (said->transfer && frames) {
			transfer = *said->transfer;
			transfer.frames = (uint64_t *)frames;
			transfer.n_frames = TRANSFER_FRAMES;
			context.transfer = &transfer;
		}
		lint_packet(lint, &frame, &view, &context);
	}
	lint_finish(lint);
	lint_free(lint);
	track_free(track);
	pcap_file_close(&file);
}

/* The ICRC of frames 15, 19 and 21 is wrong: tests/data/bad-icrc.txt */
static void counted_first(const char *pcaps)
{
	struct sink s = { .wanted_from = 19 };

	check_file(&s, pcaps, "rxe/40-k612-flush.pcap", LINT_CRC001, false, NULL);
	CHECK_EQ(s.counted, 3);
	CHECK_EQ(s.taken, 2);
	CHECK_EQ(s.last.frame, 21);
	CHECK_EQ(s.last.connection, 0);
	CHECK(strstr(s.message, "FLUSH"));

	s = (struct sink){ .wanted_from = UINT64_MAX };
	check_file(&s, pcaps, "rxe/40-k612-flush.pcap", LINT_CRC001, true, NULL);
	CHECK_EQ(s.counted, 3);
	CHECK_EQ(s.taken, 0);
}

/* The first frame of the two directions of its connection. */
static void connection(const char *pcaps, const char *name, enum lint_rule_id rule, uint64_t frame)
{
	struct sink s = { .wanted_from = 1 };

	check_case("%s", name);
	check_file(&s, pcaps, name, rule, true, NULL);
	CHECK(s.taken > 0);
	CHECK_EQ(s.last.connection, frame);
	check_case("%s", "");
}

static void related(const char *made)
{
	uint64_t frames[TRANSFER_FRAMES];
	struct sink s = { .wanted_from = 1 };
	unsigned int i;

	for (i = 0; i < TRANSFER_FRAMES; i++)
		frames[i] = 100 + i;
	check_file(&s, made, "lint-saq-table-dlid-0.pcap", LINT_SAQ011, false, frames);
	CHECK_EQ(s.taken, 1);
	CHECK(s.has_related);
	CHECK(strncmp(s.message, "record ", 7) == 0);
	CHECK_EQ(s.last.length, 0);
}

/* From rules.def: CRC001 is an error, BTH005 a warning, BTH003 a note. */
static void doubt(void)
{
	unsigned int rule;

	CHECK_EQ(lint_severity_of(LINT_CRC001, 0), LINT_ERROR);
	CHECK_EQ(lint_severity_of(LINT_CRC001, 1), LINT_WARNING);
	CHECK_EQ(lint_severity_of(LINT_CRC001, 1 | LINT_DOUBT_LESSER), LINT_WARNING);
	for (rule = 0; rule < LINT_RULE_COUNT; rule++) {
		unsigned int plain = lint_rules[rule].severity;

		check_case("%s", lint_rules[rule].id);
		CHECK_EQ(lint_severity_of(rule, 0), plain);
		CHECK_EQ(lint_severity_of(rule, 2), plain == LINT_ERROR     ? LINT_WARNING
						    : plain == LINT_WARNING ? LINT_NOTE
									    : plain);
	}
	check_case("%s", "");
}

int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	if (argc != 2)
		return check_end();
	counted_first("pcaps");
	connection("pcaps", "rxe/40-k612-flush.pcap", LINT_CRC001, 10);
	related(argv[1]);
	doubt();
	return check_end();
}
