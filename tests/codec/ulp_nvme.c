/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_nvme.c - capsules and completions of NVMe over Fabrics: which headers are found where, what is data, what is wrong
 * with those that are, and the names of commands and of statuses.
 */
#include "check.h"
#include "ulp_check.h"

#define IO (IBW_ULP_FROM_INITIATOR | IBW_ULP_NVME_IO)

/* A capsule with one descriptor of @type, then @more bytes. */
static uint32_t capsule(uint8_t opcode, uint8_t type, uint64_t addr, uint32_t length, uint32_t more)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = opcode;
	ulp_bytes[1] = 0x40;
	ibw_put_le64(ulp_bytes + 24, addr);
	ibw_put_le32(ulp_bytes + 32, length);
	ulp_bytes[39] = type;
	return 64 + more;
}

static void check_commands(void)
{
	uint32_t n = capsule(0x06, 0x40, 0x1000, 4096, 0);

	ulp_is(IBW_ULP_NVME, IBW_ULP_FROM_INITIATOR, n,
	       "nvme_command 0 nvme_sgl_keyed 24 nvme_cdw 40");
	n = capsule(0x01, 0x40, 0x1000, 4096, 0);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl_keyed 24 nvme_rw 40");
	/* On the admin queue it is Create I/O Submission Queue. */
	ulp_is(IBW_ULP_NVME, IBW_ULP_FROM_INITIATOR, n,
	       "nvme_command 0 nvme_sgl_keyed 24 nvme_cdw 40");
	n = capsule(0x00, 0x40, 0, 0, 0);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl_keyed 24 nvme_cdw 40");
}

static void check_rw(void)
{
	static const uint8_t rw[] = { 0x01, 0x02, 0x04, 0x05, 0x08, 0x0c, 0x7d };
	unsigned int opcode, i;

	for (opcode = 0; opcode < 256; opcode++) {
		bool is = false;

		for (i = 0; i < sizeof(rw); i++)
			is |= rw[i] == opcode;
		check_case("opcode %u", opcode);
		if (opcode == 0x7f)
			continue;
		ulp_is(IBW_ULP_NVME, IO, capsule((uint8_t)opcode, 0x40, 0, 0, 0),
		       is ? "nvme_command 0 nvme_sgl_keyed 24 nvme_rw 40"
			  : "nvme_command 0 nvme_sgl_keyed 24 nvme_cdw 40");
	}
	check_case("%s", "");
}

static void check_data(void)
{
	uint32_t n = capsule(0x01, 0x01, 0, 512, 512);

	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl 24 nvme_rw 40 data 64 512");
	/* Not all of what follows is its data. */
	n = capsule(0x01, 0x01, 16, 100, 512);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl 24 nvme_rw 40 data 80 100");
	/* An address in memory: what follows is not said to be anything. */
	n = capsule(0x01, 0x00, 0x1000, 4096, 8);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl 24 nvme_rw 40 data 64 8");
	/* Of a keyed descriptor the low bits say something else. */
	n = capsule(0x01, 0x41, 0xffff, 4096, 0);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl_keyed 24 nvme_rw 40");
	n = capsule(0x01, 0x01, 0, 512, 512);
	ulp_cut(IBW_ULP_NVME, IO, 100, n, "nvme_command", "data",
		"nvme_command 0 nvme_sgl 24 nvme_rw 40 data 64 512");
}

static void check_beyond(void)
{
	uint32_t n = capsule(0x01, 0x01, 0, 513, 512);

	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "length", 512, 513,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40");
	n = capsule(0x01, 0x01, 513, 0, 512);
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "addr", 512, 513,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40");
	n = capsule(0x01, 0x01, 512, 1, 512);
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "length", 0, 1,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40");
	n = capsule(0x01, 0x01, UINT64_MAX, UINT32_MAX, 512);
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "addr", 512, UINT32_MAX,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40");
	n = capsule(0x01, 0x01, 100, UINT32_MAX, 512);
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "length", 412, UINT32_MAX,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40");
}

