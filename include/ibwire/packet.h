/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packet.h - the walk over one captured packet: which header lies where.
 *
 *	struct ibw_packet pkt;
 *
 *	if (ibw_packet_walk(&pkt, data, caplen, len, IBW_LINKTYPE_ETHERNET, NULL) != IBW_OTHER &&
 *	    IBW_AT(&pkt, bth))
 *		psn = ibw_bth_psn(IBW_AT(&pkt, bth));
 *
 * Nothing is copied or allocated: spans point into the caller's bytes. The
 * lengths come from the protocol (LRH.PktLen, GRH.PayLen, IP and UDP lengths),
 * so Ethernet padding and a captured FCS are never taken for an ICRC. MADs and IPoIB bodies stay in
 * the payload, for callers that decode them.
 */
#ifndef IBWIRE_PACKET_H
#define IBWIRE_PACKET_H

#include "base.h"
#include "crc.h"
#include "tables.h"
#include "transport.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Link types as in capture files (LINKTYPE_..., tcpdump.org). */
enum ibw_linktype {
	IBW_LINKTYPE_NULL = 0, /* 4 bytes in front of IP, in the byte order of the host */
	IBW_LINKTYPE_ETHERNET = 1,
	IBW_LINKTYPE_PPP = 9,
	IBW_LINKTYPE_RAW = 101,  /* IPv4 or IPv6, recognised by the version nibble */
	IBW_LINKTYPE_LOOP = 108, /* as NULL, big endian */
	IBW_LINKTYPE_SLL = 113,
	IBW_LINKTYPE_USER0 = 147, /* whatever its user says: walk it as that */
	IBW_LINKTYPE_ERF = 197,   /* types 2, 11, 16, 20, 21, 25 */
	IBW_LINKTYPE_IPV4 = 228,
	IBW_LINKTYPE_IPV6 = 229,
	IBW_LINKTYPE_IPOIB = 242,
	IBW_LINKTYPE_INFINIBAND = 247, /* LRH up to VCRC */
	IBW_LINKTYPE_SLL2 = 276
};

/* The outcome of a walk. Spans found up to that point are valid with every outcome. */
enum ibw_outcome {
	IBW_OK,        /* RDMA, or a frame that serves it (ARP, pause), whole */
	IBW_CUT,       /* the capture is short; the sender did nothing wrong */
	IBW_MALFORMED, /* the packet contradicts itself; see the error */
	IBW_OTHER      /* nothing of RDMA in it */
};

/* What the packet is; the keys of the "protocols" counts. */
enum ibw_proto {
	IBW_PROTO_OTHER,
	IBW_PROTO_ROCEV1,
	IBW_PROTO_ROCEV2,
	IBW_PROTO_IB,
	IBW_PROTO_IPOIB, /* by link type, or device type of a cooked one; IPoIB inside IB counts as IB */
	IBW_PROTO_IWARP, /* the first packet of either side of a connection; the rest is OTHER */
	IBW_PROTO_ARP,
	IBW_PROTO_PAUSE,
	IBW_PROTO_COUNT
};

/* One header: bytes [off, off + len) of the packet are a header of this layer. */
struct ibw_span {
	uint16_t layer; /* enum ibw_layer */
	uint16_t len;   /* bytes, options included */
	uint32_t off;   /* bytes from the start of the captured data */
};

/* ERF with 8 extensions, VLANs, a tunnel, IP, BTH, 5 more; with more tunnels than fit it is unseen. */
#define IBW_SPANS_MAX 32
#define IBW_NO_SPAN 0xff

/* Why the walk stopped, or what it doubts: a header that needed more bytes than there were. */
struct ibw_error {
	uint16_t layer;   /* enum ibw_layer: the header at fault */
	uint16_t said_by; /* enum ibw_layer whose length bounds it; IBW_LAYER_COUNT: the capture */
	/*
	 * The field at fault; NULL: the header as a whole. For a packet cut after its headers,
	 * "payload" (including pad and ICRC) or "vcrc".
	 */
	const char *field;
	uint32_t off;    /* where the layer starts */
	uint32_t needed; /* bytes (or the value the field should have had) */
	uint32_t had;    /* bytes (or the value it has) */
};

