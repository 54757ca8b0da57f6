/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.c - follows commands: when they are opened, move data and are answered; counts them by
 * operation.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "impl.h"

static struct track_ulp_key key_of(const struct track_ulp_queue *q, uint64_t id)
{
	return (struct track_ulp_key){ q->number, id };
}

/* Operations */

const struct track_ulp_code track_ulp_others = { UINT32_MAX, UINT16_MAX, UINT16_MAX };

static bool is_code(struct track_ulp_code a, struct track_ulp_code b)
{
	return a.opcode == b.opcode && a.type == b.type && a.program == b.program;
}

static struct track_ulp_operation *find(const struct track_ulp_queue *q, struct track_ulp_code code)
{
	unsigned int i;

	for (i = 0; i < q->n_operations; i++)
		if (is_code(q->operation[i].code, code))
			return &q->operation[i];
	return NULL;
}

/* The counts of what @code does; where there are too many, of all others. */
static struct track_ulp_operation *operation_of(struct track_ulps *u, struct track_ulp_queue *q,
						struct track_ulp_code code)
{
	struct track_ulp_operation *o = find(q, code);

	if (!o && (q->n_operations >= TRACK_ULP_OPERATIONS_MAX ||
		   u->operations >= TRACK_ULP_OPERATIONS_ALL)) {
		code = track_ulp_others;
		o = find(q, code);
	}
	if (o)
		return o;
	u->operations++;
	q->operation = g_renew(struct track_ulp_operation, q->operation, q->n_operations + 1);
	q->operation[q->n_operations] = (struct track_ulp_operation){ .code = code };
	return &q->operation[q->n_operations++];
}

static void count_begun(struct track_ulps *u, struct track_ulp_queue *q,
			const struct track_ulp_command *c)
{
	struct track_ulp_operation *o = operation_of(u, q, c->code);

	o->count++;
	o->bytes += c->bytes;
	o->open++;
	o->open_max = MAX(o->open_max, o->open);
	q->open++;
}

static void count_over(struct track_ulps *u, struct track_ulp_queue *q,
		       const struct track_ulp_command *c)
{
	struct track_ulp_operation *o = operation_of(u, q, c->code);

	o->open -= o->open > 0;
	q->open -= q->open > 0;
	if (c->end != TRACK_ULP_DONE)
		return;
	o->errors += track_ulp_is_error((enum ibw_ulp)q->ulp, c->code, c->status);
	if (c->ns > o->times.max || !o->slowest_frame)
		o->slowest_frame = c->frame;
	track_histogram_add(&o->times, c->ns);
}

/* Records */

static void record(struct track_ulps *u, const struct track_ulp_command *c)
{
	const struct track_ulp_queue *q = u->queues->pdata[c->queue];

	if (!u->records_wanted || q->given_up)
		return;
	if (u->records->len < TRACK_ULP_RECORDS_MAX) {
		g_array_append_val(u->records, *c);
		return;
	}
	g_array_index(u->records, struct track_ulp_command, u->next_record) = *c;
	u->next_record = (u->next_record + 1) % TRACK_ULP_RECORDS_MAX;
	u->unlisted++;
}

static void reverse(struct track_ulp_command *c, unsigned int from, unsigned int to)
{
	struct track_ulp_command between;

	for (; from + 1 < to; from++, to--) {
		between = c[from];
		c[from] = c[to - 1];
		c[to - 1] = between;
	}
}

/* What was kept in a circle, from its oldest one on. */
const struct track_ulp_command *track_ulps_records(const struct track_ulps *u, unsigned int *n)
{
	struct track_ulp_command *c = (struct track_ulp_command *)(void *)u->records->data;

	*n = u->records->len;
	return c;
}

static void straighten(struct track_ulps *u)
{
	struct track_ulp_command *c = (struct track_ulp_command *)(void *)u->records->data;

	reverse(c, 0, u->next_record);
	reverse(c, u->next_record, u->records->len);
	reverse(c, 0, u->records->len);
	u->next_record = 0;
}

uint64_t track_ulps_unlisted(const struct track_ulps *u)
{
	return u->unlisted;
}

/* Faults */

void track_ulp_fault(struct track_ulps *u, uint8_t fault, enum track_ulp_side side,
		     const struct track_ulp_command *c, const struct track_at *at,
		     const uint64_t number[4])
{
	struct track_ulp_fault f = {
		.command = *c, .at = *at, .fault = fault, .side = (uint8_t)side
	};

	if (u->faults->len >= TRACK_ULP_FAULTS_MAX) {
		u->unlisted++;
		return;
	}
	memcpy(f.number, number, sizeof(f.number));
	g_array_append_val(u->faults, f);
}

