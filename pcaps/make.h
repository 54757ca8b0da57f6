/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make.h - stating a packet in a few lines and getting its bytes.
 *
 *	struct mk_packet p;
 *
 *	mk_start(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 13);
 *	p.bth.psn = 7;					 values, any header the framing has
 *	mk_build(&p);					 valid bytes: lengths, pad, CRCs
 *	ibw_bth_set_tver(MK_AT(&p, bth), 1);		 a deliberate fault,
 *	mk_fix_crcs(&p);				 and it is the only one
 *
 * Whatever is wrong with an argument here is a mistake in the program that calls,
 * so these functions end it with a message instead of returning an error.
 */
#ifndef PCAPS_MAKE_H
#define PCAPS_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

__attribute__((noreturn, format(printf, 1, 2))) void mk_die(const char *format, ...);

/* What is being made, for its message; NULL: nothing in particular. */
extern const char *mk_making;

/* What is around the transport. MK_FRAMINGS(F): F(NAME, "name", link type, link, inside) */
#define MK_FRAMINGS(F)                                                                             \
	F(IB_LOCAL, "ib-local", INFINIBAND, NONE, IB_LOCAL)                                        \
	F(IB_GLOBAL, "ib-global", INFINIBAND, NONE, IB_GLOBAL)                                     \
	F(ROCE_V1, "roce-v1", ETHERNET, ETH, ROCE_V1)                                              \
	F(ROCE_V1_VLAN, "roce-v1-vlan", ETHERNET, VLAN, ROCE_V1)                                   \
	F(ROCE_V2_IPV4, "roce-v2-ipv4", ETHERNET, ETH, ROCE_V2_IPV4)                               \
	F(ROCE_V2_IPV4_VLAN, "roce-v2-ipv4-vlan", ETHERNET, VLAN, ROCE_V2_IPV4)                    \
	F(ROCE_V2_IPV4_QINQ, "roce-v2-ipv4-qinq", ETHERNET, QINQ, ROCE_V2_IPV4)                    \
	F(ROCE_V2_IPV6, "roce-v2-ipv6", ETHERNET, ETH, ROCE_V2_IPV6)                               \
	F(ROCE_V2_IPV6_VLAN, "roce-v2-ipv6-vlan", ETHERNET, VLAN, ROCE_V2_IPV6)                    \
	F(VXLAN_IPV4, "vxlan-roce-v2-ipv4", ETHERNET, VXLAN, ROCE_V2_IPV4)                         \
	F(VXLAN_IPV6, "vxlan-roce-v2-ipv6", ETHERNET, VXLAN, ROCE_V2_IPV6)                         \
	F(SLL_V1, "sll-roce-v1", SLL, SLL, ROCE_V1)                                                \
	F(SLL_IPV4, "sll-roce-v2-ipv4", SLL, SLL, ROCE_V2_IPV4)                                    \
	F(SLL2_IPV4, "sll2-roce-v2-ipv4", SLL2, SLL2, ROCE_V2_IPV4)                                \
	F(SLL2_IPV6, "sll2-roce-v2-ipv6", SLL2, SLL2, ROCE_V2_IPV6)                                \
	F(RAW_IPV4, "raw-roce-v2-ipv4", RAW, NONE, ROCE_V2_IPV4)                                   \
	F(RAW_IPV6, "raw-roce-v2-ipv6", RAW, NONE, ROCE_V2_IPV6)                                   \
	F(IPV4, "ipv4-roce-v2", IPV4, NONE, ROCE_V2_IPV4)                                          \
	F(IPV6, "ipv6-roce-v2", IPV6, NONE, ROCE_V2_IPV6)                                          \
	F(ERF_IPV4, "erf-eth-roce-v2-ipv4", ERF, ERF, ROCE_V2_IPV4)                                \
	F(ERF_V1, "erf-eth-roce-v1", ERF, ERF, ROCE_V1)                                            \
	F(ERF_IB_LOCAL, "erf-ib-local", ERF, ERF, IB_LOCAL)                                        \
	F(ERF_IB_GLOBAL, "erf-ib-global", ERF, ERF, IB_GLOBAL)

