/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* echo.h - the other end of tests/codec/vm: what comes by RC or by RMPP is sent back. */
#ifndef TESTS_KERNEL_ECHO_H
#define TESTS_KERNEL_ECHO_H

#undef pr_fmt
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <rdma/ib_verbs.h>

/* As tests/codec/vm/vm.h has them. */
#define ECHO_DEVICE "rxe0"
#define ECHO_PORT 4098
#define ECHO_CLASS 0x30
#define ECHO_OUI 0x1b31e0

/* echo_cm.c: a listener of RDMA CM, of all addresses. */
int echo_listen(void);
void echo_hang_up(void);

/* echo_mad.c: an agent of ib_mad with RMPP. */
int echo_register(struct ib_device *dev);
void echo_unregister(void);

#endif /* TESTS_KERNEL_ECHO_H */
