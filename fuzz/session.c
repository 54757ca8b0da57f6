/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session.c - libwireshark in this process, and the plugin in it: session.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

#include <epan/addr_resolv.h>
#include <epan/column-info.h>
#include <epan/column.h>
#include <epan/prefs.h>
#include <epan/timestamp.h>
#include <wiretap/wtap.h>
#include <wsutil/privileges.h>
#include <wsutil/wslog.h>

#include <ibwire/ibwire.h>
#include <ibwire/cm.h>
#include <ibwire/packet.h>

#include "tests/lib/guard.h"

WS_DLL_PUBLIC char *configuration_init(const char *program, const char *name);
WS_DLL_PUBLIC char *get_datafile_path(const char *name);
void plugin_register(void); /* what Wireshark calls of a plugin */

struct packet_provider_data {
	const struct session *session;
};

unsigned int session_complaints;

static column_info columns;

/* Once */

/*
 * In the place of the one of libwsutil: for each file that it opens libwireshark reads the names of all vendors
 * and services, 30 ms, and nobody here asks for one.
 */
char *get_datafile_path(const char *name)
{
	return g_build_filename("/nonexistent", name, NULL);
}

/* A dissector's bug is told to the log; others have some, too. */
static void take_log(const char *domain, enum ws_log_level level, struct timespec at,
		     const char *file, long line, const char *function, const char *format,
		     va_list args, void *user)
{
	char text[1024];

	(void)at;
	(void)file;
	(void)line;
	(void)function;
	(void)user;
	vsnprintf(text, sizeof(text), format, args);
	if (level < LOG_LEVEL_WARNING || level == LOG_LEVEL_ECHO)
		return;
	if ((domain && strcmp(domain, "ibwire") == 0) || strstr(text, "protocol RDMA") ||
	    strstr(text, "ibwire")) {
		fprintf(stderr, "%s: %s\n", domain ? domain : "", text);
		session_complaints++;
	}
}

static void set(const char *format, ...) G_GNUC_PRINTF(1, 2);

static void set(const char *format, ...)
{
	char *text, *wrong = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	FUZZ_CHECK(prefs_set_pref(text, &wrong) == PREFS_SET_OK);
	g_free(wrong);
	g_free(text);
}

/* What the home directory holds is none of this; wmem takes each allocation from malloc(), which a sanitizer sees. */
static void init(void)
{
	static bool done;
	e_prefs *settings;

	if (done)
		return;
	done = true;
	setenv("WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple", 1);
	setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", 1);
	ws_log_init_with_writer("fuzz", take_log, NULL);
	init_process_policies();
	g_free(configuration_init("fuzz", NULL));
	timestamp_set_type(TS_RELATIVE);
	timestamp_set_precision(TS_PREC_AUTO);
	timestamp_set_seconds_type(TS_SECONDS_DEFAULT);
	wtap_init(false);
	plugin_register();
	FUZZ_CHECK(epan_init(NULL, NULL, false));
	settings = epan_load_settings();
	disable_name_resolution();
	/* Link type 147 is InfiniBand. */
	set("uat:user_dlts:\"User 0 (DLT=147)\",\"ibwire\",\"0\",\"\",\"0\",\"\"");
	prefs_apply_all();
	build_column_format_array(&columns, settings->num_cols, true);
}

/* Preferences */

static unsigned int kib(uint8_t head, unsigned int usual)
{
	return head == SESSION_NONE ? 0 : head ? head : usual;
}

uint64_t session_reassemble_bytes(const struct session *s)
{
	return (uint64_t)kib(s->head.reassemble, 65536) * 1024;
}

static void set_preferences(const struct session_head *head)
{
	set("ibwire.mode:%s", head->flags & SESSION_TAKE_OVER ? "takeover" : "augment");
	set("ibwire.verify_icrc:%s", head->flags & SESSION_NO_ICRC ? "FALSE" : "TRUE");
	set("ibwire.all_fields:%s", head->flags & SESSION_ALL_FIELDS ? "TRUE" : "FALSE");
	set("ibwire.stream_in_info:%s", head->flags & SESSION_ALL_FIELDS ? "TRUE" : "FALSE");
	set("ibwire.names:%s", head->flags & SESSION_ONE_NAME ? "ibwire" : "both");
	set("ibwire.severity:%s", head->flags & SESSION_ALL_RULES ? "note" : "warning");
	set("ibwire.select:%s", head->flags & SESSION_ALL_RULES ? "all" : "");
	set("ibwire.reassemble_kib:%u", kib(head->reassemble, 65536));
	set("ibwire.rmpp_kib:%u", kib(head->rmpp, 16384));
	prefs_apply_all();
}

