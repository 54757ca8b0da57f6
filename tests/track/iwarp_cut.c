/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iwarp_cut ROUNDS PCAP...: what track/iwarp makes of a connection does not depend on how its streams are cut into segments.
 *
 * The two streams of each connection whose SYNs and octets are all captured are sent again in ROUNDS ways: in pieces of 1 octet to 64 KiB,
 * some of them twice, some in another order, with other sequence numbers, which may wrap. FPDUs with their headers, places and CRCs,
 * messages, and what is found are the same each time. In as many ways a piece is left out: nothing is then found that was not before, and
 * no CRC is wrong, and all FPDUs that are found were there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include <ibwire/bits.h>
#include <track/base/event.h>
#include <track/iwarp/decode.h>
#include <track/iwarp/iwarp.h>

#define FIN 1u
#define SYN 2u
#define RST 4u
#define ACK 16u
#define HEAD (14u + 20u + 20u)
#define PIECE 65000u /* and IP has no room for more */

/* Octets of a side that are new with a frame, in the order of the capture; or its FIN or RST. */
struct item {
	unsigned int side;
	uint64_t at, end, acked; /* places */
	uint8_t flags;
	uint64_t ns;
};

/* A segment that came before the octets in front of it. */
struct early {
	uint64_t at;
	const uint8_t *p;
	uint32_t n;
};

struct talk {
	struct track_tcp_ends ends;
	uint32_t first[2];       /* sequence number of place 0 */
	uint8_t syn, first_side; /* by their bits; that the first one came from */
	bool over;
	GByteArray *data[2];
	GArray *early[2]; /* struct early */
	GArray *items;    /* struct item */
};

/* What is made of a connection. */
struct made {
	GArray *fpdus;  /* uint64_t: a hash of each, sorted */
	GArray *events; /* the same of what is found, with the kind in front */
	GArray *kinds;  /* the same without its numbers, but for the first one */
	uint64_t messages[2][TRACK_IWARP_MESSAGE_COUNT], payload[2], lost, crc_bad;
	bool is_iwarp, is_mistyped;
};

static struct track_events events;
static uint64_t state;

