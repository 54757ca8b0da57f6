/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The opcode table: the inline function, the table and the names say the same
 * for each of the 256 opcodes, each row makes sense by itself, and what other
 * sources say (tests/facts/opcodes.csv) is what it says, but for the
 * disagreements listed here.
 */
#include "check.h"
#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

#include <stdlib.h>
#include <strings.h>

/* The headers after a BTH, in wire order, which is that of their bits. */
static const struct {
	unsigned int bit;
	enum ibw_layer layer;
	const char *name;
} eths[] = {
	{ IBW_ETH_DCETH, IBW_LAYER_dceth, "DCETH" },
	{ IBW_ETH_DCCETH, IBW_LAYER_dcceth, "DCCETH" },
	{ IBW_ETH_RDETH, IBW_LAYER_rdeth, "RDETH" },
	{ IBW_ETH_DETH, IBW_LAYER_deth, "DETH" },
	{ IBW_ETH_XRCETH, IBW_LAYER_xrceth, "XRCETH" },
	{ IBW_ETH_FETH, IBW_LAYER_feth, "FETH" },
	{ IBW_ETH_RETH, IBW_LAYER_reth, "RETH" },
	{ IBW_ETH_ATOMICETH, IBW_LAYER_atomiceth, "ATOMICETH" },
	{ IBW_ETH_AETH, IBW_LAYER_aeth, "AETH" },
	{ IBW_ETH_ATOMICACKETH, IBW_LAYER_atomicacketh, "ATOMICACKETH" },
	{ IBW_ETH_IMMDT, IBW_LAYER_immdt, "IMMDT" },
	{ IBW_ETH_IETH, IBW_LAYER_ieth, "IETH" },
	{ IBW_ETH_ATOMICWRITE, IBW_LAYER_atomicwrite, "ATOMICWRITE" },
	{ IBW_ETH_CNP, IBW_LAYER_cnp, "CNP" },
};

