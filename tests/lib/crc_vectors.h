/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crc_vectors.h - reads data/crc-vectors.txt, which says what is in it. */
#ifndef TESTS_CRC_VECTORS_H
#define TESTS_CRC_VECTORS_H

#include <ibwire/crc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRC_VECTORS "tests/data/crc-vectors.txt"

struct crc_vector {
	const char *name;        /* until the next is read */
	enum ibw_icrc_kind kind; /* NONE: MPA */
	uint8_t icrc[4];
	uint8_t vcrc[2];
	uint8_t found[4];
	bool has_vcrc, has_found;
	const char *why;
	uint8_t p[2048];
	size_t n;
};

static inline void crc_vector_die(const char *what, int line)
{
	fprintf(stderr, "%s:%d: %s\n", CRC_VECTORS, line, what);
	exit(1);
}

static inline FILE *crc_vectors_open(void)
{
	FILE *f = fopen(CRC_VECTORS, "r");

	if (!f) {
		perror(CRC_VECTORS);
		exit(1);
	}
	return f;
}

/* How many bytes the hexadecimal @text holds; at most @room, each by two digits. */
static inline size_t crc_vector_hex(uint8_t *to, size_t room, const char *text, int line)
{
	static const char digits[] = "0123456789abcdef";
	const char *high, *low;
	size_t n = 0;

	for (; *text; text += 2) {
		high = strchr(digits, text[0]);
		low = text[1] ? strchr(digits, text[1]) : NULL;
		if (n == room || !high || !low)
			crc_vector_die("bad hexadecimal number", line);
		else
			to[n++] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return n;
}

/* The next vector of @f; false at the end. Ends the test at a line it cannot read. */
static inline bool crc_vector_read(FILE *f, struct crc_vector *v, int *line)
{
	static const char *const kinds[] = { "mpa",     "ib-local",     "ib-global",
					     "roce-v1", "roce-v2-ipv4", "roce-v2-ipv6" };
	static char text[8192];
	char *column[8], *at;
	int i;

	do {
		if (!fgets(text, sizeof(text), f))
			return false;
		++*line;
		text[strcspn(text, "\n")] = 0;
	} while (*text == '#' || !*text);
	for (i = 0, at = text; i < 8; i++) {
		column[i] = at;
		at = at ? strstr(at, " | ") : NULL;
		if (!column[i])
			crc_vector_die("fewer than 8 columns", *line);
		if (at) {
			*at = 0;
			at += 3;
		}
	}
	memset(v, 0, sizeof(*v));
	v->name = column[0];
	for (i = 0; i < 6 && strcmp(kinds[i], column[1]) != 0; i++)
		;
	if (i == 6)
		crc_vector_die("unknown kind", *line);
	v->kind = (enum ibw_icrc_kind)i;
	if (crc_vector_hex(v->icrc, 4, column[3], *line) != 4)
		crc_vector_die("the ICRC has not 4 bytes", *line);
	v->has_vcrc = strcmp(column[4], "-") != 0;
	if (v->has_vcrc && crc_vector_hex(v->vcrc, 2, column[4], *line) != 2)
		crc_vector_die("the VCRC has not 2 bytes", *line);
	v->has_found = strcmp(column[5], "-") != 0;
	if (v->has_found && crc_vector_hex(v->found, 4, column[5], *line) != 4)
		crc_vector_die("the wrong ICRC has not 4 bytes", *line);
	v->why = column[6];
	v->n = crc_vector_hex(v->p, sizeof(v->p), column[7], *line);
	return true;
}

#endif /* TESTS_CRC_VECTORS_H */
