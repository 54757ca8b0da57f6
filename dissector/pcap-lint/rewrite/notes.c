/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes.c - makes comments of packets from findings. */
#include <string.h>

#include <ibwire/out.h>

#include "pcap-lint/base/frames.h"
#include "notes.h"
#include "pcap-lint/base/output.h"
#include "pcap-lint/base/plain.h"
#include "pcap-lint/report/sink.h"

/* What the last comment of a packet says that has more findings. */
#define MORE " more findings"

/* Of an incident, before its number. */
#define INCIDENT "incident "

/* Of a comment: words of a finding, numbers of frames in them and after them. */
#define COMMENT_BYTES 8192

struct note {
	enum lint_rule_id rule; /* LINT_RULE_COUNT: it is an incident */
	enum lint_severity severity;
	unsigned int incident;
	uint64_t frame;         /* that it is about */
	unsigned int n_related; /* all of them */
	uint64_t related[PL_RELATED_SHOWN];
	char message[];
};

struct pl_notes {
	GHashTable *spots; /* by frame */
	size_t bytes;      /* of notes */
	uint64_t lost;
};

static void spot_free(void *p)
{
	struct pl_spot *spot = p;

	if (spot->notes)
		g_ptr_array_unref(spot->notes);
	g_free(spot);
}

struct pl_notes *pl_notes_new(void)
{
	struct pl_notes *notes = g_new0(struct pl_notes, 1);

	notes->spots = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, spot_free);
	return notes;
}

void pl_notes_free(struct pl_notes *notes)
{
	if (!notes)
		return;
	g_hash_table_unref(notes->spots);
	g_free(notes);
}

struct pl_spot *pl_notes_spot(const struct pl_notes *notes, uint64_t frame)
{
	return g_hash_table_lookup(notes->spots, &frame);
}

struct pl_spot *pl_notes_make(struct pl_notes *notes, uint64_t frame)
{
	struct pl_spot *spot = pl_notes_spot(notes, frame);

	if (spot || g_hash_table_size(notes->spots) >= PL_NOTES_FRAMES)
		return spot;
	spot = g_new0(struct pl_spot, 1);
	spot->frame = frame;
	g_hash_table_insert(notes->spots, &spot->frame, spot);
	return spot;
}

static size_t note_bytes(const struct note *note)
{
	return sizeof(*note) + strlen(note->message) + 1;
}

void pl_notes_done(struct pl_notes *notes, struct pl_spot *spot)
{
	unsigned int i;

	for (i = 0; spot->notes && i < spot->notes->len; i++)
		notes->bytes -= note_bytes(g_ptr_array_index(spot->notes, i));
	g_clear_pointer(&spot->notes, g_ptr_array_unref);
}

void pl_notes_forget(struct pl_notes *notes, struct pl_spot *spot)
{
	pl_notes_done(notes, spot);
	g_hash_table_remove(notes->spots, &spot->frame);
}

void pl_notes_lost(struct pl_notes *notes, uint64_t n)
{
	notes->lost += n;
}

uint64_t pl_notes_all_lost(const struct pl_notes *notes)
{
	return notes->lost;
}

/* A note of @message with those frames; NULL: there is no room. */
static struct note *add(struct pl_notes *notes, struct pl_spot *spot, const char *message,
			const uint64_t *related, unsigned int n_related)
{
	const size_t n = strlen(message) + 1;
	struct note *note;

	if (!spot) {
		notes->lost++;
		return NULL;
	}
	if (!spot->notes)
		spot->notes = g_ptr_array_new_with_free_func(g_free);
	if (spot->notes->len == PL_NOTES_OF_PACKET || notes->bytes > PL_NOTES_BYTES) {
		spot->more++;
		return NULL;
	}
	note = g_malloc0(sizeof(*note) + n);
	note->n_related = n_related;
	if (n_related)
		memcpy(note->related, related, MIN(n_related, PL_RELATED_SHOWN) * sizeof(*related));
	memcpy(note->message, message, n);
	g_ptr_array_add(spot->notes, note);
	notes->bytes += note_bytes(note);
	return note;
}

void pl_notes_add(struct pl_notes *notes, struct pl_spot *spot, const struct lint_finding *finding)
{
	struct note *note =
		add(notes, spot, finding->message, finding->related, finding->n_related);

	if (!note)
		return;
	note->rule = finding->rule;
	note->severity = finding->severity;
	note->frame = finding->frame;
}