/* IBW_OP_RC_SEND_FIRST ... without the prefix. */
static const char *const constants[256] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	[IBW_OP_##name] = #name,
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

/* Where a source says something else; "name" of an opcode we do not know, too. */
static const struct {
	const char *source;
	unsigned int opcode;
	const char *column, *why;
	bool *seen;
} disagreements[] = {
#define DISAGREE(source, opcode, column, why)                                                      \
	{                                                                                          \
		source, opcode, column, why, &(bool)                                               \
		{                                                                                  \
			false                                                                      \
		}                                                                                  \
	}
	DISAGREE("wireshark-4.4.18", 0x15, "name", "reserved: an opcode without a meaning"),
	DISAGREE("wireshark-4.4.18", 0x80, "name",
		 "the CNP is 0x81: Linux, scapy, two adapters, and a ConnectX-4 Lx on the wire; "
		 "0x80 is the prefix of its service"),
	DISAGREE("linux-6.12-rxe", 0x1d, "headers", "the eight bytes are a payload to rxe"),
	DISAGREE("linux-6.12-rxe", 0x1d, "bytes", "the eight bytes are a payload to rxe"),
	DISAGREE("linux-6.12-rxe", 0x1d, "payload", "the eight bytes are a payload to rxe"),
	DISAGREE("wireshark-4.4.18", 0x1d, "headers", "the eight bytes are a payload there"),
	DISAGREE("wireshark-4.4.18", 0x1d, "payload", "the eight bytes are a payload there"),
	DISAGREE("linux-patch-flush", 0x5c, "headers", "every request of RD has a DETH"),
	DISAGREE("wireshark-4.4.18", 0x5c, "headers", "every request of RD has a DETH"),
	DISAGREE("wireshark-4.4.18", 0x5d, "headers",
		 "every request of RD has a DETH; the eight bytes are a payload there"),
	DISAGREE("wireshark-4.4.18", 0x5d, "payload", "the eight bytes are a payload there"),
#undef DISAGREE
};

/* Opcodes whose headers fewer than two sources give as we do; opcodes.def says so. */
static const struct {
	unsigned int opcode;
	unsigned int sources;
} weak[] = {
	{ IBW_OP_RC_ATOMIC_WRITE, 0 }, /* two, but for the name of its eight bytes */
	{ IBW_OP_RD_RESYNC, 1 },       { IBW_OP_RD_FLUSH, 0 }, /* two, but for the DETH */
	{ IBW_OP_RD_ATOMIC_WRITE, 0 }, /* one, but for the DETH and the name of its eight bytes */
	{ IBW_OP_XRC_FLUSH, 1 },       { IBW_OP_XRC_ATOMIC_WRITE, 0 },
};

static unsigned int sources_of[256];
static char last_source[256][32];

/* The one of @flags in @set, as its number of bits counted. */
static unsigned int bits_in(unsigned int set, unsigned int flags)
{
	unsigned int n = 0;

	for (set &= flags; set; set &= set - 1)
		n++;
	return n;
}

static void test_row(unsigned int op)
{
	const struct ibw_opcode_row *row = &ibw_opcodes[op];
	uint32_t chain = ibw_opcode_chain((uint8_t)op);
	unsigned int i, bytes = 0;
	bool early;

	check_case("opcode 0x%02x", op);
	CHECK_EQ(row->eths, chain & 0xffff);
	CHECK_EQ(row->flags, chain >> 16);
	CHECK_STR(ibw_name_of(ibw_opcode_names, op), row->text);
	CHECK_EQ(row->text != NULL, chain != 0);
	CHECK_EQ(constants[op] != NULL, chain != 0);
	if (!chain) {
		CHECK_EQ(row->eths_bytes, 0);
		return;
	}
	for (i = 0; i < sizeof(eths) / sizeof(eths[0]); i++)
		if (row->eths & eths[i].bit)
			bytes += ibw_headers[eths[i].layer].bytes;
	CHECK_EQ(row->eths_bytes, bytes);
	CHECK_EQ(ibw_eths_bytes(row->eths), bytes);
	CHECK_EQ(row->eths >> IBW_ETH_COUNT, 0);
	CHECK_EQ(bits_in(row->flags, IBW_OPF_FIRST | IBW_OPF_MIDDLE | IBW_OPF_LAST | IBW_OPF_ONLY),
		 1);
	CHECK_EQ(bits_in(row->flags, IBW_OPF_KNOWN), 1);
	CHECK(bits_in(row->flags, IBW_OPF_PAYLOAD) <= 1);
	/* All packets of a message but the last are full. */
	early = row->flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE);
	CHECK_EQ((row->flags & IBW_OPF_MTU) != 0, early);
	/* Each service begins its names with its own. */
	CHECK(strncmp(row->text, constants[op], strcspn(constants[op], "_")) == 0);
	CHECK(op < IBW_OPCODE_VENDOR_FIRST);
}

/* The bits have the numbers their place says, and the table above has them all. */
static void test_bits(void)
{
	unsigned int i;

	check_case("bits of the headers");
	CHECK_EQ(sizeof(eths) / sizeof(eths[0]), IBW_ETH_COUNT);
	for (i = 0; i < IBW_ETH_COUNT; i++) {
		CHECK_EQ(eths[i].bit, 1u << i);
		CHECK(strcasecmp(ibw_headers[eths[i].layer].name, eths[i].name) == 0);
	}
}

/* The ETHs that say who sends a request, IBTA vol 1, 9.3: every one of RD has both of its own. */
static void test_requests(void)
{
	unsigned int op, requests = 0;

	for (op = IBW_SERVICE_RD; op < IBW_SERVICE_UD; op++)
		if (ibw_opcodes[op].flags & IBW_OPF_REQUEST) {
			check_case("RD request 0x%02x", op);
			CHECK_EQ(ibw_opcodes[op].eths & (IBW_ETH_RDETH | IBW_ETH_DETH),
				 IBW_ETH_RDETH | IBW_ETH_DETH);
			requests++;
		}
	check_case("RD requests");
	CHECK_EQ(requests, 18);
}

/* "XRCETH+RETH+IMMDT" or "none", lowest bit first. */
static void headers_text(unsigned int set, char *text, size_t room)
{
	unsigned int i;
	size_t n = 0;

	*text = '\0';
	for (i = 0; i < IBW_ETH_COUNT; i++)
		if (set & eths[i].bit)
			n += (size_t)snprintf(text + n, room - n, "%s%s", n ? "+" : "",
					      eths[i].name);
	if (n == 0)
		snprintf(text, room, "none");
}

