/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_others.c - SMB Direct, RDS and rsockets: which headers are found where, what is data, what is wrong with those that are,
 * and names.
 */
#include "check.h"
#include "ulp_check.h"

#define FROM IBW_ULP_FROM_INITIATOR

/* Both versions, then nothing. */
static void versions(void)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[1] = ulp_bytes[3] = 1;
}

static void check_negotiation(void)
{
	versions();
	ulp_bytes[6] = 1;
	ulp_is(IBW_ULP_SMB_DIRECT, FROM, 20, "smb_direct_req 0");
	/* A data transfer with as many credits. */
	ulp_bytes[6] = 0;
	ulp_is(IBW_ULP_SMB_DIRECT, FROM, 20, "smb_direct_data 0");
	ulp_bytes[6] = 1;
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 20, "smb_direct_data 0");
	ulp_is(IBW_ULP_SMB_DIRECT, FROM, 24, "smb_direct_data 0");
	ulp_cut(IBW_ULP_SMB_DIRECT, FROM, 19, 20, "smb_direct_req", NULL, "");
	versions();
	ulp_bytes[5] = 1;
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 32, "smb_direct_resp 0");
	ulp_bytes[5] = 0;
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 32, "smb_direct_data 0");
	ulp_cut(IBW_ULP_SMB_DIRECT, 0, 4, 32, "smb_direct_data", NULL, "");
	ulp_wrong(IBW_ULP_SMB_DIRECT, FROM, 19, "smb_direct_data", NULL, 20, 19, "");
}

/* A transfer with @n bytes at @off. */
static void transfer(uint32_t off, uint32_t n)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[0] = 1;
	ibw_put_le32(ulp_bytes + 12, off);
	ibw_put_le32(ulp_bytes + 16, n);
}

/* An SMB2 header at @off, the next one @next bytes after it. */
static void smb2(uint32_t off, uint32_t next)
{
	ibw_put_be32(ulp_bytes + off, 0xfe534d42);
	ibw_put_le32(ulp_bytes + off + 20, next);
}

static void check_transfers(void)
{
	transfer(24, 100);
	ulp_is(IBW_ULP_SMB_DIRECT, FROM, 124, "smb_direct_data 0 data 24 100");
	ulp_cut(IBW_ULP_SMB_DIRECT, FROM, 60, 124, "smb_direct_data", "data",
		"smb_direct_data 0 data 24 100");
	smb2(24, 0);
	ulp_is(IBW_ULP_SMB_DIRECT, FROM, 130, "smb_direct_data 0 smb2_hdr 24 data 24 100");
	transfer(24, 300);
	smb2(24, 100);
	smb2(124, 64);
	smb2(188, 0);
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 324,
	       "smb_direct_data 0 smb2_hdr 24 smb2_hdr 124 smb2_hdr 188 data 24 300");
	/* One that points into itself, and one that points beyond. */
	smb2(124, 63);
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 324,
	       "smb_direct_data 0 smb2_hdr 24 smb2_hdr 124 data 24 300");
	smb2(124, 201);
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 324,
	       "smb_direct_data 0 smb2_hdr 24 smb2_hdr 124 data 24 300");
	transfer(24, 101);
	ulp_wrong(IBW_ULP_SMB_DIRECT, 0, 124, "smb_direct_data", "data_length", 101, 100,
		  "smb_direct_data 0");
	transfer(24, UINT32_MAX);
	ulp_wrong(IBW_ULP_SMB_DIRECT, 0, 124, "smb_direct_data", "data_length", UINT32_MAX, 100,
		  "smb_direct_data 0");
	transfer(19, 1);
	ulp_wrong(IBW_ULP_SMB_DIRECT, 0, 124, "smb_direct_data", "data_offset", 24, 19,
		  "smb_direct_data 0");
	transfer(125, 1);
	ulp_wrong(IBW_ULP_SMB_DIRECT, 0, 124, "smb_direct_data", "data_offset", 24, 125,
		  "smb_direct_data 0");
	transfer(UINT32_MAX, 0);
	ulp_is(IBW_ULP_SMB_DIRECT, 0, 20, "smb_direct_data 0");
}

static void check_rds(void)
{
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0");
	ulp_is(IBW_ULP_RDS, FROM, 4144, "rds_hdr 0 data 48 4096");
	ulp_wrong(IBW_ULP_RDS, 0, 47, "rds_hdr", NULL, 48, 47, "");
	ulp_bytes[32] = 1;
	ulp_bytes[37] = 3;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0 rds_ext_version 33 rds_ext_rdma_dest 38");
	ulp_bytes[37] = 2;
	ulp_bytes[42] = 6;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0 rds_ext_version 33 rds_ext_rdma 38");
	/* One that has no room, and one that is not known. */
	ulp_bytes[42] = 3;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0 rds_ext_version 33 rds_ext_rdma 38");
	ulp_bytes[32] = 4;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0");
	ulp_bytes[32] = 5;
	ulp_bytes[35] = 1;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0 rds_ext_version 36");
	/* One that just has room, after paths, paths and a generation. */
	memset(ulp_bytes, 0, sizeof(ulp_bytes));
	ulp_bytes[32] = ulp_bytes[35] = 5;
	ulp_bytes[38] = 6;
	ulp_bytes[43] = 1;
	ulp_is(IBW_ULP_RDS, 0, 48, "rds_hdr 0 rds_ext_version 44");
}

static void check_names(void)
{
	CHECK_STR(ibw_smb2_command_name(8), "Read");
	CHECK(!ibw_smb2_command_name(19));
	CHECK_STR(ibw_rsocket_op_name(0x00001000), "data");
	CHECK_STR(ibw_rsocket_op_name(0x80000001), "credit and SGL");
	CHECK_STR(ibw_rsocket_op_name(0xe0000000), "control");
	CHECK(!ibw_rsocket_op_name(0x20000000));
}

int main(void)
{
	check_negotiation();
	check_transfers();
	check_rds();
	check_names();
	return check_end();
}
