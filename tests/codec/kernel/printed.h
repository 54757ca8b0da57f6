/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* printed.h - whether what ibwire-kheader prints works in the kernel. */
#ifndef TESTS_KERNEL_PRINTED_H
#define TESTS_KERNEL_PRINTED_H

#include <linux/types.h>

bool printed_equal(void);

#endif /* TESTS_KERNEL_PRINTED_H */