enum ibw_packet_flags {
	/* An IP fragment, or inside one: nothing after the IP header is sure. */
	IBW_PKT_FRAGMENT = 1 << 0,
	IBW_PKT_IP_OPTIONS = 1 << 1, /* IPv4 options or IPv6 extension headers, not of a tunnel */
	IBW_PKT_VENDOR = 1 << 2,     /* manufacturer opcode: the headers after BTH are unknown */
	IBW_PKT_TUNNEL = 1 << 3,     /* the packet is inside a tunnel or mirror: see first */
	IBW_PKT_LENGTHS = 1 << 4, /* nested lengths disagree; LRH.PktLen or the smallest was used */
	IBW_PKT_DC = 1 << 6,      /* of the DC transport, in an opcode of RD */
	IBW_PKT_BEYOND = 1 << 5   /* the outermost length says more than the frame has */
};

/* Kinds of payload that the walk recognises but does not decode. */
enum ibw_unseen {
	IBW_UNSEEN_NONE,
	IBW_UNSEEN_ESP,
	IBW_UNSEEN_AH,
	IBW_UNSEEN_ETHERIP,
	IBW_UNSEEN_L2TP,
	IBW_UNSEEN_MACSEC,
	IBW_UNSEEN_GTP_U,
	IBW_UNSEEN_GRE,
	IBW_UNSEEN_ERSPAN,
	IBW_UNSEEN_VXLAN_GPE,
	IBW_UNSEEN_GENEVE,
	IBW_UNSEEN_MPLS,
	IBW_UNSEEN_PPP,
	IBW_UNSEEN_DEPTH, /* more headers than there is room for, or than occur */
	IBW_UNSEEN_CISCO,
	IBW_UNSEEN_COUNT
};

struct ibw_packet {
	const uint8_t *data;
	uint32_t caplen; /* bytes at data */
	uint32_t len;    /* bytes the packet had on the wire */
	uint32_t linktype;
	uint8_t outcome;   /* enum ibw_outcome */
	uint8_t proto;     /* enum ibw_proto */
	uint16_t flags;    /* enum ibw_packet_flags */
	uint8_t icrc_kind; /* enum ibw_icrc_kind; NONE: the packet has no ICRC */
	uint8_t opcode;    /* of the BTH, if there is one */
	uint8_t n_spans;
	uint8_t first; /* index of the first span of the packet itself: what is before is a tunnel */
	uint8_t unseen; /* enum ibw_unseen: what its payload is */

	/* Indexes into span[], IBW_NO_SPAN where there is none; of nested ones the innermost. */
	uint8_t eth, net, udp, bth; /* net: ipv4, ipv6 or grh */
	uint8_t lrh;
	uint16_t eths; /* IBW_ETH_... of the extension headers; their spans follow bth's */

	/* Bytes from the start of data; an end may lie beyond caplen (then it is cut). */
	uint32_t payload_off; /* after the last header */
	uint32_t payload_len; /* without the pad */
	uint32_t pad_len;     /* BTH.PadCnt as far as it fits */
	uint32_t cover_off;   /* first byte the ICRC covers: LRH, GRH or IP header */
	uint32_t icrc_off;    /* 0: none */
	uint32_t vcrc_off;    /* 0: none */
	uint32_t trailer_off; /* after all the protocol knows: padding, FCS */
	uint32_t trailer_len;
	struct ibw_error error; /* outcome CUT or MALFORMED */
	struct ibw_span span[IBW_SPANS_MAX];
};

struct ibw_walk_options {
	const uint16_t *roce_ports; /* UDP destination ports in addition to 4791 */
	unsigned int n_roce_ports;
};

/*
 * Walks the @caplen bytes at @data, of a packet of @len bytes, and fills @pkt,
 * which keeps pointing at @data. @len below @caplen is taken as @caplen. @opt
 * may be NULL. Returns pkt->outcome.
 */
enum ibw_outcome ibw_packet_walk(struct ibw_packet *pkt, const void *data, uint32_t caplen,
				 uint32_t len, uint32_t linktype,
				 const struct ibw_walk_options *opt);

