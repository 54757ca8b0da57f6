/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis.c - what the trackers found out about a packet, as fields: analysis.def has their names.
 *
 * Events come when something is known, often at a later packet, and are kept by the frame they are about.
 */
#include <stddef.h>
#include <string.h>

#include <ibwire/ibwire.h>

#include "track/packet.h"
#include "track/qp.h"

#include "iw.h"

/* Those beyond it are not kept: 64 MiB of the largest ones. */
#define EVENTS_MAX 500000u

struct event {
	struct event *next;
	struct event *last; /* of the frame; in its first one only */
	uint32_t frames[TRACK_EVENT_FRAMES];
	uint8_t kind; /* enum track_event_kind */
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
#include "analysis.def"
	MARK_COUNT
};

static const struct mark_row {
	const char *name, *label, *info;
	enum track_event_kind event;
} marks[] = {
#define IW_MARK(name, event, when, label, info)                                                    \
	{ "ibwire.analysis." #name, label, info, TRACK_EVENT_##event },
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

enum which { BEFORE, AFTER };

static const struct frame_row {
	enum mark mark;
	enum which which;
	const char *name, *label;
} frame_rows[] = {
#define IW_MARK_FRAME(mark, name, which, label)                                                    \
	{ MARK_##mark, which, "ibwire.analysis." #mark "." #name, label },
#include "analysis.def"
};

enum as { TIME, COUNT, NAMED };

static const struct number_row {
	enum mark mark;
	const char *name;
	enum track_event_kind event;
	uint8_t number;
	enum as as;
} number_rows[] = {
#define IW_MARK_NUMBER(mark, name, event, number, as)                                              \
	{ MARK_##mark, "ibwire.analysis." #mark "." #name, TRACK_EVENT_##event,                    \
	  TRACK_##event##_##number, as },
#include "analysis.def"
};

static int hf_analysis, hf_mark[MARK_COUNT], hf_frame[array_length(frame_rows)],
	hf_value[array_length(number_rows)];
static int ett_analysis = -1, ett_mark = -1;

static bool applies(enum mark mark, const struct event *e)
{
#define N(event, name) e->number[TRACK_##event##_##name]
	switch (mark) {
#define IW_MARK(name, event, when, label, info)                                                    \
	case MARK_##name:                                                                          \
		return e->kind == TRACK_EVENT_##event && (when);
#include "analysis.def"
	case MARK_COUNT:
		break;
	}
#undef N
	return false;
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
		add_field(row, hf, n->name, number->title, FT_RELATIVE_TIME, BASE_NONE, NULL,
			  event->text);
	else
		add_field(row, hf, n->name, number->title, n->as == NAMED ? FT_UINT32 : FT_UINT64,
			  BASE_DEC,
			  n->as == NAMED ? VALS((const value_string *)number->names) : NULL,
			  event->text);
}

void iw_analysis_register(void)
{
	static hf_register_info
		rows[1 + MARK_COUNT + array_length(frame_rows) + array_length(number_rows)];
	static int *etts[] = { &ett_analysis, &ett_mark };
	hf_register_info *row = rows;
	unsigned int i;

	add_field(&row, &hf_analysis, "ibwire.analysis", "Analysis", FT_NONE, BASE_NONE, NULL,
		  "What the packets of the connection show of this one");
	for (i = 0; i < MARK_COUNT; i++)
		add_field(&row, &hf_mark[i], marks[i].name, marks[i].label, FT_NONE, BASE_NONE,
			  NULL, track_event_rows[marks[i].event].text);
	for (i = 0; i < array_length(frame_rows); i++)
		add_field(&row, &hf_frame[i], frame_rows[i].name, frame_rows[i].label, FT_FRAMENUM,
			  BASE_NONE, NULL, track_event_rows[marks[frame_rows[i].mark].event].text);
	for (i = 0; i < array_length(number_rows); i++)
		add_number(&row, &hf_value[i], &number_rows[i]);
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
	iw_expert_blurb(ei, track_event_rows[marks[mark].event].text);
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

static void keep(const struct track_event *from)
{
	void *key = GUINT_TO_POINTER((unsigned int)from->frame);
	struct event *first, *e;

	if (n_events == EVENTS_MAX) {
		iw_analysis_lose((uint32_t)from->frame, 1);
		return;
	}
	n_events++;
	asked.frame = 0;
	e = copy_of(from);
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
		if (is_marked(e->kind))
			keep(e);
}

/* Trees and lines */

static const struct event *events_of(packet_info *pinfo)
{
	if (asked.frame != pinfo->num) {
		asked.frame = pinfo->num;
		asked.first = events ? wmem_map_lookup(events, GUINT_TO_POINTER(pinfo->num)) : NULL;
	}
	return asked.first;
}

/* The first frame before this one, or the last one after it; 0: there is none. */
static uint32_t frame_of(const struct event *e, enum which which, uint32_t frame)
{
	unsigned int i;

	if (which == BEFORE)
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
	if (experts[mark].severity && !iw_lint_says(pinfo, marks[mark].event))
		expert_add_info(pinfo, item, &ei_marks[mark]);
}

static void add_mark(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, enum mark mark,
		     const struct event *e)
{
	proto_item *item = proto_tree_add_item(tree, hf_mark[mark], tvb, 0, 0, ENC_NA);
	uint32_t other;
	unsigned int i;

	proto_item_set_generated(item);
	add_expert(item, pinfo, mark);
	tree = proto_item_add_subtree(item, ett_mark);
	for (i = 0; i < array_length(frame_rows); i++) {
		other = frame_rows[i].mark == mark ? frame_of(e, frame_rows[i].which, pinfo->num)
						   : 0;
		if (other)
			proto_item_set_generated(
				proto_tree_add_uint(tree, hf_frame[i], tvb, 0, 0, other));
	}
	for (i = 0; i < array_length(number_rows); i++)
		if (number_rows[i].mark == mark)
			add_value(tree, tvb, i, e);
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
	proto_item *item;
	unsigned int i;

	if (!e && !(frame->whole && pinfo->num == incomplete))
		return;
	item = proto_tree_add_item(tree, hf_analysis, frame->tvb, 0, 0, ENC_NA);
	proto_item_set_generated(item);
	say_incomplete(item, pinfo);
	tree = proto_item_add_subtree(item, ett_analysis);
	for (; e; e = e->next)
		for (i = 0; i < MARK_COUNT; i++)
			if (applies((enum mark)i, e))
				add_mark(tree, pinfo, frame->tvb, (enum mark)i, e);
}

void iw_analysis_show(packet_info *pinfo)
{
	const struct event *e;
	unsigned int i;

	say_incomplete(NULL, pinfo);
	for (e = events_of(pinfo); e; e = e->next)
		for (i = 0; i < MARK_COUNT; i++)
			if (applies((enum mark)i, e))
				add_expert(NULL, pinfo, (enum mark)i);
}

/* The frame that its field "of" has; 0: none. */
static uint32_t repeats(const struct event *e, enum mark mark, uint32_t frame)
{
	unsigned int i;

	for (i = 0; i < array_length(frame_rows); i++)
		if (frame_rows[i].mark == mark && g_str_has_suffix(frame_rows[i].name, ".of"))
			return frame_of(e, frame_rows[i].which, frame);
	return 0;
}

static const char *text_of(packet_info *pinfo, const struct event *e, enum mark mark)
{
	uint32_t of = repeats(e, mark, pinfo->num);

	return of ? wmem_strdup_printf(pinfo->pool, "%s of %u", marks[mark].info, of)
		  : marks[mark].info;
}

void iw_analysis_each(packet_info *pinfo,
		      void (*tell)(void *user, packet_info *pinfo, const char *text), void *user)
{
	const struct event *e;
	unsigned int i;

	for (e = events_of(pinfo); e; e = e->next)
		for (i = 0; i < MARK_COUNT; i++)
			if (marks[i].info && applies((enum mark)i, e))
				tell(user, pinfo, text_of(pinfo, e, (enum mark)i));
}

static void say(void *user, packet_info *pinfo, const char *text)
{
	(void)user;
	iw_info_mark(pinfo, text);
}

void iw_analysis_info(packet_info *pinfo)
{
	iw_analysis_each(pinfo, say, NULL);
}
