/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bench_headers.c - nanoseconds a header: schema code, hand-written code, interpreter.
 *
 * Each function is called, not inlined; a call that does nothing is measured next to them. The
 * least of ROUNDS rounds counts, because others share the machine.
 */
#include <stdio.h>
#include <time.h>

#include <ibwire/interp.h>
#include <ibwire/tables.h>

#include "instructions.h"

#define ROUNDS 15
#define CALLS 200000

static union {
	struct ibw_bth bth;
	struct ibw_grh grh;
	struct ibw_path_rec path_rec;
} value;

static uint8_t wire[256];
static volatile uint64_t sink;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Keeps the compiler from seeing that each call does the same. */
#define OPAQUE() __asm__ volatile("" : : : "memory")

#define BENCH(name, statement)                                                                     \
	do {                                                                                       \
		double best = 1e18, t;                                                             \
		int round, i;                                                                      \
		for (round = 0; round < ROUNDS; round++) {                                         \
			t = now_ns();                                                              \
			for (i = 0; i < CALLS; i++) {                                              \
				statement;                                                         \
				OPAQUE();                                                          \
			}                                                                          \
			t = (now_ns() - t) / CALLS;                                                \
			best = t < best ? t : best;                                                \
		}                                                                                  \
		printf("%-28s %7.2f ns\n", name, best);                                            \
	} while (0)

static __attribute__((noinline)) void nothing(void)
{
	OPAQUE();
}

int main(void)
{
	const struct ibw_header *bth = &ibw_headers[IBW_LAYER_bth];
	const struct ibw_header *path_rec = &ibw_headers[IBW_LAYER_path_rec];

	BENCH("an empty call", nothing());
	BENCH("bth unpack, schema", schema_bth_unpack(&value.bth, (const void *)wire));
	BENCH("bth unpack, by hand", hand_bth_unpack(&value.bth, (const void *)wire));
	BENCH("bth unpack, interpreter", ibw_interp_unpack(bth, &value, wire));
	BENCH("bth pack, schema", schema_bth_pack((void *)wire, &value.bth));
	BENCH("bth pack, by hand", hand_bth_pack((void *)wire, &value.bth));
	BENCH("bth pack, interpreter", ibw_interp_pack(bth, wire, &value));
	BENCH("bth psn, getter", sink = getter_bth_psn((const void *)wire));
	BENCH("grh unpack, schema", schema_grh_unpack(&value.grh, (const void *)wire));
	BENCH("grh pack, schema", schema_grh_pack((void *)wire, &value.grh));
	BENCH("path_rec unpack, schema",
	      schema_path_rec_unpack(&value.path_rec, (const void *)wire));
	BENCH("path_rec pack, schema", schema_path_rec_pack((void *)wire, &value.path_rec));
	BENCH("path_rec pack, interpreter", ibw_interp_pack(path_rec, wire, &value));
	return 0;
}
