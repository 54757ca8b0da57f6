/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk.h - the packet walk: a cursor over the packet, and what it is found to be.
 *
 * Private to codec/.
 */
#ifndef IBWIRE_CODEC_WALK_H
#define IBWIRE_CODEC_WALK_H

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#include "cursor.h"

struct walk {
	struct cursor c;
	struct ibw_packet *pkt;
	uint16_t type; /* NEXT_TYPE: the ethertype */
	bool cut;      /* a mirror says that it cut the frame */
};

/* What a header announces. */
enum walk_next { NEXT_NOTHING, NEXT_ETHERNET, NEXT_TYPE };

/*
 * With more spans than that around it no packet is decoded: it may have an Ethernet header, 4
 * tags, IP, UDP, BTH and 5 more.
 */
#define SPANS_OUTSIDE_MAX (IBW_SPANS_MAX - 13)

/* A walk over the @cap bytes at @p, from @off on, whose end is still to be said. */
static inline struct walk walk_of(struct ibw_packet *pkt, const uint8_t *p, uint32_t off,
				  uint32_t cap)
{
	struct walk w;

	w.c.p = p;
	w.c.off = off;
	w.c.cap = cap;
	w.c.span = pkt->span;
	w.c.room = IBW_SPANS_MAX;
	w.c.n_spans = 0;
	w.c.outcome = IBW_OK;
	w.c.error = &pkt->error;
	w.pkt = pkt;
	w.type = 0;
	w.cut = false;
	return w;
}

/* Gives the packet what the cursor has counted. */
static inline enum ibw_outcome walk_done(struct walk *w)
{
	w->pkt->n_spans = (uint8_t)(w->c.n_spans < IBW_SPANS_MAX ? w->c.n_spans : IBW_SPANS_MAX);
	w->pkt->outcome = w->c.outcome;
	return (enum ibw_outcome)w->c.outcome;
}

static inline void walk_end(struct walk *w, uint32_t end, uint16_t said_by)
{
	cursor_end(&w->c, end, said_by);
}

/*
 * Records what is wrong with @layer, which starts at @off; the first error stays, and
 * malformed outweighs cut.
 */
static inline void walk_error_at(struct walk *w, uint32_t off, enum ibw_outcome outcome,
				 uint16_t layer, const char *field, uint32_t needed, uint32_t had)
{
	if (w->c.outcome == IBW_CUT && outcome == IBW_MALFORMED)
		w->c.outcome = IBW_OK;
	cursor_error(&w->c, off, outcome, layer, field, needed, had);
}

/* The same of a header not taken yet. */
static inline void walk_error(struct walk *w, enum ibw_outcome outcome, uint16_t layer,
			      const char *field, uint32_t needed, uint32_t had)
{
	walk_error_at(w, w->c.off, outcome, layer, field, needed, had);
}

/*
 * A length of @layer says that the packet ends at @end, and there is less. If it is the frame that
 * has less, a tap may have cut it, so the length is believed: the end was not captured.
 */
static inline void walk_beyond(struct walk *w, uint32_t end, uint16_t layer)
{
	if (w->c.end_by != IBW_LAYER_COUNT && w->c.end_by != IBW_LAYER_erf && !w->cut)
		return;
	w->pkt->flags |= IBW_PKT_BEYOND;
	walk_end(w, end, layer);
}

/*
 * @n bytes for @layer are not there: is it the packet or the capture that is short? A
 * fragment may end anywhere; the rest is in the next.
 */
static inline void walk_short(struct walk *w, uint16_t layer, uint32_t n)
{
	bool beyond = n > w->c.end - w->c.off;

	if (beyond && w->pkt->flags & IBW_PKT_FRAGMENT && w->c.end <= w->c.cap)
		return;
	if (beyond && !(w->pkt->flags & IBW_PKT_FRAGMENT))
		walk_error(w, IBW_MALFORMED, layer, NULL, n, w->c.end - w->c.off);
	else
		walk_error(w, IBW_CUT, layer, NULL, n, w->c.cap - w->c.off);
}

/* Whether @n bytes are left for @layer; if not, the error is recorded. */
static inline bool walk_need(struct walk *w, uint16_t layer, uint32_t n)
{
	if (n <= cursor_left(&w->c))
		return true;
	walk_short(w, layer, n);
	return false;
}

/* What is left is payload no header says more of; the capture may end within it. */
static inline void walk_rest(struct walk *w, uint16_t layer)
{
	w->pkt->payload_off = w->c.off;
	w->pkt->payload_len = w->c.end - w->c.off;
	if (w->c.end > w->c.cap)
		walk_error(w, IBW_CUT, layer, "payload", w->c.end - w->c.off, w->c.cap - w->c.off);
}

/* Adds a span of @n bytes, known to be left. Returns its index, without room that of the last. */
static inline uint8_t walk_span(struct walk *w, uint16_t layer, uint32_t n)
{
	uint32_t i = cursor_span(&w->c, layer, n);

	return (uint8_t)(i < IBW_SPANS_MAX ? i : IBW_SPANS_MAX - 1);
}

/* The index of the span added last. */
static inline uint8_t walk_last(const struct walk *w)
{
	return (uint8_t)((w->c.n_spans < IBW_SPANS_MAX ? w->c.n_spans : IBW_SPANS_MAX) - 1);
}

/* The bytes of a whole header of fixed size, its span added; NULL if they are not there. */
static inline const void *walk_take(struct walk *w, uint16_t layer, uint32_t n)
{
	const uint8_t *p = w->c.p + w->c.off;

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
	const struct ibw_arp_hdr_wire *arp = (const struct ibw_arp_hdr_wire *)(w->c.p + w->c.off);

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

/* codec/packet_tunnel.c: the headers of a tunnel, and what follows them. */
enum walk_next ibw_walk_gre(struct walk *w);
enum walk_next ibw_walk_mpls(struct walk *w);
enum walk_next ibw_walk_ppp(struct walk *w);
enum walk_next ibw_walk_pppoe(struct walk *w);
enum walk_next ibw_walk_udp_tunnel(struct walk *w, uint16_t port);
/* The same of an ethertype that the walk does not know itself, or of a length. */
enum walk_next ibw_walk_other_type(struct walk *w, uint16_t type);
/* The same of all that IP carries but UDP; TCP. */
enum walk_next ibw_walk_ip_tunnel(struct walk *w, uint8_t protocol);

/* codec/packet_upper.c: ICMPv6, with the options of neighbor discovery. */
void ibw_walk_icmpv6(struct walk *w);
/* DHCP after the UDP header, if it is that. */
void ibw_walk_dhcp(struct walk *w, const struct ibw_udp_wire *udp);

/* codec/packet_ipoib.c: the encapsulation header and what it announces. */
void ibw_walk_ipoib(struct walk *w);

/* What follows it, of a type that IPoIB carries; @layer is the header before it. */
static inline bool ibw_walk_is_ipoib_type(uint16_t type)
{
	return type == IBW_ETHERTYPE_IPV4 || type == IBW_ETHERTYPE_IPV6 ||
	       type == IBW_ETHERTYPE_ARP || type == IBW_ETHERTYPE_RARP;
}
void ibw_walk_ipoib_body(struct walk *w, uint16_t type, uint16_t layer);

#endif /* IBWIRE_CODEC_WALK_H */
