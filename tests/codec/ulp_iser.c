/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_iser.c - iSCSI PDUs after an iSER header: which headers are found where, additional headers, data, sense data, what is
 * wrong with those that are, keys and values of text, and names.
 */
#include "check.h"
#include "ulp_check.h"

#define FROM IBW_ULP_FROM_INITIATOR

/* A PDU with @ahs words of additional headers and @data bytes, then @more bytes. */
static uint32_t pdu(uint8_t opcode, uint8_t ahs, uint32_t data, uint32_t more)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = 0x10;
	ulp_bytes[28] = opcode;
	ulp_bytes[32] = ahs;
	ulp_bytes[33] = (uint8_t)(data >> 16);
	ibw_put_be16(ulp_bytes + 34, (uint16_t)data);
	return 76 + more;
}

static void check_pdus(void)
{
	static const struct {
		uint8_t opcode;
		const char *layer;
	} pdus[] = {
		{ 0x00, "iscsi_nopout" },    { 0x02, "iscsi_tm" },
		{ 0x03, "iscsi_login_req" }, { 0x04, "iscsi_text" },
		{ 0x05, "iscsi_data_out" },  { 0x06, "iscsi_logout" },
		{ 0x10, "iscsi_snack" },     { 0x20, "iscsi_nopin" },
		{ 0x21, "iscsi_scsi_rsp" },  { 0x22, "iscsi_tm_rsp" },
		{ 0x23, "iscsi_login_rsp" }, { 0x24, "iscsi_text_rsp" },
		{ 0x25, "iscsi_data_in" },   { 0x26, "iscsi_logout_rsp" },
		{ 0x31, "iscsi_r2t" },       { 0x32, "iscsi_async" },
		{ 0x3f, "iscsi_reject" },
	};
	unsigned int flags, opcode, i;
	char want[60];

	for (opcode = 0; opcode < 64; opcode++) {
		const char *layer = NULL;

		if (opcode == 1)
			continue;
		for (i = 0; i < sizeof(pdus) / sizeof(pdus[0]); i++)
			if (pdus[i].opcode == opcode)
				layer = pdus[i].layer;
		check_case("opcode 0x%02x", opcode);
		flags = opcode < 0x20 ? FROM : 0;
		pdu((uint8_t)opcode, 0, 0, 0);
		snprintf(want, sizeof(want), "iser_ctrl 0 %s 28", layer ? layer : "");
		if (layer)
			ulp_is(IBW_ULP_ISER, flags, 76, want);
		else
			ulp_wrong(IBW_ULP_ISER, flags, 76, "iscsi_scsi_req", "opcode", 0, opcode,
				  "iser_ctrl 0");
		/* The other end does not send it. */
		ulp_wrong(IBW_ULP_ISER, flags ^ FROM, 76, "iscsi_scsi_req", "opcode", 0, opcode,
			  "iser_ctrl 0");
		ulp_bytes[28] = (uint8_t)(opcode | 0x40); /* immediate */
		if (layer)
			ulp_is(IBW_ULP_ISER, flags, 76, want);
	}
	check_case("%s", "");
}

static void check_lengths(void)
{
	uint32_t n = pdu(0x01, 0, 8000, 8000);

	ulp_bytes[60] = 0x2a;
	ulp_is(IBW_ULP_ISER, FROM, n, "iser_ctrl 0 iscsi_scsi_req 28 scsi_rw_10 60 data 76 8000");
	n = pdu(0x41, 2, 5, 16);
	ulp_bytes[60] = 0x12;
	ulp_is(IBW_ULP_ISER, FROM, n, "iser_ctrl 0 iscsi_scsi_req 28 scsi_cdb 60 data 84 5");
	ulp_cut(IBW_ULP_ISER, FROM, 86, n, "iscsi_scsi_req", "data",
		"iser_ctrl 0 iscsi_scsi_req 28 scsi_cdb 60 data 84 5");
	ulp_wrong(IBW_ULP_ISER, FROM, 88, "iscsi_scsi_req", "dlength", 5, 4,
		  "iser_ctrl 0 iscsi_scsi_req 28 scsi_cdb 60");
	ulp_wrong(IBW_ULP_ISER, FROM, 83, "iscsi_scsi_req", "hlength", 8, 7,
		  "iser_ctrl 0 iscsi_scsi_req 28 scsi_cdb 60");
	n = pdu(0x03, 255, 0xffffff, 0);
	ulp_wrong(IBW_ULP_ISER, FROM, n, "iscsi_login_req", "hlength", 1020, 0,
		  "iser_ctrl 0 iscsi_login_req 28");
	ulp_wrong(IBW_ULP_ISER, FROM, 75, "iscsi_login_req", NULL, 48, 47, "iser_ctrl 0");
	ulp_wrong(IBW_ULP_ISER, FROM, 28, "iscsi_scsi_req", NULL, 48, 0, "iser_ctrl 0");
	ulp_wrong(IBW_ULP_ISER, FROM, 27, "iser_ctrl", NULL, 28, 27, "");
	ulp_cut(IBW_ULP_ISER, FROM, 28, 76, "iscsi_scsi_req", NULL, "iser_ctrl 0");
	ulp_cut(IBW_ULP_ISER, FROM, 75, 76, "iscsi_login_req", NULL, "iser_ctrl 0");
}

