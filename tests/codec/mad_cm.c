/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_cm.c - the layers after CM messages and after attributes with entries:
 * those of real captures, in order, and those no capture has, from bytes made here.
 */
#include "check.h"
#include "pcap_file.h"

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/out.h>
#include <ibwire/print.h>

#define SPANS 300

static uint8_t mad[IBW_MAD_BYTES];
static struct ibw_mad_walked walked;
static struct ibw_span span[SPANS];

/* Walks mad[]; the layers after the common header have to be @want: "cm_req@24 ...". */
static void check_layers(const char *want)
{
	char got[2048];
	size_t n = 0;
	uint32_t i;

	memset(span, 0, sizeof(span));
	CHECK_EQ(ibw_mad_walk(&walked, mad, sizeof(mad), sizeof(mad), span, SPANS), IBW_OK);
	CHECK_EQ(walked.n_spans, walked.needed_spans);
	*got = '\0';
	for (i = 1; i < walked.n_spans && n < sizeof(got); i++) {
		CHECK_EQ(span[i].len, ibw_headers[span[i].layer].bytes);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s@%u", i > 1 ? " " : "",
				      ibw_headers[span[i].layer].name, span[i].off);
	}
	CHECK_STR(got, want);
}

static void start(uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct ibw_mad v = { .base_version = 1,
			     .mgmt_class = mgmt_class,
			     .class_version = 2,
			     .method = method,
			     .attr_id = attr_id };

	memset(mad, 0, sizeof(mad));
	ibw_mad_pack(ibw_mad_view_mut(mad, sizeof(mad)), &v);
}

#define BEHIND_MAD(name) ibw_##name##_view_mut(mad + ibw_mad_BYTES, ibw_##name##_BYTES)

/* The CM conversations of a capture, one message a line of @want. */
static void check_capture(const char *name, uint32_t mad_off, const char *const *want)
{
	struct pcap_file f;

	pcap_file_open(&f, "pcaps/rxe", name);
	while (pcap_file_next(&f)) {
		/* QP1, and a MAD of class 0x07 */
		if (f.caplen < mad_off + IBW_MAD_BYTES || f.frame[mad_off] != 1 ||
		    f.frame[mad_off + 1] != IBW_CLASS_COMM_MGT || !*want)
			continue;
		check_case("%s:%u", name, f.number);
		memcpy(mad, f.frame + mad_off, sizeof(mad));
		check_layers(*want++);
	}
	check_case("%s: messages missing", name);
	CHECK(!*want);
	free(f.data);
}

static void check_captures(void)
{
	static const char *const rping[] = { "cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200",
					     "cm_rep@24 cm_private_196@60",
					     "cm_rtu@24 cm_private_224@32",
					     "cm_dreq@24 cm_private_220@36",
					     "cm_drep@24 cm_private_224@32",
					     NULL };
	static const char *const rping6[] = {
		"cm_req@24 cma_hdr@164 cma_ipv6@168 cm_private_56@200",
		"cm_rep@24 cm_private_196@60", NULL
	};
	static const char *const udaddy[] = {
		"cm_sidr_req@24 cma_hdr@40 cma_ipv4@44 cm_private_180@76",
		"cm_sidr_rep@24 cm_private_136@120", NULL
	};
	static const char *const reject[] = {
		"cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200",
		"cm_rej@24 cm_private_148@108", NULL
	};
	static const char *const nfs[] = {
		"cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200 rpcrdma_cm@200",
		"cm_rep@24 cm_private_196@60 rpcrdma_cm@60", NULL
	};

	check_capture("01-rping-ipv4.pcap", 62, rping);
	check_capture("02-rping-ipv6.pcap", 82, rping6);
	check_capture("09-udaddy-sidr.pcap", 62, udaddy);
	check_capture("11b-ucmatose-rej-nolistener.pcap", 62, reject);
	check_capture("16b-nfs4-rdma.pcap", 62, nfs);
}

/* A REQ to @sid whose private data begins with @n bytes at @private. */
static void req(uint64_t sid, const void *private, size_t n)
{
	start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REQ);
	ibw_cm_req_set_service_id(BEHIND_MAD(cm_req), sid);
	memcpy(mad + ibw_mad_BYTES + ibw_cm_req_BYTES, private, n);
}

