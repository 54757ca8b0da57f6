/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair_write.c - the packets of a capture, changed, as a pcapng in the byte order of this
 * machine. draft-ietf-opsawg-pcapng
 */
#include <errno.h>
#include <string.h>

#include "repair_write.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_STATISTICS 5u
#define BLOCK_PACKET 6u
#define SECTION_MAGIC 0x1a2b3c4du

#define OPTION_IF_NAME 2u
#define OPTION_IF_TSRESOL 9u
#define NANOSECONDS 9u
#define OPTION_EPB_FLAGS 2u
#define EPB_FLAGS_FCS_SHIFT 5
#define OPTION_EPB_DROPCOUNT 4u
#define OPTION_ISB_IFRECV 4u
#define OPTION_ISB_IFDROP 5u
#define OPTION_ISB_OSDROP 7u

/* The body of a block, as it grows. */
struct body {
	GByteArray *bytes;
};

static void put(struct body *b, const void *p, uint32_t n)
{
	static const uint8_t zeros[4];

	g_byte_array_append(b->bytes, p, n);
	g_byte_array_append(b->bytes, zeros, (0u - n) & 3u);
}

static void put32(struct body *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put_option(struct body *b, uint16_t code, const void *p, uint16_t n)
{
	const uint16_t head[2] = { code, n };

	put(b, head, sizeof(head));
	put(b, p, n);
}

static void put_count(struct body *b, uint16_t code, uint64_t count)
{
	put_option(b, code, &count, sizeof(count));
}

static struct body new_body(void)
{
	return (struct body){ g_byte_array_new() };
}

/* Writes the block and is done with its body. */
static void put_block(struct pl_writer *w, uint32_t type, struct body *b)
{
	const uint32_t total = 12 + b->bytes->len, head[2] = { type, total };

	if (!w->error && (fwrite(head, sizeof(head), 1, w->out) != 1 ||
			  fwrite(b->bytes->data, 1, b->bytes->len, w->out) != b->bytes->len ||
			  fwrite(&total, sizeof(total), 1, w->out) != 1))
		w->error = errno ? errno : EIO;
	g_byte_array_free(b->bytes, TRUE);
}

bool pl_write_open(struct pl_writer *w, struct pl_capture *capture, const char *path)
{
	const uint16_t version[2] = { 1, 0 };
	const uint64_t length = UINT64_MAX; /* not said */
	struct body b;

	memset(w, 0, sizeof(*w));
	w->capture = capture;
	w->out = fopen(path, "wb");
	if (!w->out)
		return false;
	w->drops = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	b = new_body();
	put32(&b, SECTION_MAGIC);
	put(&b, version, sizeof(version));
	put(&b, &length, sizeof(length));
	put_block(w, BLOCK_SECTION, &b);
	return true;
}

/* Those that came since the last packet. Times are written in nanoseconds. */
static void write_interfaces(struct pl_writer *w)
{
	static const uint8_t resolution = NANOSECONDS;
	unsigned int n = pl_capture_interface_count(w->capture);

	for (; w->interfaces < n; w->interfaces++) {
		const struct pl_interface *in = pl_capture_interface(w->capture, w->interfaces);
		const uint16_t linktype[2] = { (uint16_t)in->linktype, 0 };
		struct body b = new_body();

		put(&b, linktype, sizeof(linktype));
		put32(&b, 0); /* packets may have grown */
		if (in->name[0])
			put_option(&b, OPTION_IF_NAME, in->name, (uint16_t)strlen(in->name));
		put_option(&b, OPTION_IF_TSRESOL, &resolution, sizeof(resolution));
		put32(&b, 0);
		put_block(w, BLOCK_INTERFACE, &b);
	}
	g_array_set_size(w->drops, n);
}

/* What was lost on the interface of @record since the packet before. */
static uint64_t new_drops(struct pl_writer *w, const struct pl_packet *record)
{
	uint64_t *written = &g_array_index(w->drops, uint64_t, record->iface);
	uint64_t now = pl_capture_interface(w->capture, record->iface)->packet_drops;
	uint64_t drops = now - *written;

	*written = now;
	return drops;
}

void pl_write_packet(struct pl_writer *w, const struct pl_packet *record, const GByteArray *bytes)
{
	const uint32_t flags = (uint32_t)record->fcs_len << EPB_FLAGS_FCS_SHIFT;
	struct body b = new_body();
	uint64_t drops;

	write_interfaces(w);
	drops = new_drops(w, record);
	put32(&b, record->iface);
	put32(&b, (uint32_t)(record->time_ns >> 32));
	put32(&b, (uint32_t)record->time_ns);
	put32(&b, bytes->len);
	put32(&b, record->len + bytes->len - record->caplen);
	put(&b, bytes->data, bytes->len);
	if (flags)
		put_option(&b, OPTION_EPB_FLAGS, &flags, sizeof(flags));
	if (drops)
		put_count(&b, OPTION_EPB_DROPCOUNT, drops);
	if (flags || drops)
		put32(&b, 0);
	put_block(w, BLOCK_PACKET, &b);
}

static void write_statistics(struct pl_writer *w)
{
	unsigned int i;

	for (i = 0; i < w->interfaces; i++) {
		const struct pl_interface *in = pl_capture_interface(w->capture, i);
		struct body b;

		if (!in->has_stats)
			continue;
		b = new_body();
		put32(&b, i);
		put32(&b, 0); /* no time is known of it */
		put32(&b, 0);
		put_count(&b, OPTION_ISB_IFRECV, in->received);
		put_count(&b, OPTION_ISB_IFDROP, in->if_drops);
		put_count(&b, OPTION_ISB_OSDROP, in->os_drops);
		put32(&b, 0);
		put_block(w, BLOCK_STATISTICS, &b);
	}
}

bool pl_write_close(struct pl_writer *w)
{
	write_interfaces(w);
	write_statistics(w);
	if (fclose(w->out) && !w->error)
		w->error = errno;
	g_array_free(w->drops, TRUE);
	errno = w->error;
	return !w->error;
}