void track_ulp_say(struct track_ulp_x *x, uint8_t what, const struct track_ulp_command *c,
		   uint64_t is, uint64_t meant, uint64_t cause)
{
	const uint64_t number[4] = { is, meant, cause };

	track_ulp_fault(x->u, what, x->side, c, x->at, number);
}

void track_ulp_wrong(struct track_ulp_x *x, uint8_t what, uint64_t is, uint64_t meant)
{
	const struct track_ulp_command none = { .queue = x->q->number, .frame = x->at->frame };

	track_ulp_say(x, what, &none, is, meant, 0);
}

/* Commands */

static void over(struct track_ulps *u, struct track_ulp_command *c, enum track_ulp_end end)
{
	struct track_ulp_queue *q = u->queues->pdata[c->queue];
	const struct track_at at = { .frame = c->end_frame, .time_ns = c->time_ns + c->ns };

	c->end = (uint8_t)end;
	count_over(u, q, c);
	track_ulp_alive_over(u, q, c->code, &at);
	record(u, c);
}

struct track_ulp_command *track_ulp_asked(const struct track_ulp_x *x, uint64_t id)
{
	const struct track_ulp_key key = key_of(x->q, id);

	return track_table_get(x->u->open, &key);
}

struct track_ulp_command track_ulp_command_of(const struct track_ulp_x *x, uint64_t id)
{
	return (struct track_ulp_command){
		.id = id, .frame = x->at->frame, .time_ns = x->at->time_ns, .queue = x->q->number
	};
}

/* The command that memory is of; NULL: it is over. */
static struct track_ulp_command *owner(const struct track_ulp_x *x,
				       const struct track_ulp_memory *memory)
{
	struct track_ulp_command *c = track_ulp_asked(x, memory->id);

	return c && c->frame == memory->frame ? c : NULL;
}

/* Without the memory of commands that are over. */
static void sweep(const struct track_ulp_x *x, struct track_ulp_offer *o)
{
	uint8_t i, n = 0;

	for (i = 0; i < o->n; i++)
		if (owner(x, &o->piece[i]))
			o->piece[n++] = o->piece[i];
	o->n = n;
}

static bool has(const struct track_ulp_offer *o, const struct track_ulp_memory *memory)
{
	uint8_t i;

	for (i = 0; i < o->n; i++)
		if (o->piece[i].address == memory->address &&
		    o->piece[i].length == memory->length && o->piece[i].id == memory->id)
			return true;
	return false;
}

void track_ulp_offer(struct track_ulp_x *x, const struct track_ulp_command *c, uint32_t key,
		     const struct track_ulp_memory *memory)
{
	const struct track_ulp_key at = key_of(x->q, key);
	struct track_ulp_offer *o;

	if (!memory->length)
		return;
	o = track_table_need(x->u->offers, &at);
	sweep(x, o);
	if (has(o, memory))
		return;
	if (o->n == TRACK_ULP_PIECES) {
		o->more = true;
		return;
	}
	o->piece[o->n] = *memory;
	o->piece[o->n].id = c->id;
	o->piece[o->n++].frame = c->frame;
}

const struct track_ulp_memory *track_ulp_memory_of(const struct track_ulp_x *x,
						   const struct track_ulp_command *c, uint32_t key)
{
	const struct track_ulp_key at = key_of(x->q, key);
	const struct track_ulp_offer *o = track_table_get(x->u->offers, &at);
	uint8_t i;

	for (i = 0; o && i < o->n; i++)
		if (o->piece[i].id == c->id && o->piece[i].frame == c->frame)
			return &o->piece[i];
	return NULL;
}

/* Of a key that was offered too often it is not known whose it is. */
static bool is_of_another(const struct track_ulp_x *x, const struct track_ulp_command *c)
{
	const struct track_ulp_key at = key_of(x->q, x->key);
	const struct track_ulp_offer *o = track_table_get(x->u->offers, &at);

	return x->invalidates && !(o && o->more) && !track_ulp_memory_of(x, c, x->key);
}

void track_ulp_task(struct track_ulp_x *x, const struct track_ulp_command *c, uint8_t function,
		    const uint64_t *id)
{
	const struct track_ulp_command *of = id ? track_ulp_asked(x, *id) : NULL;
	uint64_t age = of && c->time_ns > of->time_ns ? c->time_ns - of->time_ns : 0;

	track_ulp_say(x, TRACK_ULP_TASK, c, age, function, of ? of->frame : 0);
}

