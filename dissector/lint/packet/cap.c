/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cap.c - group CAP: the capture file and its framing.
 *
 * The reader of the file reports CAP001, CAP002, CAP006 and CAP009, and CAP007 for pcapng, through
 * lint_file_finding(). This file has the rules that packets show: records cut by a snap length,
 * fragments, bytes after the packet, the order and resolution of time stamps, and whether there is
 * any RDMA at all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "cap.h"
#include "lint/found/found.h"
#include "track/view/ends.h"

/* Interfaces whose clocks are followed; files with more exist, but hardly with RDMA on them. */
#define IFACES 64

/* A step back that no reordering in a capture buffer explains. */
#define BACK_NS 1000000u

/* No queue turns packets around that far. */
#define CLOCK_STEP_NS 1000000000u

/* Fewer records tell nothing about a share of them. */
#define SHARE_MIN 100

/* After so many right FCSs in a row four bytes after a packet are taken for one unseen. */
#define FCS_SURE 64

struct lint_cap_state {
	uint64_t packets[IBW_PROTO_COUNT];
	uint64_t same_time; /* with the time of the record before */
	uint64_t with_fcs;
	uint64_t lost;        /* by the loss counters of ERF records */
	uint64_t back;        /* steps back in time */
	uint64_t back_most;   /* the largest, in ns */
	uint64_t back_frame;  /* and where it is */
	unsigned int fcs_row; /* right FCSs since the last wrong one */
	uint64_t unseen[IBW_UNSEEN_COUNT];
	struct track_frame unseen_first[IBW_UNSEEN_COUNT];
	bool unsure; /* there is RDMA elsewhere, or a link type is unknown */
	struct track_frame back_first;
	struct track_frame fcs_first;
	struct track_frame lost_first;
	uint64_t time_ns[IFACES];
};

struct lint_cap_state *lint_cap_new(void)
{
	return g_new0(struct lint_cap_state, 1);
}

void lint_cap_free(struct lint_cap_state *state)
{
	g_free(state);
}

static uint64_t packets(const struct lint_cap_state *cap)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < IBW_PROTO_COUNT; i++)
		n += cap->packets[i];
	return n;
}

static uint64_t packets_rdma(const struct lint_cap_state *cap)
{
	return packets(cap) - cap->packets[IBW_PROTO_OTHER] - cap->packets[IBW_PROTO_ARP] -
	       cap->packets[IBW_PROTO_PAUSE];
}

static bool is_roce(const struct ibw_packet *pkt)
{
	return pkt->proto == IBW_PROTO_ROCEV1 || pkt->proto == IBW_PROTO_ROCEV2;
}

/* Below BACK_NS it is the order of two queues. A record without a time has 0. */
__attribute__((cold)) static void time_back(struct lint_cap_state *cap,
					    const struct track_frame *frame, uint64_t step)
{
	if (step <= BACK_NS || !frame->time_ns)
		return;
	if (!cap->back++)
		cap->back_first = *frame;
	if (step > cap->back_most) {
		cap->back_most = step;
		cap->back_frame = frame->number;
	}
}

static inline void follow_time(struct lint_cap_state *cap, const struct track_frame *frame)
{
	uint64_t *last = &cap->time_ns[frame->iface % IFACES], before = *last;

	if (frame->iface >= IFACES)
		return;
	*last = frame->time_ns;
	if (frame->time_ns > before)
		return;
	if (frame->time_ns == before)
		cap->same_time += frame->time_ns != 0;
	else
		time_back(cap, frame, before - frame->time_ns);
}

/* Where the last byte ends that anything of the packet is checked by. */
static uint32_t needed_end(const struct ibw_packet *pkt)
{
	if (pkt->vcrc_off)
		return pkt->vcrc_off + IBW_VCRC_BYTES;
	if (pkt->icrc_off)
		return pkt->icrc_off + IBW_ICRC_BYTES;
	return pkt->payload_off + pkt->payload_len;
}

/* Whether the headers are all there as far as they are known. */
static bool headers_whole(const struct ibw_packet *pkt)
{
	if (pkt->bth != IBW_NO_SPAN)
		return pkt->eths == ibw_packet_eths(pkt);
	if (pkt->outcome != IBW_CUT || pkt->proto == IBW_PROTO_ARP || pkt->proto == IBW_PROTO_PAUSE)
		return true;
	/* Raw packets and IPoIB: what is cut after the headers has a name. */
	return pkt->error.field != NULL;
}

