/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * transport_view.h - parses a packet in place from its BTH on, and builds one, for callers that
 * leave what precedes the BTH to other software, as soft RoCE leaves it to UDP sockets.
 *
 *	struct ibw_transport t;
 *
 *	if (ibw_transport_view(&t, p, n))	... no packet, or cut ...
 *	if (t.reth)
 *		va = ibw_reth_va(t.reth);
 *
 *	n = ibw_build_transport(buf, cap, &b);	... build.h ...
 *
 * Views point into the caller's bytes, of any alignment; values are host integers by
 * the getters of each header. No byte outside [p, p + n) is read and nothing but the
 * result is written: any thread may call these.
 */
#ifndef IBWIRE_TRANSPORT_VIEW_H
#define IBWIRE_TRANSPORT_VIEW_H

#include "build.h"

/* Why the bytes are not a packet. */
enum ibw_transport_error {
	IBW_TRANSPORT_OK,
	IBW_TRANSPORT_CUT,    /* ends in its BTH or in the headers its opcode has */
	IBW_TRANSPORT_OPCODE, /* the opcode is not defined: only bth is set */
	IBW_TRANSPORT_PAD     /* PadCnt is more than there are bytes of payload */
};

/* A packet from its BTH to its ICRC; a header that its opcode does not have is NULL. */
struct ibw_transport {
	const struct ibw_bth_wire *bth;
	const struct ibw_rdeth_wire *rdeth;
	const struct ibw_deth_wire *deth;
	const struct ibw_xrceth_wire *xrceth;
	const struct ibw_feth_wire *feth;
	const struct ibw_reth_wire *reth;
	const struct ibw_atomiceth_wire *atomiceth;
	const struct ibw_aeth_wire *aeth;
	const struct ibw_atomicacketh_wire *atomicacketh;
	const struct ibw_immdt_wire *immdt;
	const struct ibw_ieth_wire *ieth;
	const struct ibw_atomicwrite_wire *atomicwrite;
	const struct ibw_cnp_wire *cnp;
	const uint8_t *payload; /* after all headers */
	uint32_t payload_len;   /* without the pad */
	uint32_t pad;           /* bytes after the payload, 0 to 3 */
	uint32_t chain;         /* ibw_opcode_chain() of its opcode */
};

/* The header of @bit, if the opcode has it; @p moves to what follows. */
#define IBW_TRANSPORT_VIEW(t, p, BIT, name)                                                        \
	do {                                                                                       \
		if ((t)->chain & IBW_ETH_##BIT) {                                                  \
			(t)->name = (const struct ibw_##name##_wire *)(p);                         \
			(p) += ibw_##name##_BYTES;                                                 \
		}                                                                                  \
	} while (0)

/* No header and no payload. */
static inline void ibw_transport_clear(struct ibw_transport *t)
{
	t->bth = NULL;
	t->rdeth = NULL;
	t->deth = NULL;
	t->xrceth = NULL;
	t->feth = NULL;
	t->reth = NULL;
	t->atomiceth = NULL;
	t->aeth = NULL;
	t->atomicacketh = NULL;
	t->immdt = NULL;
	t->ieth = NULL;
	t->atomicwrite = NULL;
	t->cnp = NULL;
	t->payload = NULL;
	t->payload_len = t->pad = t->chain = 0;
}

/*
 * The @n bytes at @p are a packet from its BTH up to the place of the ICRC. With an error the
 * payload is NULL, and no extension header is set.
 */
static inline enum ibw_transport_error ibw_transport_view(struct ibw_transport *t, const void *p,
							  size_t n)
{
	const uint8_t *at = (const uint8_t *)p;
	uint32_t chain, headers;

	ibw_transport_clear(t);
	if (n < ibw_bth_BYTES)
		return IBW_TRANSPORT_CUT;
	t->bth = (const struct ibw_bth_wire *)p;
	chain = ibw_opcode_chain(ibw_bth_opcode(t->bth));
	if (!chain)
		return IBW_TRANSPORT_OPCODE;
	headers = (uint32_t)ibw_bth_BYTES + IBW_ETHS_BYTES(chain);
	if (n < headers)
		return IBW_TRANSPORT_CUT;
	if (n - headers < ibw_bth_padcnt(t->bth))
		return IBW_TRANSPORT_PAD;
	t->chain = chain;
	t->pad = ibw_bth_padcnt(t->bth);
	at += ibw_bth_BYTES;
	IBW_TRANSPORT_VIEW(t, at, RDETH, rdeth);
	IBW_TRANSPORT_VIEW(t, at, DETH, deth);
	IBW_TRANSPORT_VIEW(t, at, XRCETH, xrceth);
	IBW_TRANSPORT_VIEW(t, at, FETH, feth);
	IBW_TRANSPORT_VIEW(t, at, RETH, reth);
	IBW_TRANSPORT_VIEW(t, at, ATOMICETH, atomiceth);
	IBW_TRANSPORT_VIEW(t, at, AETH, aeth);
	IBW_TRANSPORT_VIEW(t, at, ATOMICACKETH, atomicacketh);
	IBW_TRANSPORT_VIEW(t, at, IMMDT, immdt);
	IBW_TRANSPORT_VIEW(t, at, IETH, ieth);
	IBW_TRANSPORT_VIEW(t, at, ATOMICWRITE, atomicwrite);
	IBW_TRANSPORT_VIEW(t, at, CNP, cnp);
	t->payload = at;
	t->payload_len = (uint32_t)(n - headers - t->pad);
	return IBW_TRANSPORT_OK;
}

#undef IBW_TRANSPORT_VIEW

#endif /* IBWIRE_TRANSPORT_VIEW_H */
