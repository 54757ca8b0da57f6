/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp.c - which frames are of connections of iWARP, the FPDUs in them, and which messages those are of.
 *
 * The trackers find FPDUs in the streams of TCP, across segments, holes and retransmissions; an FPDU is shown with the first
 * frame with which all octets up to its last one are there. Connections have the numbers that pcap-lint gives them: after
 * those of queue pairs, in the order of their first frames.
 */
#include <string.h>

#include <ibwire/fpdu.h>
#include <ibwire/ibwire.h>

#include "iwarp.h"
#include "wireshark/base/prefs.h"
#include "reassemble.h"
#include "stream.h"
#include "ulp.h"
#include "track/iwarp/iwarp.h"

/* Atomic Requests that may still be answered, of a direction. */
#define ATOMICS_MAX 64u

struct iw_iwarp_dir {
	struct iw_iwarp_message *open[TRACK_MESSAGE_SLOT_SINGLE];
	struct iw_iwarp_message **reads;   /* TRACK_IWARP_READS_MAX, by their numbers */
	struct iw_iwarp_message **atomics; /* ATOMICS_MAX */
	uint32_t n_atomics;
	uint32_t messages;
};

/* Of a frame. */
struct record {
	struct iw_fpdu *first;
	struct iw_iwarp_conn *conn; /* NULL: it is of none */
	uint8_t side;
};

#define BLOCK 4096u

static wmem_array_t
	*blocks; /* struct record [BLOCK], by frame / BLOCK; NULL: none of iWARP is in it */
static wmem_map_t *conns;      /* number -> struct iw_iwarp_conn */
static wmem_array_t *numbered; /* those that are iWARP, in the order of their numbers */