/* Two keyed descriptors, and what is no whole one. */
static void check_segment(void)
{
	uint32_t n = capsule(0x02, 0x31, 0, 40, 48);

	ulp_bytes[64 + 15] = ulp_bytes[80 + 15] = 0x40;
	ulp_is(IBW_ULP_NVME, IO, n,
	       "nvme_command 0 nvme_sgl 24 nvme_rw 40 nvme_sgl_keyed 64 nvme_sgl_keyed 80 data 96 16");
	ulp_bytes[39] = 0x21;
	ulp_is(IBW_ULP_NVME, IO, n,
	       "nvme_command 0 nvme_sgl 24 nvme_rw 40 nvme_sgl_keyed 64 nvme_sgl_keyed 80 data 96 16");
	/* A segment that points to itself is looked at once. */
	ulp_bytes[64 + 15] = 0x31;
	ulp_is(IBW_ULP_NVME, IO, n,
	       "nvme_command 0 nvme_sgl 24 nvme_rw 40 nvme_sgl 64 nvme_sgl_keyed 80 data 96 16");
	ulp_bytes[64 + 8] = 49;
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvme_sgl", "length", 48, 49,
		  "nvme_command 0 nvme_sgl 24 nvme_rw 40 nvme_sgl 64");
	n = capsule(0x02, 0x31, 0, 15, 48);
	ulp_is(IBW_ULP_NVME, IO, n, "nvme_command 0 nvme_sgl 24 nvme_rw 40 data 64 48");
	n = capsule(0x02, 0x31, 0, 32, 48);
	ulp_cut(IBW_ULP_NVME, IO, 90, n, "nvme_sgl", NULL,
		"nvme_command 0 nvme_sgl 24 nvme_rw 40 nvme_sgl 64");
}

static void check_fabrics(void)
{
	static const struct {
		uint8_t fctype;
		const char *spans;
	} forms[] = {
		{ 0x00, "nvmf_command 0 nvmf_property_set 24" },
		{ 0x01, "nvmf_command 0 nvme_sgl_keyed 24 nvmf_connect 40" },
		{ 0x04, "nvmf_command 0 nvmf_property_get 24" },
		{ 0x05, "nvmf_command 0 nvme_sgl_keyed 24 nvmf_auth 40" },
		{ 0x06, "nvmf_command 0 nvme_sgl_keyed 24 nvmf_auth 40" },
		{ 0x08, "nvmf_command 0 nvme_sgl_keyed 24 nvme_cdw 40" },
		{ 0xff, "nvmf_command 0 nvme_sgl_keyed 24 nvme_cdw 40" },
	};
	uint32_t n = capsule(0x7f, 0x40, 0, 0, 0);
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		ulp_bytes[4] = forms[i].fctype;
		check_case("type %u", forms[i].fctype);
		ulp_is(IBW_ULP_NVME, IBW_ULP_FROM_INITIATOR, n, forms[i].spans);
		ulp_is(IBW_ULP_NVME, IO, n, forms[i].spans);
	}
	check_case("%s", "");
	n = capsule(0x7f, 0x01, 0, 1024, 1024);
	ulp_bytes[4] = 1;
	ulp_is(IBW_ULP_NVME, IO, n,
	       "nvmf_command 0 nvme_sgl 24 nvmf_connect 40 nvmf_connect_data 64");
	ulp_cut(IBW_ULP_NVME, IO, n - 1, n, "nvmf_connect_data", NULL,
		"nvmf_command 0 nvme_sgl 24 nvmf_connect 40");
	n = capsule(0x7f, 0x01, 0, 1023, 1024);
	ulp_bytes[4] = 1;
	ulp_wrong(IBW_ULP_NVME, IO, n, "nvmf_connect_data", NULL, 1024, 1023,
		  "nvmf_command 0 nvme_sgl 24 nvmf_connect 40");
}

