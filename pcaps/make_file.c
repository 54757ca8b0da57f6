/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_file.c - writing capture files: pcap (draft-ietf-opsawg-pcap) and pcapng
 * (draft-ietf-opsawg-pcapng), byte for byte the same on every machine.
 */
#include <stdlib.h>
#include <string.h>

#include "make.h"

#define SNAPLEN 262144
#define NS_PER_S 1000000000u

#define PCAP_MAGIC_US 0xa1b2c3d4
#define PCAP_MAGIC_NS 0xa1b23c4d

#define NG_SECTION 0x0a0d0d0a
#define NG_INTERFACE 1
#define NG_STATISTICS 5
#define NG_PACKET 6
#define NG_BYTE_ORDER 0x1a2b3c4d
#define NG_IF_TSRESOL 9
#define NG_ISB_IFRECV 4
#define NG_ISB_IFDROP 5
#define NG_ISB_OSDROP 7

static void put(struct mk_capture *c, const void *bytes, size_t n)
{
	if (n && fwrite(bytes, n, 1, c->file) != 1)
		mk_die("%s cannot be written", c->name);
}

static void put16(struct mk_capture *c, uint16_t v)
{
	uint8_t b[2];

	if (c->flags & MK_BIG_ENDIAN)
		ibw_put_be16(b, v);
	else
		ibw_put_le16(b, v);
	put(c, b, 2);
}

static void put32(struct mk_capture *c, uint32_t v)
{
	uint8_t b[4];

	if (c->flags & MK_BIG_ENDIAN)
		ibw_put_be32(b, v);
	else
		ibw_put_le32(b, v);
	put(c, b, 4);
}

static void begin(struct mk_capture *c, bool ng, unsigned int flags)
{
	c->ng = ng;
	c->flags = flags;
	c->frames = 0;
	c->n_ifaces = 0;
	c->time_ns = MK_TIME_FIRST - MK_TIME_STEP;
}

void mk_pcap(struct mk_capture *c, uint32_t linktype, uint32_t snaplen, unsigned int flags)
{
	begin(c, false, flags);
	c->linktype[0] = linktype;
	c->n_ifaces = 1;
	put32(c, flags & MK_NANO ? PCAP_MAGIC_NS : PCAP_MAGIC_US);
	put16(c, 2);
	put16(c, 4);
	put32(c, 0);
	put32(c, 0);
	put32(c, snaplen ? snaplen : SNAPLEN);
	put32(c, linktype);
}

void mk_pcapng(struct mk_capture *c, unsigned int flags)
{
	begin(c, true, flags);
	put32(c, NG_SECTION);
	put32(c, 28);
	put32(c, NG_BYTE_ORDER);
	put16(c, 1);
	put16(c, 0);
	put32(c, UINT32_MAX); /* the length of the section is not given */
	put32(c, UINT32_MAX);
	put32(c, 28);
}

uint32_t mk_pcapng_iface(struct mk_capture *c, uint32_t linktype, uint32_t snaplen)
{
	static const uint8_t nano[4] = { 9 };
	uint32_t bytes = c->flags & MK_NANO ? 32 : 20;

	if (c->n_ifaces == sizeof(c->linktype) / sizeof(c->linktype[0]))
		mk_die("%s: too many interfaces", c->name);
	put32(c, NG_INTERFACE);
	put32(c, bytes);
	put16(c, (uint16_t)linktype);
	put16(c, 0);
	put32(c, snaplen ? snaplen : SNAPLEN);
	if (c->flags & MK_NANO) {
		put16(c, NG_IF_TSRESOL);
		put16(c, 1);
		put(c, nano, 4);
		put32(c, 0); /* end of options */
	}
	put32(c, bytes);
	c->linktype[c->n_ifaces] = linktype;
	return c->n_ifaces++;
}

/* Time as a pcapng has it: two halves of a count of the interface's units. */
static void put_ng_time(struct mk_capture *c)
{
	uint64_t units = c->flags & MK_NANO ? c->time_ns : c->time_ns / 1000;

	put32(c, (uint32_t)(units >> 32));
	put32(c, (uint32_t)units);
}

static void put_option64(struct mk_capture *c, uint16_t code, uint64_t v)
{
	uint8_t b[8];

	put16(c, code);
	put16(c, 8);
	if (c->flags & MK_BIG_ENDIAN)
		ibw_put_be64(b, v);
	else
		ibw_put_le64(b, v);
	put(c, b, 8);
}

