/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture.c - opening by content, and what all file formats have in common. */
#include <string.h>

#include <ibwire/packet.h>

#include "capture.h"
#include "impl.h"

GQuark capture_error_quark(void)
{
	return g_quark_from_static_string("pl-capture-error");
}

/* Bytes every capture file has: a pcap file header. */
#define HEAD_MIN 24

/* What people take for a capture, and what to do about it. */
static const struct {
	const char *magic;
	uint8_t len;
	const char *what;
} known_others[] = {
	{ "\x02\x21\x4c\x18", 4, "lz4 data of the legacy format: decompress it first" },
	{ "PK\x03\x04", 4, "a zip archive: unpack it first" },
	{ "snoop\0\0\0", 8, "a Solaris snoop file: convert it with editcap" },
	{ "GMBU", 4, "a Microsoft Network Monitor file: convert it with editcap" },
	{ "RTSS", 4, "a Microsoft Network Monitor file: convert it with editcap" },
	{ "\xa1\xb2\x34\xcd", 4, "a pcap variant libpcap does not read: convert it with editcap" },
	{ "\xcd\x34\xb2\xa1", 4, "a pcap variant libpcap does not read: convert it with editcap" },
	{ "\x7f\x45LF", 4, "a program" },
};

static void no_capture(const struct capture_input *in, GError **err)
{
	const uint8_t *head = in->window + in->start;
	size_t n = in->end - in->start;
	const char *of = in->decoder ? in->decoder->name : "";
	const char *gap = in->decoder ? " data: " : "";
	GString *hex = g_string_new(NULL);
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(known_others); i++)
		if (n >= known_others[i].len &&
		    memcmp(head, known_others[i].magic, known_others[i].len) == 0)
			break;
	for (size_t at = 0; at < MIN(n, 8); at++)
		g_string_append_printf(hex, "%s%02x", at ? " " : "", head[at]);

	if (in->failure)
		g_set_error(err, CAPTURE_ERROR,
			    in->failure == CAPTURE_INPUT_STOPPED ? CAPTURE_ERROR_STOPPED
								 : CAPTURE_ERROR_OPEN,
			    "%s: %s", in->name, in->why);
	else if (n == 0)
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, "%s: %s%sempty", in->name, of,
			    gap);
	else if (i < G_N_ELEMENTS(known_others))
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: %s%sno pcap or pcapng, but %s", in->name, of, gap,
			    known_others[i].what);
	else if (n >= 4 && (capture_pcap_matches(head) || capture_pcapng_matches(head)))
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: %s%scut within the file header, after byte %zu", in->name, of, gap,
			    n);
	else
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: %s%sno pcap or pcapng: it starts with %s", in->name, of, gap,
			    hex->str);
	g_string_free(hex, TRUE);
}

static struct capture *open_input(struct capture_input *in, GError **err)
{
	struct capture *cap = NULL;
	const uint8_t *head;
	bool whole;

	if (!in)
		return NULL;
	whole = capture_input_fill(in, HEAD_MIN) >= HEAD_MIN;
	head = in->window + in->start;
	if (whole && capture_pcapng_matches(head))
		cap = capture_pcapng_open(in, err);
	else if (whole && capture_pcap_matches(head))
		cap = capture_pcap_open(in, err);
	else
		no_capture(in, err);
	if (!cap)
		capture_input_close(in);
	return cap;
}

struct capture *capture_open(const char *path, const struct capture_options *options, GError **err)
{
	return open_input(capture_input_open(path, options, err), err);
}

struct capture *capture_open_stream(FILE *stream, const char *name, GError **err)
{
	return open_input(capture_input_open_stream(stream, name, err), err);
}

void capture_init(struct capture *cap, enum capture_format format, struct capture_input *input)
{
	cap->format = format;
	cap->input = input;
	cap->interfaces = g_array_new(FALSE, TRUE, sizeof(struct capture_interface));
}

void capture_close(struct capture *cap)
{
	struct capture_input *input;

	if (!cap)
		return;
	input = cap->input;
	g_array_free(cap->interfaces, TRUE);
	capture_filter_free(cap->filter);
	g_free(cap);
	capture_input_close(input);
}

uint32_t capture_linktype(uint32_t in_file)
{
	/* DLT_RAW is 12, on OpenBSD 14; LINKTYPE_RAW is 101. */
	return in_file == 12 || in_file == 14 ? IBW_LINKTYPE_RAW : in_file;
}

static void set_fault(struct capture *cap, enum capture_fault_kind kind, uint64_t needed,
		      uint64_t had, const char *format, va_list ap)
{
	struct capture_fault *fault = &cap->fault;

	fault->kind = kind;
	fault->needed = needed;
	fault->had = had;
	g_vsnprintf(fault->text, sizeof(fault->text), format, ap);
}

enum capture_result capture_fail(struct capture *cap, enum capture_fault_kind kind, bool fatal,
				 uint64_t needed, uint64_t had, const char *format, ...)
{
	va_list ap;

	cap->fault.fatal = fatal;
	cap->fault.frame = cap->frame + 1;
	cap->fault.offset = cap->offset;
	va_start(ap, format);
	set_fault(cap, kind, needed, had, format, ap);
	va_end(ap);
	return CAPTURE_FAULT;
}