static void check_req(void)
{
	static const uint8_t zero[92], ipv4[4] = { 0, 0x40, 0x1f, 0x90 },
				       later[4] = { 0x10, 0x40, 0, 0 }, ipv5[4] = { 0, 0x50, 0, 0 },
				       ipv6[4] = { 0, 0x60, 0, 0 }, ack[1] = { IBW_SDP_HELLO_ACK };
	static const uint8_t srp[64] = { [16] = 0, [18] = 0x08, [25] = 0x06 };
	uint8_t odd[64];

	check_case("RDMA CM, other consumers");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 4420), ipv4, 4);
	check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200 nvme_cm_req@200");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 3260), ipv4, 4);
	check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200 iser_cm@200");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 4420), ipv4, 4);
	check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 18634), ipv4, 4);
	check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200 rds_cm@200");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 16385), ipv6, 4);
	check_layers("cm_req@24 cma_hdr@164 cma_ipv6@168 cm_private_56@200 rds_cm6@200");
	check_case("SDP, whose header has no other in front");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 5000), zero, sizeof(zero));
	check_layers("cm_req@24 cm_private_92@164 sdp_bsdh@164 sdp_hello@180");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 5000), ack, sizeof(ack));
	check_layers("cm_req@24 cm_private_92@164 sdp_bsdh@164");
	check_case("no RDMA CM header of a version known here");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_IB, 1), zero, sizeof(zero));
	check_layers("cm_req@24 cm_private_92@164");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 4420), later, 4);
	check_layers("cm_req@24 cm_private_92@164");
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 4420), ipv5, 4);
	check_layers("cm_req@24 cm_private_92@164");
	check_case("other service IDs");
	req(IBW_SID_IPOIB_CM_BASE | 0x123456, zero, sizeof(zero));
	check_layers("cm_req@24 cm_private_92@164 ipoib_cm@164");
	req(0x0002c90300001234, srp, sizeof(srp));
	check_layers("cm_req@24 cm_private_92@164 srp_login_req@164");
	memcpy(odd, srp, sizeof(odd));
	odd[1] = 1; /* reserved */
	req(0x0002c90300001234, odd, sizeof(odd));
	check_layers("cm_req@24 cm_private_92@164");
	memcpy(odd, srp, sizeof(odd));
	odd[25] = 0x0e; /* a format SRP does not have */
	req(0x0002c90300001234, odd, sizeof(odd));
	check_layers("cm_req@24 cm_private_92@164");
	odd[25] = 0; /* none at all */
	req(0x0002c90300001234, odd, sizeof(odd));
	check_layers("cm_req@24 cm_private_92@164");
}

static void rej(uint16_t reason, uint8_t info_len)
{
	start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REJ);
	ibw_cm_rej_set_reason(BEHIND_MAD(cm_rej), reason);
	ibw_cm_rej_set_info_len(BEHIND_MAD(cm_rej), info_len);
}

/* What fills 56 bytes after the RDMA CM header, and is wrong by one byte. */
static void check_srp_rdma(void)
{
	static const uint8_t login[] = { 0,
					 0x40,
					 0x1f,
					 0x90,
					 [36 + 9] = 6,
					 [36 + 14] = 0x08,
					 [36 + 16] = 1,
					 [36 + 32] = 1,
					 [36 + 55] = 0 };
	static const struct {
		uint8_t at, value;
	} wrong[] = { { 36 + 9, 8 },  { 36 + 11, 1 }, { 36 + 14, 0 },
		      { 36 + 16, 0 }, { 36 + 32, 0 }, { 36 + 50, 1 } };
	const uint64_t sid = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 5555);
	unsigned int i;

	check_case("SRP over RDMA CM");
	req(sid, login, sizeof(login));
	check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200 srp_login_req_rdma@200");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		check_case("byte %u is 0x%02x", wrong[i].at, wrong[i].value);
		req(sid, login, sizeof(login));
		mad[ibw_mad_BYTES + ibw_cm_req_BYTES + wrong[i].at] = wrong[i].value;
		check_layers("cm_req@24 cma_hdr@164 cma_ipv4@168 cm_private_56@200");
	}
}

