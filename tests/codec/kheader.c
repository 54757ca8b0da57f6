/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader.c - what ibwire-kheader prints of every header, compiled with all warnings, does byte by
 * byte what the code of the schema does: with random bytes, and with those of the vectors. The build
 * prints it to kheader_all.h, with the prefix kh.
 */
#include "check.h"
#include "kheader_user.h"

#include <stdlib.h>

#define PRINTED "kheader_all.h" /* made by the build, so not among the sources */
#include PRINTED
/* Two that have the accessors and an enum in common. */
#undef PRINTED
#define PRINTED "kheader_eth.h"
#include PRINTED
#undef PRINTED
#define PRINTED "kheader_vlan.h"
#include PRINTED

#define IBW_EXPAND_ALSO "expand_kheader.h"
#include <ibwire/ibwire.h>
#undef IBW_EXPAND_ALSO
#include <ibwire/tables.h>

#define ROUNDS 50
#define ROOM 4096

static uint64_t state = 7;

static void random_bytes(uint8_t *p, size_t n)
{
	while (n--) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		*p++ = (uint8_t)(state >> 56);
	}
}

typedef void check_header(void *bytes_of_both, const uint8_t *bytes, uint64_t v);

static const struct {
	const char *name;
	check_header *check;
	size_t bytes;
} headers[] = {
#define IBW_HEADER(hdr, title) { #hdr, kh_##hdr##_check, sizeof(struct ibw_##hdr##_wire) },
#include <ibwire/list/headers.def>
#undef IBW_HEADER
};

#define N_HEADERS (sizeof(headers) / sizeof(headers[0]))

/* The next two hexadecimal digits of *@text, -1 without any. */
static int hex_byte(const char **text)
{
	char digits[3] = { 0 }, *end;
	long v;

	if (!(*text)[0] || !(*text)[1])
		return -1;
	memcpy(digits, *text, 2);
	v = strtol(digits, &end, 16);
	if (*end)
		return -1;
	*text += 2;
	return (int)v;
}

static void check_vector(const char *name, const char *hex)
{
	static uint8_t wire[ROOM], bytes[ROOM];
	size_t n = 0, i;
	bool found = false;
	int v;

	while (n < ROOM && (v = hex_byte(&hex)) >= 0)
		wire[n++] = (uint8_t)v;
	check_case("vector %s", name);
	for (i = 0; i < N_HEADERS; i++) {
		if (strcmp(headers[i].name, name) != 0)
			continue;
		found = true;
		if (CHECK_EQ(n, headers[i].bytes))
			headers[i].check(wire, bytes, 0);
	}
	CHECK(found);
}

/* Real headers: tests/codec/vectors.c. */
static void check_vectors(void)
{
	static char line[2 * ROOM + 16], name[64];
	unsigned int n = 0;
	FILE *in = CHECK_OPEN("tests/data/vectors.txt");

	if (!in)
		return;
	while (fgets(line, sizeof(line), in)) {
		if (line[0] == '[') {
			line[strcspn(line, "]")] = 0;
			snprintf(name, sizeof(name), "%.60s", line + 1);
		} else if (strncmp(line, "hex ", 4) == 0) {
			check_vector(name, line + 4);
			n++;
		}
	}
	fclose(in);
	CHECK(n > 150);
}

/* The constants have the names and values of list/: not their numbers, which those have from one place. */
static void check_values(void)
{
	check_case("constants");
#define IBW_VALUES(list)
#define IBW_VALUE(list, name, value, text) CHECK_EQ((uint32_t)KH_##name, (uint32_t)IBW_##name);
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	CHECK_EQ(KH_OP_##name, IBW_OP_##name);
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	CHECK_EQ(KH_CLASS_##name, IBW_CLASS_##name);                                               \
	CHECK_EQ(KH_CLASS_##name##_LAST, IBW_CLASS_##name##_LAST);
#include <ibwire/list/mad_classes.def>
#undef IBW_MAD_CLASS
}

int main(void)
{
	static uint8_t wire[ROOM], bytes[ROOM];
	unsigned int round;
	size_t i;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < N_HEADERS; i++) {
			CHECK(headers[i].bytes <= ROOM);
			random_bytes(wire, headers[i].bytes);
			random_bytes(bytes, headers[i].bytes);
			headers[i].check(wire, bytes, ibw_get_be64(bytes + ROOM / 2) ^ state);
		}
	check_vectors();
	check_values();
	check_case("two files");
	CHECK_EQ(TWO_ETH_BYTES + TWO_VLAN_BYTES, TWO_ETHERTYPE_VLAN == 0x8100 ? 18 : 0);
	return check_end();
}
