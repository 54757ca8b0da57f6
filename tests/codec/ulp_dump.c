/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp_dump.c - walks the messages of upper layers on stdin: "ULP FLAGS HEX" each, numbers of ulp.h. For each a line of JSON:
 * the outcome, where its data is, the layers with their fields.
 */
#include <ibwire/json.h>
#include <ibwire/ulp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1 << 20)
#define SPANS_MAX 64

static uint8_t bytes[BYTES_MAX];
static char line[2 * BYTES_MAX + 100], json[1 << 16];

static unsigned int digit(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(c - 'a' + 10);
}

static uint32_t from_hex(const char *text)
{
	uint32_t n = 0;

	for (; text[0] > ' ' && text[1] > ' ' && n < BYTES_MAX; text += 2)
		bytes[n++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return n;
}

static void print_layer(const struct ibw_span *span)
{
	const struct ibw_header *h = ibw_header_at(span->layer);
	struct ibw_out o = ibw_out_open(json, sizeof(json));

	ibw_json_fields(&o, h, bytes + span->off);
	ibw_out_close(&o);
	printf("{\"layer\":\"%s\",\"off\":%u,\"fields\":%s}", h->name, span->off, json);
}

static void walk(unsigned int ulp, unsigned int flags, uint32_t n)
{
	struct ibw_span span[SPANS_MAX];
	struct ibw_ulp_walked u;
	uint32_t i;

	ibw_ulp_walk(&u, (enum ibw_ulp)ulp, flags, bytes, n, n, span, SPANS_MAX);
	printf("{\"outcome\":\"%s\",\"data\":[%u,%u],\"layers\":[", ibw_outcome_text(u.outcome),
	       u.data_off, u.data_len);
	for (i = 0; i < u.n_spans; i++) {
		if (i)
			printf(",");
		print_layer(&span[i]);
	}
	printf("]}\n");
}

int main(void)
{
	unsigned int ulp, flags;
	char *text;

	while (fgets(line, sizeof(line), stdin)) {
		ulp = (unsigned int)strtoul(line, &text, 10);
		flags = (unsigned int)strtoul(text, &text, 10);
		walk(ulp, flags, from_hex(text + strspn(text, " ")));
	}
	return 0;
}
