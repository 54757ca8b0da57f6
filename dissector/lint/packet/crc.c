/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crc.c - group CRC: checks the ICRC and the VCRC, and explains wrong ones.
 *
 * One finding for a wrong ICRC: the most specific cause that can be proved. Values
 * are printed in the order of their bytes on the wire, as Wireshark does.
 */
#include <stdio.h>

#include <ibwire/crc.h>

#include "lint/found/found.h"
#include "track/view/ends.h"

/* Whether the packet is whole, its ICRC right, if the ICRC is the 4 bytes after @end. */
static bool icrc_follows(const struct ibw_packet *pkt, uint32_t end)
{
	return track_ends_at(pkt, end + IBW_ICRC_BYTES);
}

/* A packet that ends with its headers. */
static void check_left_out(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t end = pkt->payload_off;

	if (icrc_follows(pkt, end))
		lint_found(p, LINT_CRC008, end, IBW_ICRC_BYTES,
			   "%s: the lengths do not count the ICRC, which is there and right",
			   lint_opcode_text(pkt));
	else
		lint_found(p, LINT_CRC008, end, 0,
			   "%s ends with its headers: %u bytes from the BTH on, with an "
			   "ICRC %u",
			   lint_opcode_text(pkt), end - pkt->span[pkt->bth].off,
			   end + IBW_ICRC_BYTES - pkt->span[pkt->bth].off);
}

/* Whether the last 4 bytes are no ICRC at all; then the finding is made. */
static bool check_absent(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t end = pkt->icrc_off + IBW_ICRC_BYTES, bytes = end - pkt->payload_off;

	if (icrc_follows(pkt, end)) {
		lint_found(p, LINT_CRC008, end, IBW_ICRC_BYTES,
			   "%s: the lengths do not count the ICRC, which is there and right",
			   lint_opcode_text(pkt));
		return true;
	}
	if (!track_icrc_absent(pkt))
		return false;
	lint_found(p, LINT_CRC008, pkt->icrc_off, IBW_ICRC_BYTES,
		   "%s: the %u bytes after the headers are all payload and pad, with an "
		   "ICRC they were %u",
		   lint_opcode_text(pkt), bytes, bytes + IBW_ICRC_BYTES);
	return true;
}

/* What the ICRC takes as ones, as each kind of packet calls it. */
static const struct {
	unsigned int mask;
	const char *names[IBW_ICRC_KINDS];
} masks[IBW_ICRC_MASKS] = {
	{ IBW_ICRC_MASK_LRH,
	  { [IBW_ICRC_IB_LOCAL] = "LRH VL",
	    [IBW_ICRC_IB_GLOBAL] = "LRH",
	    [IBW_ICRC_ROCE_V1] = "8 bytes in place of an LRH",
	    [IBW_ICRC_ROCE_V2_IPV4] = "8 bytes in place of an LRH",
	    [IBW_ICRC_ROCE_V2_IPV6] = "8 bytes in place of an LRH" } },
	{ IBW_ICRC_MASK_TCLASS,
	  { [IBW_ICRC_IB_GLOBAL] = "GRH traffic class",
	    [IBW_ICRC_ROCE_V1] = "GRH traffic class",
	    [IBW_ICRC_ROCE_V2_IPV4] = "IPv4 TOS",
	    [IBW_ICRC_ROCE_V2_IPV6] = "IPv6 traffic class" } },
	{ IBW_ICRC_MASK_FLOW_LABEL,
	  { [IBW_ICRC_IB_GLOBAL] = "GRH flow label",
	    [IBW_ICRC_ROCE_V1] = "GRH flow label",
	    [IBW_ICRC_ROCE_V2_IPV6] = "IPv6 flow label" } },
	{ IBW_ICRC_MASK_HOP_LIMIT,
	  { [IBW_ICRC_IB_GLOBAL] = "GRH hop limit",
	    [IBW_ICRC_ROCE_V1] = "GRH hop limit",
	    [IBW_ICRC_ROCE_V2_IPV4] = "IPv4 TTL",
	    [IBW_ICRC_ROCE_V2_IPV6] = "IPv6 hop limit" } },
	{ IBW_ICRC_MASK_IP_CHECKSUM, { [IBW_ICRC_ROCE_V2_IPV4] = "IPv4 header checksum" } },
	{ IBW_ICRC_MASK_UDP_CHECKSUM,
	  { [IBW_ICRC_ROCE_V2_IPV4] = "UDP checksum", [IBW_ICRC_ROCE_V2_IPV6] = "UDP checksum" } },
	{ IBW_ICRC_MASK_RESV8A,
	  { [IBW_ICRC_IB_LOCAL] = "BTH byte 4",
	    [IBW_ICRC_IB_GLOBAL] = "BTH byte 4",
	    [IBW_ICRC_ROCE_V1] = "BTH byte 4",
	    [IBW_ICRC_ROCE_V2_IPV4] = "BTH byte 4",
	    [IBW_ICRC_ROCE_V2_IPV6] = "BTH byte 4" } },
};

