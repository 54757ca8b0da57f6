/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.c - keeps messages from their first packet until they are delivered, and accounts for their
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "impl.h"
#include "track/base/table.h"
#include "track/ulp/ulp.h"

/* What a way is found by: its connection, or where that is not known, its flow. */
struct way_key {
	struct track_flow flow;
	uint64_t connection;
	uint32_t of[2];
};

enum { OF_RESPONSES = 2, OF_IWARP = 4 };

/* Room for so many frames at first. */
#define FRAMES_FIRST 8u

const char *const track_message_kinds[TRACK_MESSAGE_KINDS] = {
	[TRACK_MESSAGE_SEND] = "send",
	[TRACK_MESSAGE_WRITE] = "write",
	[TRACK_MESSAGE_READ_REQUEST] = "read_request",
	[TRACK_MESSAGE_READ_RESPONSE] = "read_response",
	[TRACK_MESSAGE_ATOMIC] = "atomic",
	[TRACK_MESSAGE_ATOMIC_RESPONSE] = "atomic_response",
	[TRACK_MESSAGE_IMMEDIATE] = "immediate",
	[TRACK_MESSAGE_TERMINATE] = "terminate",
};

const char *const track_message_outcomes[TRACK_MESSAGE_OUTCOMES] = {
	[TRACK_MESSAGE_COMPLETE] = "complete",
	[TRACK_MESSAGE_CUT] = "cut",
	[TRACK_MESSAGE_UNFINISHED] = "unfinished",
	[TRACK_MESSAGE_REFUSED] = "refused",
};

struct track_messages *track_messages_new(uint64_t memory)
{
	struct track_messages *t = g_new0(struct track_messages, 1);

	t->ways =
		track_table_new(sizeof(struct way_key), sizeof(struct way *), TRACK_MESSAGES_WAYS);
	t->max = MAX(MIN(memory, TRACK_MESSAGES_MEMORY), TRACK_MESSAGES_MEMORY_MIN);
	return t;
}

void track_messages_choose(struct track_messages *t,
			   bool (*is_asked_for)(const void *user, const struct track_flow *flow),
			   const void *user)
{
	t->is_asked_for = is_asked_for;
	t->user = user;
}

/* Lists */

static void add(struct list *l, struct message *m)
{
	m->before = l->last;
	m->after = NULL;
	*(l->last ? &l->last->after : &l->first) = m;
	l->last = m;
}

static void take_out(struct list *l, struct message *m)
{
	*(m->before ? &m->before->after : &l->first) = m->after;
	*(m->after ? &m->after->before : &l->last) = m->before;
	m->before = m->after = NULL;
}

/* In the order of PSNs; of iWARP, which has none, in that of the stream. */
static void add_asked(struct way *w, struct message *m)
{
	struct message *before = w->last_asked;

	while (before && before->first > m->first)
		before = before->asked_before;
	m->asked_before = before;
	m->asked_after = before ? before->asked_after : w->first_asked;
	*(before ? &before->asked_after : &w->first_asked) = m;
	*(m->asked_after ? &m->asked_after->asked_before : &w->last_asked) = m;
	w->n_asked++;
}

static void take_out_asked(struct way *w, struct message *m)
{
	*(m->asked_before ? &m->asked_before->asked_after : &w->first_asked) = m->asked_after;
	*(m->asked_after ? &m->asked_after->asked_before : &w->last_asked) = m->asked_before;
	m->asked_before = m->asked_after = NULL;
	w->n_asked--;
}

/* Memory */

static uint64_t bytes_of(const struct message *m)
{
	return sizeof(*m) + m->room + m->frames_room * sizeof(uint64_t) +
	       m->m.upper.n_of * sizeof(*m->of);
}

static void free_message(struct message *m)
{
	if (!m)
		return;
	g_free(m->data);
	g_free(m->frames);
	g_free(m->of);
	g_free(m);
}

static void free_list(struct list *l)
{
	struct message *m = l->first, *next;

	for (; m; m = next) {
		next = m->after;
		free_message(m);
	}
	l->first = l->last = NULL;
}

