/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ipv6.h - for tests/kernel/example.c in user space: an address, and whether it holds an IPv4 one. */
#ifndef TESTS_SHIM_NET_IPV6_H
#define TESTS_SHIM_NET_IPV6_H

#include <netinet/in.h>

static inline bool ipv6_addr_v4mapped(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

#endif /* TESTS_SHIM_NET_IPV6_H */