/* Room for all of them. */
#define NAMES_MAX 160

/* "IPv4 TTL, UDP checksum"; returns @buf. */
static const char *mask_names(unsigned int kind, unsigned int set, char buf[NAMES_MAX])
{
	size_t used = 0, i;

	buf[0] = '\0';
	for (i = 0; i < IBW_ICRC_MASKS && used < NAMES_MAX; i++)
		if (masks[i].mask & set && masks[i].names[kind])
			used += (size_t)snprintf(buf + used, NAMES_MAX - used, "%s%s",
						 used ? ", " : "", masks[i].names[kind]);
	return buf;
}

/* "bth.dqpn", "payload byte 17", "the ICRC": what bit @mask of the byte at @off belongs to. */
static const char *bit_owner(const struct ibw_packet *pkt, uint32_t off, uint8_t mask,
			     char buf[NAMES_MAX])
{
	uint32_t bit = (uint32_t)__builtin_clz(mask) - 24;
	unsigned int i;

	for (i = 0; i < pkt->n_spans; i++) {
		const struct ibw_span *span = &pkt->span[i];
		const struct ibw_header *header = &ibw_headers[span->layer];
		const struct ibw_field *f;

		if (off < span->off || off >= span->off + span->len)
			continue;
		bit += (off - span->off) * 8;
		for (f = header->fields; f->name; f++)
			if (bit >= f->at && bit < f->at + (uint32_t)f->bits * f->count)
				break;
		snprintf(buf, NAMES_MAX, "%s.%s", header->name, f->name ? f->name : "options");
		return buf;
	}
	if (off >= pkt->icrc_off)
		snprintf(buf, NAMES_MAX, "the ICRC itself");
	else if (off >= pkt->payload_off + pkt->payload_len)
		snprintf(buf, NAMES_MAX, "the pad");
	else
		snprintf(buf, NAMES_MAX, "payload byte %u", off - pkt->payload_off);
	return buf;
}

/* What is said of a wrong ICRC first. */
#define WRONG "%s: ICRC 0x%08x, should be 0x%08x"
#define WRONG_ARGS                                                                                 \
	lint_opcode_text(pkt), ibw_icrc_on_wire(p->view->icrc.found),                              \
		ibw_icrc_on_wire(p->view->icrc.computed)
#define FOUND(rule, ...)                                                                           \
	lint_found(p, LINT_##rule, pkt->icrc_off, IBW_ICRC_BYTES, WRONG ": " __VA_ARGS__)

static void report_masks(const struct lint_packet *p, const struct ibw_icrc_why *why)
{
	const struct ibw_packet *pkt = p->pkt;
	char zeroed[NAMES_MAX], missing[NAMES_MAX];

	mask_names(pkt->icrc_kind, why->missing, missing);
	if (!why->zeroed)
		FOUND(CRC005, "made without replacing by ones: %s", WRONG_ARGS, missing);
	else
		FOUND(CRC006, "made with zeros where ones belong: %s%s%s", WRONG_ARGS,
		      mask_names(pkt->icrc_kind, why->zeroed, zeroed),
		      why->missing ? "; as sent: " : "", missing);
}

static void report_flip(const struct lint_packet *p, const struct ibw_icrc_why *why)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t off = pkt->cover_off + (uint32_t)why->flipped_at;
	char owner[NAMES_MAX];

	lint_found(p, LINT_CRC001, off, 1,
		   WRONG ": one flipped bit explains it, 0x%02x of byte %u (%s)", WRONG_ARGS,
		   why->flipped_mask, off, bit_owner(pkt, off, why->flipped_mask, owner));
}

static void report_twice(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (TRACK_OPERATION(pkt->opcode) == IBW_OP_RC_FLUSH)
		FOUND(CRC001,
		      "the headers from the BTH on are covered twice, a known fault of Linux rxe's FLUSH",
		      WRONG_ARGS);
	else
		FOUND(CRC001, "the packet from the BTH on is covered twice", WRONG_ARGS);
}

static bool any_icrc_rule_on(const struct lint *l)
{
	return lint_on(l, LINT_CRC001) || lint_on(l, LINT_CRC002) || lint_on(l, LINT_CRC003) ||
	       lint_on(l, LINT_CRC004) || lint_on(l, LINT_CRC005) || lint_on(l, LINT_CRC006) ||
	       lint_on(l, LINT_CRC008) || lint_on(l, LINT_CRC012) || lint_on(l, LINT_CRC013);
}

