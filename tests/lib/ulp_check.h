/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_check.h - the walk over one message of an upper layer against what it is to find: "nvme_command 0 nvme_rw 40 data 64 512",
 * each header with its offset, the data with its length, too.
 */
#ifndef TESTS_ULP_CHECK_H
#define TESTS_ULP_CHECK_H

#include "check.h"

#include <ibwire/ulp.h>

#define ULP_SPANS_MAX 512

static uint8_t ulp_bytes[8192];
static struct ibw_ulp_walked ulp_walked;
static struct ibw_span ulp_span[ULP_SPANS_MAX];
static char ulp_text[32768];

/* What a walk over the first @n of @len bytes finds. */
static const char *ulp_found(enum ibw_ulp ulp, unsigned int flags, uint32_t n, uint32_t len)
{
	size_t at = 0;
	uint32_t i;

	ibw_ulp_walk(&ulp_walked, ulp, flags, ulp_bytes, n, len, ulp_span, ULP_SPANS_MAX);
	ulp_text[0] = '\0';
	for (i = 0; i < ulp_walked.n_spans; i++)
		at += (size_t)snprintf(ulp_text + at, sizeof(ulp_text) - at, "%s%s %u",
				       at ? " " : "", ibw_headers[ulp_span[i].layer].name,
				       ulp_span[i].off);
	if (ulp_walked.data_len)
		snprintf(ulp_text + at, sizeof(ulp_text) - at, " data %u %u", ulp_walked.data_off,
			 ulp_walked.data_len);
	return ulp_text;
}

/* A message that is whole. */
__attribute__((unused)) static void ulp_is(enum ibw_ulp ulp, unsigned int flags, uint32_t n,
					   const char *spans)
{
	CHECK_STR(ulp_found(ulp, flags, n, n), spans);
	CHECK_EQ(ulp_walked.outcome, IBW_OK);
}

static void ulp_error(enum ibw_outcome outcome, const char *layer, const char *field)
{
	if (!CHECK_EQ(ulp_walked.outcome, outcome))
		return;
	CHECK_STR(ibw_headers[ulp_walked.error.layer].name, layer);
	if (field)
		CHECK_STR(ulp_walked.error.field, field);
	else
		CHECK(!ulp_walked.error.field);
}

/* One of which @n of @len bytes were captured: it ends in @layer. */
__attribute__((unused)) static void ulp_cut(enum ibw_ulp ulp, unsigned int flags, uint32_t n,
					    uint32_t len, const char *layer, const char *field,
					    const char *spans)
{
	CHECK_STR(ulp_found(ulp, flags, n, len), spans);
	ulp_error(IBW_CUT, layer, field);
}

/* One that contradicts itself in @field of @layer, or is too short for @layer. */
__attribute__((unused)) static void ulp_wrong(enum ibw_ulp ulp, unsigned int flags, uint32_t n,
					      const char *layer, const char *field, uint32_t needed,
					      uint32_t had, const char *spans)
{
	CHECK_STR(ulp_found(ulp, flags, n, n), spans);
	ulp_error(IBW_MALFORMED, layer, field);
	CHECK_EQ(ulp_walked.error.needed, needed);
	CHECK_EQ(ulp_walked.error.had, had);
}

#endif /* TESTS_ULP_CHECK_H */
