/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis.c - what the trackers found out about a packet, as fields: analysis.def has their names.
 *
 * Events come when something is known, often at a later packet, and are kept by the frame they are about.
 */
#include <stddef.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "analysis.h"
#include "expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/mark.h"
#include "wireshark/base/proto.h"
#include "twice.h"
#include "lint/lint.h"
#include "track/track.h"
#include "track/view/packet.h"
#include "track/way/note.h"
#include "track/way/qp.h"

/* Those beyond it are not kept: 64 MiB of the largest ones. */
#define EVENTS_MAX 500000u

struct event {
	struct event *next;
	struct event *last; /* of the frame; in its first one only */
	uint32_t frames[TRACK_EVENT_FRAMES];
	uint8_t kind; /* enum track_event_kind, of a note enum track_note */
	bool is_note;
	uint8_t n_frames;
	uint64_t number[TRACK_EVENT_NUMBERS]; /* as many as the kind has */
};

static wmem_map_t *events; /* frame -> its first event */
static uint32_t n_events;

/* The frame that was asked for last: it is more than once, and a look-up costs. frame 0: none. */
static struct {
	uint32_t frame;
	const struct event *first;
} asked;

static uint32_t incomplete; /* the first frame of which something was not kept; 0: none */
static uint64_t n_lost;
static expert_field ei_incomplete = EI_INIT;

enum mark {
#define IW_MARK(name, event, when, label, info) MARK_##name,
#define IW_NOTE(name, note, when, label, info, text) MARK_##name,
#include "analysis.def"
	MARK_COUNT
};

