/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ack.c - what a responder answers, and what the requester makes of it.
 *
 * Prints:
 *	100 receives posted: syndrome 0x0d, 96 credits: messages up to 0x00004f may be sent
 *	not ready for 1 ms: syndrome 0x2e, wait 1280 us
 *	PSN 0x000002 is 5 after 0xfffffd: a gap, syndrome 0x60
 *	packets live 268435456 ns, ACKs wait 4096 ns: timeout code 18, 1073741824 ns
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	uint8_t code = ibw_credit_code(100), timer = ibw_rnr_code(1000);
	uint32_t expected = 0xfffffd, psn = 0x000002, msn = 0xffffef;

	printf("100 receives posted: syndrome 0x%02x, %u credits: messages up to 0x%06x may be sent\n",
	       ibw_aeth_ack(code), ibw_credits(code), ibw_credit_limit(msn, code));
	printf("not ready for 1 ms: syndrome 0x%02x, wait %u us\n", ibw_aeth_rnr(timer),
	       ibw_rnr_usec(timer));
	if (!ibw_psn_is_before(psn, expected) && psn != expected)
		printf("PSN 0x%06x is %d after 0x%06x: a gap, syndrome 0x%02x\n", psn,
		       (int)ibw_psn_diff(psn, expected), expected, ibw_aeth_nak(0));
	code = ibw_ack_timeout_code(IBW_ROCE_LIFE, 0);
	printf("packets live %llu ns, ACKs wait %llu ns: timeout code %u, %llu ns\n",
	       (unsigned long long)ibw_time_nsec(IBW_ROCE_LIFE),
	       (unsigned long long)ibw_time_nsec(0), code,
	       (unsigned long long)ibw_ack_timeout_nsec(code));
	return 0;
}