void pl_notes_add_incident(struct pl_notes *notes, struct pl_spot *spot,
			   const struct pl_note_incident *incident, const char *what)
{
	struct note *note =
		what ? add(notes, spot, what, NULL, 0)
		     : add(notes, spot, incident->text, incident->others, incident->n_others);

	if (!note)
		return;
	note->rule = LINT_RULE_COUNT;
	note->incident = incident->number;
	note->frame = incident->frame;
}

static void make_named(struct ibw_out *o, uint64_t frame, void *notes)
{
	(void)o;
	pl_notes_make(notes, frame);
}

void pl_notes_named(struct pl_notes *notes, const char *message)
{
	char text[PL_FRAMES_MESSAGE];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_frames_each(&o, message, make_named, notes);
}

/* The number of a frame in the new file; 0: it has none, or none yet. */
static uint64_t number_now(const struct pl_notes *notes, uint64_t frame)
{
	const struct pl_spot *spot = pl_notes_spot(notes, frame);

	return spot ? spot->now : 0;
}

/* In a sentence: "12", "12 (was 990)", "990 (of the original)" */
static void out_named(struct ibw_out *o, uint64_t frame, void *user)
{
	const uint64_t now = number_now(user, frame);

	ibw_out_dec(o, now ? now : frame);
	if (!now) {
		ibw_out_str(o, " (of the original)");
	} else if (now != frame) {
		ibw_out_str(o, " (was ");
		ibw_out_dec(o, frame);
		ibw_out_char(o, ')');
	}
}

/* "frame 12, was 990" */
static void out_related(struct ibw_out *o, const struct pl_notes *notes, uint64_t frame)
{
	const uint64_t now = number_now(notes, frame);

	ibw_out_str(o, "frame ");
	ibw_out_dec(o, now ? now : frame);
	if (!now) {
		ibw_out_str(o, " of the original");
	} else if (now != frame) {
		ibw_out_str(o, ", was ");
		ibw_out_dec(o, frame);
	}
}

/* "; related: frame 11, was 988; frame 14, was 1000" */
static void out_all_related(struct ibw_out *o, const struct pl_notes *notes,
			    const struct note *note)
{
	const unsigned int shown = MIN(note->n_related, PL_RELATED_SHOWN);
	unsigned int i;

	for (i = 0; i < shown; i++) {
		ibw_out_str(o, i ? "; " : "; related: ");
		out_related(o, notes, note->related[i]);
	}
	if (note->n_related <= shown)
		return;
	ibw_out_str(o, "; ");
	ibw_out_dec(o, note->n_related - shown);
	ibw_out_str(o, " more");
}

/* "incident 24: ..."; at its other frames "incident 24: the NAK; see frame 12, was 990" */
static void out_incident(struct ibw_out *o, const struct pl_notes *notes,
			 const struct pl_spot *spot, const struct note *note)
{
	ibw_out_str(o, INCIDENT);
	ibw_out_dec(o, note->incident);
	ibw_out_str(o, ": ");
	pl_frames_each(o, note->message, out_named, (void *)notes);
	if (note->frame == spot->frame) {
		out_all_related(o, notes, note);
		return;
	}
	ibw_out_str(o, "; see ");
	out_related(o, notes, note->frame);
}

static char *comment_of(const struct pl_notes *notes, const struct pl_spot *spot,
			const struct note *note)
{
	char text[COMMENT_BYTES];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	const struct lint_rule *rule;

	if (note->rule == LINT_RULE_COUNT) {
		out_incident(&o, notes, spot, note);
		ibw_out_close(&o);
		return pl_plain(text);
	}
	rule = &lint_rules[note->rule];
	ibw_out_str(&o, rule->id);
	ibw_out_char(&o, ' ');
	ibw_out_str(&o, rule->name);
	ibw_out_str(&o, " (");
	ibw_out_str(&o, lint_severity_names[note->severity]);
	ibw_out_str(&o, "): ");
	if (note->frame && note->frame != spot->frame) {
		out_related(&o, notes, note->frame);
		ibw_out_str(&o, ": ");
	}
	pl_frames_each(&o, note->message, out_named, (void *)notes);
	out_all_related(&o, notes, note);
	ibw_out_close(&o);
	return pl_plain(text);
}

