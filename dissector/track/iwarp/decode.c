/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - decodes the headers of FPDUs for display. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "impl.h"
#include "track/ulp/ulp.h"

void track_iwarp_want_fpdus(struct track_iwarp *t)
{
	if (t->shown)
		return;
	t->shown = g_array_new(FALSE, TRUE, sizeof(struct track_fpdu));
	t->of = g_array_new(FALSE, FALSE, sizeof(struct track_ulp_of));
}

void track_iwarp_want_octets(struct track_iwarp *t)
{
	if (!t->octets)
		t->octets = g_byte_array_new();
}

const uint8_t *track_iwarp_octets_of(const struct track_iwarp *t, const struct track_fpdu *f)
{
	if (!t->octets || !f->data || f->part == TRACK_FPDU_OF_NONE)
		return NULL;
	return t->octets->data + f->data_at;
}

/* Their commands have moved while the packet was read. */
const struct track_fpdu *track_iwarp_fpdus(struct track_iwarp *t, unsigned int *n)
{
	struct track_fpdu *f = t->shown ? (struct track_fpdu *)(void *)t->shown->data : NULL;
	unsigned int i;

	*n = t->shown ? t->shown->len : 0;
	for (i = 0; i < *n; i++)
		if (f[i].upper.n_of)
			f[i].upper.of = &g_array_index(t->of, struct track_ulp_of, f[i].of_at);
	return *n ? f : NULL;
}

uint32_t track_fpdu_place(const struct track_fpdu *f, uint32_t at)
{
	return at + 4 * ibw_fpdu_markers(at + 1, f->first_marker);
}

/* After the headers of MPA and of DDP. */
uint32_t track_fpdu_data_at(const struct track_fpdu *f)
{
	return f->n_spans > 1 ? f->span[1].off + f->span[1].len : 0;
}

/* In their order, none twice. */
static unsigned int add_frame(uint64_t *frames, unsigned int n, uint64_t frame)
{
	unsigned int i = 0, j;

	while (i < n && frames[i] < frame)
		i++;
	if (!frame || (i < n && frames[i] == frame))
		return n;
	for (j = n; j > i; j--)
		frames[j] = frames[j - 1];
	frames[i] = frame;
	return n + 1;
}

unsigned int track_iwarp_frames(const struct track_iwarp_x *x, uint64_t frames[TRACK_FPDU_FRAMES])
{
	const struct track_iwarp_dir *dir = &x->c->dir[x->side];
	unsigned int n = 0;

	if (dir->n_kept && dir->at < dir->kept_end)
		n = add_frame(frames, n, dir->kept_frame);
	n = add_frame(frames, n, x->frame);
	return add_frame(frames, n, x->at->frame);
}

/* One at @p, of so many bytes of the stream. */
static struct track_fpdu *add(const struct track_iwarp_x *x, const uint8_t *p, uint32_t bytes)
{
	const struct track_iwarp_dir *dir = &x->c->dir[x->side];
	GArray *fpdus = x->t->shown;
	struct track_fpdu *d;

	g_array_set_size(fpdus, fpdus->len + 1);
	d = &g_array_index(fpdus, struct track_fpdu, fpdus->len - 1);
	d->connection = x->c->number;
	d->side = (uint8_t)x->side;
	d->place = dir->at;
	d->bytes = bytes;
	d->here = p >= x->data && p + bytes <= x->data + x->n_data;
	d->off = d->here ? (uint32_t)(p - x->data) : 0;
	d->n_frames = track_iwarp_frames(x, d->frames);
	return d;
}

static void span(struct track_fpdu *d, uint8_t layer, uint32_t off, uint32_t n, uint32_t at)
{
	if (d->n_spans == TRACK_FPDU_SPANS)
		return;
	d->at[d->n_spans] = at;
	d->span[d->n_spans++] = (struct ibw_span){ .layer = layer, .len = (uint16_t)n, .off = off };
}

/* What a Terminate quotes; @n bytes of its payload are at @off. */
static void terminate(struct track_fpdu *d, const struct ibw_fpdu *f, uint32_t off, uint32_t n)
{
	const uint8_t *p = d->head + off;
	struct ibw_terminate t;
	uint32_t at;

	if (!ibw_terminate_view(&t, p, n))
		return;
	span(d, IBW_LAYER_rdmap_terminate, off, ibw_rdmap_terminate_BYTES, ibw_fpdu_place(f, off));
	if (t.terminated) {
		at = (uint32_t)(t.terminated->b - d->head);
		span(d, IBW_LAYER_rdmap_terminated, at, ibw_rdmap_terminated_BYTES,
		     ibw_fpdu_place(f, at));
	}
	if (t.ddp) {
		at = (uint32_t)(t.ddp - d->head);
		if (*t.ddp & 0x80)
			span(d, IBW_LAYER_ddp_tagged, at, ibw_ddp_tagged_BYTES,
			     ibw_fpdu_place(f, at));
		else
			span(d, IBW_LAYER_ddp_untagged, at, ibw_ddp_untagged_BYTES,
			     ibw_fpdu_place(f, at));
		span(d, IBW_LAYER_rdmap, at + 1, ibw_rdmap_BYTES, ibw_fpdu_place(f, at + 1));
	}
	if (t.read_req) {
		at = (uint32_t)(t.read_req->b - d->head);
		span(d, IBW_LAYER_rdmap_read_req, at, ibw_rdmap_read_req_BYTES,
		     ibw_fpdu_place(f, at));
	}
}

/* The header that the payload of an opcode begins with. */
static uint8_t layer_of(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_READ_REQUEST:
		return IBW_LAYER_rdmap_read_req;
	case IBW_RDMAP_ATOMIC_REQUEST:
		return IBW_LAYER_rdmap_atomic_req;
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return IBW_LAYER_rdmap_atomic_resp;
	default:
		return IBW_LAYER_rdmap_immediate;
	}
}

