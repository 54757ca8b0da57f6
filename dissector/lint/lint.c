/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint.c - hands each packet to the rule groups. */
#include <string.h>

#include <glib.h>

#include "base/lint_impl.h"
#include "events/held.h"
#include "found/wait.h"
#include "lint.h"
#include "mgmt/mad.h"
#include "packet/cap.h"
#include "packet/packet.h"

struct lint *lint_new(const struct lint_options *options, const struct lint_sink *sink)
{
	struct lint *l = g_new0(struct lint, 1);

	l->options = *options;
	l->sink = *sink;
	l->none = !memchr(l->options.rules, 1, sizeof(l->options.rules));
	l->held = lint_held_new(options->held);
	lint_event_rows(&l->event_rows);
#define LINT_STATE(name) l->name = lint_##name##_new();
#include "base/groups.def"
	return l;
}

void lint_free(struct lint *l)
{
	if (!l)
		return;
#define LINT_STATE(name) lint_##name##_free(l->name);
#include "base/groups.def"
	lint_held_free(l->held);
	g_free(l);
}

/* What the records of an answer say. */
static void records(struct lint_packet *p)
{
#define LINT_RECORD_GROUP(name) lint_##name(p);
#include "base/groups.def"
}

/* Those of the MAD, then those of the transfer that it completes. */
void lint_tables(struct lint_packet *p)
{
	const struct track_transfer *t = p->context->transfer;
	const struct track_mad *m = p->mad;
	struct track_mad whole;

	records(p);
	if (!t || !track_mad_is_sa(m))
		return;
	whole = *m;
	track_mad_complete(&whole, t);
	p->mad = &whole;
	p->related = t->frames;
	p->n_related = t->n_frames - 1;
	records(p);
	p->related = NULL;
	p->n_related = 0;
	p->mad = m;
}

static void management(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;

	if (!m->mad) {
		lint_mad_short(p, m);
		return;
	}
#define LINT_MAD_GROUP(name, when)                                                                 \
	if (when)                                                                                  \
		lint_##name(p);
#include "base/groups.def"
}

/* What the payload holds: a MAD, or IPoIB. */
__attribute__((noinline)) void lint_payload(struct lint_packet *p)
{
	if (p->pkt->outcome == IBW_MALFORMED && p->pkt->proto != IBW_PROTO_IPOIB)
		return;
	p->mad = track_view_mad(p->view);
	p->ipoib = track_view_ipoib(p->view);
	if (p->mad)
		management(p);
	if (p->ipoib)
		lint_ipo(p);
}

static void groups(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

#define LINT_PACKET_GATE(name, otherwise, when)                                                    \
	if ((when) && !lint_##name(p)) {                                                           \
		lint_##otherwise(p);                                                               \
		return;                                                                            \
	}
#define LINT_PACKET_REST(name, when)                                                               \
	if ((when) && lint_##name(p))                                                              \
		return;
#define LINT_PACKET_GROUP(name, when)                                                              \
	if (when)                                                                                  \
		lint_##name(p);
#include "base/groups.def"
}

void lint_packet(struct lint *l, const struct track_frame *frame, struct track_view *view,
		 const struct track_context *context)
{
	struct lint_packet p = {
		.lint = l, .frame = frame, .pkt = &view->pkt, .view = view, .context = context
	};

	if (l->none) { /* how many packets could not be examined is said all the same */
		if (view->pkt.unseen)
			lint_cap_unseen(l->cap, &view->pkt);
		return;
	}
	track_view_icrc(view);
	groups(&p);
}

bool lint_packet_plain(struct lint *l, const struct track_frame *frame, const struct track_plain *p)
{
	if (l->none)
		return true;
	if (lint_slice_asks(l->slice, frame, p) || lint_trim_asks(l->trim))
		return false;
	lint_trim_plain(l->trim, p);
	lint_cap_plain(l->cap, frame);
	return true;
}

void lint_doubt(struct lint *l, uint16_t doubt)
{
	lint_held_settle(l, 0, 0, doubt);
}

void lint_last_packet(struct lint *l)
{
	if (lint_cap_lost(l->cap))
		lint_dropped(l, lint_cap_lost(l->cap));
}

void lint_dropped(struct lint *l, uint64_t packets)
{
	lint_held_dropped(l, packets);
}

uint64_t lint_unexamined(const struct lint *l)
{
	return lint_cap_unexamined(l->cap);
}

void lint_finish(struct lint *l)
{
	lint_held_settle_all(l);
	lint_held_release_all(l);
#define LINT_STATE(name) lint_##name##_finish(l, l->name);
#include "base/groups.def"
}
