/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - files that are written whole or not at all.
 *
 * A regular or absent file is written as a temporary file in its directory, which replaces it when it is
 * complete. Devices, FIFOs and descriptors of this process (/dev/stdout) are written directly.
 */
#ifndef PL_FILE_H
#define PL_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

struct pl_file {
	const char *name; /* the caller's; "-" is standard output */
	int fd;
	char *target;    /* of all symbolic links; NULL: written directly */
	char *temporary; /* NULL: it has no name yet, or is written directly */
};

/* False: *err says why not. No file is changed yet. */
bool pl_file_open(struct pl_file *file, const char *name, GError **err);

/* Another stream into it, to be closed before pl_file_close(). NULL: errno. */
FILE *pl_file_stream(const struct pl_file *file);

/* Whether something would be lost if what was written took the place of what is there. */
bool pl_file_replaces(const struct pl_file *file);

/* Ends it: what was written takes the place of what was there. False: that could not be. */
bool pl_file_close(struct pl_file *file, GError **err);

/* Ends it: what was there stays. */
void pl_file_drop(struct pl_file *file);

/* The same, for the reason in errno; false. */
bool pl_file_failed(struct pl_file *file, GError **err);

/* Whether two outputs are one file, or would be, by whatever names. */
bool pl_file_same(const char *output, const char *other);

/* Whether an output is the file @input ("-": standard input). */
bool pl_file_is_input(const char *output, const char *input);

/* Whether an input can be read twice; one that is missing can: who opens it says so. */
bool pl_file_reads_twice(const char *input);

/*
 * What has to be written to for an output: the directory it is in, at last, or if it is no regular file itself.
 * NULL: nothing that is opened.
 */
char *pl_file_where(const char *output);

/* Whether an output is standard output, by whatever name. */
bool pl_file_is_stdout(const char *output);

/*
 * Descriptors 0 to 2 that nobody opened get in the way of no file opened later: reading and writing
 * them fails, as it would have.
 */
void pl_file_occupy_standard(void);

#endif /* PL_FILE_H */
