/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcapng_write.c - the packets of a capture as a pcapng of one section, in the byte order of
 * this machine, where interfaces have the numbers they have in the capture; or the blocks of a
 * pcapng as they are, with comments more.
 */
#include <errno.h>
#include <string.h>

#include "pcapng_options.h"
#include "pcapng_write.h"

/* Where a block has its length for the first time. */
#define LENGTH_AT 4u

/* Where that of a section is, in its header. */
#define SECTION_LENGTH_AT 16u

static void put(struct capture_pcapng_writer *w, const void *p, uint32_t n)
{
	static const uint8_t zeros[4];

	g_byte_array_append(w->block, p, n);
	g_byte_array_append(w->block, zeros, (0u - n) & 3u);
}

/* In the byte order of the section: what the reader swaps is swapped. */
static uint32_t ordered32(const struct capture_pcapng_writer *w, uint32_t v)
{
	return capture_load32((const uint8_t *)&v, w->swapped);
}

static uint64_t ordered64(const struct capture_pcapng_writer *w, uint64_t v)
{
	return capture_load64((const uint8_t *)&v, w->swapped);
}

/* Two numbers of 16 bits. */
static void put16s(struct capture_pcapng_writer *w, uint16_t a, uint16_t b)
{
	const uint16_t v[2] = { capture_load16((const uint8_t *)&a, w->swapped),
				capture_load16((const uint8_t *)&b, w->swapped) };

	put(w, v, sizeof(v));
}

static void put32(struct capture_pcapng_writer *w, uint32_t v)
{
	v = ordered32(w, v);
	put(w, &v, sizeof(v));
}

static void put_option(struct capture_pcapng_writer *w, uint16_t code, const void *p, uint16_t n)
{
	put16s(w, code, n);
	put(w, p, n);
}

static void put_count(struct capture_pcapng_writer *w, uint16_t code, uint64_t count)
{
	count = ordered64(w, count);
	put_option(w, code, &count, sizeof(count));
}

/* As much of each as an option may have, in whole characters. */
static void put_comments(struct capture_pcapng_writer *w, const struct capture_comments *comments)
{
	unsigned int i;
	size_t n;

	for (i = 0; i < comments->n; i++) {
		n = strlen(comments->text[i]);
		if (n > UINT16_MAX) {
			n = UINT16_MAX;
			while (n && (comments->text[i][n] & 0xc0) == 0x80)
				n--;
		}
		put_option(w, OPTION_COMMENT, comments->text[i], (uint16_t)n);
	}
}

static void begin_block(struct capture_pcapng_writer *w, uint32_t type)
{
	g_byte_array_set_size(w->block, 0);
	put32(w, type);
	put32(w, 0); /* the length, which end_block() knows */
}

static void end_block(struct capture_pcapng_writer *w)
{
	const uint32_t length = ordered32(w, w->block->len + (uint32_t)sizeof(length));

	put(w, &length, sizeof(length));
	memcpy(w->block->data + LENGTH_AT, &length, sizeof(length));
	w->begun = true;
	if (!w->error && fwrite(w->block->data, w->block->len, 1, w->out) != 1)
		w->error = errno ? errno : EIO;
}

static void init(struct capture_pcapng_writer *w, struct capture *capture, FILE *out)
{
	memset(w, 0, sizeof(*w));
	w->capture = capture;
	w->out = out;
	w->block = g_byte_array_new();
	w->drops = g_array_new(FALSE, TRUE, sizeof(uint64_t));
}

static void write_section(struct capture_pcapng_writer *w, const struct capture_comments *comments)
{
	const uint64_t length = UINT64_MAX; /* not said */

	begin_block(w, BLOCK_SHB);
	put32(w, BYTE_ORDER_MAGIC);
	put16s(w, 1, 0); /* version */
	put(w, &length, sizeof(length));
	put_comments(w, comments);
	if (comments->n)
		put32(w, 0);
	end_block(w);
}

static const struct capture_comments no_comments;

void capture_pcapng_write_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			       bool changed)
{
	init(w, capture, out);
	w->changed = changed;
	write_section(w, &no_comments);
}

void capture_pcapng_copy_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			      const struct capture_comments *comments)
{
	init(w, capture, out);
	w->copies = capture_format(capture) == CAPTURE_FORMAT_PCAPNG;
	w->comments = *comments;
	if (w->copies)
		return;
	w->swapped = capture_interface(capture, 0)->swapped;
	write_section(w, comments);
}