void track_iwarp_decode(struct track_iwarp_x *x, const struct ibw_fpdu *f, uint8_t crc,
			uint32_t computed)
{
	struct track_fpdu *d = add(x, f->p, f->bytes);
	uint32_t n = MIN(f->ulpdu_length, TRACK_FPDU_HEAD - (uint32_t)ibw_mpa_BYTES), off, own;
	uint8_t room[TRACK_FPDU_HEAD];
	struct ibw_segment s;

	d->first_marker = f->first_marker;
	d->crc = crc;
	d->found = ibw_fpdu_crc_found(f);
	d->computed = computed;
	ibw_put_be16(d->head, (uint16_t)f->ulpdu_length);
	memcpy(d->head + ibw_mpa_BYTES, ibw_fpdu_bytes(f, 0, n, room), n);
	ibw_segment_view(&s, f);
	d->opcode = s.opcode;
	d->data = s.bytes;
	off = (uint32_t)ibw_mpa_BYTES;
	span(d, IBW_LAYER_mpa, 0, ibw_mpa_BYTES, ibw_fpdu_place(f, 0));
	span(d, s.tagged ? IBW_LAYER_ddp_tagged : IBW_LAYER_ddp_untagged, off,
	     ibw_segment_header_bytes(&s), ibw_fpdu_place(f, off));
	span(d, IBW_LAYER_rdmap, off + 1, ibw_rdmap_BYTES, ibw_fpdu_place(f, off + 1));
	if (ibw_rdmap_flags(s.opcode) & IBW_RDMAP_INVALIDATES && !s.tagged)
		span(d, IBW_LAYER_rdmap_invalidate, off + 2, ibw_rdmap_invalidate_BYTES,
		     ibw_fpdu_place(f, off + 2));
	off += ibw_segment_header_bytes(&s);
	n -= ibw_segment_header_bytes(&s);
	own = s.tagged ? 0 : ibw_rdmap_header_bytes(s.opcode);
	if (s.opcode == IBW_RDMAP_TERMINATE && !s.tagged)
		terminate(d, f, off, n);
	else if (own && n >= own)
		span(d, layer_of(s.opcode), off, own, ibw_fpdu_place(f, off));
}

/* The Read Request that it is, or answers: requests are answered in their order. RFC 5040, 5.5 */
static uint32_t read_of(const struct track_iwarp_x *x, const struct ibw_segment *s)
{
	const struct track_iwarp_asks *own = x->c->dir[x->side].asks,
				      *asks = x->c->dir[!x->side].asks;
	const struct track_iwarp_asked *asked;

	if (s->opcode == IBW_RDMAP_READ_REQUEST) {
		if (!own)
			return 1;
		return own->n == TRACK_IWARP_READS_MAX ? 0 : own->first + own->n + 1;
	}
	if (s->opcode != IBW_RDMAP_READ_RESPONSE || !asks || !asks->n)
		return 0;
	/* Without all of them, or of what answers them, the oldest one may be answered already. */
	if (x->c->dir[x->side].asks_lost || x->c->dir[!x->side].asks_lost)
		return 0;
	asked = &asks->asked[asks->first % TRACK_IWARP_READS_MAX];
	return s->stag == asked->stag && s->to - asked->to <= asked->bytes ? asks->first + 1 : 0;
}

static void keep_octets(GByteArray *octets, const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	struct ibw_fpdu_cursor c = ibw_fpdu_payload(f, s);
	const uint8_t *p;
	uint32_t n;

	while ((n = ibw_fpdu_next(&c, UINT32_MAX, &p)))
		g_byte_array_append(octets, p, n);
}

void track_iwarp_decode_part(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			     const struct ibw_segment *s, enum track_message_slot slot, bool begins)
{
	GArray *fpdus = x->t->shown;
	struct track_fpdu *d;

	if (!fpdus || !fpdus->len)
		return;
	d = &g_array_index(fpdus, struct track_fpdu, fpdus->len - 1);
	d->part = begins ? TRACK_FPDU_BEGINS : TRACK_FPDU_GOES_ON;
	d->slot = (uint8_t)slot;
	d->ends = slot == TRACK_MESSAGE_SLOT_SINGLE || s->last;
	d->read = read_of(x, s);
	if (!x->t->octets)
		return;
	d->data_at = x->t->octets->len;
	keep_octets(x->t->octets, f, s);
}

void track_iwarp_decode_upper(struct track_iwarp_x *x, const struct track_upper *upper)
{
	GArray *fpdus = x->t->shown;
	struct track_fpdu *d;

	if (!fpdus || !fpdus->len || (upper->ulp == IBW_ULP_NONE && !upper->n_of))
		return;
	d = &g_array_index(fpdus, struct track_fpdu, fpdus->len - 1);
	d->upper = *upper;
	d->upper.of = NULL;
	d->of_at = x->t->of->len;
	if (upper->n_of)
		g_array_append_vals(x->t->of, upper->of, upper->n_of);
}

void track_iwarp_decode_start(struct track_iwarp_x *x, const struct ibw_mpa_frame *f)
{
	struct track_fpdu *d = add(x, f->start->b, f->bytes);
	uint32_t n = ibw_mpa_start_BYTES;

	memcpy(d->head, f->start->b, ibw_mpa_start_BYTES);
	span(d, IBW_LAYER_mpa_start, 0, ibw_mpa_start_BYTES, 0);
	if (!f->enhanced)
		return;
	memcpy(d->head + n, f->enhanced->b, ibw_mpa_enhanced_BYTES);
	span(d, IBW_LAYER_mpa_enhanced, n, ibw_mpa_enhanced_BYTES, n);
}
