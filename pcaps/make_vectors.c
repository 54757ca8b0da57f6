/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_vectors.c - the frames of vectors.def, from their hex: vectors-*.pcap. */
#include <string.h>

#include "make.h"

enum group { GROUP_ib, GROUP_ipoib, GROUP_roce, GROUP_dc, GROUP_COUNT };

static const struct {
	const char *file;
	uint32_t linktype;
} groups[GROUP_COUNT] = {
	[GROUP_ib] = { "vectors-ib.pcap", IBW_LINKTYPE_INFINIBAND },
	[GROUP_ipoib] = { "vectors-ipoib.pcap", IBW_LINKTYPE_IPOIB },
	[GROUP_roce] = { "vectors-roce.pcap", IBW_LINKTYPE_ETHERNET },
	[GROUP_dc] = { "vectors-dc.pcap", IBW_LINKTYPE_ETHERNET },
};

static const struct vector {
	enum group group;
	uint32_t linktype;
	const char *what;
	const char *hex;
} vectors[] = {
#define MK_VECTOR(group, linktype, what, origin, hex)                                              \
	{ GROUP_##group, IBW_LINKTYPE_##linktype, what, hex },
#include "vectors.def"
#undef MK_VECTOR
};

static uint8_t nibble(const struct vector *v, char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	if (!at)
		mk_die("%s: '%c' is no hex digit", v->what, c);
	return (uint8_t)(at - digits);
}

static void put_vector(struct mk_capture *c, const struct vector *v)
{
	static uint8_t bytes[MK_PACKET_MAX];
	static struct mk_packet p;
	uint32_t n = 0;
	const char *hex;

	for (hex = v->hex; *hex; hex += 2) {
		if (n == MK_PACKET_MAX)
			mk_die("%s: too many bytes", v->what);
		bytes[n++] = (uint8_t)(nibble(v, hex[0]) << 4 | nibble(v, hex[1]));
	}
	mk_bytes(&p, v->linktype, bytes, n);
	mk_put(c, &p);
}

void mk_all_vectors(void)
{
	struct mk_capture c;
	unsigned int group, i;

	for (group = 0; group < GROUP_COUNT; group++) {
		mk_file_begin(&c, groups[group].file, false);
		mk_pcap(&c, groups[group].linktype, 0, MK_NANO);
		for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
			if (vectors[i].group == group)
				put_vector(&c, &vectors[i]);
		mk_file_end(&c);
	}
}