/* The layer over the private data of the answer in mad[] to a REQ to @sid; "": none. */
static void check_answer(uint64_t sid, const char *want)
{
	struct ibw_span answer[4];
	char got[128] = "";
	uint32_t n = ibw_mad_walk_cm_answer(sid, mad, sizeof(mad), answer, 4), i;

	for (i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s@%u", i ? " " : "",
			 ibw_headers[answer[i].layer].name, answer[i].off);
	CHECK_STR(got, want);
	/* No room: counted, not written. Not all captured: nothing. */
	answer[0].len = 7;
	CHECK_EQ(ibw_mad_walk_cm_answer(sid, mad, sizeof(mad), answer, 0), n);
	CHECK_EQ(answer[0].len, 7);
	CHECK_EQ(ibw_mad_walk_cm_answer(sid, mad, sizeof(mad) - 1, answer, 4), 0);
}

static void check_answers(void)
{
	const uint64_t tcp = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 0);

	check_case("REP, by the service ID of its REQ");
	start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REP);
	check_answer(tcp | 4420, "nvme_cm_rep@60");
	check_answer(tcp | 8009, "nvme_cm_rep@60");
	check_answer(tcp | 3260, "iser_cm@60");
	check_answer(tcp | 18634, "rds_cm@60");
	check_answer(tcp | 16385, "rds_cm@60");
	check_answer(tcp | 7471, "");
	check_answer(ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 4420), "");
	check_answer(IBW_SID_IPOIB_CM_BASE | 0x123, "ipoib_cm@60");
	check_answer(0x0002c90300001234, "");
	check_answer(ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 5000), "sdp_bsdh@60");
	mad[60] = IBW_SDP_HELLO_ACK;
	check_answer(ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 5000), "sdp_bsdh@60 sdp_hello_ack@76");
	mad[60 + 32] = 4; /* the version of RDS, after two IPv6 addresses */
	check_answer(tcp | 16385, "rds_cm6@60");
	check_case("REJ");
	rej(IBW_CM_REJ_CONSUMER, 0);
	check_answer(tcp | 4420, "nvme_cm_rej@108");
	check_answer(tcp | 3260, "");
	rej(IBW_CM_REJ_SERVICE_ID, 0);
	check_answer(tcp | 4420, "");
	check_case("no answer");
	req(tcp | 4420, "", 0);
	check_answer(tcp | 4420, "");
	start(IBW_CLASS_PERF, IBW_METHOD_SEND, IBW_ATTR_CM_REP);
	check_answer(tcp | 4420, "");
}

/* Additional reject information, 36 bytes into the MAD, if it is as long as it has to be. */
static void check_rej(void)
{
	check_case("reject information");
	rej(IBW_CM_REJ_TIMEOUT, 8);
	check_layers("cm_rej@24 cm_ari_guid@36 cm_private_148@108");
	rej(IBW_CM_REJ_TIMEOUT, 7);
	check_layers("cm_rej@24 cm_private_148@108");
	rej(IBW_CM_REJ_PORT_REDIRECT, 16);
	check_layers("cm_rej@24 cm_ari_gid@36 cm_private_148@108");
	rej(IBW_CM_REJ_ALT_LID, 2);
	check_layers("cm_rej@24 cm_ari_lid@36 cm_private_148@108");
	rej(IBW_CM_REJ_PORT_CM_REDIRECT, 72);
	check_layers("cm_rej@24 class_port_info@36 cm_private_148@108");
	rej(IBW_CM_REJ_CONSUMER, 72);
	mad[108] = IBW_SRP_LOGIN_REJ;
	mad[113] = 1;
	check_layers("cm_rej@24 cm_private_148@108 srp_login_rej@108");
}

