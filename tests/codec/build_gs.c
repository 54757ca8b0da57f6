/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_gs.c - general services MADs: the requests that perfquery and opensm's tools sent in pcaps/mad
 * built again, their responses made of the requests; notices and subscriptions byte by byte.
 */
#include <string.h>

#include "check.h"
#include "pcap_file.h"

#include <ibwire/build_gs.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#define PENDING 256

static uint8_t made[256], pending[PENDING][256];
static unsigned int n_pending, n_responses, n_perf, n_records;

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

/* A response as it was captured, made of the request it is for. */
static void check_response(const uint8_t *mad)
{
	unsigned int i;

	for (i = n_pending < PENDING ? 0 : n_pending - PENDING; i < n_pending; i++) {
		const uint8_t *request = pending[i % PENDING];

		if (memcmp(request + 8, mad + 8, 10) != 0 || request[1] != mad[1] ||
		    memcmp(request + 20, mad + 20, 4) != 0)
			continue;
		/* Status, and what hops and pointers came to, are the responder's. */
		if (CHECK(ibw_mad_respond(made, sizeof(made), request, 0))) {
			memcpy(made + 6, mad + 6, 2);
			made[5] = mad[5];
			CHECK_EQ(made[4], mad[1] == 0x81 ? 0x80 : 0);
			made[4] = mad[4];
			CHECK_MEM(made, mad, 24);
			n_responses++;
		}
		return;
	}
}

/* A request of PerfMgt, from its numbers. */
static void check_perf(const uint8_t *mad)
{
	struct ibw_perf_mad *m = ibw_perf_build(made, sizeof(made), mad[3],
						(uint16_t)(mad[16] << 8 | mad[17]), be64(mad + 8));

	if (!CHECK(m != NULL))
		return;
	memcpy(m->data, mad + 64, 192);
	ibw_mad_set_attr_mod(&m->mad, be32(mad + 20));
	CHECK_MEM(made, mad, 256);
	n_perf++;
}

/* A query for PathRecords, from the record and the component mask. */
static void check_record(const uint8_t *mad)
{
	const struct ibw_sa_mad *sent = (const struct ibw_sa_mad *)mad;
	struct ibw_sa_mad *m = ibw_sa_build(made, sizeof(made), mad[3], 0x35, be64(mad + 8));
	struct ibw_path_rec rec;

	if (!CHECK(m != NULL))
		return;
	ibw_path_rec_unpack(&rec, (const struct ibw_path_rec_wire *)sent->record);
	IBW_SA_RECORD(m, path_rec, &rec, be64(mad + 48));
	CHECK_MEM(made + 56, mad + 56, 64);
	CHECK_MEM(made + 48, mad + 48, 8);
	CHECK_MEM(made, mad, 24);
	n_records++;
}

static void check_mad(const uint8_t *mad)
{
	if (mad[3] & 0x80) {
		check_response(mad);
		return;
	}
	memcpy(pending[n_pending++ % PENDING], mad, 256);
	if (mad[1] == 4)
		check_perf(mad);
	if (mad[1] == 3 && mad[17] == 0x35)
		check_record(mad);
}

static void test_capture(const char *name)
{
	struct ibw_packet pkt;
	struct pcap_file f;

	pcap_file_open(&f, "pcaps", name);
	n_pending = 0;
	while (pcap_file_next(&f)) {
		check_case("%s:%u", name, f.number);
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth != IBW_NO_SPAN && pkt.payload_len == 256)
			check_mad(f.frame + pkt.payload_off);
	}
	pcap_file_close(&f);
}