/* There is no room to wait; who only waited to be refused lacks nothing. */
static void wait_no_longer(struct track_messages *t, struct message *m)
{
	t->unanswered += track_message_has_answer(m);
	track_message_answer(t, m, 0);
}

static void drop_way(struct track_messages *t, struct way *w)
{
	unsigned int i;

	while (w->n_open) {
		t->evicted++;
		track_message_give_up(t, w->open[0]);
	}
	for (i = 0; i < TRACK_MESSAGE_SLOT_SINGLE; i++) {
		t->evicted += w->slot[i] != NULL;
		if (w->slot[i])
			track_message_give_up(t, w->slot[i]);
	}
	while (w->first_asked) {
		wait_no_longer(t, w->first_asked);
	}
	track_message_drop_early(t, w);
	if (w->early)
		t->used -= TRACK_MESSAGES_EARLY * sizeof(*w->early);
	g_free(w->early);
	t->used -= sizeof(*w) + w->psns.room * sizeof(struct track_hole);
	track_psns_clear(&w->psns);
	g_free(w);
}

/* The way used longest ago, unless it is the one at hand; false: there is no other. */
static bool evict_way(struct track_messages *t)
{
	struct way **oldest = track_table_oldest(t->ways);

	if (!oldest || *oldest == t->at_hand)
		return false;
	drop_way(t, *oldest);
	track_table_evict(t->ways, oldest);
	return true;
}

bool track_message_take(struct track_messages *t, uint64_t bytes, const struct message *but)
{
	struct message *m;

	while (t->used + bytes > t->max) {
		m = t->open.first == but && but ? but->after : t->open.first;
		if (t->out.first) {
			wait_no_longer(t, t->out.first);
		} else if (m) {
			t->evicted++;
			track_message_give_up(t, m);
		} else if (!evict_way(t)) {
			return false;
		}
	}
	t->used += bytes;
	return true;
}

void track_messages_free(struct track_messages *t)
{
	struct way **w = NULL;

	if (!t)
		return;
	track_messages_finish(t);
	while ((w = track_table_next(t->ways, w)))
		drop_way(t, *w);
	track_table_free(t->ways);
	free_list(&t->open);
	free_list(&t->out);
	free_list(&t->ready);
	free_message(t->given);
	g_free(t);
}

/* Ways */

static struct way_key key_of(const struct track_message_place *place, bool responses)
{
	struct way_key key;

	memset(&key, 0, sizeof(key));
	key.connection = place->connection;
	if (place->connection == TRACK_MESSAGE_NO_CONNECTION)
		key.flow = place->flow;
	key.of[0] = place->way | (responses ? OF_RESPONSES : 0) | (place->iwarp ? OF_IWARP : 0);
	return key;
}

struct way *track_message_find_way(struct track_messages *t,
				   const struct track_message_place *place, bool responses)
{
	const struct way_key key = key_of(place, responses);
	struct way **w = track_table_get(t->ways, &key);

	return w ? *w : NULL;
}

struct way *track_message_other_way(struct track_messages *t,
				    const struct track_message_place *place)
{
	struct track_message_place other = *place;

	if (place->connection == TRACK_MESSAGE_NO_CONNECTION)
		return NULL;
	other.way = !place->way;
	return track_message_find_way(t, &other, false);
}

struct way *track_message_way(struct track_messages *t, const struct track_message_place *place,
			      bool responses)
{
	const struct way_key key = key_of(place, responses);
	struct way **there = track_table_get(t->ways, &key), *w;

	t->at_hand = there ? *there : NULL;
	if (there)
		return *there;
	if (track_table_full(t->ways))
		evict_way(t);
	if (!track_message_take(t, sizeof(*w), NULL))
		return NULL;
	w = g_new0(struct way, 1);
	w->place = *place;
	w->responses = responses;
	*(struct way **)track_table_add(t->ways, &key) = w;
	t->at_hand = w;
	return w;
}

/* Messages */

