/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packets.c - assigns packets of RC, UC, XRC and UD to their messages, and answers to the messages
 * they answer.
 */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/opcode.h>

#include "impl.h"

/* The packet at hand. */
struct at_hand {
	struct track_messages *t;
	const struct track_message_place *place;
	const struct ibw_packet *pkt;
	const struct track_at *at;
	const struct track_upper *upper;
	struct ibw_opcode_parts op;
	bool ipoib;
};

static bool begins(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_FIRST | IBW_OPF_ONLY);
}

static bool is_last(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

static uint8_t operation_of(uint8_t opcode)
{
	struct ibw_opcode_parts parts;

	ibw_opcode_split(&parts, opcode);
	return parts.operation;
}

/* TRACK_MESSAGE_KINDS: the operation is no message. */
static uint8_t kind_of(uint8_t operation)
{
	switch (operation) {
	case IBW_OPERATION_SEND:
		return TRACK_MESSAGE_SEND;
	case IBW_OPERATION_WRITE:
	case IBW_OPERATION_ATOMIC_WRITE:
		return TRACK_MESSAGE_WRITE;
	case IBW_OPERATION_READ_REQUEST:
		return TRACK_MESSAGE_READ_REQUEST;
	case IBW_OPERATION_READ_RESPONSE:
		return TRACK_MESSAGE_READ_RESPONSE;
	case IBW_OPERATION_ATOMIC_ACKNOWLEDGE:
		return TRACK_MESSAGE_ATOMIC_RESPONSE;
	case IBW_OPERATION_COMPARE_SWAP:
	case IBW_OPERATION_FETCH_ADD:
		return TRACK_MESSAGE_ATOMIC;
	default:
		return TRACK_MESSAGE_KINDS;
	}
}

/* Answers */

/* The requests of the other way before @end have arrived. */
static void cover(struct track_messages *t, struct way *w, uint64_t end, uint64_t frame)
{
	struct message *m, *next;

	for (m = w->first_asked; m && m->first < end; m = next) {
		next = m->asked_after;
		if (m->next <= end && !track_message_has_response(m))
			track_message_answer(t, m, frame);
	}
}

static bool has_psn(const struct message *m, uint64_t psn)
{
	return m->first <= psn && psn < m->next;
}

/* A NAK that ends the connection: the message it is about. */
static void refuse(struct track_messages *t, struct way *w, uint64_t psn, uint64_t frame)
{
	struct message *m = w->first_asked;
	unsigned int i;

	while (m && !has_psn(m, psn))
		m = m->asked_after;
	for (i = 0; !m && i < w->n_open; i++)
		if (has_psn(w->open[i], psn))
			m = w->open[i];
	if (m)
		track_message_refuse(t, m, frame);
}

static void answers(const struct at_hand *x)
{
	struct way *w = track_message_other_way(x->t, x->place);
	const struct ibw_aeth_wire *aeth = IBW_AT(x->pkt, aeth);
	uint8_t syndrome = aeth ? ibw_aeth_syndrome(aeth) : 0;
	uint64_t psn;

	if (!w || !w->psns.begun)
		return;
	psn = w->psns.next +
	      (uint64_t)(int64_t)track_psn_from(w->psns.next, ibw_bth_psn(IBW_KNOWN(x->pkt, bth)));
	if (x->op.operation == IBW_OPERATION_ACKNOWLEDGE && aeth &&
	    IBW_AETH_TYPE(syndrome) == IBW_AETH_TYPE_ACK)
		cover(x->t, w, psn + 1, x->at->frame);
	else
		cover(x->t, w, psn, x->at->frame);
	if (x->op.operation == IBW_OPERATION_ACKNOWLEDGE &&
	    syndrome >= IBW_AETH_NAK_INVALID_REQUEST && syndrome <= IBW_AETH_NAK_INVALID_RD)
		refuse(x->t, w, psn, x->at->frame);
}

/* A response is complete: of the request with its first PSN. */
static void responded(const struct at_hand *x, uint64_t psn)
{
	struct way *w = track_message_other_way(x->t, x->place);
	struct message *m = w ? w->first_asked : NULL;

	while (m && track_psn_from(m->first, (uint32_t)psn & 0xffffff) != 0)
		m = m->asked_after;
	if (m)
		track_message_answer(x->t, m, x->at->frame);
}

/* What a response that begins is to the READs that were asked for. */
enum asked { ASKED_UNKNOWN, ASKED_THERE, ASKED_INSIDE };

/* Inside: in the middle of what one asks for, which was asked for again from there on. */
static enum asked asked_at(const struct at_hand *x, const struct part *p)
{
	struct way *w = track_message_other_way(x->t, x->place);
	const struct message *m = w ? w->first_asked : NULL;
	enum asked asked = ASKED_UNKNOWN;
	int32_t after;
	uint64_t n;

	for (; m; m = m->asked_after) {
		if (m->m.kind != TRACK_MESSAGE_READ_REQUEST)
			continue;
		after = track_psn_from(m->first, (uint32_t)p->psn & 0xffffff);
		if (after == 0)
			return ASKED_THERE;
		n = m->next - m->first;
		if (p->payload && !x->place->mtu && !is_last(p->opcode))
			n = (m->m.length + p->payload - 1) / p->payload;
		if (after > 0 && (uint64_t)after < n)
			asked = ASKED_INSIDE;
	}
	return asked;
}

/* Messages */

/* PSNs that a packet of the message takes: a READ as many as its response. */
static uint32_t psns_of(const struct message *m)
{
	uint32_t mtu = m->m.place.mtu, bytes = (uint32_t)m->m.length;

	return m->m.kind == TRACK_MESSAGE_READ_REQUEST && mtu && bytes > mtu
		       ? bytes / mtu + (bytes % mtu != 0)
		       : 1;
}

static void occupy(struct way *w, uint64_t psn, uint32_t n)
{
	track_psn_occupy(&w->psns, track_psn_class(&w->psns, psn), psn, n, 0, 0);
}

static void fill_in(struct message *m, const struct at_hand *x)
{
	const struct ibw_reth_wire *reth = IBW_AT(x->pkt, reth);
	const struct ibw_atomiceth_wire *atomic = IBW_AT(x->pkt, atomiceth);

	m->m.psn = ibw_bth_psn(IBW_KNOWN(x->pkt, bth));
	m->m.has_psn = true;
	m->m.ipoib = x->ipoib;
	m->m.has_key = reth || atomic;
	if (reth) {
		m->m.key = ibw_reth_rkey(reth);
		m->m.address = ibw_reth_va(reth);
		if (m->m.kind == TRACK_MESSAGE_READ_REQUEST)
			m->m.length = ibw_reth_dmalen(reth);
	}
	if (atomic) {
		m->m.key = ibw_atomiceth_rkey(atomic);
		m->m.address = ibw_atomiceth_va(atomic);
	}
	if (m->m.kind == TRACK_MESSAGE_ATOMIC || m->m.kind == TRACK_MESSAGE_ATOMIC_RESPONSE)
		m->m.length = 8;
}

static struct message *begin(const struct at_hand *x, struct way *w, uint64_t psn)
{
	struct message *m;

	if (w && w->n_open == TRACK_MESSAGES_OPEN)
		track_message_give_up(x->t, w->open[0]);
	m = track_message_begin(x->t, w, x->place, kind_of(x->op.operation), x->at);
	if (!m)
		return NULL;
	fill_in(m, x);
	m->first = m->next = psn;
	if (w)
		w->open[w->n_open++] = m;
	if (m->m.kind == TRACK_MESSAGE_SEND)
		track_message_upper(x->t, m, x->upper);
	return m;
}

static void put(const struct at_hand *x, struct way *w, struct message *m, const struct part *p)
{
	track_message_touch(x->t, m, x->at);
	track_message_frame(x->t, m, p->frame);
	track_message_append(x->t, m, p->data, p->n, p->payload);
	if (p->solicited)
		m->m.solicited = true;
	if (p->has_immediate)
		m->m.immediate = p->immediate;
	if (p->has_invalidate)
		m->m.invalidate = p->invalidate;
	m->m.has_immediate |= p->has_immediate;
	m->m.has_invalidate |= p->has_invalidate;
	m->next = p->psn + psns_of(m);
	if (w)
		occupy(w, p->psn, (uint32_t)(m->next - p->psn));
	if (!is_last(p->opcode))
		return;
	if (w && w->responses)
		responded(x, m->first);
	track_message_close(x->t, m,
			    w && !w->responses && x->place->answers &&
				    x->op.service != IBW_SERVICE_UC);
}

/* Packets that came too early */

static void let_go(struct track_messages *t, struct way *w, unsigned int i)
{
	t->used -= w->early[i].n;
	g_free(w->early[i].held);
	w->n_early--;
	memmove(&w->early[i], &w->early[i + 1], (w->n_early - i) * sizeof(w->early[i]));
}

void track_message_drop_early(struct track_messages *t, struct way *w)
{
	t->headless += w->n_early;
	while (w->n_early)
		let_go(t, w, w->n_early - 1);
}

static unsigned int early_at(const struct way *w, uint64_t psn)
{
	unsigned int i;

	for (i = 0; i < w->n_early && w->early[i].psn != psn; i++)
		;
	return i;
}

static bool make_early(struct track_messages *t, struct way *w)
{
	if (w->early)
		return true;
	if (!track_message_take(t, TRACK_MESSAGES_EARLY * sizeof(*w->early), NULL))
		return false;
	w->early = g_new(struct part, TRACK_MESSAGES_EARLY);
	return true;
}

static void hold(struct track_messages *t, struct way *w, const struct part *p)
{
	struct part *e;

	if (early_at(w, p->psn) < w->n_early)
		return;
	if (w->n_early == TRACK_MESSAGES_EARLY) {
		t->headless++;
		let_go(t, w, 0);
	}
	if (!make_early(t, w) || !track_message_take(t, p->n, NULL)) {
		t->headless++;
		return;
	}
	e = &w->early[w->n_early++];
	*e = *p;
	e->held = g_memdup2(p->data, p->n);
	e->data = e->held;
}

/* The message that @psn is the next packet of; NULL: there is none. */
static struct message *open_at(const struct way *w, uint64_t psn)
{
	unsigned int i;

	for (i = 0; i < w->n_open; i++)
		if (w->open[i]->next == psn)
			return w->open[i];
	return NULL;
}

/* The held packets that the message goes on with now. */
static void put_held(const struct at_hand *x, struct way *w, uint64_t psn)
{
	struct message *m;
	unsigned int at;

	for (; w->n_early; psn++) {
		at = early_at(w, psn);
		m = at < w->n_early ? open_at(w, psn) : NULL;
		if (!m)
			return;
		put(x, w, m, &w->early[at]);
		let_go(x->t, w, at);
	}
}

static void restart(struct track_messages *t, struct way *w)
{
	while (w->n_open)
		track_message_give_up(t, w->open[0]);
	track_message_drop_early(t, w);
}

/* Whether a packet cannot be the next one of the message, though its PSN is. */
static bool is_other(const struct at_hand *x, const struct way *w, const struct message *m,
		     const struct part *p)
{
	if (m->m.kind != kind_of(operation_of(p->opcode)))
		return true;
	return begins(p->opcode) && (!w->responses || asked_at(x, p) == ASKED_THERE);
}

static void add(const struct at_hand *x, struct way *w, const struct part *p)
{
	struct message *m = open_at(w, p->psn);

	if (m && is_other(x, w, m, p)) {
		track_message_give_up(x->t, m);
		m = NULL;
	}
	if (!m && begins(p->opcode) && !(w->responses && asked_at(x, p) == ASKED_INSIDE))
		m = begin(x, w, p->psn);
	else if (!m)
		hold(x->t, w, p);
	if (!m)
		return;
	put(x, w, m, p);
	put_held(x, w, p->psn + 1);
}

static struct part part_of(const struct at_hand *x)
{
	const struct ibw_packet *pkt = x->pkt;
	const struct ibw_immdt_wire *immdt = IBW_AT(pkt, immdt);
	const struct ibw_ieth_wire *ieth = IBW_AT(pkt, ieth);
	const struct ibw_atomicwrite_wire *write = IBW_AT(pkt, atomicwrite);
	uint32_t off = MIN(pkt->payload_off, pkt->caplen);
	struct part p = { .frame = x->at->frame,
			  .data = pkt->data + off,
			  .n = MIN(pkt->payload_len, pkt->caplen - off),
			  .payload = pkt->payload_len,
			  .opcode = pkt->opcode,
			  .solicited = ibw_bth_se(IBW_KNOWN(pkt, bth)),
			  .has_immediate = immdt,
			  .has_invalidate = ieth };

	if (write) { /* its data are in a header */
		p.data = write->b;
		p.n = p.payload = ibw_atomicwrite_BYTES;
	}
	if (immdt)
		p.immediate = ibw_immdt_data(immdt);
	if (ieth)
		p.invalidate = ibw_ieth_rkey(ieth);
	return p;
}

static void connected(const struct at_hand *x)
{
	struct part p = part_of(x);
	enum track_psn_class class;
	uint64_t holes;
	struct way *w;

	if (ibw_opcodes[x->pkt->opcode].flags & IBW_OPF_RESPONSE)
		answers(x);
	if (kind_of(x->op.operation) == TRACK_MESSAGE_KINDS)
		return;
	w = track_message_way(x->t, x->place, ibw_opcodes[x->pkt->opcode].flags & IBW_OPF_RESPONSE);
	if (!w)
		return;
	holes = w->psns.room;
	p.psn = track_psn_extend(&w->psns, ibw_bth_psn(IBW_KNOWN(x->pkt, bth)));
	class = track_psn_class(&w->psns, p.psn);
	if (class == TRACK_PSN_REPEAT)
		return;
	if (class == TRACK_PSN_RESTART)
		restart(x->t, w);
	add(x, w, &p);
	x->t->used += (w->psns.room - holes) * sizeof(struct track_hole);
}

/* A datagram is a message. */
static void datagram(const struct at_hand *x)
{
	struct part p = part_of(x);
	struct message *m = begin(x, NULL, 0);

	if (m)
		put(x, NULL, m, &p);
}

void track_messages_packet(struct track_messages *t, const struct track_message_place *place,
			   struct track_view *view, const struct track_at *at,
			   const struct track_upper *upper)
{
	const struct ibw_packet *pkt = &view->pkt;
	struct at_hand x = { .t = t, .place = place, .pkt = pkt, .at = at, .upper = upper };
	const struct ibw_packet *ip;

	track_message_settle(t, at->frame);
	if (pkt->bth == IBW_NO_SPAN || pkt->outcome == IBW_MALFORMED ||
	    !ibw_opcode_split(&x.op, pkt->opcode) || track_view_icrc(view).status == IBW_CRC_BAD)
		return;
	ip = track_view_ipoib(view);
	x.ipoib = ip && ip != pkt;
	if (x.op.service == IBW_SERVICE_RC || x.op.service == IBW_SERVICE_UC ||
	    x.op.service == IBW_SERVICE_XRC)
		connected(&x);
	else if (x.op.service == IBW_SERVICE_UD && ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) > IBW_QPN_GSI)
		datagram(&x);
}
