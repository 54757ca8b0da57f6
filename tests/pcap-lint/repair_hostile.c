/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * repair_hostile.c MADE - --repair of packets that are damaged at random and cut anywhere, in
 * memory that ends with them: nothing else is read, and repairing twice is repairing once.
 */
#include "check.h"
#include "pcap_file.h"

#include <pcap-lint/rewrite/repair_packet.h>

#define ROUNDS 20
#define HEADERS 100 /* where damage does most */

static const char *const names[] = {
	"ib-local",
	"ib-global",
	"roce-v1",
	"roce-v2-ipv4",
	"roce-v2-ipv6-vlan",
	"vxlan-roce-v2-ipv4",
	"vxlan-roce-v2-ipv6",
	"sll2-roce-v2-ipv6",
	"raw-roce-v2-ipv6",
	"erf-eth-roce-v1",
	"erf-eth-roce-v2-ipv4",
	"erf-ib-global",
};

static uint64_t state = 9;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void damage(uint8_t *p, uint32_t n)
{
	static const uint8_t extremes[] = { 0x00, 0xff };
	uint32_t bytes = below(6);

	for (; bytes; bytes--) {
		uint32_t at = below(below(2) && n > HEADERS ? HEADERS : n);

		p[at] = below(3) ? (uint8_t)below(256) : extremes[below(2)];
	}
}

/* One packet, from memory that is just as long. */
static void repair(struct pl_repaired *r, const struct capture_packet *like, const uint8_t *data,
		   uint32_t caplen)
{
	static const struct ibw_walk_options walk;
	struct capture_packet record = *like;
	uint8_t *copy = malloc(caplen + !caplen);

	CHECK(copy != NULL);
	if (!copy)
		return;
	memcpy(copy, data, caplen);
	record.data = copy;
	record.len = like->len + caplen - like->caplen;
	record.caplen = caplen;
	pl_repair_packet(r, &record, &walk);
	free(copy);
}

int main(int argc, char **argv)
{
	struct pl_repaired once = { .bytes = g_byte_array_new() };
	struct pl_repaired twice = { .bytes = g_byte_array_new() };
	unsigned long packets = 0, changed = 0;
	uint8_t packet[4096];
	struct pcap_file f;
	unsigned int i, round;
	char name[96];

	if (argc != 2) {
		fprintf(stderr, "usage: repair_hostile MADE\n");
		return 2;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "opcodes-%s.pcap", names[i]);
		pcap_file_open(&f, argv[1], name);
		while (pcap_file_next(&f))
			for (round = 0; round < ROUNDS; round++) {
				struct capture_packet record = { .linktype = f.linktype };

				check_case("%s:%u, round %u", name, f.number, round);
				record.caplen = below(4) ? f.caplen : below(f.caplen + 1);
				record.len = below(3) ? record.caplen : f.len;
				record.fcs_len = below(4) ? 0 : 4;
				memcpy(packet, f.frame, f.caplen);
				damage(packet, f.caplen);
				repair(&once, &record, packet, record.caplen);
				repair(&twice, &record, once.bytes->data, once.bytes->len);
				CHECK_EQ(twice.n_changes, 0);
				CHECK_EQ(twice.bytes->len, once.bytes->len);
				CHECK_MEM(twice.bytes->data, once.bytes->data, once.bytes->len);
				packets++;
				changed += once.n_changes != 0;
			}
		pcap_file_close(&f);
	}
	check_case("all");
	CHECK(packets > 20000 && changed > packets / 4);
	printf("%lu packets damaged, %lu repaired\n", packets, changed);
	g_byte_array_free(once.bytes, TRUE);
	g_byte_array_free(twice.bytes, TRUE);
	return check_end();
}
