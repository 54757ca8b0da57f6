/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_packet.c - from the values of a packet's headers to its bytes. */
#include <string.h>

#include "make.h"

/* What is before the Ethernet frame, the IP header or the LRH. */
enum link { LINK_NONE, LINK_ETH, LINK_VLAN, LINK_QINQ, LINK_VXLAN, LINK_SLL, LINK_SLL2, LINK_ERF };

static const struct {
	const char *name;
	uint16_t linktype;
	uint8_t link; /* enum link */
	uint8_t kind; /* enum ibw_icrc_kind: what precedes the BTH */
} framings[MK_FRAMING_COUNT] = {
#define MK_FRAMING(NAME, text, linktype, link, inside)                                             \
	{ text, IBW_LINKTYPE_##linktype, LINK_##link, IBW_ICRC_##inside },
	MK_FRAMINGS(MK_FRAMING)
#undef MK_FRAMING
};

const char *mk_framing_name(enum mk_framing framing)
{
	return framings[framing].name;
}

enum ibw_linktype mk_framing_linktype(enum mk_framing framing)
{
	return (enum ibw_linktype)framings[framing].linktype;
}

static bool is_ib(enum mk_framing framing)
{
	return framings[framing].kind == IBW_ICRC_IB_LOCAL ||
	       framings[framing].kind == IBW_ICRC_IB_GLOBAL;
}

static bool has_eth(enum mk_framing framing)
{
	switch (framings[framing].link) {
	case LINK_ETH:
	case LINK_VLAN:
	case LINK_QINQ:
	case LINK_VXLAN:
		return true;
	case LINK_ERF:
		return !is_ib(framing);
	default:
		return false;
	}
}

bool mk_framing_has(enum mk_framing framing, enum ibw_layer layer)
{
	uint8_t kind = framings[framing].kind;

	switch (layer) {
	case IBW_LAYER_eth:
		return has_eth(framing);
	case IBW_LAYER_vlan:
		return framings[framing].link == LINK_VLAN || framings[framing].link == LINK_QINQ;
	case IBW_LAYER_lrh:
		return is_ib(framing);
	case IBW_LAYER_grh:
		return kind == IBW_ICRC_IB_GLOBAL || kind == IBW_ICRC_ROCE_V1;
	case IBW_LAYER_ipv4:
		return kind == IBW_ICRC_ROCE_V2_IPV4;
	case IBW_LAYER_ipv6:
		return kind == IBW_ICRC_ROCE_V2_IPV6;
	case IBW_LAYER_vxlan:
		return framings[framing].link == LINK_VXLAN;
	case IBW_LAYER_udp:
		return kind == IBW_ICRC_ROCE_V2_IPV4 || kind == IBW_ICRC_ROCE_V2_IPV6;
	default:
		return true;
	}
}

static uint16_t ethertype_of(enum mk_framing framing)
{
	switch (framings[framing].kind) {
	case IBW_ICRC_ROCE_V2_IPV4:
		return IBW_ETHERTYPE_IPV4;
	case IBW_ICRC_ROCE_V2_IPV6:
		return IBW_ETHERTYPE_IPV6;
	default:
		return IBW_ETHERTYPE_ROCE;
	}
}

/* The addresses: documentation prefixes (RFC 5737, RFC 3849) and locally administered MACs. */
#define VLAN_ID 5
#define SPORT_FIRST 0xc000
#define SPORTS 0x4000

static const uint8_t mac_a[6] = { 0x02, 0, 0, 0, 0, 0x01 };
static const uint8_t mac_b[6] = { 0x02, 0, 0, 0, 0, 0x02 };
static const uint8_t ipv6_a[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
static const uint8_t ipv6_b[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 };

/* The link-local GID of a MAC: bytes 11 and 12 carry the VLAN if there is one. RFC 4291, appendix A */
static void gid_of_mac(uint8_t gid[16], const uint8_t mac[6], bool vlan, uint16_t vid)
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	gid[8] = mac[0] ^ 2;
	memcpy(gid + 9, mac + 1, 2);
	gid[11] = vlan ? (uint8_t)(vid >> 8) : 0xff;
	gid[12] = vlan ? (uint8_t)vid : 0xfe;
	memcpy(gid + 13, mac + 3, 3);
}

/* The link-local GID of a port GUID. */
static void gid_of_guid(uint8_t gid[16], uint64_t guid)
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	ibw_put_be64(gid + 8, guid);
}

static void start_eth(struct ibw_eth *eth)
{
	memcpy(eth->dst, mac_b, 6);
	memcpy(eth->src, mac_a, 6);
}

