/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap_write.c - a pcap, packet by packet. */
#include <errno.h>
#include <string.h>

#include <glib.h>

#include "pcap_write.h"

#define NS_PER_S 1000000000u

void capture_pcap_write_open(struct capture_pcap_writer *w, FILE *out)
{
	memset(w, 0, sizeof(*w));
	w->out = out;
}

static void put(struct capture_pcap_writer *w, const void *p, size_t n)
{
	if (!w->error && n && fwrite(p, n, 1, w->out) != 1)
		w->error = errno;
}

static uint32_t in_order(const struct capture_pcap_writer *w, uint32_t v)
{
	return w->kind.swapped ? GUINT32_SWAP_LE_BE(v) : v;
}

static uint16_t in_order16(const struct capture_pcap_writer *w, uint16_t v)
{
	if (w->kind.swapped)
		return GUINT16_SWAP_LE_BE(v);
	return v;
}

/* Above the link type: bit 26 says that bits 28 to 31 hold the length, in units of 2 bytes. */
static uint32_t fcs_bits(uint8_t fcs_len)
{
	return fcs_len ? 1u << 26 | (uint32_t)fcs_len / 2 << 28 : 0;
}

void capture_pcap_write_kind(struct capture_pcap_writer *w, const struct capture_pcap_kind *kind)
{
	struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, linktype;
	} head = { 0 };

	w->kind = *kind;
	head.magic =
		in_order(w, kind->microseconds ? CAPTURE_PCAP_MAGIC_US : CAPTURE_PCAP_MAGIC_NS);
	head.major = in_order16(w, 2);
	head.minor = in_order16(w, 4);
	head.snaplen = in_order(w, kind->snaplen);
	head.linktype = in_order(w, kind->linktype | fcs_bits(kind->fcs_len));
	put(w, &head, sizeof(head));
}

void capture_pcap_write_packet(struct capture_pcap_writer *w, uint64_t time_ns, const uint8_t *data,
			       uint32_t caplen, uint32_t len)
{
	const uint32_t ns = (uint32_t)(time_ns % NS_PER_S);
	const uint32_t head[4] = { in_order(w, (uint32_t)(time_ns / NS_PER_S)),
				   in_order(w, w->kind.microseconds ? ns / 1000 : ns),
				   in_order(w, caplen), in_order(w, len) };

	put(w, head, sizeof(head));
	put(w, data, caplen);
}

bool capture_pcap_write_close(struct capture_pcap_writer *w)
{
	if (fclose(w->out) && !w->error)
		w->error = errno;
	errno = w->error;
	return !w->error;
}
