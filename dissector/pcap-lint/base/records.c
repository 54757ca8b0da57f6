/* SPDX-License-Identifier: GPL-2.0-or-later */
/* records.c - keeps the file offsets of the records of frames. */
#include <glib.h>

#include "records.h"

struct record {
	uint64_t offset, bytes; /* no bytes: not known */
};

struct pl_records {
	GArray *at;    /* of struct record, by frame - 1 */
	GArray *files; /* of uint64_t */
};

struct pl_records *pl_records_new(void)
{
	struct pl_records *records = g_new0(struct pl_records, 1);

	records->at = g_array_new(FALSE, TRUE, sizeof(struct record));
	records->files = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return records;
}

void pl_records_free(struct pl_records *records)
{
	if (!records)
		return;
	g_array_unref(records->at);
	g_array_unref(records->files);
	g_free(records);
}

void pl_records_file(struct pl_records *records, uint64_t bytes)
{
	g_array_append_val(records->files, bytes);
}

uint64_t pl_records_of_file(const struct pl_records *records, unsigned int i)
{
	return i < records->files->len ? g_array_index(records->files, uint64_t, i) : 0;
}

void pl_records_add(struct pl_records *records, uint64_t frame, uint64_t offset, uint64_t bytes)
{
	if (!frame || frame > PL_RECORDS_MAX)
		return;
	if (frame > records->at->len)
		g_array_set_size(records->at, (unsigned int)frame);
	g_array_index(records->at, struct record, frame - 1) = (struct record){ offset, bytes };
}

bool pl_records_find(const struct pl_records *records, uint64_t frame, uint64_t *offset,
		     uint64_t *bytes)
{
	const struct record *r;

	if (!frame || frame > records->at->len)
		return false;
	r = &g_array_index(records->at, struct record, frame - 1);
	*offset = r->offset;
	*bytes = r->bytes;
	return r->bytes > 0;
}