static bool disagrees(const char *source, unsigned int op, const char *column)
{
	size_t i;

	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++)
		if (disagreements[i].opcode == op && strcmp(disagreements[i].source, source) == 0 &&
		    strcmp(disagreements[i].column, column) == 0) {
			*disagreements[i].seen = true;
			return true;
		}
	return false;
}

/* One thing a source says, "-" if it does not: whether it is what we say. */
static bool agrees(const char *source, unsigned int op, const char *column, const char *theirs,
		   const char *ours)
{
	if (strcmp(theirs, "-") == 0)
		return false;
	if (ours && strcasecmp(theirs, ours) == 0)
		return true;
	check_case("0x%02x %s: %s: %s, not %s", op, column, source, theirs, ours ? ours : "known");
	CHECK(disagrees(source, op, column));
	return false;
}

static const char *position_text(unsigned int flags)
{
	return flags & IBW_OPF_FIRST    ? "FIRST"
	       : flags & IBW_OPF_MIDDLE ? "MIDDLE"
	       : flags & IBW_OPF_LAST   ? "LAST"
					: "ONLY";
}

static void test_fact(const char *line)
{
	char source[32], code[8], name[64], headers[64], bytes[8], payload[8], role[16],
		position[8];
	const struct ibw_opcode_row *row;
	char ours[128], total[8];
	unsigned int op, n;
	bool known;

	check_case("%s", line);
	if (!CHECK_EQ(sscanf(line, "%31[^,],%7[^,],%63[^,],%63[^,],%7[^,],%7[^,],%15[^,],%7[^,],",
			     source, code, name, headers, bytes, payload, role, position),
		      8))
		return;
	op = (unsigned int)strtoul(code, NULL, 16) & 0xff;
	row = &ibw_opcodes[op];
	known = row->text != NULL;
	agrees(source, op, "name", name, strchr(name, ' ') ? row->text : constants[op]);
	if (!known) {
		check_case("%s: an opcode we do not know", line);
		CHECK(disagrees(source, op, "name"));
		return;
	}
	headers_text(row->eths, ours, sizeof(ours));
	snprintf(total, sizeof(total), "%u", (unsigned int)ibw_bth_BYTES + row->eths_bytes);
	n = agrees(source, op, "headers", headers, ours);
	n |= agrees(source, op, "bytes", bytes, total);
	agrees(source, op, "payload", payload, row->flags & IBW_OPF_PAYLOAD ? "yes" : "no");
	agrees(source, op, "role", role, row->flags & IBW_OPF_REQUEST ? "REQUEST" : "RESPONSE");
	agrees(source, op, "position", position, position_text(row->flags));
	/* Rows are sorted: a code base is counted once. */
	source[strcspn(source, "-")] = '\0';
	if (n && strcmp(last_source[op], source) != 0) {
		sources_of[op]++;
		snprintf(last_source[op], sizeof(last_source[op]), "%s", source);
	}
}

static void test_facts(void)
{
	FILE *in = CHECK_OPEN("tests/facts/opcodes.csv");
	char line[256];
	unsigned int rows = 0;

	check_case("tests/facts/opcodes.csv");
	if (!in)
		return;
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#') {
			test_fact(line);
			rows++;
		}
	}
	fclose(in);
	printf("%u rows\n", rows);
}

/* No disagreement that is none, no opcode with fewer sources than said. */
static void test_lists(void)
{
	unsigned int op;
	size_t i;

	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++) {
		check_case("0x%02x %s: %s agrees by now", disagreements[i].opcode,
			   disagreements[i].column, disagreements[i].source);
		CHECK(*disagreements[i].seen);
	}
	for (op = 0; op < 256; op++) {
		if (!ibw_opcodes[op].text)
			continue;
		for (i = 0; i < sizeof(weak) / sizeof(weak[0]); i++)
			if (weak[i].opcode == op)
				break;
		check_case("sources of the headers of %s", ibw_opcodes[op].text);
		if (i == sizeof(weak) / sizeof(weak[0])) {
			CHECK(sources_of[op] >= 2);
			continue;
		}
		printf("%u sources for the headers of %s\n", sources_of[op], ibw_opcodes[op].text);
		CHECK_EQ(sources_of[op], weak[i].sources);
	}
}

int main(void)
{
	unsigned int op;

	test_requests();
	test_bits();
	for (op = 0; op < 256; op++)
		test_row(op);
	test_facts();
	test_lists();
	return check_end();
}
