/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the rules about events: the LINT_ON_EVENT rows of rules/GROUP.def. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include <glib.h>

#include <ibwire/out.h>

#include "events.h"
#include "held.h"
#include "lint/base/lint_impl.h"
#include "lint/found/wait.h"
#include "lint/mgmt/mad_text.h"
#include "lint/packet/cap.h"
#include "lint/upper/iwp.h"
#include "lint/upper/ulp.h"
#include "track/link/icrc.h"
#include "track/link/pause.h"

/* "ipv4.dst": a layer, and a field of it by its row. */
#define LINT_FIELD_TEXT 64
static const char *lint_event_field(uint64_t field, char text[LINT_FIELD_TEXT])
{
	const struct ibw_header *header = &ibw_headers[field >> 8];

	snprintf(text, LINT_FIELD_TEXT, "%s.%s", header->name, header->fields[field & 0xff].name);
	return text;
}

/* What the rows say: numbers of the event, and words for them. */
#define N(name) ((unsigned long long)e->number[TRACK_##name])
#define OPCODE(name) opcode_text(e->number[TRACK_##name])
#define WRITTEN(name) written_text(e->number[TRACK_##name])
#define SYNDROME(name) syndrome_text(e->number[TRACK_##name])
#define NTH_DURATION(name, nth) lint_duration_text(e->number[TRACK_##name], text[nth])
#define DURATION(name) NTH_DURATION(name, 0)
#define DURATION2(name) NTH_DURATION(name, 1)
#define SHARE(id) share_text(N(id##_packets), N(id##_others), text[0])
#define FIELD(name) lint_event_field(N(name), field)
#define MAC(name) mac_text(N(name), field)
#define MAC2(name) mac_text(N(name), state)
#define PRIORITY(name) priority_text(N(name), state)
#define PAUSED_TIME(id) paused_text(N(id##_ns), N(id##_unknown), text[0])
#define THRESHOLD(id) threshold_of(l, TRACK_THRESHOLD_##id)
#define LID(name, nth) lint_lid_text(l, N(name), lid[nth])
#define GUID_NAME(name, nth) lint_guid_name(l, N(name), lid[nth])
#define MGID(id) mgid_text(N(id##_mgid), N(id##_mgid_low), gid[0])
#define DGID(id) mgid_text(N(id##_dgid), N(id##_dgid_low), gid[0])
#define GID_TEXT(id) mgid_text(N(id##_gid), N(id##_gid_low), gid[0])
#define OTHER_MGID(id) mgid_text(N(id##_other), N(id##_other_low), gid[1])
#define OTHER_GID(id) mgid_text(N(id##_other), N(id##_other_low), gid[2])
#define JOIN_STATE(name) bits_text(ibw_join_state_names, N(name), field)
#define SELECTED(name) selected_text(N(name))
#define SA_STATUS(name) word_text(ibw_sa_status_names, N(name))
#define MAD(id)                                                                                    \
	mad_text(e, TRACK_##id##_mgmt_class, TRACK_##id##_method, TRACK_##id##_attr_id, false,     \
		 mad[0])
#define MAD_RESP(id)                                                                               \
	mad_text(e, TRACK_##id##_mgmt_class, TRACK_##id##_method, TRACK_##id##_attr_id, true,      \
		 mad[0])
#define WAS_MAD(id)                                                                                \
	mad_text(e, TRACK_##id##_mgmt_class, TRACK_##id##_was_method, TRACK_##id##_was_attr_id,    \
		 false, mad[1])
