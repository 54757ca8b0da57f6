/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* print_mad.c - values in words that depend on the rest of the management datagram. */
#include <stdlib.h>

#include "check.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print_mad.h>

static char text[4096];
static struct ibw_print_context context;

static const char *field(uint16_t layer, const char *name, const void *wire)
{
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	const struct ibw_field *f = ibw_headers[layer].fields;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	if (!f->name) {
		fprintf(stderr, "no field %s\n", name);
		exit(1);
	}
	ibw_print_field(&o, &context, f, wire);
	ibw_out_close(&o);
	return text;
}

/* The context after the common header of a MAD. */
static const struct ibw_mad_wire *mad(uint8_t mgmt_class, bool r, uint8_t method, uint16_t status,
				      uint16_t attr_id, uint32_t attr_mod)
{
	static struct ibw_mad_wire wire;
	struct ibw_mad v = { .base_version = 1,
			     .mgmt_class = mgmt_class,
			     .class_version = 1,
			     .r = r,
			     .method = method,
			     .status = status,
			     .attr_id = attr_id,
			     .attr_mod = attr_mod };

	ibw_mad_pack(&wire, &v);
	context = ibw_print_start();
	ibw_print_enter(&context, IBW_LAYER_mad, &wire);
	return &wire;
}

static const char *status(uint8_t mgmt_class, uint16_t value)
{
	return field(IBW_LAYER_mad, "status", mad(mgmt_class, true, 1, value, 0x11, 0));
}

static void common_header(void)
{
	CHECK_STR(field(IBW_LAYER_mad, "attr_id", mad(3, false, 0x12, 0, 0x35, 0)),
		  "0x0035 (PathRecord)");
	CHECK_STR(field(IBW_LAYER_mad, "attr_id", mad(1, false, 1, 0, 0x15, 0)),
		  "0x0015 (PortInfo)");
	CHECK_STR(field(IBW_LAYER_mad, "attr_id", mad(1, false, 1, 0, 0x35, 0)), "0x0035");
	CHECK_STR(field(IBW_LAYER_mad, "attr_id", mad(0x60, false, 1, 0, 0x15, 0)), "0x0015");
	CHECK_STR(field(IBW_LAYER_mad, "method", mad(3, false, 0x12, 0, 0x35, 0)),
		  "0x12 (GetTable)");
	CHECK_STR(field(IBW_LAYER_mad, "method", mad(3, true, 0x12, 0, 0x35, 0)),
		  "0x12 (GetTableResp)");
	CHECK_STR(field(IBW_LAYER_mad, "method", mad(3, true, 0x42, 0, 0x35, 0)), "0x42");
	CHECK_STR(field(IBW_LAYER_mad, "mgmt_class", mad(0x81, false, 1, 0, 0, 0)),
		  "0x81 (SubnMgt directed route)");
}

static void statuses(void)
{
	CHECK_STR(status(4, 0), "0x0000 (ok)");
	CHECK_STR(status(4, 1), "0x0001 (busy)");
	CHECK_STR(status(4, 3), "0x0003 (busy, redirect)");
	CHECK_STR(status(4, 0x4), "0x0004 (bad base or class version)");
	CHECK_STR(status(4, 0xc), "0x000c (method/attribute combination not supported)");
	CHECK_STR(status(4, 0x10), "0x0010 (reserved code)");
	CHECK_STR(status(4, 0x300), "0x0300 (class status 0x03)");
	CHECK_STR(status(3, 0x300), "0x0300 (no records)");
	CHECK_STR(status(3, 0x61c),
		  "0x061c (invalid field in attribute or modifier, insufficient components)");
	CHECK_STR(status(3, 0x9900), "0x9900 (reserved SA status)");
	CHECK_STR(status(0x81, 0x8000), "0x8000 (returning)");
	CHECK_STR(status(0x81, 0x801c),
		  "0x801c (returning, invalid field in attribute or modifier)");
}

static const char *comp_mask(uint16_t attr_id, uint64_t mask)
{
	struct ibw_sa_wire wire;
	struct ibw_sa v = { .comp_mask = mask };

	ibw_sa_pack(&wire, &v);
	mad(3, false, 1, 0, attr_id, 0);
	ibw_print_enter(&context, IBW_LAYER_sa, &wire);
	return field(IBW_LAYER_sa, "comp_mask", &wire);
}