/* "12 more findings" */
static char *comment_of_more(uint64_t n)
{
	return n == 1 ? g_strdup("1 more finding")
		      : g_strdup_printf("%" G_GUINT64_FORMAT MORE, (guint64)n);
}

/* What the packet had before. */
struct had {
	bool rules[LINT_RULE_COUNT + 1]; /* the last one: an incident */
	bool more;                       /* findings that are not named */
	unsigned int comments;
};

/* Whether a comment is comment_of_more()'s. */
static bool says_more(const struct capture_comment *c)
{
	const size_t n = strlen(MORE) - 1; /* of one, without the s */
	uint16_t digits = 0;

	while (digits < c->len && g_ascii_isdigit(c->text[digits]))
		digits++;
	return digits && (size_t)(c->len - digits) >= n && !memcmp(c->text + digits, MORE, n) &&
	       (size_t)(c->len - digits) <= n + 1;
}

/* Whether a comment is out_incident()'s. */
static bool says_incident(const struct capture_comment *c)
{
	uint16_t n = sizeof(INCIDENT) - 1;
	const uint16_t digits = n;

	if (c->len <= n || memcmp(c->text, INCIDENT, n) != 0)
		return false;
	while (n < c->len && g_ascii_isdigit(c->text[n]))
		n++;
	return n > digits && n < c->len && c->text[n] == ':';
}

/* The rule of a comment that is comment_of()'s; LINT_RULE_COUNT: it is not. */
static enum lint_rule_id rule_said(const struct capture_comment *c)
{
	const char *blank = memchr(c->text, ' ', c->len);
	enum lint_rule_id rule;
	char *id, *start;

	if (!blank || blank - c->text > 8)
		return LINT_RULE_COUNT;
	id = g_strndup(c->text, (gsize)(blank - c->text));
	rule = lint_rule_find(id);
	g_free(id);
	if (rule == LINT_RULE_COUNT)
		return rule;
	start = g_strdup_printf("%s %s (", lint_rules[rule].id, lint_rules[rule].name);
	if (c->len < strlen(start) || memcmp(c->text, start, strlen(start)) != 0)
		rule = LINT_RULE_COUNT;
	g_free(start);
	return rule;
}

static void look_at(struct had *had, const struct capture_block *block)
{
	struct capture_comment comment = { .text = NULL };
	enum lint_rule_id rule;

	memset(had, 0, sizeof(*had));
	while (block && capture_block_comment(block, &comment)) {
		had->comments++;
		had->more |= says_more(&comment);
		rule = rule_said(&comment);
		if (rule < LINT_RULE_COUNT || says_incident(&comment))
			had->rules[rule] = true;
	}
}

struct capture_comments pl_notes_comments(const struct pl_notes *notes, const struct pl_spot *spot,
					  const struct capture_block *block)
{
	GPtrArray *text = g_ptr_array_new();
	struct capture_comments comments;
	struct had had;
	uint64_t more = spot->more;
	unsigned int i, room, n = 0;

	look_at(&had, block);
	for (i = 0; spot->notes && i < spot->notes->len; i++) {
		const struct note *note = g_ptr_array_index(spot->notes, i);

		n += !had.rules[note->rule];
	}
	room = had.more ? 0 : PL_NOTES_OF_PACKET - MIN(had.comments, PL_NOTES_OF_PACKET);
	if (room && (n > room || more)) { /* the last one is for those */
		more += n > room - 1 ? n - (room - 1) : 0;
		n = MIN(n, room - 1);
	}
	for (i = 0; room && spot->notes && i < spot->notes->len && text->len < n; i++) {
		const struct note *note = g_ptr_array_index(spot->notes, i);

		if (!had.rules[note->rule])
			g_ptr_array_add(text, comment_of(notes, spot, note));
	}
	if (room && more)
		g_ptr_array_add(text, comment_of_more(more));
	comments.n = text->len;
	comments.text = (const char *const *)g_ptr_array_free(text, FALSE);
	return comments;
}

void pl_notes_comments_free(struct capture_comments *comments)
{
	char **text;
	unsigned int i;

	memcpy(&text, &comments->text, sizeof(text));
	for (i = 0; i < comments->n; i++)
		g_free(text[i]);
	g_free(text);
	*comments = (struct capture_comments){ .n = 0 };
}
