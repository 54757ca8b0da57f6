/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair_packet.c - corrects the lengths, checksums, pad and CRCs of one packet, each from the bytes
 * that it covers.
 */
#include <ibwire/ibwire.h>
#include <track/view/ends.h>

#include "repair_end.h"
#include "repair_length.h"
#include "lint/lint.h"

/* What is repaired: where it lay, and what has come of it. */
struct job {
	struct pl_repaired *r;
	const struct ibw_packet *pkt;
	struct pl_end was;
	uint32_t icrc, end; /* in ->bytes; the end is after the ICRC */
	uint32_t grown;     /* by so many bytes, modulo 2^32 */
	uint32_t wire_end;  /* of what it was, without the FCS */
	bool has_fcs;       /* after that */
};

/* Where what was on the wire ends, of what the record has of it. */
static uint32_t wire_end(const struct ibw_packet *pkt)
{
	uint32_t end = track_wire_end(pkt);

	return MIN(end, pkt->len);
}

/* A CRC, as its bytes are on the wire. */
static void crc_changed(struct pl_repaired *r, enum ibw_layer layer, const char *field,
			uint8_t digits, uint32_t was, uint32_t is)
{
	unsigned int i = r->n_changes;

	pl_changed(r, layer, field, was, is);
	if (r->n_changes > i)
		r->change[i].digits = digits;
}

static void take_as_it_is(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	g_byte_array_set_size(r->bytes, 0);
	g_byte_array_append(r->bytes, pkt->data, pkt->caplen);
	r->n_changes = 0;
}

/* The same bytes with the pad and the ICRC that headers and payload ask for. */
static void make_room(struct job *j)
{
	static const uint8_t zeros[IBW_ICRC_BYTES];
	const struct ibw_packet *pkt = j->pkt;
	GByteArray *bytes = j->r->bytes;
	uint32_t pad = (0u - (j->was.payload - j->was.headers)) & 3u, i, nonzero = 0;

	g_byte_array_set_size(bytes, 0);
	g_byte_array_append(bytes, pkt->data, j->was.payload);
	g_byte_array_append(bytes, zeros, pad);
	j->icrc = bytes->len;
	g_byte_array_append(bytes, j->was.missing ? zeros : pkt->data + j->was.icrc,
			    IBW_ICRC_BYTES);
	j->end = bytes->len;
	g_byte_array_append(bytes, pkt->data + j->was.after, pkt->caplen - j->was.after);
	j->grown = j->end - j->was.after;
	PL_REPAIR_FIELD(j->r, (struct ibw_bth_wire *)(bytes->data + pkt->span[pkt->bth].off), bth,
			padcnt,
			track_fills_mtu(pkt, j->icrc - j->was.headers) ? (uint8_t)0 : (uint8_t)pad);
	for (i = j->was.payload; i < j->was.icrc; i++)
		nonzero = nonzero << 8 | pkt->data[i];
	if (nonzero && j->was.icrc - j->was.payload == pad)
		pl_changed(j->r, IBW_LAYER_bth, "pad", nonzero, 0);
}

/* A record of a capture card counts the whole. */
static void repair_erf(struct job *j)
{
	struct ibw_erf_wire *erf = (struct ibw_erf_wire *)j->r->bytes->data;

	if (j->pkt->linktype != IBW_LINKTYPE_ERF || !j->grown)
		return;
	PL_REPAIR_FIELD(j->r, erf, erf, rlen, (uint16_t)(ibw_erf_rlen(erf) + j->grown));
	PL_REPAIR_FIELD(j->r, erf, erf, wlen, (uint16_t)(ibw_erf_wlen(erf) + j->grown));
}

/*
 * Where a tunnel ends that its packet has grown in: after the padding of the frame in it, if
 * its own lengths say that there is some.
 */
static uint32_t tunnel_end(const struct job *j)
{
	unsigned int i;

	for (i = 0; i < j->was.first; i++) {
		uint32_t said = track_length_end(j->pkt, i);

		if (said >= j->was.after && said <= j->wire_end)
			return said + j->grown;
	}
	return j->end;
}

static void repair_lengths(struct job *j)
{
	uint32_t outer = tunnel_end(j);
	unsigned int i;

	for (i = 0; i < j->pkt->n_spans; i++)
		pl_length_repair(j->r, &j->pkt->span[i], i < j->was.first ? outer : j->end);
}