static void comp_masks(void)
{
	CHECK_STR(comp_mask(0x35, 0), "0x0000000000000000");
	CHECK_STR(comp_mask(0x35, 0x100c), "0x000000000000100c (dgid, sgid, numb_path)");
	CHECK_STR(comp_mask(0x35, 0x3), "0x0000000000000003 (service_id)");
	CHECK_STR(comp_mask(0x35, 0x2), "0x0000000000000002 (service_id)");
	CHECK_STR(comp_mask(0x11, 0x11), "0x0000000000000011 (lid, node_type)");
	CHECK_STR(comp_mask(0x30, 0x30), "0x0000000000000030 (guid[0], guid[1])");
	CHECK_STR(comp_mask(0x35, 1ull << 63), "0x8000000000000000 (bit 63)");
	CHECK_STR(comp_mask(0x77, 3), "0x0000000000000003 (bit 0, bit 1)");
}

static void tables(void)
{
	static uint8_t lft[64], mft[64], pkeys[64], path[128], guids[64];
	struct ibw_lft_rec_wire rec;
	struct ibw_lft_rec v = { .lid = 1, .block = 2 };

	memset(lft, 0xff, sizeof(lft));
	lft[0] = 0;
	lft[5] = 17;
	mad(1, true, 1, 0, IBW_ATTR_SM_LFT, 1);
	ibw_print_enter(&context, IBW_LAYER_lft, lft);
	CHECK_STR(field(IBW_LAYER_lft, "port", lft), "[64] 0, [69] 17");
	mad(3, true, 1, 0, IBW_ATTR_SA_LFT_REC, 0);
	ibw_lft_rec_pack(&rec, &v);
	ibw_print_enter(&context, IBW_LAYER_lft_rec, &rec);
	ibw_print_enter(&context, IBW_LAYER_lft, lft);
	CHECK_STR(field(IBW_LAYER_lft, "port", lft), "[128] 0, [133] 17");

	mft[1] = 0x06;
	mft[62] = 0x80;
	mad(1, true, 1, 0, IBW_ATTR_SM_MFT, 0x20000001);
	ibw_print_enter(&context, IBW_LAYER_mft, mft);
	CHECK_STR(field(IBW_LAYER_mft, "ports", mft), "[0xc020] ports 33 34, [0xc03f] port 47");

	pkeys[2] = 0xff;
	pkeys[3] = 0xff;
	mad(1, true, 1, 0, IBW_ATTR_SM_PKEY_TABLE, 0x00050001);
	ibw_print_enter(&context, IBW_LAYER_pkey_table, pkeys);
	CHECK_STR(field(IBW_LAYER_pkey_table, "pkey", pkeys), "[33] 0xffff (full member)");

	guids[15] = 9;
	mad(1, true, 1, 0, IBW_ATTR_SM_GUID_INFO, 1);
	ibw_print_enter(&context, IBW_LAYER_guid_info, guids);
	CHECK_STR(field(IBW_LAYER_guid_info, "guid", guids), "[9] 00:00:00:00:00:00:00:09");

	path[1] = 3;
	mad(0x81, true, 1, 0, IBW_ATTR_SM_LFT, 7);
	ibw_print_enter(&context, IBW_LAYER_smp_dr_path, path);
	CHECK_STR(field(IBW_LAYER_smp_dr_path, "initial_path", path), "[1] 3");
	CHECK_STR(field(IBW_LAYER_smp_dr_path, "return_path", path), "none");
}

/* The number of the third entry. */
static uint32_t entry(uint16_t attr_id, uint32_t attr_mod, uint16_t layer)
{
	static uint8_t wire[64];
	uint32_t number = 12345;
	unsigned int i;

	mad(1, true, 1, 0, attr_id, attr_mod);
	CHECK(!ibw_print_entry(&context, &number));
	for (i = 0; i < 3; i++)
		ibw_print_enter(&context, layer, wire);
	CHECK(ibw_print_entry(&context, &number));
	return number;
}

static void entries(void)
{
	CHECK_EQ(entry(IBW_ATTR_SM_VLARB_TABLE, 0x10005, IBW_LAYER_vlarb_entry), 2);
	CHECK_EQ(entry(IBW_ATTR_SM_VLARB_TABLE, 0x40005, IBW_LAYER_vlarb_entry), 34);
	CHECK_EQ(entry(IBW_ATTR_SM_RFT, 3, IBW_LAYER_rft_entry), 50);
}

