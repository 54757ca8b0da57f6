/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iwarp.h - iWARP, RDMA over TCP: the headers of MPA, DDP and RDMAP.
 *
 * An FPDU of MPA holds one segment of DDP, which RDMAP has made of a message. fpdu.h takes it apart and
 * builds it.
 */
#ifndef IBWIRE_IWARP_H
#define IBWIRE_IWARP_H

#include "base.h"

#define IBW_HDR mpa_start
#include "expand.h"
#define IBW_HDR mpa_enhanced
#include "expand.h"
#define IBW_HDR mpa
#include "expand.h"
#define IBW_HDR mpa_marker
#include "expand.h"
#define IBW_HDR ddp_tagged
#include "expand.h"
#define IBW_HDR ddp_untagged
#include "expand.h"
#define IBW_HDR rdmap
#include "expand.h"
#define IBW_HDR rdmap_invalidate
#include "expand.h"
#define IBW_HDR rdmap_read_req
#include "expand.h"
#define IBW_HDR rdmap_terminate
#include "expand.h"
#define IBW_HDR rdmap_terminated
#include "expand.h"
#define IBW_HDR rdmap_immediate
#include "expand.h"
#define IBW_HDR rdmap_atomic_req
#include "expand.h"
#define IBW_HDR rdmap_atomic_resp
#include "expand.h"

/* The constants of list/values_iwarp.def: IBW_RDMAP_SEND, IBW_DDP_QN_SEND, IBW_TERMINATE_DDP ... */
#define IBW_VALUES_FILE "list/values_iwarp.def"
#include "expand_values.h"

#endif /* IBWIRE_IWARP_H */
