/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap.c - classic pcap, record by record (draft-ietf-opsawg-pcap, and its older relatives). */
#include "impl.h"
#include "pcap_write.h"

#define FILE_HEADER 24

/* Magics as the writer's 32-bit number. */
static const struct magic {
	uint32_t magic;
	uint8_t record_header; /* bytes */
	uint8_t resolution;    /* 10^-n s */
} magics[] = {
	{ CAPTURE_PCAP_MAGIC_US, 16, 6 },
	{ CAPTURE_PCAP_MAGIC_NS, 16, 9 },
	{ 0xa1b2cd34, 24, 6 }, /* Kuznetsov's, with interface, protocol and packet type */
};

/* In which order a record has its two lengths. */
enum lengths { CAPTURED_FIRST, WIRE_FIRST, SMALLER_IS_CAPTURED };

struct pcap_reader {
	struct capture base;
	bool swapped;
	uint8_t record_header;
	uint8_t lengths; /* enum lengths */
	struct capture_interface iface;
};

static const struct magic *find_magic(const uint8_t *head, bool *swapped)
{
	for (size_t i = 0; i < G_N_ELEMENTS(magics); i++) {
		for (int swap = 0; swap < 2; swap++) {
			if (capture_load32(head, swap) == magics[i].magic) {
				*swapped = swap;
				return &magics[i];
			}
		}
	}
	return NULL;
}

bool capture_pcap_matches(const uint8_t *head)
{
	bool swapped;

	return find_magic(head, &swapped) != NULL;
}

/* No more bytes where a record would begin. */
static enum capture_result ended(struct pcap_reader *r)
{
	uint64_t had = capture_input_left(r->base.input);

	if (!had && !r->base.input->failure)
		return CAPTURE_END;
	return capture_cut(&r->base, "record header", r->record_header, had);
}

static void set_lengths(const struct pcap_reader *r, const uint8_t *record,
			struct capture_packet *pkt)
{
	uint32_t first = capture_load32(record + 8, r->swapped);
	uint32_t second = capture_load32(record + 12, r->swapped);

	pkt->caplen = first;
	pkt->len = second;
	if (G_LIKELY(r->lengths == CAPTURED_FIRST))
		return;
	if (r->lengths == WIRE_FIRST || second < first) {
		pkt->caplen = second;
		pkt->len = first;
	}
}

enum capture_result capture_pcap_read(struct capture *cap, struct capture_packet *pkt)
{
	struct pcap_reader *r = (struct pcap_reader *)cap;
	const uint8_t *record = capture_input_need(cap->input, r->record_header);
	uint32_t bytes;

	if (G_UNLIKELY(!record))
		return ended(r);
	set_lengths(r, record, pkt);
	if (G_UNLIKELY(pkt->caplen > CAPTURE_CAPLEN_MAX))
		return capture_fail(cap, CAPTURE_FAULT_LENGTH, true, pkt->caplen,
				    CAPTURE_CAPLEN_MAX, "a record of %u captured bytes, %u at most",
				    pkt->caplen, CAPTURE_CAPLEN_MAX);
	bytes = r->record_header + pkt->caplen;
	record = capture_input_need(cap->input, bytes);
	if (G_UNLIKELY(!record))
		return capture_cut(cap, "record", bytes, capture_input_left(cap->input));
	capture_input_advance(cap->input, bytes);
	cap->packet_offset = cap->offset;
	cap->offset += bytes;
	pkt->frame = ++cap->frame;
	pkt->time_ns = capture_load32(record, r->swapped) * UINT64_C(1000000000) +
		       capture_load32(record + 4, r->swapped) * r->iface.ns_per_tick;
	pkt->data = record + r->record_header;
	pkt->linktype = r->iface.linktype;
	pkt->iface = 0;
	pkt->fcs_len = r->iface.fcs_len;
	pkt->has_time = true;
	return CAPTURE_PACKET;
}

/* Until version 2.3 the two lengths stood the other way round; in 2.3 itself either way, by the
 * program; DG/UX wrote 543.0. As libpcap has it, which knows no others. False: nor do we. */
static bool set_version(struct pcap_reader *r, uint16_t major, uint16_t minor)
{
	if (!(major == 2 && minor <= 4) && !(major == 543 && minor == 0))
		return false;
	if (major == 543 || minor < 3)
		r->lengths = WIRE_FIRST;
	else if (minor == 3)
		r->lengths = SMALLER_IS_CAPTURED;
	return true;
}

static void set_interface(struct pcap_reader *r, const uint8_t *header, const struct magic *magic)
{
	/* Bits 0-15 link type, 26 FCS length given, 28-31 that length in units of 16 bits */
	uint32_t link = capture_load32(header + 20, r->swapped);

	r->iface.snaplen = capture_load32(header + 16, r->swapped);
	r->iface.linktype = capture_linktype(link & 0xffff);
	if (link & 1u << 26)
		r->iface.fcs_len = (uint8_t)((link >> 28) * 2);
	r->iface.swapped = r->swapped;
	r->iface.ts_resolution = magic->resolution;
	r->iface.ns_per_tick = magic->resolution == 9 ? 1 : 1000;
}

struct capture *capture_pcap_open(struct capture_input *input, GError **err)
{
	struct pcap_reader *r = g_new0(struct pcap_reader, 1);
	const uint8_t *header = capture_input_need(input, FILE_HEADER);
	const struct magic *magic = find_magic(header, &r->swapped);
	uint16_t major = capture_load16(header + 4, r->swapped);
	uint16_t minor = capture_load16(header + 6, r->swapped);

	if (!set_version(r, major, minor)) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: no readable pcap: version %u.%u; 2.0 to 2.4 are known",
			    input->name, major, minor);
		g_free(r);
		return NULL;
	}
	r->record_header = magic->record_header;
	set_interface(r, header, magic);
	capture_init(&r->base, CAPTURE_FORMAT_PCAP, input);
	g_array_append_val(r->base.interfaces, r->iface);
	capture_input_advance(input, FILE_HEADER);
	r->base.offset = FILE_HEADER;
	return &r->base;
}