static void check_others(void)
{
	static const struct {
		uint16_t attr_id;
		const char *layers;
	} messages[] = {
		{ IBW_ATTR_CM_MRA, "cm_mra@24 cm_private_222@34" },
		{ IBW_ATTR_CM_LAP, "cm_lap@24 cm_private_168@88" },
		{ IBW_ATTR_CM_APR, "cm_apr@24 cm_private_148@108" },
		{ IBW_ATTR_CM_SAP, "cm_sap@24" },
		{ IBW_ATTR_CM_SPR, "cm_sap@24" },
		{ IBW_ATTR_CM_SIDR_REQ, "cm_sidr_req@24 cm_private_216@40" },
		{ IBW_ATTR_CM_CLASS_PORT_INFO, "class_port_info@24" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		check_case("attribute 0x%04x", messages[i].attr_id);
		start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, messages[i].attr_id);
		check_layers(messages[i].layers);
	}
	check_case("SRP_LOGIN_RSP in a REP");
	start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REP);
	mad[60] = IBW_SRP_LOGIN_RSP;
	mad[78] = 8;
	mad[85] = IBW_SRP_BUF_DIRECT;
	check_layers("cm_rep@24 cm_private_196@60 srp_login_rsp@60");
}

/* However few bytes were captured: no span ends after them, and all of @bytes have to be there. */
static void check_cut(uint32_t bytes)
{
	uint32_t n, i;

	for (n = 0; n < IBW_MAD_BYTES; n++) {
		check_case("attribute 0x%04x, %u bytes captured", mad[16] << 8 | mad[17], n);
		CHECK(ibw_mad_walk(&walked, mad, n, IBW_MAD_BYTES, span, SPANS) == IBW_CUT ||
		      n >= ibw_mad_BYTES + bytes);
		for (i = 0; i < walked.n_spans; i++)
			CHECK(span[i].off + span[i].len <= n);
	}
}

static void check_cuts(void)
{
	req(IBW_SID_IPOIB_CM_BASE, "", 0);
	check_cut(ibw_cm_req_BYTES);
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 3260), "", 0);
	check_cut(ibw_cm_req_BYTES);
	start(IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REP);
	check_cut(ibw_cm_rep_BYTES);
	rej(IBW_CM_REJ_CONSUMER, 72);
	check_cut(ibw_cm_rej_BYTES);
}

/* What ConfigSpaceAccess holds, its AttributeModifier says; an SMP has less room for it. */
static void check_config_space(void)
{
	check_case("Mellanox ConfigSpaceAccess");
	start(IBW_CLASS_SUBN_LID, IBW_METHOD_GET, IBW_ATTR_SM_MLNX_CONFIG_SPACE);
	check_layers("smp@24 mlnx_config_space@64 mlnx_smp_config_data@72 reserved_128@128");
	mad[21] = 0x80;
	check_layers("smp@24 mlnx_config_space@64 mlnx_config_record@72 mlnx_config_record@84"
		     " mlnx_config_record@96 mlnx_config_record@108 reserved_128@128");
	mad[21] = 0x40;
	check_layers("smp@24 mlnx_config_space@64 reserved_128@128");
	start(IBW_CLASS_MLNX, IBW_METHOD_GET, IBW_ATTR_MLNX_CONFIG_SPACE);
	check_layers("mlnx_config_space@24 mlnx_config_data@32");
}