static void start_ipv4(struct ibw_ipv4 *ip)
{
	ip->version = 4;
	ip->ihl = ibw_ipv4_BYTES / 4;
	ip->dscp = 26;
	ip->ecn = IBW_ECN_ECT0;
	ip->df = 1;
	ip->ttl = 64;
	ip->protocol = IBW_IP_PROTO_UDP;
	ip->src = 0xc0000201;
	ip->dst = 0xc0000202;
}

static void start_ipv6(struct ibw_ipv6 *ip)
{
	ip->version = 6;
	ip->dscp = 26;
	ip->ecn = IBW_ECN_ECT0;
	ip->nxthdr = IBW_IP_PROTO_UDP;
	ip->hop_limit = 64;
	memcpy(ip->src, ipv6_a, 16);
	memcpy(ip->dst, ipv6_b, 16);
}

static void start_link(struct mk_packet *p)
{
	static const uint8_t sll_addr[8] = { 0x02, 0, 0, 0, 0, 0x01 };
	enum link link = (enum link)framings[p->framing].link;

	p->erf.type = is_ib(p->framing) ? IBW_ERF_INFINIBAND : IBW_ERF_ETH;
	p->erf.flags = 4; /* records of varying length */
	p->sll.pkttype = p->sll2.pkttype = IBW_SLL_HOST;
	p->sll.hatype = p->sll2.hatype = 1;
	p->sll.halen = p->sll2.halen = 6;
	memcpy(p->sll.addr, sll_addr, 8);
	memcpy(p->sll2.addr, sll_addr, 8);
	p->sll2.ifindex = 2;
	start_eth(&p->outer_eth);
	start_ipv4(&p->outer_ipv4);
	p->outer_ipv4.src = 0xc6336401;
	p->outer_ipv4.dst = 0xc6336402;
	p->outer_udp.sport = (uint16_t)(SPORT_FIRST + p->serial % SPORTS);
	p->outer_udp.dport = IBW_UDP_PORT_VXLAN;
	p->vxlan.vni_valid = 1;
	p->vxlan.vni = 7;
	start_eth(&p->eth);
	p->fcs = link == LINK_ERF && has_eth(p->framing); /* the cards keep it */
	p->n_vlans = link == LINK_QINQ ? 2 : link == LINK_VLAN ? 1 : 0;
	p->vlan[0].vid = VLAN_ID;
	p->vlan[0].pcp = 3;
	p->vlan[1].vid = VLAN_ID + 1;
	p->vlan[1].pcp = 3;
}

static void start_net(struct mk_packet *p)
{
	p->lrh.slid = 1;
	p->lrh.dlid = 2;
	p->grh.ipver = IBW_GRH_IPVER;
	p->grh.tclass = 26 << 2 | IBW_ECN_ECT0;
	p->grh.nxthdr = IBW_GRH_NXTHDR_IBA;
	p->grh.hop_limit = 64;
	if (is_ib(p->framing)) {
		gid_of_guid(p->grh.sgid, UINT64_C(0x0200000000000001));
		gid_of_guid(p->grh.dgid, UINT64_C(0x0200000000000002));
		p->grh.tclass = 0;
	} else {
		gid_of_mac(p->grh.sgid, mac_a, p->n_vlans != 0, VLAN_ID);
		gid_of_mac(p->grh.dgid, mac_b, p->n_vlans != 0, VLAN_ID);
	}
	start_ipv4(&p->ipv4);
	p->ipv4.id = (uint16_t)p->serial;
	start_ipv6(&p->ipv6);
	p->ipv6.flow_label = p->grh.flow_label = 0x12000 + p->serial % 0x1000;
	p->udp.sport = (uint16_t)(SPORT_FIRST + p->serial % SPORTS);
	p->udp.dport = IBW_UDP_PORT_ROCE;
}

