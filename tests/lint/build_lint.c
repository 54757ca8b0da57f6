/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_lint.c [DIR] - the packet-scoped rules find nothing in what the builder makes. With DIR,
 * packets of each framing and opcode are written there too, a capture a framing.
 */
#include "build_cases.h"
#include "check.h"

#include <lint/lint.h>

static uint8_t payload[BUILD_ROOM];
static unsigned long findings;

static void report(void *user, const struct lint_finding *finding)
{
	(void)user;
	/* Notes are no fault: an opcode or a feature worth knowing of. */
	if (lint_rules[finding->rule].scope != LINT_PACKET || finding->severity > LINT_WARNING)
		return;
	findings++;
	if (check_failed(__FILE__, __LINE__, lint_rules[finding->rule].id))
		fprintf(stderr, "\t%s\n", finding->message);
}

/* The capture of a framing, in the byte order of this machine. */
static FILE *pcap_open(const char *dir, const struct build_framing *f)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, linktype;
	} head = { 0xa1b2c3d4, 2, 4, 0, 0, 65535, f->linktype };
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/built-%s.pcap", dir, f->name);
	out = fopen(path, "wb");
	if (!out || fwrite(&head, sizeof(head), 1, out) != 1) {
		perror(path);
		exit(1);
	}
	return out;
}

static void pcap_put(FILE *out, const uint8_t *packet, uint32_t n)
{
	const uint32_t record[4] = { 0, 0, n, n };

	if (fwrite(record, sizeof(record), 1, out) != 1 || fwrite(packet, n, 1, out) != 1) {
		perror("a capture");
		exit(1);
	}
}

/* All payloads of one opcode; the first @samples are written too. */
static unsigned long one_opcode(struct lint *lint, const struct build_framing *f, uint8_t opcode,
				FILE *out, unsigned int samples)
{
	static uint64_t frame;
	unsigned long packets = 0;
	uint8_t packet[BUILD_ROOM];
	struct track_context context = { 0 };
	struct track_view view;
	struct ibw_build b;
	uint32_t n, len;

	for (n = 0; n <= IBW_MTU_MAX; n++) {
		if (!build_payload_tried(n))
			continue;
		build_case(&b, f, opcode, n);
		len = (uint32_t)ibw_build_packet(packet, sizeof(packet), &b, payload);
		if (!len)
			continue;
		check_case("%s, %s, %u", f->name, ibw_opcodes[opcode].text, n);
		track_view_packet(&view, packet, len, len, f->linktype, NULL);
		frame++;
		lint_packet(lint, &(struct track_frame){ .number = frame, .time_ns = frame }, &view,
			    &context);
		if (out && packets < samples)
			pcap_put(out, packet, len);
		packets++;
	}
	return packets;
}

int main(int argc, char **argv)
{
	struct lint_options options = { .n_roce_ports = 0 };
	unsigned int f, opcode, rule;
	unsigned long packets = 0;
	struct lint *lint;

	build_random_bytes(payload, sizeof(payload));
	for (rule = 0; rule < LINT_RULE_COUNT; rule++)
		options.rules[rule] = lint_rules[rule].scope == LINT_PACKET;
	lint = lint_new(&options, &(struct lint_sink){ .take = report });
	for (f = 0; f < BUILD_FRAMINGS; f++) {
		FILE *out = NULL;

		if (argc > 1)
			out = pcap_open(argv[1], &build_framings[f]);
		for (opcode = 0; opcode < 256; opcode++)
			packets += one_opcode(lint, &build_framings[f], (uint8_t)opcode, out, 8);
		if (out)
			fclose(out);
	}
	lint_free(lint);
	check_case("all");
	CHECK_EQ(findings, 0);
	CHECK(packets > 100000);
	printf("%lu packets linted\n", packets);
	return check_end();
}
