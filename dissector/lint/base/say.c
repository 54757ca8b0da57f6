/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.c - formats durations and counted nouns in messages. */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "lint_impl.h"

/* A unit, and from how many nanoseconds on it is used. */
struct unit {
	const char *name;
	double ns;
	uint64_t from;
};

#define SECOND UINT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY + 6 * HOUR)

static const struct unit units[] = {
	{ "years", (double)YEAR, 2 * YEAR },
	{ "days", (double)DAY, 2 * DAY },
	{ "hours", (double)HOUR, 2 * HOUR },
	{ "s", 1e9, SECOND },
	{ "ms", 1e6, SECOND / 1000 },
	{ "us", 1e3, 1000 },
	{ "ns", 1, 0 },
};

/* With a point in every locale. */
const char *lint_duration_text(uint64_t ns, char *text)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	const struct unit *unit = units;

	while (ns < unit->from)
		unit++;
	g_ascii_formatd(number, sizeof(number), "%.4g", (double)ns / unit->ns);
	snprintf(text, LINT_DURATION_TEXT, "%.24s %s", number, unit->name);
	return text;
}

/* What rules count, and one of them. */
static const struct {
	const char *many, *one;
} things[] = {
	{ "ACKs", "ACK" },
	{ "CNPs", "CNP" },
	{ "PSN gaps", "PSN gap" },
	{ "PSNs", "PSN" },
	{ "QPs", "QP" },
	{ "READ responses", "READ response" },
	{ "RNR NAKs", "RNR NAK" },
	{ "XOFFs", "XOFF" },
	{ "XONs", "XON" },
	{ "answers", "answer" },
	{ "bytes", "byte" },
	{ "changes", "change" },
	{ "connections", "connection" },
	{ "directions", "direction" },
	{ "packets", "packet" },
	{ "pause frames", "pause frame" },
	{ "queue pairs", "queue pair" },
	{ "records", "record" },
	{ "requests", "request" },
	{ "responses", "response" },
	{ "retries", "retry" },
	{ "times", "time" },
};

/* "packets up to" -> "packet up to" */
static void say_one(char *text)
{
	size_t many, one;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(things); i++) {
		many = strlen(things[i].many);
		if (strncmp(text, things[i].many, many) != 0 || g_ascii_isalnum(text[many]))
			continue;
		one = strlen(things[i].one);
		memcpy(text, things[i].one, one);
		memmove(text + one, text + many, strlen(text + many) + 1);
		return;
	}
}

void lint_as_one(char *text)
{
	char *at = text;

	for (; (at = strstr(at, "1 ")); at += 2)
		if (at == text || at[-1] == ' ' || at[-1] == '(')
			say_one(at + 2);
}

void lint_say(char *message, size_t size, const char *format, va_list args)
{
	g_vsnprintf(message, size, format, args);
	lint_as_one(message);
}
