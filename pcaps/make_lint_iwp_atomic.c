/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_iwp_atomic.c - atomics over iWARP, of both ends, and their answers: RFC 7306, 5 */
#include "make_lint_iwp.h"

#define FETCH_ADD 0
#define COMPARE_SWAP 1

static void ask(struct talk *t, enum side from, uint32_t msn, uint32_t id, uint8_t operation)
{
	const struct ibw_segment s = { .opcode = IBW_RDMAP_ATOMIC_REQUEST,
				       .qn = IBW_DDP_QN_READ_REQUEST,
				       .msn = msn,
				       .bytes = ibw_rdmap_atomic_req_BYTES,
				       .last = true };
	const struct ibw_rdmap_atomic_req request = { .aopcode = operation,
						      .request_id = id,
						      .remote_stag = 0x22,
						      .remote_to = 0x9000 + 8 * (uint64_t)id,
						      .add_swap_data = 1,
						      .compare_mask = UINT64_MAX };
	struct ibw_rdmap_atomic_req_wire wire;

	ibw_rdmap_atomic_req_pack(&wire, &request);
	mk_iwp_send(t, from, &s, &wire, 0, 0, false);
}

static void answer(struct talk *t, enum side from, uint32_t msn, uint32_t id)
{
	const struct ibw_segment s = { .opcode = IBW_RDMAP_ATOMIC_RESPONSE,
				       .qn = IBW_DDP_QN_ATOMIC_RESPONSE,
				       .msn = msn,
				       .bytes = ibw_rdmap_atomic_resp_BYTES,
				       .last = true };
	const struct ibw_rdmap_atomic_resp response = { .original_request_id = id,
							.original_remote_data = 41 };
	struct ibw_rdmap_atomic_resp_wire wire;

	ibw_rdmap_atomic_resp_pack(&wire, &response);
	mk_iwp_send(t, from, &s, &wire, 0, 0, false);
}

/* They share their queue with Read Requests, whose responses come in between; the last one has no answer. */
void mk_iwp_atomics(struct mk_capture *c)
{
	static const char *const rules[] = { "IWP015", "IWP016", "IWP017", "IWP018",
					     "IWP021", "IWP022", "IWP024", "IWP027" };
	struct talk t;
	unsigned int i;

	mk_iwp_agree(&t, c, true, true);
	ask(&t, A, 1, 7, FETCH_ADD);
	answer(&t, B, 1, 7);
	ask(&t, A, 2, 8, COMPARE_SWAP);
	ask(&t, A, 3, 9, FETCH_ADD);
	mk_iwp_read_of(&t, A, 4, 64);
	answer(&t, B, 2, 8);
	mk_iwp_send_msg(&t, B, 1);
	answer(&t, B, 3, 9);
	mk_iwp_respond(&t, B, 0x11, 0x4000, 64);
	ask(&t, B, 1, 7, COMPARE_SWAP); /* of a number that the other end used, too */
	answer(&t, A, 1, 7);
	ask(&t, A, 5, 10, FETCH_ADD);
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		mk_iwp_misses(&t, rules[i]);
}
