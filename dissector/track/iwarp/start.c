/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.c - the request and the reply frame of MPA: RFC 5044, 7.1; RFC 6581. */
#include <string.h>

#include <ibwire/bits.h>

#include "impl.h"

/* A frame that is whole, or as much of it as is there of one that cannot be. */
static void remember(struct track_iwarp_x *x, const struct ibw_mpa_frame *f)
{
	struct track_iwarp_start *start = &track_iwarp_dir_of(x)->start;

	start->frame = x->at->frame;
	start->ns = x->at->time_ns;
	start->reply = f->reply;
	start->m = ibw_mpa_start_m(f->start);
	start->c = ibw_mpa_start_c(f->start);
	start->r = ibw_mpa_start_r(f->start);
	start->s = ibw_mpa_start_s(f->start);
	start->rev = (uint8_t)ibw_mpa_start_rev(f->start);
	start->private_bytes = (uint16_t)f->private_bytes;
	start->enhanced = f->enhanced != NULL;
	if (f->enhanced) {
		start->ird = (uint16_t)ibw_mpa_enhanced_ird(f->enhanced);
		start->ord = (uint16_t)ibw_mpa_enhanced_ord(f->enhanced);
		start->rtr = (uint8_t)(ibw_mpa_enhanced_a(f->enhanced) * TRACK_IWARP_RTR_ASKED |
				       ibw_mpa_enhanced_b(f->enhanced) * TRACK_IWARP_RTR_SEND |
				       ibw_mpa_enhanced_c(f->enhanced) * TRACK_IWARP_RTR_WRITE |
				       ibw_mpa_enhanced_d(f->enhanced) * TRACK_IWARP_RTR_READ);
	}
	x->c->is_iwarp = true;
	x->c->opener = (uint8_t)(f->reply ? !x->side : x->side);
}

void track_iwarp_agree(struct track_iwarp_x *x)
{
	const struct track_iwarp_start *a = &x->c->dir[0].start, *b = &x->c->dir[1].start;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (a->c || b->c)
			x->c->dir[i].crc = TRACK_IWARP_CRC_USED;
		else if (a->frame && b->frame)
			x->c->dir[i].crc = TRACK_IWARP_CRC_UNUSED;
		x->c->dir[i].markers = x->c->dir[!i].start.m;
	}
}

/* What no version of MPA has. */
static void check(struct track_iwarp_x *x, const struct ibw_mpa_frame *f)
{
	const struct track_iwarp_start *request = &track_iwarp_other_of(x)->start;
	uint32_t rev = (uint32_t)ibw_mpa_start_rev(f->start);
	uint32_t flags = f->start->b[ibw_mpa_start_m_AT / 8], reserved = rev >= 2 ? 0x0f : 0x1f;

	if (rev < 1 || rev > 2)
		track_iwarp_fault(x, TRACK_IWARP_REVISION, 0, rev, 2, 0);
	else if (f->reply && request->frame && rev > request->rev)
		track_iwarp_fault(x, TRACK_IWARP_REVISION, 0, rev, request->rev, request->frame);
	if (flags & reserved || (!f->reply && ibw_mpa_start_r(f->start)))
		track_iwarp_fault(x, TRACK_IWARP_START_FLAGS, 0, flags, flags & ~reserved, 0);
}

/* For stories: who asked, and who accepted. */
static void say_begun(const struct track_iwarp_x *x)
{
	const struct track_iwarp_start *start = &x->c->dir[x->side].start;
	struct track_event *e = track_iwarp_say(x, start->reply ? TRACK_EVENT_IWARP_REPLY
								: TRACK_EVENT_IWARP_REQUEST);

	if (!e)
		return;
	e->number[TRACK_IWARP_REQUEST_rev] = start->rev;
	e->number[TRACK_IWARP_REQUEST_private_bytes] = start->private_bytes;
}

