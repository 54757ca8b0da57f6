/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rmpp.c - putting the segments of one RMPP transfer together. IBTA vol 1, 13.6 */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/rmpp.h>

void ibw_transfer_start(struct ibw_transfer *t, void *room, uint32_t bytes)
{
	IBW_FILL(t, 0, sizeof(*t));
	t->room = (uint8_t *)room;
	t->room_bytes = bytes;
}

static bool same(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && a[i] == b[i]; i++)
		;
	return i == n;
}

static void put(uint8_t *to, const uint8_t *from, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i] = from[i];
}

/* How far the data of a segment reaches: PayloadLength says so in the last one only. */
static bool segment_bytes(struct ibw_transfer *t, const struct ibw_rmpp_wire *rmpp, uint32_t *bytes)
{
	uint32_t payload = ibw_rmpp_data2(rmpp);

	*bytes = t->seg_bytes;
	if (!(ibw_rmpp_flags(rmpp) & IBW_RMPP_LAST))
		return true;
	/* Simulators leave it 0 and fill the segment. */
	if (payload == 0)
		return true;
	if (payload < t->seg_header || payload - t->seg_header > t->seg_bytes)
		return false;
	*bytes = payload - t->seg_header;
	return true;
}

/* Whether segment @seg of @bytes agrees with what is known of the end of the transfer. */
static bool end_agrees(struct ibw_transfer *t, uint32_t seg, uint32_t bytes, bool last)
{
	if (last) {
		/* Nor has it been there as one that is not the last. */
		if (t->last ? t->last != seg || t->last_bytes != bytes : t->highest >= seg)
			return false;
		t->last = (uint16_t)seg;
		t->last_bytes = (uint16_t)bytes;
		return true;
	}
	return !t->last || seg < t->last;
}

static enum ibw_transfer_state add_segment(struct ibw_transfer *t, const struct ibw_rmpp_wire *rmpp,
					   const uint8_t *data)
{
	uint32_t seg = ibw_rmpp_data1(rmpp), bytes, at;
	uint8_t flags = ibw_rmpp_flags(rmpp), bit;

	if (seg == 0)
		return IBW_TRANSFER_BROKEN;
	if (t->window && seg > t->window) /* whatever else is wrong of it */
		t->flags |= IBW_TRANSFER_BEYOND_WINDOW;
	if (!segment_bytes(t, rmpp, &bytes))
		return IBW_TRANSFER_BROKEN;
	if (seg > IBW_TRANSFER_SEGMENTS_MAX)
		return IBW_TRANSFER_TOO_BIG;
	at = (seg - 1) * t->seg_bytes;
	if (at > t->room_bytes || bytes > t->room_bytes - at)
		return IBW_TRANSFER_TOO_BIG;
	if (!end_agrees(t, seg, bytes, flags & IBW_RMPP_LAST))
		return IBW_TRANSFER_BROKEN;
	if (seg == 1 && flags & IBW_RMPP_FIRST)
		t->promised = ibw_rmpp_data2(rmpp);
	bit = (uint8_t)(1u << (seg - 1) % 8);
	if (t->seen[(seg - 1) / 8] & bit) {
		t->flags |= IBW_TRANSFER_DUPLICATE;
		return same(t->room + at, data, bytes) ? IBW_TRANSFER_RUNNING : IBW_TRANSFER_BROKEN;
	}
	if (seg < t->highest)
		t->flags |= IBW_TRANSFER_REORDERED;
	if (seg > t->highest + 1u)
		t->flags |= IBW_TRANSFER_GAP;
	put(t->room + at, data, bytes);
	t->seen[(seg - 1) / 8] |= bit;
	t->have++;
	if (seg > t->highest)
		t->highest = (uint16_t)seg;
	if (!t->last || t->have != t->last)
		return IBW_TRANSFER_RUNNING;
	t->len = (t->last - 1u) * t->seg_bytes + t->last_bytes;
	t->payload = t->len + (uint32_t)t->last * t->seg_header;
	return IBW_TRANSFER_COMPLETE;
}

enum ibw_transfer_state ibw_transfer_feed(struct ibw_transfer *t, const uint8_t *mad, uint32_t n)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad, n);
	const struct ibw_mad_class_row *row;
	const struct ibw_rmpp_wire *rmpp;
	enum ibw_transfer_state state;

	t->flags = 0;
	if (!header || n < IBW_MAD_BYTES || t->state != IBW_TRANSFER_RUNNING)
		return (enum ibw_transfer_state)t->state;
	row = ibw_mad_class_of(ibw_mad_mgmt_class(header));
	rmpp = (const struct ibw_rmpp_wire *)(mad + ibw_mad_BYTES);
	if (!row || row->layers[0] != IBW_LAYER_rmpp || !(ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE))
		return IBW_TRANSFER_RUNNING;
	/* Segments of another size would not lie where those before them do. */
	if (t->seg_bytes && t->seg_bytes != row->len) {
		t->state = IBW_TRANSFER_BROKEN;
		return IBW_TRANSFER_BROKEN;
	}
	t->seg_bytes = row->len;
	t->seg_header = (uint16_t)(row->off - ibw_mad_BYTES - ibw_rmpp_BYTES);
	switch (ibw_rmpp_type(rmpp)) {
	case IBW_RMPP_DATA:
		state = add_segment(t, rmpp, mad + row->off);
		break;
	case IBW_RMPP_ACK:
		t->acked = ibw_rmpp_data1(rmpp);
		t->window = ibw_rmpp_data2(rmpp);
		state = IBW_TRANSFER_RUNNING;
		break;
	case IBW_RMPP_STOP:
	case IBW_RMPP_ABORT:
		t->status = ibw_rmpp_status(rmpp);
		state = IBW_TRANSFER_STOPPED;
		break;
	default:
		state = IBW_TRANSFER_BROKEN;
		break;
	}
	t->state = (uint8_t)state;
	return state;
}
