/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check.h - the test framework: checks that go on after a failure.
 *
 *	int main(void)
 *	{
 *		CHECK(ibw_bth_view(p, 11) == NULL);
 *		CHECK_EQ(ibw_bth_psn(w), 7);
 *		return check_end();
 *	}
 *
 * A failing check prints file:line and both values and counts; check_end()
 * prints the totals and returns the exit status: 0, or 1 if a check failed or
 * none ran. Inside a table-driven loop, check_case() names the case in the
 * failures that follow.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECK_SKIPPED 77 /* the status by which ctest knows a skipped test */
#define CHECK_PRINTED 50 /* failures printed; all are counted */

static unsigned long check_count, check_failures;
static char check_name[200];

/* True if the failure is to be printed, after its first line has been. */
static inline bool check_failed(const char *file, int line, const char *what)
{
	check_failures++;
	if (check_failures > CHECK_PRINTED)
		return false;
	fprintf(stderr, "%s:%d: %s%s%s\n", file, line, check_name, *check_name ? ": " : "", what);
	return true;
}

/* Names the case, printf-like; "" for none. */
__attribute__((format(printf, 1, 2), unused)) static void check_case(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(check_name, sizeof(check_name), format, ap);
	va_end(ap);
}

static inline bool check_true(const char *file, int line, const char *what, bool ok)
{
	check_count++;
	if (!ok)
		check_failed(file, line, what);
	return ok;
}

/* The file at @path for reading; NULL, which has been counted, if there is none. */
static inline FILE *check_open(const char *file, int line, const char *path)
{
	FILE *in = fopen(path, "rb");

	check_count++;
	if (!in && check_failed(file, line, path))
		perror("\tcannot be opened");
	return in;
}

static inline bool check_eq(const char *file, int line, const char *what, uintmax_t got,
			    uintmax_t want)
{
	check_count++;
	if (got == want)
		return true;
	if (check_failed(file, line, what))
		fprintf(stderr, "\tgot  %jd (0x%jx)\n\twant %jd (0x%jx)\n", (intmax_t)got, got,
			(intmax_t)want, want);
	return false;
}

static inline bool check_str(const char *file, int line, const char *what, const char *got,
			     const char *want)
{
	check_count++;
	if (got == want || (got && want && strcmp(got, want) == 0))
		return true;
	if (check_failed(file, line, what))
		fprintf(stderr, "\tgot  %s%s%s\n\twant %s%s%s\n", got ? "\"" : "",
			got ? got : "NULL", got ? "\"" : "", want ? "\"" : "", want ? want : "NULL",
			want ? "\"" : "");
	return false;
}

/* 16 bytes a line, from the line with the first difference, at most 4 lines. */
static inline void check_hex(const char *label, const uint8_t *p, size_t n, size_t from)
{
	size_t i, end = n - from > 64 ? from + 64 : n;

	for (i = from; i < end; i++) {
		if (i % 16 == 0)
			fprintf(stderr, "%s\t%s %04zx:", i == from ? "" : "\n", label, i);
		fprintf(stderr, " %02x", p[i]);
	}
	fprintf(stderr, "\n");
}

static inline bool check_mem(const char *file, int line, const char *what, const void *got,
			     const void *want, size_t n)
{
	const uint8_t *g = got, *w = want;
	size_t at = 0;

	check_count++;
	while (at < n && g[at] == w[at])
		at++;
	if (at == n)
		return true;
	if (check_failed(file, line, what)) {
		fprintf(stderr, "\tfirst difference at byte %zu of %zu\n", at, n);
		check_hex("got ", g, n, at / 16 * 16);
		check_hex("want", w, n, at / 16 * 16);
	}
	return false;
}

/* Each yields whether it held, so that a test can give up where going on makes no sense. */
#define CHECK(cond) check_true(__FILE__, __LINE__, #cond, (cond) ? true : false)
#define CHECK_EQ(got, want)                                                                        \
	check_eq(__FILE__, __LINE__, #got " == " #want, (uintmax_t)(got), (uintmax_t)(want))
#define CHECK_STR(got, want) check_str(__FILE__, __LINE__, #got " == " #want, (got), (want))
#define CHECK_OPEN(path) check_open(__FILE__, __LINE__, (path))
#define CHECK_MEM(got, want, n) check_mem(__FILE__, __LINE__, #got " == " #want, (got), (want), (n))

static inline int check_end(void)
{
	if (check_failures > CHECK_PRINTED)
		fprintf(stderr, "... and %lu more\n", check_failures - CHECK_PRINTED);
	printf("%lu checks, %lu failed\n", check_count, check_failures);
	if (check_count == 0)
		fprintf(stderr, "no check ran\n");
	return check_failures || check_count == 0 ? 1 : 0;
}

#endif /* TESTS_CHECK_H */
