/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * erf.h - an InfiniBand packet into a record of LINKTYPE_ERF, and out of one.
 *
 * Endace, ERF types reference guide: type 21 holds a packet from the LRH to the VCRC.
 */
#ifndef CAPTURE_ERF_H
#define CAPTURE_ERF_H

#include "capture.h"

/* What a record has in addition to its packet, at most: the header and the padding to 8 bytes. */
#define CAPTURE_ERF_AROUND 24u

/*
 * Makes @pkt, of link type InfiniBand, one of link type ERF, whose bytes are in @bytes. A
 * whole packet is padded to 8 bytes; one the capture has cut is not, for the padding would be
 * taken for more of it. False: *err says why it cannot be, and @pkt is as it was.
 */
bool capture_erf_pack(struct capture_packet *pkt, GByteArray *bytes, GError **err);

/* The reverse, within the bytes @pkt has. */
bool capture_erf_unpack(struct capture_packet *pkt, GError **err);

#endif /* CAPTURE_ERF_H */
