/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel_example.c - tests/codec/kernel/example.c in user space: for kernel_example.py. */
#include "kernel/example_cases.h"

int main(void)
{
	example_cases();
	return 0;
}
