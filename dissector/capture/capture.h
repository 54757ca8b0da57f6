/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - packets out of capture files, one after the other.
 *
 * libpcap compiles and runs the filters; the readers are our own. libpcap's costs a quarter of the
 * work on an ACK-size packet, stops at interfaces of a pcapng with different link types, and
 * hides what the capturing host says it dropped. Files may be compressed with gzip, zstd, lz4, xz or bzip2.
 * All of this is recognised by content, never by name, and streamed: memory does not grow with the file.
 *
 *	struct capture *cap = capture_open(path, NULL, &err);
 *	struct capture_packet pkt;
 *
 *	for (;;) {
 *		switch (capture_next(cap, &pkt)) {
 *		case CAPTURE_PACKET: ... pkt ...; continue;
 *		case CAPTURE_FAULT:	... capture_fault(cap) ...; continue;
 *		case CAPTURE_END:	break;
 *		}
 *		break;
 *	}
 *	capture_close(cap);
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>

/* No packet is longer than this or the interface's snap length, whichever is more. It is what
 * libpcap takes, and what dumpcap and tcpdump write by default. */
#define CAPTURE_CAPLEN_MAX 262144u

/* What the comment of a section begins with the packets of which were chosen by pcap-lint -w. */
#define CAPTURE_PART "pcap-lint -w: packets with findings"

/* Of all sections of a pcapng together. */
#define CAPTURE_INTERFACES_MAX 65536u

/* The domain of the errors of capture_open*() and capture_filter(). */
#define CAPTURE_ERROR capture_error_quark()
GQuark capture_error_quark(void);

enum capture_error {
	CAPTURE_ERROR_OPEN,    /* no such file, a directory, no permission, unreadable */
	CAPTURE_ERROR_FORMAT,  /* no capture, or cut within the file header */
	CAPTURE_ERROR_FILTER,  /* a filter expression libpcap does not compile */
	CAPTURE_ERROR_STOPPED, /* the caller ended it before there was enough to tell */
};

enum capture_format { CAPTURE_FORMAT_PCAP, CAPTURE_FORMAT_PCAPNG };

struct capture_packet {
	uint64_t frame;      /* from 1, over the whole file, numbered as Wireshark does: counts
				what a filter left out and what could not be delivered */
	uint64_t time_ns;    /* since 1970 UTC; 0 or UINT64_MAX if the time is out of that range */
	uint64_t ticks;      /* of a pcapng: the time as it is there, if it has_time */
	const uint8_t *data; /* caplen bytes, valid until the next call on this capture */
	uint32_t caplen;     /* bytes captured */
	uint32_t len;        /* bytes on the wire; never below caplen: if the file says so, there
				is a fault first and this is raised to caplen */
	uint32_t linktype;   /* LINKTYPE_ value as in the file; raw IP is always 101 */
	uint32_t iface;      /* index for capture_interface() */
	uint8_t fcs_len;     /* bytes of link-layer FCS the file says are at the end; 0: none or
				not said */
	bool has_time;       /* false for simple packet blocks; time_ns is 0 then */
};

/* What the file says of an interface. Classic pcap has exactly one. */
struct capture_interface {
	uint32_t linktype;     /* as in struct capture_packet */
	uint32_t snaplen;      /* bytes; 0: no limit */
	uint64_t ns_per_tick;  /* of the file's time stamps; 0: no whole number of nanoseconds */
	int64_t ts_offset;     /* seconds added to every time stamp (if_tsoffset) */
	uint8_t ts_resolution; /* as if_tsresol: 6 is 10^-6 s, 0x80 | 20 is 2^-20 s */
	uint8_t fcs_len;       /* as in struct capture_packet */
	bool swapped;          /* a pcap against the byte order of this machine */
	bool has_stats;        /* an interface statistics block was seen; the last one counts */
	uint64_t speed;        /* bits/s of the link (if_speed); 0: not said */
	char name[64];         /* UTF-8 without control characters, cut to fit; "": none */
	uint64_t received;     /* isb_ifrecv; 0: none or not said, here and below */
	uint64_t if_drops;     /* isb_ifdrop: lost by the interface */
	uint64_t os_drops;     /* isb_osdrop: lost by the operating system */
	uint64_t packet_drops; /* sum of the drop counts packets carry (epb_dropcount) */
};

enum capture_fault_kind {
	CAPTURE_FAULT_TRUNCATED, /* the file ends within a record: CAP001 */
	CAPTURE_FAULT_LENGTH,    /* a record's length cannot be true: CAP002 */
	CAPTURE_FAULT_BLOCK, /* a pcapng block contradicts itself or the ones before it: CAP002 */
	CAPTURE_FAULT_LIMIT, /* more than this program holds (interfaces, block size) or may decompress */
	CAPTURE_FAULT_UNSUPPORTED, /* a pcapng section of an unknown version */
	CAPTURE_FAULT_COMPRESSION, /* the compressed data is damaged */
	CAPTURE_FAULT_READ,        /* the system's read failed */
	CAPTURE_FAULT_FILTER, /* the filter does not compile for the link type of an interface that
				 came later; that interface's packets are left out */
	CAPTURE_FAULT_COUNT
};

