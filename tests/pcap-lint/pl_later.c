/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pl_later.c - what waits for the end is a copy, stays in order, and is bounded. */
#include <string.h>

#include <glib.h>

#include "pcap-lint/findings/later.h"
#include "check.h"
#include "track/base/event.h"
#include "track/base/flow.h"

struct seen {
	uint64_t calls, frames, counted;
	struct lint_finding first;
	char message[16];
	uint64_t related;
};

static void see(void *user, const struct pl_waiting *waiting)
{
	const struct lint_finding *finding = &waiting->finding;
	struct seen *seen = user;

	if (!seen->calls++) {
		seen->first = *finding;
		g_strlcpy(seen->message, finding->message, sizeof(seen->message));
		seen->related = finding->related[1];
		CHECK(finding->flow->dqpn == 0x22);
		CHECK(finding->event->frame == 7);
		CHECK(!waiting->whose.known); /* nobody knows connections */
	}
	CHECK(finding->frame >= seen->frames);
	seen->frames = finding->frame;
	seen->counted += waiting->n;
	if (waiting->n) {
		CHECK(waiting->last_frame == finding->frame + 3);
		CHECK(!finding->message && !finding->related);
	}
}

static void copies(void)
{
	struct track_flow flow = { .dqpn = 0x22 };
	struct track_event event = { .frame = 7 };
	uint64_t related[] = { 3, 4 };
	char message[] = "as it was";
	struct lint_finding finding = { .frame = 7,
					.flow = &flow,
					.event = &event,
					.message = message,
					.related = related,
					.n_related = 2 };
	struct pl_later *later = pl_later_new(NULL);
	struct seen seen = { 0 };
	uint32_t i;

	pl_later_take(later, &finding, 0, 7);
	memset(message, 'x', sizeof(message) - 1);
	flow.dqpn = 0;
	event.frame = 0;
	related[1] = 0;
	finding.message = NULL;
	for (i = 1; i < PL_LATER_MAX; i++) {
		finding.frame++;
		pl_later_take(later, &finding, 5, finding.frame + 3);
	}
	CHECK(pl_later_forgotten(later) == 0);
	pl_later_take(later, &finding, 5, finding.frame + 3);
	finding.message = message;
	pl_later_take(later, &finding, 0, finding.frame);
	CHECK(pl_later_forgotten(later) == 6);
	pl_later_each(later, see, &seen);
	CHECK(seen.calls == PL_LATER_MAX);
	CHECK(seen.counted == UINT64_C(5) * (PL_LATER_MAX - 1));
	CHECK(strcmp(seen.message, "as it was") == 0);
	CHECK(seen.related == 4);
	pl_later_free(later);
	pl_later_free(NULL);
}

int main(void)
{
	copies();
	return check_end();
}
