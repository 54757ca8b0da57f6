/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.c - assigns segments of iWARP to their messages, and answers and Terminates to the
 * messages they are about.
 */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "impl.h"

static uint8_t kind_of(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_WRITE:
		return TRACK_MESSAGE_WRITE;
	case IBW_RDMAP_READ_REQUEST:
		return TRACK_MESSAGE_READ_REQUEST;
	case IBW_RDMAP_READ_RESPONSE:
		return TRACK_MESSAGE_READ_RESPONSE;
	case IBW_RDMAP_TERMINATE:
		return TRACK_MESSAGE_TERMINATE;
	case IBW_RDMAP_IMMEDIATE:
	case IBW_RDMAP_IMMEDIATE_SE:
		return TRACK_MESSAGE_IMMEDIATE;
	case IBW_RDMAP_ATOMIC_REQUEST:
		return TRACK_MESSAGE_ATOMIC;
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return TRACK_MESSAGE_ATOMIC_RESPONSE;
	default:
		return TRACK_MESSAGE_SEND;
	}
}

static void read_request(struct message *m, const uint8_t *p)
{
	const struct ibw_rdmap_read_req_wire *r = (const struct ibw_rdmap_read_req_wire *)p;

	m->m.has_key = true;
	m->m.key = ibw_rdmap_read_req_src_stag(r);
	m->m.address = ibw_rdmap_read_req_src_to(r);
	m->m.length = ibw_rdmap_read_req_read_size(r);
	m->sink_key = ibw_rdmap_read_req_sink_stag(r);
	m->sink_to = ibw_rdmap_read_req_sink_to(r);
}

static void atomic(struct message *m, const uint8_t *p)
{
	const struct ibw_rdmap_atomic_req_wire *r = (const struct ibw_rdmap_atomic_req_wire *)p;

	m->m.has_key = true;
	m->m.key = ibw_rdmap_atomic_req_remote_stag(r);
	m->m.address = ibw_rdmap_atomic_req_remote_to(r);
	m->m.length = 8;
	m->request = ibw_rdmap_atomic_req_request_id(r);
}

static void atomic_response(struct message *m, const uint8_t *p)
{
	const struct ibw_rdmap_atomic_resp_wire *r = (const struct ibw_rdmap_atomic_resp_wire *)p;

	m->m.length = 8;
	m->request = ibw_rdmap_atomic_resp_original_request_id(r);
}

/* What its own header says, after that of DDP. */
static void fill_in(struct message *m, const struct track_message_segment *s)
{
	uint8_t room[ibw_rdmap_atomic_req_BYTES];
	uint32_t own = s->segment->tagged ? 0 : ibw_rdmap_header_bytes(s->segment->opcode);
	const uint8_t *p = NULL;

	if (own && own <= sizeof(room))
		p = ibw_fpdu_payload_bytes(s->fpdu, s->segment, own, room);
	if (!p)
		return;
	if (m->m.kind == TRACK_MESSAGE_READ_REQUEST)
		read_request(m, p);
	else if (m->m.kind == TRACK_MESSAGE_ATOMIC)
		atomic(m, p);
	else if (m->m.kind == TRACK_MESSAGE_ATOMIC_RESPONSE)
		atomic_response(m, p);
	else if (m->m.kind == TRACK_MESSAGE_IMMEDIATE)
		m->m.immediate = ibw_get_be64(p);
	m->m.has_immediate = m->m.kind == TRACK_MESSAGE_IMMEDIATE;
}

static struct message *begin(struct track_messages *t, struct way *w,
			     const struct track_message_segment *s, const struct track_at *at)
{
	const struct ibw_segment *segment = s->segment;
	uint32_t flags = ibw_rdmap_flags(segment->opcode);
	struct message *m;

	m = track_message_begin(t, w, &s->place, kind_of(segment->opcode), at);
	if (!m)
		return NULL;
	if (segment->tagged) {
		m->m.has_key = true;
		m->m.key = segment->stag;
		m->m.address = segment->to;
	} else {
		m->m.has_msn = true;
		m->m.msn = segment->msn;
	}
	m->m.has_invalidate = !segment->tagged && flags & IBW_RDMAP_INVALIDATES;
	if (m->m.has_invalidate)
		m->m.invalidate = segment->inval_stag;
	m->m.solicited = flags & IBW_RDMAP_SOLICITED;
	if (s->slot == TRACK_MESSAGE_SLOT_SINGLE)
		fill_in(m, s);
	else
		w->slot[s->slot] = m;
	if (s->upper && m->m.kind == TRACK_MESSAGE_SEND)
		track_message_upper(t, m, s->upper);
	return m;
}

