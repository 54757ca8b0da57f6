/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_subnet.c - the story of a subnet: elections, sweeps, links, joins and traps, in order of time, at most a screen. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/story/story.h"
#include "pcap-lint/report/subnet.h"
#include "pcap-lint/story/tell.h"
#include "track/fabric/nodes.h"

static const char *const names[TRACK_HAPPENINGS] = {
	[TRACK_HANDOVER] = "handover",       [TRACK_SM_STATE] = "manager",
	[TRACK_LINK_DOWN] = "link-down",     [TRACK_TRAP_SENT] = "trap",
	[TRACK_LINK_UP] = "link-up",         [TRACK_SWEEP] = "sweep",
	[TRACK_GROUP_LEAVE] = "group-leave", [TRACK_GROUP_JOIN] = "group-join",
};

/* As many as there is room for, those that matter most, in the order that they happened in. */
static unsigned int choose(const struct track_chronicle *c, bool told[TRACK_CHRONICLE_MAX])
{
	unsigned int kind, i, n = 0;

	memset(told, 0, TRACK_CHRONICLE_MAX * sizeof(*told));
	for (kind = 0; kind < TRACK_HAPPENINGS; kind++)
		for (i = 0; i < c->n && n < PL_STORY_LINES; i++)
			if (c->entry[i].kind == kind) {
				told[i] = true;
				n++;
			}
	return n;
}

/* "0x0000000000000004 (host 3)" */
static void put_guid(struct ibw_out *o, const struct pl_report *report, uint64_t guid)
{
	char name[TRACK_NODE_SHORT];

	ibw_out_hex(o, guid, 16);
	track_put_name(o, track_guid_node(report->track, guid, name));
}

static void put_port(struct ibw_out *o, const struct pl_report *report,
		     const struct track_told_of *h)
{
	char text[TRACK_NODE_TEXT];

	ibw_out_str(o, track_chronicle_node_text(report->track, h->guid, h->port, text));
}

/* "spine 1 port 3 goes down"; "38 ports come up, the first is spine 1 port 3" */
static void put_link(struct ibw_out *o, const struct pl_report *report,
		     const struct track_told_of *h, const char *one, const char *many)
{
	if (h->n == 1) {
		put_port(o, report, h);
		ibw_out_str(o, one);
		return;
	}
	ibw_out_dec(o, h->n);
	ibw_out_str(o, many);
	put_port(o, report, h);
}

static void put_member(struct ibw_out *o, const struct pl_report *report,
		       const struct track_told_of *h, const char *does, const char *of)
{
	char text[TRACK_ADDRESS_TEXT], name[TRACK_NODE_SHORT];

	ibw_out_str(o, "port ");
	ibw_out_str(o, pl_subnet_address(h->gid, text));
	track_put_name(o, track_address_node(report->track, TRACK_ADDRESS_GID, h->gid, name));
	ibw_out_str(o, does);
	ibw_out_str(o, pl_subnet_address(h->mgid, text));
	if (h->n == 1)
		return;
	ibw_out_str(o, "; ");
	pl_out_counted(o, h->n - 1, of);
}

/* "SM 0x0000000000000004 (host 3, LID 0x0002) says that it is Master" */
static void put_sm(struct ibw_out *o, const struct pl_report *report, const struct track_told_of *h)
{
	const char *state = ibw_name_of(ibw_sm_state_names, h->state);
	char name[TRACK_NODE_SHORT];

	ibw_out_str(o, "SM ");
	ibw_out_hex(o, h->guid, 16);
	track_guid_node(report->track, h->guid, name);
	if (h->lid) {
		ibw_out_str(o, " (");
		ibw_out_str(o, name);
		ibw_out_str(o, *name ? ", LID " : "LID ");
		ibw_out_hex(o, h->lid, 4);
		ibw_out_char(o, ')');
	} else {
		track_put_name(o, name);
	}
	ibw_out_str(o, " says that it is ");
	ibw_out_str(o, state ? state : "in an unknown state");
}

/* A LID that two nodes had in the capture may have been that of either. */
static void put_trap(struct ibw_out *o, const struct pl_report *report,
		     const struct track_told_of *h)
{
	const char *what = ibw_name_of(ibw_trap_names, h->trap_num);
	char name[TRACK_NODE_SHORT];

	ibw_out_str(o, "LID ");
	ibw_out_hex(o, h->lid, 4);
	track_put_name(o, track_only_lid_node(report->track, h->lid, name));
	ibw_out_str(o, " reports \"");
	ibw_out_str(o, what ? what : "an unknown trap");
	ibw_out_char(o, '"');
	if (h->n == 1)
		return;
	ibw_out_char(o, ' ');
	pl_out_counted(o, h->n, "time");
}

static void put_sweep(struct ibw_out *o, const struct pl_report *report,
		      const struct track_told_of *h)
{
	if (h->guid)
		put_port(o, report, h);
	else
		ibw_out_str(o, "somebody");
	ibw_out_str(o, " sweeps: ");
	pl_out_counted(o, h->n, "answer");
	ibw_out_str(o, " with NodeInfo");
}

