/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.c - -z follow,ibwire and, in the window, Follow > RDMA Stream: what a connection's messages carried.
 *
 * SENDs and WRITEs in their direction, responses to READs in theirs, each PSN once, however often it was sent.
 * A piece is a message, or as much of it as no missing packet interrupts. Pieces are in the order in which
 * they began, but those of one direction's requests in the order of their PSNs, so that what was sent again
 * comes where it belongs. Messages of iWARP come as their FPDUs are complete, in the order of the stream.
 */
#include <ibwire/ibwire.h>

#include "follow.h"
#include "wireshark/packet/frame.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/marks/msg.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/stream.h"
#include "track/base/flow.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/view/packet.h"

#include <epan/follow.h>
#include <epan/tap.h>
#include <epan/to_str.h>

/* How far back a late packet is taken for one: pieces, PSNs. */
#define LATE_PIECES 1024u
#define LATE_PSNS 0x10000u

struct carried {
	tvbuff_t *tvb;
	unsigned int off, n; /* bytes of payload */
	uint32_t psn;
	enum track_way from;
	enum track_way asked; /* of the request, which a response is not */
	uint32_t dqpn;
	const uint8_t *octets; /* of iWARP, if they are not in the packet */
	uint32_t message;      /* of iWARP, by which its way knows it; else 0 */
};

static int tap = -1;

static bool of_ports; /* what was followed last is of iWARP, whose ends have ports */

void iw_follow_packet(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_bth_wire *bth = IBW_AT(pkt, bth);
	uint32_t first;
	struct carried c = { .octets = NULL };
	int at, captured;

	if (!have_tap_listener(tap) || !bth || !pkt->payload_len ||
	    iw_stream_repeated(pinfo->num) || !iw_stream_way(pinfo->num, &c.from))
		return;
	first = iw_msg_first(pinfo->num);
	if (!first || !iw_stream_way(first, &c.asked))
		return;
	c.tvb = iw_frame_tvb(frame, pkt->payload_off, &at);
	captured = tvb_captured_length_remaining(c.tvb, at);
	if (captured <= 0)
		return;
	c.off = (unsigned int)at;
	c.n = MIN(pkt->payload_len, (unsigned int)captured);
	c.psn = ibw_bth_psn(bth);
	c.dqpn = ibw_bth_dqpn(bth);
	tap_queue_packet(tap, pinfo, wmem_memdup(pinfo->pool, &c, sizeof(c)));
}

/* FPDUs of a frame that are followed: a segment that an adapter merged may have thousands. */
#define FPDUS_FOLLOWED 1000u

static bool carries(const struct iw_fpdu *f)
{
	return f->message && f->data && f->opcode != IBW_RDMAP_READ_REQUEST &&
	       f->opcode != IBW_RDMAP_ATOMIC_REQUEST && f->opcode != IBW_RDMAP_ATOMIC_RESPONSE;
}

/* An answer has the number of its request, which is of the other way. */
static uint32_t message_of(const struct iw_fpdu *f)
{
	return 2 * f->message->number + (f->opcode == IBW_RDMAP_READ_RESPONSE);
}

static bool find_octets(struct carried *c, const struct iw_fpdu *f, const struct iw_frame *frame)
{
	uint32_t off;
	int at;

	c->octets = iw_iwarp_carried(f, &off);
	if (c->octets || !off)
		return c->octets != NULL;
	c->tvb = iw_frame_tvb(frame, off, &at);
	c->off = (unsigned int)at;
	return tvb_captured_length_remaining(c->tvb, at) >= (int)f->data;
}

void iw_follow_iwarp(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_fpdu *f;
	struct carried c = { .n = 0 };
	enum track_way way;
	unsigned int n = 0;

	if (!have_tap_listener(tap) || !iw_iwarp_conn(pinfo->num, &way))
		return;
	for (f = iw_iwarp_fpdus(pinfo->num); f && n < FPDUS_FOLLOWED; f = f->next) {
		if (!carries(f) || !find_octets(&c, f, frame))
			continue;
		c.from = c.asked = way;
		c.n = f->data;
		c.message = message_of(f);
		tap_queue_packet(tap, pinfo, wmem_memdup(pinfo->pool, &c, sizeof(c)));
		n++;
	}
}

/* Pieces: their seq is the PSN after their last packet, of iWARP their message; their packet_num is the first. */

static bool is_of_way(const follow_record_t *piece, enum track_way asked)
{
	enum track_way way;

	return iw_stream_way(iw_msg_first(piece->packet_num), &way) && way == asked;
}

static bool is_after(const follow_record_t *piece, uint32_t psn)
{
	uint32_t by = (piece->seq - psn) & 0xffffff;

	return by > 0 && by < LATE_PSNS;
}

/*
 * The piece that the packet goes on with; else, in *@after, the oldest one that it comes before, NULL: none.
 * The list has the newest first.
 */
static follow_record_t *place(GList *pieces, const struct carried *c, uint32_t message,
			      GList **after)
{
	follow_record_t *piece;
	unsigned int i;

	*after = NULL;
	for (i = 0; pieces && i < LATE_PIECES; pieces = pieces->next, i++) {
		piece = pieces->data;
		if (!is_of_way(piece, c->asked))
			continue;
		if (piece->seq == c->psn && iw_stream_message(piece->packet_num) == message)
			return piece;
		if (!is_after(piece, c->psn))
			return NULL;
		*after = pieces;
	}
	return NULL;
}