/* Of a pcapng times stay as they are there, with resolution and offset; a pcap has no others than these. */
static uint64_t ticks(const struct capture_pcapng_writer *w, const struct capture_interface *in,
		      const struct capture_packet *pkt)
{
	if (!pkt->has_time)
		return 0;
	if (capture_format(w->capture) == CAPTURE_FORMAT_PCAPNG)
		return pkt->ticks;
	return pkt->time_ns / in->ns_per_tick;
}

static uint32_t snaplen(const struct capture_pcapng_writer *w, const struct capture_interface *in)
{
	return w->changed ? 0 : in->snaplen;
}

static void write_interface(struct capture_pcapng_writer *w, const struct capture_interface *in)
{
	const uint64_t ts_offset = ordered64(w, (uint64_t)in->ts_offset);
	const uint8_t tsresol = in->ts_resolution, fcs_bits = (uint8_t)(in->fcs_len * 8);

	begin_block(w, BLOCK_IDB);
	put16s(w, (uint16_t)in->linktype, 0);
	put32(w, snaplen(w, in));
	if (in->name[0])
		put_option(w, IF_NAME, in->name, (uint16_t)strlen(in->name));
	put_option(w, IF_TSRESOL, &tsresol, sizeof(tsresol));
	if (ts_offset)
		put_option(w, IF_TSOFFSET, &ts_offset, sizeof(ts_offset));
	if (fcs_bits)
		put_option(w, IF_FCSLEN, &fcs_bits, sizeof(fcs_bits));
	put32(w, 0);
	end_block(w);
}

/* Those that came since the last packet. */
static void write_interfaces(struct capture_pcapng_writer *w)
{
	unsigned int n = capture_interface_count(w->capture);

	for (; w->interfaces < n; w->interfaces++)
		write_interface(w, capture_interface(w->capture, w->interfaces));
	g_array_set_size(w->drops, n);
}

/* What was lost on the interface of @pkt since the packet before. */
static uint64_t new_drops(struct capture_pcapng_writer *w, const struct capture_packet *pkt)
{
	uint64_t *written = &g_array_index(w->drops, uint64_t, pkt->iface);
	uint64_t now = capture_interface(w->capture, pkt->iface)->packet_drops;
	uint64_t drops = now - *written;

	*written = now;
	return drops;
}

/* Readers differ on whether if_fcslen has bits, as the draft says, or bytes; this goes before it. */
static uint32_t epb_flags(const struct capture_packet *pkt)
{
	if (pkt->fcs_len > EPB_FLAGS_FCS_MAX)
		return 0;
	return (uint32_t)pkt->fcs_len << EPB_FLAGS_FCS_SHIFT;
}

/* Up to its options. */
static void begin_enhanced(struct capture_pcapng_writer *w, uint32_t iface, uint64_t time,
			   const struct capture_packet *pkt)
{
	begin_block(w, BLOCK_EPB);
	put32(w, iface);
	put32(w, (uint32_t)(time >> 32));
	put32(w, (uint32_t)time);
	put32(w, pkt->caplen);
	put32(w, pkt->len);
	put(w, pkt->data, pkt->caplen);
}

static void write_enhanced(struct capture_pcapng_writer *w, const struct capture_interface *in,
			   const struct capture_packet *pkt,
			   const struct capture_comments *comments)
{
	const uint64_t drops = new_drops(w, pkt);
	const uint32_t flags = ordered32(w, epb_flags(pkt));

	begin_enhanced(w, pkt->iface, ticks(w, in, pkt), pkt);
	if (flags)
		put_option(w, EPB_FLAGS, &flags, sizeof(flags));
	if (drops)
		put_count(w, EPB_DROPCOUNT, drops);
	put_comments(w, comments);
	if (flags || drops || comments->n)
		put32(w, 0);
	end_block(w);
}

/* A simple packet block has no time; nor has it an interface or a captured length. */
static bool fits_simple(const struct capture_pcapng_writer *w, const struct capture_interface *in,
			const struct capture_packet *pkt)
{
	const uint32_t limit = snaplen(w, in);

	return !pkt->has_time && pkt->iface == 0 && pkt->fcs_len == in->fcs_len &&
	       pkt->caplen == (limit ? MIN(pkt->len, limit) : pkt->len);
}

static void write_simple(struct capture_pcapng_writer *w, const struct capture_packet *pkt)
{
	begin_block(w, BLOCK_SPB);
	put32(w, pkt->len);
	put(w, pkt->data, pkt->caplen);
	end_block(w);
}

void capture_pcapng_write_packet(struct capture_pcapng_writer *w, const struct capture_packet *pkt)
{
	capture_pcapng_write_commented(w, pkt, &no_comments);
}