static void check_cut(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_error *e = &pkt->error;
	uint32_t wire = track_wire_end(pkt);

	if (pkt->outcome == IBW_OTHER)
		return;
	if (!headers_whole(pkt)) {
		if (pkt->outcome != IBW_CUT)
			return;
		lint_found(p, LINT_CAP005, e->off, 0,
			   "%u of %u bytes captured: cut inside the %s header, which needs %u "
			   "bytes and has %u%s",
			   pkt->caplen, wire, ibw_headers[e->layer].name, e->needed, e->had,
			   pkt->proto == IBW_PROTO_OTHER ? "; it may be RDMA or not" : "");
		return;
	}
	if (pkt->proto == IBW_PROTO_ARP || pkt->proto == IBW_PROTO_PAUSE ||
	    needed_end(pkt) <= pkt->caplen)
		return;
	lint_found(p, LINT_CAP004, pkt->caplen, 0, "%u of %u bytes captured: %s cannot be checked",
		   pkt->caplen, wire,
		   pkt->vcrc_off && pkt->vcrc_off <= pkt->caplen ? "the VCRC"
		   : pkt->icrc_off                               ? "payload, pad and ICRC"
								 : "the payload");
}

/* Whether span @i is the IP header that makes it a fragment: it may be that of a tunnel. */
static bool is_fragmented(const struct ibw_packet *pkt, unsigned int i)
{
	if (pkt->span[i].layer == IBW_LAYER_ipv4)
		return ibw_ipv4_mf(ibw_packet_at(pkt, i)) != 0;
	return pkt->span[i].layer == IBW_LAYER_ipv6 && pkt->span[i].len > ibw_ipv6_BYTES;
}

static void check_fragment(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_ipv4_wire *ip;
	const char *what = "RoCE v2 packet";
	unsigned int i;

	if (!is_roce(pkt))
		return;
	for (i = 0; i < pkt->n_spans && !is_fragmented(pkt, i); i++)
		;
	if (i == pkt->n_spans)
		return;
	if (i != pkt->net)
		what = "tunnel packet with RoCE in it";
	ip = ibw_packet_at(pkt, i);
	if (pkt->span[i].layer == IBW_LAYER_ipv4)
		lint_found(p, LINT_CAP015, pkt->span[i].off + ibw_ipv4_df_AT / 8, 2,
			   "first fragment of a %s: MF set, IP id 0x%04x, %u bytes in it", what,
			   ibw_ipv4_id(ip), ibw_ipv4_total_len(ip) - ibw_ipv4_ihl(ip) * 4u);
	else
		lint_found(p, LINT_CAP015, pkt->span[i].off + ibw_ipv6_BYTES,
			   pkt->span[i].len - (uint32_t)ibw_ipv6_BYTES,
			   "first fragment of a %s: IPv6 fragment header", what);
}

static bool all_zero(const uint8_t *p, uint32_t n)
{
	return n == 0 || (*p == 0 && !memcmp(p, p + 1, n - 1));
}

/* Whether the last four bytes of the frame are the FCS of those before, from the outer MACs on. */
static bool ends_in_fcs(const struct ibw_packet *pkt, uint32_t end)
{
	unsigned int i;

	for (i = 0; i < pkt->n_spans; i++)
		if (pkt->span[i].layer == IBW_LAYER_eth)
			break;
	if (i == pkt->n_spans)
		return false;
	return ibw_get_le32(pkt->data + end - 4) ==
	       ibw_eth_fcs(pkt->data + pkt->span[i].off, end - 4 - pkt->span[i].off);
}

#define HEX_BYTES 8
#define HEX_TEXT (HEX_BYTES * 3 + 4)

/* "01 02 03", ending in ".." if there are more than HEX_BYTES. */
static const char *hex_text(const uint8_t *p, uint32_t n, char text[HEX_TEXT])
{
	char *end = text;
	uint32_t i;

	for (i = 0; i < n && i < HEX_BYTES; i++)
		end += sprintf(end, "%s%02x", i ? " " : "", p[i]);
	if (n > HEX_BYTES)
		sprintf(end, " ..");
	return text;
}

/* Padding is of zeros; what is not is the FCS, a leak, or the length in the IP header is wrong. */
static void check_trailer(struct lint_cap_state *cap, const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t n = pkt->trailer_len;
	const uint8_t *trailer = pkt->data + pkt->trailer_off;
	char text[HEX_TEXT];

	if (!is_roce(pkt) || pkt->trailer_off > pkt->caplen || n > pkt->caplen - pkt->trailer_off ||
	    all_zero(trailer, n))
		return;
	if (n >= 4 && all_zero(trailer, n - 4) &&
	    ((n == 4 && cap->fcs_row >= FCS_SURE) || ends_in_fcs(pkt, pkt->trailer_off + n))) {
		if (!cap->with_fcs++)
			cap->fcs_first = *p->frame;
		cap->fcs_row++;
		return;
	}
	cap->fcs_row = 0;
	if (lint_silenced(p, LINT_CAP013))
		return;
	lint_found(p, LINT_CAP013, pkt->trailer_off, n,
		   "bytes after the end of the packet, neither zero nor the FCS: %u, %s", n,
		   hex_text(trailer, n, text));
}

/* The colored types keep something else in the place of the loss counter: Endace EDM01-36, 7. */
static void follow_losses(struct lint_cap_state *cap, const struct lint_packet *p)
{
	const struct ibw_erf_wire *erf = IBW_AT(p->pkt, erf);
	uint8_t type;

	if (!erf)
		return;
	type = ibw_erf_type(erf);
	if ((type != IBW_ERF_ETH && type != IBW_ERF_INFINIBAND &&
	     type != IBW_ERF_INFINIBAND_LINK) ||
	    !ibw_erf_lctr(erf))
		return;
	if (!cap->lost)
		cap->lost_first = *p->frame;
	cap->lost += ibw_erf_lctr(erf);
}

