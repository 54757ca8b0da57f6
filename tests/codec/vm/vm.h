/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vm.h - an end of connections that ibwire alone makes, for Linux's rxe to talk to.
 *
 * Runs in the VM of tests/codec/kernel.sh. rxe is on a tap device; what it sends is read from there, and what
 * it is to receive is written to it: every packet from its Ethernet header to its ICRC is built by
 * ibwire. The other end is the module of tests/codec/kernel/echo_main.c.
 */
#ifndef TESTS_VM_VM_H
#define TESTS_VM_VM_H

#include <stdio.h>

#include <ibwire/ibwire.h>

#define VM_TAP "tap0"
#define VM_RXE "rxe0"
#define VM_PORT 4098 /* where the listener is: RDMA CM, port space TCP */
/* The class, OUI and method of the RMPP agent. */
#define VM_CLASS 0x30
#define VM_OUI 0x1b31e0

/* What was found of the ICRCs of rxe's own packets. */
struct vm_icrcs {
	unsigned int right; /* packets */
	unsigned int flips; /* bits that were flipped, and seen */
};

/* Two addresses, of either family, and the tap device between them. */
struct vm {
	int tap;
	uint8_t here[IBW_GID_BYTES], there[IBW_GID_BYTES];
	struct vm_icrcs icrcs;
	uint64_t random;
};

/* A received packet, from its BTH on. */
struct vm_packet {
	uint8_t frame[4096];
	struct ibw_transport t;
};

/* False: something was said on stdout. */
bool vm_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* link.c: the device; rxe on it; who has an address. */
bool vm_open(struct vm *vm);
bool vm_rxe_add(void);
bool vm_neighbour(const uint8_t *gid);

/* wire.c */
uint32_t vm_random(struct vm *vm, uint32_t below);
uint64_t vm_msec(void);
/* @b from its BTH on; what is before it is set here. */
bool vm_send(struct vm *vm, struct ibw_build *b, const void *payload);
/* The same with a wrong ICRC. */
bool vm_send_spoiled(struct vm *vm, struct ibw_build *b, const void *payload);
bool vm_send_mad(struct vm *vm, const void *mad);
/* The next RoCE v2 packet, whose ICRC is right; false: none until @deadline, or a wrong one. */
bool vm_receive(struct vm *vm, struct vm_packet *p, uint64_t deadline);
/* The next MAD to QP1 of a class; NULL: none until @deadline. */
const uint8_t *vm_receive_mad(struct vm *vm, struct vm_packet *p, uint8_t mgmt_class,
			      uint64_t deadline);

/* cm.c: a connection to the listener, and its end. */
bool vm_connect(struct vm *vm, struct ibw_cm_conn *c);
bool vm_disconnect(struct vm *vm, struct ibw_cm_conn *c);

/* rc.c: messages that come back. */
bool vm_messages(struct vm *vm, const struct ibw_cm_conn *c);

/* rmpp.c: tables that come back; transfers that either end gives up. */
bool vm_tables(struct vm *vm);

#endif /* TESTS_VM_VM_H */