void capture_pcapng_write_commented(struct capture_pcapng_writer *w,
				    const struct capture_packet *pkt,
				    const struct capture_comments *comments)
{
	const struct capture_interface *in = capture_interface(w->capture, pkt->iface);

	write_interfaces(w);
	if (!comments->n && fits_simple(w, in, pkt))
		write_simple(w, pkt);
	else
		write_enhanced(w, in, pkt, comments);
}

/* Where the options of a block begin; 0: it has none that we know of. */
static uint32_t options_at(const struct capture_block *block)
{
	uint32_t at = 0;

	switch (block->type) {
	case BLOCK_SHB:
		at = 24;
		break;
	case BLOCK_IDB:
		at = 16;
		break;
	case BLOCK_ISB:
		at = 20;
		break;
	case BLOCK_EPB:
	case BLOCK_PB:
		at = capture_load32(block->bytes + 20, block->swapped);
		at = at < block->length ? 28 + pcapng_padded(at) : 0;
		break;
	}
	return at <= block->length - 4 ? at : 0;
}

static struct pcapng_options options_of(const struct capture_block *block)
{
	const uint32_t at = options_at(block);

	return (struct pcapng_options){ .p = block->bytes + at,
					.left = at ? block->length - 4 - at : 0,
					.swapped = block->swapped };
}

bool capture_block_comment(const struct capture_block *block, struct capture_comment *comment)
{
	struct pcapng_options o = options_of(block);

	while (pcapng_next_option(&o) == OPTION_HERE) {
		if (o.code != OPTION_COMMENT || o.value <= (const uint8_t *)comment->text)
			continue;
		comment->text = (const char *)o.value;
		comment->len = o.len;
		return true;
	}
	return false;
}

/* The block at hand up to the end of its options, as far as they are well-formed; false: its comments make it too long. */
static bool copy_options(struct capture_pcapng_writer *w, const struct capture_block *block,
			 const uint8_t *end, const struct capture_comments *comments)
{
	const uint32_t at = options_at(block), n = (uint32_t)(end - block->bytes);

	w->swapped = block->swapped;
	g_byte_array_set_size(w->block, 0);
	g_byte_array_append(w->block, block->bytes, n);
	put_comments(w, comments);
	if (n > at || comments->n)
		put32(w, 0);
	return w->block->len < BLOCK_MAX || !comments->n;
}

void capture_pcapng_copy_block(struct capture_pcapng_writer *w, const struct capture_block *block,
			       const struct capture_packet *pkt,
			       const struct capture_comments *comments)
{
	struct pcapng_options o = options_of(block);
	enum pcapng_stepped step;

	if (block->type == BLOCK_SPB && comments->n) { /* which has no options */
		w->swapped = block->swapped;
		begin_enhanced(w, 0, 0, pkt);
		put_comments(w, comments);
		put32(w, 0);
		end_block(w);
		return;
	}
	while ((step = pcapng_next_option(&o)) == OPTION_HERE)
		;
	if (!options_at(block) || (!comments->n && step == OPTIONS_END) ||
	    !copy_options(w, block, o.p, comments)) {
		g_byte_array_set_size(w->block, 0);
		g_byte_array_append(w->block, block->bytes, block->length - 4);
		w->swapped = block->swapped;
	}
	if (block->type == BLOCK_SHB) /* its length is another now, and not said */
		memset(w->block->data + SECTION_LENGTH_AT, 0xff, sizeof(uint64_t));
	end_block(w);
}

static void write_statistics(struct capture_pcapng_writer *w, unsigned int i)
{
	const struct capture_interface *in = capture_interface(w->capture, i);

	if (!in->has_stats)
		return;
	begin_block(w, BLOCK_ISB);
	put32(w, i);
	put32(w, 0); /* no time is known of it */
	put32(w, 0);
	put_count(w, ISB_IFRECV, in->received);
	put_count(w, ISB_IFDROP, in->if_drops);
	put_count(w, ISB_OSDROP, in->os_drops);
	put32(w, 0);
	end_block(w);
}

bool capture_pcapng_write_close(struct capture_pcapng_writer *w)
{
	unsigned int i;

	if (!w->copies)
		write_interfaces(w);
	if (!w->begun) /* not a block could be copied: a pcapng has a section all the same */
		write_section(w, &w->comments);
	for (i = 0; i < w->interfaces; i++)
		write_statistics(w, i);
	if (fclose(w->out) && !w->error)
		w->error = errno;
	g_byte_array_free(w->block, TRUE);
	g_array_free(w->drops, TRUE);
	errno = w->error;
	return !w->error;
}
