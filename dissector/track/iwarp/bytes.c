/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.c - divides the bytes of a direction into FPDUs, and finds the next FPDU after lost bytes.
 *
 * An FPDU that lies in one run is read where it is. Of one that does not, the available bytes are copied, once, up to
 * its length; no memory is allocated for bytes before they arrive.
 */
#include <string.h>

#include <glib.h>

#include "impl.h"

/* Content of the longest header, with its length: what tells whether an FPDU can be here. */
#define HEADER 20u
#define HEADER_WORDS (HEADER / 4)

/* FPDUs in a row by which the next one is found. */
#define FITTING 3u

/* Wrong CRCs until FPDUs in a row have to do: each may be of 64 KB, at every fourth byte. */
#define TRIES 32u

/* Bytes without an FPDU until a connection that never had one is none. */
#define LOOKED_AT (64u << 10)

/* FPDUs of CRC 0 until it is unused. */
#define ZEROS 3u

/* What a direction keeps for the next FPDU that lies in several runs. */
#define ROOM 2048u

/* What became of a look at some bytes. */
struct step {
	uint32_t used; /* bytes that are done with */
	bool waits;    /* for d->need bytes after them */
};

static uint32_t phase_at(const struct track_iwarp_dir *d, uint64_t place)
{
	return d->markers ? ibw_fpdu_phase(place - d->base) : IBW_FPDU_NO_MARKERS;
}

static void keep(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);

	if (!d->n_kept) {
		d->kept_frame = x->frame;
		d->kept_end = d->at + n;
	}
	if (d->n_kept + n > d->room) {
		x->t->memory.used -= d->room;
		d->room = MAX(2 * d->room, d->n_kept + n);
		d->kept = g_realloc(d->kept, d->room);
		x->t->memory.used += d->room;
	}
	memcpy(d->kept + d->n_kept, p, n);
	d->n_kept += n;
}

void track_iwarp_forget_bytes(struct track_iwarp *t, struct track_iwarp_dir *d)
{
	t->memory.used -= d->room;
	g_free(d->kept);
	d->kept = NULL;
	d->n_kept = d->room = d->need = 0;
}

/* The first bytes of the content of an FPDU; false: they are not all there. */
static bool header_of(uint8_t header[HEADER], const uint8_t *p, uint32_t n, uint32_t phase)
{
	uint32_t i, at = 0;

	for (i = 0; i < HEADER_WORDS; i++, at += 4) {
		if (phase != IBW_FPDU_NO_MARKERS && ibw_fpdu_phase((uint64_t)phase + at) == 0)
			at += 4;
		if (n < at + 4)
			return false;
		memcpy(header + (size_t)i * 4, p + at, 4);
	}
	return true;
}

/* Whether an FPDU may begin with them: RFC 5040, 4.1; RFC 5041, 4 */
static bool may_be(const uint8_t header[HEADER])
{
	struct ibw_segment s;

	if (!track_iwarp_is_control(header + ibw_mpa_BYTES))
		return false;
	ibw_segment_unpack(&s, header + ibw_mpa_BYTES);
	return track_iwarp_opcode_fits(&s) && track_iwarp_queue_fits(&s) &&
	       ibw_get_be16(header) >= ibw_segment_header_bytes(&s);
}

/* ibw_fpdu_crc(), without its pointer to the function: this is the packet path. */
static uint32_t crc_of(const struct ibw_fpdu *f)
{
	return ibw_crc32c(0, f->p, f->bytes - IBW_MPA_CRC_BYTES);
}

enum found { FOUND, FOUND_NONE, FOUND_LATER };

