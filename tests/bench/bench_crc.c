/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bench_crc - how long a CRC takes: nanoseconds a call and GB/s, by length.
 *
 * A measurement, not a test. Times are of the process's own CPU time, the best of
 * ROUNDS. The data is in the second level cache; calls do not wait for each other, as
 * those for one packet after the other do not.
 */
#include <ibwire/crc.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef BENCH_ISAL
#include <isa-l/crc.h>
#endif
#ifdef BENCH_ZLIB
#include <zlib.h>
#endif

#define ROUNDS 7
#define BYTES (256u << 10)
#define STEP 82 /* from packet to packet: their length and this, so no alignment is favoured */

static uint8_t data[BYTES];

static uint32_t by_slice16(const uint8_t *p, size_t n)
{
	return ibw_crc32_slice16(0, p, n);
}

static uint32_t by_crc32(const uint8_t *p, size_t n)
{
	return ibw_crc32(0, p, n);
}

static uint32_t by_icrc(const uint8_t *p, size_t n)
{
	return ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, p, n);
}

static uint32_t by_crc32c(const uint8_t *p, size_t n)
{
	return ibw_crc32c(0, p, n);
}

static uint32_t by_vcrc(const uint8_t *p, size_t n)
{
	return ibw_vcrc(p, n);
}

static uint32_t by_explain(const uint8_t *p, size_t n)
{
	return ibw_icrc_explain(IBW_ICRC_ROCE_V2_IPV4, p, n, 1).cause;
}

#ifdef BENCH_ISAL
static uint32_t by_isal(const uint8_t *p, size_t n)
{
	return crc32_gzip_refl(0, p, n);
}
#endif

#ifdef BENCH_ZLIB
static uint32_t by_zlib(const uint8_t *p, size_t n)
{
	return (uint32_t)crc32(0, p, (uInt)n);
}
#endif

static const struct {
	const char *name;
	uint32_t (*of)(const uint8_t *p, size_t n);
} benches[] = {
	{ "ibw_crc32", by_crc32 },
	{ "ibw_crc32_slice16", by_slice16 },
	{ "ibw_icrc, RoCE v2 IPv4", by_icrc },
	{ "ibw_crc32c", by_crc32c },
	{ "ibw_vcrc", by_vcrc },
	{ "ibw_icrc_explain", by_explain },
#ifdef BENCH_ISAL
	{ "ISA-L crc32_gzip_refl", by_isal },
#endif
#ifdef BENCH_ZLIB
	{ "zlib crc32", by_zlib },
#endif
};

/* 44: an RC acknowledge in RoCE v2 over IPv4, frame of 62 bytes */
static const size_t lengths[] = { 44, 64, 256, 1024, 4096 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a call. */
static double measure(uint32_t (*of)(const uint8_t *p, size_t n), size_t n)
{
	static volatile uint32_t sink;
	unsigned int calls = (unsigned int)(10000000 / (n + 100)), i, round;
	double best = 1e18, t;
	uint32_t crcs = 0;
	size_t at = 0;

	for (round = 0; round < ROUNDS; round++) {
		t = now();
		for (i = 0; i < calls; i++) {
			crcs ^= of(data + at, n);
			at += n + STEP;
			if (at > BYTES - n)
				at = 0;
		}
		t = (now() - t) / calls;
		if (t < best)
			best = t;
	}
	sink = crcs;
	(void)sink;
	return best;
}

static void print_cpu(void)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];
	const char *model = "unknown processor\n";

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
			model = strchr(line, ':') + 2;
			break;
		}
	}
	printf("%s", model);
	if (f)
		fclose(f);
}

int main(void)
{
	const size_t columns = sizeof(lengths) / sizeof(lengths[0]);
	size_t i, k;

	/* Any byte may be the first of an IPv4 header, which has no options then. */
	for (i = 0; i < BYTES; i++)
		data[i] = (uint8_t)(((i * i * 7) >> 3 & 0xf0) | 5);
	print_cpu();
	printf("%-24s", "ns a call (GB/s)");
	for (k = 0; k < columns; k++)
		printf(" %10zu B   ", lengths[k]);
	printf("\n");
	for (i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
		printf("%-24s", benches[i].name);
		for (k = 0; k < columns; k++) {
			double ns = measure(benches[i].of, lengths[k]);

			printf(" %7.1f (%5.1f)", ns, (double)lengths[k] / ns);
		}
		printf("\n");
	}
	return 0;
}
