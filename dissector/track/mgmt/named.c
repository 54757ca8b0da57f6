/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.c - queue pairs of IPoIB, as ARP names them. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "named.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct key {
	uint32_t qpn, qkey;
	uint16_t lid, pkey;
};

struct track_named {
	struct track_table *qps; /* of struct key, and nothing more; NULL before the first */
};

struct track_named *track_named_new(void)
{
	return g_new0(struct track_named, 1);
}

void track_named_free(struct track_named *t)
{
	if (t)
		track_table_free(t->qps);
	g_free(t);
}

uint64_t track_named_evicted(const struct track_named *t)
{
	return t->qps ? track_table_evicted(t->qps) : 0;
}

static struct key key_of(const struct ibw_packet *pkt, const struct ibw_deth_wire *deth,
			 uint32_t qpn, uint16_t lid)
{
	return (struct key){ qpn, ibw_deth_qkey(deth), lid, ibw_bth_pkey(IBW_KNOWN(pkt, bth)) };
}

void track_named_ipoib(struct track_named *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip)
{
	const struct ibw_arp_ipoib_wire *arp = IBW_AT(ip, arp_ipoib);
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	uint32_t qpn = arp ? ibw_arp_ipoib_sha_qpn(arp) : 0;
	struct key key;

	if (!arp || !deth || !lrh || ibw_deth_sqpn(deth) != qpn || qpn <= IBW_QPN_GSI ||
	    qpn == IBW_QPN_MULTICAST)
		return;
	key = key_of(pkt, deth, qpn, ibw_lrh_slid(lrh));
	if (!t->qps)
		t->qps = track_table_new(sizeof(struct key), 1, TRACK_NAMED_MAX);
	track_table_need(t->qps, &key);
}

bool track_named_is(const struct track_named *t, const struct ibw_packet *pkt)
{
	const struct ibw_deth_wire *deth = t->qps ? IBW_AT(pkt, deth) : NULL;
	const struct ibw_lrh_wire *lrh = deth ? IBW_AT(pkt, lrh) : NULL;
	struct key key;

	if (!lrh || pkt->payload_len < ibw_ipoib_BYTES ||
	    (pkt->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD)
		return false;
	key = key_of(pkt, deth, ibw_bth_dqpn(IBW_KNOWN(pkt, bth)), ibw_lrh_dlid(lrh));
	return track_table_get(t->qps, &key) != NULL;
}