/* IBTA vol 1, 13.4.8.2: 128, link state, of a switch; 14.2.5.1 */
static void test_notices(void)
{
	static const uint8_t notice[] = { 0x81, 0, 0, 2, 0, 128, 0, 7, 0, 0 };
	static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 9 };
	struct ibw_smp_mad *trap;
	struct ibw_sa_mad *report;
	unsigned int i;
	uint8_t trap_attr[64];

	check_case("notices");
	trap = ibw_trap_build(made, 256, 1, 2, 128, 7, 0x55, 0x1122334455667788);
	if (!CHECK(trap != NULL))
		return;
	CHECK_EQ(be32(made), 0x01010105);
	CHECK_EQ(be32(made + 16), 0x00020000);
	CHECK_EQ(be64(made + 8), 0x55);
	CHECK_EQ(be64(made + 24), 0x1122334455667788);
	CHECK_MEM(made + 64, notice, sizeof(notice));
	made[64 + 63] = 0x5a;
	memcpy(trap_attr, made + 64, 64);
	CHECK(ibw_mad_respond(made, 256, made, 0));
	CHECK_EQ(made[3], 0x07);
	CHECK(!ibw_mad_respond(made, 256, made, 0));
	report = ibw_report_build(made, 256, trap_attr, gid, 0x66);
	if (!CHECK(report != NULL))
		return;
	CHECK_EQ(be32(made), 0x01030206);
	CHECK_MEM(made + 56, notice, sizeof(notice));
	CHECK_EQ(made[56 + 63], 0x5a);
	CHECK_MEM(made + 56 + 64, gid, 16);
	for (i = 136; i < 256; i++)
		CHECK_EQ(made[i], 0);
	CHECK(ibw_mad_respond(made, 256, made, 0x000c) && made[3] == 0x86 && made[5] == 0x0c);
	CHECK(!ibw_mad_respond(made, 256, made, 0)); /* is a response */
	CHECK(ibw_trap_build(made, 255, 1, 2, 128, 7, 0, 0) == NULL);
	CHECK(ibw_report_build(made, 255, trap_attr, gid, 0) == NULL);
}

/* IBTA vol 1, 13.4.8.3, at the places opensm's ib_types.h has, ib_inform_info_t */
static void test_inform(void)
{
	static const uint8_t info[36] = { [16] = 0xff, 0xff, 0, 0, 0, 0,    1, 1,    0xff, 0xff,
					  0,           144,  0, 0, 1, 0x1f, 0, 0xff, 0xff, 0xff };

	check_case("InformInfo");
	CHECK(ibw_inform_build(made, 256, true, 144, 0x77) != NULL);
	CHECK_EQ(be32(made), 0x01030202);
	CHECK_EQ(be32(made + 16), 0x00030000);
	CHECK_MEM(made + 56, info, sizeof(info));
	CHECK(ibw_inform_build(made, 256, false, 144, 0x77) && made[56 + 23] == 0);
	CHECK(ibw_inform_build(made, 255, true, 144, 0x77) == NULL);
}

/* Class versions that Linux has, include/rdma/ib_mad.h and cm_msgs.h; the classes of vendors. */
static void test_classes(void)
{
	static const struct {
		uint8_t class, version;
	} known[] = {
		{ 0x01, 1 }, { 0x81, 1 }, { 0x03, 2 }, { 0x04, 1 }, { 0x07, 2 }, { 0x30, 1 }
	};
	unsigned int i, class;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		check_case("class 0x%02x", known[i].class);
		CHECK(ibw_gs_build(made, 256, known[i].class, 1, 2, 3, 4) != NULL);
		CHECK_EQ(be32(made), 0x01000001u | (uint32_t)known[i].class << 16 |
					     (uint32_t)known[i].version << 8);
	}
	for (class = 0; class < 256; class ++) {
		check_case("vendor 0x%02x", class);
		CHECK_EQ(ibw_vendor_build(made, 256, (uint8_t) class, 0x1405, 1, 2, 3, 4) != NULL,
			 class >= 0x30 && class < 0x50);
	}
	CHECK(ibw_vendor_build(made, 256, 0x32, 0x001405, 1, 2, 3, 4) != NULL);
	CHECK_EQ(be32(made + 36), 0x1405);
	CHECK(ibw_gs_build(made, 255, 4, 1, 2, 3, 4) == NULL);
}

/* IBTA vol 1, 13.4.5 */
static void test_methods(void)
{
	unsigned int method, want;

	for (method = 0; method < 256; method++) {
		check_case("method 0x%02x", method);
		want = method | 0x80;
		if (method == 2)
			want = 0x81;
		else if (method == 5)
			want = 7;
		else if (method != 1 && method != 6 && (method < 0x12 || method > 0x15))
			want = 0;
		CHECK_EQ(ibw_mad_response_method((uint8_t)method), want);
	}
	CHECK(!ibw_mad_respond(made, 255, made, 0));
}

int main(void)
{
	test_capture("mad/perf.pcap");
	test_capture("mad/sa.pcap");
	test_capture("mad/sweep.pcap");
	check_case("captures");
	CHECK(n_responses > 5000 && n_perf > 200 && n_records > 30);
	test_notices();
	test_inform();
	test_classes();
	test_methods();
	return check_end();
}