static follow_record_t *new_piece(follow_info_t *info, const packet_info *pinfo, GList *after)
{
	follow_record_t *piece = g_new0(follow_record_t, 1);

	piece->packet_num = pinfo->num;
	piece->abs_ts = pinfo->abs_ts;
	piece->data = g_byte_array_new();
	if (after)
		info->payload = g_list_insert_before(info->payload, after->next, piece);
	else
		info->payload = g_list_prepend(info->payload, piece);
	return piece;
}

/* The last one of the way, if it is of the message. */
static follow_record_t *last_of(GList *pieces, const struct carried *c)
{
	const bool is_server = c->from == TRACK_B_TO_A;
	follow_record_t *piece;
	unsigned int i;

	for (i = 0; pieces && i < LATE_PIECES; pieces = pieces->next, i++) {
		piece = pieces->data;
		if (piece->is_server == is_server)
			return piece->seq == c->message ? piece : NULL;
	}
	return NULL;
}

/* The ends, by the packets of either; a queue pair is where others have a port. */
static void set_ends(follow_info_t *info, const packet_info *pinfo, const struct carried *c)
{
	bool from_a = c->from == TRACK_A_TO_B;
	uint32_t sqpn;

	if (info->client_ip.type == AT_NONE) {
		copy_address(&info->client_ip, from_a ? &pinfo->src : &pinfo->dst);
		copy_address(&info->server_ip, from_a ? &pinfo->dst : &pinfo->src);
	}
	of_ports = c->message != 0;
	if (of_ports) {
		*(from_a ? &info->server_port : &info->client_port) = pinfo->destport;
		*(from_a ? &info->client_port : &info->server_port) = pinfo->srcport;
		return;
	}
	*(from_a ? &info->server_port : &info->client_port) = c->dqpn;
	if (iw_stream_sender(pinfo->num, &sqpn))
		*(from_a ? &info->client_port : &info->server_port) = sqpn;
}

static tap_packet_status packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				const void *carried, tap_flags_t flags)
{
	const struct carried *c = carried;
	follow_info_t *info = data;
	follow_record_t *piece;
	GList *after = NULL;

	(void)edt;
	(void)flags;
	set_ends(info, pinfo, c);
	piece = c->message ? last_of(info->payload, c)
			   : place(info->payload, c, iw_stream_message(pinfo->num), &after);
	if (!piece) {
		piece = new_piece(info, pinfo, after);
		piece->is_server = c->from == TRACK_B_TO_A;
	}
	piece->seq = c->message ? c->message : (c->psn + 1) & 0xffffff;
	g_byte_array_append(piece->data,
			    c->octets ? c->octets : tvb_get_ptr(c->tvb, (int)c->off, (int)c->n),
			    c->n);
	info->bytes_written[piece->is_server] += c->n;
	return TAP_PACKET_DONT_REDRAW;
}

/* What Wireshark asks for */

static char *filter_of(unsigned int stream, unsigned int sub_stream)
{
	(void)sub_stream;
	return g_strdup_printf("ibwire.stream == %u", stream);
}

static char *filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, unsigned int *stream,
			      unsigned int *sub_stream)
{
	const struct iw_iwarp_conn *iwarp;
	enum track_way way;
	uint32_t number;

	(void)edt;
	iwarp = iw_iwarp_conn(pinfo->num, &way);
	if (iwarp)
		number = iw_iwarp_number(iwarp);
	else if (!iw_stream_number(pinfo->num, &number))
		return NULL;
	*stream = number;
	*sub_stream = 0;
	return filter_of(number, 0);
}

static char *filter_of_ends(address *a, address *b, int a_qpn, int b_qpn)
{
	char *text[2] = { address_to_str(NULL, a), address_to_str(NULL, b) };
	char *filter = g_strdup_printf(
		"(ibwire.conv.end == \"%s qp 0x%06x\" && ibwire.conv.end == \"%s qp 0x%06x\") || "
		"(ibwire.conv.end == \"%s port %d\" && ibwire.conv.end == \"%s port %d\")",
		text[0], (unsigned int)a_qpn, text[1], (unsigned int)b_qpn, text[0], a_qpn, text[1],
		b_qpn);

	wmem_free(NULL, text[0]);
	wmem_free(NULL, text[1]);
	return filter;
}

static char *qp_text(wmem_allocator_t *allocator, unsigned int qpn)
{
	if (of_ports)
		return wmem_strdup_printf(allocator, "port %u", qpn);
	return wmem_strdup_printf(allocator, "qp 0x%06x", qpn);
}

static __attribute__((unused)) uint32_t count(void)
{
	return iw_stream_count() + iw_iwarp_count();
}

void iw_follow_register(void)
{
	tap = register_tap("ibwire_follow");
	register_follow_stream(iw_proto, "ibwire_follow", filter_of_packet, filter_of,
			       filter_of_ends, qp_text, packet IW_FOLLOW_COUNT(count));
}