struct capture_fault {
	enum capture_fault_kind kind;
	bool fatal;      /* nothing more can be read: CAPTURE_END is next */
	uint64_t frame;  /* of the packet at fault, else of the one that would have been next */
	uint64_t offset; /* of the record or block, in the uncompressed file */
	uint64_t needed; /* bytes: what the record asks for ... */
	uint64_t had;    /* ... and what there is, or may be; both 0 where it is not about that */
	char text[200];  /* one line for people, with the numbers, without file name and frame */
};

/*
 * LEFT_OUT: a filter takes the packet out; only after capture_show_left_out(). BLOCK: a block of a pcapng that is no
 * packet; only with struct capture_options.blocks.
 */
enum capture_result { CAPTURE_PACKET, CAPTURE_END, CAPTURE_FAULT, CAPTURE_LEFT_OUT, CAPTURE_BLOCK };

/* A block of a pcapng as it is in the file. */
struct capture_block {
	const uint8_t
		*bytes; /* all of it, its lengths included; NULL: it is too large to be held */
	uint32_t length;
	uint32_t type;
	bool swapped;   /* against the byte order of this machine */
	bool is_packet; /* and can have comments */
	bool is_frame;  /* Wireshark gives it a number */
};

struct capture;

/* How it is read. All 0, or a NULL pointer to it: without more ado. */
struct capture_options {
	/* Called before each read of a file, which may have to wait; false: the capture ends here. */
	bool (*wait)(void *user, int fd);
	void *user;
	uint64_t max_size;      /* bytes of a compressed file, decompressed; 0: no limit */
	unsigned int max_ratio; /* of these to bytes as stored, beyond 1 GiB; 0: no limit */
	/* Each block of a pcapng is wanted: CAPTURE_BLOCK. A filter may then turn out not to compile as late as at a packet. */
	bool blocks;
};

/* Opens a capture file, "-" for standard input. NULL: *err says why, naming the file. */
struct capture *capture_open(const char *path, const struct capture_options *options, GError **err);

/* The same from a stream (a pipe, fmemopen()) at its present position. It must live until
 * capture_close(), which does not close it. @name stands for it in messages. */
struct capture *capture_open_stream(FILE *stream, const char *name, GError **err);

void capture_close(struct capture *cap); /* NULL is fine */

/*
 * The next packet, a fault, or the end. After a fault that is not fatal, go on calling: the
 * packet at fault comes next if it can be had at all. What was delivered before stays true.
 */
enum capture_result capture_next(struct capture *cap, struct capture_packet *pkt);

/* The fault the last call returned; valid until the next call. */
const struct capture_fault *capture_fault(const struct capture *cap);

/*
 * Only packets that match a libpcap filter expression from here on; frame numbers go on
 * counting all. Fails if it compiles for none of the interfaces known so far (before the
 * first packet: those described ahead of it; Ethernet stands in if there are none).
 */
bool capture_filter(struct capture *cap, const char *expression, GError **err);

/* capture_next() returns what the filter takes out, too. */
void capture_show_left_out(struct capture *cap);

/*
 * Interfaces known so far; a pcapng may describe more as it goes, and statistics mostly come
 * after the last packet. Numbers run over all sections of the file. The answer of
 * capture_interface() is valid until the next capture_next(); NULL past the last.
 */
unsigned int capture_interface_count(const struct capture *cap);
const struct capture_interface *capture_interface(const struct capture *cap, unsigned int i);

enum capture_format capture_format(const struct capture *cap);
const char *capture_format_name(const struct capture *cap); /* "pcap", "pcapng" */
const char *capture_compression(const struct capture *cap); /* "gzip"...; NULL: none */

/* Whether the time of a packet is before 1970, and time_ns therefore 0. */
bool capture_time_before_1970(const struct capture *cap, const struct capture_packet *pkt);

/*
 * The block of a pcapng that the last call of capture_next() took in: of a packet, of CAPTURE_BLOCK, or of a fault that
 * does not take its meaning away. False: there is none.
 */
bool capture_block(const struct capture *cap, struct capture_block *block);

/*
 * From now on bytes are read into the caller's windows, one after the other: @next() returns the next one, of
 * CAPTURE_WINDOW bytes. The data of a packet then stay valid as long as the window they are in is not returned again;
 * those in the window in use now, until capture_close(). @wait takes the place of that of struct capture_options: whatever
 * thread reads calls it. NULL: none.
 */
#define CAPTURE_WINDOW ((size_t)1 << 20)
void capture_windows(struct capture *cap, uint8_t *(*next)(void *user),
		     bool (*wait)(void *user, int fd), void *user);

/* Whether the file says of itself, by CAPTURE_PART, that packets were left out of it. */
bool capture_is_part(const struct capture *cap);

/* Frames so far, also those left out. */
uint64_t capture_frames(const struct capture *cap);

/* Where the record of the last packet, its header included, is in the file. False: not known, as the file is compressed. */
bool capture_record(const struct capture *cap, uint64_t *offset, uint64_t *bytes);

/* Whether its bytes come as they are made, through a pipe, a socket or a terminal; a file has them all. */
bool capture_is_live(const struct capture *cap);

/* Bytes of the file taken in so far, as stored (compressed), and of all of it: 0 if that is
 * not known, as for a pipe. Reading is ahead of the packets by up to a mebibyte. */
uint64_t capture_position(const struct capture *cap);
uint64_t capture_size(const struct capture *cap);

#endif /* CAPTURE_H */