/* Whether FPDUs begin at @p: by the CRC of one, or by some in a row, or all there are at the end of the stream. */
static enum found is_fpdu(struct track_iwarp_dir *d, const uint8_t *p, uint32_t n, uint64_t place,
			  bool last)
{
	uint8_t header[HEADER];
	struct ibw_fpdu f;
	uint32_t at = 0, i;

	for (i = 0; i < FITTING; i++) {
		uint32_t phase = phase_at(d, place + at);

		if (last && i && at == n)
			return FOUND;
		d->need = at + HEADER + (uint32_t)ibw_mpa_marker_BYTES;
		if (at >= n || !header_of(header, p + at, n - at, phase))
			return FOUND_LATER;
		if (!may_be(header))
			return FOUND_NONE;
		if (ibw_fpdu_view(&f, p + at, n - at, phase) == IBW_FPDU_MALFORMED)
			return FOUND_NONE;
		if (d->crc == TRACK_IWARP_CRC_USED && d->tries < TRIES) {
			d->need = f.bytes;
			if (n < f.bytes)
				return FOUND_LATER;
			if (crc_of(&f) == ibw_fpdu_crc_found(&f))
				return FOUND;
			d->tries++;
			return FOUND_NONE;
		}
		at += f.bytes;
	}
	return FOUND;
}

/* The first FPDU of a connection. */
static void say_found(struct track_iwarp_x *x, uint64_t place)
{
	struct track_event *e;

	if (x->c->is_iwarp)
		return;
	x->c->is_iwarp = true;
	e = track_iwarp_say(x, TRACK_EVENT_IWARP_MID_STREAM);
	if (e)
		e->number[TRACK_IWARP_MID_STREAM_place] = place;
}

static struct step search(struct track_iwarp_x *x, const uint8_t *p, uint32_t n, bool last)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint32_t stride = d->aligned ? 4 : 1, i;

	if (!d->aligned && d->markers) { /* which octets are markers is not known */
		d->phase = TRACK_IWARP_OFF;
		d->counts.lost += n;
		return (struct step){ .used = n, .waits = true };
	}
	i = d->aligned ? (uint32_t)(d->base - d->at) & 3 : 0;
	for (; i < n; i += stride) {
		enum found found = is_fpdu(d, p + i, n - i, d->at + i, last);

		if (found == FOUND_NONE)
			continue;
		if (found == FOUND_LATER && !last)
			break;
		if (found == FOUND) {
			if (!d->aligned)
				d->base = d->at + i;
			d->aligned = true;
			d->tries = 0;
			d->phase = TRACK_IWARP_FPDUS;
			say_found(x, d->at + i);
			d->counts.lost += i;
			return (struct step){ .used = i };
		}
	}
	if (i >= n) {
		i = n;
		d->need = 1;
	}
	d->counts.lost += i;
	x->drop |= !x->c->is_iwarp && d->counts.lost > LOOKED_AT;
	return (struct step){ .used = i, .waits = true };
}

/* What is known of its CRC; what it should be, if that was worked out. */
static enum track_fpdu_crc crc_of_fpdu(struct track_iwarp_x *x, const struct ibw_fpdu *f,
				       uint32_t *computed)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint32_t found;

	*computed = 0;
	if (d->crc == TRACK_IWARP_CRC_UNUSED)
		return TRACK_FPDU_CRC_UNUSED;
	found = ibw_fpdu_crc_found(f);
	*computed = crc_of(f);
	if (found == *computed) {
		d->crc = TRACK_IWARP_CRC_USED;
		d->counts.crc_good++;
		return TRACK_FPDU_CRC_GOOD;
	}
	if (d->crc == TRACK_IWARP_CRC_OPEN) {
		if (found == 0 && ++d->zeros >= ZEROS)
			d->crc = TRACK_IWARP_CRC_UNUSED;
		return TRACK_FPDU_CRC_UNVERIFIABLE;
	}
	d->counts.crc_bad++;
	track_iwarp_fault(x, TRACK_IWARP_CRC_WRONG, d->at, found, *computed, d->kept_frame);
	return TRACK_FPDU_CRC_BAD;
}

static void lose(struct track_iwarp_dir *d)
{
	d->phase = TRACK_IWARP_LOST;
	track_iwarp_touch(d);
}