static void check_sense(void)
{
	uint32_t n = pdu(0x21, 0, 20, 20);

	ulp_bytes[77] = 18;
	ulp_bytes[78] = 0x70;
	ulp_is(IBW_ULP_ISER, 0, n, "iser_ctrl 0 iscsi_scsi_rsp 28 scsi_sense 78 data 76 20");
	/* A length that says more than there is. */
	ulp_bytes[76] = 0xff;
	ulp_is(IBW_ULP_ISER, 0, n, "iser_ctrl 0 iscsi_scsi_rsp 28 scsi_sense 78 data 76 20");
	ulp_bytes[76] = 0;
	ulp_bytes[77] = 17;
	ulp_is(IBW_ULP_ISER, 0, n, "iser_ctrl 0 iscsi_scsi_rsp 28 data 76 20");
	n = pdu(0x21, 0, 1, 1);
	ulp_is(IBW_ULP_ISER, 0, n, "iser_ctrl 0 iscsi_scsi_rsp 28 data 76 1");
}

static void check_hello(void)
{
	uint32_t n = pdu(0x01, 0, 0, 0);

	ulp_bytes[0] = 0x20;
	ulp_is(IBW_ULP_ISER, FROM, 28, "iser_ctrl 0");
	ulp_bytes[0] = 0x30;
	ulp_is(IBW_ULP_ISER, 0, 28, "iser_ctrl 0");
	ulp_bytes[0] = 0x40;
	ulp_wrong(IBW_ULP_ISER, FROM, n, "iser_ctrl", "opcode", 1, 4, "iser_ctrl 0");
}

static void check_key(const char *text, uint32_t n, const char *want)
{
	char got[200] = "";
	struct ibw_iscsi_key k;
	uint32_t at = 0;
	size_t m = 0;

	while (ibw_iscsi_next_key(&k, (const uint8_t *)text, n, &at))
		m += (size_t)snprintf(got + m, sizeof(got) - m, "[%.*s|%.*s]", (int)k.key_bytes,
				      (const char *)k.key, (int)k.value_bytes,
				      (const char *)k.value);
	CHECK_STR(got, want);
}

static void check_keys(void)
{
	check_key("", 0, "");
	check_key("\0\0\0", 3, "");
	check_key("A=b\0Cd=e=f\0\0", 12, "[A|b][Cd|e=f]");
	check_key("A=b", 3, "[A|b]");
	check_key("A=bcd", 3, "[A|b]");
	check_key("A", 1, "[A|]");
	check_key("A\0=b\0", 5, "[A|][|b]");
	check_key("A=\0B=", 5, "[A|][B|]");
}

static void check_names(void)
{
	CHECK_STR(ibw_iscsi_opcode_name(0x01), "SCSI Command");
	CHECK_STR(ibw_iscsi_opcode_name(0x43), "Login Request");
	CHECK_STR(ibw_iscsi_opcode_name(0x3f), "Reject");
	CHECK(!ibw_iscsi_opcode_name(0x07));
	CHECK_STR(ibw_iscsi_login_status_name(0x0201), "Authentication failure");
	CHECK(!ibw_iscsi_login_status_name(0x0100));
}

int main(void)
{
	check_pdus();
	check_lengths();
	check_sense();
	check_hello();
	check_keys();
	check_names();
	return check_end();
}
