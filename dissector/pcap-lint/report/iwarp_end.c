/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_end.c - the names of the ends of an iWARP connection: address and port. */
#include "iwarp.h"

/* "10.7.0.1 port 7471" */
void pl_iwarp_out_end(struct ibw_out *o, const struct pl_iwarp *c, enum track_way way)
{
	unsigned int a = track_iwarp_opener(&c->record->conn), side = way == TRACK_A_TO_B ? a : !a;
	const struct track_tcp_ends *ends = &c->record->ends;
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, track_address_text(ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
					  ends->address[side], address));
	ibw_out_str(o, " port ");
	ibw_out_dec(o, ends->port[side]);
}

void pl_iwarp_out_short_end(struct ibw_out *o, const struct pl_iwarp *c, enum track_way way)
{
	unsigned int a = track_iwarp_opener(&c->record->conn), side = way == TRACK_A_TO_B ? a : !a;
	const struct track_tcp_ends *ends = &c->record->ends;
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, ends->v6 ? "[" : "");
	ibw_out_str(o, track_address_text(ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
					  ends->address[side], address));
	ibw_out_str(o, ends->v6 ? "]:" : ":");
	ibw_out_dec(o, ends->port[side]);
}

void pl_iwarp_ends_text(char *text, size_t size, const struct pl_iwarp *c)
{
	struct ibw_out o = ibw_out_open(text, size);

	pl_iwarp_out_end(&o, c, TRACK_A_TO_B);
	ibw_out_str(&o, " \xe2\x86\x92 ");
	pl_iwarp_out_end(&o, c, TRACK_B_TO_A);
	ibw_out_close(&o);
}
