/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - gives up the rights that pcap-lint does not need once it knows its files.
 *
 * Landlock: it reads only its captures, config files and system files, and writes only in the directories of
 * its outputs. seccomp: it starts no program, traces none, and opens no socket. An attacker who takes it
 * over with a capture can do no more than that. If the kernel lacks or refuses one of the two, the other
 * still applies.
 */
#ifndef PL_SANDBOX_H
#define PL_SANDBOX_H

#include <stdbool.h>

#include <glib.h>

#include <ibwire/out.h>

struct pl_sandbox {
	GPtrArray *reads;  /* files: of those that are there, that may be read */
	GPtrArray *writes; /* outputs, by the names of the command line */
	bool names;        /* a filter may have to ask for the address of a name */
};

/* Lists that are empty. */
void pl_sandbox_open(struct pl_sandbox *sandbox);
/* A copy of @file; NULL or "-" is none. */
void pl_sandbox_reads(struct pl_sandbox *sandbox, const char *file);
void pl_sandbox_writes(struct pl_sandbox *sandbox, const char *file);

/* From here on nothing else; before there is a thread, for Landlock is about the one that asks. Frees the lists. */
void pl_sandbox_enter(struct pl_sandbox *sandbox);

/* "sandbox: Landlock ABI 6, seccomp": what is on. */
void pl_sandbox_say(struct ibw_out *o);

#endif /* PL_SANDBOX_H */