void mk_pcapng_stats(struct mk_capture *c, uint32_t iface, uint64_t received, uint64_t ifdrop,
		     uint64_t osdrop)
{
	put32(c, NG_STATISTICS);
	put32(c, 64);
	put32(c, iface);
	put_ng_time(c);
	put_option64(c, NG_ISB_IFRECV, received);
	put_option64(c, NG_ISB_IFDROP, ifdrop);
	put_option64(c, NG_ISB_OSDROP, osdrop);
	put32(c, 0);
	put32(c, 64);
}

/* The captured bytes; an ERF record has the time of its frame in it. */
static void put_packet(struct mk_capture *c, const struct mk_packet *p)
{
	uint8_t ts[8];
	uint32_t n = p->linktype == IBW_LINKTYPE_ERF && p->caplen >= sizeof(ts) ? sizeof(ts) : 0;

	ibw_put_le32(ts, (uint32_t)((c->time_ns % NS_PER_S << 32) / NS_PER_S));
	ibw_put_le32(ts + 4, (uint32_t)(c->time_ns / NS_PER_S));
	put(c, ts, n);
	put(c, p->b + n, p->caplen - n);
}

static void put_ng_packet(struct mk_capture *c, const struct mk_packet *p, uint32_t iface)
{
	static const uint8_t zeros[4];
	uint32_t pad = -p->caplen & 3, bytes = 32 + p->caplen + pad;

	put32(c, NG_PACKET);
	put32(c, bytes);
	put32(c, iface);
	put_ng_time(c);
	put32(c, p->caplen);
	put32(c, p->len);
	put_packet(c, p);
	put(c, zeros, pad);
	put32(c, bytes);
}

static void put_record_header(struct mk_capture *c, uint32_t caplen, uint32_t len)
{
	put32(c, (uint32_t)(c->time_ns / NS_PER_S));
	put32(c, (uint32_t)(c->time_ns % NS_PER_S / (c->flags & MK_NANO ? 1 : 1000)));
	put32(c, caplen);
	put32(c, len);
}

void mk_put_record(struct mk_capture *c, uint32_t caplen, uint32_t len, const void *bytes,
		   uint32_t n)
{
	c->frames++;
	c->time_ns += MK_TIME_STEP;
	put_record_header(c, caplen, len);
	put(c, bytes, n);
}

void mk_put_at(struct mk_capture *c, const struct mk_packet *p, uint32_t iface, uint64_t time_ns)
{
	if (iface >= c->n_ifaces || c->linktype[iface] != p->linktype)
		mk_die("%s: a packet of link type %u has no interface", c->name, p->linktype);
	c->time_ns = time_ns;
	c->frames++;
	if (c->ng) {
		put_ng_packet(c, p, iface);
	} else {
		put_record_header(c, p->caplen, p->len);
		put_packet(c, p);
	}
}

void mk_put(struct mk_capture *c, const struct mk_packet *p)
{
	uint32_t iface = 0;

	while (iface + 1 < c->n_ifaces && c->linktype[iface] != p->linktype)
		iface++;
	mk_put_at(c, p, iface, c->time_ns + MK_TIME_STEP);
}

/* Opens @name, or with @suffix the file of that name with its extension replaced. */
static FILE *open_file(const char *name, const char *suffix)
{
	const char *dot = strrchr(name, '.');
	int stem = (int)(suffix && dot ? (size_t)(dot - name) : strlen(name));
	char path[256];
	FILE *file;

	if (snprintf(path, sizeof(path), "%.*s%s", stem, name, suffix ? suffix : "") >=
	    (int)sizeof(path))
		mk_die("%s: the name is too long", name);
	file = fopen(path, "wb");
	if (!file)
		mk_die("%s cannot be created", path);
	return file;
}

void mk_file_begin(struct mk_capture *c, const char *name, bool expect)
{
	memset(c, 0, sizeof(*c));
	c->name = name;
	c->file = open_file(name, NULL);
	if (expect)
		c->expect = open_file(name, ".expect");
}

void mk_file_end(struct mk_capture *c)
{
	bool bad = ferror(c->file) != 0;

	bad |= fclose(c->file) != 0;
	if (c->expect)
		bad |= fclose(c->expect) != 0;
	if (bad)
		mk_die("%s cannot be written", c->name);
}
