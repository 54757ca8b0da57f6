/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * site.h - three places where drivers build the headers of a datagram of QP0 or QP1 by themselves.
 *
 * Each is there on ibwire (site_NAME.c), once more with one ibw_build_headers() for all three
 * (site_extern.c), and on ib_ud_header_init() and ib_ud_header_pack() (site_NAME_pack.c), with the
 * same values in every field. What the drivers do was read in Linux
 * 6.1; what they do wrong is in build.h.
 */
#ifndef TESTS_KERNEL_SITE_H
#define TESTS_KERNEL_SITE_H

#include "ud.h"

#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <ibwire/route.h>

/* What a driver has at hand. */
struct site {
	const struct rdma_ah_attr *ah;
	const struct ib_ud_wr *wr;
	u8 mac[ETH_ALEN];
	u16 vlan; /* VLAN_N_VID: none */
	u16 slid; /* on an InfiniBand link */
	u8 vl;
	u16 pkey;
	u32 qpn; /* 0 or 1 */
	u32 qkey;
	u32 psn;
};

/* Bytes of a message. */
static inline u32 site_payload(const struct ib_ud_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->wr.num_sge; i++)
		bytes += wr->wr.sg_list[i].length;
	return bytes;
}

/* The gather list of one WQE. */
#define SITE_SGES 4

/*
 * mlx4: the headers are in the WQE, in inline segments, none of which crosses 64 bytes: 4 bytes
 * with their length, then they. Returns the bytes of the segments; 0: no such packet.
 */
size_t site_mlx4(void *wqe, const struct site *s);
size_t site_mlx4_extern(void *wqe, const struct site *s);
size_t site_mlx4_pack(void *wqe, const struct site *s, struct ib_ud_header *h);

#define SITE_MLX4_ALIGN 64
#define SITE_MLX4_INLINE BIT(31)

static inline size_t site_mlx4_inline(void *wqe, const u8 *headers, size_t n)
{
	u8 *p = wqe;

	while (n) {
		size_t room = SITE_MLX4_ALIGN - ((uintptr_t)(p + 4) & (SITE_MLX4_ALIGN - 1));
		size_t here = min(n, room);

		ibw_put_be32(p, SITE_MLX4_INLINE | (u32)here);
		memcpy(p + 4, headers, here);
		p += 4 + here;
		headers += here;
		n -= here;
	}
	return (size_t)(p - (u8 *)wqe);
}

/*
 * bnxt_re: the headers are in a slot of a ring, and become the first piece of the gather list.
 * Returns the pieces; 0: no such packet.
 */
struct site_bnxt_re {
	struct ib_sge sge[1 + SITE_SGES];
	u8 slot[UD_ROOM];
};

unsigned int site_bnxt_re(struct site_bnxt_re *q, const struct site *s);
unsigned int site_bnxt_re_extern(struct site_bnxt_re *q, const struct site *s);
unsigned int site_bnxt_re_pack(struct site_bnxt_re *q, const struct site *s,
			       struct ib_ud_header *h);

/* qedr: a packet for the Ethernet side of the device. False: no such packet. */
struct site_qedr {
	u8 headers[UD_ROOM];
	u32 headers_len;
	enum rdma_network_type mode;
	bool loopback; /* to this port itself */
	unsigned int pieces;
	struct ib_sge piece[SITE_SGES];
};

bool site_qedr(struct site_qedr *p, const struct site *s);
bool site_qedr_extern(struct site_qedr *p, const struct site *s);
bool site_qedr_pack(struct site_qedr *p, const struct site *s);

/* @count random datagrams through each site and its twins; false: an unexpected difference. */
bool site_check(struct rnd_state *rnd, unsigned int count);
/* Prints what @count datagrams cost at each site, in ticks of the time stamp counter. */
void site_measure(unsigned int count);

#endif /* TESTS_KERNEL_SITE_H */
