/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * capture_make.h - capture files made byte by byte for the tests of pcap-lint's input, good
 * ones and bad ones, in either byte order.
 */
#ifndef TESTS_CAPTURE_MAKE_H
#define TESTS_CAPTURE_MAKE_H

#include <string.h>

#include "capture/capture.h"
#include "check.h"

struct made {
	GByteArray *bytes;
	bool big_endian;
};

static inline struct made made_new(bool big_endian)
{
	return (struct made){ g_byte_array_new(), big_endian };
}

static inline void made_free(struct made *m)
{
	g_byte_array_free(m->bytes, TRUE);
	m->bytes = NULL;
}

static inline void put_raw(struct made *m, const void *p, size_t n)
{
	g_byte_array_append(m->bytes, p, (unsigned int)n);
}

/* @n low bytes of @v in the file's order */
static inline void put(struct made *m, uint64_t v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint8_t b = (uint8_t)(v >> 8 * (m->big_endian ? n - 1 - i : i));

		put_raw(m, &b, 1);
	}
}

static inline void put32_at(struct made *m, size_t at, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		m->bytes->data[at + i] = (uint8_t)(v >> 8 * (m->big_endian ? 3 - i : i));
}

static inline size_t made_len(const struct made *m)
{
	return m->bytes->len;
}

/* Bytes that tell which packet they are of, and do not compress to nothing. */
static inline uint8_t packet_byte(unsigned int packet, size_t i)
{
	uint32_t x = packet * 0x9e3779b1u ^ (uint32_t)i * 0x85ebca6bu;

	x = (x ^ x >> 15) * 0x2c1b3c6du;
	return (uint8_t)(x >> 26);
}

static inline void put_data(struct made *m, unsigned int packet, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t b = packet_byte(packet, i);

		put_raw(m, &b, 1);
	}
}

static inline bool is_packet(const struct capture_packet *pkt, unsigned int packet)
{
	for (size_t i = 0; i < pkt->caplen; i++)
		if (pkt->data[i] != packet_byte(packet, i))
			return false;
	return true;
}

/* The whole Ethernet frame with a UDP packet in it, 62 bytes, that filters can look at. */
#define FRAME_UDP 62
static inline void put_udp(struct made *m, uint8_t last_of_source, uint16_t port)
{
	uint8_t f[FRAME_UDP] = {
		[0] = 2,   [5] = 1,   [6] = 2,   [11] = 2,  [12] = 8, [14] = 0x45, [17] = 48,
		[22] = 64, [23] = 17, [26] = 10, [30] = 10, [33] = 2, [34] = 0xc0, [39] = 28
	};

	f[29] = last_of_source;
	f[36] = (uint8_t)(port >> 8);
	f[37] = (uint8_t)port;
	put_raw(m, f, sizeof(f));
}

/* Classic pcap */
static inline void put_pcap_header(struct made *m, uint32_t magic, uint32_t snaplen, uint32_t link)
{
	put(m, magic, 4);
	put(m, 2, 2);
	put(m, 4, 2);
	put(m, 0, 4);
	put(m, 0, 4);
	put(m, snaplen, 4);
	put(m, link, 4);
}

static inline void put_pcap_record(struct made *m, uint32_t sec, uint32_t frac, uint32_t caplen,
				   uint32_t len)
{
	put(m, sec, 4);
	put(m, frac, 4);
	put(m, caplen, 4);
	put(m, len, 4);
}

/* pcapng: a block is begun, filled and ended, which sets its lengths. */
static inline size_t begin_block(struct made *m, uint32_t type)
{
	put(m, type, 4);
	put(m, 0, 4);
	return made_len(m) - 8;
}

static inline void pad4(struct made *m)
{
	while (made_len(m) % 4)
		put(m, 0, 1);
}

static inline void end_block(struct made *m, size_t at)
{
	pad4(m);
	put(m, made_len(m) - at + 4, 4);
	put32_at(m, at + 4, (uint32_t)(made_len(m) - at));
}

static inline void put_option(struct made *m, uint16_t code, const void *value, uint16_t len)
{
	put(m, code, 2);
	put(m, len, 2);
	put_raw(m, value, len);
	pad4(m);
}

static inline void put_option_int(struct made *m, uint16_t code, uint64_t v, uint16_t len)
{
	put(m, code, 2);
	put(m, len, 2);
	put(m, v, len);
	pad4(m);
}

static inline void put_end_option(struct made *m)
{
	put(m, 0, 4);
}

static inline void put_section(struct made *m)
{
	size_t at = begin_block(m, 0x0a0d0d0a);

	put(m, 0x1a2b3c4d, 4);
	put(m, 1, 2);
	put(m, 0, 2);
	put(m, UINT64_MAX, 8);
	end_block(m, at);
}

