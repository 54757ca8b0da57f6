/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * words.h - reads words, numbers and bytes from a line of test data, one after the other: each
 * puts @at after what it took, and returns false, with @at anywhere, if it is not there.
 */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @text itself. */
static inline bool text_take(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

/* A word, spaces before it stepped over; it has to fit @room. */
static inline bool word_take(const char **at, char *word, size_t room)
{
	size_t n;

	*at += strspn(*at, " ");
	n = strcspn(*at, " ");
	if (n == 0 || n >= room)
		return false;
	memcpy(word, *at, n);
	word[n] = '\0';
	*at += n;
	return true;
}

/* A decimal number, spaces before it stepped over. */
static inline bool number_take(const char **at, unsigned long *number)
{
	char *end;

	*at += strspn(*at, " ");
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*number = strtoul(*at, &end, 10);
	*at = end;
	return errno == 0;
}

/* Pairs of hexadecimal digits as bytes; how many, at most @room. */
static inline size_t bytes_take(const char **at, uint8_t *p, size_t room)
{
	char digits[3] = "";
	size_t n = 0;

	while (n < room && isxdigit((unsigned char)(*at)[0]) && isxdigit((unsigned char)(*at)[1])) {
		memcpy(digits, *at, 2);
		p[n++] = (uint8_t)strtoul(digits, NULL, 16);
		*at += 2;
	}
	return n;
}

#endif /* TESTS_WORDS_H */
