/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json_syntax.c - whether bytes are JSON, asked of nothing that writes it. RFC 8259 */
#include <stdint.h>
#include <string.h>

#include "json_syntax.h"

#define DEPTH_MAX 32

struct place {
	const uint8_t *p, *end;
	char open[DEPTH_MAX]; /* brackets */
	unsigned int depth;
};

static bool is_next(const struct place *j, const char *any)
{
	return j->p < j->end && *j->p && strchr(any, *j->p);
}

static bool take(struct place *j, const char *any)
{
	if (!is_next(j, any))
		return false;
	j->p++;
	return true;
}

static bool take_word(struct place *j, const char *word)
{
	const size_t n = strlen(word);

	if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0)
		return false;
	j->p += n;
	return true;
}

static bool take_digits(struct place *j)
{
	if (!take(j, "0123456789"))
		return false;
	while (take(j, "0123456789"))
		;
	return true;
}

static bool take_number(struct place *j)
{
	take(j, "-");
	if (!take(j, "0") && !take_digits(j))
		return false;
	if (take(j, ".") && !take_digits(j))
		return false;
	if (!take(j, "eE"))
		return true;
	take(j, "+-");
	return take_digits(j);
}

static bool take_escape(struct place *j)
{
	unsigned int i;

	if (!take(j, "u"))
		return take(j, "\"\\/bfnrt");
	for (i = 0; i < 4; i++)
		if (!take(j, "0123456789abcdefABCDEF"))
			return false;
	return true;
}

/* Beyond ASCII: in as few bytes as can be, no surrogate. RFC 3629 */
static bool take_utf8(struct place *j)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const uint8_t first = *j->p++;
	const unsigned int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
	uint32_t c = first & (0x3fu >> more);
	unsigned int i;

	if (first < 0xc2 || first > 0xf4)
		return false;
	for (i = 0; i < more; i++) {
		if (j->p == j->end || (*j->p & 0xc0) != 0x80)
			return false;
		c = c << 6 | (*j->p++ & 0x3fu);
	}
	return c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static bool take_string(struct place *j)
{
	if (!take(j, "\""))
		return false;
	while (j->p < j->end && *j->p != '"') {
		if (*j->p < ' ')
			return false;
		if (*j->p >= 0x80) {
			if (!take_utf8(j))
				return false;
		} else if (*j->p++ == '\\' && !take_escape(j)) {
			return false;
		}
	}
	return take(j, "\"");
}

static bool take_key(struct place *j)
{
	return j->open[j->depth - 1] == '[' || (take_string(j) && take(j, ":"));
}

/* The brackets that begin a value, with the keys between them, and the value in the innermost. */
static bool take_value(struct place *j)
{
	while (is_next(j, "{[")) {
		if (j->depth == DEPTH_MAX)
			return false;
		j->open[j->depth++] = (char)*j->p++;
		if (is_next(j, "}]"))
			return true;
		if (!take_key(j))
			return false;
	}
	return take_string(j) || take_word(j, "true") || take_word(j, "false") ||
	       take_word(j, "null") || take_number(j);
}

bool json_is_object(const void *text, size_t n)
{
	struct place j = { .p = text, .end = (const uint8_t *)text + n };

	if (!is_next(&j, "{") || !take_value(&j))
		return false;
	while (j.depth) {
		if (take(&j, ",")) {
			if (!take_key(&j) || !take_value(&j))
				return false;
		} else if (!take(&j, j.open[--j.depth] == '{' ? "}" : "]")) {
			return false;
		}
	}
	return j.p == j.end;
}
