/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * epan.c - any packets one after the other (packets.h), after how to read them (session.h), as a file in
 * Wireshark with the plugin in it.
 *
 * A message is the payloads of its packets, in their order, each of which is of no other; all of them are within
 * the memory there may be. What is said of a frame once every frame was seen stays, in whatever order they are
 * looked at; of the headers alone the first pass says the same. What is followed and what is exported were
 * in the packets. No mistake of the plugin's is told, and nothing stays of a file that is closed.
 */
#include <string.h>

#include "session.h"

#include <epan/exported_pdu.h>
#include <epan/follow.h>
#include <epan/tap.h>

#include "held.h"
#include "packets.h"

#define FOLLOWED 3     /* streams */
#define EXPORT_HEAD 23 /* of an exported message, before its bytes: export.c of the plugin */
#define LABEL ITEM_LABEL_LENGTH

/* What a frame says. */
struct said {
	uint64_t info, tree, headers;
	uint32_t in; /* the frame that has the whole message */
};

/* What was exported of a frame. */
struct pdu {
	uint8_t *data;
	uint32_t head, n; /* tags; of all */
	unsigned int frame;
	uint64_t time_ns;
};

static struct said first[SESSION_FRAMES], second[SESSION_FRAMES], third[SESSION_FRAMES];
static struct {
	struct pdu pdu[SESSION_FRAMES];
	unsigned int n, checked;
} exported;
static uint32_t message_of[SESSION_FRAMES]; /* the frame that lists it as a fragment; 0: none */
static uint64_t kept; /* bytes of whole messages, and for their frames' numbers */

/* The payload of a frame; false: it is no RDMA by itself, but something in it may be. */
static bool payload_of(const struct session_frame *f, const uint8_t **p, uint32_t *n)
{
	struct ibw_packet pkt;

	ibw_packet_walk(&pkt, f->data, f->caplen, f->len, f->linktype, NULL);
	*p = pkt.data + pkt.payload_off;
	*n = pkt.payload_len;
	return IBW_AT(&pkt, bth) != NULL;
}

/* Trees */

static proto_node *after(const proto_node *root, proto_node *node)
{
	if (node->first_child)
		return node->first_child;
	while (node != root && !node->next)
		node = node->parent;
	return node == root ? NULL : node->next;
}

static bool is_called(const proto_node *node, const char *name)
{
	return strcmp(node->finfo->hfinfo->abbrev, name) == 0;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = packets_mix(hash, (uint8_t)*text++);
	return hash;
}

static uint64_t mix_item(uint64_t hash, const field_info *item)
{
	char label[LABEL];

	hash = mix_text(hash, item->hfinfo->abbrev);
	if (item->rep)
		return mix_text(hash, item->rep->representation);
	proto_item_fill_label((field_info *)item, label);
	return mix_text(hash, label);
}

/* Of a header, and not of what the packets show of each other. */
static bool is_of_header(const field_info *item)
{
	const char *name = item->hfinfo->abbrev;

	return !(item->flags & FI_GENERATED) && !g_str_has_prefix(name, "_ws.") &&
	       !g_str_has_prefix(name, "ibwire.lint") && strcmp(name, "ibwire") != 0;
}

/* Which upper layer a message is of may be known only after it. */
static bool is_of_upper_layer(const proto_node *node)
{
	for (; node && node->finfo; node = node->parent)
		if (is_called(node, "ibwire.ulp"))
			return true;
	return false;
}

/* Messages */

struct message {
	const uint8_t *data;
	uint32_t len, listed, count, has_len, has_count;
	uint32_t frame[SESSION_FRAMES];
};

