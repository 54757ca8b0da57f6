/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.c - follows the PSN of a request: expected, beyond or repeated. */
#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/measure/measure_impl.h"
#include "track/measure/series_impl.h"
#include "track/way/flight.h"

/* Requests outstanding, none of which asks for an ACK. */
#define UNASKED_MAX (1u << 15)

static bool ends_message(const struct track_packet *p)
{
	return track_packet_opf(p) & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

/* Another READ Request asks for some of these PSNs: whose answer a response is, nobody can tell. */
static bool touch_reads(struct track_requests *r, uint64_t psn, uint32_t n)
{
	bool touched = false;
	uint32_t i;

	for (i = track_requests_from(r, psn); i < r->n && r->request[i].psn < psn + n; i++) {
		if (TRACK_OPERATION(r->request[i].opcode) != IBW_OP_RC_RDMA_READ_REQUEST)
			continue;
		r->request[i].touched = true;
		touched = true;
	}
	return touched;
}

static bool begins(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_FIRST | IBW_OPF_ONLY);
}

/*
 * Messages are numbered by PSN, not by arrival: what fills a hole belongs between its neighbours, and if it
 * begins a message, those after it are one later.
 */
static __attribute__((cold)) uint32_t message_between(struct track_requests *r,
						      const struct track_request *new)
{
	uint32_t at = (uint32_t)(new - r->request), i;
	bool first = begins(new->opcode);

	for (i = at + 1; first && i < r->n; i++)
		r->request[i].message++;
	if (at)
		return r->request[at - 1].message + first;
	return r->request[at + 1].message - begins(r->request[at + 1].opcode);
}

/* All of it but its place. */
static inline void note(struct track_request *r, const struct track_dir *d,
			const struct track_packet *p, bool touched)
{
	r->frame = r->last_frame = p->at.frame;
	r->time_ns = r->last_ns = p->at.time_ns;
	r->va = p->va;
	r->rkey = p->rkey;
	r->dmalen = p->dmalen;
	r->payload = p->payload;
	r->copies = r->tries = 1;
	r->opcode = p->opcode;
	r->flags = p->flags;
	r->touched = touched;
	r->message = d->since.begun;
	r->missed = r->answered = false;
	r->answered_ns = 0;
	r->ip_id = p->ip_id;
	r->ends_early = p->ends_early;
}

static struct track_requests **list_of(struct track_dir *d)
{
	if (!d->requests)
		d->requests = track_requests_new(d->memory);
	return &d->requests;
}

static void note_new(struct track_dir *d, const struct track_packet *p, uint64_t psn, uint32_t n)
{
	struct track_requests **list = list_of(d);
	bool touched = track_is_read_request(p) && touch_reads(*list, psn, n);
	struct track_request *r = track_requests_add(list, psn, n, d->since.covered);

	note(r, d, p, touched);
	if (r != &d->requests->request[d->requests->n - 1])
		r->message = message_between(d->requests, r);
}

static void note_again(struct track_dir *d, const struct track_packet *p, uint64_t psn, uint32_t n)
{
	struct track_request *r = track_requests_find(d->requests, psn);

	if (track_is_read_request(p))
		touch_reads(d->requests, psn, n);
	if (!r)
		return;
	r->copies++;
	r->last_frame = p->at.frame;
	r->last_ns = p->at.time_ns;
	if (track_packet_order(r->ip_id, p) != TRACK_SENT_BEFORE)
		r->ip_id = p->ip_id;
	r->ends_early = p->ends_early;
}

/* A READ Request asks for those of its PSNs that nobody requested before. */
static void ask(struct track_dir *d, uint64_t psn, uint32_t n)
{
	uint64_t low, high;

	if (!d->reads) {
		d->reads = track_reads_new();
		track_memory_take(d->memory, TRACK_READS_BYTES);
	}
	for (high = psn; track_psn_next_free(&d->psns, high, psn + n, &low, &high);)
		track_reads_ask(d->reads, low, high, d->since_rare.response_high);
}

/*
 * Without an ACK a requester may free nothing of its queue: IBTA vol 1, 9.7. READs and atomics are
 * answered anyway.
 */
static void unasked(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		    uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way];
	uint64_t since = MAX(d->since.covered, d->since.asked_next);
	struct track_event *e;

	if (p->flags & TRACK_PACKET_ACKREQ || !(track_packet_opf(p) & IBW_OPF_PAYLOAD)) {
		d->since.asked_next = MAX(d->since.asked_next, psn + 1);
		return;
	}
	if (qp->service == IBW_SERVICE_UC || d->since.unasked_said || psn < since + UNASKED_MAX)
		return;
	d->since.unasked_said = true;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_NEVER_ASKED, &p->at);
	if (!e)
		return;
	e->number[TRACK_NEVER_ASKED_psn] = p->psn;
	e->number[TRACK_NEVER_ASKED_count] = UNASKED_MAX + 1;
}

void track_qp_over(struct track_qp *qp, enum track_way way)
{
	track_watch(&qp->dir[way])->since.over = true;
}

/* Another connection begins one way: what comes out of order next, the other way, is of it, too. */
static void begun(struct track_qp *qp, enum track_way way)
{
	bool second = qp->anew == 1 + !way;

	qp->anew = second ? 0 : (uint8_t)(1 + way);
	if (second || !qp->dir[!way].psns.begun)
		return;
	track_watch(&qp->dir[!way])->since.closed = true;
	track_qp_over(qp, (enum track_way) !way);
}