/* The first marker that does not point to its FPDU, from the first byte of that; what it should be. */
static uint32_t wrong_marker(const struct ibw_fpdu *f, uint32_t *meant)
{
	uint32_t length_at = f->first_marker ? 0 : (uint32_t)ibw_mpa_marker_BYTES, at;

	for (at = f->first_marker;; at += IBW_MARKER_EVERY) {
		*meant = at ? at - length_at : 0;
		if ((ibw_get_be16(f->p + at + 2) & 0xfffcu) != (*meant & 0xfffcu) ||
		    at + IBW_MARKER_EVERY >= f->bytes)
			return at;
	}
}

/* Whether the frame of the other end, which asks for markers or does not, is not in the capture. */
static bool lacks_frame(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *other = track_iwarp_other_of(x);

	return !other->start.frame &&
	       (!x->all_before || other->tcp.late || other->phase != TRACK_IWARP_START);
}

/* Then they are there if the first FPDU is none without; what fits neither way is looked for. */
static struct step try_markers(struct track_iwarp_dir *d, uint32_t n)
{
	if (!d->markers && d->at == d->base) {
		d->markers = true;
		return (struct step){ 0 };
	}
	d->markers = false;
	lose(d);
	n = MIN(n, 4);
	d->counts.lost += n;
	return (struct step){ .used = n };
}

/* What cannot be: one finding a direction. */
static struct step malformed(struct track_iwarp_x *x, const struct ibw_fpdu *f, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint32_t at, meant;

	if (lacks_frame(x))
		return try_markers(d, n);
	if (f->fault == IBW_FPDU_FAULT_MARKER) {
		at = wrong_marker(f, &meant);
		track_iwarp_fault(x, TRACK_IWARP_MARKER_WRONG, d->at + at, ibw_get_be32(f->p + at),
				  meant, d->kept_frame);
	} else {
		track_iwarp_fault(x, TRACK_IWARP_LENGTH_WRONG, d->at, f->ulpdu_length,
				  f->ulpdu_length < ibw_ddp_tagged_BYTES ? ibw_ddp_tagged_BYTES
									 : ibw_ddp_untagged_BYTES,
				  d->kept_frame);
	}
	lose(d);
	n = MIN(n, 4);
	d->counts.lost += n;
	return (struct step){ .used = n };
}

/* Whether the FPDU at hand lies in more than one segment: in those of its first and its last byte. */
static bool crosses(const struct track_iwarp_x *x, const struct ibw_fpdu *f)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];
	uint64_t end = d->at + f->bytes;

	return d->n_kept && ((d->at < d->kept_end && d->kept_end < end) ||
			     (d->at < x->run_at && x->run_at < end));
}

static struct step fpdu(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	enum track_fpdu_crc crc;
	uint32_t computed;
	struct ibw_fpdu f;

	switch (ibw_fpdu_view(&f, p, n, phase_at(d, d->at))) {
	case IBW_FPDU_CUT:
		d->need = f.bytes;
		return (struct step){ .waits = true };
	case IBW_FPDU_MALFORMED:
		return malformed(x, &f, n);
	case IBW_FPDU_OK:
		break;
	}
	d->counts.fpdus++;
	x->t->fpdus++;
	d->counts.crossed += crosses(x, &f);
	if (f.ulpdu_length > track_iwarp_mulpdu(x))
		track_iwarp_long_one(x, f.ulpdu_length);
	crc = crc_of_fpdu(x, &f, &computed);
	if (x->t->shown)
		track_iwarp_decode(x, &f, (uint8_t)crc, computed);
	if (crc == TRACK_FPDU_CRC_BAD)
		track_iwarp_touch(d);
	else
		track_iwarp_segment(x, &f);
	return (struct step){ .used = f.bytes };
}

static struct step start(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct step step = { .used = track_iwarp_start(x, p, n) };

	if (step.used) {
		d->base = d->at + step.used;
		d->begun = d->aligned = true;
		d->phase = TRACK_IWARP_FPDUS;
	}
	step.waits = d->phase == TRACK_IWARP_START || d->phase == TRACK_IWARP_OFF;
	return step;
}

