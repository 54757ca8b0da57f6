/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* build.c - whole packets in one buffer: headers, payload, pad, CRCs. */
#include <ibwire/build_crc.h>

uint32_t ibw_crc32_step(uint32_t crc, const unsigned char *p, size_t n)
{
	return ~ibw_crc32(~crc, p, n);
}

/* memmove(), which there may be none of. */
static void move(uint8_t *to, const uint8_t *from, size_t n)
{
	if (to == from)
		return;
	if ((uintptr_t)to < (uintptr_t)from) {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	} else {
		while (n--)
			to[n] = from[n];
	}
}

size_t ibw_build_packet(void *buf, size_t cap, const struct ibw_build *b, const void *payload)
{
	uint8_t *p = buf, *net;
	struct ibw_build_size len;
	size_t covered;

	if (ibw_build_len(&len, b))
		return 0;
	if (len.total > cap)
		return len.total;
	/* The payload first: the headers may be written over where it is. */
	move(p + len.headers, payload, len.payload);
	ibw_build_headers(p, len.headers, b);
	net = p + ibw_build_link_bytes(b);
	p += len.headers + len.payload;
	for (unsigned int i = 0; i < len.pad; i++)
		*p++ = 0;
	covered = (size_t)(p - net);
	ibw_icrc_put(p, ibw_icrc((enum ibw_icrc_kind)b->kind, net, covered));
	p += len.icrc;
	if (len.vcrc)
		ibw_vcrc_put(p, ibw_vcrc(net, (size_t)(p - net)));
	return len.total;
}
