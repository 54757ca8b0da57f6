/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * capture_bench.c - what bench_lint.py needs: large captures, and the bare loop to compare with.
 *
 *	capture-bench write FILE BYTES	a healthy 1 KB RDMA WRITE stream, an ACK for 16 packets
 *	capture-bench acks FILE BYTES	frames of 62 to 74 bytes, all that is asked for answered: READ Request
 *					and response, SEND and ACK; now and then a CNP
 *	capture-bench loop FILE		libpcap alone: counts the packets
 */
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibwire/crc.h>
#include <ibwire/ibwire.h>

#define STDIO_BUFFER (1 << 20)
#define FRAME_MAX 2048
#define WRITE_PAYLOAD 1024
#define SMALL_PAYLOAD 8
#define MESSAGE_PACKETS 4
#define QPS 64
#define BURST 17     /* packets of a QP in a row */
#define BACK 0x10000 /* between the QPNs of the two ends */

/* One RoCE v2 frame over IPv4, the last of @msn messages if it answers; returns its length. */
static size_t frame(uint8_t *b, uint8_t opcode, uint32_t dqpn, uint32_t psn, uint32_t msn,
		    size_t payload)
{
	uint32_t chain = ibw_opcode_chain(opcode);
	size_t eths = IBW_ETHS_BYTES(chain), ip = 14, udp = 34, bth = 42;
	size_t end = bth + ibw_bth_BYTES + eths + payload;
	struct ibw_eth e = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 }, IBW_ETHERTYPE_IPV4 };
	struct ibw_ipv4 i = { .version = 4,
			      .ihl = 5,
			      .dscp = 26,
			      .ecn = IBW_ECN_ECT0,
			      .total_len = (uint16_t)(end + 4 - ip),
			      .df = 1,
			      .ttl = 64,
			      .protocol = IBW_IP_PROTO_UDP,
			      .src = 0x0a000001,
			      .dst = 0x0a000002 };
	bool back = dqpn >= BACK;
	uint32_t flow_label = ibw_qpns_to_flow_label(dqpn, back ? dqpn - BACK : dqpn + BACK);
	struct ibw_udp u = { ibw_flow_label_to_sport(flow_label), IBW_UDP_PORT_ROCE,
			     (uint16_t)(end + 4 - udp), 0 };
	struct ibw_bth h = {
		.opcode = opcode, .migreq = 1, .pkey = 0xffff, .dqpn = dqpn, .psn = psn
	};
	bool read = opcode == IBW_OP_RC_RDMA_READ_REQUEST;
	struct ibw_reth r = { 0x7f0000000000 + psn * 1024ull, 0x1234,
			      read ? SMALL_PAYLOAD : MESSAGE_PACKETS * WRITE_PAYLOAD };
	struct ibw_aeth a = { IBW_AETH_ACK_UNLIMITED, msn & 0xffffff };

	memset(b, 0, end + 4);
	if (back) {
		i.src = 0x0a000002;
		i.dst = 0x0a000001;
	}
	h.ackreq = opcode == IBW_OP_RC_RDMA_WRITE_LAST || opcode == IBW_OP_RC_SEND_ONLY;
	h.becn = opcode == IBW_OP_CNP;
	if (opcode == IBW_OP_CNP)
		h.psn = 0;
	ibw_eth_pack((struct ibw_eth_wire *)b, &e);
	ibw_ipv4_pack((struct ibw_ipv4_wire *)(b + ip), &i);
	ibw_ipv4_set_checksum((struct ibw_ipv4_wire *)(b + ip),
			      ibw_ipv4_checksum_of((struct ibw_ipv4_wire *)(b + ip), 20));
	ibw_udp_pack((struct ibw_udp_wire *)(b + udp), &u);
	ibw_bth_pack((struct ibw_bth_wire *)(b + bth), &h);
	if (chain & IBW_ETH_RETH)
		ibw_reth_pack((struct ibw_reth_wire *)(b + bth + 12), &r);
	if (chain & IBW_ETH_AETH)
		ibw_aeth_pack((struct ibw_aeth_wire *)(b + bth + 12), &a);
	memset(b + bth + 12 + eths, (int)(psn & 0xff), payload);
	ibw_icrc_put(b + end, ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, b + ip, end - ip));
	return end + 4;
}