/* Decode As */

enum { AS_QPS = 0x01, AS_SERVICES = 0x02 }; /* bits 4 and 5: as which of CHOICES */

static const char *const choices[] = { "iser", "nvme-rdma", "rpcordma", "smb_direct" };
static const uint16_t ports[] = { IBW_CM_PORT_NFS, IBW_CM_PORT_NVME, IBW_CM_PORT_ISER,
				  IBW_CM_PORT_SMB_DIRECT, 7174 };

static dissector_handle_t choice(const char *table, uint8_t decode_as)
{
	int protocol = proto_get_id_by_filter_name(choices[decode_as >> 4 & 3]);
	GSList *handles = dissector_table_get_dissector_handles(find_dissector_table(table));

	for (; handles; handles = handles->next)
		if (dissector_handle_get_protocol_index(handles->data) == protocol)
			return handles->data;
	abort();
}

/* Of the queue pair that each packet is for. */
static void decode_qps(const struct session *s, bool on)
{
	dissector_handle_t handle = choice("ibwire.qp", s->head.decode_as);
	const struct ibw_bth_wire *bth;
	struct ibw_packet pkt;
	unsigned int i;
	uint32_t qpn;

	for (i = 0; i < s->n; i++) {
		ibw_packet_walk(&pkt, s->frame[i].data, s->frame[i].caplen, s->frame[i].len,
				s->frame[i].linktype, NULL);
		bth = IBW_AT(&pkt, bth);
		if (!bth)
			continue;
		qpn = ibw_bth_dqpn(bth);
		if (on)
			dissector_change_uint("ibwire.qp", qpn, handle);
		else
			dissector_reset_uint("ibwire.qp", qpn);
	}
}

static void decode_services(const struct session *s, bool on)
{
	dissector_handle_t handle = choice("ibwire.service_id", s->head.decode_as);
	char text[32];
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(ports); i++) {
		snprintf(text, sizeof(text), "0x%016" PRIx64,
			 ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, ports[i]));
		if (on)
			dissector_change_string("ibwire.service_id", text, handle);
		else
			dissector_reset_string("ibwire.service_id", text);
	}
}

static void decode_as(const struct session *s, bool on)
{
	if (s->head.decode_as & AS_QPS)
		decode_qps(s, on);
	if (s->head.decode_as & AS_SERVICES)
		decode_services(s, on);
}

/* Frames */

static int encap_of(uint32_t linktype, uint8_t flags)
{
	switch (linktype) {
	case IBW_LINKTYPE_NULL:
		return WTAP_ENCAP_NULL;
	case IBW_LINKTYPE_PPP:
		return WTAP_ENCAP_PPP;
	case IBW_LINKTYPE_RAW:
		return WTAP_ENCAP_RAW_IP;
	case IBW_LINKTYPE_LOOP:
		return WTAP_ENCAP_LOOP;
	case IBW_LINKTYPE_SLL:
		return WTAP_ENCAP_SLL;
	case IBW_LINKTYPE_USER0:
		return WTAP_ENCAP_USER0;
	case IBW_LINKTYPE_ERF:
		return WTAP_ENCAP_ERF;
	case IBW_LINKTYPE_IPV4:
		return WTAP_ENCAP_RAW_IP4;
	case IBW_LINKTYPE_IPV6:
		return WTAP_ENCAP_RAW_IP6;
	case IBW_LINKTYPE_IPOIB:
		return WTAP_ENCAP_IP_OVER_IB_PCAP;
	case IBW_LINKTYPE_INFINIBAND:
		return flags & SESSION_UNKNOWN_LINK ? WTAP_ENCAP_UNKNOWN : WTAP_ENCAP_INFINIBAND;
	case IBW_LINKTYPE_SLL2:
		return WTAP_ENCAP_SLL2;
	case SESSION_UPPER_PDU:
		return WTAP_ENCAP_WIRESHARK_UPPER_PDU;
	default:
		return WTAP_ENCAP_ETHERNET;
	}
}

