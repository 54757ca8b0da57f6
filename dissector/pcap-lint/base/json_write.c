/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_write.c - JSON lines: one object a line, its keys in the order they are written. */
#include <string.h>

#include <ibwire/json.h>

#include "json_write.h"
#include "output.h"

void pl_json_string(struct ibw_out *o, const char *text)
{
	ibw_json_string(o, text, strlen(text));
}

void pl_json_begin(struct ibw_out *o, const char *type)
{
	ibw_out_str(o, "{\"type\":");
	pl_json_string(o, type);
}

void pl_json_end(struct ibw_out *o)
{
	ibw_out_str(o, "}\n");
}

void pl_json_key(struct ibw_out *o, const char *key)
{
	ibw_out_str(o, ",\"");
	ibw_out_str(o, key);
	ibw_out_str(o, "\":");
}

void pl_json_number(struct ibw_out *o, const char *key, uint64_t n)
{
	pl_json_key(o, key);
	ibw_out_dec(o, n);
}

void pl_json_text(struct ibw_out *o, const char *key, const char *text)
{
	pl_json_key(o, key);
	if (text)
		pl_json_string(o, text);
	else
		ibw_out_str(o, "null");
}

void pl_json_time(struct ibw_out *o, const char *key, bool known, uint64_t time_ns)
{
	pl_json_key(o, key);
	pl_json_time_or_null(o, known, time_ns);
}

void pl_json_time_or_null(struct ibw_out *o, bool known, uint64_t time_ns)
{
	if (!known) {
		ibw_out_str(o, "null");
		return;
	}
	ibw_out_char(o, '"');
	pl_out_time(o, time_ns);
	ibw_out_char(o, '"');
}

void pl_json_numbers(struct ibw_out *o, const char *key, const uint64_t *n, unsigned int count)
{
	unsigned int i;

	pl_json_key(o, key);
	ibw_out_char(o, '[');
	for (i = 0; i < count; i++) {
		if (i)
			ibw_out_char(o, ',');
		ibw_out_dec(o, n[i]);
	}
	ibw_out_char(o, ']');
}

void pl_json_bool(struct ibw_out *o, const char *key, bool value)
{
	pl_json_key(o, key);
	ibw_out_str(o, value ? "true" : "false");
}

void pl_json_number_or_null(struct ibw_out *o, const char *key, uint64_t n, bool known)
{
	if (known)
		pl_json_number(o, key, n);
	else
		pl_json_text(o, key, NULL);
}

void pl_json_frame(struct ibw_out *o, const struct pl_frames *frames, uint64_t number,
		   const char *file)
{
	const struct pl_place place = pl_frames_place(frames, number);
	char *text;

	if (!number || place.file == file) { /* frame 0 is none, in no file */
		ibw_out_dec(o, place.frame);
		return;
	}
	text = g_strdup_printf("%s:%" G_GUINT64_FORMAT, place.file, (guint64)place.frame);
	pl_json_string(o, text);
	g_free(text);
}

void pl_json_frame_or_null(struct ibw_out *o, const char *key, const struct pl_frames *frames,
			   uint64_t number, const char *file)
{
	pl_json_key(o, key);
	if (number)
		pl_json_frame(o, frames, number, file);
	else
		ibw_out_str(o, "null");
}

void pl_json_frames(struct ibw_out *o, const char *key, const struct pl_frames *frames,
		    const uint64_t *n, unsigned int count, const char *file)
{
	unsigned int i;

	pl_json_key(o, key);
	ibw_out_char(o, '[');
	for (i = 0; i < count; i++) {
		if (i)
			ibw_out_char(o, ',');
		pl_json_frame(o, frames, n[i], file);
	}
	ibw_out_char(o, ']');
}

void pl_json_counts(struct ibw_out *o, const char *key, const char *const *names, const uint64_t *n,
		    unsigned int count)
{
	const char *before = "{";
	unsigned int i;

	pl_json_key(o, key);
	for (i = 0; i < count; i++) {
		if (!n[i])
			continue;
		ibw_out_str(o, before);
		pl_json_string(o, names[i]);
		ibw_out_char(o, ':');
		ibw_out_dec(o, n[i]);
		before = ",";
	}
	ibw_out_str(o, *before == '{' ? "{}" : "}");
}

void pl_json_seconds(struct ibw_out *o, const char *key, uint64_t ns)
{
	uint64_t digit = 100000000, left = ns % 1000000000;

	pl_json_number(o, key, ns / 1000000000);
	if (left)
		ibw_out_char(o, '.');
	for (; left; left %= digit, digit /= 10)
		ibw_out_char(o, (char)('0' + left / digit));
}
