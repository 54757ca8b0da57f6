/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object.h - what a MAD is about: the way a directed route takes, the port, and what the SA is asked for.
 *
 * The LIDs of a directed route are all 0xffff, and those of a query are of the client and the SA: neither says what it is
 * about.
 */
#ifndef IBWIRE_TRACK_OBJECT_H
#define IBWIRE_TRACK_OBJECT_H

#include <ibwire/out.h>

#include "mad.h"

enum track_object_kind {
	TRACK_OBJECT_NONE,
	TRACK_OBJECT_ROUTE, /* n hops, their ports in b, of @agent; number: of the port asked for, 0: none */
	TRACK_OBJECT_PORT,     /* number */
	TRACK_OBJECT_PATH,     /* b: DGID; number: the P_Key asked for, 0: any */
	TRACK_OBJECT_PATH_LID, /* number: the DLID */
	TRACK_OBJECT_GROUP,    /* b: MGID */
	TRACK_OBJECT_MEMBER,   /* b: MGID, port GID */
	TRACK_OBJECT_SERVICE,  /* number: its id */
	TRACK_OBJECT_LID,      /* number */
	TRACK_OBJECT_TRAP,     /* number */
	TRACK_OBJECT_TRAPS     /* all of them */
};

/* Longer routes are shown up to here. */
#define TRACK_OBJECT_HOPS 32

struct track_object {
	uint64_t number;
	uint32_t agent; /* who asks: the upper half of the transaction ID */
	uint8_t kind;   /* enum track_object_kind */
	uint8_t by_lid; /* the route begins where a LID leads to, and not where who asks is */
	uint8_t n;
	uint8_t b[TRACK_OBJECT_HOPS];
};

/* Of an answer, too, as far as it has what was asked for. */
void track_object_of(struct track_object *o, const struct track_mad *m);

/*
 * " by route 0,1,9,5"; "" where nothing is known. With @name, of what the route leads to, or what has the LID or GID: " by route 0,1,9,5
 * (host 3)"; "": that is not known. @address: the IP address of the GID that a path leads to, NULL: not known. Returns @buf.
 */
#define TRACK_OBJECT_TEXT 256
const char *track_object_text(const struct track_object *o, const char *name,
			      const uint8_t *address, char buf[TRACK_OBJECT_TEXT]);

/* " (host 3)"; nothing of "". */
void track_put_name(struct ibw_out *out, const char *name);

#endif /* IBWIRE_TRACK_OBJECT_H */