struct message *track_message_begin(struct track_messages *t, struct way *w,
				    const struct track_message_place *place, uint8_t kind,
				    const struct track_at *at)
{
	struct message *m;

	if (!track_message_take(t, sizeof(*m), NULL)) {
		t->evicted++;
		return NULL;
	}
	m = g_new0(struct message, 1);
	m->m.place = *place;
	m->m.kind = kind;
	m->m.begin_ns = at->time_ns;
	m->begin_frame = at->frame;
	m->way = w;
	m->state = MESSAGE_OPEN;
	add(&t->open, m);
	return m;
}

void track_message_upper(struct track_messages *t, struct message *m,
			 const struct track_upper *upper)
{
	uint64_t bytes = upper->n_of * sizeof(*m->of);

	if (upper->ulp == IBW_ULP_NONE)
		return;
	m->m.upper = *upper;
	m->m.upper.of = NULL;
	m->m.upper.n_of = 0;
	if (!upper->n_of || !track_message_take(t, bytes, m))
		return;
	m->of = g_memdup2(upper->of, bytes);
	m->m.upper.of = m->of;
	m->m.upper.n_of = upper->n_of;
}

/* Segments that waited for one before them come with its frame, and their own. */
static bool is_last_frame(const struct message *m, uint64_t frame)
{
	uint32_t n = m->m.n_frames;

	return (n && m->frames[n - 1] == frame) || (n > 1 && m->frames[n - 2] == frame);
}

void track_message_frame(struct track_messages *t, struct message *m, uint64_t frame)
{
	uint32_t room = m->frames_room ? 2 * m->frames_room : FRAMES_FIRST;

	if (m->m.n_frames == TRACK_MESSAGE_FRAMES || is_last_frame(m, frame))
		return;
	if (m->m.n_frames == m->frames_room) {
		if (!track_message_take(t, (room - m->frames_room) * sizeof(*m->frames), m))
			return;
		m->frames = g_renew(uint64_t, m->frames, room);
		m->frames_room = room;
	}
	m->frames[m->m.n_frames++] = frame;
}

/* Room for @n bytes more; as they come, not as a header promises them. */
static bool make_room(struct track_messages *t, struct message *m, uint32_t n)
{
	uint32_t need = m->m.n_bytes + n, room = m->room ? MAX(2 * m->room, need) : need;

	room = MIN(room, TRACK_MESSAGE_BYTES);
	if (need <= m->room)
		return true;
	if (!track_message_take(t, room - m->room, m))
		return false;
	m->data = g_realloc(m->data, room);
	m->room = room;
	return true;
}

bool track_message_is_data(const struct message *m)
{
	return m->m.kind != TRACK_MESSAGE_READ_REQUEST && m->m.kind != TRACK_MESSAGE_ATOMIC &&
	       m->m.kind != TRACK_MESSAGE_ATOMIC_RESPONSE;
}

void track_message_append(struct track_messages *t, struct message *m, const uint8_t *p, uint32_t n,
			  uint32_t payload)
{
	uint32_t kept = MIN(n, TRACK_MESSAGE_BYTES - m->m.n_bytes);

	m->m.payload += payload;
	if (track_message_is_data(m))
		m->m.length += payload;
	if (n < payload && m->m.outcome == TRACK_MESSAGE_COMPLETE)
		m->m.outcome = TRACK_MESSAGE_CUT;
	if (!m->broken && kept) {
		if (make_room(t, m, kept)) {
			memcpy(m->data + m->m.n_bytes, p, kept);
			m->m.n_bytes += kept;
		} else {
			m->broken = true;
		}
	}
	m->broken |= n < payload;
}

void track_message_touch(struct track_messages *t, struct message *m, const struct track_at *at)
{
	m->m.frame = at->frame;
	m->m.end_ns = at->time_ns;
	if (t->open.last != m) {
		take_out(&t->open, m);
		add(&t->open, m);
	}
}

/* Those at the beginning that wait for nothing are ready. */
static void settle(struct track_messages *t)
{
	struct message *m;

	while ((m = t->out.first) && m->state == MESSAGE_CLOSED) {
		take_out(&t->out, m);
		t->n_out--;
		t->used -= bytes_of(m);
		add(&t->ready, m);
	}
}