/*
 * Whether the payload of a walked native IB packet is IPoIB: a UD packet to an
 * ordinary QP, with a known ethertype, zero reserved bits and a plausible body.
 * No field says so; IPoIB is a convention between its ends. In connected mode (RC, UC: RFC 4755) a
 * packet does not show even that much: the result is false. A caller that has seen the CM exchange
 * knows the queue pairs, and calls ibw_packet_walk_ipoib().
 */
bool ibw_packet_is_ipoib(const struct ibw_packet *pkt);

/*
 * Walks the payload of @pkt as IPoIB, whatever the packet is, and fills @ip: spans from
 * the encapsulation header on, with offsets into the same data; ARP, IP and UDP, and the protocols
 * that carry hardware addresses, neighbor discovery and DHCP.
 */
enum ibw_outcome ibw_packet_walk_ipoib(struct ibw_packet *ip, const struct ibw_packet *pkt);

/* Whether the walk knows the link type at all. */
bool ibw_linktype_known(uint32_t linktype);

/* The bytes of span @i, which is not IBW_NO_SPAN; where the layer is known, see IBW_AT(). */
IBW_INLINE const void *ibw_packet_at(const struct ibw_packet *pkt, unsigned int i)
{
	return pkt->data + pkt->span[i].off;
}

/* The index of the last span of @layer, IBW_NO_SPAN if there is none. */
IBW_INLINE unsigned int ibw_packet_find(const struct ibw_packet *pkt, unsigned int layer)
{
	unsigned int i = pkt->n_spans;

	while (i-- > 0)
		if (pkt->span[i].layer == layer)
			return i;
	return IBW_NO_SPAN;
}

/* The index of the extension header @eth_bit (IBW_ETH_RETH ...), IBW_NO_SPAN if there is none. */
IBW_INLINE unsigned int ibw_packet_eth(const struct ibw_packet *pkt, unsigned int eth_bit)
{
	unsigned int before = pkt->eths & (eth_bit - 1), i = pkt->bth + 1u;

	if (!(pkt->eths & eth_bit))
		return IBW_NO_SPAN;
	for (; before; before &= before - 1) /* __builtin_popcount() may be a call of libgcc's */
		i++;
	return i;
}

/*
 * The index of the header @layer, of nested ones the innermost; IBW_NO_SPAN if there is none.
 * With a constant @layer it is one load and a compare for those struct ibw_packet names.
 */
IBW_INLINE unsigned int ibw_packet_index(const struct ibw_packet *pkt, enum ibw_layer layer)
{
	switch (layer) {
	case IBW_LAYER_eth:
		return pkt->eth;
	case IBW_LAYER_lrh:
		return pkt->lrh;
	case IBW_LAYER_ipv4:
	case IBW_LAYER_ipv6:
	case IBW_LAYER_grh:
		return pkt->net != IBW_NO_SPAN && pkt->span[pkt->net].layer == layer ? pkt->net
										     : IBW_NO_SPAN;
	case IBW_LAYER_udp:
		return pkt->udp;
	case IBW_LAYER_bth:
		return pkt->bth;
	case IBW_LAYER_dceth:
		return ibw_packet_eth(pkt, IBW_ETH_DCETH);
	case IBW_LAYER_dcceth:
		return ibw_packet_eth(pkt, IBW_ETH_DCCETH);
	case IBW_LAYER_rdeth:
		return ibw_packet_eth(pkt, IBW_ETH_RDETH);
	case IBW_LAYER_deth:
		return ibw_packet_eth(pkt, IBW_ETH_DETH);
	case IBW_LAYER_xrceth:
		return ibw_packet_eth(pkt, IBW_ETH_XRCETH);
	case IBW_LAYER_feth:
		return ibw_packet_eth(pkt, IBW_ETH_FETH);
	case IBW_LAYER_reth:
		return ibw_packet_eth(pkt, IBW_ETH_RETH);
	case IBW_LAYER_atomiceth:
		return ibw_packet_eth(pkt, IBW_ETH_ATOMICETH);
	case IBW_LAYER_aeth:
		return ibw_packet_eth(pkt, IBW_ETH_AETH);
	case IBW_LAYER_atomicacketh:
		return ibw_packet_eth(pkt, IBW_ETH_ATOMICACKETH);
	case IBW_LAYER_immdt:
		return ibw_packet_eth(pkt, IBW_ETH_IMMDT);
	case IBW_LAYER_ieth:
		return ibw_packet_eth(pkt, IBW_ETH_IETH);
	case IBW_LAYER_atomicwrite:
		return ibw_packet_eth(pkt, IBW_ETH_ATOMICWRITE);
	case IBW_LAYER_cnp:
		return ibw_packet_eth(pkt, IBW_ETH_CNP);
	default:
		return ibw_packet_find(pkt, layer);
	}
}

