/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_fab.h - what the files of group FAB share: the hosts of a fabric, and MADs between them. */
#ifndef PCAPS_MAKE_LINT_FAB_H
#define PCAPS_MAKE_LINT_FAB_H

#include "make_case.h"

#define SECOND UINT64_C(1000000000)

#define LID_PORT 7
#define LID_SM 2
#define LID_NEW 3
#define LID_HOST 9
#define LID_OTHER 12

#define SWITCH 1
#define SWITCH_2 2
#define HOST 16
#define HOST_2 17

#define MKEY 0x1122334455667788

static uint64_t next_tid;

static inline void start(struct mk_capture *c)
{
	next_tid = 1;
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

static inline uint8_t *begin(struct mk_packet *p, uint8_t mgmt_class, uint8_t method, uint16_t attr,
			     uint16_t from, uint16_t to)
{
	return begin_mad(p, mgmt_class, method, attr, from, to, next_tid);
}

/* The next packet comes @ns after the last one. */
static inline void wait(struct mk_capture *c, uint64_t ns)
{
	c->time_ns += ns - MK_TIME_STEP;
}

/* make_lint_fab_port.c; of the port at LID_PORT, with what represses it */
void mk_fab_port_trap(struct mk_capture *c, uint16_t trap_num);
void mk_fab_key_traps(struct mk_capture *c);
void mk_fab_traps_249(struct mk_capture *c);
void mk_fab_traps_250(struct mk_capture *c);
void mk_fab_traps_251(struct mk_capture *c);
void mk_fab_traps_apart(struct mk_capture *c);
void mk_fab_change_traps(struct mk_capture *c);
void mk_fab_ended(struct mk_capture *c);
void mk_fab_reset_by_other(struct mk_capture *c);
void mk_fab_reset_by_reader(struct mk_capture *c);
void mk_fab_reset_nothing(struct mk_capture *c);
void mk_fab_grows_9(struct mk_capture *c);
void mk_fab_grows_10(struct mk_capture *c);
void mk_fab_grows_11(struct mk_capture *c);
void mk_fab_grows_not(struct mk_capture *c);

#endif /* PCAPS_MAKE_LINT_FAB_H */
