/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap_write.h - a pcap, packet by packet. draft-ietf-opsawg-pcap */
#ifndef CAPTURE_PCAP_WRITE_H
#define CAPTURE_PCAP_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Magics, as the writer's 32-bit number. */
#define CAPTURE_PCAP_MAGIC_US 0xa1b2c3d4u
#define CAPTURE_PCAP_MAGIC_NS 0xa1b23c4du

/* What its first bytes say. */
struct capture_pcap_kind {
	uint32_t linktype;
	uint32_t snaplen;
	uint8_t fcs_len;   /* bytes, an even number up to 30; 0: not said */
	bool microseconds; /* else nanoseconds */
	bool swapped;      /* against the byte order of this machine */
};

struct capture_pcap_writer {
	FILE *out;
	struct capture_pcap_kind kind;
	int error; /* errno of the first write that failed; 0: none */
};

/* Writes to @out, which it takes over. */
void capture_pcap_write_open(struct capture_pcap_writer *w, FILE *out);

/* Comes before the packets. */
void capture_pcap_write_kind(struct capture_pcap_writer *w, const struct capture_pcap_kind *kind);

/* The seconds of @time_ns must fit 32 bits. */
void capture_pcap_write_packet(struct capture_pcap_writer *w, uint64_t time_ns, const uint8_t *data,
			       uint32_t caplen, uint32_t len);

/* False: not all of it could be written, errno says why. */
bool capture_pcap_write_close(struct capture_pcap_writer *w);

#endif /* CAPTURE_PCAP_WRITE_H */
