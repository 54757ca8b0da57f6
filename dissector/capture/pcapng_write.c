/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcapng_write.c - the packets of a capture as a pcapng of one section, in the byte order of
 * this machine. Interfaces have the numbers they have in the capture.
 */
#include <errno.h>
#include <string.h>

#include "pcapng.h"
#include "pcapng_write.h"

/* Where a block has its length for the first time. */
#define LENGTH_AT 4u

static void put(struct capture_pcapng_writer *w, const void *p, uint32_t n)
{
	static const uint8_t zeros[4];

	g_byte_array_append(w->block, p, n);
	g_byte_array_append(w->block, zeros, (0u - n) & 3u);
}

static void put32(struct capture_pcapng_writer *w, uint32_t v)
{
	put(w, &v, sizeof(v));
}

static void put_option(struct capture_pcapng_writer *w, uint16_t code, const void *p, uint16_t n)
{
	const uint16_t head[2] = { code, n };

	put(w, head, sizeof(head));
	put(w, p, n);
}

static void put_count(struct capture_pcapng_writer *w, uint16_t code, uint64_t count)
{
	put_option(w, code, &count, sizeof(count));
}

static void begin_block(struct capture_pcapng_writer *w, uint32_t type)
{
	g_byte_array_set_size(w->block, 0);
	put32(w, type);
	put32(w, 0); /* the length, which end_block() knows */
}

static void end_block(struct capture_pcapng_writer *w)
{
	const uint32_t length = w->block->len + (uint32_t)sizeof(length);

	put32(w, length);
	memcpy(w->block->data + LENGTH_AT, &length, sizeof(length));
	if (!w->error && fwrite(w->block->data, w->block->len, 1, w->out) != 1)
		w->error = errno ? errno : EIO;
}

void capture_pcapng_write_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			       bool changed)
{
	const uint16_t version[2] = { 1, 0 };
	const uint64_t length = UINT64_MAX; /* not said */

	memset(w, 0, sizeof(*w));
	w->capture = capture;
	w->changed = changed;
	w->out = out;
	w->block = g_byte_array_new();
	w->drops = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	begin_block(w, BLOCK_SHB);
	put32(w, BYTE_ORDER_MAGIC);
	put(w, version, sizeof(version));
	put(w, &length, sizeof(length));
	end_block(w);
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
	const uint16_t linktype[2] = { (uint16_t)in->linktype, 0 };
	const uint8_t tsresol = in->ts_resolution, fcs_bits = (uint8_t)(in->fcs_len * 8);

	begin_block(w, BLOCK_IDB);
	put(w, linktype, sizeof(linktype));
	put32(w, snaplen(w, in));
	if (in->name[0])
		put_option(w, IF_NAME, in->name, (uint16_t)strlen(in->name));
	put_option(w, IF_TSRESOL, &tsresol, sizeof(tsresol));
	if (in->ts_offset)
		put_option(w, IF_TSOFFSET, &in->ts_offset, sizeof(in->ts_offset));
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

static void write_enhanced(struct capture_pcapng_writer *w, const struct capture_interface *in,
			   const struct capture_packet *pkt)
{
	const uint64_t time = ticks(w, in, pkt), drops = new_drops(w, pkt);
	const uint32_t flags = epb_flags(pkt);

	begin_block(w, BLOCK_EPB);
	put32(w, pkt->iface);
	put32(w, (uint32_t)(time >> 32));
	put32(w, (uint32_t)time);
	put32(w, pkt->caplen);
	put32(w, pkt->len);
	put(w, pkt->data, pkt->caplen);
	if (flags)
		put_option(w, EPB_FLAGS, &flags, sizeof(flags));
	if (drops)
		put_count(w, EPB_DROPCOUNT, drops);
	if (flags || drops)
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
	const struct capture_interface *in = capture_interface(w->capture, pkt->iface);

	write_interfaces(w);
	if (fits_simple(w, in, pkt))
		write_simple(w, pkt);
	else
		write_enhanced(w, in, pkt);
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

	write_interfaces(w);
	for (i = 0; i < w->interfaces; i++)
		write_statistics(w, i);
	if (fclose(w->out) && !w->error)
		w->error = errno;
	g_byte_array_free(w->block, TRUE);
	g_array_free(w->drops, TRUE);
	errno = w->error;
	return !w->error;
}