#define ABOUT() (e->about ? e->about : "")
#define ADDRESS(id)                                                                                \
	(N(id##_ipv6) ? mgid_text(N(id##_ipv6), N(id##_ipv6_low), gid[1])                          \
		      : ipv4_text(N(id##_address), text[0]))
#define SILENCE(id) silence_text(N(id##_cause), N(id##_cause_frame), mad[0])
#define WITHIN(name) within_text(N(name), text[0])
#define PORT_GID(id) mgid_text(N(id##_gid), N(id##_gid_low), gid[1])
#define HANDOVER(id)                                                                               \
	handover_text(N(id##_from), N(id##_to), N(id##_from_priority), N(id##_to_priority))
#define CLASS(name) class_text(N(name), class)
#define TIMES(n) times_text((n), text[1])
#define SENDER() address_text(e, false, address[0])
#define RECEIVER() address_text(e, true, address[1])
#define VERSIONS(name) versions_text(N(name))
#define UNFINISHED(id) lint_unfinished_text(e, iwp)
#define TCP_TEXT(id) lint_tcp_text(e, iwp)
#define COMPONENTS(name) components_text(N(name), field)

#define FULL_BOTH (IBW_JOIN_FULL | IBW_JOIN_SEND_ONLY_FULL)

/* Live, nothing is held for longer. */
#define HELD_NS 1000000000u

/* Whether a rule is on that is about events, or about those that need streams. */
static bool wants(const struct lint *l, bool streams)
{
	bool wanted = false;

#define IS_WANTED(id, needs_streams)                                                               \
	wanted |= lint_on(l, LINT_##id) && (!streams || (needs_streams))
#define LINT_ON_EVENT(id, event, when, ...)                                                        \
	IS_WANTED(id, track_event_needs_streams(TRACK_EVENT_##event));
#define LINT_ON_EVENT_LESSER(id, event, when, ...)                                                 \
	IS_WANTED(id, track_event_needs_streams(TRACK_EVENT_##event));
/* Streams settle what is held. */
#define LINT_ON_EVENT_HELD(id, event, when, ...) IS_WANTED(id, true);
#include "lint/rules/rules.def"
	return wanted;
}

bool lint_wants_events(const struct lint *l)
{
	return wants(l, false);
}

bool lint_wants_streams(const struct lint *l)
{
	return wants(l, true);
}

static const char *opcode_text(uint64_t opcode)
{
	const char *text = ibw_opcodes[opcode & 0xff].text;

	return text ? text : "a packet of unknown opcode";
}

/* What a message does, of one of its packets before the last. */
static const char *written_text(uint64_t opcode)
{
	unsigned int operation = TRACK_OPERATION((unsigned int)opcode & 0xff);

	return operation == IBW_OP_RC_RDMA_WRITE_FIRST || operation == IBW_OP_RC_RDMA_WRITE_MIDDLE
		       ? "RDMA WRITE"
		       : "SEND";
}

static const char *syndrome_text(uint64_t syndrome)
{
	const char *text = ibw_name_of(ibw_aeth_syndrome_names, (uint32_t)syndrome);

	return text ? text : "NAK of a reserved code";
}

/* "all 21", "20 of 21" */
static const char *share_text(uint64_t some, uint64_t others, char text[LINT_DURATION_TEXT])
{
	if (others)
		snprintf(text, LINT_DURATION_TEXT, "%" PRIu64 " of %" PRIu64, some, some + others);
	else
		snprintf(text, LINT_DURATION_TEXT, "all %" PRIu64, some);
	return text;
}

static const char *ipv4_text(uint64_t address, char text[LINT_DURATION_TEXT])
{
	struct ibw_out out = ibw_out_open(text, LINT_DURATION_TEXT);

	ibw_out_ipv4(&out, (uint32_t)address);
	ibw_out_close(&out);
	return text;
}

/* "02:00:00:00:00:01" */
static const char *mac_text(uint64_t mac, char text[LINT_FIELD_TEXT])
{
	snprintf(text, LINT_FIELD_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x",
		 (unsigned int)(mac >> 40) & 0xff, (unsigned int)(mac >> 32) & 0xff,
		 (unsigned int)(mac >> 24) & 0xff, (unsigned int)(mac >> 16) & 0xff,
		 (unsigned int)(mac >> 8) & 0xff, (unsigned int)mac & 0xff);
	return text;
}

/* " on priority 3"; a global pause is none of them. */
static const char *priority_text(uint64_t priority, char text[LINT_FIELD_TEXT])
{
	if (priority == TRACK_PAUSE_GLOBAL)
		snprintf(text, LINT_FIELD_TEXT, " for all priorities");
	else
		snprintf(text, LINT_FIELD_TEXT, " on priority %u", (unsigned int)priority);
	return text;
}

/* What nobody knows is not 0. */
static const char *paused_text(uint64_t ns, uint64_t unknown, char text[LINT_DURATION_TEXT])
{
	return !ns && unknown ? "for an unknown time" : lint_duration_text(ns, text);
}

static const char *mgid_text(uint64_t high, uint64_t low, char text[INET6_ADDRSTRLEN])
{
	struct ibw_out out = ibw_out_open(text, INET6_ADDRSTRLEN);
	uint8_t mgid[16];

	ibw_put_be64(mgid, high);
	ibw_put_be64(mgid + 8, low);
	ibw_out_ipv6(&out, mgid);
	ibw_out_close(&out);
	return text;
}

static const char *word_text(const struct ibw_name *names, uint64_t value)
{
	const char *text = ibw_name_of(names, (uint32_t)value);

	return text ? text : "a value that is not defined";
}

/* How a value after a selector is meant: "of", "greater than" */
static const char *selected_text(uint64_t selector)
{
	return selector == IBW_SELECTOR_EXACTLY ? "of" : word_text(ibw_selector_names, selector);
}

/* "FullMember+SendOnlyFullMember" */
static const char *bits_text(const struct ibw_name *names, uint64_t bits,
			     char text[LINT_FIELD_TEXT])
{
	struct ibw_out out = ibw_out_open(text, LINT_FIELD_TEXT);
	const char *between = "";

	for (; names->name; names++) {
		if (!(bits & names->value))
			continue;
		ibw_out_str(&out, between);
		ibw_out_str(&out, names->name);
		between = "+";
	}
	if (!*between)
		ibw_out_str(&out, "nothing");
	ibw_out_close(&out);
	return text;
}

/* "qkey sl": fields of an MCMemberRecord, by their bits of the component mask. */
static const char *components_text(uint64_t mask, char text[LINT_FIELD_TEXT])
{
	struct ibw_out out = ibw_out_open(text, LINT_FIELD_TEXT);
	const char *between = "";
	const struct ibw_field *f;

	for (f = ibw_headers[IBW_LAYER_mcmember_rec].fields; f->name; f++) {
		if (f->comp < 0 || !(mask >> f->comp & 1))
			continue;
		ibw_out_str(&out, between);
		ibw_out_str(&out, f->name);
		between = " ";
	}
	ibw_out_close(&out);
	return text;
}

static const char *mad_text(const struct track_event *e, unsigned int mgmt_class,
			    unsigned int method, unsigned int attr_id, bool response,
			    char text[LINT_MAD_TEXT])
{
	const struct lint_mad_numbers n = { .mgmt_class = (uint8_t)e->number[mgmt_class],
					    .response = response,
					    .method = (uint8_t)e->number[method],
					    .attr_id = (uint16_t)e->number[attr_id] };

	return lint_mad_numbers_text(&n, text);
}

/* Without a tracker to ask: what it is unless somebody says otherwise. */
static uint64_t threshold_of(const struct lint *l, enum track_threshold id)
{
	return l->options.names ? track_threshold(l->options.names, id)
				: track_threshold_rows[id].otherwise;
}

/* " within 11 s"; of what came once nothing. */
static const char *within_text(uint64_t ns, char text[LINT_DURATION_TEXT])
{
	char duration[LINT_DURATION_TEXT];

	if (ns)
		snprintf(text, LINT_DURATION_TEXT, " within %.20s",
			 lint_duration_text(ns, duration));
	return ns ? text : "";
}

/* Why an address does not answer, after the words that say so; "" if the file does not show it. */
static const char *silence_text(uint64_t cause, uint64_t frame, char text[LINT_MAD_TEXT])
{
	static const struct {
		const char *before, *after; /* the number of the frame */
	} words[] = {
		[TRACK_SILENCE_OUTSIDE] = { "its join of the broadcast group was refused in frame ",
					    "" },
		[TRACK_SILENCE_MAYBE_OUTSIDE] = { "perhaps it is the port whose join of the broadcast "
						  "group was refused in frame ",
						  "" },
		[TRACK_SILENCE_NO_PATH] = { "it asked for the path back in frame ",
					    " and got none" },
		[TRACK_SILENCE_MAYBE_NO_PATH] = { "perhaps it is the port that asked for the path "
						  "back in frame ",
						  " and got none" },
	};

	if (cause >= G_N_ELEMENTS(words) || !words[cause].before)
		return "";
	snprintf(text, LINT_MAD_TEXT, "; %s%" PRIu64 "%s", words[cause].before, frame,
		 words[cause].after);
	return text;
}

static const char *mad_text_of(uint8_t mgmt_class, uint64_t method, uint64_t attr_id,
			       char text[LINT_MAD_TEXT])
{
	const struct lint_mad_numbers n = { .mgmt_class = mgmt_class,
					    .method = (uint8_t)method,
					    .attr_id = (uint16_t)attr_id };

	return lint_mad_numbers_text(&n, text);
}

/* By the rule of IBTA vol 1, 14.4.1: the greater priority, then the lower GUID. */
static const char *handover_text(uint64_t from, uint64_t to, uint64_t from_priority,
				 uint64_t to_priority)
{
	if (to_priority != from_priority)
		return to_priority > from_priority ? "it has the greater priority"
						   : "though its priority is lower";
	return to < from ? "of the same priority, it has the lower GUID"
			 : "though of the same priority its GUID is greater";
}

static const char *class_text(uint64_t mgmt_class, char text[LINT_DURATION_TEXT])
{
	const struct ibw_mad_class_row *row = ibw_mad_class_of((uint8_t)mgmt_class);

	snprintf(text, LINT_DURATION_TEXT, "%s", row ? row->text : "a class that is not defined");
	return text;
}

/* The end of the event's flow. */
static const char *address_text(const struct track_event *e, bool receiver,
				char text[TRACK_ADDRESS_TEXT])
{
	struct track_flow flow = e->flow;

	track_flow_as_seen(&flow);
	return track_address_text(flow.address, receiver ? flow.dst : flow.src, text);
}

/* Bits: 2 RoCE v1, others v2. */
static const char *versions_text(uint64_t versions)
{
	return versions == 2 ? "RoCE v1" : versions & 2 ? "RoCE v1 and v2" : "RoCE v2";
}

/* "once", "3 times" */
static const char *times_text(uint64_t n, char text[LINT_DURATION_TEXT])
{
	if (n == 1)
		return "once";
	snprintf(text, LINT_DURATION_TEXT, "%" PRIu64 " times", n);
	return text;
}

/* Kinds that no rule judges, and that settle() reads. */
static const bool settling[TRACK_EVENT_COUNT] = {
	[TRACK_EVENT_MIRROR_GAP] = true,
	[TRACK_EVENT_SETTLED] = true,
	[TRACK_EVENT_IWARP_MID_STREAM] = true,
	[TRACK_EVENT_ICRC_REWRITTEN] = true,
	[TRACK_EVENT_PATHS] = true,
	[TRACK_EVENT_HALF_ENDED] = true,
	[TRACK_EVENT_HALF_EVICTED] = true,
};

bool lint_reads_event(const struct lint *l, enum track_event_kind kind)
{
	return l->event_rows.first[kind] || settling[kind];
}

/* The next row is about @kind: the last one before it that is gets it as its next. */
static void add_row(struct lint_event_rows *rows, uint16_t last[TRACK_EVENT_COUNT],
		    enum track_event_kind kind, uint16_t row)
{
	if (last[kind])
		rows->next[last[kind] - 1] = row + 1;
	else
		rows->first[kind] = row + 1;
	last[kind] = row + 1;
}

void lint_event_rows(struct lint_event_rows *rows)
{
	uint16_t last[TRACK_EVENT_COUNT] = { 0 }, row = 0;

#define LINT_ON_EVENT(id, event, ...) add_row(rows, last, TRACK_EVENT_##event, row++);
#define LINT_ON_EVENT_LESSER(id, event, ...) add_row(rows, last, TRACK_EVENT_##event, row++);
#define LINT_ON_EVENT_HELD(id, event, ...) add_row(rows, last, TRACK_EVENT_##event, row++);
#include "lint/rules/rules.def"
}

/* Rows are numbered as they come, as lint_event_rows() does; those of the kind of @e are looked at. */
static void judge(struct lint *l, const struct track_event *e)
{
	const struct lint_event_rows *rows = &l->event_rows;
	uint16_t row;
	bool needs = false;
	char field[LINT_FIELD_TEXT], state[LINT_FIELD_TEXT], gid[3][INET6_ADDRSTRLEN];
	char address[2][TRACK_ADDRESS_TEXT], text[6][LINT_DURATION_TEXT], class[LINT_DURATION_TEXT],
		mad[2][LINT_MAD_TEXT];
	char terminate[LINT_TERMINATE_TEXT], iwp[LINT_IWP_TEXT], rtr[2][LINT_RTR_TEXT];
	char lid[3][LINT_LID_TEXT];
	enum { FIRST_ROW = __COUNTER__ + 1 };

	for (row = rows->first[e->kind]; row; row = rows->next[row - 1]) {
		switch (row - 1) {
#define LINT_ON_EVENT(id, event, when, ...)                                                        \
	case __COUNTER__ - FIRST_ROW:                                                              \
		if (when)                                                                          \
			lint_found_event(l, LINT_##id, e, __VA_ARGS__);                            \
		break;
#define LINT_ON_EVENT_LESSER(id, event, when, ...)                                                 \
	case __COUNTER__ - FIRST_ROW:                                                              \
		if (when)                                                                          \
			lint_found_lesser(l, LINT_##id, e, __VA_ARGS__);                           \
		break;
#define LINT_ON_EVENT_HELD(id, event, when, ...)                                                   \
	case __COUNTER__ - FIRST_ROW:                                                              \
		if (when) {                                                                        \
			if (lint_on(l, LINT_##id) && !lint_held_counted(l, LINT_##id, e))          \
				lint_held_add(l, LINT_##id, e, __VA_ARGS__);                       \
			needs = true;                                                              \
		}                                                                                  \
		break;
#ifndef __cppcheck__ /* 250 conditions take it 15 minutes, clang-tidy 5 seconds */
#include "lint/rules/rules.def"
#endif
		}
	}
	_Static_assert(__COUNTER__ - FIRST_ROW <= LINT_EVENT_ROWS_MAX, "room for the rows");
	if (needs) /* whichever rules are on */
		lint_held_needs(l, e);
}

/* What an event says of findings that are held. */
static void settle(struct lint *l, const struct track_event *e)
{
	_Static_assert((int)TRACK_SETTLED_lost_back == (int)TRACK_SETTLED_lost + 1, "by way");
	if (e->kind == TRACK_EVENT_MIRROR_GAP)
		lint_held_dropped(l, e->number[TRACK_MIRROR_GAP_missing]);
	if (e->kind == TRACK_EVENT_SETTLED && e->doubt & TRACK_DOUBT_LOSS)
		lint_held_lost(l, e->half, &e->number[TRACK_SETTLED_lost]);
	if (e->kind == TRACK_EVENT_IWARP_MID_STREAM)
		lint_cap_rdma_elsewhere(lint_cap_of(l));
	if (e->kind == TRACK_EVENT_ICRC_REWRITTEN)
		lint_rewritten_explained(l, e);
	if (e->kind == TRACK_EVENT_PATHS && !e->number[TRACK_PATHS_naks])
		lint_held_drop(l, e->half, LINT_QPS006, &e->flow);
	if (e->kind == TRACK_EVENT_SETTLED)
		lint_held_settle(l, e->half, e->number[TRACK_SETTLED_upto], e->doubt);
	else if (e->kind == TRACK_EVENT_HALF_ENDED || e->kind == TRACK_EVENT_HALF_EVICTED)
		lint_held_settle(l, e->half, UINT64_MAX, e->doubt);
}

/* Several packets may have been tracked together: each settles what it settles. */
void lint_events(struct lint *l, const struct track_event *events, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (l->event_rows.first[events[i].kind])
			judge(l, &events[i]);
		if (settling[events[i].kind])
			settle(l, &events[i]);
		if (i + 1 == n || events[i + 1].frame != events[i].frame)
			lint_held_release(l);
	}
}

void lint_tick(struct lint *l, uint64_t now_ns)
{
	if (now_ns <= HELD_NS)
		return;
	lint_held_settle_before(l, now_ns - HELD_NS);
	lint_held_release_all(l);
}
