/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rebuild.c - every whole RDMA packet of pcaps/{faults,mad,reports,rxe,ulp} once more, from the
 * values of its fields: headers and CRCs come out as they were sent, byte by byte. Where the
 * packet's own ICRC is wrong (data/bad-icrc.txt), a flipped bit may be anywhere, so all that
 * is asked is that the rebuilt packet has a good one.
 */
#include "build_cases.h"
#include "check.h"
#include "pcap_file.h"

static unsigned long same, unequal, unlike;

/* Unpacks one span into the member it belongs to; false: the builder has no such header. */
static bool take(struct ibw_build *b, unsigned int layer, const void *wire)
{
	switch (layer) {
#define TAKE(name)                                                                                 \
	case IBW_LAYER_##name:                                                                     \
		ibw_##name##_unpack(&b->name, wire);                                               \
		return true
		TAKE(lrh);
		TAKE(grh);
		TAKE(ipv4);
		TAKE(ipv6);
		TAKE(udp);
		TAKE(bth);
		TAKE(rdeth);
		TAKE(deth);
		TAKE(xrceth);
		TAKE(feth);
		TAKE(reth);
		TAKE(atomiceth);
		TAKE(aeth);
		TAKE(atomicacketh);
		TAKE(immdt);
		TAKE(ieth);
		TAKE(atomicwrite);
#undef TAKE
	case IBW_LAYER_cnp: /* no values: reserved bytes, built as 0 */
		return true;
	case IBW_LAYER_eth:
		ibw_eth_unpack(&b->eth, wire);
		b->has_eth = true;
		return true;
	case IBW_LAYER_vlan:
		if (b->n_vlans == 2)
			return false;
		ibw_vlan_unpack(&b->vlan[b->n_vlans++], wire);
		return true;
	default:
		return false;
	}
}

/* What a builder has to know of the packet; where its first header is. */
static bool describe(struct ibw_build *b, const struct ibw_packet *pkt, uint32_t *start)
{
	unsigned int i = 0;

	memset(b, 0, sizeof(*b));
	b->kind = pkt->icrc_kind;
	b->payload_len = pkt->payload_len;
	/* What a capture card puts in front is not the packet's. */
	while (i < pkt->n_spans &&
	       (pkt->span[i].layer == IBW_LAYER_erf || pkt->span[i].layer == IBW_LAYER_erf_ext))
		i++;
	*start = pkt->span[i].off;
	for (; i < pkt->n_spans; i++)
		if (!take(b, pkt->span[i].layer, ibw_packet_at(pkt, i)))
			return false;
	return true;
}

static void rebuild(const struct ibw_packet *pkt, bool bad)
{
	uint32_t end = pkt->vcrc_off ? pkt->vcrc_off + 2 : pkt->icrc_off + 4, start;
	uint8_t packet[BUILD_ROOM];
	struct ibw_packet again;
	struct ibw_build b;
	size_t n;

	if (!CHECK(describe(&b, pkt, &start)))
		return;
	n = ibw_build_packet(packet, sizeof(packet), &b, pkt->data + pkt->payload_off);
	if (!bad) {
		/* A pad that is not zeros is the sender's choice; no field holds it. */
		CHECK_EQ(n, end - start);
		CHECK_MEM(packet, pkt->data + start, n);
		same++;
		return;
	}
	if (!n) {
		unlike++;
		return;
	}
	unequal++;
	CHECK_EQ(ibw_packet_walk(&again, packet, (uint32_t)n, (uint32_t)n,
				 b.has_eth ? IBW_LINKTYPE_ETHERNET : pkt->linktype, NULL),
		 IBW_OK);
	CHECK_EQ(ibw_packet_icrc(&again).status, IBW_CRC_GOOD);
}

static void rebuild_capture(char *line)
{
	char *name = strtok_r(line, " \n", &line);
	uint32_t bad;
	struct ibw_packet pkt;
	struct pcap_file f;

	strtoul(line, &line, 10); /* good ones */
	bad = (uint32_t)strtoul(line, &line, 10);
	pcap_file_open(&f, "pcaps", name);
	while (pcap_file_next(&f)) {
		check_case("%s:%u", name, f.number);
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth == IBW_NO_SPAN || f.caplen < f.len || pkt.flags & IBW_PKT_LENGTHS)
			continue;
		rebuild(&pkt, f.number == bad);
		if (f.number == bad)
			bad = (uint32_t)strtoul(line, &line, 10);
	}
	pcap_file_close(&f);
}

int main(void)
{
	FILE *list = fopen("tests/data/bad-icrc.txt", "r");
	char line[1024];

	if (!list) {
		perror("tests/data/bad-icrc.txt");
		return 1;
	}
	while (fgets(line, sizeof(line), list))
		if (*line != '#' && *line != '\n')
			rebuild_capture(line);
	fclose(list);
	check_case("all");
	CHECK_EQ(unequal + unlike, 68);
	CHECK(same > 40000);
	printf("%lu packets rebuilt byte by byte, %lu with a right ICRC instead of a wrong one\n",
	       same, unequal);
	return check_end();
}