/* What wiretap takes off an ERF record, as it hands it on; returns its bytes. */
static uint32_t take_erf_header(struct erf_mc_phdr *erf, const struct session_frame *f)
{
	const uint8_t *p = f->data;
	const struct ibw_erf_wire *wire = (const struct ibw_erf_wire *)p;
	uint32_t at = ibw_erf_BYTES;
	unsigned int i;

	if (f->caplen < at)
		return f->caplen;
	for (i = 0; i < 8; i++)
		erf->phdr.ts |= (uint64_t)p[i] << 8 * i;
	erf->phdr.type = p[8];
	erf->phdr.flags = ibw_erf_flags(wire);
	erf->phdr.rlen = ibw_erf_rlen(wire);
	erf->phdr.lctr = ibw_erf_lctr(wire);
	erf->phdr.wlen = ibw_erf_wlen(wire);
	for (i = 0; ibw_erf_ext(wire) && i < MAX_ERF_EHDR && at + 8 <= f->caplen; i++, at += 8) {
		erf->ehdr_list[i].ehdr = ibw_get_be64(p + at);
		if (!(p[at] & 0x80)) {
			at += 8;
			break;
		}
	}
	switch (ibw_erf_type(wire)) {
	case IBW_ERF_ETH:
	case IBW_ERF_COLOR_ETH:
	case IBW_ERF_DSM_COLOR_ETH:
	case IBW_ERF_COLOR_HASH_ETH:
		if (at + 2 > f->caplen)
			return f->caplen;
		erf->subhdr.eth_hdr.offset = p[at];
		erf->subhdr.eth_hdr.pad = p[at + 1];
		return at + 2;
	default:
		return at;
	}
}

/* Fills in @rec; returns where the bytes of the packet begin. */
static uint32_t record_of(wtap_rec *rec, const struct session *s, const struct session_frame *f)
{
	wtap_packet_header *header = &rec->rec_header.packet_header;
	uint32_t head = 0;

	wtap_rec_init(rec);
	memset(header, 0, sizeof(*header));
	if (f->linktype == IBW_LINKTYPE_ERF)
		head = take_erf_header(&header->pseudo_header.erf, f);
	rec->rec_type = REC_TYPE_PACKET;
	rec->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
	rec->ts.secs = (time_t)(f->time_ns / 1000000000u);
	rec->ts.nsecs = (int)(f->time_ns % 1000000000u);
	rec->tsprec = WTAP_TSPREC_NSEC;
	header->caplen = f->caplen - head;
	header->len = f->len - head;
	header->pkt_encap = encap_of(f->linktype, s->head.flags);
	if (header->pkt_encap == WTAP_ENCAP_ETHERNET)
		header->pseudo_header.eth.fcs_len = -1;
	return head;
}

static const nstime_t *time_of(struct packet_provider_data *provider, uint32_t number)
{
	const struct session *s = provider->session;

	return number && number <= s->n ? &s->frame[number - 1].fd.abs_ts : NULL;
}

static struct packet_provider_data provider;

void session_open(struct session *s)
{
	static const struct packet_provider_funcs functions = { .get_frame_ts = time_of };

	init();
	set_preferences(&s->head);
	decode_as(s, true);
	provider.session = s;
	s->epan = epan_new(&provider, &functions);
	s->ref = s->before = NULL;
	s->bytes = 0;
	nstime_set_zero(&s->elapsed);
}

void session_dissect(struct session *s, unsigned int i, bool tree, session_look *look, void *user)
{
	struct session_frame *f = &s->frame[i];
	struct guard guard = guard_open(f->caplen);
	epan_dissect_t edt;
	wtap_rec rec;
	uint32_t head = record_of(&rec, s, f);
	tvbuff_t *tvb;

	if (!f->fd.visited)
		frame_data_init(&f->fd, i + 1, &rec, 0, s->bytes);
	frame_data_set_before_dissect(&f->fd, &s->elapsed, &s->ref, s->before);
	tvb = tvb_new_real_data(guard_tail(&guard, f->data + head, f->caplen - head),
				f->caplen - head, (int)(f->len - head));
	epan_dissect_init(&edt, s->epan, tree, tree);
	epan_dissect_run_with_taps(&edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &rec, tvb, &f->fd,
				   &columns);
	epan_dissect_fill_in_columns(&edt, false, true);
	if (look)
		look(user, s, i, &edt, col_get_text(&columns, COL_INFO));
	epan_dissect_cleanup(&edt);
	guard_close(&guard);
	frame_data_set_after_dissect(&f->fd, &s->bytes);
	s->before = &f->fd;
	wtap_rec_cleanup(&rec);
}

void session_all_seen(struct session *s)
{
	postseq_cleanup_all_protocols();
	s->ref = s->before = NULL;
}

void session_close(struct session *s)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		frame_data_destroy(&s->frame[i].fd);
	epan_free(s->epan);
	s->epan = NULL;
	decode_as(s, false);
}
