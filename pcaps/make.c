/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make.c - writes the synthetic captures.
 *
 *	make DIR	write all of them into DIR, which exists
 */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "make.h"

const char *mk_making;

void mk_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "make: %s%s", mk_making ? mk_making : "", mk_making ? ": " : "");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: make DIR\n", stderr);
		return 2;
	}
	if (chdir(argv[1]))
		mk_die("%s is no directory to write into", argv[1]);
	mk_all_cm();
	mk_all_opcodes();
	mk_all_link();
	mk_all_ipoib();
	mk_all_vectors();
	mk_all_lint();
	return 0;
}