/* The @n-th of a QP pair and its number among those of the pair; pairs take turns, @burst frames each. */
static uint32_t of_pair(uint32_t n, uint32_t burst, uint32_t *qp)
{
	*qp = 0x100 + n / burst % QPS;
	return n / burst / QPS * burst + n % burst;
}

/* Both ways of a pair: a READ of 8 bytes, a SEND of 8 bytes, and a CNP at the end of a burst. */
static size_t nth_small(uint8_t *b, uint32_t n)
{
	uint32_t qp, of_qp = of_pair(n, BURST, &qp);
	uint32_t i = n % BURST, psn = of_qp / BURST * (BURST / 2) + i / 2;

	if (i == BURST - 1)
		return frame(b, IBW_OP_CNP, qp, 0, 0, 0);
	switch (i % 4) {
	case 0:
		return frame(b, IBW_OP_RC_RDMA_READ_REQUEST, qp, psn, 0, 0);
	case 1:
		return frame(b, IBW_OP_RC_RDMA_READ_RESPONSE_ONLY, qp + BACK, psn, psn + 1,
			     SMALL_PAYLOAD);
	case 2:
		return frame(b, IBW_OP_RC_SEND_ONLY, qp, psn, 0, SMALL_PAYLOAD);
	default:
		return frame(b, IBW_OP_RC_ACKNOWLEDGE, qp + BACK, psn, psn + 1, 0);
	}
}

/* One way of a pair, and at the end of a burst an ACK: PSNs of requests follow each other. */
static size_t nth_write(uint8_t *b, uint32_t n)
{
	static const uint8_t writes[] = { IBW_OP_RC_RDMA_WRITE_FIRST, IBW_OP_RC_RDMA_WRITE_MIDDLE,
					  IBW_OP_RC_RDMA_WRITE_MIDDLE, IBW_OP_RC_RDMA_WRITE_LAST };
	uint32_t qp, of_qp = of_pair(n, BURST, &qp);

	of_qp -= n / BURST / QPS;
	if (n % BURST == BURST - 1)
		return frame(b, IBW_OP_RC_ACKNOWLEDGE, qp + BACK, (of_qp - 1) & 0xffffff,
			     of_qp / MESSAGE_PACKETS, 0);
	return frame(b, writes[of_qp % MESSAGE_PACKETS], qp, of_qp & 0xffffff, 0, WRITE_PAYLOAD);
}

static int write_capture(const char *path, uint64_t bytes, bool small)
{
	static const uint32_t head[6] = { 0xa1b23c4d, 0x00040002, 0, 0, 262144, 1 };
	uint8_t b[FRAME_MAX];
	uint32_t record[4], n;
	uint64_t written = sizeof(head);
	size_t len;
	FILE *f = fopen(path, "wb");

	if (!f) {
		perror(path);
		return 2;
	}
	setvbuf(f, NULL, _IOFBF, STDIO_BUFFER);
	fwrite(head, sizeof(head), 1, f);
	for (n = 0; written < bytes; n++) {
		len = small ? nth_small(b, n) : nth_write(b, n);
		record[0] = 1700000000 + n / 1000000;
		record[1] = n % 1000000 * 1000;
		record[2] = record[3] = (uint32_t)len;
		fwrite(record, sizeof(record), 1, f);
		fwrite(b, 1, len, f);
		written += sizeof(record) + len;
	}
	if (fclose(f)) {
		perror(path);
		return 2;
	}
	printf("%" PRIu32 "\n", n);
	return 0;
}

static int loop(const char *path)
{
	char errors[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *record;
	const u_char *data;
	uint64_t n = 0;
	pcap_t *pcap;
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		return 2;
	}
	setvbuf(f, NULL, _IOFBF, STDIO_BUFFER);
	pcap = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, errors);
	if (!pcap) {
		fprintf(stderr, "%s: %s\n", path, errors);
		return 2;
	}
	while (pcap_next_ex(pcap, &record, &data) == 1)
		n++;
	pcap_close(pcap);
	printf("%" PRIu64 "\n", n);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "write"))
		return write_capture(argv[2], strtoull(argv[3], NULL, 0), false);
	if (argc == 4 && !strcmp(argv[1], "acks"))
		return write_capture(argv[2], strtoull(argv[3], NULL, 0), true);
	if (argc == 3 && !strcmp(argv[1], "loop"))
		return loop(argv[2]);
	fprintf(stderr, "capture-bench write|acks FILE BYTES, capture-bench loop FILE\n");
	return 2;
}
