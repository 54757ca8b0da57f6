/* SPDX-License-Identifier: GPL-2.0-or-later */
/* silence.c - silences a rule for a packet that another rule fully describes. */
#include "lint_impl.h"
#include "track/view/ends.h"

#ifndef LINT_LOUD
#define LINT_LOUD 0 /* 1: for the test that no row is idle */
#endif

const struct lint_silence lint_silences[] = {
#define LINT_SILENCE(silent, by, when, why) { LINT_##silent, LINT_##by, why },
#include "silence.def"
};
const unsigned int lint_silence_count = sizeof(lint_silences) / sizeof(lint_silences[0]);

/* Whether @rule was found on this packet; before this one, so to say. */
static bool lint_said(const struct lint_packet *p, enum lint_rule_id rule)
{
	return p->lint->said[rule] == p->frame->number;
}

static bool lint_length_explains(const struct lint_packet *p)
{
	struct track_end end;

	return track_end_witnessed(p->pkt, &end);
}

/* Whether the packet is not as long as PktLen says. */
static bool lint_ends_at_lrh(const struct ibw_packet *pkt)
{
	return pkt->outcome == IBW_MALFORMED && pkt->error.layer == IBW_LAYER_lrh;
}

bool lint_silenced(const struct lint_packet *p, enum lint_rule_id rule)
{
	const struct ibw_packet *pkt = p->pkt;

#define LINT_SILENCE(silent, by, when, why)                                                        \
	if (rule == LINT_##silent && (when) && !LINT_LOUD)                                         \
		return true;
#include "silence.def"
	return false;
}