static struct step look(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);

	switch ((enum track_iwarp_phase)d->phase) {
	case TRACK_IWARP_START:
		return start(x, p, n);
	case TRACK_IWARP_FPDUS:
		return fpdu(x, p, n);
	case TRACK_IWARP_LOST:
		return search(x, p, n, false);
	case TRACK_IWARP_OFF:
		break;
	}
	return (struct step){ .used = n, .waits = true };
}

/* Takes all of the kept bytes that can be taken. */
static void look_at_kept(struct track_iwarp_x *x)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct step step = { 0 };
	uint32_t used = 0;

	while (used < d->n_kept && !step.waits) {
		step = look(x, d->kept + used, d->n_kept - used);
		used += step.used;
		d->at += step.used;
	}
	d->n_kept -= used;
	memmove(d->kept, d->kept + used, d->n_kept);
	if (d->n_kept)
		return;
	d->need = 0;
	if (d->room > ROOM)
		track_iwarp_forget_bytes(x->t, d);
}

/* Bytes of an FPDU that is lost in part. */
static uint32_t skip(struct track_iwarp_dir *d, uint32_t n)
{
	uint32_t skipped = (uint32_t)MIN(n, d->until - d->at);

	d->at += skipped;
	d->counts.lost += skipped;
	return skipped;
}

static void take(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct step step = { 0 };
	uint32_t here;

	while (n && !step.waits) {
		if (d->phase == TRACK_IWARP_OFF) {
			d->at += n;
			return;
		}
		if (d->until > d->at) {
			here = skip(d, n);
		} else if (d->n_kept) {
			here = d->need > d->n_kept ? MIN(n, d->need - d->n_kept) : n;
			keep(x, p, here);
			if (d->n_kept >= d->need)
				look_at_kept(x);
		} else {
			d->kept_frame = 0;
			step = look(x, p, n);
			here = step.used;
			d->at += here;
		}
		p += here;
		n -= here;
	}
	if (n && d->phase != TRACK_IWARP_OFF)
		keep(x, p, n);
}

/* @n bytes are missing. Of an FPDU whose length is known the rest is not looked for. */
static void gap(struct track_iwarp_x *x, uint64_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint64_t end = d->at + d->n_kept + n;
	struct ibw_fpdu f;

	d->counts.lost += d->n_kept + n;
	if (d->phase == TRACK_IWARP_FPDUS && d->until <= d->at && d->n_kept >= HEADER + 4 &&
	    ibw_fpdu_view(&f, d->kept, d->n_kept, phase_at(d, d->at)) == IBW_FPDU_CUT &&
	    d->at + f.bytes >= end)
		d->until = d->at + f.bytes;
	d->n_kept = d->need = 0;
	d->at = end;
	if (d->phase == TRACK_IWARP_START && !d->start.frame)
		d->aligned = false;
	if (d->until >= end && d->phase == TRACK_IWARP_FPDUS)
		track_iwarp_touch(d);
	else if (d->phase != TRACK_IWARP_OFF)
		lose(d);
}

void track_iwarp_bytes(struct track_iwarp_x *x, const struct track_tcp_run *run)
{
	x->frame = run->frame;
	x->run_at = run->place;
	if (run->p) {
		take(x, run->p, (uint32_t)run->n);
	} else {
		track_iwarp_hole(x, run);
		gap(x, run->n);
	}
}

void track_iwarp_last_bytes(struct track_iwarp_x *x)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct step step;

	if (d->phase != TRACK_IWARP_LOST || !d->n_kept)
		return;
	step = search(x, d->kept, d->n_kept, true);
	d->at += step.used;
	d->n_kept -= step.used;
	memmove(d->kept, d->kept + step.used, d->n_kept);
	if (!step.waits)
		look_at_kept(x);
}
