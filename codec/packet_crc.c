/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_crc.c - the verdicts on a walked packet's ICRC and VCRC. */
#include <ibwire/crc.h>
#include <ibwire/link.h>
#include <ibwire/packet.h>

const char *const ibw_proto_names[IBW_PROTO_COUNT] = { "other", "rocev1", "rocev2", "ib",
						       "ipoib", "iwarp",  "arp",    "pause" };
const char *const ibw_unseen_names[IBW_UNSEEN_COUNT] = {
	NULL,
	"ESP",
	"IPsec AH",
	"EtherIP",
	"L2TP",
	"MACsec",
	"GTP-U around something other than IP",
	"GRE of a version or protocol of its own",
	"ERSPAN of another version or frame type",
	"VXLAN-GPE with neither Ethernet nor IP",
	"Geneve with neither Ethernet nor IP",
	"MPLS with neither IP nor Ethernet",
	"PPP of a protocol other than IP, or Cisco HDLC",
	"tunnels or tags nested too deep",
	"Cisco metadata of more than a tag",
};
const char *const ibw_outcome_names[4] = { "ok", "cut", "malformed", "other" };
const char *const ibw_crc_status_names[4] = { "absent", "good", "bad", "unverifiable" };

static struct ibw_crc_verdict verdict(uint32_t found, uint32_t computed)
{
	struct ibw_crc_verdict v = { found, computed,
				     found == computed ? IBW_CRC_GOOD : IBW_CRC_BAD };

	return v;
}

static const struct ibw_crc_verdict absent = { 0, 0, IBW_CRC_ABSENT };
static const struct ibw_crc_verdict unverifiable = { 0, 0, IBW_CRC_UNVERIFIABLE };

struct ibw_crc_verdict ibw_packet_icrc(const struct ibw_packet *pkt)
{
	const uint8_t *p = pkt->data;

	if (pkt->icrc_kind == IBW_ICRC_NONE)
		return absent;
	/* Which extension headers an IPv6 ICRC covers is written nowhere. */
	if (pkt->flags & (IBW_PKT_FRAGMENT | IBW_PKT_BEYOND) ||
	    (pkt->flags & IBW_PKT_IP_OPTIONS && pkt->icrc_kind == IBW_ICRC_ROCE_V2_IPV6))
		return unverifiable;
	if (!pkt->icrc_off)
		return absent;
	if (pkt->caplen < IBW_ICRC_BYTES || pkt->icrc_off > pkt->caplen - IBW_ICRC_BYTES)
		return unverifiable;
	return verdict(ibw_get_le32(p + pkt->icrc_off),
		       ibw_icrc((enum ibw_icrc_kind)pkt->icrc_kind, p + pkt->cover_off,
				pkt->icrc_off - pkt->cover_off));
}

struct ibw_crc_verdict ibw_packet_vcrc(const struct ibw_packet *pkt)
{
	const uint8_t *p = pkt->data;

	if (!pkt->vcrc_off)
		return absent;
	if (pkt->caplen < IBW_VCRC_BYTES || pkt->vcrc_off > pkt->caplen - IBW_VCRC_BYTES)
		return unverifiable;
	if (pkt->lrh == IBW_NO_SPAN)
		return verdict(ibw_get_le16(p + pkt->vcrc_off), ibw_lpcrc(p + pkt->vcrc_off - 4));
	return verdict(ibw_get_le16(p + pkt->vcrc_off),
		       ibw_vcrc(p + pkt->cover_off, pkt->vcrc_off - pkt->cover_off));
}
