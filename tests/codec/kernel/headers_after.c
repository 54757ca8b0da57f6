// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* headers_after.c - every header of include/ibwire after those of the kernel. */
#include "headers_kernel.h"
#include "headers_ibwire.h"
#include "example_cases.h"
#include "printed.h"

/* One address with both names of each of its parts: that they clash nowhere is the point. */
static int __init ibwire_headers_init(void)
{
	union ib_gid gid = { .global = { .subnet_prefix = cpu_to_be64(0xfe80000000000000ULL) } };

	example_cases();
	return ibw_gid_is_link_local(gid.raw) && printed_equal() ? 0 : -EINVAL;
}

static void __exit ibwire_headers_exit(void)
{
}

module_init(ibwire_headers_init);
module_exit(ibwire_headers_exit);
MODULE_DESCRIPTION("Compiles every header of include/ibwire next to the kernel's own");
MODULE_LICENSE("Dual BSD/GPL");