/* The bytes of the header @layer; NULL: there is none. */
IBW_INLINE const void *ibw_packet_header(const struct ibw_packet *pkt, enum ibw_layer layer)
{
	unsigned int i = ibw_packet_index(pkt, layer);

	return i == IBW_NO_SPAN ? NULL : ibw_packet_at(pkt, i);
}

/* The header @hdr of the packet, a const struct ibw_@hdr_wire *; NULL if there is none. */
#define IBW_AT(pkt, hdr)                                                                           \
	((const struct ibw_##hdr##_wire *)ibw_packet_header((pkt), IBW_LAYER_##hdr))

/* The same where the packet is known to have one of those it has an index of, without asking. */
IBW_INLINE const void *ibw_packet_known(const struct ibw_packet *pkt, enum ibw_layer layer)
{
	switch (layer) {
	case IBW_LAYER_eth:
		return ibw_packet_at(pkt, pkt->eth);
	case IBW_LAYER_lrh:
		return ibw_packet_at(pkt, pkt->lrh);
	case IBW_LAYER_udp:
		return ibw_packet_at(pkt, pkt->udp);
	case IBW_LAYER_bth:
		return ibw_packet_at(pkt, pkt->bth);
	default:
		return ibw_packet_at(pkt, pkt->net);
	}
}

#define IBW_KNOWN_eth 1
#define IBW_KNOWN_lrh 1
#define IBW_KNOWN_ipv4 1
#define IBW_KNOWN_ipv6 1
#define IBW_KNOWN_grh 1
#define IBW_KNOWN_udp 1
#define IBW_KNOWN_bth 1
#define IBW_KNOWN(pkt, hdr)                                                                        \
	((const struct ibw_##hdr##_wire *)ibw_packet_known(                                        \
		(pkt), (enum ibw_layer)(IBW_KNOWN_##hdr * IBW_LAYER_##hdr)))

/* IBW_ETH_... of the headers that the opcode of a packet with a BTH announces, captured or not. */
uint32_t ibw_packet_eths(const struct ibw_packet *pkt);

/* "RC SEND Only", "DC Connect" ...; NULL for an opcode that is not defined. */
const char *ibw_packet_opcode_text(const struct ibw_packet *pkt);

/* The verdict on the ICRC or VCRC of a packet. */
enum ibw_crc_status {
	IBW_CRC_ABSENT, /* the packet has none */
	IBW_CRC_GOOD,
	IBW_CRC_BAD,
	IBW_CRC_UNVERIFIABLE /* the capture is cut, or it is a fragment */
};

struct ibw_crc_verdict {
	uint32_t found;    /* GOOD, BAD: as stored, least significant byte first */
	uint32_t computed; /* GOOD, BAD */
	uint8_t status;    /* enum ibw_crc_status */
};

/* The verdicts on a walked packet's ICRC and VCRC (for a link packet: its LPCRC). */
struct ibw_crc_verdict ibw_packet_icrc(const struct ibw_packet *pkt);
struct ibw_crc_verdict ibw_packet_vcrc(const struct ibw_packet *pkt);

/*
 * "ESP" ...; "rocev2", "ib" ...; "ok", "cut" ...; "good", "bad" ... NULL for a number that is none, and
 * for no unseen.
 */
const char *ibw_unseen_text(unsigned int unseen);
const char *ibw_proto_text(unsigned int proto);
const char *ibw_outcome_text(unsigned int outcome);
const char *ibw_crc_status_text(unsigned int status);

#pragma GCC visibility pop

/* The same as tables, in the static library only: see tables.h. */
extern const char *const ibw_unseen_names[IBW_UNSEEN_COUNT];
extern const char *const ibw_proto_names[IBW_PROTO_COUNT];
extern const char *const ibw_outcome_names[4];
extern const char *const ibw_crc_status_names[4];
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_PACKET_H */
