/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_srp.c - information units of SRP: which headers are found where, descriptors, immediate data, sense data, what is wrong with
 * those that are, and the names of SCSI.
 */
#include "check.h"
#include "ulp_check.h"

#define FROM IBW_ULP_FROM_INITIATOR

/* A command with the formats @fmt and counts of descriptors, then @more bytes. */
static uint32_t cmd(uint8_t fmt, uint8_t out, uint8_t in, uint32_t more)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = 0x02;
	ulp_bytes[5] = fmt;
	ulp_bytes[6] = out;
	ulp_bytes[7] = in;
	ulp_bytes[32] = 0x28;
	return 48 + more;
}

static void check_descriptors(void)
{
	ulp_is(IBW_ULP_SRP, FROM, cmd(0, 0, 0, 0), "srp_cmd 0 scsi_rw_10 32");
	ulp_is(IBW_ULP_SRP, FROM, cmd(0x01, 0, 0, 16), "srp_cmd 0 scsi_rw_10 32 srp_direct 48");
	ulp_is(IBW_ULP_SRP, FROM, cmd(0x10, 0, 0, 16), "srp_cmd 0 scsi_rw_10 32 srp_direct 48");
	ulp_is(IBW_ULP_SRP, FROM, cmd(0x11, 9, 9, 34),
	       "srp_cmd 0 scsi_rw_10 32 srp_direct 48 srp_direct 64 data 80 2");
	ulp_is(IBW_ULP_SRP, FROM, cmd(0x21, 2, 7, 68),
	       "srp_cmd 0 scsi_rw_10 32 srp_indirect 48 srp_direct 68 srp_direct 84 srp_direct 100");
	ulp_is(IBW_ULP_SRP, FROM, cmd(0x02, 7, 1, 36),
	       "srp_cmd 0 scsi_rw_10 32 srp_indirect 48 srp_direct 68");
	/* A format that is not known: what follows is not said to be anything. */
	ulp_is(IBW_ULP_SRP, FROM, cmd(0xf0, 3, 3, 5), "srp_cmd 0 scsi_rw_10 32 data 48 5");
	ulp_wrong(IBW_ULP_SRP, FROM, cmd(0x01, 0, 0, 15), "srp_direct", NULL, 16, 15,
		  "srp_cmd 0 scsi_rw_10 32");
	ulp_wrong(IBW_ULP_SRP, FROM, cmd(0x20, 255, 0, 52), "srp_direct", NULL, 16, 0,
		  "srp_cmd 0 scsi_rw_10 32 srp_indirect 48 srp_direct 68 srp_direct 84");
	ulp_cut(IBW_ULP_SRP, FROM, 60, cmd(0x01, 0, 0, 16), "srp_direct", NULL,
		"srp_cmd 0 scsi_rw_10 32");
}

static void check_immediate(void)
{
	uint32_t n = cmd(0x30, 0, 0, 20 + 512);

	ulp_bytes[50] = 2;
	ulp_is(IBW_ULP_SRP, FROM, n, "srp_cmd 0 scsi_rw_10 32 srp_imm 48 data 68 512");
	ulp_cut(IBW_ULP_SRP, FROM, 100, n, "srp_imm", "data",
		"srp_cmd 0 scsi_rw_10 32 srp_imm 48 data 68 512");
	ulp_wrong(IBW_ULP_SRP, FROM, 48 + 4 + 511, "srp_imm", "len", 512, 511,
		  "srp_cmd 0 scsi_rw_10 32 srp_imm 48");
	ulp_bytes[48] = 0xff;
	ulp_wrong(IBW_ULP_SRP, FROM, n, "srp_imm", "len", 0xff000200, 528,
		  "srp_cmd 0 scsi_rw_10 32 srp_imm 48");
}

