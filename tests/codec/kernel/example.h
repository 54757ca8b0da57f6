/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* example.h - what a driver has at hand when it sends a MAD. */
#ifndef TESTS_KERNEL_EXAMPLE_H
#define TESTS_KERNEL_EXAMPLE_H

#include <linux/if_vlan.h>
#include <rdma/ib_verbs.h>
#include <ibwire/route.h>

struct example_port {
	const struct rdma_ah_attr *ah;
	u8 mac[ETH_ALEN];
	u16 vlan; /* VLAN_N_VID: none */
	u32 payload_len;
};

size_t example_gsi_headers(void *buf, size_t cap, const struct example_port *port,
			   const struct ib_ud_wr *wr, u32 psn);

#endif /* TESTS_KERNEL_EXAMPLE_H */
