/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_user.h - what ibwire-kheader's output takes from the Linux kernel, for user space. */
#ifndef TESTS_KHEADER_USER_H
#define TESTS_KHEADER_USER_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#endif /* TESTS_KHEADER_USER_H */
