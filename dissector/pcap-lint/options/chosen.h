/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chosen.h - the connections selected by name: --qp and --host.
 *
 * Trackers see all packets, so a selection makes nothing doubtful: it only leaves connections out of the report. A
 * direction may be known before its other queue pair is; then a name may have to wait for the end of the capture.
 */
#ifndef PL_CHOSEN_H
#define PL_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "track/base/flow.h"

#define PL_CHOSEN_MAX 32

/* An address as trackers have it: a GID, or the LID of a packet without one. */
struct pl_chosen_address {
	uint8_t bytes[16];
	bool any, lid;
};

struct pl_chosen_qp {
	struct pl_chosen_address at;
	uint32_t qpn;
};

struct pl_chosen_hosts {
	struct pl_chosen_address one, other; /* other.any: whoever one talks to */
};

/* No names: everything. Of several of a kind one has to fit; of both kinds, one of each. */
struct pl_chosen {
	struct pl_chosen_qp qp[PL_CHOSEN_MAX];
	struct pl_chosen_hosts hosts[PL_CHOSEN_MAX];
	unsigned int n_qps, n_hosts;
};

/* "0x22,10.1.0.1:0x23"; "10.1.0.1" or "10.1.0.1,10.1.0.2". False: *err says what is wrong with it. */
bool pl_chosen_add_qps(struct pl_chosen *chosen, const char *text, GError **err);
bool pl_chosen_add_hosts(struct pl_chosen *chosen, const char *text, GError **err);

static inline bool pl_chosen_any(const struct pl_chosen *chosen)
{
	return chosen->n_qps || chosen->n_hosts;
}

enum pl_is_chosen { PL_CHOSEN_NO, PL_CHOSEN_YES, PL_CHOSEN_LATER };

/* Whether a direction is of a connection that is asked for, by what is known of it so far. */
struct track;
enum pl_is_chosen pl_chosen_flow(const struct pl_chosen *chosen, const struct track *track,
				 const struct track_flow *flow);

/* Whether a connection is; its CM's conversation. */
struct track_qp;
struct track_cm_record;
bool pl_chosen_connection(const struct pl_chosen *chosen, const struct track_qp *qp);
bool pl_chosen_conversation(const struct pl_chosen *chosen, const struct track_cm_record *r);

/* How many of all connections are asked for: those are first then. */
unsigned int pl_chosen_qps(const struct pl_chosen *chosen, struct track_qp **qps, unsigned int n);

/* "queue pair 0x000022, host 10.1.0.1": what is asked for. */
#define PL_CHOSEN_TEXT 8192
struct ibw_out;
void pl_out_chosen(struct ibw_out *o, const struct pl_chosen *chosen);

#endif /* PL_CHOSEN_H */