enum mk_framing {
#define MK_FRAMING(NAME, text, linktype, link, inside) MK_##NAME,
	MK_FRAMINGS(MK_FRAMING)
#undef MK_FRAMING
		MK_FRAMING_COUNT
};

/* "roce-v2-ipv4-vlan": the framing in the name of a file */
const char *mk_framing_name(enum mk_framing framing);
enum ibw_linktype mk_framing_linktype(enum mk_framing framing);
/* Of those that not every framing has: link, network, UDP. */
bool mk_framing_has(enum mk_framing framing, enum ibw_layer layer);

#define MK_PACKET_MAX 16384
#define MK_NONE UINT32_MAX /* an offset of what is not in the packet */
#define MK_AUTO (-1)

/*
 * A packet. The headers are values to be set between mk_start() and mk_build();
 * those the framing and the opcode do not have are ignored. Set by mk_build(),
 * whatever they held: LRH.PktLen and LNH, GRH.PayLen, the lengths of IPv4, IPv6,
 * UDP and ERF, the ethertypes, the IPv4 header checksum, BTH.PadCnt, ICRC, VCRC.
 * To have one of those wrong, edit the bytes afterwards.
 */
struct mk_packet {
	uint32_t linktype;
	enum mk_framing framing; /* as given to mk_start(); MK_FRAMING_COUNT: none of them */
	unsigned int serial;     /* numbers a packet within its file: mk_start() makes QPs of it */
	const enum mk_framing *instead; /* mk_start() takes this framing, whichever it is given */

	struct ibw_erf
		erf; /* type: Ethernet or InfiniBand, as the framing has it; ts by mk_put() */
	struct ibw_erf_ext erf_ext[8];
	unsigned int n_erf_ext;
	struct ibw_sll sll;
	struct ibw_sll2 sll2;
	struct ibw_eth outer_eth; /* of VXLAN */
	struct ibw_ipv4 outer_ipv4;
	struct ibw_udp outer_udp;
	struct ibw_vxlan vxlan;
	struct ibw_eth eth;
	struct ibw_vlan vlan[2]; /* outermost first */
	unsigned int n_vlans;
	struct ibw_lrh lrh;
	struct ibw_grh grh;
	struct ibw_ipv4 ipv4;
	struct ibw_ipv6 ipv6;
	struct ibw_udp udp; /* checksum 0, as RoCE v2 sends it; see mk_fix_udp_checksum() */
	struct ibw_bth bth;
	uint16_t eths; /* IBW_ETH_... to put after the BTH; as the opcode has them */
	struct ibw_dceth dceth;
	struct ibw_dcceth dcceth;
	struct ibw_rdeth rdeth;
	struct ibw_deth deth;
	struct ibw_xrceth xrceth;
	struct ibw_feth feth;
	struct ibw_reth reth;
	struct ibw_atomiceth atomiceth;
	struct ibw_aeth aeth;
	struct ibw_atomicacketh atomicacketh;
	struct ibw_immdt immdt;
	struct ibw_ieth ieth;
	struct ibw_atomicwrite atomicwrite;
	struct ibw_cnp cnp;
	const uint8_t *payload; /* NULL: 0, 1, 2 ... */
	uint32_t payload_len;
	int pad;          /* pad bytes after the payload; MK_AUTO: up to a multiple of 4 */
	uint32_t min_len; /* Ethernet: pad the frame with zeros to this (60; 0: not at all) */
	bool fcs;         /* Ethernet: the frame check sequence was captured too, as in ERF it is */

	/* Made by mk_build(); offsets of what is not there are MK_NONE. */
	uint8_t b[MK_PACKET_MAX];
	uint32_t len;                  /* bytes on the wire */
	uint32_t caplen;               /* bytes captured: mk_cut() */
	uint32_t off[IBW_LAYER_COUNT]; /* where the (innermost) header of a layer is */
	uint32_t outer_off;            /* VXLAN: where the outer IPv4 header is */
	uint32_t payload_off;
	uint32_t pad_off; /* after the payload, the pad if there is one */
	uint32_t icrc_off;
	uint32_t vcrc_off;
	uint32_t end; /* after ICRC or VCRC: where padding and FCS may follow */
	uint32_t fcs_off;
};

