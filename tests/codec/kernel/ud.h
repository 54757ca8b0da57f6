/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ud.h - one random UD header, for the kernel's builder and for ours. */
#ifndef TESTS_KERNEL_UD_H
#define TESTS_KERNEL_UD_H

#undef pr_fmt
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/random.h>
#include <linux/types.h>
#include <rdma/ib_pack.h>
#include <ibwire/build_crc.h>

/* More than any header. */
#define UD_ROOM 128

/* The framings ib_ud_header_init() knows. */
enum ud_framing {
	UD_IB,
	UD_IB_GRH,
	UD_V1,
	UD_V1_VLAN,
	UD_V2_IPV4,
	UD_V2_IPV4_VLAN,
	UD_V2_IPV6,
	UD_V2_IPV6_VLAN,
	UD_FRAMINGS
};

struct ud_case {
	enum ud_framing framing;
	u32 payload;
	bool imm;
};

extern const char *const ud_framing_names[UD_FRAMINGS];

/* ib_ud_header_init() and ibw_ud_header_init() with the same arguments. */
void ud_init_theirs(struct ud_case c, struct ib_ud_header *theirs);
void ud_init_ours(struct ud_case c, struct ibw_build *ours);

/* Both, and random values of everything the caller of ib_ud_header_init() sets, in both. */
void ud_fill(struct ud_case c, struct rnd_state *rnd, struct ib_ud_header *theirs,
	     struct ibw_build *ours);

/* Whether ib_ud_header_init() gets the lengths right. */
bool ud_kernel_is_right(struct ud_case c);

/* Sets all lengths and the IPv4 checksum to zero in a header of the kind and link headers of @b. */
void ud_without_lengths(u8 *p, const struct ibw_build *b);

/* Bytes of the longest payload that is checked. */
#define UD_PAYLOAD_MAX 260

/* ICRCs of random packets, by the kernel's crc32_le() and by ours; false: one differs. */
bool ud_check_icrc(struct rnd_state *rnd, unsigned int count);

/* Prints what @count headers cost, theirs and ours, in ticks of the time stamp counter. */
void ud_measure(unsigned int count);

#endif /* TESTS_KERNEL_UD_H */
