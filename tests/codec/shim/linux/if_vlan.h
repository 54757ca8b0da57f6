/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* if_vlan.h - for tests/codec/kernel/example.c in user space: the kernel's integers, Ethernet, the log. */
#ifndef TESTS_SHIM_LINUX_IF_VLAN_H
#define TESTS_SHIM_LINUX_IF_VLAN_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint32_t __be32;

#define be32_to_cpu(v) ntohl(v)
#define cpu_to_be32(v) htonl(v)

#define ETH_ALEN 6
#define VLAN_N_VID 4096

#define pr_info printf

static inline char *bin2hex(char *to, const void *from, size_t n)
{
	const u8 *p = from;

	for (; n; n--, p++) {
		*to++ = "0123456789abcdef"[*p >> 4];
		*to++ = "0123456789abcdef"[*p & 15];
	}
	return to;
}

#endif /* TESTS_SHIM_LINUX_IF_VLAN_H */
