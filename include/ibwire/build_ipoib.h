/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_ipoib.h - builds the packets of an IPoIB driver that makes its own headers. RFC 4391
 *
 *	ibw_build_ipoib(&b, &ah, dqpn, qkey, sqpn, IBW_ETHERTYPE_IPV4, skb->len);
 *	n = ibw_build_headers(hdr, sizeof(hdr), &b);
 *
 * puts LRH, GRH if the address has one, BTH, DETH and the 4 bytes of encapsulation in front
 * of an IP packet or an ARP body.
 */
#ifndef IBWIRE_BUILD_IPOIB_H
#define IBWIRE_BUILD_IPOIB_H

#include "build.h"
#include "ipoib.h"
#include "sa.h"

/* The way to one destination: an address handle. Host integers, GIDs in wire order. */
struct ibw_ah {
	bool global; /* a GRH is sent; the last five members count */
	uint8_t sl, vl;
	uint16_t slid, dlid;
	uint16_t pkey;
	uint8_t tclass, hop_limit;
	uint32_t flow_label;
	uint8_t sgid[IBW_GID_BYTES], dgid[IBW_GID_BYTES];
};

/* Sets everything except the PSN, SE and migreq, which keep their values in @b. */
static inline void ibw_build_ipoib(struct ibw_build *b, const struct ibw_ah *ah, uint32_t dqpn,
				   uint32_t qkey, uint32_t sqpn, uint16_t ethertype, uint32_t bytes)
{
	b->kind = ah->global ? IBW_ICRC_IB_GLOBAL : IBW_ICRC_IB_LOCAL;
	b->has_eth = false;
	b->n_vlans = 0;
	b->has_ipoib = true;
	b->payload_len = bytes;
	b->lrh.vl = ah->vl;
	b->lrh.lver = 0;
	b->lrh.sl = ah->sl;
	b->lrh.slid = ah->slid;
	b->lrh.dlid = ah->dlid;
	if (ah->global) {
		b->grh.tclass = ah->tclass;
		b->grh.flow_label = ah->flow_label;
		b->grh.hop_limit = ah->hop_limit;
		IBW_COPY(b->grh.sgid, ah->sgid, IBW_GID_BYTES);
		IBW_COPY(b->grh.dgid, ah->dgid, IBW_GID_BYTES);
	}
	b->bth.opcode = IBW_OP_UD_SEND_ONLY;
	b->bth.tver = 0;
	b->bth.pkey = ah->pkey;
	b->bth.fecn = b->bth.becn = 0;
	b->bth.dqpn = dqpn;
	b->bth.ackreq = 0;
	b->deth.qkey = qkey;
	b->deth.sqpn = sqpn;
	b->ipoib.type = ethertype;
}

/*
 * To a group: @group is the answer of the SA to the join (MGID, MLID, SL, traffic class,
 * flow label, hop limit, P_Key and Q_Key), @slid and @sgid are the port's own. On VL 0: where the
 * SL maps to another, set b->lrh.vl after this.
 */
static inline void ibw_build_ipoib_multicast(struct ibw_build *b,
					     const struct ibw_mcmember_rec *group, uint16_t slid,
					     const uint8_t *sgid, uint32_t sqpn, uint16_t ethertype,
					     uint32_t bytes)
{
	struct ibw_ah ah;

	ah.global = true;
	ah.sl = group->sl;
	ah.vl = 0;
	ah.slid = slid;
	ah.dlid = group->mlid;
	ah.pkey = group->pkey;
	ah.tclass = group->tclass;
	ah.hop_limit = group->hop_limit;
	ah.flow_label = group->flow_label;
	IBW_COPY(ah.sgid, sgid, IBW_GID_BYTES);
	IBW_COPY(ah.dgid, group->mgid, IBW_GID_BYTES);
	ibw_build_ipoib(b, &ah, IBW_QPN_MULTICAST, group->qkey, sqpn, ethertype, bytes);
}

/* The hard header of a Linux IPoIB device: destination hardware address, encapsulation. */
#define IBW_IPOIB_HARD_HEADER_BYTES ((size_t)ibw_ipoib_hwaddr_BYTES + ibw_ipoib_BYTES)

/*
 * Writes it; like ibw_build_headers(), it returns the length in bytes, and writes nothing if @cap is
 * less.
 */
static inline size_t ibw_build_ipoib_hard_header(void *buf, size_t cap,
						 const struct ibw_ipoib_hwaddr *to,
						 uint16_t ethertype)
{
	struct ibw_ipoib encap;
	uint8_t *p = (uint8_t *)buf;

	if (cap < IBW_IPOIB_HARD_HEADER_BYTES)
		return IBW_IPOIB_HARD_HEADER_BYTES;
	encap.type = ethertype;
	ibw_ipoib_hwaddr_pack((struct ibw_ipoib_hwaddr_wire *)p, to);
	ibw_ipoib_pack((struct ibw_ipoib_wire *)(p + ibw_ipoib_hwaddr_BYTES), &encap);
	return IBW_IPOIB_HARD_HEADER_BYTES;
}

#endif /* IBWIRE_BUILD_IPOIB_H */