static const struct mark_row {
	const char *name, *label, *info;
	const char *text; /* NULL: that of the event */
	enum track_event_kind event;
} marks[] = {
#define IW_MARK(name, event, when, label, info)                                                    \
	{ "ibwire.analysis." #name, label, info, NULL, TRACK_EVENT_##event },
#define IW_NOTE(name, note, when, label, info, text)                                               \
	{ "ibwire.analysis." #name, label, info, text, TRACK_EVENT_COUNT },
#include "analysis.def"
};

/* The note that the mark is of, and 1; 0: it is of its event. */
static const uint8_t note_of[MARK_COUNT] = {
#define IW_MARK_NOTE(mark, note) [MARK_##mark] = TRACK_NOTE_##note + 1,
#define IW_NOTE(name, note, when, label, info, text) IW_MARK_NOTE(name, note)
#include "analysis.def"
};

/* Severity 0: the mark has no expert item. */
static const struct expert_row {
	int group, severity;
} experts[MARK_COUNT] = {
#define IW_MARK_EXPERT(mark, group, severity) [MARK_##mark] = { PI_##group, PI_##severity },
#include "analysis.def"
};

static expert_field ei_marks[MARK_COUNT];

/* Or of its event, where there is no such note. */
static const bool by_event[MARK_COUNT] = {
#define IW_MARK_OR_EVENT(mark) [MARK_##mark] = true,
#include "analysis.def"
};

enum which { BEFORE, AFTER, NOTED };

static const struct frame_row {
	enum mark mark;
	enum which which;
	const char *name, *label;
} frame_rows[] = {
#define IW_MARK_FRAME(mark, name, which, label)                                                    \
	{ MARK_##mark, which, "ibwire.analysis." #mark "." #name, label },
#include "analysis.def"
};

enum as { TIME, COUNT, NAMED, PSN };

static const struct number_row {
	enum mark mark;
	const char *name, *label;
	enum track_event_kind event;
	uint8_t number;
	enum as as;
} number_rows[] = {
#define IW_MARK_NUMBER(mark, name, event, number, as, label)                                       \
	{ MARK_##mark,         "ibwire.analysis." #mark "." #name, label,                          \
	  TRACK_EVENT_##event, TRACK_##event##_##number,           as },
#include "analysis.def"
};

static const struct count_row {
	enum mark mark;
	const char *name, *label;
} count_rows[] = {
#define IW_MARK_COUNT(mark, name, label) { MARK_##mark, "ibwire.analysis." #mark "." #name, label },
#include "analysis.def"
};

static int hf_analysis, hf_mark[MARK_COUNT], hf_frame[array_length(frame_rows)],
	hf_value[array_length(number_rows)], hf_count[array_length(count_rows)];
static int ett_analysis = -1, ett_mark = -1;

static const char *blurb_of(enum mark mark)
{
	return marks[mark].text ? marks[mark].text : track_event_rows[marks[mark].event].text;
}

/* Registration */

static void add_field(hf_register_info **row, int *hf, const char *name, const char *label,
		      enum ftenum type, int display, const void *strings, const char *blurb)
{
	**row = (hf_register_info){ hf, { label, name, type, display, strings, 0, blurb, HFILL } };
	*hf = -1;
	(*row)++;
}

static void add_number(hf_register_info **row, int *hf, const struct number_row *n)
{
	const struct track_event_row *event = &track_event_rows[n->event];
	const struct track_event_number_row *number = &event->number[n->number];

	if (n->as == TIME)
		add_field(row, hf, n->name, n->label, FT_RELATIVE_TIME, BASE_NONE, NULL,
			  event->text);
	else if (n->as == PSN) /* as ibwire.bth.psn */
		add_field(row, hf, n->name, n->label, FT_UINT24, BASE_HEX_DEC, NULL, event->text);
	else
		add_field(row, hf, n->name, n->label, n->as == NAMED ? FT_UINT32 : FT_UINT64,
			  BASE_DEC,
			  n->as == NAMED ? VALS((const value_string *)number->names) : NULL,
			  event->text);
}

void iw_analysis_register(void)
{
	static hf_register_info rows[1 + MARK_COUNT + array_length(frame_rows) +
				     array_length(number_rows) + array_length(count_rows)];
	static int *etts[] = { &ett_analysis, &ett_mark };
	hf_register_info *row = rows;
	unsigned int i;

	add_field(&row, &hf_analysis, "ibwire.analysis", "Analysis", FT_NONE, BASE_NONE, NULL,
		  "What the packets of the connection show of this one");
	for (i = 0; i < MARK_COUNT; i++)
		add_field(&row, &hf_mark[i], marks[i].name, marks[i].label, FT_NONE, BASE_NONE,
			  NULL, blurb_of((enum mark)i));
	for (i = 0; i < array_length(frame_rows); i++)
		add_field(&row, &hf_frame[i], frame_rows[i].name, frame_rows[i].label, FT_FRAMENUM,
			  BASE_NONE, NULL, blurb_of(frame_rows[i].mark));
	for (i = 0; i < array_length(number_rows); i++)
		add_number(&row, &hf_value[i], &number_rows[i]);
	for (i = 0; i < array_length(count_rows); i++)
		add_field(&row, &hf_count[i], count_rows[i].name, count_rows[i].label, FT_UINT64,
			  BASE_DEC, NULL, blurb_of(count_rows[i].mark));
	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

static void register_expert(expert_module_t *module, enum mark mark)
{
	ei_register_info *info = wmem_new0(wmem_epan_scope(), ei_register_info);
	expert_field *ei = &ei_marks[mark];

	ei->ei = EI_INIT_EI;
	ei->hf = EI_INIT_HF;
	info->ids = ei;
	info->eiinfo.name = wmem_strdup_printf(wmem_epan_scope(), "ibwire.expert.mark.%s",
					       strrchr(marks[mark].name, '.') + 1);
	info->eiinfo.group = experts[mark].group;
	info->eiinfo.severity = experts[mark].severity;
	info->eiinfo.summary = marks[mark].label;
	expert_register_field_array(module, info, 1);
	iw_expert_blurb(ei, blurb_of(mark));
}

void iw_analysis_experts(expert_module_t *module)
{
	static ei_register_info ei[] = {
		{ &ei_incomplete,
		  { "ibwire.analysis.incomplete", PI_UNDECODED, PI_WARN,
		    "The analysis is incomplete from this packet on", EXPFILL } },
	};
	unsigned int i;

	expert_register_field_array(module, ei, array_length(ei));
	iw_expert_blurb(&ei_incomplete, "More events or replies than there is room for");
	for (i = 0; i < MARK_COUNT; i++)
		if (experts[i].severity)
			register_expert(module, (enum mark)i);
}

/* The first pass */

void iw_analysis_init(void)
{
	events = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	asked.frame = 0;
	n_events = 0;
	n_lost = 0;
	incomplete = 0;
}

void iw_analysis_cleanup(void)
{
	events = NULL;
	asked.frame = 0;
}

static unsigned int numbers_of(enum track_event_kind kind)
{
	unsigned int n = TRACK_EVENT_NUMBERS;

	while (n && !track_event_rows[kind].number[n - 1].name)
		n--;
	return n;
}

static struct event *copy_of(const struct track_event *from)
{
	unsigned int n = numbers_of((enum track_event_kind)from->kind), i;
	struct event *e = wmem_alloc0(wmem_file_scope(),
				      offsetof(struct event, number) + n * sizeof(uint64_t));

	e->kind = from->kind;
	e->n_frames = from->n_frames;
	for (i = 0; i < from->n_frames; i++)
		e->frames[i] = (uint32_t)from->frames[i];
	for (i = 0; i < n; i++)
		e->number[i] = from->number[i];
	return e;
}

void iw_analysis_lose(uint32_t frame, uint64_t n)
{
	if (!n)
		return;
	n_lost += n;
	incomplete = incomplete ? MIN(incomplete, frame) : frame;
}

uint64_t iw_analysis_lost(uint32_t *frame)
{
	*frame = incomplete;
	return n_lost;
}

/* A note has room for one number. */
static struct event *note_from(const struct track_reply *r)
{
	struct event *e =
		wmem_alloc0(wmem_file_scope(), offsetof(struct event, number) + sizeof(uint64_t));

	e->kind = r->note;
	e->is_note = true;
	e->n_frames = r->request != 0;
	e->frames[0] = (uint32_t)r->request;
	e->number[0] = r->count;
	return e;
}

static bool has_room(uint64_t frame)
{
	if (n_events == EVENTS_MAX) {
		iw_analysis_lose((uint32_t)frame, 1);
		return false;
	}
	n_events++;
	return true;
}

static void put(uint64_t frame, struct event *e)
{
	void *key = GUINT_TO_POINTER((unsigned int)frame);
	struct event *first;

	asked.frame = 0;
	first = wmem_map_lookup(events, key);
	if (!first) {
		first = e;
		wmem_map_insert(events, key, e);
	} else {
		first->last->next = e;
	}
	first->last = e;
}

static bool is_marked(uint8_t kind)
{
	unsigned int i;

	for (i = 0; i < MARK_COUNT; i++)
		if (marks[i].event == kind)
			return true;
	return false;
}

void iw_analysis_events(const struct track_event *e, unsigned int n)
{
	for (; n && events; e++, n--)
		if (is_marked(e->kind) && has_room(e->frame))
			put(e->frame, copy_of(e));
}

static struct event *unsure_at(uint32_t frame)
{
	struct event *e = wmem_map_lookup(events, GUINT_TO_POINTER(frame));

	while (e && !(e->is_note && e->kind == TRACK_NOTE_UNSURE))
		e = e->next;
	return e;
}

/* What could not be told then is known: of the last one, and of those before it. */
static void settle(const struct track_reply *r)
{
	uint32_t frame = (uint32_t)r->answer;
	struct event *e;

	for (e = unsure_at(frame); e; e = unsure_at(frame)) {
		frame = e->frames[0];
		e->kind = r->note;
		e->n_frames = r->request != 0;
		e->frames[0] = (uint32_t)r->request;
	}
	asked.frame = 0;
}

void iw_analysis_note(const struct track_reply *r)
{
	if (!events)
		return;
	if (r->kind == TRACK_REPLY_NOTED)
		settle(r);
	else if (r->kind == TRACK_REPLY_NOTE && has_room(r->answer))
		put(r->answer, note_from(r));
}

/* Trees and lines */

/* Of a copy the trackers, which do not see it, have nothing to say. */
static const struct event *copy_at(uint32_t frame)
{
	static struct event copy = { .kind = TRACK_NOTE_COPY, .is_note = true, .n_frames = 1 };

	copy.frames[0] = iw_twice_of(frame);
	return copy.frames[0] ? &copy : NULL;
}

static const struct event *events_of(packet_info *pinfo)
{
	if (asked.frame != pinfo->num) {
		asked.frame = pinfo->num;
		asked.first = copy_at(pinfo->num);
		if (!asked.first && events)
			asked.first = wmem_map_lookup(events, GUINT_TO_POINTER(pinfo->num));
	}
	return asked.first;
}

/* The first frame before this one, or the last one after it; 0: there is none. A note has one. */
static uint32_t frame_of(const struct event *e, enum which which, uint32_t frame)
{
	unsigned int i;

	if (which != AFTER)
		return e->n_frames && e->frames[0] < frame ? e->frames[0] : 0;
	for (i = e->n_frames; i-- > 0;)
		if (e->frames[i] > frame)
			return e->frames[i];
	return 0;
}

static void add_value(proto_tree *tree, tvbuff_t *tvb, unsigned int row, const struct event *e)
{
	uint64_t v = e->number[number_rows[row].number];
	nstime_t time = { (time_t)(v / 1000000000u), (int)(v % 1000000000u) };
	proto_item *item;

	switch (number_rows[row].as) {
	case TIME:
		item = proto_tree_add_time(tree, hf_value[row], tvb, 0, 0, &time);
		break;
	case NAMED:
	case PSN:
		item = proto_tree_add_uint(tree, hf_value[row], tvb, 0, 0, (uint32_t)v);
		break;
	default:
		item = proto_tree_add_uint64(tree, hf_value[row], tvb, 0, 0, v);
		break;
	}
	proto_item_set_generated(item);
}

static void add_expert(proto_item *item, packet_info *pinfo, enum mark mark)
{
	if (experts[mark].severity &&
	    (marks[mark].event == TRACK_EVENT_COUNT || !iw_lint_says(pinfo, marks[mark].event)))
		expert_add_info(pinfo, item, &ei_marks[mark]);
}

/* A mark of a packet: its event, its note, or both. */
struct marked {
	enum mark mark;
	const struct event *event, *note; /* NULL: has none */
};

static const struct event *note_at(const struct event *first, enum mark mark)
{
	const struct event *e;

	for (e = first; e; e = e->next)
		if (e->is_note && e->kind + 1 == note_of[mark])
			return e;
	return NULL;
}

static bool is_noted(const struct event *first, enum track_note note)
{
	for (; first; first = first->next)
		if (first->is_note && first->kind == note)
			return true;
	return false;
}

/* @first: of all there is of the packet. */
static bool applies(enum mark mark, const struct event *first, const struct event *e)
{
#define N(event, name) e->number[TRACK_##event##_##name]
	switch (mark) {
#define IW_MARK(name, event, when, label, info)                                                    \
	case MARK_##name:                                                                          \
		return !e->is_note && e->kind == TRACK_EVENT_##event && (when);
#define IW_NOTE(name, note, when, label, info, text)                                               \
	case MARK_##name:                                                                          \
		return false;
#include "analysis.def"
	case MARK_COUNT:
		break;
	}
#undef N
	return false;
}

/* What was late was not sent again, though it comes as if it were. */
static const struct event *event_at(const struct event *first, const struct event *e,
				    enum mark mark)
{
	if (marks[mark].event == TRACK_EVENT_RESENT && is_noted(e, TRACK_NOTE_LATE))
		return NULL;
	while (e && !applies(mark, first, e))
		e = e->next;
	return e;
}

static bool has_event(const struct event *first, enum track_event_kind kind)
{
	for (; first; first = first->next)
		if (!first->is_note && first->kind == kind)
			return true;
	return false;
}

/* Whether one such note of the packet has a count. */
static bool counts_of(const struct event *first, enum track_note note)
{
	for (; first; first = first->next)
		if (first->is_note && first->kind == note && first->number[0])
			return true;
	return false;
}

/* Whether what is noted of a packet makes it the mark's, by what else there is of it. */
static bool is_of_note(enum mark mark, const struct event *first)
{
	switch (mark) {
#define IW_NOTE(name, note, when, label, info, text)                                               \
	case MARK_##name:                                                                          \
		return when;
#include "analysis.def"
	default:
		return true;
	}
}

/* The next mark of those that @first and what follows it are of, from @m on; false: there is none. */
static bool next_mark(const struct event *first, struct marked *m)
{
	const struct event *rest = m->event && !m->note ? m->event->next : NULL;

	/* Of one event that comes more than once. */
	m->event = rest ? event_at(first, rest, m->mark) : NULL;
	if (m->event)
		return true;
	while (++m->mark < MARK_COUNT) {
		m->note = note_of[m->mark] && is_of_note(m->mark, first) ? note_at(first, m->mark)
									 : NULL;
		m->event = m->note || !note_of[m->mark] || by_event[m->mark]
				   ? event_at(first, first, m->mark)
				   : NULL;
		if (m->note || m->event)
			return true;
	}
	return false;
}

#define NO_MARK ((enum mark) - 1)

static uint32_t other_of(const struct marked *m, enum which which, uint32_t frame)
{
	const struct event *e = which == NOTED && m->note ? m->note : m->event;

	return e ? frame_of(e, which, frame) : 0;
}

static void add_mark(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const struct marked *m)
{
	proto_item *item = proto_tree_add_item(tree, hf_mark[m->mark], tvb, 0, 0, ENC_NA);
	uint32_t other;
	unsigned int i;

	proto_item_set_generated(item);
	add_expert(item, pinfo, m->mark);
	tree = proto_item_add_subtree(item, ett_mark);
	for (i = 0; i < array_length(frame_rows); i++) {
		other = frame_rows[i].mark == m->mark ? other_of(m, frame_rows[i].which, pinfo->num)
						      : 0;
		if (other)
			proto_item_set_generated(
				proto_tree_add_uint(tree, hf_frame[i], tvb, 0, 0, other));
	}
	for (i = 0; m->event && i < array_length(number_rows); i++)
		if (number_rows[i].mark == m->mark)
			add_value(tree, tvb, i, m->event);
	for (i = 0; m->note && i < array_length(count_rows); i++)
		if (count_rows[i].mark == m->mark)
			proto_item_set_generated(proto_tree_add_uint64(tree, hf_count[i], tvb, 0, 0,
								       m->note->number[0]));
}

/* The first frame of which something was not kept says so. */
static void say_incomplete(proto_item *item, packet_info *pinfo)
{
	if (pinfo->num == incomplete)
		expert_add_info(pinfo, item, &ei_incomplete);
}

void iw_analysis_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct event *e = frame->whole ? events_of(pinfo) : NULL;
	struct marked m = { .mark = NO_MARK };
	proto_item *item;

	if (!e && !(frame->whole && pinfo->num == incomplete))
		return;
	item = proto_tree_add_item(tree, hf_analysis, frame->tvb, 0, 0, ENC_NA);
	proto_item_set_generated(item);
	say_incomplete(item, pinfo);
	tree = proto_item_add_subtree(item, ett_analysis);
	while (next_mark(e, &m))
		add_mark(tree, pinfo, frame->tvb, &m);
}

void iw_analysis_show(packet_info *pinfo)
{
	const struct event *first = events_of(pinfo);
	struct marked m = { .mark = NO_MARK };

	say_incomplete(NULL, pinfo);
	while (first && next_mark(first, &m))
		add_expert(NULL, pinfo, m.mark);
}

/* The frame that its field "of" has; 0: none. */
static uint32_t repeats(const struct marked *m, uint32_t frame)
{
	unsigned int i;

	for (i = 0; i < array_length(frame_rows); i++)
		if (frame_rows[i].mark == m->mark && g_str_has_suffix(frame_rows[i].name, ".of"))
			return other_of(m, frame_rows[i].which, frame);
	return 0;
}

/* The number of its field "missing", or "wait"; false: it has none. */
static bool number_at(const struct marked *m, uint64_t *v)
{
	unsigned int i;

	for (i = 0; m->event && i < array_length(number_rows); i++)
		if (number_rows[i].mark == m->mark &&
		    (g_str_has_suffix(number_rows[i].name, ".missing") ||
		     g_str_has_suffix(number_rows[i].name, ".wait"))) {
			*v = m->event->number[number_rows[i].number];
			return true;
		}
	return false;
}

/* What the Info column says, with the mark's number: a count for #, then "s" for ~ if it is not 1, a time for @. */
static const char *info_of(packet_info *pinfo, const struct marked *m)
{
	const char *info = marks[m->mark].info, *c;
	char text[96], time[LINT_DURATION_TEXT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	uint64_t v;

	if (!strpbrk(info, "#@"))
		return info;
	if (!number_at(m, &v))
		return wmem_strndup(pinfo->pool, info, strcspn(info, ","));
	for (c = info; *c; c++)
		switch (*c) {
		case '#':
			ibw_out_dec(&o, v);
			break;
		case '~':
			ibw_out_str(&o, v == 1 ? "" : "s");
			break;
		case '@':
			ibw_out_str(&o, lint_duration_text(v, time));
			break;
		default:
			ibw_out_char(&o, *c);
			break;
		}
	ibw_out_close(&o);
	return wmem_strdup(pinfo->pool, text);
}

static const char *text_of(packet_info *pinfo, const struct marked *m)
{
	const char *info = info_of(pinfo, m);
	uint32_t of = info == marks[m->mark].info ? repeats(m, pinfo->num) : 0;

	return of ? wmem_strdup_printf(pinfo->pool, "%s of %u", info, of) : info;
}

void iw_analysis_each(packet_info *pinfo,
		      void (*tell)(void *user, packet_info *pinfo, const char *text), void *user)
{
	const struct event *first = events_of(pinfo);
	struct marked m = { .mark = NO_MARK };

	while (first && next_mark(first, &m))
		if (marks[m.mark].info)
			tell(user, pinfo, text_of(pinfo, &m));
}

/* "a] [b" */
static void join(void *user, packet_info *pinfo, const char *text)
{
	const char **all = user;

	*all = *all ? wmem_strdup_printf(pinfo->pool, "%s] [%s", *all, text) : text;
}

void iw_analysis_info(packet_info *pinfo)
{
	const char *all = NULL;

	iw_analysis_each(pinfo, join, &all);
	if (all)
		iw_info_first(pinfo, all);
}