static void append(struct track_messages *t, struct message *m,
		   const struct track_message_segment *s)
{
	struct ibw_fpdu_cursor c = ibw_fpdu_payload(s->fpdu, s->segment);
	const uint8_t *p;
	unsigned int i;
	uint32_t n;

	for (i = 0; i < s->n_frames; i++)
		track_message_frame(t, m, s->frames[i]);
	if (!track_message_is_data(m))
		return;
	while ((n = ibw_fpdu_next(&c, UINT32_MAX, &p)))
		track_message_append(t, m, p, n, n);
}

/* What a response answers: a READ request by where the data go, an atomic by its number. */
static bool is_answer(const struct message *m, const struct message *request)
{
	if (m->m.kind == TRACK_MESSAGE_READ_RESPONSE)
		return request->m.kind == TRACK_MESSAGE_READ_REQUEST &&
		       request->sink_key == m->m.key && request->sink_to == m->m.address;
	return m->m.kind == TRACK_MESSAGE_ATOMIC_RESPONSE &&
	       request->m.kind == TRACK_MESSAGE_ATOMIC && request->request == m->request;
}

static void responded(struct track_messages *t, const struct message *m)
{
	struct way *w = track_message_other_way(t, &m->m.place);
	struct message *request = w ? w->first_asked : NULL;

	while (request && !is_answer(m, request))
		request = request->asked_after;
	if (request)
		track_message_answer(t, request, m->m.frame);
}

/* Of those that wait only to be refused, the last ones do. */
static void limit_refusable(struct track_messages *t, struct way *w)
{
	struct message *m, *before;
	unsigned int n = 0;

	for (m = w->last_asked; m; m = before) {
		before = m->asked_before;
		if (!track_message_has_answer(m) && ++n > REFUSABLE_MAX)
			track_message_answer(t, m, 0);
	}
}

static bool is_wanted(const struct track_messages *t, const struct track_message_place *place)
{
	return !t->is_asked_for || t->is_asked_for(t->user, &place->flow);
}

void track_messages_segment(struct track_messages *t, const struct track_message_segment *s,
			    const struct track_at *at)
{
	struct way *w = is_wanted(t, &s->place) ? track_message_way(t, &s->place, false) : NULL;
	struct message *m;
	bool single = s->slot == TRACK_MESSAGE_SLOT_SINGLE;

	if (!w)
		return;
	m = single ? NULL : w->slot[s->slot];
	if (s->begins && m) {
		track_message_give_up(t, m);
		m = NULL;
	}
	if (s->begins)
		m = begin(t, w, s, at);
	if (!m) {
		t->headless += !s->begins;
		return;
	}
	track_message_touch(t, m, at);
	append(t, m, s);
	if (!single && !s->segment->last)
		return;
	responded(t, m);
	track_message_close(t, m, true);
	limit_refusable(t, w);
}

void track_messages_headless_segment(struct track_messages *t,
				     const struct track_message_place *place)
{
	t->headless += is_wanted(t, place);
}

static bool is_it(const struct message *m, const struct track_message_refused *r)
{
	return m->begin_frame == r->frame && m->m.kind == kind_of(r->opcode) &&
	       (m->m.has_key ? m->m.key == r->key && m->m.address == r->address
			     : m->m.msn == r->key);
}

void track_messages_refused(struct track_messages *t, const struct track_message_place *place,
			    const struct track_message_refused *r, const struct track_at *at)
{
	struct way *w = track_message_find_way(t, place, false);
	struct message *m = w ? w->last_asked : NULL;
	unsigned int i;

	while (m && !is_it(m, r))
		m = m->asked_before;
	for (i = 0; w && !m && i < TRACK_MESSAGE_SLOT_SINGLE; i++)
		if (w->slot[i] && is_it(w->slot[i], r))
			m = w->slot[i];
	if (m)
		track_message_refuse(t, m, at->frame);
}

void track_messages_over(struct track_messages *t, const struct track_message_place *place)
{
	struct way *w = track_message_find_way(t, place, false);

	while (w && w->first_asked)
		track_message_answer(t, w->first_asked, 0);
}
