/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crc32c.c - CRC-32C, polynomial 0x1EDC6F41, reflected 0x82F63B78: the MPA CRC of iWARP. */
#define CRC_STATE uint32_t
#include "crc_slice.h"

#include <ibwire/crc.h>

/* clang-format off */
static const uint32_t table[16][256] = {
	CRC_TABLE(0x82f63b78, 0x417b1dbc, 0x20bd8ede, 0x105ec76f,
		  0x8ad958cf, 0xc79a971f, 0xe13b70f7, 0xf26b8303),
	CRC_TABLE(0xfbc3faf9, 0xff17c604, 0x7f8be302, 0x3fc5f181,
		  0x9d14c3b8, 0x4e8a61dc, 0x274530ee, 0x13a29877),
	CRC_TABLE(0x8b277743, 0xc76580d9, 0xe144fb14, 0x70a27d8a,
		  0x38513ec5, 0x9edea41a, 0x4f6f520d, 0xa541927e),
	CRC_TABLE(0x52a0c93f, 0xaba65fe7, 0xd725148b, 0xe964b13d,
		  0xf64463e6, 0x7b2231f3, 0xbf672381, 0xdd45aab8),
	CRC_TABLE(0x6ea2d55c, 0x37516aae, 0x1ba8b557, 0x8f2261d3,
		  0xc5670b91, 0xe045beb0, 0x7022df58, 0x38116fac),
	CRC_TABLE(0x1c08b7d6, 0x0e045beb, 0x85f4168d, 0xc00c303e,
		  0x6006181f, 0xb2f53777, 0xdb8ca0c3, 0xef306b19),
	CRC_TABLE(0xf56e0ef4, 0x7ab7077a, 0x3d5b83bd, 0x9c5bfaa6,
		  0x4e2dfd53, 0xa5e0c5d1, 0xd0065990, 0x68032cc8),
	CRC_TABLE(0x34019664, 0x1a00cb32, 0x0d006599, 0x847609b4,
		  0x423b04da, 0x211d826d, 0x9278fa4e, 0x493c7d27),
	CRC_TABLE(0xa66805eb, 0xd1c2398d, 0xea1727be, 0x750b93df,
		  0xb873f297, 0xdecfc233, 0xed91da61, 0xf43ed648),
	CRC_TABLE(0x7a1f6b24, 0x3d0fb592, 0x1e87dac9, 0x8db5d61c,
		  0x46daeb0e, 0x236d7587, 0x934081bb, 0xcb567ba5),
	CRC_TABLE(0xe75d06aa, 0x73ae8355, 0xbb217ad2, 0x5d90bd69,
		  0xac3e65cc, 0x561f32e6, 0x2b0f9973, 0x9771f7c1),
	CRC_TABLE(0xc94ec098, 0x64a7604c, 0x3253b026, 0x1929d813,
		  0x8e62d771, 0xc5c750c0, 0x62e3a860, 0x3171d430),
	CRC_TABLE(0x18b8ea18, 0x0c5c750c, 0x062e3a86, 0x03171d43,
		  0x837db5d9, 0xc348e194, 0x61a470ca, 0x30d23865),
	CRC_TABLE(0x9a9f274a, 0x4d4f93a5, 0xa451f2aa, 0x5228f955,
		  0xabe247d2, 0x55f123e9, 0xa80eaa8c, 0x54075546),
	CRC_TABLE(0x2a03aaa3, 0x97f7ee29, 0xc90dcc6c, 0x6486e636,
		  0x3243731b, 0x9bd782f5, 0xcf1dfa02, 0x678efd01),
	CRC_TABLE(0xb13145f8, 0x5898a2fc, 0x2c4c517e, 0x162628bf,
		  0x89e52f27, 0xc604aceb, 0xe1f46d0d, 0xf20c0dfe),
};
/* clang-format on */

#ifdef IBW_HAVE_ISAL
#include <isa-l/crc.h>

#include "crc_isal.h"

/* What crc32_iscsi() takes at a time: its length is an int. */
#define ISAL_MOST ((size_t)1 << 30)

uint32_t ibw_crc32c(uint32_t crc, const void *p, size_t n)
{
	union { /* crc32_iscsi() takes no const, and only reads */
		const void *from;
		unsigned char *at;
	} to = { p };
	bool wide = n >= ISAL_WIDE_FROM;
	size_t here;

	if (n < ISAL_FROM)
		return ~crc_slice16(table, ~crc, p, n);
	for (crc = ~crc; n; n -= here, to.at += here) {
		here = n < ISAL_MOST ? n : ISAL_MOST;
		crc = crc32_iscsi(to.at, (int)here, crc);
	}
	if (wide)
		clean_vector_registers();
	return ~crc;
}
#else
uint32_t ibw_crc32c(uint32_t crc, const void *p, size_t n)
{
	return ~crc_slice16(table, ~crc, p, n);
}
#endif