static void put(struct ibw_out *o, const struct pl_report *report, const struct track_told_of *h)
{
	switch (h->kind) {
	case TRACK_HANDOVER:
		ibw_out_str(o, "SM ");
		put_guid(o, report, h->guid);
		ibw_out_str(o, " hands over to ");
		put_guid(o, report, h->other);
		break;
	case TRACK_SM_STATE:
		put_sm(o, report, h);
		break;
	case TRACK_LINK_DOWN:
		put_link(o, report, h, " goes down", " ports go down, the first is ");
		break;
	case TRACK_LINK_UP:
		put_link(o, report, h, " comes up", " ports come up, the first is ");
		break;
	case TRACK_TRAP_SENT:
		put_trap(o, report, h);
		break;
	case TRACK_SWEEP:
		put_sweep(o, report, h);
		break;
	case TRACK_GROUP_JOIN:
		put_member(o, report, h, " joins ", "more join");
		break;
	case TRACK_GROUP_LEAVE:
		put_member(o, report, h, " leaves ", "more leave");
		break;
	default:
		break;
	}
	if (h->last_frame == h->frame)
		return;
	ibw_out_str(o, ", up to frame ");
	pl_out_frame(o, &report->frames, h->last_frame,
		     pl_frames_place(&report->frames, h->frame).file);
}

static const char *text_of(const struct pl_report *report, const struct track_told_of *h,
			   char buf[PL_STORY_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_STORY_TEXT);

	put(&o, report, h);
	ibw_out_close(&o);
	return buf;
}

/* What there was no line for. */
static uint64_t left_out(const struct track_chronicle *c, unsigned int n)
{
	return c->n - n + c->more;
}

uint64_t pl_story_subnet_each(const struct pl_report *report, const struct track_chronicle *c,
			      pl_story_subnet_line *line, void *user)
{
	bool told[TRACK_CHRONICLE_MAX];
	char text[PL_STORY_TEXT];
	unsigned int i, n = choose(c, told);

	for (i = 0; i < c->n; i++)
		if (told[i])
			line(user, &c->entry[i], text_of(report, &c->entry[i], text));
	return left_out(c, n);
}

static const char *nothing = "there is nothing to tell: the capture has no SMPs, traps or joins";

void pl_text_story_subnet(struct pl_report *report, const struct track_chronicle *c)
{
	struct ibw_out *o = &report->output->out;
	bool told[TRACK_CHRONICLE_MAX];
	const struct track_told_of *h, *before = NULL;
	char text[PL_STORY_TEXT];
	unsigned int i, n = choose(c, told);

	pl_output_room(report->output);
	pl_out_name(o, report->frames.about);
	ibw_out_str(o, n ? ": story of the subnet" : ": story: ");
	ibw_out_str(o, n ? "" : nothing);
	ibw_out_char(o, '\n');
	for (i = 0; i < c->n; i++) {
		if (!told[i])
			continue;
		h = &c->entry[i];
		pl_output_room(report->output);
		ibw_out_str(o, "  frame ");
		pl_out_frame(o, &report->frames, h->frame, report->frames.about);
		if (before && h->time_ns > before->time_ns) {
			ibw_out_str(o, ", ");
			pl_out_took(o, h->time_ns - before->time_ns);
			ibw_out_str(o, " later");
		}
		ibw_out_str(o, ": ");
		ibw_out_str(o, text_of(report, h, text));
		ibw_out_char(o, '\n');
		before = h;
	}
	if (!left_out(c, n))
		return;
	ibw_out_str(o, "  and ");
	pl_out_counted(o, left_out(c, n), "more event");
	ibw_out_str(o, " that matter less\n");
}

static void event(struct pl_report *report, const struct track_told_of *h,
		  const struct track_told_of *before)
{
	const struct pl_place place = pl_frames_place(&report->frames, h->frame);
	struct ibw_out *o = &report->output->out;
	char text[PL_STORY_TEXT];

	pl_output_room(report->output);
	pl_json_begin(o, "event");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", place.file);
	pl_json_number(o, "frame", place.frame);
	pl_json_time(o, "time", h->time_ns != 0, h->time_ns);
	pl_json_text(o, "connection", NULL);
	pl_json_text(o, "direction", NULL);
	pl_json_text(o, "event", names[h->kind]);
	pl_json_text(o, "psn", NULL);
	pl_json_number(o, "count", h->n);
	pl_json_number(o, "ns",
		       before && h->time_ns > before->time_ns ? h->time_ns - before->time_ns : 0);
	pl_json_key(o, "cause");
	ibw_out_str(o, "[]");
	pl_json_doubts(o, report->doubt);
	pl_json_text(o, "text", text_of(report, h, text));
	pl_json_end(o);
}

void pl_json_story_subnet(struct pl_report *report, const struct track_chronicle *c)
{
	struct ibw_out *o = &report->output->out;
	bool told[TRACK_CHRONICLE_MAX];
	const struct track_told_of *before = NULL;
	unsigned int i, n = choose(c, told);

	pl_output_room(report->output);
	pl_json_begin(o, "story");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", report->frames.about);
	pl_json_text(o, "connection", NULL);
	pl_json_number(o, "connections", 0);
	pl_json_number(o, "faulty", 0);
	pl_json_number(o, "events", n);
	pl_json_number(o, "more", left_out(c, n));
	pl_json_text(o, "text", n ? "the subnet" : nothing);
	pl_json_end(o);
	for (i = 0; i < c->n; i++) {
		if (!told[i])
			continue;
		event(report, &c->entry[i], before);
		before = &c->entry[i];
	}
}
