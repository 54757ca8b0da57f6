/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * path.c - the path record of two RoCE ports on a network with jumbo frames, and how a port of 40 Gb/s keeps to the
 * path's 10.
 *
 * Prints:
 *	MTU 4096, 10000 Mb/s, packets live 268435456 ns
 *	after each packet the time of 3 more
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	const uint8_t a[16] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
	const uint8_t b[16] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };
	const struct ibw_roce_path path = { .mtu = ibw_roce_mtu(9000),
					    .rate = ibw_rate_code(10000),
					    .hop_limit = 1,
					    .life = IBW_ROCE_LIFE,
					    .pkey = IBW_PKEY_DEFAULT_FULL };
	struct ibw_path_rec rec;

	ibw_roce_path_record(&rec, a, b, &path);
	printf("MTU %u, %u Mb/s, packets live %llu ns\n", ibw_mtu_bytes(rec.mtu),
	       ibw_rate_mbps(rec.rate), (unsigned long long)ibw_time_nsec(rec.life));
	printf("after each packet the time of %u more\n", ibw_rate_delay(rec.rate, 40000));
	return 0;
}
