/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mutate_header.c - mutations of the bytes of a header (pick.h); its name changes to that of another. */
#include "fuzz.h"
#include "pick.h"

#define RENAME 32 /* one mutation in so many */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static size_t rename_header(uint8_t *data, size_t size, const uint8_t *bytes, size_t n,
			    unsigned int seed)
{
	const char *name = ibw_headers[seed % IBW_LAYER_COUNT].name;
	size_t len = strlen(name);

	if (len + 1 + n > size)
		n = size - len - 1;
	memmove(data + len + 1, bytes, n);
	memcpy(data, name, len);
	data[len] = '\n';
	return len + 1 + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const uint8_t *bytes = data;
	size_t n = size, head;

	if (max_size < 2 * PICK_NAME_MAX)
		return LLVMFuzzerMutate(data, size, max_size);
	if (!pick_header(&bytes, &n))
		return rename_header(data, max_size, data, size, seed);
	if (seed % RENAME == 0)
		return rename_header(data, max_size, bytes, n, seed / RENAME);
	head = (size_t)(bytes - data);
	return head + LLVMFuzzerMutate(data + head, n, max_size - head);
}
