/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make.c - writes the synthetic captures.
 *
 *	make DIR STREAMS	write all of them into DIR, which exists; the conversations
 *				are the .txt files of STREAMS
 *	make -s DIR STREAMS	the conversations only
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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
	bool streams_only = argc == 4 && !strcmp(argv[1], "-s");
	int streams;

	if (argc != 3 && !streams_only) {
		fputs("usage: make [-s] DIR STREAMS\n", stderr);
		return 2;
	}
	argv += streams_only;
	streams = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (streams < 0)
		mk_die("%s is no directory to read from", argv[2]);
	if (chdir(argv[1]))
		mk_die("%s is no directory to write into", argv[1]);
	mk_all_streams(streams, argv[2]);
	close(streams);
	if (streams_only)
		return 0;
	mk_all_cm();
	mk_all_opcodes();
	mk_all_link();
	mk_all_ipoib();
	mk_all_vectors();
	mk_all_lint();
	return 0;
}