static void read_item(struct message *m, struct said *said, const proto_node *node)
{
	field_info *item = node->finfo;
	uint32_t v;

	if (item->hfinfo->type != FT_FRAMENUM && item->hfinfo->type != FT_UINT32 &&
	    item->hfinfo->type != FT_BYTES)
		return;
	if (is_called(node, "ibwire.msg.data")) {
		m->data = tvb_get_ptr(item->ds_tvb, item->start, item->length);
		FUZZ_CHECK(m->len == (uint32_t)item->length);
		return;
	}
	if (item->hfinfo->type == FT_BYTES)
		return;
	v = fvalue_get_uinteger(&item->value);
	if (is_called(node, "ibwire.msg.reassembled.in")) {
		said->in = v;
	} else if (is_called(node, "ibwire.msg.reassembled.length")) {
		m->len = v;
		m->has_len++;
	} else if (is_called(node, "ibwire.msg.fragment.count")) {
		m->count = v;
		m->has_count++;
	} else if (is_called(node, "ibwire.msg.fragment")) {
		FUZZ_CHECK(m->listed < SESSION_FRAMES);
		m->frame[m->listed++] = v;
	}
}

/* Each of its packets brought a part of it, and nothing else did. */
static void check_message(const struct session *s, unsigned int i, const struct message *m)
{
	uint32_t at = 0, bound = 0, k, n;
	bool nested = false;
	const uint8_t *p;

	FUZZ_CHECK(m->has_len == 1 && m->has_count == 1 && m->count == m->listed && m->data);
	for (k = 0; k < m->listed; k++) {
		FUZZ_CHECK(m->frame[k] && m->frame[k] <= s->n);
		FUZZ_CHECK(!message_of[m->frame[k] - 1]);
		message_of[m->frame[k] - 1] = i + 1;
		bound += s->frame[m->frame[k] - 1].caplen;
		if (!payload_of(&s->frame[m->frame[k] - 1], &p, &n)) {
			nested = true;
			continue;
		}
		FUZZ_CHECK(nested || (at + n <= m->len && memcmp(m->data + at, p, n) == 0));
		at += n;
	}
	FUZZ_CHECK(nested ? m->len <= bound : m->len == at);
	kept += m->len + (uint64_t)m->listed * sizeof(uint32_t);
}

/* Wireshark's own dissectors read what is not there, and say so; the plugin knows the length of what it reads. */
static bool is_our_exception(const proto_node *node)
{
	return node->finfo && is_called(node, "_ws.malformed") && node->finfo->rep &&
	       strstr(node->finfo->rep->representation, ": RDMA]");
}

/* All that is ours of a frame. */
static void read_tree(struct said *said, const struct session *s, unsigned int i, proto_tree *tree,
		      bool checked)
{
	static struct message m;
	proto_node *top, *node;

	memset(&m, 0, sizeof(m));
	for (top = tree; top; top = after(tree, top)) {
		FUZZ_CHECK(!is_our_exception(top));
		if (!top->finfo || !is_called(top, "ibwire"))
			continue;
		for (node = top; node; node = after(top, node)) {
			said->tree = mix_item(said->tree, node->finfo);
			if (is_of_header(node->finfo) && !is_of_upper_layer(node))
				said->headers = mix_item(said->headers, node->finfo);
			read_item(&m, said, node);
		}
	}
	if (checked && m.listed)
		check_message(s, i, &m);
}

/* What is exported */

static tap_packet_status take_export(void *tapped, packet_info *pinfo, epan_dissect_t *edt,
				     const void *data, tap_flags_t flags)
{
	const exp_pdu_data_t *from = data;
	struct pdu *to = &exported.pdu[exported.n];

	(void)tapped;
	(void)edt;
	(void)flags;
	if (exported.n == SESSION_FRAMES)
		return TAP_PACKET_DONT_REDRAW;
	FUZZ_CHECK(from->tvb_captured_length == tvb_captured_length(from->pdu_tvb) &&
		   from->tvb_captured_length >= EXPORT_HEAD);
	to->head = from->tlv_buffer_len;
	to->n = from->tlv_buffer_len + from->tvb_captured_length;
	to->data = g_malloc(to->n);
	to->frame = pinfo->num - 1;
	to->time_ns = (uint64_t)pinfo->abs_ts.secs * 1000000000u + (uint64_t)pinfo->abs_ts.nsecs;
	memcpy(to->data, from->tlv_buffer, to->head);
	tvb_memcpy(from->pdu_tvb, to->data + to->head, 0, to->n - to->head);
	exported.n++;
	return TAP_PACKET_DONT_REDRAW;
}