/*
 * Fills @p with a healthy packet of @opcode with @payload_len bytes in @framing. The
 * serial number is what it was (0 in a struct set to zero), everything else is set.
 */
void mk_start(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint32_t payload_len);

/* Turns the values into bytes. */
void mk_build(struct mk_packet *p);

/* Both in one, for a packet with nothing particular about it. */
void mk_plain(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint32_t payload_len);

/* As mk_start(), for a MAD of 256 bytes to QP0 (on an IB link on VL 15) or QP1. */
void mk_start_smp(struct mk_packet *p, enum mk_framing framing);
void mk_start_gsi(struct mk_packet *p, enum mk_framing framing);

/*
 * The same for any MAD: common header, class version, QPs and keys are those of its class.
 * @method has bit 0x80 in a response. Returns the 256 bytes, to be written to before
 * mk_build() and valid until the next call.
 */
uint8_t *mk_start_mad(struct mk_packet *p, enum mk_framing framing, uint8_t mgmt_class,
		      uint8_t method, uint16_t attr_id);

/* The bytes of a header of the built packet, as its view for writing: MK_AT(&p, reth). */
uint8_t *mk_at(struct mk_packet *p, enum ibw_layer layer);
#define MK_AT(p, name) ((struct ibw_##name##_wire *)mk_at((p), IBW_LAYER_##name))

/* The 4 bytes of the ICRC and the 2 of the VCRC. */
uint8_t *mk_icrc(struct mk_packet *p);
uint8_t *mk_vcrc(struct mk_packet *p);

/* Edits that move what follows; lengths and CRCs are left as they are. */
void mk_insert(struct mk_packet *p, uint32_t at, uint32_t n); /* zeros */
void mk_remove(struct mk_packet *p, uint32_t at, uint32_t n);

/* The capture holds the first @caplen bytes only (snap length). */
void mk_cut(struct mk_packet *p, uint32_t caplen);

/*
 * After an edit: make what depends on the bytes right again, and nothing else.
 * What the packet does not have is skipped.
 */
void mk_fix_lengths(struct mk_packet *p);      /* LRH, GRH, IP, UDP, ERF */
void mk_fix_ip_checksum(struct mk_packet *p);  /* IPv4 headers, VXLAN's too */
void mk_fix_udp_checksum(struct mk_packet *p); /* UDP: a right one instead of 0 */
void mk_fix_icrc(struct mk_packet *p);
void mk_fix_vcrc(struct mk_packet *p); /* and the LPCRC of a link packet */
void mk_fix_fcs(struct mk_packet *p);
void mk_fix_crcs(struct mk_packet *p); /* ICRC, VCRC, FCS, in that order */
void mk_fix(struct mk_packet *p);      /* all of the above but the UDP checksum */

/*
 * Packets without an IBA transport. Each starts from nothing and is built; the serial
 * number stays.
 */
/* These bytes, with no header known. */
void mk_bytes(struct mk_packet *p, uint32_t linktype, const void *bytes, uint32_t n);
/* An Ethernet frame of @type around @n bytes, padded to 60. */
void mk_eth_frame(struct mk_packet *p, uint16_t type, const void *bytes, uint32_t n);
/* A MAC control frame from 02:00:00:00:00:@station, with this body. */
void mk_mac_control(struct mk_packet *p, uint8_t station, const void *body, uint32_t n);
/* PFC of one priority; @quanta 0: it may send again. */
void mk_pfc(struct mk_packet *p, uint8_t station, unsigned int priority, uint16_t quanta);
/* A packet of an IB link with @lnh raw (RWH) or IPv6, and @payload_len bytes in it. */
void mk_raw_ib(struct mk_packet *p, enum ibw_lnh lnh, uint32_t payload_len);
/* A flow control packet as an ERF record. */
void mk_linkpkt(struct mk_packet *p, uint8_t vl);

/*
 * Capture files. Always little endian unless MK_BIG_ENDIAN is given, microseconds
 * unless MK_NANO is; the same on every machine.
 */
enum mk_file_flags { MK_BIG_ENDIAN = 1, MK_NANO = 2 };