static void say_rejected(const struct track_iwarp_x *x)
{
	const struct track_iwarp_start *request = &track_iwarp_other_of(x)->start;
	const struct track_iwarp_start *reply = &x->c->dir[x->side].start;
	struct track_event *e = track_iwarp_say(x, TRACK_EVENT_IWARP_REJECTED);

	if (!e)
		return;
	e->number[TRACK_IWARP_REJECTED_private_bytes] = reply->private_bytes;
	e->number[TRACK_IWARP_REJECTED_rev] = reply->rev;
	track_event_cause(e, request->frame);
}

/* Octets of the key that differ in one that is mistyped, at most. */
#define KEY_DIFFERS 3u

/* Of the key that @p is to be, as far as it goes. */
static uint32_t key_differs(const uint8_t *p, uint32_t n)
{
	uint32_t i, differs = 0;

	for (i = 0; i < MIN(n, IBW_MPA_KEY_BYTES); i++)
		differs += p[i] != ibw_mpa_key(n > 9 && p[9] == 'p', i);
	return differs;
}

bool track_iwarp_is_nearly_start(const uint8_t *p, uint32_t n)
{
	return n >= ibw_mpa_start_BYTES && p[ibw_mpa_start_rev_AT / 8] <= 2 &&
	       key_differs(p, n) <= KEY_DIFFERS;
}

/* One finding, and nothing else is said of the connection. */
static void mistyped(struct track_iwarp_x *x, const struct ibw_mpa_frame *f)
{
	uint32_t at = 0;

	while (f->start->b[at] == ibw_mpa_key(f->reply, at))
		at++;
	remember(x, f);
	track_iwarp_fault(x, TRACK_IWARP_KEY, at, f->start->b[at], ibw_mpa_key(f->reply, at), 0);
	track_iwarp_other_of(x)->phase = TRACK_IWARP_OFF;
}

/* A key that is not one: of no iWARP, unless the other end has one. */
static void give_up(struct track_iwarp_x *x, const struct ibw_mpa_frame *f, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint32_t differs = key_differs(f->start->b, n);
	bool whole = n >= ibw_mpa_start_BYTES;

	if (!whole && differs <= KEY_DIFFERS) {
		d->need = ibw_mpa_start_BYTES;
		return;
	}
	d->phase = TRACK_IWARP_OFF;
	if (whole && differs &&
	    (track_iwarp_is_nearly_start(f->start->b, n) ||
	     (track_iwarp_other_of(x)->start.frame && differs <= KEY_DIFFERS))) {
		mistyped(x, f);
		return;
	}
	if (!whole || memcmp(f->start, "MPA ID Re", 9) != 0) {
		x->drop = !x->c->is_iwarp;
		return;
	}
	remember(x, f);
	if (ibw_mpa_start_pd_length(f->start) > IBW_MPA_PRIVATE_MAX)
		track_iwarp_fault(x, TRACK_IWARP_PRIVATE_LENGTH, 0,
				  ibw_mpa_start_pd_length(f->start), IBW_MPA_PRIVATE_MAX, 0);
	else
		track_iwarp_fault(x, TRACK_IWARP_ENHANCED_CUT, 0, ibw_mpa_start_pd_length(f->start),
				  ibw_mpa_enhanced_BYTES, 0);
}

uint32_t track_iwarp_start(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct ibw_mpa_frame f;

	switch (ibw_mpa_frame_view(&f, p, n)) {
	case IBW_FPDU_CUT:
		d->need = f.bytes;
		return 0;
	case IBW_FPDU_MALFORMED:
		give_up(x, &f, n);
		return 0;
	case IBW_FPDU_OK:
		break;
	}
	remember(x, &f);
	if (x->t->shown)
		track_iwarp_decode_start(x, &f);
	track_iwarp_agree(x);
	track_iwarp_upper_starts(x, &f);
	check(x, &f);
	if (f.reply && d->start.r)
		say_rejected(x);
	else
		say_begun(x);
	if (f.reply && !d->start.r)
		track_iwarp_count_accepted(x);
	d->msn_known = 0xf; /* each queue counts from 1 */
	return f.bytes;
}
