/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsocket.c - rsockets: their private data, and the words that their RDMA Writes have as immediate data. rdma-core, docs/rsocket
 *
 * An end may be a client of any port, so both its private data and those of its peer have to look like those of an rsocket. Over
 * iWARP a word is a Send of 4 octets after its RDMA Write, in the byte order of the sender, which its private data say.
 */
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "impl.h"
#include "track/way/qp.h"

/* Private data: version, flags, credits, three reserved bytes, the size of the iomap; then address, key and length of two areas. */
#define DATA_BYTES 40u
#define FLAGS_AT 1u
#define CREDITS_AT 2u
#define RESERVED_AT 4u
#define SGL_AT 8u
#define BUFFER_AT 24u
#define FLAGS 3u
#define FLAG_NET 1u /* the sender's byte order is that of the network */
#define WORD_BYTES 4u

static bool is_zero(const uint8_t *p, uint32_t n)
{
	while (n)
		if (p[--n])
			return false;
	return true;
}

static bool is_area(const uint8_t *p)
{
	return !is_zero(p, 8) && !is_zero(p + 8, 4) && !is_zero(p + 12, 4);
}

/* The private data of a REQ follow the header of the RDMA CM, those of a REP nothing. */
static const uint8_t *private_data(const struct track_mad *m, bool req, uint32_t *bytes)
{
	const uint16_t layer = req ? IBW_LAYER_cm_private_56 : IBW_LAYER_cm_private_196;
	uint32_t i;

	for (i = 0; i < m->walked.n_spans; i++) {
		if (m->span[i].layer != layer)
			continue;
		*bytes = ibw_headers[layer].bytes;
		return m->span[i].off + *bytes <= m->n ? m->p + m->span[i].off : NULL;
	}
	return NULL;
}

uint32_t track_ulp_rsocket_version_at(const uint8_t *p, uint32_t bytes)
{
	if (bytes < DATA_BYTES || p[FLAGS_AT] > FLAGS || !ibw_get_be16(p + CREDITS_AT) ||
	    !is_zero(p + RESERVED_AT, 3) || !is_area(p + SGL_AT) || !is_area(p + BUFFER_AT) ||
	    !is_zero(p + DATA_BYTES, bytes - DATA_BYTES))
		return 0;
	return p[0];
}

bool track_ulp_rsocket_is_net(const uint8_t *p)
{
	return p[FLAGS_AT] & FLAG_NET;
}

uint32_t track_ulp_rsocket_version(const struct track_mad *m, bool req)
{
	uint32_t bytes = 0;
	const uint8_t *p = private_data(m, req, &bytes);

	return p ? track_ulp_rsocket_version_at(p, bytes) : 0;
}

/* The server has all that the private data of an rsocket have, but another version: the client ends the connection. */
static struct track_event *say_other(struct track_ulps *u, uint32_t version, uint64_t cause,
				     const struct track_at *at)
{
	struct track_event *e;

	if (!version || version == TRACK_ULP_RSOCKET_VERSION)
		return NULL;
	e = track_event_add(u->events, TRACK_EVENT_ULP_FAULT, at);
	if (!e)
		return NULL;
	track_event_cause(e, cause);
	e->number[TRACK_ULP_FAULT_fault] = TRACK_ULP_RSOCKET_OTHER;
	e->number[TRACK_ULP_FAULT_is] = version;
	e->number[TRACK_ULP_FAULT_meant] = TRACK_ULP_RSOCKET_VERSION;
	e->number[TRACK_ULP_FAULT_cause] = cause;
	e->number[TRACK_ULP_FAULT_upper] = IBW_ULP_RSOCKET;
	g_strlcpy(track_event_about(u->events, e), ibw_ulp_text(IBW_ULP_RSOCKET), TRACK_ABOUT_TEXT);
	return e;
}

void track_ulp_rsocket_refused(struct track_ulps *u, const struct track_cm_news *news,
			       const struct track_mad *m, const struct track_at *at)
{
	struct track_event *e;

	if (news->repeated)
		return;
	e = say_other(u, track_ulp_rsocket_version(m, false), news->req_frame, at);
	if (e)
		track_ulp_set_cm_flow(e, news);
}

void track_ulp_rsocket_refused_by_mpa(struct track_ulps *u, const struct track_ulp_start *s,
				      uint64_t cause, const struct track_at *at)
{
	struct track_event *e = say_other(u, track_ulp_rsocket_version_at(s->p, s->n), cause, at);

	if (!e)
		return;
	e->flow = s->flow;
	track_flow_as_seen(&e->flow);
}

/* A word that says how much was written. */
static void check_count(struct track_ulp_x *x, uint32_t word, uint64_t bytes)
{
	uint32_t count = word & (UINT32_MAX >> 3);

	if (word >> 29 == IBW_RSOCKET_DATA && count != bytes)
		track_ulp_wrong(x, TRACK_ULP_RSOCKET_COUNT, count, bytes);
}

/* Whether a WRITE that began with @first can end here: as many packets as its length needs. */
static bool is_whole(const struct track_ulp_x *x, const struct track_ulp_written *first)
{
	uint64_t packets = ((x->psn - first->psn) & 0xffffff) + 1;

	return first->any && first->mtu && packets > 1 &&
	       (first->bytes + first->mtu - 1) / first->mtu == packets;
}

void track_ulp_rsocket_write(struct track_ulp_x *x)
{
	struct track_ulp_written *first = &x->q->written[x->side];

	if (x->sent) {
		if (x->message == TRACK_ULP_WRITE)
			first->bytes = x->bytes;
		first->any = x->message == TRACK_ULP_WRITE ||
			     (first->any && x->message != TRACK_ULP_WRITE_BEGINS);
		return;
	}
	if (x->message == TRACK_ULP_WRITE && !x->has_imm)
		*first = (struct track_ulp_written){ x->psn, x->bytes, x->carried, true };
	if (!x->has_imm || track_ulp_is_again(x))
		return;
	if (!ibw_rsocket_op_name(x->imm))
		track_ulp_wrong(x, TRACK_ULP_RSOCKET_TYPE, x->imm >> 29, 0);
	else if (x->message == TRACK_ULP_WRITE)
		check_count(x, x->imm, x->bytes);
	else if (is_whole(x, first))
		check_count(x, x->imm, first->bytes);
}

/* Whether the words of the sender at hand are in network byte order. */
static bool is_net(const struct track_ulp_x *x)
{
	struct track_ulp_place place;
	const struct track_ulp_agreed *a = track_ulp_agreed_of(x, &place);

	return a && a->net[x->flow->dqpn == a->qpn[TRACK_ULP_ANSWERS] ? TRACK_ULP_ASKS
								      : TRACK_ULP_ANSWERS];
}

/*
 * The RDMA Write is that of the word if no other Send is between them: Sends are numbered. One without bytes is not sent, so a count of
 * 0 has none.
 */
void track_ulp_rsocket_word(struct track_ulp_x *x)
{
	struct track_ulp_written *last = &x->q->written[x->side];
	const bool is_its_own = last->any && last->psn + 1 == x->sent->msn;
	uint32_t word;

	last->psn = x->sent->msn;
	last->any = false;
	if (x->len != WORD_BYTES || x->n != WORD_BYTES)
		return;
	word = is_net(x) ? ibw_get_be32(x->p) : ibw_get_le32(x->p);
	if (!ibw_rsocket_op_name(word))
		track_ulp_wrong(x, TRACK_ULP_RSOCKET_TYPE, word >> 29, 0);
	else if (is_its_own && word)
		check_count(x, word, last->bytes);
}