struct mk_capture {
	FILE *file;
	FILE *expect; /* the .expect next to it, NULL: none */
	const char *name;
	bool ng; /* pcapng */
	unsigned int flags;
	uint32_t linktype[8]; /* of each interface; a pcap has one */
	uint32_t n_ifaces;
	uint32_t frames;  /* written so far: the number of the last one */
	uint64_t time_ns; /* of the last one, since 1970 */
};

/* The time of a capture's first frame, and from each frame to the next. */
#define MK_TIME_FIRST UINT64_C(1735689600000000000) /* 2025-01-01 00:00:00 UTC */
#define MK_TIME_STEP 10000                          /* ns */

/* The file header; @snaplen 0 stands for 262144. */
void mk_pcap(struct mk_capture *c, uint32_t linktype, uint32_t snaplen, unsigned int flags);
void mk_pcapng(struct mk_capture *c, unsigned int flags);
/* A further interface of a pcapng; returns its number. */
uint32_t mk_pcapng_iface(struct mk_capture *c, uint32_t linktype, uint32_t snaplen);
/* An Interface Statistics Block with isb_ifrecv, isb_ifdrop and isb_osdrop. */
void mk_pcapng_stats(struct mk_capture *c, uint32_t iface, uint64_t received, uint64_t ifdrop,
		     uint64_t osdrop);

/* The next frame: its time is that of the frame before plus MK_TIME_STEP. */
void mk_put(struct mk_capture *c, const struct mk_packet *p);
/* The next frame, at this time, seen by this interface. */
void mk_put_at(struct mk_capture *c, const struct mk_packet *p, uint32_t iface, uint64_t time_ns);
/* The next record of a pcap, whose header says @caplen and @len, with @n bytes after: files that lie. */
void mk_put_record(struct mk_capture *c, uint32_t caplen, uint32_t len, const void *bytes,
		   uint32_t n);

/*
 * Where the bytes are that a case makes wrong, in words of the packet, so that what a
 * linter says can be held against them:
 *
 *	bth.tver		the bytes of a field, by the schema
 *	bth			the whole header
 *	bth+4:1			so many bytes from its start, this many
 *	bth/icrc		what is no header (see make_place.c), said to be of this one
 *	path_rec@120.dlid	a header so many bytes into the payload
 *	ipv4.ttl|ipv6.hop_limit	the first one that the packet has
 *	~sa.comp_mask		one step less severe than the rule is
 *	file			of the capture, no particular bytes
 */
struct mk_place {
	char layer[32];
	uint32_t off, len;
	bool milder;
};

/* Whether packets of @framing have what @at names. */
bool mk_place_possible(enum mk_framing framing, const char *at);

/* Whether @p has the header that @at names; then *@place is where it means. @at ends at a space. */
bool mk_place(const struct mk_packet *p, const char *at, struct mk_place *place);

/*
 * The captures of the rules. A group has cases, each one packet that must fire a
 * rule or must not; they go into lint-<group>.pcap (lint-<group>-<link>.pcap for
 * link types other than Ethernet). Those that fire are made in the other framings their
 * rule is about as well: lint-framings.pcap, lint-framings-ib.pcap. Next to each capture,
 * its .expect says for each frame what a linter has to find:
 *
 *	# comment: what the packet is
 *	17 BTH001 bth 43 1	frame 17 fires BTH001, about layer bth, 1 byte at 43
 *	17 ~SAQ006 sa 110 8	the same, one step less severe than the rule
 *	18 !BTH001 bth		frame 18 does not, though it has a layer bth
 *	0 CAP003 file 0 0	a finding about the file as a whole
 *
 * These files yield no finding that is not listed.
 */
enum mk_verdict { MK_FIRES, MK_MISSES };

struct mk_case {
	const char *rule; /* "BTH001"; NULL ends the list */
	enum mk_verdict verdict;
	/* Starts, builds, and breaks. p->serial is set, the rest of @p is undefined. */
	void (*make)(struct mk_packet *p);
	/* Where; MK_MISSES: the layer that must have been reached for that to mean
	 * anything, NULL: the BTH. */
	const char *at;
	const char *also; /* what it fires besides, "BTH006=bth.pkey CRC001=bth/icrc" */
	const char *what; /* one line for the .expect file */
};