static void check_long_cdb(void)
{
	uint32_t n = cmd(0x01, 0, 0, 32);

	ulp_bytes[31] = 4 << 2;
	ulp_is(IBW_ULP_SRP, FROM, n, "srp_cmd 0 scsi_rw_10 32 srp_direct 64");
	ulp_bytes[31] = 8 << 2 | 3;
	ulp_wrong(IBW_ULP_SRP, FROM, n, "srp_direct", NULL, 16, 0, "srp_cmd 0 scsi_rw_10 32");
	ulp_bytes[31] = 9 << 2;
	ulp_wrong(IBW_ULP_SRP, FROM, n, "srp_cmd", "add_cdb_len", 36, 32,
		  "srp_cmd 0 scsi_rw_10 32");
}

static void check_cdbs(void)
{
	static const struct {
		const char *layer;
		uint8_t opcode[9];
		unsigned int n;
	} forms[] = {
		{ "scsi_rw_6", { 0x08, 0x0a }, 2 },
		{ "scsi_rw_10", { 0x28, 0x2a, 0x2e, 0x2f, 0x34, 0x35, 0x41 }, 7 },
		{ "scsi_rw_12", { 0xa8, 0xaa, 0xae, 0xaf }, 4 },
		{ "scsi_rw_16", { 0x88, 0x8a, 0x8b, 0x8e, 0x8f, 0x90, 0x91, 0x93, 0x9c }, 9 },
	};
	unsigned int opcode, i, k;
	char want[40];

	for (opcode = 0; opcode < 256; opcode++) {
		const char *layer = "scsi_cdb";

		for (i = 0; i < 4; i++)
			for (k = 0; k < forms[i].n; k++)
				if (forms[i].opcode[k] == opcode)
					layer = forms[i].layer;
		check_case("opcode 0x%02x", opcode);
		cmd(0, 0, 0, 0);
		ulp_bytes[32] = (uint8_t)opcode;
		snprintf(want, sizeof(want), "srp_cmd 0 %s 32", layer);
		ulp_is(IBW_ULP_SRP, FROM, 48, want);
	}
	check_case("%s", "");
}

/* A response with @flags, lengths and @more bytes. */
static uint32_t rsp(uint8_t flags, uint32_t sense, uint32_t resp, uint32_t more)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = 0xc1;
	ulp_bytes[18] = flags;
	ibw_put_be32(ulp_bytes + 28, sense);
	ibw_put_be32(ulp_bytes + 32, resp);
	return 36 + more;
}

static void check_responses(void)
{
	uint32_t n;

	ulp_is(IBW_ULP_SRP, 0, rsp(0, 0, 0, 0), "srp_rsp 0");
	/* Lengths count where a flag says so. */
	ulp_is(IBW_ULP_SRP, 0, rsp(0x3c, 18, 4, 0), "srp_rsp 0");
	ulp_is(IBW_ULP_SRP, 0, rsp(1, 0, 4, 4), "srp_rsp 0 srp_rsp_data 36");
	ulp_is(IBW_ULP_SRP, 0, rsp(1, 0, 3, 4), "srp_rsp 0 data 39 1");
	n = rsp(3, 18, 4, 22);
	ulp_bytes[40] = 0x70;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0 srp_rsp_data 36 scsi_sense 40");
	n = rsp(2, 96, 0, 96);
	ulp_bytes[36] = 0xf1;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0 scsi_sense 36");
	ulp_bytes[36] = 0x73;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0 scsi_sense_desc 36");
	ulp_bytes[36] = 0x7f;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0");
	n = rsp(2, 17, 0, 17);
	ulp_bytes[36] = 0x70;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0");
	n = rsp(2, 7, 0, 8);
	ulp_bytes[36] = 0x72;
	ulp_is(IBW_ULP_SRP, 0, n, "srp_rsp 0 data 43 1");
	ulp_wrong(IBW_ULP_SRP, 0, rsp(1, 0, 5, 4), "srp_rsp", "resp_len", 5, 4, "srp_rsp 0");
	ulp_wrong(IBW_ULP_SRP, 0, rsp(3, UINT32_MAX, 4, 8), "srp_rsp", "sense_len", UINT32_MAX, 4,
		  "srp_rsp 0 srp_rsp_data 36");
	n = rsp(2, 18, 0, 18);
	ulp_bytes[36] = 0x70;
	ulp_cut(IBW_ULP_SRP, 0, 40, n, "scsi_sense", NULL, "srp_rsp 0");
}