static bool is_in(const uint8_t *part, size_t n, const uint8_t *whole, size_t of)
{
	return !n || memmem(whole, of, part, n) != NULL;
}

/* In the frame, or in a message that it has. */
static void check_exports(const struct session *s, epan_dissect_t *edt)
{
	const struct session_frame *f;
	const struct data_source *source;
	const struct pdu *pdu;
	const GSList *sources;
	tvbuff_t *tvb;
	bool found;

	for (; exported.checked < exported.n; exported.checked++) {
		pdu = &exported.pdu[exported.checked];
		f = &s->frame[pdu->frame];
		found = false;
		for (sources = edt->pi.data_src; sources && !found; sources = sources->next) {
			source = sources->data;
			tvb = get_data_source_tvb(source);
			found = is_in(pdu->data + pdu->head + EXPORT_HEAD,
				      pdu->n - pdu->head - EXPORT_HEAD,
				      tvb_get_ptr(tvb, 0, (int)tvb_captured_length(tvb)),
				      tvb_captured_length(tvb));
		}
		FUZZ_CHECK(found || is_in(pdu->data + pdu->head + EXPORT_HEAD,
					  pdu->n - pdu->head - EXPORT_HEAD, f->data, f->caplen));
	}
}

static void forget_exports(void)
{
	while (exported.n)
		g_free(exported.pdu[--exported.n].data);
	exported.checked = 0;
}

/* What is followed */

static follow_info_t followed[FOLLOWED];

static void tap(const char *name, void *data, const char *filter, tap_packet_cb packet)
{
	FUZZ_CHECK(!register_tap_listener(name, data, filter, TL_REQUIRES_NOTHING, NULL, packet,
					  NULL, NULL));
}

static void tap_all(void)
{
	register_follow_t *follow = get_follow_by_name("RDMA");
	unsigned int i;
	char *filter;

	tap("RDMA messages", &exported, NULL, take_export);
	for (i = 0; i < FOLLOWED; i++) {
		memset(&followed[i], 0, sizeof(followed[i]));
		filter = get_follow_index_func(follow)(i, 0);
		tap(get_follow_tap_string(follow), &followed[i], filter,
		    get_follow_tap_handler(follow));
		g_free(filter);
	}
}

static void check_followed(const struct session *s, const follow_info_t *info)
{
	uint64_t bytes = 0, there = 0;
	const follow_record_t *piece;
	const uint8_t *p;
	unsigned int i;
	GList *pieces;
	uint32_t n;

	/* FPDUs of iWARP are in segments of TCP, and have no more bytes than these. */
	for (i = 0; i < s->n; i++)
		there += payload_of(&s->frame[i], &p, &n) ? n : s->frame[i].caplen;
	for (pieces = info->payload; pieces; pieces = pieces->next) {
		piece = pieces->data;
		FUZZ_CHECK(piece->data->len && piece->packet_num && piece->packet_num <= s->n);
		bytes += piece->data->len;
	}
	FUZZ_CHECK(bytes == (uint64_t)info->bytes_written[0] + info->bytes_written[1]);
	FUZZ_CHECK(bytes <= there);
}

static void untap(const struct session *s)
{
	unsigned int i;

	remove_tap_listener(&exported);
	for (i = 0; i < FOLLOWED; i++) {
		remove_tap_listener(&followed[i]);
		check_followed(s, &followed[i]);
		free_address(&followed[i].client_ip);
		free_address(&followed[i].server_ip);
		follow_reset_stream(&followed[i]);
	}
}

/* Passes */

static void look_first(void *user, struct session *s, unsigned int i, epan_dissect_t *edt,
		       const char *info)
{
	(void)user;
	(void)info;
	if (edt->tree)
		read_tree(&first[i], s, i, edt->tree, false);
}

static void look_second(void *user, struct session *s, unsigned int i, epan_dissect_t *edt,
			const char *info)
{
	(void)user;
	second[i].info = mix_text(0, info);
	read_tree(&second[i], s, i, edt->tree, true);
	check_exports(s, edt);
}