/* The packet at hand is about the command, for whoever wants to know. */
static void is_about(const struct track_ulp_x *x, const struct track_ulp_command *c, uint8_t header,
		     enum track_ulp_does does)
{
	struct track_ulps *u = x->u;

	if (!u->of_wanted || u->n_of == TRACK_ULP_REPLIES_MAX)
		return;
	u->of[u->n_of++] = (struct track_ulp_of){
		.command = *c, .queue = x->q, .header = header, .does = (uint8_t)does
	};
}

void track_ulp_ask(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	const struct track_ulp_key key = key_of(x->q, c->id);
	struct track_ulp_command *before = track_table_get(x->u->open, &key);

	if (before) {
		track_ulp_say(x, TRACK_ULP_ID_REUSED, c, c->id, 0, before->frame);
		before->end_frame = c->frame;
		before->ns = c->time_ns > before->time_ns ? c->time_ns - before->time_ns : 0;
		over(x->u, before, TRACK_ULP_REPLACED);
	} else {
		before = track_table_need(x->u->open, &key);
	}
	*before = *c;
	if (x->u->asks_wanted)
		is_about(x, c, 0, TRACK_ULP_DOES_ASK);
	count_begun(x->u, x->q, c);
	track_ulp_alive_asked(x->u, x->q, c->code, x->at);
	if (x->q->depth && x->q->open > x->q->depth && !x->q->too_many_said) {
		x->q->too_many_said = true;
		track_ulp_say(x, TRACK_ULP_TOO_MANY, c, x->q->open, x->q->depth, x->q->first_frame);
	}
}

static void keep_first(struct track_ulp_command **first, const struct track_ulp_command *c)
{
	if (!*first)
		*first = g_memdup2(c, sizeof(*c));
}

/* What refuses or fails is in the file: it is told at once. */
static void tell_status(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	enum ibw_ulp ulp = (enum ibw_ulp)x->q->ulp;

	if (track_ulp_is_error(ulp, c->code, c->status))
		track_ulp_say_failed(x->u, x->q, c, x->at);
	if (!track_ulp_suffers(ulp, c->code, c->status))
		return;
	if (track_ulp_is_login(ulp, c->code))
		track_ulp_refused(x, "login", c->code, c->status, c->frame);
	x->q->failed++;
	keep_first(&x->q->first_failed, c);
}

void track_ulp_answer(struct track_ulp_x *x, const struct track_ulp_reply *reply)
{
	struct track_ulp_command *c = track_ulp_asked(x, reply->id);
	struct track_ulp_command none = { .id = reply->id, .queue = x->q->number };

	if (!c) {
		none.frame = x->at->frame;
		track_ulp_say(x, TRACK_ULP_UNASKED, &none, reply->id, 0, 0);
		return;
	}
	if (is_of_another(x, c))
		track_ulp_say(x, TRACK_ULP_INVALIDATE, c, x->key, 0, c->frame);
	x->q->confirmed = true;
	c->status = reply->status;
	c->end_frame = x->at->frame;
	c->ns = x->at->time_ns > c->time_ns ? x->at->time_ns - c->time_ns : 0;
	is_about(x, c, reply->header, TRACK_ULP_DOES_ANSWER);
	tell_status(x, c);
	over(x->u, c, TRACK_ULP_DONE);
	track_table_remove(x->u->open, c);
}

/* Transfers */

static bool is_within(const struct track_ulp_memory *o, uint64_t va, uint64_t bytes)
{
	return va >= o->address && va - o->address <= o->length &&
	       bytes <= o->length - (va - o->address);
}

/* A Connect command's data are fetched: there are names in them. */
static void note_names(struct track_ulp_x *x)
{
	if (x->message != TRACK_ULP_READ || x->q->answers || x->q->ulp != IBW_ULP_NVME)
		return;
	x->q->name_asked = true;
	x->q->name_psn = x->psn;
}

static void count_transfer(struct track_ulp_x *x, struct track_ulp_command *c)
{
	note_names(x);
	if (!c->transfers[0])
		c->transfers[0] = x->at->frame;
	c->transfers[1] = x->at->frame;
	c->fetched = x->message == TRACK_ULP_READ;
	c->data_ns = x->at->time_ns > c->time_ns ? x->at->time_ns - c->time_ns : 0;
	c->transferred += x->bytes;
}