void track_message_settle(struct track_messages *t, uint64_t frame)
{
	const struct message *m;

	while ((m = t->out.first) && m->m.place.last_frame && m->m.place.last_frame < frame)
		track_message_answer(t, t->out.first, 0);
}

static void leave_open(struct track_messages *t, struct message *m)
{
	struct way *w = m->way;
	unsigned int i;

	take_out(&t->open, m);
	for (i = 0; w && i < TRACK_MESSAGE_SLOT_SINGLE; i++)
		if (w->slot[i] == m)
			w->slot[i] = NULL;
	for (i = 0; w && i < w->n_open && w->open[i] != m; i++)
		;
	if (w && i < w->n_open) {
		w->n_open--;
		memmove(&w->open[i], &w->open[i + 1], (w->n_open - i) * sizeof(struct message *));
	}
}

static void give_out(struct track_messages *t, struct message *m, bool waits)
{
	m->state = waits ? MESSAGE_WAITING : MESSAGE_CLOSED;
	add(&t->out, m);
	t->n_out++;
	if (waits)
		add_asked(m->way, m);
	else
		m->way = NULL;
	settle(t);
	if (waits && m->way && m->way->n_asked > TRACK_MESSAGES_ASKED)
		wait_no_longer(t, m->way->first_asked);
	while (t->n_out > TRACK_MESSAGES_WAITING)
		wait_no_longer(t, t->out.first);
}

void track_message_close(struct track_messages *t, struct message *m, bool waits)
{
	m->m.whole = true;
	leave_open(t, m);
	give_out(t, m, waits && m->way && m->m.outcome != TRACK_MESSAGE_REFUSED);
}

void track_message_give_up(struct track_messages *t, struct message *m)
{
	if (m->m.outcome != TRACK_MESSAGE_REFUSED)
		m->m.outcome = TRACK_MESSAGE_UNFINISHED;
	leave_open(t, m);
	give_out(t, m, false);
}

void track_message_answer(struct track_messages *t, struct message *m, uint64_t frame)
{
	take_out_asked(m->way, m);
	m->m.answered = frame;
	m->state = MESSAGE_CLOSED;
	m->way = NULL;
	settle(t);
}

void track_message_refuse(struct track_messages *t, struct message *m, uint64_t frame)
{
	if (m->m.outcome == TRACK_MESSAGE_REFUSED)
		return;
	m->m.outcome = TRACK_MESSAGE_REFUSED;
	m->m.answered = frame;
	if (m->state == MESSAGE_WAITING)
		track_message_answer(t, m, frame);
}

void track_messages_finish(struct track_messages *t)
{
	struct way **w = NULL;

	t->at_hand = NULL;
	while (t->out.first)
		track_message_answer(t, t->out.first, 0);
	while (t->open.first)
		track_message_give_up(t, t->open.first);
	while ((w = track_table_next(t->ways, w)))
		track_message_drop_early(t, *w);
}

static int by_frame(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* In their order, each once. */
static void sort_frames(struct message *m)
{
	uint32_t i, n = 0;

	if (!m->m.n_frames)
		return;
	qsort(m->frames, m->m.n_frames, sizeof(*m->frames), by_frame);
	for (i = 1; i < m->m.n_frames; i++)
		if (m->frames[i] != m->frames[n])
			m->frames[++n] = m->frames[i];
	m->m.n_frames = n + 1;
}

const struct track_message_out *track_messages_next(struct track_messages *t)
{
	struct message *m = t->ready.first;

	free_message(t->given);
	t->given = m;
	if (!m)
		return NULL;
	take_out(&t->ready, m);
	sort_frames(m);
	m->m.bytes = m->data;
	m->m.frames = m->frames;
	return &m->m;
}

uint64_t track_messages_evicted(const struct track_messages *t)
{
	return t->evicted;
}

uint64_t track_messages_unanswered(const struct track_messages *t)
{
	return t->unanswered;
}

uint64_t track_messages_headless(const struct track_messages *t)
{
	return t->headless;
}
