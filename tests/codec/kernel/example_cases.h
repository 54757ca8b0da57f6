/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* example_cases.h - MADs for the driver of example.c to send. */
#ifndef TESTS_KERNEL_EXAMPLE_CASES_H
#define TESTS_KERNEL_EXAMPLE_CASES_H

/* Logs what example_gsi_headers() was given and wrote, a line a MAD: for kernel_example.py. */
void example_cases(void);

#endif /* TESTS_KERNEL_EXAMPLE_CASES_H */
