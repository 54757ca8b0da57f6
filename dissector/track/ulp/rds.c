/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rds.c - Reliable Datagram Sockets: fragments of messages, each with a header. (One source: Linux, net/rds.) */
#include <ibwire/ibwire.h>

#include "impl.h"

/* A message has at most this many bytes. */
#define LONGEST_MESSAGE (1u << 20)

/* What extension headers are in, and the type that nobody here knows the length of. */
#define EXT_BYTES 16u
#define EXT_OF_OTHERS 4u

/* A fragment of a congestion map: one bit per port. */
#define MAP_PORTS 32768u

static const struct ibw_rds_hdr_wire *header_of(const struct track_ulp_x *x)
{
	return (const void *)x->p;
}

/* Internet checksum of a header that has its own in it: right where all words sum up to ones. RFC 1071 */
static bool is_summed(const uint8_t *p)
{
	uint32_t sum = 0, i;

	for (i = 0; i < ibw_rds_hdr_BYTES; i += 2)
		sum += ibw_get_be16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Bytes after the type of an extension header; 0: it is not known how many. */
static uint32_t ext_bytes(uint8_t type)
{
	switch (type) {
	case IBW_RDS_EXT_VERSION:
	case IBW_RDS_EXT_RDMA:
	case IBW_RDS_EXT_GEN_NUM:
		return 4;
	case IBW_RDS_EXT_RDMA_DEST:
		return 8;
	case IBW_RDS_EXT_NPATHS:
		return 2;
	}
	return 0;
}

static void check_extensions(struct track_ulp_x *x)
{
	const uint8_t *ext = ibw_rds_hdr_exthdr(header_of(x));
	uint32_t at = 0, n;

	while (at < EXT_BYTES && ext[at] != IBW_RDS_EXT_NONE) {
		n = ext_bytes(ext[at]);
		if (!n) {
			if (ext[at] != EXT_OF_OTHERS)
				track_ulp_wrong(x, TRACK_ULP_RDS_EXTENSION, ext[at], 0);
			return;
		}
		at += n + 1;
	}
}

/* Whether nothing lies between the last SEND of this end and this one. */
static bool is_next(const struct track_ulp_x *x, const struct track_ulp_datagrams *d)
{
	struct track_ulp_place place;

	if (d->any)
		return ((d->psn + 1) & 0xffffff) == x->psn;
	return track_ulp_agreed_of(x, &place) && place.first;
}

/* The ports that are congested, by the bits of a map that are in its first packet. */
static void check_map(struct track_ulp_x *x, uint32_t fragment)
{
	uint32_t i, bit, ports = 0, first = 0;

	for (i = (uint32_t)ibw_rds_hdr_BYTES; i < x->n; i++) {
		for (bit = 0; x->p[i] && bit < 8; bit++) {
			if (!(x->p[i] >> bit & 1))
				continue;
			if (!ports++)
				first = (i - (uint32_t)ibw_rds_hdr_BYTES) * 8 + bit;
		}
	}
	if (ports)
		track_ulp_wrong(x, TRACK_ULP_RDS_CONGESTED, first + fragment * MAP_PORTS, ports);
}

/* Messages are numbered; all fragments of one have its number. ACKs and maps have none. */
static void check_sequence(struct track_ulp_x *x, struct track_ulp_datagrams *d, bool next)
{
	uint64_t seq = ibw_rds_hdr_seq(header_of(x));

	if (ibw_rds_hdr_retransmitted(header_of(x)))
		track_ulp_wrong(x, TRACK_ULP_RDS_AGAIN, seq, 0);
	else if (next && d->seq && seq != d->seq && seq != d->seq + 1)
		track_ulp_wrong(x, TRACK_ULP_RDS_SEQUENCE, seq, d->seq);
	d->seq = seq;
}

static void check_stream(struct track_ulp_x *x)
{
	struct track_ulp_datagrams *d = &x->q->datagrams[x->side];
	bool next = is_next(x, d);

	if (!ibw_rds_hdr_cong_bitmap(header_of(x))) {
		d->maps = 0;
		d->maps_unknown = false;
		if (ibw_rds_hdr_seq(header_of(x)))
			check_sequence(x, d, next);
		return;
	}
	/* Which half of the map it is, the fragment does not say. */
	d->maps_unknown |= !next;
	if (!d->maps_unknown && ibw_rds_hdr_len(header_of(x)) == 2 * MAP_PORTS / 8)
		check_map(x, d->maps++ % 2);
}

void track_ulp_rds_check(struct track_ulp_x *x)
{
	const struct ibw_rds_hdr_wire *rds = header_of(x);

	if (x->n < ibw_rds_hdr_BYTES)
		return;
	if (ibw_rds_hdr_csum(rds) && !is_summed(x->p)) {
		track_ulp_wrong(x, TRACK_ULP_RDS_CHECKSUM, ibw_rds_hdr_csum(rds), 0);
		return;
	}
	if (ibw_rds_hdr_len(rds) > LONGEST_MESSAGE)
		track_ulp_wrong(x, TRACK_ULP_RDS_LENGTH, ibw_rds_hdr_len(rds), LONGEST_MESSAGE);
	check_extensions(x);
	check_stream(x);
}

void track_ulp_rds_sent(struct track_ulp_x *x)
{
	struct track_ulp_datagrams *d = &x->q->datagrams[x->side];

	if (x->message == TRACK_ULP_SEND || (d->any && ((d->psn + 1) & 0xffffff) == x->psn))
		d->psn = x->psn;
	d->any |= x->message == TRACK_ULP_SEND;
}