/* Whether a packet may ask for an acknowledgement at its end. */
static bool asks_ack(uint8_t opcode, uint16_t flags)
{
	uint8_t service = opcode & IBW_SERVICE_MASK;

	return (service == IBW_SERVICE_RC || service == IBW_SERVICE_RD ||
		service == IBW_SERVICE_XRC) &&
	       flags & IBW_OPF_REQUEST && flags & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

static void start_transport(struct mk_packet *p, uint8_t opcode)
{
	const struct ibw_opcode_row *row = &ibw_opcodes[opcode];

	p->bth.opcode = opcode;
	p->bth.migreq = 1;
	p->bth.pkey = IBW_PKEY_DEFAULT_FULL;
	p->bth.dqpn = (0x1000 + p->serial) & 0xffffff;
	p->bth.psn = (0x100000 + p->serial * 0x100) & 0xffffff;
	p->bth.ackreq = asks_ack(opcode, row->flags);
	p->eths = row->eths;
	p->dceth.role = row->flags & IBW_OPF_REQUEST ? 0x11 : 0x10;
	p->dceth.sqpn = (0x2000 + p->serial) & 0xffffff;
	p->dceth.init_id = 0x345678;
	p->dceth.resp_id = 0x234567;
	p->dceth.dctn = 0xd0c7;
	p->dcceth.word0 = 0x20000000;
	p->dcceth.dc_key = 0x1122334455667788;
	p->rdeth.een = 0x31;
	p->deth.qkey = 0x11111111;
	p->deth.sqpn = (0x2000 + p->serial) & 0xffffff;
	p->xrceth.xrcsrq = 0x41;
	p->feth.plt = IBW_FLUSH_PLT_GLOBAL_VISIBILITY;
	p->feth.sel = IBW_FLUSH_SEL_RANGE;
	p->reth.va = UINT64_C(0x00007f0012340000);
	p->reth.rkey = 0x00012345;
	p->reth.dmalen = row->flags & IBW_OPF_FIRST ? 3 * p->payload_len : p->payload_len;
	if (!(row->flags & IBW_OPF_PAYLOAD))
		p->reth.dmalen = row->eths & IBW_ETH_ATOMICWRITE ? ibw_atomicwrite_BYTES : 4096;
	p->atomiceth.va = UINT64_C(0x00007f0012345678);
	p->atomiceth.rkey = 0x00012345;
	p->atomiceth.swap = UINT64_C(0x1122334455667788);
	if ((opcode & ~IBW_SERVICE_MASK & 0xff) == IBW_OP_RC_COMPARE_SWAP)
		p->atomiceth.compare = UINT64_C(0x99aabbccddeeff00);
	p->aeth.syndrome = IBW_AETH_ACK_UNLIMITED;
	p->aeth.msn = 7;
	p->atomicacketh.orig = UINT64_C(0x0123456789abcdef);
	p->immdt.data = 0xcafe0001;
	p->ieth.rkey = 0x00012345;
	p->atomicwrite.data = UINT64_C(0xfedcba9876543210);
	if (opcode == IBW_OP_CNP) {
		p->bth.becn = 1;
		p->bth.migreq = 0;
		p->bth.psn = 0;
		p->ipv4.dscp = p->ipv6.dscp = 48;
		p->ipv4.ecn = p->ipv6.ecn = IBW_ECN_NOT_ECT;
		p->grh.tclass = is_ib(p->framing) ? 0 : 48 << 2;
	}
}

void mk_start(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint32_t payload_len)
{
	const enum mk_framing *instead = p->instead;
	unsigned int serial = p->serial;

	if (instead)
		framing = *instead;
	memset(p, 0, sizeof(*p));
	p->instead = instead;
	p->serial = serial;
	p->linktype = framings[framing].linktype;
	p->framing = framing;
	p->payload_len = payload_len;
	p->pad = MK_AUTO;
	start_link(p);
	start_net(p);
	start_transport(p, opcode);
}

/* @n further bytes of zero; returns where. */
static uint8_t *append(struct mk_packet *p, uint32_t n)
{
	uint8_t *at = p->b + p->len;

	if (n > MK_PACKET_MAX - p->len)
		mk_die("a packet of more than %d bytes", MK_PACKET_MAX);
	memset(at, 0, n);
	p->len += n;
	return at;
}

static uint8_t *append_header(struct mk_packet *p, enum ibw_layer layer)
{
	p->off[layer] = p->len;
	return append(p, ibw_headers[layer].bytes);
}

#define PUT_AS(p, name, value)                                                                     \
	ibw_##name##_pack((struct ibw_##name##_wire *)append_header(p, IBW_LAYER_##name), (value))
#define PUT(p, name) PUT_AS(p, name, &(p)->name)

static void put_eth(struct mk_packet *p, uint16_t type)
{
	unsigned int i;

	p->eth.type = type;
	if (p->n_vlans)
		p->eth.type = p->n_vlans > 1 ? IBW_ETHERTYPE_QINQ : IBW_ETHERTYPE_VLAN;
	PUT(p, eth);
	for (i = 0; i < p->n_vlans; i++) {
		p->vlan[i].type = i + 1 < p->n_vlans ? IBW_ETHERTYPE_VLAN : type;
		PUT_AS(p, vlan, &p->vlan[i]);
	}
}

static void put_erf(struct mk_packet *p)
{
	unsigned int i;

	p->erf.ext = p->n_erf_ext != 0;
	PUT(p, erf);
	for (i = 0; i < p->n_erf_ext; i++) {
		p->erf_ext[i].more = i + 1 < p->n_erf_ext;
		PUT_AS(p, erf_ext, &p->erf_ext[i]);
	}
	if (has_eth(p->framing))
		append(p, 2); /* Ethernet in ERF: offset and pad */
}

static void put_vxlan(struct mk_packet *p)
{
	p->outer_eth.type = IBW_ETHERTYPE_IPV4;
	PUT_AS(p, eth, &p->outer_eth);
	p->outer_off = p->len;
	PUT_AS(p, ipv4, &p->outer_ipv4);
	PUT_AS(p, udp, &p->outer_udp);
	PUT(p, vxlan);
}

static void put_link(struct mk_packet *p)
{
	uint16_t type = ethertype_of(p->framing);

	switch (framings[p->framing].link) {
	case LINK_ERF:
		put_erf(p);
		break;
	case LINK_VXLAN:
		put_vxlan(p);
		break;
	case LINK_SLL:
		p->sll.protocol = type;
		PUT(p, sll);
		break;
	case LINK_SLL2:
		p->sll2.protocol = type;
		PUT(p, sll2);
		break;
	default:
		break;
	}
	/* The inner ones are what counts from here on. */
	p->off[IBW_LAYER_ipv4] = p->off[IBW_LAYER_udp] = MK_NONE;
	if (has_eth(p->framing))
		put_eth(p, type);
}

static void put_net(struct mk_packet *p)
{
	switch (framings[p->framing].kind) {
	case IBW_ICRC_IB_LOCAL:
		p->lrh.lnh = IBW_LNH_LOCAL;
		PUT(p, lrh);
		break;
	case IBW_ICRC_IB_GLOBAL:
		p->lrh.lnh = IBW_LNH_GLOBAL;
		PUT(p, lrh);
		PUT(p, grh);
		break;
	case IBW_ICRC_ROCE_V1:
		PUT(p, grh);
		break;
	case IBW_ICRC_ROCE_V2_IPV4:
		PUT(p, ipv4);
		PUT(p, udp);
		break;
	default:
		PUT(p, ipv6);
		PUT(p, udp);
		break;
	}
}

#define PUT_ETH(p, ETH, name)                                                                      \
	do {                                                                                       \
		if ((p)->eths & IBW_ETH_##ETH)                                                     \
			PUT(p, name);                                                              \
	} while (0)

static void put_transport(struct mk_packet *p)
{
	uint32_t aligned = ibw_bth_BYTES + IBW_ETHS_BYTES(p->eths) + p->payload_len;
	uint32_t pad = p->pad == MK_AUTO ? -aligned & 3 : (uint32_t)p->pad, i;
	uint8_t *at;

	p->bth.padcnt = pad & 3;
	PUT(p, bth);
	PUT_ETH(p, DCETH, dceth);
	PUT_ETH(p, DCCETH, dcceth);
	PUT_ETH(p, RDETH, rdeth);
	PUT_ETH(p, DETH, deth);
	PUT_ETH(p, XRCETH, xrceth);
	PUT_ETH(p, FETH, feth);
	PUT_ETH(p, RETH, reth);
	PUT_ETH(p, ATOMICETH, atomiceth);
	PUT_ETH(p, AETH, aeth);
	PUT_ETH(p, ATOMICACKETH, atomicacketh);
	PUT_ETH(p, IMMDT, immdt);
	PUT_ETH(p, IETH, ieth);
	PUT_ETH(p, ATOMICWRITE, atomicwrite);
	PUT_ETH(p, CNP, cnp);
	p->payload_off = p->len;
	at = append(p, p->payload_len);
	for (i = 0; i < p->payload_len; i++)
		at[i] = p->payload ? p->payload[i] : (uint8_t)i;
	p->pad_off = p->len;
	append(p, pad);
	p->icrc_off = p->len;
	append(p, IBW_ICRC_BYTES);
}

static void put_trailer(struct mk_packet *p)
{
	p->end = p->len;
	if (p->off[IBW_LAYER_eth] == MK_NONE)
		return;
	if (p->len < p->min_len)
		append(p, p->min_len - p->len);
	if (p->fcs) {
		p->fcs_off = p->len;
		append(p, 4);
	}
}

/* As if mk_start() had not been called: no header, no byte. */
static void clear(struct mk_packet *p)
{
	unsigned int i;

	p->len = p->caplen = 0;
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		p->off[i] = MK_NONE;
	p->outer_off = p->payload_off = p->pad_off = MK_NONE;
	p->icrc_off = p->vcrc_off = p->fcs_off = MK_NONE;
}

static void put_vcrc(struct mk_packet *p)
{
	p->vcrc_off = p->len;
	append(p, IBW_VCRC_BYTES);
}

static void finish(struct mk_packet *p)
{
	put_trailer(p);
	p->caplen = p->len;
	mk_fix(p);
}

void mk_build(struct mk_packet *p)
{
	clear(p);
	put_link(p);
	put_net(p);
	put_transport(p);
	if (is_ib(p->framing))
		put_vcrc(p);
	finish(p);
}

void mk_plain(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint32_t payload_len)
{
	mk_start(p, framing, opcode, payload_len);
	mk_build(p);
}

/* A packet of the other kinds: a linktype and what was appended. */
static void start_other(struct mk_packet *p, uint32_t linktype)
{
	unsigned int serial = p->serial;

	memset(p, 0, sizeof(*p));
	p->serial = serial;
	p->linktype = linktype;
	p->framing = MK_FRAMING_COUNT;
	clear(p);
}

void mk_bytes(struct mk_packet *p, uint32_t linktype, const void *bytes, uint32_t n)
{
	start_other(p, linktype);
	memcpy(append(p, n), bytes, n);
	p->end = p->caplen = p->len;
}

void mk_eth_frame(struct mk_packet *p, uint16_t type, const void *bytes, uint32_t n)
{
	start_other(p, IBW_LINKTYPE_ETHERNET);
	start_eth(&p->eth);
	p->min_len = 60;
	put_eth(p, type);
	memcpy(append(p, n), bytes, n);
	finish(p);
}

void mk_mac_control(struct mk_packet *p, uint8_t station, const void *body, uint32_t n)
{
	static const uint8_t multicast[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
	const uint8_t mac[6] = { 0x02, 0, 0, 0, 0, station };

	mk_eth_frame(p, IBW_ETHERTYPE_MAC_CONTROL, body, n);
	ibw_eth_set_dst(MK_AT(p, eth), multicast);
	ibw_eth_set_src(MK_AT(p, eth), mac);
}

void mk_pfc(struct mk_packet *p, uint8_t station, unsigned int priority, uint16_t quanta)
{
	struct ibw_pfc v = { .opcode = IBW_MAC_CONTROL_PFC };
	uint8_t body[ibw_pfc_BYTES];

	v.enable = 1 << priority & 0xff;
	v.quanta[priority] = quanta;
	ibw_pfc_pack(ibw_pfc_view_mut(body, sizeof(body)), &v);
	mk_mac_control(p, station, body, sizeof(body));
}

void mk_raw_ib(struct mk_packet *p, enum ibw_lnh lnh, uint32_t payload_len)
{
	struct ibw_rwh rwh = { .type = IBW_ETHERTYPE_IPV4 };
	uint32_t i;
	uint8_t *at;

	start_other(p, IBW_LINKTYPE_INFINIBAND);
	p->lrh.slid = 1;
	p->lrh.dlid = 2;
	p->lrh.lnh = lnh & 3;
	PUT(p, lrh);
	if (lnh == IBW_LNH_RAW) {
		PUT_AS(p, rwh, &rwh);
	} else {
		start_ipv6(&p->ipv6);
		p->ipv6.nxthdr = IBW_IP_PROTO_NONE;
		PUT(p, ipv6);
	}
	p->payload_off = p->len;
	at = append(p, payload_len);
	for (i = 0; i < payload_len; i++)
		at[i] = (uint8_t)i;
	/* Link packets are whole words; IBTA vol 1, 7.7.8 */
	p->pad_off = p->len;
	append(p, -payload_len & 3);
	put_vcrc(p);
	finish(p);
}

void mk_linkpkt(struct mk_packet *p, uint8_t vl)
{
	struct ibw_linkpkt link = { .op = IBW_LINKPKT_FLOW_NORMAL, .fctbs = 0x123, .fccl = 0x456 };

	start_other(p, IBW_LINKTYPE_ERF);
	p->erf.type = IBW_ERF_INFINIBAND_LINK;
	p->erf.flags = 4;
	PUT(p, erf);
	link.vl = vl & 15;
	PUT_AS(p, linkpkt, &link);
	p->vcrc_off = p->len - IBW_VCRC_BYTES;
	finish(p);
}