static void check_short(void)
{
	uint32_t n = capsule(0x02, 0x40, 0, 0, 0);

	ulp_wrong(IBW_ULP_NVME, IO, n - 1, "nvme_command", NULL, 64, 63, "");
	ulp_wrong(IBW_ULP_NVME, IO, 0, "nvme_command", NULL, 64, 0, "");
	ulp_cut(IBW_ULP_NVME, IO, 0, n, "nvme_command", NULL, "");
	ulp_cut(IBW_ULP_NVME, IO, 30, n, "nvme_sgl", NULL, "nvme_command 0");
	ulp_cut(IBW_ULP_NVME, IO, 63, n, "nvme_rw", NULL, "nvme_command 0 nvme_sgl_keyed 24");
}

static void check_completions(void)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_is(IBW_ULP_NVME, 0, 16, "nvme_completion 0");
	ulp_is(IBW_ULP_NVME, IBW_ULP_NVME_IO, 20, "nvme_completion 0 data 16 4");
	ulp_wrong(IBW_ULP_NVME, 0, 15, "nvme_completion", NULL, 16, 15, "");
	ulp_cut(IBW_ULP_NVME, 0, 15, 16, "nvme_completion", NULL, "");
}

static void check_status(uint16_t wire, uint16_t status)
{
	uint8_t p[16] = { 0 };

	ibw_put_le16(p + 14, wire);
	CHECK_EQ(ibw_nvme_completion_status(ibw_nvme_completion_view(p, sizeof(p))), status);
}

static void check_statuses(void)
{
	unsigned int i;

	for (i = 0; i < 0x800; i++) {
		check_status((uint16_t)(i << 1), (uint16_t)i);
		check_status((uint16_t)(i << 1 | 0xf001), (uint16_t)i);
	}
	CHECK_STR(ibw_nvme_status_name(0x000, false), "Successful Completion");
	CHECK_STR(ibw_nvme_status_name(0x080, false), "LBA Out of Range");
	CHECK_STR(ibw_nvme_status_name(0x101, true), "Invalid Queue Identifier");
	CHECK_STR(ibw_nvme_status_name(0x182, true), "Connect Invalid Parameters");
	CHECK_STR(ibw_nvme_status_name(0x182, false), "Attempted Write to Read Only Range");
	CHECK_STR(ibw_nvme_status_name(0x281, false), "Unrecovered Read Error");
	CHECK_STR(ibw_nvme_status_name(0x371, false), "Command Aborted By Host");
	/* Retry delay, More and Do Not Retry do not count. */
	CHECK_STR(ibw_nvme_status_name(0x7802, false), "Invalid Field in Command");
	CHECK(!ibw_nvme_status_name(0x7ff, false));
	CHECK(!ibw_nvme_status_name(0x0fe, false));
	CHECK(!ibw_nvme_status_name(0x400, false));
	CHECK(!ibw_nvme_status_name(0x1b8, true));
}

static void check_opcodes(void)
{
	CHECK_STR(ibw_nvme_opcode_name(true, 0x06, 0), "Identify");
	CHECK_STR(ibw_nvme_opcode_name(true, 0x18, 0), "Keep Alive");
	CHECK_STR(ibw_nvme_opcode_name(true, 0x01, 0), "Create I/O Submission Queue");
	CHECK_STR(ibw_nvme_opcode_name(false, 0x01, 0), "Write");
	CHECK_STR(ibw_nvme_opcode_name(false, 0x02, 4), "Read");
	CHECK_STR(ibw_nvme_opcode_name(true, 0x7f, 1), "Connect");
	CHECK_STR(ibw_nvme_opcode_name(false, 0x7f, 4), "Property Get");
	CHECK(!ibw_nvme_opcode_name(true, 0x7f, 2));
	CHECK(!ibw_nvme_opcode_name(true, 0xc0, 0));
	CHECK(!ibw_nvme_opcode_name(false, 0x06, 0));
}

int main(void)
{
	check_commands();
	check_rw();
	check_data();
	check_beyond();
	check_segment();
	check_fabrics();
	check_short();
	check_completions();
	check_statuses();
	check_opcodes();
	return check_end();
}
