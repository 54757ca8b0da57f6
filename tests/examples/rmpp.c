/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp.c - an SA table of 500 bytes sent by RMPP; the receiver's ACK opens the window from 1 to 3, the
 * last segment is lost once.
 *
 * Prints:
 *	at 0 segment 1
 *	at 5 segment 2
 *	at 5 segment 3
 *	at 25 segment 3
 *	all was acknowledged
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	static const uint8_t table[500];
	uint8_t head[IBW_MAD_BYTES], mad[IBW_MAD_BYTES], ack[IBW_MAD_BYTES];
	struct ibw_rmpp_sender s;
	uint32_t now, seg;

	ibw_sa_build(head, sizeof(head), IBW_METHOD_GET_TABLE | 0x80, IBW_ATTR_SA_PATH_REC, 7);
	if (!ibw_rmpp_send_start(&s, head, table, sizeof(table), 20, 3))
		return 1;
	for (now = 0; s.state == IBW_RMPP_SENDING; now += 5)
		while (ibw_rmpp_send_next(&s, mad, now)) {
			seg = ibw_rmpp_data1(ibw_rmpp_of(mad));
			printf("at %u segment %u\n", now, seg);
			if (seg == 3 && now == 5)
				continue; /* lost */
			ibw_rmpp_build_ack(ack, mad, seg, 3);
			ibw_rmpp_send_feed(&s, ack, sizeof(ack), now);
			if (seg == 1)
				break;
		}
	if (s.state == IBW_RMPP_SENT)
		printf("all was acknowledged\n");
	return 0;
}
