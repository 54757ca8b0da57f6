/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_case.h - cases of one line, for the make_lint_<group>.c files.
 *
 *	STATED(tver_1, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.tver = 1)
 *
 * defines tver_1(), which makes a healthy packet but for what the last argument says:
 * of its values (STATED), of its bytes with the CRCs made right after (EDITED), or of
 * its bytes with everything left as it is then (BROKEN).
 */
#ifndef PCAPS_MAKE_CASE_H
#define PCAPS_MAKE_CASE_H

#include "make.h"

/* @n bytes at @at are not sent; all the rest is right. */
static inline void leave_out(struct mk_packet *p, uint32_t at, uint32_t n)
{
	mk_remove(p, at, n);
	mk_fix(p);
}

/* Before it is built: a packet of the DC transport, in an opcode of RD. */
static inline void make_dc(struct mk_packet *p)
{
	p->eths = (uint16_t)ibw_dc_eths(p->bth.opcode, p->bth.se);
}

#define STATED(name, framing, opcode, payload, ...)                                                \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		mk_start(p, MK_##framing, IBW_OP_##opcode, payload);                               \
		__VA_ARGS__;                                                                       \
		mk_build(p);                                                                       \
	}

#define EDITED(name, framing, opcode, payload, ...)                                                \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		mk_plain(p, MK_##framing, IBW_OP_##opcode, payload);                               \
		__VA_ARGS__;                                                                       \
		mk_fix_crcs(p);                                                                    \
	}

#define BROKEN(name, framing, opcode, payload, ...)                                                \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		mk_plain(p, MK_##framing, IBW_OP_##opcode, payload);                               \
		__VA_ARGS__;                                                                       \
	}

/* A MAD, whose bytes the statements may change; METHOD_RESP in the method of a response. */
#define MAD(name, framing, mgmt_class, method, attr, ...)                                          \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		uint8_t *mad __attribute__((unused)) =                                             \
			mk_start_mad(p, MK_##framing, IBW_CLASS_##mgmt_class, method, attr);       \
		__VA_ARGS__;                                                                       \
		mk_build(p);                                                                       \
	}
#define METHOD_RESP 0x80
#define GET_RESP (METHOD_RESP | IBW_METHOD_GET)

/* The header @at so many bytes of the MAD. */
#define IN(hdr, at) ((struct ibw_##hdr##_wire *)(mad + (at)))

/* A MAD from one LID to another, without a link of Ethernet: its bytes. */
static inline uint8_t *begin_mad(struct mk_packet *p, uint8_t mgmt_class, uint8_t method,
				 uint16_t attr, uint16_t from, uint16_t to, uint64_t tid)
{
	uint8_t *mad;

	*p = (struct mk_packet){ .serial = 0 };
	mad = mk_start_mad(p, MK_IB_LOCAL, mgmt_class, method, attr);
	p->lrh.slid = from;
	p->lrh.dlid = to;
	ibw_mad_set_tid(IN(mad, 0), tid);
	return mad;
}

/* It is built, and the next one of the capture. */
static inline void put_built(struct mk_capture *c, struct mk_packet *p)
{
	mk_build(p);
	mk_put(c, p);
}

#endif /* PCAPS_MAKE_CASE_H */