/* A file of its own, for rules about a whole file or about several packets. */
struct mk_file_case {
	const char *
		name; /* "time-back.pcap": becomes lint-<group>-time-back.pcap; NULL ends the list */
	/* Writes all of it: mk_pcap() or mk_pcapng(), frames, mk_expect(). */
	void (*write)(struct mk_capture *c);
};

/*
 * The framings a rule is made in, of MK_CLAIMED: all but those that have not the header
 * the case edits, and but what is said here.
 */
struct mk_claim {
	const char *rule; /* "BTH008", or "LRH" for a group; NULL ends the list */
	/* One case only. NULL: all of the rule's. */
	void (*make)(struct mk_packet *p);
	unsigned int framings; /* MK_IN(ROCE_V1) | ... */
	const char *why;       /* in no others */
};

#define MK_IN(name) (1u << MK_##name)
#define MK_IN_IB (MK_IN(IB_LOCAL) | MK_IN(IB_GLOBAL))
#define MK_IN_V1 (MK_IN(ROCE_V1) | MK_IN(ROCE_V1_VLAN))
#define MK_IN_IPV4 (MK_IN(ROCE_V2_IPV4) | MK_IN(ROCE_V2_IPV4_VLAN) | MK_IN(VXLAN_IPV4))
#define MK_IN_IPV6 (MK_IN(ROCE_V2_IPV6) | MK_IN(VXLAN_IPV6))
#define MK_IN_V2 (MK_IN_IPV4 | MK_IN_IPV6)
#define MK_CLAIMED (MK_IN_IB | MK_IN_V1 | MK_IN_V2)

struct mk_group {
	const char *name; /* "bth" */
	const struct mk_case *cases;
	const struct mk_file_case *files; /* NULL: none */
	const struct mk_claim *claims;    /* NULL: all of them everywhere */
};

/*
 * A line of the .expect file about the last frame written, which is @p: it fires @rule @at this
 * place; it does not, and was walked to this layer (NULL: as far as may be).
 */
void mk_fires(struct mk_capture *c, const struct mk_packet *p, const char *rule, const char *at);
void mk_misses(struct mk_capture *c, const char *rule, const char *layer);

/* The last frame fires @rule by an event: about @layer, no particular bytes. */
void mk_event_fires(struct mk_capture *c, const char *rule, const char *layer);

/* The same, one step less severe than the rule is. */
void mk_event_fires_milder(struct mk_capture *c, const char *rule, const char *layer);

/* The same about the file as a whole. */
void mk_file_fires(struct mk_capture *c, const char *rule);
void mk_file_misses(struct mk_capture *c, const char *rule);

/* make_lint_<group>.c */
extern const struct mk_group mk_lint_cap, mk_lint_lrh, mk_lint_grh, mk_lint_bth, mk_lint_xth,
	mk_lint_crc, mk_lint_roc, mk_lint_cng, mk_lint_mad, mk_lint_rmp, mk_lint_smp, mk_lint_saq,
	mk_lint_mcast, mk_lint_mcg, mk_lint_paths, mk_lint_neigh, mk_lint_ipo, mk_lint_iwp,
	mk_lint_cms, mk_lint_stream, mk_lint_rewritten, mk_lint_icmp, mk_lint_transact,
	mk_lint_notice, mk_lint_cm, mk_lint_fabric, mk_lint_fab, mk_lint_ulp;

/*
 * The parts of the program: each writes its files through mk_file_begin() and
 * mk_file_end(); @name without a directory.
 */
void mk_file_begin(struct mk_capture *c, const char *name, bool expect);
void mk_file_end(struct mk_capture *c);

void mk_all_cm(void);
void mk_all_opcodes(void); /* opcodes-*, cut-*, framings* */
void mk_all_link(void);
void mk_all_ipoib(void);
void mk_all_vectors(void);
void mk_all_lint(void);
void mk_all_streams(int dir, const char *dir_name); /* of the conversations in this directory */

#endif /* PCAPS_MAKE_H */
