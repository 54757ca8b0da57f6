/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* transport.h - BTH, the extended transport headers, and what each opcode says about them. */
#ifndef IBWIRE_TRANSPORT_H
#define IBWIRE_TRANSPORT_H

#include "framing.h"
#include "rc.h"

#define IBW_HDR bth
#include "expand.h"
#define IBW_HDR dceth
#include "expand.h"
#define IBW_HDR dcceth
#include "expand.h"
#define IBW_HDR rdeth
#include "expand.h"
#define IBW_HDR deth
#include "expand.h"
#define IBW_HDR xrceth
#include "expand.h"
#define IBW_HDR feth
#include "expand.h"
#define IBW_HDR reth
#include "expand.h"
#define IBW_HDR atomiceth
#include "expand.h"
#define IBW_HDR aeth
#include "expand.h"
#define IBW_HDR atomicacketh
#include "expand.h"
#define IBW_HDR immdt
#include "expand.h"
#define IBW_HDR ieth
#include "expand.h"
#define IBW_HDR atomicwrite
#include "expand.h"
#define IBW_HDR cnp
#include "expand.h"

/*
 * The headers that can follow a BTH. The bits are numbered in wire order: a
 * packet's headers are those of its opcode's set bits, lowest first.
 */
enum ibw_eth_bit {
	IBW_ETH_DCETH = 1 << 0,
	IBW_ETH_DCCETH = 1 << 1,
	IBW_ETH_RDETH = 1 << 2,
	IBW_ETH_DETH = 1 << 3,
	IBW_ETH_XRCETH = 1 << 4,
	IBW_ETH_FETH = 1 << 5,
	IBW_ETH_RETH = 1 << 6,
	IBW_ETH_ATOMICETH = 1 << 7,
	IBW_ETH_AETH = 1 << 8,
	IBW_ETH_ATOMICACKETH = 1 << 9,
	IBW_ETH_IMMDT = 1 << 10,
	IBW_ETH_IETH = 1 << 11,
	IBW_ETH_ATOMICWRITE = 1 << 12,
	IBW_ETH_CNP = 1 << 13,
	IBW_ETH_COUNT = 14
};

/* Bits 7:5 of the opcode: the transport service. */
enum ibw_service {
	IBW_SERVICE_RC = 0x00,
	IBW_SERVICE_UC = 0x20,
	IBW_SERVICE_RD = 0x40,
	IBW_SERVICE_UD = 0x60,
	IBW_SERVICE_CNP = 0x80,
	IBW_SERVICE_XRC = 0xa0,
	IBW_SERVICE_MASK = 0xe0
};

/* First of the 64 opcodes left to manufacturers: IBTA vol 1, 9.2.1 */
#define IBW_OPCODE_VENDOR_FIRST 0xc0

/* IBW_OP_RC_SEND_FIRST ...: list/opcodes.def */
enum ibw_opcode {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload) IBW_OP_##name = code,
#include "list/opcodes.def"
#undef IBW_OPCODE
};

/* Properties of an opcode besides its headers; an opcode without IBW_OPF_KNOWN is not defined. */
enum ibw_opcode_flags {
	IBW_OPF_FIRST = 1 << 0, /* position in the message: one of these four */
	IBW_OPF_MIDDLE = 1 << 1,
	IBW_OPF_LAST = 1 << 2,
	IBW_OPF_ONLY = 1 << 3,
	IBW_OPF_REQUEST = 1 << 4, /* role: one of these two */
	IBW_OPF_RESPONSE = 1 << 5,
	IBW_OPF_MTU = 1 << 6,  /* the payload fills the path MTU */
	IBW_OPF_SOME = 1 << 7, /* a payload of any length; with neither, none */
	IBW_OPF_NONE = 0,
	IBW_OPF_PAYLOAD = IBW_OPF_MTU | IBW_OPF_SOME,
	IBW_OPF_KNOWN = IBW_OPF_REQUEST | IBW_OPF_RESPONSE
};

/*
 * IBW_ETH_... of the headers after the BTH of @opcode in the low 16 bits, its
 * IBW_OPF_... in the high 16; 0 for an opcode without an entry. The compiler
 * makes a table of it.
 */
