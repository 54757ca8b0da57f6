// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* main.c - connections and tables to rxe, over IPv4 and over IPv6. */
#include "vm.h"

#include <stdarg.h>

bool vm_fail(const char *format, ...)
{
	va_list args;

	printf("peer: FAILED: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	return false;
}

static bool both(struct vm *vm, uint32_t comm_id)
{
	struct ibw_cm_conn c = { .local = { comm_id, 0x1b31 + comm_id, 0xfffffe }, .tid = comm_id };

	return vm_neighbour(vm->here) && vm_connect(vm, &c) && vm_messages(vm, &c) &&
	       vm_disconnect(vm, &c) && vm_tables(vm);
}

int main(void)
{
	struct vm v4 = { .here = { [10] = 0xff, 0xff, 10, 9, 0, 2 },
			 .there = { [10] = 0xff, 0xff, 10, 9, 0, 1 },
			 .random = 13 };
	struct vm v6 = { .here = { 0xfd, 9, [15] = 2 },
			 .there = { 0xfd, 9, [15] = 1 },
			 .random = 14 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!vm_open(&v4) || !vm_rxe_add())
		return 1;
	v6.tap = v4.tap;
	printf("peer: over IPv4\n");
	if (!both(&v4, 0x101))
		return 1;
	printf("peer: over IPv6\n");
	if (!both(&v6, 0x202))
		return 1;
	printf("peer: ICRC of %u packets of rxe right, %u flipped bits seen\n",
	       v4.icrcs.right + v6.icrcs.right, v4.icrcs.flips + v6.icrcs.flips);
	printf("peer: PASS\n");
	return 0;
}