static uint64_t drawn(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t below(uint32_t n)
{
	return n ? (uint32_t)(drawn() % n) : 0;
}

static uint64_t hashed(uint64_t hash, const void *p, size_t n)
{
	const uint8_t *b = p;

	for (; n; n--)
		hash = (hash ^ *b++) * UINT64_C(0x100000001b3);
	return hash;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* ---- The streams of a capture ---- */

static void keep_item(struct talk *t, unsigned int side, uint64_t at, uint64_t end, uint64_t acked,
		      uint8_t flags, uint64_t ns)
{
	const struct item item = { side, at, end, acked, flags, ns };

	g_array_append_val(t->items, item);
}

/* Octets that may go on where the stream ends. */
static bool take(struct talk *t, unsigned int side, uint64_t at, const uint8_t *p, uint32_t n)
{
	GByteArray *data = t->data[side];

	if (at > data->len || at + n <= data->len)
		return false;
	p += data->len - at;
	g_byte_array_append(data, p, (guint)(at + n - data->len));
	return true;
}

static void segment(struct talk *t, unsigned int side, const struct track_tcp_segment *s)
{
	uint64_t at = (uint32_t)(s->seq - t->first[side]), before = t->data[side]->len;
	uint64_t acked = (uint32_t)(s->ack - t->first[!side]);
	const struct early early = { at, s->p, s->n };
	bool more = true;
	guint i;

	if (at >= UINT64_C(1) << 31)
		return;
	if (s->n)
		g_array_append_val(t->early[side], early);
	while (more) {
		more = false;
		for (i = 0; i < t->early[side]->len; i++) {
			const struct early *e = &g_array_index(t->early[side], struct early, i);

			more |= take(t, side, e->at, e->p, e->n);
		}
	}
	for (i = t->early[side]->len; i--;) {
		const struct early *e = &g_array_index(t->early[side], struct early, i);

		if (e->at + e->n <= t->data[side]->len)
			g_array_remove_index_fast(t->early[side], i);
	}
	if (t->data[side]->len > before)
		keep_item(t, side, before, t->data[side]->len, acked, 0, s->ns);
	else if (!s->n && s->flags & ACK)
		keep_item(t, side, before, before, acked, 0, s->ns);
	if (s->flags & (FIN | RST) && !t->over) {
		keep_item(t, side, t->data[side]->len, t->data[side]->len, acked,
			  s->flags & (FIN | RST), s->ns);
		t->over |= (s->flags & RST) != 0;
	}
}

static struct talk *talk_of(GPtrArray *talks, const struct track_tcp_ends *ends, bool syn,
			    unsigned int side, const struct track_tcp_segment *s)
{
	struct talk *t;
	guint i;

	for (i = talks->len; i--;) {
		t = g_ptr_array_index(talks, i);
		if (memcmp(&t->ends, ends, sizeof(*ends)) != 0)
			continue;
		if (!syn || !(t->syn & 1u << side) || t->first[side] == s->seq + 1)
			return t;
		break;
	}
	if (!syn)
		return NULL;
	t = g_new0(struct talk, 1);
	t->ends = *ends;
	t->first_side = (uint8_t)side;
	for (i = 0; i < 2; i++) {
		t->data[i] = g_byte_array_new();
		t->early[i] = g_array_new(FALSE, FALSE, sizeof(struct early));
	}
	t->items = g_array_new(FALSE, FALSE, sizeof(struct item));
	g_ptr_array_add(talks, t);
	return t;
}

static void free_talk(void *data)
{
	struct talk *t = data;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		g_byte_array_free(t->data[i], TRUE);
		g_array_free(t->early[i], TRUE);
	}
	g_array_free(t->items, TRUE);
	g_free(t);
}

static void frame(GPtrArray *talks, const uint8_t *p, uint32_t caplen, uint32_t len, uint64_t ns)
{
	struct track_tcp_segment s;
	struct track_tcp_ends ends;
	struct ibw_packet pkt;
	struct talk *t;
	unsigned int side;

	ibw_packet_walk(&pkt, p, caplen, len, IBW_LINKTYPE_ETHERNET, NULL);
	if (!track_iwarp_is_tcp(&pkt) || !track_tcp_segment_of(&pkt, &s))
		return;
	s.ns = ns;
	side = track_tcp_ends_of(&pkt, &ends);
	t = ends.v6 ? NULL : talk_of(talks, &ends, s.flags & SYN, side, &s);
	if (!t)
		return;
	if (s.flags & SYN) {
		t->first[side] = s.seq + 1;
		t->syn |= (uint8_t)(1u << side);
	} else if (t->syn == 3) {
		segment(t, side, &s);
	}
}

/* ---- Sent again ---- */

struct wire {
	struct track_iwarp *t;
	const struct talk *talk;
	struct made *made;
	struct track_at at;
	uint32_t first[2];
};

static void keep_events(struct wire *w)
{
	unsigned int i, n;
	uint64_t hash;

	for (i = 0; i < events.n; i++) {
		const struct track_event *e = &events.event[i];

		switch ((unsigned int)e->kind) {
		case TRACK_EVENT_IWARP_FAULT:
			n = 4; /* not the frame that it contradicts */
			w->made->is_mistyped |= e->number[0] == TRACK_IWARP_KEY;
			break;
		case TRACK_EVENT_IWARP_TERMINATE:
			n = 7;
			break;
		case TRACK_EVENT_IWARP_UNFINISHED:
			n = 2;
			break;
		case TRACK_EVENT_IWARP_REQUEST:
		case TRACK_EVENT_IWARP_REPLY:
		case TRACK_EVENT_IWARP_REJECTED:
		case TRACK_EVENT_IWARP_CRC_OFF:
			n = 2;
			break;
		default: /* of times, or of what TCP did */
			continue;
		}
		hash = hashed(UINT64_C(0xcbf29ce484222325), e->number, n * sizeof(e->number[0]));
		hash = hashed(hash, &e->flow.sport, sizeof(e->flow.sport));
		hash = (uint64_t)e->kind << 56 | hash >> 8;
		g_array_append_val(w->made->events, hash);
		hash = hashed(UINT64_C(0xcbf29ce484222325), e->number, sizeof(e->number[0]));
		hash = hashed(hash, &e->flow.sport, sizeof(e->flow.sport));
		hash = (uint64_t)e->kind << 56 | hash >> 8;
		g_array_append_val(w->made->kinds, hash);
	}
	events.n = 0;
}

static void keep_fpdus(struct wire *w, unsigned int side)
{
	unsigned int i, n;
	const struct track_fpdu *f = track_iwarp_fpdus(w->t, &n);
	uint64_t hash;

	for (i = 0; i < n; i++) {
		hash = hashed(UINT64_C(0xcbf29ce484222325) + side, &f[i].place, sizeof(f[i].place));
		hash = hashed(hash, &f[i].bytes, sizeof(f[i].bytes));
		hash = hashed(hash, &f[i].crc, sizeof(f[i].crc));
		hash = hashed(hash, f[i].head,
			      f[i].n_spans ? f[i].span[f[i].n_spans - 1].off +
						     f[i].span[f[i].n_spans - 1].len
					   : 0);
		g_array_append_val(w->made->fpdus, hash);
	}
}

static void put(struct wire *w, unsigned int side, uint32_t seq, uint32_t ack, uint8_t flags,
		const uint8_t *p, uint32_t n)
{
	static uint8_t b[HEAD + PIECE];
	const struct track_tcp_ends *ends = &w->talk->ends;
	uint8_t *ip = b + 14, *tcp = ip + 20;
	struct ibw_packet pkt;

	memset(b, 0, HEAD);
	b[12] = 8;
	ip[0] = 0x45;
	ibw_put_be16(ip + 2, (uint16_t)(40 + n));
	ip[8] = 64;
	ip[9] = 6;
	memcpy(ip + 12, ends->address[side] + 12, 4);
	memcpy(ip + 16, ends->address[!side] + 12, 4);
	ibw_put_be16(tcp, ends->port[side]);
	ibw_put_be16(tcp + 2, ends->port[!side]);
	ibw_put_be32(tcp + 4, seq);
	ibw_put_be32(tcp + 8, ack);
	tcp[12] = 5 << 4;
	tcp[13] = flags;
	if (n)
		memcpy(tcp + 20, p, n);
	w->at.frame++;
	w->at.time_ns += 1000;
	ibw_packet_walk(&pkt, b, HEAD + n, HEAD + n, IBW_LINKTYPE_ETHERNET, NULL);
	if (track_iwarp_may_be(w->t, &pkt)) {
		track_iwarp_packet(w->t, &pkt, &w->at);
		keep_fpdus(w, side);
	}
	keep_events(w);
}

static void put_piece(struct wire *w, const struct item *item, uint64_t at, uint64_t end)
{
	put(w, item->side, w->first[item->side] + (uint32_t)at,
	    w->first[!item->side] + (uint32_t)item->acked, ACK,
	    w->talk->data[item->side]->data + at, (uint32_t)(end - at));
}

/* Pieces of at most @most octets, 0: as it is; by chance some twice, or after the next one. */
static void put_item(struct wire *w, const struct item *item, uint32_t most, uint64_t hole)
{
	uint64_t at = item->at, held = UINT64_MAX, held_end = 0, end;

	while (at < item->end) {
		end = most ? at + 1 + below(most) : at + PIECE;
		end = MIN(MIN(end, item->end), at + PIECE);
		if (at <= hole && hole < end && most) {
			at = end;
			continue;
		}
		if (most && held == UINT64_MAX && below(8) == 0 && end < item->end) {
			held = at;
			held_end = end;
		} else {
			put_piece(w, item, at, end);
			if (most && below(16) == 0)
				put_piece(w, item, at, end);
			if (held != UINT64_MAX)
				put_piece(w, item, held, held_end);
			held = UINT64_MAX;
		}
		at = end;
	}
	if (held != UINT64_MAX)
		put_piece(w, item, held, held_end);
	if (item->at == item->end)
		put(w, item->side, w->first[item->side] + (uint32_t)item->at,
		    w->first[!item->side] + (uint32_t)item->acked, ACK | item->flags, NULL, 0);
}

static void made_open(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->fpdus = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	m->events = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	m->kinds = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void made_close(struct made *m)
{
	g_array_free(m->fpdus, TRUE);
	g_array_free(m->events, TRUE);
	g_array_free(m->kinds, TRUE);
}

/* @most: octets of a piece; of the side @hole_side the one with octet @hole is left out. */
static void send_again(const struct talk *talk, struct made *m, uint32_t most,
		       unsigned int hole_side, uint64_t hole)
{
	struct wire w = { .t = track_iwarp_new(&events), .talk = talk, .made = m };
	const struct track_iwarp_record *r;
	unsigned int i, n, a = talk->first_side;

	for (i = 0; i < 2; i++)
		w.first[i] = most ? (uint32_t)drawn() : 1;
	if (most && below(2))
		w.first[below(2)] = 0u - below((uint32_t)talk->data[0]->len + 1);
	track_iwarp_want_records(w.t);
	track_iwarp_want_fpdus(w.t);
	put(&w, a, w.first[a] - 1, 0, SYN, NULL, 0);
	put(&w, !a, w.first[!a] - 1, w.first[a], SYN | ACK, NULL, 0);
	for (i = 0; i < talk->items->len; i++) {
		const struct item *item = &g_array_index(talk->items, struct item, i);

		put_item(&w, item, most, item->side == hole_side ? hole : UINT64_MAX);
	}
	while (!track_iwarp_finish(w.t, &w.at))
		keep_events(&w);
	keep_events(&w);
	r = track_iwarp_records(w.t, &n);
	m->is_iwarp = n == 1;
	for (i = 0; i < 2 && n == 1; i++) {
		const struct track_iwarp_counts *c = &r->conn.dir[i].counts;

		memcpy(m->messages[i], c->messages, sizeof(c->messages));
		m->payload[i] = c->payload;
		m->lost += c->lost;
		m->crc_bad += c->crc_bad;
	}
	track_iwarp_free(w.t);
	g_array_sort(m->fpdus, by_number);
	g_array_sort(m->events, by_number);
	g_array_sort(m->kinds, by_number);
}

static bool is_same(const GArray *a, const GArray *b)
{
	return a->len == b->len &&
	       (!a->len || !memcmp(a->data, b->data, a->len * sizeof(uint64_t)));
}

static bool is_fact(uint64_t event)
{
	switch (event >> 56) {
	case TRACK_EVENT_IWARP_REQUEST:
	case TRACK_EVENT_IWARP_REPLY:
	case TRACK_EVENT_IWARP_CRC_OFF:
		return true;
	}
	return false;
}

/* Whether all kinds of findings of @part are in @whole; both are sorted. */
static bool is_within(const GArray *part, const GArray *whole)
{
	guint i, j = 0;

	for (i = 0; i < part->len; i++) {
		uint64_t n = g_array_index(part, uint64_t, i);

		if (is_fact(n))
			continue;
		while (j < whole->len && g_array_index(whole, uint64_t, j) < n)
			j++;
		if (j == whole->len || g_array_index(whole, uint64_t, j) != n)
			return false;
	}
	return true;
}

static const char *differs(const struct made *a, const struct made *b)
{
	return a->is_iwarp != b->is_iwarp                              ? "whether it is iWARP"
	       : !is_same(a->fpdus, b->fpdus)                          ? "FPDUs"
	       : !is_same(a->events, b->events)                        ? "what is found"
	       : memcmp(a->messages, b->messages, sizeof(a->messages)) ? "messages"
	       : memcmp(a->payload, b->payload, sizeof(a->payload))    ? "payload"
	       : a->lost != b->lost                                    ? "octets in no FPDU"
								       : NULL;
}

/* FPDUs are not compared one by one: after a hole in the start-up, it may not be known whether a CRC is used. */
static const char *is_wrong(const struct made *whole, const struct made *part)
{
	unsigned int i, j;

	if (part->crc_bad > whole->crc_bad)
		return "a CRC is wrong";
	if (!is_within(part->kinds, whole->kinds))
		return "something is found that is not there";
	for (i = 0; i < 2; i++)
		for (j = 0; j < TRACK_IWARP_MESSAGE_COUNT; j++)
			if (part->messages[i][j] > whole->messages[i][j])
				return "more messages";
	return part->fpdus->len > whole->fpdus->len ? "more FPDUs" : NULL;
}

static unsigned int faults;

static void fault(const char *path, guint number, uint64_t round, const char *what)
{
	if (faults++ < 20)
		printf("%s, connection %u, way %" PRIu64 ": %s\n", path, number, round, what);
}

static bool try_talk(const char *path, guint number, const struct talk *t, uint64_t rounds)
{
	static const uint32_t sizes[] = { 1, 3, 40, 600, 1448, 9000, PIECE };
	uint32_t total = t->data[0]->len + t->data[1]->len, most;
	struct made whole, part;
	const char *what;
	uint64_t i;

	/* A first octet that is mistyped, in a segment of its own, may be of any protocol. */
	if (t->syn != 3 || t->early[0]->len || t->early[1]->len || !total ||
	    (t->data[t->first_side]->len && t->data[t->first_side]->data[0] != 'M'))
		return false;
	made_open(&whole);
	send_again(t, &whole, 0, 2, UINT64_MAX);
	for (i = 0; i < rounds && whole.is_iwarp; i++) {
		unsigned int side = below(2);

		state = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ total;
		most = sizes[below(G_N_ELEMENTS(sizes))];
		most = MAX(most, total / 20000);
		made_open(&part);
		send_again(t, &part, most, 2, UINT64_MAX);
		what = differs(&whole, &part);
		if (what)
			fault(path, number, i, what);
		made_close(&part);
		if (whole.is_mistyped) /* nothing more is read of it, if that is seen */
			continue;
		made_open(&part);
		send_again(t, &part, most, side, below(t->data[side]->len));
		what = is_wrong(&whole, &part);
		if (what)
			fault(path, number, i, what);
		made_close(&part);
	}
	made_close(&whole);
	return whole.is_iwarp;
}

static unsigned int try_capture(const char *path, uint64_t rounds)
{
	GPtrArray *talks = g_ptr_array_new_with_free_func(free_talk);
	unsigned int tried = 0;
	uint32_t head[4];
	gsize size, off;
	char *data;
	guint i;
	bool swapped, nano;

	if (!g_file_get_contents(path, &data, &size, NULL) || size < 24)
		exit(2);
	swapped = ((uint8_t)data[0] == 0xa1) == (G_BYTE_ORDER == G_LITTLE_ENDIAN);
	nano = (uint8_t)data[0] == 0x4d || (uint8_t)data[3] == 0x4d;
	for (off = 24; off + 16 <= size; off += 16 + head[2]) {
		memcpy(head, data + off, sizeof(head));
		for (i = 0; i < 4 && swapped; i++)
			head[i] = GUINT32_SWAP_LE_BE(head[i]);
		if (head[2] > size - off - 16)
			break;
		frame(talks, (const uint8_t *)data + off + 16, head[2], head[3],
		      head[0] * UINT64_C(1000000000) +
			      head[1] * (nano ? UINT64_C(1) : UINT64_C(1000)));
	}
	for (i = 0; i < talks->len; i++)
		tried += try_talk(path, i, g_ptr_array_index(talks, i), rounds);
	g_ptr_array_free(talks, TRUE);
	g_free(data);
	return tried;
}

int main(int argc, char **argv)
{
	unsigned int tried = 0;
	uint64_t rounds;
	int i;

	if (argc < 3)
		return 2;
	rounds = strtoull(argv[1], NULL, 10);
	events.event = g_new(struct track_event, TRACK_EVENTS_MAX);
	for (i = 2; i < argc; i++)
		tried += try_capture(argv[i], rounds);
	g_free(events.event);
	printf("%u connections in %" PRIu64 " ways each, and as many with a hole: %u faults\n",
	       tried, rounds, faults);
	return faults || !tried;
}