static void check_others(void)
{
	static const struct {
		uint8_t opcode;
		unsigned int flags;
		uint32_t bytes;
		const char *layer;
	} units[] = {
		{ 0x00, FROM, 64, "srp_login_req" }, { 0x01, FROM, 48, "srp_tsk_mgmt" },
		{ 0x03, FROM, 16, "srp_i_logout" },  { 0x41, FROM, 16, "srp_cred_rsp" },
		{ 0x42, FROM, 16, "srp_aer_rsp" },   { 0xc0, 0, 52, "srp_login_rsp" },
		{ 0xc2, 0, 32, "srp_login_rej" },    { 0x80, 0, 16, "srp_t_logout" },
		{ 0x81, 0, 16, "srp_cred_req" },     { 0x82, 0, 36, "srp_aer_req" },
	};
	char want[40];
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		check_case("unit 0x%02x", units[i].opcode);
		memset(ulp_bytes, 0, sizeof(ulp_bytes));
		ulp_bytes[0] = units[i].opcode;
		snprintf(want, sizeof(want), "%s 0", units[i].layer);
		ulp_is(IBW_ULP_SRP, units[i].flags, units[i].bytes, want);
		ulp_wrong(IBW_ULP_SRP, units[i].flags, units[i].bytes - 1, units[i].layer, NULL,
			  units[i].bytes, units[i].bytes - 1, "");
		/* The other end does not send it. */
		ulp_wrong(IBW_ULP_SRP, units[i].flags ^ FROM, 64,
			  units[i].flags & FROM ? "srp_rsp" : "srp_cmd", "opcode",
			  units[i].flags & FROM ? 0xc1 : 0x02, units[i].opcode, "");
	}
	check_case("%s", "");
	ulp_wrong(IBW_ULP_SRP, 0, 0, "srp_rsp", NULL, 1, 0, "");
	ulp_cut(IBW_ULP_SRP, FROM, 0, 48, "srp_cmd", NULL, "");
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = 0x82;
	ulp_bytes[31] = 18;
	ulp_bytes[36] = 0x70;
	ulp_is(IBW_ULP_SRP, 0, 54, "srp_aer_req 0 scsi_sense 36");
	ulp_wrong(IBW_ULP_SRP, 0, 53, "srp_aer_req", "sense_len", 18, 17, "srp_aer_req 0");
}

static void check_names(void)
{
	CHECK_STR(ibw_scsi_opcode_name(0x28), "READ(10)");
	CHECK_STR(ibw_scsi_opcode_name(0x8a), "WRITE(16)");
	CHECK_STR(ibw_scsi_opcode_name(0x12), "INQUIRY");
	CHECK(!ibw_scsi_opcode_name(0xff));
	CHECK_STR(ibw_scsi_status_name(0x02), "CHECK CONDITION");
	CHECK(!ibw_scsi_status_name(0x01));
	CHECK_STR(ibw_scsi_sense_key_name(5), "ILLEGAL REQUEST");
	CHECK(!ibw_scsi_sense_key_name(16));
	CHECK_STR(ibw_srp_opcode_name(0x02), "SRP_CMD");
	CHECK_STR(ibw_srp_opcode_name(0xc1), "SRP_RSP");
	CHECK(!ibw_srp_opcode_name(0x04));
}

int main(void)
{
	check_descriptors();
	check_immediate();
	check_long_cdb();
	check_cdbs();
	check_responses();
	check_others();
	check_names();
	return check_end();
}