/* Whether the sender began at the Ethernet header: in a tunnel, at the inner one. */
static bool covers_link(const struct ibw_packet *pkt, uint32_t found)
{
	const struct ibw_span *eth = NULL;
	unsigned int i;

	for (i = 0; i < pkt->n_spans && pkt->span[i].off < pkt->cover_off; i++)
		if (pkt->span[i].layer == IBW_LAYER_eth)
			eth = &pkt->span[i];
	return eth &&
	       ibw_icrc_covers_link((enum ibw_icrc_kind)pkt->icrc_kind, pkt->data + eth->off,
				    pkt->cover_off - eth->off, track_covered_bytes(pkt), found);
}

static void report_unknown(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (check_absent(p))
		return;
	if (covers_link(pkt, p->view->icrc.found))
		FOUND(CRC013, "it covers the Ethernet header, too", WRONG_ARGS);
	else
		FOUND(CRC001, "no single bit and no usual mistake explains it", WRONG_ARGS);
}

/* Why a wrong ICRC is wrong, where no length tells it. */
static void check_cause(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	struct ibw_icrc_why why =
		ibw_icrc_explain((enum ibw_icrc_kind)pkt->icrc_kind, track_covered(pkt),
				 track_covered_bytes(pkt), p->view->icrc.found);

	switch (why.cause) {
	case IBW_ICRC_WHY_BYTE_SWAPPED:
		FOUND(CRC002, "the right value, most significant byte first", WRONG_ARGS);
		break;
	case IBW_ICRC_WHY_NOT_INVERTED:
		FOUND(CRC003, "the right value, but for the final complement", WRONG_ARGS);
		break;
	case IBW_ICRC_WHY_CRC32C:
		FOUND(CRC004, "a CRC-32C of the right bytes", WRONG_ARGS);
		break;
	case IBW_ICRC_WHY_MASK_MISSING:
	case IBW_ICRC_WHY_MASK_ZERO:
		report_masks(p, &why);
		break;
	case IBW_ICRC_WHY_BTH_ONLY:
		FOUND(CRC001,
		      "it covers the packet only from the BTH on, without the headers "
		      "before it",
		      WRONG_ARGS);
		break;
	case IBW_ICRC_WHY_HEADERS_TWICE:
		report_twice(p);
		break;
	case IBW_ICRC_WHY_BIT_FLIPPED:
		report_flip(p, &why);
		break;
	case IBW_ICRC_WHY_BIT_ORDER:
		FOUND(CRC012, "a CRC-32 of the right bytes, each taken most significant bit first",
		      WRONG_ARGS);
		break;
	case IBW_ICRC_WHY_UNKNOWN:
		report_unknown(p);
		break;
	}
}

static void check_icrc(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (!any_icrc_rule_on(p->lint) || lint_silenced(p, LINT_CRC001))
		return;
	if (icrc_follows(pkt, pkt->icrc_off + IBW_ICRC_BYTES)) {
		check_absent(p);
	} else if (p->view->icrc.found == 0 || p->view->icrc.found == UINT32_MAX) {
		if (!check_absent(p))
			FOUND(CRC001, "the field was left to hardware that did not fill it",
			      WRONG_ARGS);
	} else {
		check_cause(p);
	}
}

void lint_vcrc(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	struct ibw_crc_verdict v;

	if (!pkt->vcrc_off || !lint_on(p->lint, LINT_CRC009))
		return;
	v = ibw_packet_vcrc(pkt);
	if (v.status != IBW_CRC_BAD || lint_silenced(p, LINT_CRC009))
		return;
	if (pkt->lrh == IBW_NO_SPAN)
		lint_found(
			p, LINT_CRC009, pkt->vcrc_off, IBW_VCRC_BYTES,
			"LPCRC of a flow control packet is 0x%04x, should be 0x%04x (computed like "
			"a VCRC: no captured packet has confirmed that)",
			ibw_vcrc_on_wire((uint16_t)v.found),
			ibw_vcrc_on_wire((uint16_t)v.computed));
	else
		lint_found(p, LINT_CRC009, pkt->vcrc_off, IBW_VCRC_BYTES,
			   "VCRC 0x%04x, should be 0x%04x; the ICRC is %s",
			   ibw_vcrc_on_wire((uint16_t)v.found),
			   ibw_vcrc_on_wire((uint16_t)v.computed),
			   ibw_crc_status_names[p->view->icrc.status]);
}

void lint_crc(struct lint_packet *p)
{
	if (p->view->icrc.status == IBW_CRC_BAD)
		check_icrc(p);
	else if (track_icrc_left_out(p->pkt))
		check_left_out(p);
	lint_vcrc(p);
}
