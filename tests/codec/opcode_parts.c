/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opcode_parts.c - opcodes taken to parts and made of them: all 256, against the words of the
 * names that Linux's rxe and Wireshark have for them (facts/opcodes.csv), and every combination of
 * parts against a search through all opcodes.
 */
#include "fact_rows.h"
#include <ctype.h>
#include <ibwire/ibwire.h>

static bool named[256];

static const struct word {
	const char *text;
	uint8_t value;
} services[] = {
	{ "RC", 0x00 }, { "UC", 0x20 }, { "RD", 0x40 }, { "UD", 0x60 }, { "CNP", 0x80 }, { "XRC", 0xa0 },
}, operations[] = { /* what is in another is after it */
	{ "ATOMIC_WRITE", IBW_OPERATION_ATOMIC_WRITE },
	{ "ATOMIC_ACKNOWLEDGE", IBW_OPERATION_ATOMIC_ACKNOWLEDGE },
	{ "ACKNOWLEDGE", IBW_OPERATION_ACKNOWLEDGE },
	{ "READ_REQUEST", IBW_OPERATION_READ_REQUEST },
	{ "READ_RESPONSE", IBW_OPERATION_READ_RESPONSE },
	{ "SEND", IBW_OPERATION_SEND },
	{ "WRITE", IBW_OPERATION_WRITE },
	{ "COMPARE_SWAP", IBW_OPERATION_COMPARE_SWAP },
	{ "CMPSWAP", IBW_OPERATION_COMPARE_SWAP },
	{ "FETCH_ADD", IBW_OPERATION_FETCH_ADD },
	{ "FETCHADD", IBW_OPERATION_FETCH_ADD },
	{ "RESYNC", IBW_OPERATION_RESYNC },
	{ "FLUSH", IBW_OPERATION_FLUSH },
	{ "CNP", IBW_OPERATION_CNP },
}, positions[] = {
	{ "FIRST", IBW_OPF_FIRST }, { "MIDDLE", IBW_OPF_MIDDLE }, { "LAST", IBW_OPF_LAST },
	{ "ONLY", IBW_OPF_ONLY },
}, withs[] = {
	{ "IMM", IBW_WITH_IMMEDIATE }, { "INV", IBW_WITH_INVALIDATE },
};
#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

/* The value of the first word that is in @name, else @otherwise. */
static uint8_t find(const struct word *word, size_t n, const char *name, uint8_t otherwise)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strstr(name, word[i].text))
			return word[i].value;
	return otherwise;
}

/* The service is the first word: XRC has RC in it. */
static uint8_t service_in(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(services); i++)
		if (strncmp(name, services[i].text, strlen(services[i].text)) == 0)
			return services[i].value;
	return 0xff;
}

/* Opcodes that a source names and we do not define: see disagreements in opcodes.c. */
static bool is_left_out(unsigned int op, const char *source)
{
	return strncmp(source, "wireshark", 9) == 0 && (op == 0x15 || op == 0x80);
}

static void use_row(char **column)
{
	unsigned int op = fact_number(column[1]), i;
	struct ibw_opcode_parts parts;
	char name[64];

	if (!fact_said(column[2]) || is_left_out(op, column[0]))
		return;
	for (i = 0; column[2][i] && i < sizeof(name) - 1; i++)
		name[i] = (char)(column[2][i] == ' ' ? '_' : toupper((unsigned char)column[2][i]));
	name[i] = '\0';
	named[op] = true;
	CHECK(ibw_opcode_split(&parts, (uint8_t)op));
	CHECK_EQ(parts.service, service_in(name));
	CHECK_EQ(parts.operation, find(operations, COUNT(operations), name, 0xff));
	CHECK_EQ(parts.position, find(positions, COUNT(positions), name, IBW_OPF_ONLY));
	CHECK_EQ(parts.with, find(withs, COUNT(withs), name, IBW_WITH_NOTHING));
}

static bool same(const struct ibw_opcode_parts *a, const struct ibw_opcode_parts *b)
{
	return a->service == b->service && a->operation == b->operation &&
	       a->position == b->position && a->with == b->with;
}

/* @parts make the one opcode that has them, or none. */
static bool test_made(const struct ibw_opcode_parts *parts)
{
	struct ibw_opcode_parts of;
	unsigned int op, found = 256;
	uint8_t made = 0xee;

	for (op = 0; op < 256; op++)
		if (ibw_opcode_split(&of, (uint8_t)op) && same(&of, parts)) {
			CHECK_EQ(found, 256); /* two opcodes with the same parts */
			found = op;
		}
	CHECK_EQ(ibw_opcode_make(&made, parts), found < 256);
	CHECK_EQ(made, found < 256 ? found : 0xee);
	return found < 256;
}

static void test_combinations(void)
{
	struct ibw_opcode_parts parts;
	unsigned int service, operation, position, with, made = 0, defined = 0;

	for (service = 0; service < 256; service += 16)
		for (operation = 0; operation <= IBW_OPERATIONS; operation++)
			for (position = 0; position < 17; position++)
				for (with = 0; with < 4; with++) {
					check_case("%u %u %u %u", service, operation, position,
						   with);
					parts = (struct ibw_opcode_parts){ (uint8_t)service,
									   (uint8_t)operation,
									   (uint8_t)position,
									   (uint8_t)with };
					made += test_made(&parts);
				}
	for (service = 0; service < 256; service++)
		defined += ibw_opcode_chain((uint8_t)service) != 0;
	check_case("all");
	CHECK_EQ(made, defined);
}

int main(void)
{
	struct ibw_opcode_parts parts;
	unsigned int op;

	fact_rows("tests/facts/opcodes.csv", 9, use_row);
	for (op = 0; op < 256; op++) {
		check_case("opcode 0x%02x", op);
		memset(&parts, 0xee, sizeof(parts));
		if (ibw_opcode_split(&parts, (uint8_t)op)) {
			CHECK(named[op] || op == IBW_OP_XRC_ATOMIC_WRITE);
			continue;
		}
		CHECK_EQ(parts.service, op & 0xe0);
		CHECK_EQ(parts.operation, IBW_OPERATION_NONE);
		CHECK(!parts.position && parts.with == IBW_WITH_NOTHING);
	}
	test_combinations();
	return check_end();
}
