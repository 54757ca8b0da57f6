/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap.c - classic pcap, read by libpcap.
 *
 * libpcap reads from a stdio stream of ours. Standing behind it we know the offset
 * of each record and, when libpcap gives up, what that record said of itself, without
 * reading libpcap's messages. Most files are ordinary ones whose header libpcap may see as
 * it is: there the stream is the file's, which stdio is quicker with.
 */
#include <errno.h>
#include <string.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "impl.h"
#include "pcap_write.h"

#define FILE_HEADER 24
#define BUFFER_SIZE ((size_t)1 << 20)

/* The formats libpcap reads; magics as the writer's 32-bit number. */
static const struct magic {
	uint32_t magic;
	uint8_t record_header; /* bytes */
	uint8_t resolution;    /* 10^-n s */
} magics[] = {
	{ CAPTURE_PCAP_MAGIC_US, 16, 6 },
	{ CAPTURE_PCAP_MAGIC_NS, 16, 9 },
	{ 0xa1b2cd34, 24, 6 }, /* Kuznetsov's, with interface, protocol and packet type */
};

struct pcap_reader {
	struct capture base;
	pcap_t *handle;
	FILE *stream;
	char *buffer; /* the stream's */
	bool swapped;
	uint16_t major, minor;
	uint8_t record_header;
	uint8_t header[FILE_HEADER]; /* as libpcap is to see it */
	uint64_t chunk_at;           /* what the buffer holds: offset in the uncompressed file */
	size_t chunk_len;
	uint8_t record[24]; /* the header of the record being read, as far as it left the buffer */
	struct capture_packet *pkt; /* to be filled in by deliver() */
	capture_do *what;           /* deliver_each() is to do with packets, for whom, ... */
	void *user;
	bool stopped; /* ... that it has stopped libpcap, and as what */
	enum capture_result result;
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

/* Copies what the buffer holds of the header of the record being read. */
static void keep_record_header(struct pcap_reader *r)
{
	uint64_t from = MAX(r->base.offset, r->chunk_at);
	uint64_t to = MIN(r->base.offset + r->record_header, r->chunk_at + r->chunk_len);

	if (from < to)
		memcpy(r->record + (from - r->base.offset), r->buffer + (from - r->chunk_at),
		       to - from);
}

/* The stream's read function: called when the last of its buffer has been used. */
static ssize_t feed(void *cookie, char *to, size_t n)
{
	struct pcap_reader *r = cookie;
	ssize_t got;

	keep_record_header(r);
	r->chunk_at += r->chunk_len;
	r->chunk_len = 0;
	if (r->chunk_at < FILE_HEADER) {
		got = (ssize_t)MIN(n, FILE_HEADER - r->chunk_at);
		memcpy(to, r->header + r->chunk_at, (size_t)got);
	} else {
		got = capture_input_read(r->base.input, to, n);
	}
	if (got <= 0)
		return got;
	/* stdio reads past its buffer for packets larger than that: nothing to keep there */
	if (to == r->buffer)
		r->chunk_len = (size_t)got;
	else
		r->chunk_at += (uint64_t)got;
	return got;
}

static inline void fill_in(struct capture_packet *pkt, struct pcap_reader *r,
			   const struct pcap_pkthdr *header, const u_char *data)
{
	r->base.packet_offset = r->base.offset;
	r->base.offset += r->record_header + header->caplen;
	pkt->frame = ++r->base.frame;
	/* The file has unsigned seconds, libpcap signed ones. The stream was opened for
	 * nanoseconds, so that is what tv_usec has. */
	pkt->time_ns =
		(uint64_t)(uint32_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec;
	pkt->data = data;
	pkt->caplen = header->caplen;
	pkt->len = header->len;
	pkt->linktype = r->iface.linktype;
	pkt->iface = 0;
	pkt->fcs_len = r->iface.fcs_len;
	pkt->has_time = true;
}

static void deliver(u_char *user, const struct pcap_pkthdr *header, const u_char *data)
{
	struct pcap_reader *r = (struct pcap_reader *)(void *)user;

	fill_in(r->pkt, r, header, data);
}

static void deliver_each(u_char *user, const struct pcap_pkthdr *header, const u_char *data)
{
	struct pcap_reader *r = (struct pcap_reader *)(void *)user;
	struct capture_packet pkt;

	fill_in(&pkt, r, header, data);
	switch (capture_check(&r->base, &pkt)) {
	case CAPTURE_FILTERED_IN:
		if (G_LIKELY(r->what(r->user, &pkt)))
			return;
		r->result = CAPTURE_PACKET;
		break;
	case CAPTURE_FILTERED_FAULT:
		r->result = CAPTURE_FAULT;
		break;
	case CAPTURE_FILTERED_OUT:
		return;
	}
	r->stopped = true;
	pcap_breakloop(r->handle);
}

/* The captured length of the record whose header is in r->record. Until version 2.3 the
 * two lengths stood the other way round; in 2.3 itself libpcap takes the smaller one. */
static uint32_t record_caplen(const struct pcap_reader *r)
{
	uint32_t caplen = capture_load32(r->record + 8, r->swapped);
	uint32_t len = capture_load32(r->record + 12, r->swapped);

	if (r->major == 543 || r->minor < 3)
		return len;
	return r->minor == 3 ? MIN(caplen, len) : caplen;
}

/* Of the record at base.offset: how many bytes libpcap has read of it, and its header. */
static uint64_t record_had(struct pcap_reader *r)
{
	off_t at = (off_t)r->base.offset, end;

	if (!r->base.plain) {
		keep_record_header(r);
		return r->chunk_at + r->chunk_len - r->base.offset;
	}
	if (ferror(r->stream))
		capture_input_unreadable(r->base.input, errno);
	end = ftello(r->stream);
	if (end < at || pread(r->base.input->fd, r->record, r->record_header, at) < 0)
		return 0;
	return (uint64_t)(end - at);
}

/* libpcap has given up on the record at base.offset. */
static enum capture_result given_up(struct pcap_reader *r)
{
	uint64_t had = record_had(r);
	uint32_t caplen;

	if (had < r->record_header)
		return capture_cut(&r->base, "record header", r->record_header, had);
	caplen = record_caplen(r);
	if (feof(r->stream) || ferror(r->stream))
		return capture_cut(&r->base, "record", (uint64_t)r->record_header + caplen, had);
	return capture_fail(&r->base, CAPTURE_FAULT_LENGTH, true, caplen, CAPTURE_CAPLEN_MAX,
			    "a record of %u captured bytes, %u at most", caplen,
			    CAPTURE_CAPLEN_MAX);
}

/*
 * Until @callback has had @count packets, or stopped libpcap, or there are no more: 0, or an
 * error. A pcap_breakloop() that came too late is remembered, and refuses the next call.
 */
static int dispatch(struct pcap_reader *r, int count, pcap_handler callback)
{
	int n;

	do {
		n = pcap_dispatch(r->handle, count, callback, (u_char *)r);
	} while ((n == PCAP_ERROR_BREAK || (n > 0 && count < 0)) && !r->stopped);
	return n;
}

static enum capture_result no_more(struct pcap_reader *r, int n)
{
	if (n == 0 && !r->base.input->failure)
		return CAPTURE_END;
	return given_up(r);
}

static enum capture_result pcap_read(struct capture *cap, struct capture_packet *pkt)
{
	struct pcap_reader *r = (struct pcap_reader *)cap;
	int n;

	r->pkt = pkt;
	n = dispatch(r, 1, deliver);
	return G_LIKELY(n == 1) ? CAPTURE_PACKET : no_more(r, n);
}

static enum capture_result pcap_each(struct capture *cap, capture_do *what, void *user)
{
	struct pcap_reader *r = (struct pcap_reader *)cap;
	int n;

	r->what = what;
	r->user = user;
	n = dispatch(r, -1, deliver_each);
	if (!r->stopped)
		return no_more(r, n);
	r->stopped = false;
	return r->result;
}

static void pcap_reader_free(struct capture *cap)
{
	struct pcap_reader *r = (struct pcap_reader *)cap;

	if (r->handle)
		pcap_close(r->handle); /* closes the stream */
	else if (r->stream)
		fclose(r->stream);
	g_free(r->buffer);
	g_free(r);
}

static void read_file_header(struct pcap_reader *r, const struct magic *magic)
{
	/* libpcap cuts packets to the snap length, unasked; we want what is in the file. */
	uint32_t no_limit =
		r->swapped ? GUINT32_SWAP_LE_BE(CAPTURE_CAPLEN_MAX) : CAPTURE_CAPLEN_MAX;
	uint32_t link;

	r->record_header = magic->record_header;
	r->major = capture_load16(r->header + 4, r->swapped);
	r->minor = capture_load16(r->header + 6, r->swapped);
	r->iface.snaplen = capture_load32(r->header + 16, r->swapped);
	memcpy(r->header + 16, &no_limit, sizeof(no_limit));

	/* Bits 0-15 link type, 26 FCS length given, 28-31 that length in units of 16 bits */
	link = capture_load32(r->header + 20, r->swapped);
	r->iface.linktype = capture_linktype(link & 0xffff);
	if (link & 1u << 26)
		r->iface.fcs_len = (uint8_t)((link >> 28) * 2);
	r->iface.swapped = r->swapped;
	r->iface.ts_resolution = magic->resolution;
	r->iface.ns_per_tick = magic->resolution == 9 ? 1 : 1000;
}

static bool open_stream(struct pcap_reader *r)
{
	if (r->iface.snaplen == CAPTURE_CAPLEN_MAX)
		r->stream = capture_input_plain(r->base.input);
	r->base.plain = r->stream != NULL;
	if (!r->stream)
		r->stream = fopencookie(r, "r", (cookie_io_functions_t){ .read = feed });
	if (!r->stream)
		return false;
	r->buffer = g_malloc(BUFFER_SIZE);
	setvbuf(r->stream, r->buffer, _IOFBF, BUFFER_SIZE);
	/* Nobody else has this stream. */
	__fsetlocking(r->stream, FSETLOCKING_BYCALLER);
	return true;
}

struct capture *capture_pcap_open(struct capture_input *input, GError **err)
{
	struct pcap_reader *r = g_new0(struct pcap_reader, 1);
	char why[PCAP_ERRBUF_SIZE] = "no memory for a stream";
	const struct magic *magic;

	capture_init(&r->base, CAPTURE_FORMAT_PCAP, input);
	r->base.read = pcap_read;
	r->base.each = pcap_each;
	r->base.close = pcap_reader_free;
	memcpy(r->header, capture_input_need(input, FILE_HEADER), FILE_HEADER);
	capture_input_advance(input, FILE_HEADER);
	magic = find_magic(r->header, &r->swapped);
	read_file_header(r, magic);
	g_array_append_val(r->base.interfaces, r->iface);
	r->base.offset = FILE_HEADER;

	if (open_stream(r))
		r->handle = pcap_fopen_offline_with_tstamp_precision(
			r->stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (r->handle)
		return &r->base;
	g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, "%s: no readable pcap: %s",
		    input->name, why);
	g_array_free(r->base.interfaces, TRUE);
	pcap_reader_free(&r->base);
	return NULL;
}
