/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session.h - libwireshark in this process, and the plugin in it: a file that is open there.
 *
 * A file is read as `tshark -2` and the window do: every frame once, in order, the end of the file, and then
 * any frame again. The bytes of a frame are at another place each time, before an unmapped page.
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/packet.h>

#include "fuzz.h"

/* Before the packets (packets.h): how they are read. */
struct session_head {
	uint8_t flags;
	uint8_t reassemble; /* KiB; 0: the default; SESSION_NONE: none */
	uint8_t rmpp;       /* the same */
	uint8_t decode_as;  /* what for, and as what: session.c */
};

#define SESSION_HEAD 4
#define SESSION_NONE 0xff

enum session_flags {
	SESSION_TAKE_OVER = 0x01,
	SESSION_BARE_FIRST = 0x02, /* no tree on the first pass, as in the window */
	SESSION_NO_ICRC = 0x04,
	SESSION_UNKNOWN_LINK = 0x08, /* link type 247 is one that Wireshark does not know */
	SESSION_ALL_FIELDS = 0x10,
	SESSION_ALL_RULES = 0x20,
	SESSION_ONE_NAME = 0x40,
	SESSION_EXPORTED = 0x80, /* what is exported is read as a file of its own */
};

#define SESSION_FRAMES 512

/* A frame of the file. */
struct session_frame {
	const uint8_t *data; /* of the record */
	uint32_t caplen, len, linktype;
	uint64_t time_ns;
	frame_data fd;
};

struct session {
	struct session_head head;
	struct session_frame frame[SESSION_FRAMES];
	unsigned int n;
	epan_t *epan;
	nstime_t elapsed;
	const frame_data *ref, *before;
	uint32_t bytes;
};

/* What an exported PDU has for a link type: none of ours. */
#define SESSION_UPPER_PDU 252

/* A complaint of the library or of the plugin about a mistake of the plugin's. */
extern unsigned int session_complaints;

/* @dissected: what is there of it; NULL: nobody looks. */
typedef void session_look(void *user, struct session *s, unsigned int i, epan_dissect_t *edt,
			  const char *info);

/* Memory there may be for messages. */
uint64_t session_reassemble_bytes(const struct session *s);

/* The file with the frames of @s. */
void session_open(struct session *s);
/* Frame @i, counted from 0, once more or for the first time. */
void session_dissect(struct session *s, unsigned int i, bool tree, session_look *look, void *user);
/* All frames were seen once. */
void session_all_seen(struct session *s);
void session_close(struct session *s);

#endif /* FUZZ_SESSION_H */