static void look_third(void *user, struct session *s, unsigned int i, epan_dissect_t *edt,
		       const char *info)
{
	(void)user;
	third[i].info = mix_text(0, info);
	read_tree(&third[i], s, i, edt->tree, false);
}

static void begin(void)
{
	memset(first, 0, sizeof(first));
	memset(second, 0, sizeof(second));
	memset(third, 0, sizeof(third));
	memset(message_of, 0, sizeof(message_of));
	kept = 0;
	held_begin();
}

static void first_pass(struct session *s)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		session_dissect(s, i, !(s->head.flags & SESSION_BARE_FIRST), look_first, NULL);
	session_all_seen(s);
}

static void later_passes(struct session *s)
{
	unsigned int i;

	tap_all();
	for (i = 0; i < s->n; i++)
		session_dissect(s, i, true, look_second, NULL);
	untap(s);
	for (i = s->n; i-- > 0;)
		session_dissect(s, i, true, look_third, NULL);
}

static void check_said(const struct session *s)
{
	unsigned int i;

	for (i = 0; i < s->n; i++) {
		FUZZ_CHECK(second[i].tree == third[i].tree);
		FUZZ_CHECK(second[i].info == third[i].info);
		FUZZ_CHECK(s->head.flags & SESSION_BARE_FIRST ||
			   first[i].headers == second[i].headers);
		FUZZ_CHECK(!second[i].in || message_of[i] == second[i].in);
		FUZZ_CHECK(!message_of[i] || message_of[i] == i + 1 ||
			   message_of[i] == second[i].in);
	}
	FUZZ_CHECK(kept <= held_most() && held_most() <= session_reassemble_bytes(s));
	FUZZ_CHECK(!session_complaints);
}

static void read_whole(struct session *s)
{
	begin();
	session_open(s);
	first_pass(s);
	later_passes(s);
	session_close(s);
	check_said(s);
}

/* What was exported, as a file. */
static void read_exported(const struct session *from)
{
	static struct session s;
	unsigned int i;

	memset(&s, 0, sizeof(s));
	s.head.flags = from->head.flags & SESSION_TAKE_OVER;
	for (s.n = 0; s.n < exported.n; s.n++) {
		s.frame[s.n].data = exported.pdu[s.n].data;
		s.frame[s.n].caplen = s.frame[s.n].len = exported.pdu[s.n].n;
		s.frame[s.n].linktype = SESSION_UPPER_PDU;
		s.frame[s.n].time_ns = exported.pdu[s.n].time_ns;
	}
	session_open(&s);
	for (i = 0; i < s.n; i++)
		session_dissect(&s, i, true, NULL, NULL);
	session_all_seen(&s);
	for (i = 0; i < s.n; i++)
		session_dissect(&s, i, true, NULL, NULL);
	session_close(&s);
	FUZZ_CHECK(!session_complaints);
}

static void read_file(struct session *s, uint8_t *data, size_t size)
{
	struct packets r = { .p = data, .left = size };

	memset(s, 0, sizeof(*s));
	if (size < SESSION_HEAD)
		return;
	s->head = (struct session_head){ data[0], data[1], data[2], data[3] };
	r.p += SESSION_HEAD;
	r.left -= SESSION_HEAD;
	while (s->n < SESSION_FRAMES && packets_next(&r)) {
		s->frame[s->n].data = r.pkt.data;
		s->frame[s->n].caplen = r.pkt.caplen;
		s->frame[s->n].len = r.pkt.len;
		s->frame[s->n].linktype = r.pkt.linktype;
		s->frame[s->n++].time_ns = r.frame.time_ns;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[65536];
	static struct session s;

	if (size > sizeof(copy))
		return 0;
	memcpy(copy, data, size);
	read_file(&s, copy, size);
	read_whole(&s);
	if (exported.n && s.head.flags & SESSION_EXPORTED)
		read_exported(&s);
	forget_exports();
	return 0;
}