/* What the checksum of the UDP header of span @i should be; 0 if that is not to be known. */
static uint16_t udp_checksum_of(const struct job *j, unsigned int i)
{
	const struct ibw_span *udp = &j->pkt->span[i], *net = &j->pkt->span[i ? i - 1 : 0];
	const uint8_t *p = j->r->bytes->data;
	const struct ibw_udp_wire *wire = (const struct ibw_udp_wire *)(p + udp->off);
	uint32_t n = ibw_udp_length(wire);
	uint64_t pseudo;

	if (n > j->r->bytes->len - udp->off)
		return 0;
	if (net->layer == IBW_LAYER_ipv4)
		pseudo = ibw_ipv4_pseudo_sum((const struct ibw_ipv4_wire *)(p + net->off), n);
	else if (net->layer == IBW_LAYER_ipv6)
		pseudo = ibw_ipv6_pseudo_sum((const struct ibw_ipv6_wire *)(p + net->off), n);
	else
		return 0;
	return ibw_udp_checksum_of(pseudo, wire, n);
}

/* After all it covers, the innermost first; 0 is right and stays. */
static void repair_udp_checksum(struct job *j, unsigned int i)
{
	struct ibw_udp_wire *wire =
		(struct ibw_udp_wire *)(j->r->bytes->data + j->pkt->span[i].off);
	uint16_t right = udp_checksum_of(j, i);

	if (ibw_udp_checksum(wire) && right)
		PL_REPAIR_FIELD(j->r, wire, udp, checksum, right);
}

static uint32_t icrc_of(const struct job *j)
{
	uint32_t cover = j->pkt->cover_off;

	return ibw_icrc((enum ibw_icrc_kind)j->pkt->icrc_kind, j->r->bytes->data + cover,
			j->icrc - cover);
}

/* Whether ICRC and UDP checksum are. */
static bool is_right(const struct job *j)
{
	const uint8_t *p = j->r->bytes->data;
	const void *udp = p + j->pkt->span[j->pkt->udp].off;

	return !j->was.missing && ibw_icrc_get(p + j->icrc) == icrc_of(j) &&
	       ibw_udp_checksum(udp) == udp_checksum_of(j, j->pkt->udp);
}

/*
 * With IP options, which RoCE does not have, the ICRC covers the UDP checksum, and that covers
 * the ICRC: unless both are right, there is none.
 */
static void drop_checksum(struct job *j)
{
	const struct ibw_packet *pkt = j->pkt;
	struct ibw_udp_wire *udp;

	if (!(pkt->flags & IBW_PKT_IP_OPTIONS) || pkt->udp == IBW_NO_SPAN)
		return;
	udp = (struct ibw_udp_wire *)(j->r->bytes->data + pkt->span[pkt->udp].off);
	if (ibw_udp_checksum(udp) && (j->r->n_changes || !is_right(j)))
		PL_REPAIR_FIELD(j->r, udp, udp, checksum, 0);
}

static void repair_icrc(struct job *j)
{
	uint8_t *at = j->r->bytes->data + j->icrc;
	uint32_t was = ibw_get_be32(at);

	ibw_icrc_put(at, icrc_of(j));
	if (j->was.missing && j->r->n_changes < PL_CHANGES_MAX)
		j->r->change[j->r->n_changes++] =
			(struct pl_change){ IBW_LAYER_bth, "icrc", 0, ibw_get_be32(at), 8, true };
	else
		crc_changed(j->r, IBW_LAYER_bth, "icrc", 8, was, ibw_get_be32(at));
}

/* What follows the ICRC on an IB link, if that was captured too. */
static void repair_vcrc(struct job *j)
{
	uint8_t *p = j->r->bytes->data, *at = p + j->end;
	uint32_t lrh;

	if (j->pkt->lrh == IBW_NO_SPAN || j->r->bytes->len - j->end < IBW_VCRC_BYTES)
		return;
	lrh = j->pkt->span[j->pkt->lrh].off;
	crc_changed(j->r, IBW_LAYER_lrh, "vcrc", 4, ibw_get_be16(at),
		    ibw_vcrc_on_wire(ibw_vcrc(p + lrh, j->end - lrh)));
	ibw_vcrc_put(at, ibw_vcrc(p + lrh, j->end - lrh));
}

/* Where the Ethernet frame begins, a tunnel's own if there is one. */
static uint32_t frame_start(const struct ibw_packet *pkt)
{
	unsigned int i = 0;

	while (pkt->span[i].layer != IBW_LAYER_eth)
		i++;
	return pkt->span[i].off;
}

/*
 * Whether the FCS of an Ethernet frame was captured with it: the file says so, or it was right
 * before. Other bytes after a packet are let be.
 */