static inline size_t begin_interface(struct made *m, uint16_t linktype, uint32_t snaplen)
{
	size_t at = begin_block(m, 1);

	put(m, linktype, 2);
	put(m, 0, 2);
	put(m, snaplen, 4);
	return at;
}

static inline void put_interface(struct made *m, uint16_t linktype, uint32_t snaplen)
{
	end_block(m, begin_interface(m, linktype, snaplen));
}

/* The fixed part of an enhanced packet block; the data is the caller's. */
static inline size_t begin_packet(struct made *m, uint32_t iface, uint64_t ticks, uint32_t caplen,
				  uint32_t len)
{
	size_t at = begin_block(m, 6);

	put(m, iface, 4);
	put(m, ticks >> 32, 4);
	put(m, ticks & 0xffffffff, 4);
	put(m, caplen, 4);
	put(m, len, 4);
	return at;
}

static inline void put_packet(struct made *m, unsigned int packet, uint32_t iface, uint64_t ticks,
			      uint32_t len)
{
	size_t at = begin_packet(m, iface, ticks, len, len);

	put_data(m, packet, len);
	end_block(m, at);
}

/* Reading what was made. The stream must outlive the capture. */
struct opened {
	FILE *stream;
	struct capture *cap;
};

static inline struct opened open_bytes(uint8_t *p, size_t n, GError **err)
{
	struct opened o = { .stream = fmemopen(p, n ? n : 1, "r") };

	if (!n)
		fgetc(o.stream);
	o.cap = capture_open_stream(o.stream, "made", err);
	return o;
}

/* One that must open. */
static inline struct opened open_made(const struct made *m)
{
	GError *err = NULL;
	struct opened o = open_bytes(m->bytes->data, m->bytes->len, &err);

	if (!CHECK(o.cap)) {
		fprintf(stderr, "\t%s\n", err->message);
		exit(check_end());
	}
	return o;
}

static inline void close_made(struct opened *o)
{
	capture_close(o->cap);
	fclose(o->stream);
}

/* The next is this packet, whole, as put_data() made it. */
#define NEXT_PACKET(cap, pkt, frame_, packet, caplen_)                                             \
	do {                                                                                       \
		if (CHECK_EQ(capture_next(cap, pkt), CAPTURE_PACKET)) {                            \
			CHECK_EQ((pkt)->frame, frame_);                                            \
			CHECK_EQ((pkt)->caplen, caplen_);                                          \
			CHECK(is_packet(pkt, packet));                                             \
		} else {                                                                           \
			fprintf(stderr, "\t%s\n", capture_fault(cap)->text);                       \
		}                                                                                  \
	} while (0)

#define NEXT_FAULT(cap, pkt, kind_, fatal_, frame_, offset_, needed_, had_)                        \
	do {                                                                                       \
		const struct capture_fault *fault_ = capture_fault(cap);                           \
                                                                                                   \
		if (CHECK_EQ(capture_next(cap, pkt), CAPTURE_FAULT)) {                             \
			CHECK_EQ(fault_->kind, kind_);                                             \
			CHECK_EQ(fault_->fatal, fatal_);                                           \
			CHECK_EQ(fault_->frame, frame_);                                           \
			CHECK_EQ(fault_->offset, offset_);                                         \
			CHECK_EQ(fault_->needed, needed_);                                         \
			CHECK_EQ(fault_->had, had_);                                               \
			CHECK(*fault_->text);                                                      \
		}                                                                                  \
	} while (0)

#define NEXT_END(cap, pkt)                                                                         \
	do {                                                                                       \
		CHECK_EQ(capture_next(cap, pkt), CAPTURE_END);                                     \
		CHECK_EQ(capture_next(cap, pkt), CAPTURE_END);                                     \
	} while (0)

/* Reads all there is of something that may be damaged anyhow; what must hold whatever it is.
 * The number of packets. */
static inline uint64_t read_anything(struct capture *cap, uint64_t *faults)
{
	struct capture_packet pkt = { 0 };
	uint64_t last = 0, packets = 0;
	enum capture_result result;
	volatile uint8_t sum = 0;
	bool right = true;

	while ((result = capture_next(cap, &pkt)) != CAPTURE_END) {
		if (result == CAPTURE_FAULT) {
			++*faults;
			continue;
		}
		packets++;
		right &= pkt.frame > last && pkt.caplen <= pkt.len &&
			 pkt.iface < capture_interface_count(cap);
		for (size_t i = 0; i < pkt.caplen; i++)
			sum = (uint8_t)(sum + pkt.data[i]);
		last = pkt.frame;
	}
	CHECK(right);
	CHECK(capture_frames(cap) >= last);
	return packets;
}

#endif /* TESTS_CAPTURE_MAKE_H */