/* A transfer of the command that memory is of. */
static void move(struct track_ulp_x *x, const struct track_ulp_memory *memory)
{
	struct track_ulp_command *c = owner(x, memory), of = *c;

	if (memory->reply && x->message != TRACK_ULP_READ && x->va == memory->address)
		track_ulp_rpc_written(x, c);
	if (c->identifies && x->message != TRACK_ULP_READ && x->va == memory->address)
		track_ulp_nvme_written(x, c);
	if (x->message == TRACK_ULP_WRITE_BEGINS)
		return;
	of.key = x->key;
	of.bytes = x->bytes;
	if (!is_within(memory, x->va, x->bytes))
		track_ulp_say(x, TRACK_ULP_BEYOND, &of, x->va, x->bytes, memory->frame);
	count_transfer(x, c);
	is_about(x, c, 0, TRACK_ULP_DOES_MOVE);
}

bool track_ulp_is_offered(const struct track_ulp_x *x)
{
	const struct track_ulp_key key = key_of(x->q, x->key);
	const struct track_ulp_offer *o = track_table_get(x->u->offers, &key);
	uint8_t i;

	for (i = 0; o && x->bytes && i < o->n; i++)
		if (owner(x, &o->piece[i]) && is_within(&o->piece[i], x->va, x->bytes))
			return true;
	return false;
}

/* One of no bytes touches no memory, and its key is not looked at. IBTA vol 1, 9.4.4 */
void track_ulp_transfer(struct track_ulp_x *x, bool again)
{
	const struct track_ulp_key key = key_of(x->q, x->key);
	struct track_ulp_command none = {
		.queue = x->q->number, .frame = x->at->frame, .key = x->key, .bytes = x->bytes
	};
	struct track_ulp_offer *o;

	if (again || !x->bytes)
		return;
	o = track_table_get(x->u->offers, &key);
	if (o)
		sweep(x, o);
	if (!o || (!o->n && !o->more)) {
		if (x->message != TRACK_ULP_WRITE_BEGINS)
			track_ulp_say(x, TRACK_ULP_NOT_OFFERED, &none, x->va, x->bytes, 0);
	} else if (o->n == 1 && !o->more) {
		move(x, &o->piece[0]);
	}
}

/* The end */

/* Where an iWARP connection began before the capture, answers may be among the octets in which no FPDU was found. */
static bool may_be_unread(const struct track_ulp_queue *q)
{
	return track_ulp_is_iwarp(q) && q->doubt & TRACK_DOUBT_MID_STREAM;
}

bool track_ulp_is_missed(const struct track_ulp_queue *q, const struct track_ulp_command *c)
{
	if (!q->closed_frame || !q->answers || track_ulp_waits(q, c->code) || may_be_unread(q))
		return false;
	return !q->named || (q->confirmed && c->frame >= q->paired_frame);
}

/* What was recorded of queues before they were given up. */
static void forget_given_up(struct track_ulps *u)
{
	struct track_ulp_command *c = (struct track_ulp_command *)(void *)u->records->data;
	const struct track_ulp_queue *q;
	unsigned int i, n = 0;

	for (i = 0; u->n_named && i < u->records->len; i++) {
		q = u->queues->pdata[c[i].queue];
		if (!q->given_up)
			c[n++] = c[i];
	}
	if (u->n_named)
		g_array_set_size(u->records, n);
}

/* Nothing answers it: its connection is closed, and others of that were answered. */
static void unanswered(struct track_ulps *u, struct track_ulp_queue *q,
		       const struct track_ulp_command *c)
{
	const struct track_at at = { .frame = c->frame, .time_ns = c->time_ns };
	const uint64_t number[4] = { q->closed_ns > c->time_ns ? q->closed_ns - c->time_ns : 0, 0,
				     q->closed_frame };

	if (!track_ulp_is_missed(q, c))
		return;
	track_ulp_fault(u, TRACK_ULP_UNANSWERED, TRACK_ULP_ASKS, c, &at, number);
	q->unanswered++;
	if (!q->first_unanswered || c->frame < q->first_unanswered->frame) {
		g_free(q->first_unanswered);
		q->first_unanswered = g_memdup2(c, sizeof(*c));
	}
}

void track_ulp_drain(struct track_ulps *u, const struct track_at *last)
{
	struct track_ulp_command *c = NULL;
	struct track_ulp_queue *q;

	while ((c = track_table_next(u->open, c))) {
		q = u->queues->pdata[c->queue];
		if (q->given_up)
			continue;
		unanswered(u, q, c);
		c->ns = last->time_ns > c->time_ns ? last->time_ns - c->time_ns : 0;
		c->end = q->closed_frame ? TRACK_ULP_CLOSED : TRACK_ULP_OPEN;
		record(u, c);
	}
	track_ulp_alive_ends(u, last);
	straighten(u);
	forget_given_up(u);
}
