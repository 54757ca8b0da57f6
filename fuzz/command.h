/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * command.h - pcap-lint in this process, over and over, on files that are in memory only.
 *
 *	command_input(data, size);
 *	status = command_run("--format", "json", COMMAND_END);
 *	... command_bytes(COMMAND_REPORT, &n) ...
 */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What it reads: the capture. What it writes: packets, what it reports, what it says on standard error. */
enum command_file { COMMAND_INPUT, COMMAND_PACKETS, COMMAND_REPORT, COMMAND_SAID, COMMAND_FILES };

/* The capture. */
void command_input(const void *data, size_t size);

/* The next run reads it from a pipe, as far as one holds it: standard input is live. */
void command_pipe(void);

/* A name for a file, as an argument. */
const char *command_name(enum command_file file);

/*
 * Runs it with these words, which end with COMMAND_END, then "--config none -o REPORT INPUT"; returns the exit
 * status. Nothing is in the files it writes but what this run wrote.
 */
#define COMMAND_END ((const char *)NULL)
int command_run(const char *word, ...) __attribute__((sentinel));

/*
 * Runs it with just these @n words, at most COMMAND_WORDS, after its name. What it prints on standard output is
 * COMMAND_REPORT. --config has to be among them, or the one of the machine is read.
 */
#define COMMAND_WORDS 24
int command_run_words(const char *const *words, unsigned int n);

/* Nothing is in it any more. */
void command_empty(enum command_file file);

/* What is in a file, valid until the next call about it. */
const uint8_t *command_bytes(enum command_file file, size_t *n);

/* Ends the run if there is what no terminal should get: controls, and what hides or turns other text. */
void command_check_plain(enum command_file file);

/* Ends the run if it is not a JSON object a line. */
void command_check_json(enum command_file file);

#endif /* FUZZ_COMMAND_H */