static void find_fcs(struct job *j, uint8_t fcs_len)
{
	const struct ibw_packet *pkt = j->pkt;
	uint32_t start, end = wire_end(pkt);

	j->wire_end = MIN(end, pkt->caplen);
	if (pkt->eth == IBW_NO_SPAN || pkt->caplen < pkt->len ||
	    end < j->was.after + TRACK_FCS_BYTES)
		return;
	start = frame_start(pkt);
	end -= TRACK_FCS_BYTES;
	j->has_fcs = track_fcs_bytes(pkt, fcs_len) ||
		     ibw_get_le32(pkt->data + end) == ibw_eth_fcs(pkt->data + start, end - start);
	if (j->has_fcs)
		j->wire_end = end;
}

static void repair_fcs(struct job *j)
{
	uint32_t start, at = j->wire_end + j->grown;
	uint8_t *p = j->r->bytes->data;

	if (!j->has_fcs)
		return;
	start = frame_start(j->pkt);
	ibw_put_le32(p + at, ibw_eth_fcs(p + start, at - start));
	crc_changed(j->r, IBW_LAYER_eth, "fcs", 8, ibw_get_be32(j->pkt->data + j->wire_end),
		    ibw_get_be32(p + at));
}

/* Packets without a BTH that end with a VCRC all the same: raw ones, and flow control's LPCRC. */
static void repair_link(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	struct ibw_crc_verdict v = ibw_packet_vcrc(pkt);
	uint8_t *at = r->bytes->data + pkt->vcrc_off;

	if (v.status != IBW_CRC_BAD)
		return;
	ibw_vcrc_put(at, (uint16_t)v.computed);
	crc_changed(r, pkt->lrh == IBW_NO_SPAN ? IBW_LAYER_linkpkt : IBW_LAYER_lrh, "vcrc", 4,
		    ibw_vcrc_on_wire((uint16_t)v.found), ibw_get_be16(at));
}

static bool is_rdma(const struct ibw_packet *pkt)
{
	return pkt->proto == IBW_PROTO_IB || pkt->proto == IBW_PROTO_ROCEV1 ||
	       pkt->proto == IBW_PROTO_ROCEV2;
}

/* Whether LNH and what is after the LRH contradict each other: whose header is it then? */
static bool is_lnh_doubtful(const struct ibw_packet *pkt)
{
	const struct ibw_lrh_wire *lrh;
	const struct ibw_grh_wire *grh;
	uint32_t off;
	bool looks;

	if (pkt->lrh == IBW_NO_SPAN)
		return false;
	lrh = ibw_packet_at(pkt, pkt->lrh);
	off = pkt->span[pkt->lrh].off + ibw_lrh_BYTES;
	grh = ibw_grh_view(pkt->data + off, pkt->caplen - off);
	if (!grh)
		return false;
	looks = ibw_grh_ipver(grh) == IBW_GRH_IPVER && ibw_grh_nxthdr(grh) == IBW_GRH_NXTHDR_IBA;
	if (ibw_lrh_lnh(lrh) == IBW_LNH_LOCAL)
		return looks && (uint32_t)(ibw_grh_paylen(grh) + ibw_lrh_BYTES + ibw_grh_BYTES) ==
					ibw_lrh_pktlen(lrh) * 4u;
	return ibw_lrh_lnh(lrh) == IBW_LNH_GLOBAL && ibw_grh_ipver(grh) != IBW_GRH_IPVER &&
	       ibw_grh_nxthdr(grh) != IBW_GRH_NXTHDR_IBA;
}

static void say_cut(struct pl_repaired *r, uint32_t caplen, uint32_t len)
{
	g_snprintf(r->left, sizeof(r->left), "cut, %u of %u bytes captured", caplen, len);
}

/* Says why a packet of RDMA stays as it is; nothing of others. */
static void leave(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	const struct ibw_error *e = &pkt->error;

	take_as_it_is(r, pkt);
	if (!is_rdma(pkt))
		return;
	if (pkt->flags & IBW_PKT_FRAGMENT)
		g_strlcpy(r->left, "an IP fragment", sizeof(r->left));
	else if (is_lnh_doubtful(pkt))
		g_strlcpy(r->left, "lrh.lnh and what follows the LRH do not fit", sizeof(r->left));
	else if (pkt->caplen < track_wire_end(pkt))
		say_cut(r, pkt->caplen, track_wire_end(pkt));
	else if (pkt->flags & IBW_PKT_BEYOND)
		g_snprintf(r->left, sizeof(r->left), "cut, or %s.%s is wrong: %u bytes left for %u",
			   ibw_headers[e->layer].name, e->field ? e->field : "header", e->had,
			   e->needed);
	else if (pkt->outcome == IBW_MALFORMED && e->field)
		g_snprintf(r->left, sizeof(r->left), "%s.%s is %u: what follows is not to be known",
			   ibw_headers[e->layer].name, e->field, e->had);
	else if (pkt->outcome == IBW_MALFORMED)
		g_snprintf(r->left, sizeof(r->left), "%s needs %u bytes, %u left for it",
			   e->layer == IBW_LAYER_bth && e->needed == IBW_ICRC_BYTES
				   ? "the ICRC"
				   : ibw_headers[e->layer].name,
			   e->needed, e->had);
}

