/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * captures.c - the walk over the real captures of pcaps/{faults,mad,reports,rxe,ulp}: every RDMA
 * packet is whole unless the capture cut it, and its ICRC is wrong exactly where
 * data/bad-icrc.txt says.
 */
#include "check.h"
#include "pcap_file.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

/* The number of a frame with a wrong ICRC that follows in @list; 0 after the last. */
static uint32_t next_bad(char **list)
{
	return (uint32_t)strtoul(*list, list, 10);
}

/* Bits flipped on the way may hit a length or the opcode too: the walk may find fault then. */
static void check_packet(const struct ibw_packet *pkt, bool bad)
{
	enum ibw_crc_status vcrc = pkt->lrh == IBW_NO_SPAN ? IBW_CRC_ABSENT : IBW_CRC_GOOD;

	CHECK_EQ(ibw_packet_icrc(pkt).status, bad ? IBW_CRC_BAD : IBW_CRC_GOOD);
	CHECK_EQ(ibw_packet_vcrc(pkt).status, vcrc);
	CHECK(pkt->outcome == IBW_OK || (bad && pkt->outcome == IBW_MALFORMED));
	CHECK_EQ(pkt->flags & IBW_PKT_LENGTHS, 0);
}

/* A frame of which the capture has less than the wire had. */
static void check_cut(const struct ibw_packet *pkt)
{
	CHECK_EQ(ibw_packet_icrc(pkt).status, IBW_CRC_UNVERIFIABLE);
	CHECK_EQ(pkt->outcome, IBW_CUT);
}

/* A frame that a switch cut on the way, and that still has the lengths of before. */
static bool check_trimmed(const struct ibw_packet *pkt)
{
	if (!(pkt->flags & IBW_PKT_LENGTHS))
		return false;
	CHECK_EQ(ibw_packet_icrc(pkt).status, IBW_CRC_UNVERIFIABLE);
	CHECK_EQ(pkt->outcome, IBW_MALFORMED);
	return true;
}

/* One line of the list: "rxe/x.pcap GOOD BAD...". */
static unsigned int check_capture(char *line)
{
	unsigned int trimmed = 0;
	char *name = strtok_r(line, " \n", &line);
	uint32_t want_good = (uint32_t)strtoul(line, &line, 10), good = 0, bad = next_bad(&line);
	struct ibw_packet pkt;
	struct pcap_file f;

	pcap_file_open(&f, "pcaps", name);
	while (pcap_file_next(&f)) {
		check_case("%s:%u", name, f.number);
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth == IBW_NO_SPAN) {
			CHECK(pkt.outcome == IBW_OTHER || pkt.proto == IBW_PROTO_ARP ||
			      pkt.proto == IBW_PROTO_IPOIB);
			continue;
		}
		if (f.caplen < f.len) {
			check_cut(&pkt);
			continue;
		}
		if (check_trimmed(&pkt)) {
			trimmed++;
			continue;
		}
		check_packet(&pkt, f.number == bad);
		good += f.number != bad;
		if (f.number == bad)
			bad = next_bad(&line);
	}
	check_case("%s", name);
	CHECK_EQ(good, want_good);
	CHECK_EQ(bad, 0);
	pcap_file_close(&f);
	return trimmed;
}

int main(void)
{
	FILE *list = fopen("tests/data/bad-icrc.txt", "r");
	unsigned int captures = 0, trimmed = 0;
	char line[1024];

	if (!list) {
		perror("tests/data/bad-icrc.txt");
		return 1;
	}
	while (fgets(line, sizeof(line), list)) {
		if (*line == '#' || *line == '\n')
			continue;
		trimmed += check_capture(line);
		captures++;
	}
	fclose(list);
	check_case("all");
	CHECK_EQ(captures, 178);
	CHECK_EQ(trimmed, 6); /* of reports/11 */
	return check_end();
}