void iw_iwarp_init(void)
{
	blocks = wmem_array_new(wmem_file_scope(), sizeof(struct record *));
	numbered = wmem_array_new(wmem_file_scope(), sizeof(struct iw_iwarp_conn *));
	conns = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void iw_iwarp_cleanup(void)
{
	blocks = numbered = NULL;
	conns = NULL;
}

/* Frames */

static struct record *record_at(uint32_t frame)
{
	struct record *block;

	if (!blocks || frame / BLOCK >= wmem_array_get_count(blocks))
		return NULL;
	block = *(struct record **)wmem_array_index(blocks, frame / BLOCK);
	return block ? block + frame % BLOCK : NULL;
}

static struct record *make_record(uint32_t frame)
{
	struct record *none = NULL, **block;

	while (wmem_array_get_count(blocks) <= frame / BLOCK)
		wmem_array_append_one(blocks, none);
	block = wmem_array_index(blocks, frame / BLOCK);
	if (!*block)
		*block = wmem_alloc0_array(wmem_file_scope(), struct record, BLOCK);
	return *block + frame % BLOCK;
}

/* Connections */

static bool is_before(const struct iw_iwarp_conn *a, const struct iw_iwarp_conn *b)
{
	if (a->first_frame != b->first_frame)
		return a->first_frame < b->first_frame;
	return a->number < b->number;
}

static struct iw_iwarp_conn *numbered_at(uint32_t i)
{
	return *(struct iw_iwarp_conn **)wmem_array_index(numbered, i);
}

/* How many come before it. */
static uint32_t rank_of(const struct iw_iwarp_conn *c)
{
	uint32_t low = 0, high = wmem_array_get_count(numbered), middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (is_before(numbered_at(middle), c))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t iw_iwarp_number(const struct iw_iwarp_conn *c)
{
	return iw_stream_so_far() + rank_of(c);
}

static void number(struct iw_iwarp_conn *c)
{
	uint32_t rank = rank_of(c), i = wmem_array_get_count(numbered);
	struct iw_iwarp_conn **list;

	wmem_array_append_one(numbered, c);
	list = wmem_array_get_raw(numbered);
	for (; i > rank; i--)
		list[i] = list[i - 1];
	list[rank] = c;
}

static struct iw_iwarp_conn *conn_of(uint64_t number)
{
	return wmem_map_lookup(conns, GSIZE_TO_POINTER((size_t)number + 1));
}

static struct iw_iwarp_conn *make_conn(const struct track_iwarp_now *now)
{
	struct iw_iwarp_conn *c = wmem_new0(wmem_file_scope(), struct iw_iwarp_conn);
	struct record *r;
	unsigned int i;

	c->number = now->conn->number;
	c->first_frame = (uint32_t)now->conn->first_frame;
	c->ends = now->ends;
	for (i = 0; i < 2; i++)
		c->dir[i] = wmem_new0(wmem_file_scope(), struct iw_iwarp_dir);
	wmem_map_insert(conns, GSIZE_TO_POINTER((size_t)c->number + 1), c);
	r = make_record(c->first_frame); /* its SYN, before it was known what it is */
	if (!r->conn) {
		r->conn = c;
		r->side = now->conn->first_side;
	}
	return c;
}

/* What is known of it by now. */
static void update(struct iw_iwarp_conn *c, const struct track_iwarp_conn *conn)
{
	unsigned int i;

	c->a = (uint8_t)track_iwarp_opener(conn);
	c->opens = conn->opener < 2;
	for (i = 0; i < 2; i++) {
		const struct track_iwarp_start *start = &conn->dir[i].start;

		if (start->frame)
			*(start->reply ? &c->reply : &c->request) = (uint32_t)start->frame;
		c->rejected |= start->frame && start->reply && start->r;
	}
	if (conn->is_iwarp && !c->is_iwarp)
		number(c);
	c->is_iwarp = conn->is_iwarp;
}

/* Messages */

static struct iw_iwarp_message *new_message(struct iw_iwarp_dir *d, enum track_verb verb,
					    const struct track_frame *at)
{
	struct iw_iwarp_message *m = wmem_new0(wmem_file_scope(), struct iw_iwarp_message);

	m->number = ++d->messages;
	m->verb = (uint8_t)verb;
	m->first = m->last = (uint32_t)at->number;
	m->first_ns = m->last_ns = at->time_ns;
	return m;
}

/* The header of @layer; NULL: it has none. */
static const void *header_of(const struct track_fpdu *d, unsigned int layer)
{
	unsigned int i;

	for (i = 0; i < d->n_spans; i++)
		if (d->span[i].layer == layer)
			return d->head + d->span[i].off;
	return NULL;
}

static struct iw_iwarp_message *read_request(struct iw_iwarp_dir *d, const struct track_fpdu *f,
					     const struct track_frame *at)
{
	const struct ibw_rdmap_read_req_wire *read = header_of(f, IBW_LAYER_rdmap_read_req);
	struct iw_iwarp_message *m = new_message(d, TRACK_VERB_READ, at);

	if (read) {
		m->va = ibw_rdmap_read_req_src_to(read);
		m->stag = ibw_rdmap_read_req_src_stag(read);
		m->len = ibw_rdmap_read_req_read_size(read);
		m->asks = m->names = true;
	}
	if (!d->reads)
		d->reads = wmem_alloc0_array(wmem_file_scope(), struct iw_iwarp_message *,
					     TRACK_IWARP_READS_MAX);
	if (f->read)
		d->reads[(f->read - 1) % TRACK_IWARP_READS_MAX] = m;
	return m;
}

static struct iw_iwarp_message *atomic_request(struct iw_iwarp_dir *d, const struct track_fpdu *f,
					       const struct track_frame *at)
{
	const struct ibw_rdmap_atomic_req_wire *atomic = header_of(f, IBW_LAYER_rdmap_atomic_req);
	struct iw_iwarp_message *m = new_message(d, TRACK_VERB_ATOMIC, at);

	m->len = 8;
	m->asks = true;
	if (!atomic)
		return m;
	m->va = ibw_rdmap_atomic_req_remote_to(atomic);
	m->id = ibw_rdmap_atomic_req_request_id(atomic);
	m->names = true;
	if (!d->atomics)
		d->atomics = wmem_alloc0_array(wmem_file_scope(), struct iw_iwarp_message *,
					       ATOMICS_MAX);
	d->atomics[d->n_atomics++ % ATOMICS_MAX] = m;
	return m;
}

/* The last one of that number that has no answer. */
static struct iw_iwarp_message *atomic_of(const struct iw_iwarp_dir *d, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < MIN(d->n_atomics, ATOMICS_MAX); i++) {
		struct iw_iwarp_message *m = d->atomics[(d->n_atomics - 1 - i) % ATOMICS_MAX];

		if (m->id == id && !m->ended)
			return m;
	}
	return NULL;
}

/* What an answer is about: a message of the other direction; NULL: not known. */
static struct iw_iwarp_message *asked(const struct iw_iwarp_dir *other, const struct track_fpdu *f)
{
	const struct ibw_rdmap_atomic_resp_wire *atomic;

	if (f->opcode == IBW_RDMAP_READ_RESPONSE)
		return f->read && other->reads ? other->reads[(f->read - 1) % TRACK_IWARP_READS_MAX]
					       : NULL;
	atomic = header_of(f, IBW_LAYER_rdmap_atomic_resp);
	return atomic ? atomic_of(other, ibw_rdmap_atomic_resp_original_request_id(atomic)) : NULL;
}

static bool is_answer(uint8_t opcode)
{
	return opcode == IBW_RDMAP_READ_RESPONSE || opcode == IBW_RDMAP_ATOMIC_RESPONSE;
}

static struct iw_iwarp_message *begin(struct iw_iwarp_conn *c, const struct track_fpdu *f,
				      const struct track_frame *at)
{
	const struct ibw_ddp_tagged_wire *tagged = header_of(f, IBW_LAYER_ddp_tagged);
	struct iw_iwarp_dir *d = c->dir[f->side];
	struct iw_iwarp_message *m = NULL;

	if (f->opcode == IBW_RDMAP_READ_REQUEST)
		return read_request(d, f, at);
	if (f->opcode == IBW_RDMAP_ATOMIC_REQUEST)
		return atomic_request(d, f, at);
	if (is_answer(f->opcode)) {
		m = asked(c->dir[!f->side], f);
		if (m) { /* without what is left of an answer that did not end */
			m->n_data = m->brought = 0;
			return m;
		}
		m = new_message(d,
				f->opcode == IBW_RDMAP_READ_RESPONSE ? TRACK_VERB_READ
								     : TRACK_VERB_ATOMIC,
				at);
		m->headless = true;
		return m;
	}
	m = new_message(d, f->opcode == IBW_RDMAP_WRITE ? TRACK_VERB_WRITE : TRACK_VERB_SEND, at);
	if (tagged) {
		m->va = ibw_ddp_tagged_to(tagged);
		m->stag = ibw_ddp_tagged_stag(tagged);
		m->names = true;
	}
	return m;
}

/* Twice the room that is needed, so that it is rarely made. */
static bool make_room(struct iw_iwarp_message *m, uint32_t bytes)
{
	uint64_t need = (uint64_t)m->n_data + bytes, room = 2 * need;

	if (need <= m->room)
		return true;
	if (room > INT32_MAX || !iw_reassemble_take(room - m->room))
		return false;
	m->data = wmem_realloc(wmem_file_scope(), m->data, room);
	m->room = (uint32_t)room;
	return true;
}

/* What a message of several FPDUs carries, or one that lies in pieces. */
static void keep_data(struct iw_iwarp_message *m, const struct iw_fpdu *fpdu, const uint8_t *p,
		      uint32_t bytes)
{
	if (fpdu->in_one_piece || m->lacks || !bytes || !p)
		return;
	m->lacks = !make_room(m, bytes);
	if (m->lacks)
		return;
	memcpy(m->data + m->n_data, p, bytes);
	m->n_data += bytes;
}

static void add(struct iw_iwarp_message *m, struct iw_fpdu *fpdu, const struct track_fpdu *f,
		const struct track_frame *at)
{
	bool answer = is_answer(f->opcode);
	uint32_t bytes = f->opcode == IBW_RDMAP_ATOMIC_RESPONSE ? 8 : f->data;

	if (m->asks && !answer)
		return; /* the request, which has no data */
	fpdu->message_off = answer ? m->brought : m->len;
	if (answer)
		m->brought += bytes;
	if (!m->asks)
		m->len += bytes;
	m->fpdus++;
	m->last = (uint32_t)at->number;
	m->last_ns = at->time_ns;
	m->ended = f->ends;
}

/* Without markers it has no more bytes than its parts. */
static bool is_in_one_piece(const struct iw_fpdu *fpdu, const struct track_fpdu *f)
{
	return f->part == TRACK_FPDU_BEGINS && f->ends && f->here &&
	       f->bytes == ibw_fpdu_content(fpdu->n_header + f->data);
}

static void put(struct iw_fpdu *fpdu, const struct track_fpdu *f, const struct track_frame *at,
		const uint8_t *octets)
{
	struct iw_iwarp_dir *d = fpdu->conn->dir[f->side];
	struct iw_iwarp_message *m;

	if (f->part == TRACK_FPDU_OF_NONE || f->opcode == IBW_RDMAP_TERMINATE)
		return;
	if (f->part == TRACK_FPDU_BEGINS)
		m = begin(fpdu->conn, f, at);
	else
		m = f->slot < TRACK_MESSAGE_SLOT_SINGLE ? d->open[f->slot] : NULL;
	if (f->slot < TRACK_MESSAGE_SLOT_SINGLE)
		d->open[f->slot] = f->ends ? NULL : m;
	fpdu->message = m;
	if (!m)
		return;
	if (f->part == TRACK_FPDU_BEGINS && !is_answer(f->opcode))
		m->ulp = fpdu->ulp;
	add(m, fpdu, f, at);
	fpdu->ends = f->ends;
	fpdu->in_one_piece = is_in_one_piece(fpdu, f);
	if (f->opcode != IBW_RDMAP_READ_REQUEST &&
	    (iw_prefs.mode == IW_TAKE_OVER || iw_ulp_has_message(m->ulp)))
		keep_data(m, fpdu, octets, f->data);
}

/* FPDUs */

static struct iw_fpdu *keep(const struct track_fpdu *f, struct iw_iwarp_conn *conn)
{
	struct iw_fpdu *k = wmem_new0(wmem_file_scope(), struct iw_fpdu);
	unsigned int i, head = 0;

	k->conn = conn;
	k->place = f->place;
	k->bytes = f->bytes;
	k->data = f->data;
	k->off = f->off;
	k->found = f->found;
	k->computed = f->computed;
	k->crc = f->crc;
	k->opcode = f->opcode;
	k->n_header = (uint8_t)(f->n_spans > 1 ? f->span[1].len : 0);
	k->here = f->here;
	k->n_frames = (uint8_t)f->n_frames;
	for (i = 0; i < f->n_frames; i++)
		k->frames[i] = (uint32_t)f->frames[i];
	k->n_spans = (uint8_t)f->n_spans;
	for (i = 0; i < f->n_spans; i++)
		head = MAX(head, f->span[i].off + f->span[i].len);
	k->n_head = (uint8_t)head;
	k->span = wmem_memdup(wmem_file_scope(), f->span, f->n_spans * sizeof(*f->span));
	k->at = wmem_memdup(wmem_file_scope(), f->at, f->n_spans * sizeof(*f->at));
	k->head = wmem_memdup(wmem_file_scope(), f->head, k->n_head);
	return k;
}

/* Its data lie in the packet, without markers. */
static bool is_in_place(const struct iw_fpdu *f)
{
	return f->here && f->bytes == ibw_fpdu_content(f->n_header + f->data);
}

/* In take-over mode messages have them. */
static void keep_octets(struct iw_fpdu *k, const uint8_t *octets)
{
	if (k->message && octets && k->data && !is_in_place(k) && iw_reassemble_take(k->data))
		k->octets = wmem_memdup(wmem_file_scope(), octets, k->data);
}

static void keep_all(struct track_iwarp *t, const struct track_frame *at)
{
	const bool whole = iw_prefs.mode == IW_TAKE_OVER;
	struct iw_fpdu **end, *k;
	const struct track_fpdu *f;
	struct iw_iwarp_conn *c;
	const uint8_t *octets;
	unsigned int n;

	f = track_iwarp_fpdus(t, &n);
	if (!n)
		return;
	end = &make_record((uint32_t)at->number)->first;
	for (; n; f++, n--) {
		c = conn_of(f->connection);
		if (!c || !f->n_spans)
			continue;
		k = keep(f, c);
		k->ulp = iw_ulp_make(f->upper.ulp, f->upper.flags, f->upper.of, f->upper.n_of,
				     (uint32_t)at->number);
		*end = k;
		end = &k->next;
		octets = track_iwarp_octets_of(t, f);
		put(k, f, at, octets);
		if (!whole)
			keep_octets(k, octets);
	}
}

void iw_iwarp_packet(const struct track *trackers, const struct track_frame *at)
{
	struct track_iwarp *t = track_iwarp_connections(trackers);
	const struct track_iwarp_now *now = t ? track_iwarp_now(t, at->number) : NULL;
	struct iw_iwarp_conn *c;
	struct record *r;

	if (!now || !blocks)
		return;
	if (now->conn) {
		c = conn_of(now->conn->number);
		if (!c)
			c = make_conn(now);
		update(c, now->conn);
		r = make_record((uint32_t)at->number);
		r->conn = c;
		r->side = (uint8_t)now->side;
	}
	keep_all(t, at);
}

/* The message that a Terminate refuses. */
void iw_iwarp_events(const struct track_event *e, unsigned int n)
{
	struct record *r;
	struct iw_fpdu *f;

	for (; n; e++, n--) {
		if (e->kind != TRACK_EVENT_IWARP_TERMINATE)
			continue;
		r = record_at((uint32_t)e->frame);
		for (f = r ? r->first : NULL; f; f = f->next)
			if (f->crc != TRACK_FPDU_CRC_NONE && f->opcode == IBW_RDMAP_TERMINATE)
				f->refused = (uint32_t)e->number[TRACK_IWARP_TERMINATE_refused];
	}
}

void iw_iwarp_finish(const struct track *trackers)
{
	const struct track_iwarp *t = track_iwarp_connections(trackers);
	const struct track_iwarp_record *r;
	struct iw_iwarp_conn *c;
	unsigned int n, i;

	r = t ? track_iwarp_records(t, &n) : NULL;
	for (i = 0; r && i < n; i++) {
		c = conn_of(r[i].conn.number);
		if (c && !c->is_iwarp)
			update(c, &r[i].conn);
	}
}

/* Any pass */

const struct iw_iwarp_conn *iw_iwarp_conn(uint32_t frame, enum track_way *way)
{
	const struct record *r = record_at(frame);

	if (!r || !r->conn || !r->conn->is_iwarp)
		return NULL;
	*way = r->side == r->conn->a ? TRACK_A_TO_B : TRACK_B_TO_A;
	return r->conn;
}

const struct iw_fpdu *iw_iwarp_fpdus(uint32_t frame)
{
	const struct record *r = record_at(frame);

	return r ? r->first : NULL;
}

uint32_t iw_iwarp_count(void)
{
	return numbered ? wmem_array_get_count(numbered) : 0;
}

const uint8_t *iw_iwarp_carried(const struct iw_fpdu *f, uint32_t *off)
{
	const struct iw_iwarp_message *m = f->message;

	*off = is_in_place(f) ? f->off + (uint32_t)ibw_mpa_BYTES + f->n_header : 0;
	if (*off)
		return NULL;
	if (!f->octets && m && m->data && f->message_off + f->data <= m->n_data)
		return m->data + f->message_off;
	return f->octets;
}

const struct iw_iwarp_message *iw_iwarp_completes(const struct iw_fpdu *f)
{
	const struct iw_iwarp_message *m = f->message;

	return m && m->asks && f->ends && is_answer(f->opcode) ? m : NULL;
}