enum capture_result capture_doubt(struct capture *cap, const struct capture_packet *pkt,
				  enum capture_fault_kind kind, uint64_t needed, uint64_t had,
				  const char *format, ...)
{
	va_list ap;

	cap->fault.fatal = false;
	cap->fault.frame = pkt->frame;
	cap->fault.offset = cap->packet_offset;
	va_start(ap, format);
	set_fault(cap, kind, needed, had, format, ap);
	va_end(ap);
	return CAPTURE_FAULT;
}

enum capture_result capture_cut(struct capture *cap, const char *what, uint64_t needed,
				uint64_t had)
{
	static const enum capture_fault_kind kinds[] = {
		[CAPTURE_INPUT_FINE] = CAPTURE_FAULT_TRUNCATED,
		[CAPTURE_INPUT_CUT] = CAPTURE_FAULT_TRUNCATED,
		[CAPTURE_INPUT_DAMAGED] = CAPTURE_FAULT_COMPRESSION,
		[CAPTURE_INPUT_UNREADABLE] = CAPTURE_FAULT_READ,
		[CAPTURE_INPUT_LIMIT] = CAPTURE_FAULT_LIMIT,
	};
	const struct capture_input *in = cap->input;

	if (in->failure == CAPTURE_INPUT_STOPPED)
		return CAPTURE_END;
	if (!in->failure)
		return capture_fail(cap, CAPTURE_FAULT_TRUNCATED, true, needed, had,
				    "the file ends within a %s: %" PRIu64 " bytes needed, %" PRIu64
				    " left",
				    what, needed, had);
	return capture_fail(cap, kinds[in->failure], true, needed, had, "%s%s",
			    in->failure == CAPTURE_INPUT_UNREADABLE ? "cannot read on: " : "",
			    in->why);
}

/* More bytes captured than there were: the bytes are there, so the other number is wrong. */
void capture_longer_than_wire(struct capture *cap, const struct capture_packet *pkt)
{
	cap->held = *pkt;
	cap->held.len = pkt->caplen;
	cap->holds = true;
	capture_doubt(cap, pkt, CAPTURE_FAULT_LENGTH, pkt->caplen, pkt->len,
		      "%u bytes captured of a packet of %u", pkt->caplen, pkt->len);
}

enum capture_result capture_next(struct capture *cap, struct capture_packet *pkt)
{
	for (;;) {
		if (G_UNLIKELY(cap->holds)) {
			*pkt = cap->held;
			cap->holds = false;
		} else {
			enum capture_result result;

			if (G_UNLIKELY(cap->ended))
				return CAPTURE_END;
			result = cap->format == CAPTURE_FORMAT_PCAP ? capture_pcap_read(cap, pkt)
								    : capture_pcapng_read(cap, pkt);
			if (G_UNLIKELY(result != CAPTURE_PACKET)) {
				cap->ended = result == CAPTURE_END ||
					     (result == CAPTURE_FAULT && cap->fault.fatal);
				return result;
			}
		}
		switch (capture_check(cap, pkt)) {
		case CAPTURE_FILTERED_IN:
			return CAPTURE_PACKET;
		case CAPTURE_FILTERED_FAULT:
			return CAPTURE_FAULT;
		case CAPTURE_FILTERED_OUT:
			if (cap->shows_left_out)
				return CAPTURE_LEFT_OUT;
			break;
		}
	}
}

bool capture_filter(struct capture *cap, const char *expression, GError **err)
{
	struct capture_filter *filter = capture_filter_new(cap, expression, err);

	if (!filter)
		return false;
	capture_filter_free(cap->filter);
	cap->filter = filter;
	return true;
}

void capture_show_left_out(struct capture *cap)
{
	cap->shows_left_out = true;
}

const struct capture_fault *capture_fault(const struct capture *cap)
{
	return &cap->fault;
}

unsigned int capture_interface_count(const struct capture *cap)
{
	return cap->interfaces->len;
}

const struct capture_interface *capture_interface(const struct capture *cap, unsigned int i)
{
	return i < cap->interfaces->len ? capture_interface_at(cap, i) : NULL;
}

enum capture_format capture_format(const struct capture *cap)
{
	return cap->format;
}

const char *capture_format_name(const struct capture *cap)
{
	return cap->format == CAPTURE_FORMAT_PCAP ? "pcap" : "pcapng";
}

const char *capture_compression(const struct capture *cap)
{
	return cap->input->decoder ? cap->input->decoder->name : NULL;
}

bool capture_block(const struct capture *cap, struct capture_block *block)
{
	*block = cap->block;
	return block->length > 0;
}

void capture_windows(struct capture *cap, uint8_t *(*next)(void *user),
		     bool (*wait)(void *user, int fd), void *user)
{
	cap->input->next_window = next;
	cap->input->windows_user = user;
	cap->input->options.wait = wait;
	cap->input->options.user = user;
}

bool capture_is_part(const struct capture *cap)
{
	return cap->is_part;
}

uint64_t capture_frames(const struct capture *cap)
{
	return cap->frame;
}

bool capture_record(const struct capture *cap, uint64_t *offset, uint64_t *bytes)
{
	*offset = cap->packet_offset;
	*bytes = cap->offset - cap->packet_offset;
	return !cap->input->decoder;
}

uint64_t capture_position(const struct capture *cap)
{
	return cap->input->position - cap->input->rest.left;
}

bool capture_is_live(const struct capture *cap)
{
	return cap->input->live;
}

uint64_t capture_size(const struct capture *cap)
{
	return cap->input->size;
}