static void notices(void)
{
	struct ibw_notice v = { .is_generic = 1, .producer_type = 2, .trap_num = 128 };
	struct ibw_inform_info inform = { .is_generic = 1, .trap_num = 0xffff };
	struct ibw_inform_info_wire inform_wire;
	struct ibw_notice_wire wire;

	context = ibw_print_start();
	ibw_notice_pack(&wire, &v);
	ibw_print_enter(&context, IBW_LAYER_notice, &wire);
	CHECK_STR(field(IBW_LAYER_notice, "trap_num", &wire), "128 (link state changed)");
	CHECK_STR(field(IBW_LAYER_notice, "producer_type", &wire), "0x000002 (switch)");
	v.is_generic = 0;
	ibw_notice_pack(&wire, &v);
	ibw_print_enter(&context, IBW_LAYER_notice, &wire);
	CHECK_STR(field(IBW_LAYER_notice, "trap_num", &wire), "0x0080");
	CHECK_STR(field(IBW_LAYER_notice, "producer_type", &wire), "0x000002");
	ibw_inform_info_pack(&inform_wire, &inform);
	ibw_print_enter(&context, IBW_LAYER_inform_info, &inform_wire);
	CHECK_STR(field(IBW_LAYER_inform_info, "trap_num", &inform_wire), "65535 (all)");
}

static void ports(void)
{
	struct ibw_port_info v = { .gid_prefix = 0xfe80000000000000,
				   .lid = 7,
				   .width_enabled = 0xff,
				   .width_supported = 0x13,
				   .width_active = 2,
				   .speed_supported = 7,
				   .speed_active = 4,
				   .speed_enabled = 15,
				   .neighbor_mtu = 5,
				   .speed_ext_active2 = 1,
				   .speed_ext_active = 2,
				   .speed_ext_supported = 3,
				   .speed_ext_enabled = 30 };
	struct ibw_port_info_wire wire;
	struct ibw_path_rec path = { .rate = 16, .mtu = 4, .life = 18 };
	struct ibw_path_rec_wire path_wire;

	context = ibw_print_start();
	ibw_port_info_pack(&wire, &v);
	ibw_print_enter(&context, IBW_LAYER_port_info, &wire);
#define PORT(name) field(IBW_LAYER_port_info, name, &wire)
	CHECK_STR(PORT("gid_prefix"), "fe:80:00:00:00:00:00:00");
	CHECK_STR(PORT("lid"), "0x0007");
	CHECK_STR(PORT("width_enabled"), "all supported");
	CHECK_STR(PORT("width_supported"), "1x|4x|2x");
	CHECK_STR(PORT("width_active"), "4x");
	CHECK_STR(PORT("speed_supported"), "SDR 2.5 Gb/s|DDR 5 Gb/s|QDR 10 Gb/s");
	CHECK_STR(PORT("speed_active"), "QDR 10 Gb/s");
	CHECK_STR(PORT("speed_enabled"), "all supported");
	CHECK_STR(PORT("neighbor_mtu"), "4096 B");
	CHECK_STR(PORT("speed_ext_active2"), "XDR 212.5 Gb/s");
	CHECK_STR(PORT("speed_ext_active"), "EDR 25.78125 Gb/s");
	CHECK_STR(PORT("speed_ext_supported"), "FDR 14.0625 Gb/s|EDR 25.78125 Gb/s");
	CHECK_STR(PORT("speed_ext_enabled"), "disabled");
	v.width_active = 0x82;
	ibw_port_info_pack(&wire, &v);
	CHECK_STR(PORT("width_active"), "4x|0x80");
	v.width_active = 0;
	ibw_port_info_pack(&wire, &v);
	CHECK_STR(PORT("width_active"), "0x00");
	ibw_path_rec_pack(&path_wire, &path);
	ibw_print_enter(&context, IBW_LAYER_path_rec, &path_wire);
	CHECK_STR(field(IBW_LAYER_path_rec, "rate", &path_wire), "100 Gb/s (4x EDR)");
	CHECK_STR(field(IBW_LAYER_path_rec, "mtu", &path_wire), "2048 B");
	CHECK_STR(field(IBW_LAYER_path_rec, "life", &path_wire), "4.096 us * 2^18 = 1.07 s");
	path.rate = 1;
	ibw_path_rec_pack(&path_wire, &path);
	CHECK_STR(field(IBW_LAYER_path_rec, "rate", &path_wire), "code 1");
}

int main(void)
{
	common_header();
	statuses();
	comp_masks();
	tables();
	entries();
	notices();
	ports();
	return check_end();
}
