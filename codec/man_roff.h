/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * man_roff.h - the parts of ibwire-man: a page of section 3, and text in it.
 */
#ifndef CODEC_MAN_ROFF_H
#define CODEC_MAN_ROFF_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ibwire/tables.h>

/* Of the whole run: what is documented, when, and where the pages go. */
extern const char *man_version, *man_date, *man_out;

__attribute__((format(printf, 1, 2), noreturn)) void man_fail(const char *format, ...);

static inline bool man_starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static inline bool man_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A page that is written, its title and the heading NAME already; closed by man_close(). */
FILE *man_open(const char *page);
void man_close(FILE *out);

/* A page that is another one. */
void man_link(const char *name, const char *page);

/* A character as roff needs it, to @to; its length, 4 at most. */
size_t man_character(char *to, char c);

/* A line as it is, its tabs as spaces. */
void man_verbatim(FILE *out, const char *p, size_t n);

/* Running text in lines of 80 at most: @name is a parameter. */
void man_running(FILE *out, const char *p, size_t n);

/* Lines as they are, up to man_end_verbatim(). */
void man_begin_verbatim(FILE *out);
void man_end_verbatim(FILE *out);

/* The pages of the protocols' headers, from the tables. */
void man_schema_page(const struct ibw_header *h);

#endif /* CODEC_MAN_ROFF_H */