/* Of a request since whose predecessor its sender closed the connection, or may have. */
static __attribute__((cold)) enum track_psn_class
anew(struct track_qp *qp, const struct track_packet *p, uint64_t psn, enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];

	if (class == TRACK_PSN_START)
		return class;
	if (p->anew == TRACK_ANEW_CLOSED)
		track_watch(d)->since.closed = true;
	if (class == TRACK_PSN_NEXT ||
	    (!track_watched(d)->since.closed &&
	     (class == TRACK_PSN_REPEAT || track_psn_hole(&d->psns, psn))))
		return class;
	begun(qp, (enum track_way)p->way);
	return TRACK_PSN_RESTART;
}

/* For reports and for who keeps a record of each packet. */
static inline void follow(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, uint32_t n, enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];

	if (s->series)
		track_series_request(s->series, qp, p, psn, class);
	if (s->replies) {
		if (!s->measures)
			track_flight_request(d, p, psn, n, class);
		track_qp_chain(s, d, p, psn, class);
	}
}

/* Nothing waits for the next request that it could end. */
static inline bool is_quiet(const struct track_watch *w)
{
	return !w || !(w->n_damaged || w->since.closed || w->since.resend ||
		       w->since.unsure.first.frame || w->since.nak.frame || w->since.fatal.frame);
}

/* Nearly every request is: the expected one, after nothing that went wrong; its PSN is not after a wrap. */
static inline bool is_in_order(const struct track_dir *d, const struct track_packet *p, uint32_t n)
{
	uint64_t next = d->psns.next;

	_Static_assert(TRACK_RESEND_NONE == 0 && TRACK_ANEW_NOT == 0, "as it is asked");
	return d->psns.begun && !((next ^ p->psn) & 0xffffff) &&
	       (next - 1) >> 24 == (next + n - 1) >> 24 && !p->anew && is_quiet(d->watch);
}

/* What any_request() does of such a one: it comes last in the list, no other READ asks for the same, and no hole has it. */
static void in_order(struct track_qps *s, struct track_qp *qp, struct track_dir *d,
		     const struct track_packet *p, uint32_t n)
{
	const unsigned int opf = track_packet_opf(p);
	const uint64_t psn = d->psns.next;

	if (s->measures)
		track_measure_request(qp, p, psn, n, TRACK_PSN_NEXT);
	d->request_packets++;
	if (qp->agreed)
		track_qp_agreed_request(s, qp, p, TRACK_PSN_NEXT);
	d->since.begun += (opf & (IBW_OPF_FIRST | IBW_OPF_ONLY)) != 0;
	track_qp_watch_message(s, qp, p, psn, TRACK_PSN_NEXT);
	follow(s, qp, p, psn, n, TRACK_PSN_NEXT);
	note(track_requests_append(list_of(d), psn, n, d->since.covered), d, p, false);
	if (track_is_read_request(p))
		ask(d, psn, n);
	if (opf & (IBW_OPF_LAST | IBW_OPF_ONLY))
		d->messages[track_verb_of(p->opcode)]++;
	d->psns.next = psn + n;
	unasked(s, qp, p, psn);
	if (!d->last_ns)
		d->first_ns = p->at.time_ns;
	d->last_ns = p->at.time_ns;
}

static __attribute__((noinline)) void any_request(struct track_qps *s, struct track_qp *qp,
						  const struct track_packet *p, uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];
	uint64_t psn = track_psn_extend(&d->psns, p->psn);
	enum track_psn_class class = track_psn_class(&d->psns, psn);

	if (G_UNLIKELY(p->anew || track_watched(d)->since.closed))
		class = anew(qp, p, psn, class);
	if (s->measures)
		track_measure_request(qp, p, psn, n, class);
	d->request_packets++;
	track_qp_agreed_request(s, qp, p, class);
	track_qp_watch_request(s, qp, p, psn, n, class);
	if (class == TRACK_PSN_AHEAD) {
		track_incident_gap(s, qp, p);
		track_watch(d)->gap_episodes++;
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_AHEAD, 0, psn - d->psns.next);
		if (G_UNLIKELY(p->flags & TRACK_PACKET_PAUSED))
			track_qps_paused_gap(s, qp, p);
	} else if (class == TRACK_PSN_FILL) {
		track_watch(d)->filled_packets++;
	} else if (class == TRACK_PSN_REPEAT) {
		track_watch(d)->repeated_packets++;
		track_watch(d)->repeated_bytes += p->payload;
	} else if (class == TRACK_PSN_RESTART) {
		d->since.asked_next = psn;
	} else if (class == TRACK_PSN_START) {
		d->since.asked_next = psn;
		d->since.covered =
			MIN(d->since.covered, psn); /* what was answered before was sent before */
	}
	follow(s, qp, p, psn, n, class);
	if (class == TRACK_PSN_REPEAT)
		note_again(d, p, psn, n);
	else
		note_new(d, p, psn, n);
	if (track_is_read_request(p)) {
		if (class != TRACK_PSN_NEXT && d->reads)
			track_qp_read_again(qp, p, psn, n);
		ask(d, psn, n);
	}
	if (class != TRACK_PSN_REPEAT && ends_message(p))
		d->messages[track_verb_of(p->opcode)]++;
	track_psn_occupy(&d->psns, class, psn, n, p->at.frame, p->at.time_ns);
	if (class == TRACK_PSN_AHEAD) {
		d->psns.hole[d->psns.n_holes - 1].ip_id = p->ip_id;
		if (d->since.covered)
			track_qp_gap_answered(qp, (enum track_way)p->way);
	}
	unasked(s, qp, p, psn);
	if (!d->last_ns)
		d->first_ns = p->at.time_ns;
	d->last_ns = p->at.time_ns;
	if (s->measures && class != TRACK_PSN_NEXT)
		track_measure_resent(qp, p);
}

void track_qp_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];

	if (G_LIKELY(is_in_order(d, p, n)))
		in_order(s, qp, d, p, n);
	else
		any_request(s, qp, p, n);
}