static inline uint32_t ibw_opcode_chain(uint8_t opcode)
{
	switch (opcode) {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	case code:                                                                                 \
		return (uint32_t)(eths) |                                                          \
		       (uint32_t)(IBW_OPF_##position | IBW_OPF_##role | IBW_OPF_##payload) << 16;
#include "list/opcodes.def"
#undef IBW_OPCODE
	}
	return 0;
}

#ifdef IBW_ASSERT_SCHEMA
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	IBW_STATIC_ASSERT((code & IBW_SERVICE_MASK) == IBW_SERVICE_##service,                      \
			  #name " is not in the range of its service");
#include "list/opcodes.def"
#undef IBW_OPCODE
#endif

/*
 * Whether it is Mellanox's Dynamically Connected transport, which uses the opcodes of RD (no product sends RD),
 * with a DCETH in place of RD's headers. It shows by the first byte after the BTH, which RD reserves and sends
 * as 0: IBTA vol 1, 9.3.1. A Connect has the opcode of RESYNC.
 */
static inline bool ibw_dc_is(uint8_t opcode, uint8_t after_bth)
{
	return (opcode & IBW_SERVICE_MASK) == IBW_SERVICE_RD && opcode <= IBW_OP_RD_RESYNC &&
	       after_bth;
}

/* IBW_ETH_... of a packet of DC, with the Solicited Event bit of its BTH. */
static inline uint32_t ibw_dc_eths(uint8_t opcode, bool se)
{
	uint32_t eths = ibw_opcode_chain(opcode) & 0xffff;

	eths = (eths & ~(uint32_t)(IBW_ETH_RDETH | IBW_ETH_DETH)) | IBW_ETH_DCETH;
	return opcode == IBW_OP_RD_RESYNC && !se ? eths | IBW_ETH_DCCETH : eths;
}

/* Bytes of the headers in a set of IBW_ETH_...; a constant expression if @eths is one. */
#define IBW_ETH_BYTES_(eths, ETH, name)                                                            \
	(((eths)&IBW_ETH_##ETH) != 0) * (unsigned int)ibw_##name##_BYTES
#define IBW_ETHS_BYTES(eths)                                                                       \
	(IBW_ETH_BYTES_(eths, DCETH, dceth) + IBW_ETH_BYTES_(eths, DCCETH, dcceth) +               \
	 IBW_ETH_BYTES_(eths, RDETH, rdeth) + IBW_ETH_BYTES_(eths, DETH, deth) +                   \
	 IBW_ETH_BYTES_(eths, XRCETH, xrceth) + IBW_ETH_BYTES_(eths, FETH, feth) +                 \
	 IBW_ETH_BYTES_(eths, RETH, reth) + IBW_ETH_BYTES_(eths, ATOMICETH, atomiceth) +           \
	 IBW_ETH_BYTES_(eths, AETH, aeth) + IBW_ETH_BYTES_(eths, ATOMICACKETH, atomicacketh) +     \
	 IBW_ETH_BYTES_(eths, IMMDT, immdt) + IBW_ETH_BYTES_(eths, IETH, ieth) +                   \
	 IBW_ETH_BYTES_(eths, ATOMICWRITE, atomicwrite) + IBW_ETH_BYTES_(eths, CNP, cnp))

/* The same of a set known at run time: a table for four headers each, in the order of their bits. */
#define IBW_ETHS_SUMS_(a, b, c, d)                                                                 \
	{                                                                                          \
		0, a, b, 0u + a + b, c, 0u + a + c, 0u + b + c, 0u + a + b + c, d, 0u + a + d,     \
			0u + b + d, 0u + a + b + d, 0u + c + d, 0u + a + c + d, 0u + b + c + d,    \
			0u + a + b + c + d                                                         \
	}
/* Bytes of the headers in a set of IBW_ETH_... that is known at run time. */
static inline uint32_t ibw_eths_bytes(uint32_t eths)
{
	static const uint8_t bytes[4][16] = {
		IBW_ETHS_SUMS_(ibw_dceth_BYTES, ibw_dcceth_BYTES, ibw_rdeth_BYTES, ibw_deth_BYTES),
		IBW_ETHS_SUMS_(ibw_xrceth_BYTES, ibw_feth_BYTES, ibw_reth_BYTES,
			       ibw_atomiceth_BYTES),
		IBW_ETHS_SUMS_(ibw_aeth_BYTES, ibw_atomicacketh_BYTES, ibw_immdt_BYTES,
			       ibw_ieth_BYTES),
		IBW_ETHS_SUMS_(ibw_atomicwrite_BYTES, ibw_cnp_BYTES, 0, 0)
	};

	return (uint32_t)bytes[0][eths & 15] + bytes[1][eths >> 4 & 15] + bytes[2][eths >> 8 & 15] +
	       bytes[3][eths >> 12 & 15];
}
#undef IBW_ETHS_SUMS_

/* Special queue pairs: IBTA vol 1, 10.2.4 */
#define IBW_QPN_SMI 0u
#define IBW_QPN_GSI 1u
#define IBW_QPN_MULTICAST 0xffffffu
#define IBW_QKEY_GSI 0x80010000u
#define IBW_QKEY_CONTROLLED 0x80000000u

/* Partition keys: IBTA vol 1, 10.9.1 */
#define IBW_PKEY_DEFAULT_FULL 0xffffu
#define IBW_PKEY_FULL 0x8000u

/* The largest message: IBTA vol 1, 9.3.3 */
#define IBW_MESSAGE_MAX 0x80000000u

/* Path MTUs of 256 to 4096 bytes and their codes, 256 << (code - 1): IBTA vol 1, 14.2.5.6 */
#define IBW_MTU_MIN 256u
#define IBW_MTU_MAX 4096u
#define IBW_MTU_CODE_MIN 1
#define IBW_MTU_CODE_MAX 5

/* Whether an MTU code is 1 to 5. */
IBW_INLINE bool ibw_mtu_code_defined(uint32_t code)
{
	return code >= IBW_MTU_CODE_MIN && code <= IBW_MTU_CODE_MAX;
}

/* Bytes of a path MTU by its code, which is defined. */
IBW_INLINE uint32_t ibw_mtu_bytes(uint32_t code)
{
	return IBW_MTU_MIN << (code - IBW_MTU_CODE_MIN);
}

/* Whether a path MTU is of so many bytes. */
IBW_INLINE bool ibw_mtu_is(uint32_t bytes)
{
	return bytes >= IBW_MTU_MIN && bytes <= IBW_MTU_MAX && !(bytes & (bytes - 1));
}

#endif /* IBWIRE_TRANSPORT_H */