/* Attributes with entries: how many layers there are, and where the last one lies. */
static void check_entries(void)
{
	static const struct {
		uint8_t mgmt_class, type;
		uint16_t attr_id;
		uint32_t spans, last_off;
		uint16_t last;
	} rows[] = {
		{ 0x21, IBW_CONG_LOG_SWITCH, IBW_ATTR_CC_CONG_LOG, 19, 72 + 14 * 12,
		  IBW_LAYER_cong_log_sw_entry },
		{ 0x21, IBW_CONG_LOG_CA, IBW_ATTR_CC_CONG_LOG, 17, 44 + 12 * 16,
		  IBW_LAYER_cong_log_ca_entry },
		{ 0x21, 0, IBW_ATTR_CC_CONG_LOG, 3, 32, IBW_LAYER_cong_log },
		{ 0x21, 0, IBW_ATTR_CC_SW_PORT_CONG_SETTING, 35, 64 + 31 * 4,
		  IBW_LAYER_sw_port_cong_element },
		{ 0x21, 0, IBW_ATTR_CC_CA_CONG_SETTING, 20, 68 + 15 * 8, IBW_LAYER_ca_cong_entry },
		{ 0x21, 0, IBW_ATTR_CC_TABLE, 68, 68 + 63 * 2, IBW_LAYER_cc_table_entry },
		{ 0x06, 0, IBW_ATTR_DM_SVC_ENTRIES, 6, 64 + 3 * 48, IBW_LAYER_svc_entry },
		{ 0x04, 0, IBW_ATTR_PERF_COUNTERS_EXT, 4, 136, IBW_LAYER_port_counters_ext_more },
		{ 0x05, 0, IBW_ATTR_BM_BKEY_INFO, 3, 64, IBW_LAYER_bkey_info },
		{ 0x08, 0, IBW_ATTR_SNMP_PDU_INFO, 3, 64, IBW_LAYER_snmp_pdu },
	};
	uint32_t n;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_case("class 0x%02x, attribute 0x%04x", rows[i].mgmt_class, rows[i].attr_id);
		start(rows[i].mgmt_class, IBW_METHOD_GET, rows[i].attr_id);
		mad[32] = rows[i].type;
		CHECK_EQ(ibw_mad_walk(&walked, mad, sizeof(mad), sizeof(mad), span, SPANS), IBW_OK);
		n = walked.n_spans;
		CHECK_EQ(n, rows[i].spans);
		CHECK_EQ(span[n - 1].off, rows[i].last_off);
		CHECK_EQ(span[n - 1].layer, rows[i].last);
		/* An array too small: counted, not written. */
		memset(span, 0, sizeof(span));
		ibw_mad_walk(&walked, mad, sizeof(mad), sizeof(mad), span, 2);
		CHECK_EQ(walked.n_spans, 2);
		CHECK_EQ(walked.needed_spans, n);
		CHECK_EQ(span[2].len, 0);
	}
}

static const char *sid_text(uint64_t sid)
{
	static char text[200];
	struct ibw_out out = ibw_out_open(text, sizeof(text));
	const struct ibw_field *f = ibw_cm_req_fields;
	uint8_t wire[ibw_cm_req_BYTES] = { 0 };

	while (f->kind != IBW_KIND_SERVICE_ID)
		f++;
	ibw_cm_req_set_service_id(ibw_cm_req_view_mut(wire, sizeof(wire)), sid);
	ibw_print_value(&out, f, wire);
	ibw_out_close(&out);
	return text;
}

static void check_service_ids(void)
{
	struct ibw_sid sid = ibw_sid_split(ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 7174));

	check_case("service IDs");
	CHECK_EQ(sid.kind, IBW_SID_RDMA_CM);
	CHECK_EQ(sid.port_space, 0x111);
	CHECK_EQ(sid.port, 7174);
	CHECK_EQ(ibw_sid_split(0x1000000000abcdef).qpn, 0xabcdef);
	CHECK_EQ(ibw_sid_split(0x1000000001abcdef).kind, IBW_SID_UNKNOWN);
	CHECK_EQ(ibw_sid_split(0x0001000001061234).kind, IBW_SID_UNKNOWN);
	CHECK_EQ(ibw_sid_split(0).kind, IBW_SID_UNKNOWN);
	CHECK_STR(sid_text(0x0000000001061c06), "0x0000000001061c06 (RDMA_CM TCP port 7174)");
	CHECK_STR(sid_text(0x00000000013f0001), "0x00000000013f0001 (RDMA_CM IB port 1)");
	CHECK_STR(sid_text(0x0000000000020003), "0x0000000000020003 (RDMA_CM IPOIB port 3)");
	CHECK_STR(sid_text(0x0000000000011388), "0x0000000000011388 (RDMA_CM SDP port 5000)");
	CHECK_STR(sid_text(0x1000000000000123),
		  "0x1000000000000123 (IPoIB connected mode QPN 0x000123)");
	CHECK_STR(sid_text(0x0200000000000001), "0x0200000000000001 (assigned by the local OS)");
	CHECK_STR(sid_text(0x0002c90300001234), "0x0002c90300001234");
}

int main(void)
{
	check_captures();
	check_req();
	check_srp_rdma();
	check_answers();
	check_rej();
	check_others();
	check_cuts();
	check_config_space();
	check_entries();
	check_service_ids();
	return check_end();
}
