/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mirror.c - the sequence numbers of mirrors: ERSPAN, and GRE with that bit. */
#include <string.h>

#include <glib.h>

#include <ibwire/tunnel.h>

#include "mirror.h"
#include "track/base/table.h"

/* A session that jumps further began anew. */
#define RESTART 0x100000u

/* No holes: compared as bytes. */
struct key {
	uint8_t addresses[32]; /* of the outer IP header; IPv4 has 8 of them */
	uint32_t session;      /* of ERSPAN, else the key of GRE */
	uint32_t layer;
};

struct session {
	uint64_t frame; /* of the highest number */
	uint32_t seq;
	bool begun;
};

struct track_mirrors {
	struct track_events *events;
	struct track_table *sessions; /* struct key -> struct session */
};

struct track_mirrors *track_mirrors_new(struct track_events *events)
{
	struct track_mirrors *t = g_new0(struct track_mirrors, 1);

	t->events = events;
	return t;
}

void track_mirrors_free(struct track_mirrors *t)
{
	if (!t)
		return;
	track_table_free(t->sessions);
	g_free(t);
}

static struct session *session_of(struct track_mirrors *t, const struct key *key)
{
	if (!t->sessions)
		t->sessions =
			track_table_new(sizeof(*key), sizeof(struct session), TRACK_MIRRORS_MAX);
	return track_table_need(t->sessions, key);
}

/* Whose numbers those of the GRE header with sequence number at span @i are. */
static struct key key_of(const struct ibw_packet *pkt, unsigned int i)
{
	struct key key = { .layer = i + 1u < pkt->n_spans ? pkt->span[i + 1].layer : 0 };
	unsigned int at;

	if (key.layer == IBW_LAYER_erspan2)
		key.session = ibw_erspan2_session(ibw_packet_at(pkt, i + 1));
	else if (key.layer == IBW_LAYER_erspan3)
		key.session = ibw_erspan3_session(ibw_packet_at(pkt, i + 1));
	else if (pkt->span[i - 1].layer == IBW_LAYER_gre_key)
		key.session = ibw_gre_key_key(ibw_packet_at(pkt, i - 1));
	for (at = i; at-- > 0;) {
		const struct ibw_span *span = &pkt->span[at];
		const uint8_t *p = pkt->data + span->off;

		if (span->layer == IBW_LAYER_ipv4)
			memcpy(key.addresses, p + ibw_ipv4_src_AT / 8, 8);
		else if (span->layer == IBW_LAYER_ipv6)
			memcpy(key.addresses, p + ibw_ipv6_src_AT / 8, 32);
		else
			continue;
		break;
	}
	return key;
}

static void tell(struct track_mirrors *t, const struct session *s, const struct key *key,
		 uint32_t missing, const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_MIRROR_GAP, at);

	t->events->doubt |= TRACK_DOUBT_DROPPED;
	if (!e)
		return;
	track_event_cause(e, s->frame);
	e->number[TRACK_MIRROR_GAP_missing] = missing;
	e->number[TRACK_MIRROR_GAP_session] = key->session;
}

void track_mirrors_feed(struct track_mirrors *t, const struct ibw_packet *pkt,
			const struct track_at *at)
{
	unsigned int i = ibw_packet_find(pkt, IBW_LAYER_gre_seq);
	struct session *s;
	struct key key;
	uint32_t seq, ahead;

	if (i == IBW_NO_SPAN || i == 0)
		return;
	key = key_of(pkt, i);
	seq = ibw_gre_seq_seq(ibw_packet_at(pkt, i));
	s = session_of(t, &key);
	ahead = seq - s->seq;
	/* What comes late was counted before; a switch that does not number its packets sends 0. */
	if (s->begun && (ahead == 0 || ahead > UINT32_MAX - RESTART))
		return;
	if (s->begun && ahead > 1 && ahead <= RESTART)
		tell(t, s, &key, ahead - 1, at);
	*s = (struct session){ at->frame, seq, true };
}