static void repair(struct pl_repaired *r, const struct ibw_packet *pkt, uint8_t fcs_len,
		   bool is_sure)
{
	struct job j = { .r = r, .pkt = pkt };
	unsigned int i;

	if (pkt->bth == IBW_NO_SPAN || pkt->flags & IBW_PKT_FRAGMENT || pkt->outcome == IBW_CUT ||
	    is_lnh_doubtful(pkt) || !pl_end_find(&j.was, r, pkt, fcs_len, is_sure)) {
		leave(r, pkt);
		return;
	}
	r->n_changes = 0;
	find_fcs(&j, fcs_len);
	make_room(&j);
	repair_erf(&j);
	repair_lengths(&j);
	drop_checksum(&j);
	repair_icrc(&j);
	for (i = pkt->n_spans; i-- > 0;)
		if (pkt->span[i].layer == IBW_LAYER_udp)
			repair_udp_checksum(&j, i);
	repair_vcrc(&j);
	repair_fcs(&j);
}

/* Makes the length of a layer reach the end, in the copy in ->bytes; false: it does, or there is none. */
static bool widen_layer(struct pl_repaired *r, const struct ibw_packet *pkt, uint16_t layer)
{
	unsigned int i = ibw_packet_find(pkt, layer);

	if (i == IBW_NO_SPAN)
		return false;
	r->n_changes = 0;
	pl_length_repair(r, &pkt->span[i], wire_end(pkt));
	return r->n_changes != 0;
}

/*
 * Makes the length wider that leaves a header no room, in the copy of the packet in ->bytes;
 * false: none does.
 */
static bool widen(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	const struct ibw_error *e = &pkt->error;

	if (pkt->outcome != IBW_MALFORMED)
		return false;
	if (!e->field)
		return widen_layer(r, pkt, e->said_by);
	/* A length that is more than there is room for may be right. */
	return (e->needed > e->had && widen_layer(r, pkt, e->said_by)) ||
	       widen_layer(r, pkt, e->layer);
}

/* Nested lengths: IPv4 and UDP, of a tunnel and in it, or LRH and GRH. */
#define LENGTHS_MAX 4

static void repair_or_leave(struct pl_repaired *r, const struct capture_packet *record,
			    const struct ibw_walk_options *walk)
{
	struct ibw_packet pkt, wide;
	unsigned int i;

	ibw_packet_walk(&pkt, record->data, record->caplen, record->len, record->linktype, walk);
	take_as_it_is(r, &pkt);
	r->left[0] = '\0';
	if (pkt.bth == IBW_NO_SPAN && pkt.vcrc_off && pkt.outcome == IBW_OK) {
		repair_link(r, &pkt);
		return;
	}
	if (pkt.bth != IBW_NO_SPAN && (pkt.icrc_off || track_icrc_absent(&pkt))) {
		repair(r, &pkt, record->fcs_len, true);
		return;
	}
	/* What if its lengths were longer? */
	wide = pkt;
	for (i = 0; i < LENGTHS_MAX && is_rdma(&pkt) && widen(r, &wide); i++)
		ibw_packet_walk(&wide, r->bytes->data, record->caplen, record->len,
				record->linktype, walk);
	wide.data = pkt.data;
	take_as_it_is(r, &pkt);
	if (i && wide.bth != IBW_NO_SPAN)
		repair(r, &wide, record->fcs_len, false);
	if (!r->n_changes) {
		r->left[0] = '\0';
		leave(r, &pkt);
	}
}

void pl_repair_packet(struct pl_repaired *r, const struct capture_packet *record,
		      const struct ibw_walk_options *walk)
{
	repair_or_leave(r, record, walk);
	if (!r->left[0] && record->caplen < record->len)
		say_cut(r, record->caplen, record->len);
	lint_as_one(r->left);
}
