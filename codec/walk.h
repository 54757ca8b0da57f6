/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk.h - the cursor of the packet walk: taking headers one after the other.
 *
 * Private to codec/. Three ends bound a header: the captured bytes (@cap), the
 * frame, and the innermost length a protocol field has given so far (@end). All
 * are offsets from the start of the data, and off <= limit <= cap always holds,
 * so each check is one comparison on what is left.
 */
#ifndef IBWIRE_CODEC_WALK_H
#define IBWIRE_CODEC_WALK_H

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

struct walk {
	struct ibw_packet *pkt;
	const uint8_t *p; /* the captured data */
	uint32_t off;     /* the next byte */
	uint32_t cap;     /* captured bytes */
	uint32_t end;     /* where the innermost length says it ends */
	uint32_t limit;   /* min(cap, end) */
	uint16_t end_by;  /* enum ibw_layer that said @end; IBW_LAYER_COUNT: the capture file */
};

static inline void walk_end(struct walk *w, uint32_t end, uint16_t said_by)
{
	w->end = end;
	w->limit = end < w->cap ? end : w->cap;
	w->end_by = said_by;
}

/*
 * Records what is wrong with @layer, which starts at @off; the first error stays, and
 * malformed outweighs cut.
 */
static inline void walk_error_at(struct walk *w, uint32_t off, enum ibw_outcome outcome,
				 uint16_t layer, const char *field, uint32_t needed, uint32_t had)
{
	struct ibw_packet *pkt = w->pkt;

	if (pkt->outcome == IBW_MALFORMED || pkt->outcome == (uint8_t)outcome)
		return;
	pkt->outcome = (uint8_t)outcome;
	pkt->error.layer = layer;
	pkt->error.said_by = outcome == IBW_CUT ? (uint16_t)IBW_LAYER_COUNT : w->end_by;
	pkt->error.field = field;
	pkt->error.off = off;
	pkt->error.needed = needed;
	pkt->error.had = had;
}

/* The same of a header not taken yet. */
static inline void walk_error(struct walk *w, enum ibw_outcome outcome, uint16_t layer,
			      const char *field, uint32_t needed, uint32_t had)
{
	walk_error_at(w, w->off, outcome, layer, field, needed, had);
}

/*
 * @n bytes for @layer are not there: is it the packet or the capture that is short? A
 * fragment may end anywhere; the rest is in the next.
 */
static inline void walk_short(struct walk *w, uint16_t layer, uint32_t n)
{
	if (n > w->end - w->off && w->pkt->flags & IBW_PKT_FRAGMENT && w->end <= w->cap)
		return;
	if (n > w->end - w->off && !(w->pkt->flags & IBW_PKT_FRAGMENT))
		walk_error(w, IBW_MALFORMED, layer, NULL, n, w->end - w->off);
	else
		walk_error(w, IBW_CUT, layer, NULL, n, w->cap - w->off);
}

/* Whether @n bytes are left for @layer; if not, the error is recorded. */
static inline bool walk_need(struct walk *w, uint16_t layer, uint32_t n)
{
	if (n <= w->limit - w->off)
		return true;
	walk_short(w, layer, n);
	return false;
}

/* What is left is payload no header says more of; the capture may end within it. */
static inline void walk_rest(struct walk *w, uint16_t layer)
{
	w->pkt->payload_off = w->off;
	w->pkt->payload_len = w->end - w->off;
	if (w->end > w->cap)
		walk_error(w, IBW_CUT, layer, "payload", w->end - w->off, w->cap - w->off);
}

/* Adds a span of @n bytes, known to be left, and steps over it. Returns its index. */
static inline uint8_t walk_span(struct walk *w, uint16_t layer, uint32_t n)
{
	struct ibw_packet *pkt = w->pkt;
	uint8_t i = pkt->n_spans;

	if (i < IBW_SPANS_MAX) {
		struct ibw_span span = { layer, (uint16_t)n, w->off };

		pkt->span[i] = span;
		pkt->n_spans = (uint8_t)(i + 1);
	} else {
		i = IBW_SPANS_MAX - 1;
	}
	w->off += n;
	return i;
}

/* The bytes of a whole header of fixed size, its span added; NULL if they are not there. */
static inline const void *walk_take(struct walk *w, uint16_t layer, uint32_t n)
{
	const uint8_t *p = w->p + w->off;

	if (!walk_need(w, layer, n))
		return NULL;
	walk_span(w, layer, n);
	return p;
}

#define WALK_TAKE(w, name)                                                                         \
	((const struct ibw_##name##_wire *)walk_take(w, IBW_LAYER_##name, ibw_##name##_BYTES))

/*
 * An ARP packet, by its address lengths; shared by Ethernet and IPoIB. Addresses of other
 * lengths than theirs are part of the span all the same.
 */
static inline void walk_arp(struct walk *w)
{
	const struct ibw_arp_hdr_wire *arp = (const struct ibw_arp_hdr_wire *)(w->p + w->off);

	if (!walk_need(w, IBW_LAYER_arp_hdr, ibw_arp_hdr_BYTES))
		return;
	if (ibw_arp_hdr_hlen(arp) == 6 && ibw_arp_hdr_plen(arp) == 4)
		WALK_TAKE(w, arp);
	else if (ibw_arp_hdr_hlen(arp) == 20 && ibw_arp_hdr_plen(arp) == 4)
		WALK_TAKE(w, arp_ipoib);
	else
		walk_take(w, IBW_LAYER_arp_hdr,
			  ibw_arp_hdr_BYTES +
				  2u * (uint32_t)(ibw_arp_hdr_hlen(arp) + ibw_arp_hdr_plen(arp)));
}

/* codec/packet_ip.c: IPv4 and IPv6 up to their payload; false: stop here. */
bool ibw_walk_ipv4(struct walk *w, uint8_t *protocol);
bool ibw_walk_ipv6(struct walk *w, uint8_t *protocol);
/* A TCP header with its options, where all of it is there. */
void ibw_walk_tcp(struct walk *w);

/* codec/packet_upper.c: ICMPv6, with the options of neighbor discovery. */
void ibw_walk_icmpv6(struct walk *w);
/* DHCP behind the UDP header, if it is that. */
void ibw_walk_dhcp(struct walk *w, const struct ibw_udp_wire *udp);

/* codec/packet_ipoib.c: the encapsulation header and what it announces. */
void ibw_walk_ipoib(struct walk *w);

#endif /* IBWIRE_CODEC_WALK_H */
