/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_picture.c - the comment above a printed header: its fields as RFCs draw them. */
#include <stdio.h>

#include <ibwire/print.h>

#include "kheader.h"

void kh_picture(const struct ibw_header *h)
{
	static char text[1 << 16];
	struct ibw_out out = ibw_out_open(text, sizeof(text));

	ibw_print_picture(&out, h, " * ", 0, 0);
	ibw_out_close(&out);
	printf("/*\n * %s: %u bytes\n *\n%s */\n", h->title, (unsigned int)h->bytes, text);
}