uint64_t lint_cap_unseen(struct lint_cap_state *cap, const struct ibw_packet *pkt)
{
	return cap->unseen[pkt->unseen]++;
}

/* What only a few packets of a capture need to be asked. */
static __attribute__((noinline)) void look_closer(struct lint_cap_state *cap,
						  const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (pkt->linktype == IBW_LINKTYPE_ERF)
		follow_losses(cap, p);
	/* A card cuts a record and says so in it alone. */
	if (pkt->caplen < track_wire_end(pkt))
		check_cut(p);
	if (pkt->flags & IBW_PKT_FRAGMENT)
		check_fragment(p);
	if (pkt->trailer_len)
		check_trailer(cap, p);
	if (pkt->unseen && !lint_cap_unseen(cap, pkt))
		cap->unseen_first[pkt->unseen] = *p->frame;
	if (pkt->unseen)
		cap->unsure = true;
	if (pkt->proto == IBW_PROTO_OTHER && !cap->unsure)
		cap->unsure = !ibw_linktype_known(pkt->linktype) || pkt->flags & IBW_PKT_BEYOND;
}

void lint_cap_rdma_elsewhere(struct lint_cap_state *cap)
{
	cap->unsure = true;
}

void lint_cap(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	struct lint_cap_state *cap = lint_cap_of(p->lint);

	cap->packets[pkt->proto]++;
	follow_time(cap, p->frame);
	if (pkt->trailer_len || pkt->caplen < pkt->len || pkt->flags & IBW_PKT_FRAGMENT ||
	    pkt->proto == IBW_PROTO_OTHER || pkt->linktype == IBW_LINKTYPE_ERF)
		look_closer(cap, p);
}

void lint_cap_plain(struct lint_cap_state *cap, const struct track_frame *frame)
{
	cap->packets[IBW_PROTO_ROCEV2]++;
	follow_time(cap, frame);
}

static double percent(uint64_t some, uint64_t all)
{
	return 100.0 * (double)some / (double)all;
}

static void finish_time(struct lint *l, const struct lint_cap_state *cap)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE]; /* with a point in every locale */
	char text[LINT_DURATION_TEXT];
	uint64_t all = packets(cap);

	if (cap->back)
		lint_file_finding(
			l, LINT_CAP003, &cap->back_first,
			"time goes back %" PRIu64 " times from this frame on, by %s "
			"at most (frame %" PRIu64 ")%s",
			cap->back, lint_duration_text(cap->back_most, text), cap->back_frame,
			cap->back_most < CLOCK_STEP_NS
				? ""
				: ": a clock that was set, or captures joined in the wrong order");
	if (all >= SHARE_MIN && cap->same_time > all / 20)
		lint_file_finding(l, LINT_CAP014, NULL,
				  "%" PRIu64 " of %" PRIu64 " records (%s %%) have the time of the "
				  "record before",
				  cap->same_time, all,
				  g_ascii_formatd(number, sizeof(number), "%.1f",
						  percent(cap->same_time, all)));
}

static void finish_unseen(struct lint *l, const struct lint_cap_state *cap)
{
	unsigned int i;

	for (i = 1; i < IBW_UNSEEN_COUNT; i++)
		if (cap->unseen[i])
			lint_file_finding(l, LINT_CAP019, &cap->unseen_first[i],
					  "%" PRIu64 " packet%s %s: not decoded", cap->unseen[i],
					  cap->unseen[i] == 1 ? " is" : "s are",
					  ibw_unseen_names[i]);
}

uint64_t lint_cap_unexamined(const struct lint_cap_state *cap)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 1; i < IBW_UNSEEN_COUNT; i++)
		n += cap->unseen[i];
	return n;
}

uint64_t lint_cap_lost(const struct lint_cap_state *cap)
{
	return cap->lost;
}

void lint_cap_finish(struct lint *l, const struct lint_cap_state *cap)
{
	finish_time(l, cap);
	finish_unseen(l, cap);
	if (cap->lost)
		lint_file_finding(l, LINT_CAP007, &cap->lost_first,
				  "the loss counters of the ERF records count %" PRIu64
				  " packets lost, the first before this frame",
				  cap->lost);
	lint_cap_twice(l);
	if (packets(cap) && !packets_rdma(cap) && !cap->unsure)
		lint_file_finding(l, LINT_CAP011, NULL,
				  "none of %" PRIu64 " packets is RoCE, InfiniBand, IPoIB or the "
				  "start of an iWARP connection",
				  packets(cap));
	if (cap->with_fcs)
		lint_file_finding(l, LINT_CAP012, &cap->fcs_first,
				  "%" PRIu64 " RoCE frames end in their Ethernet FCS; it is not "
				  "taken for the ICRC",
				  cap->with_fcs);
}
