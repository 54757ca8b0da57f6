/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rpcrdma.h - RPC over RDMA version 1, and the RPC message after it. RFC 8166, RFC 5531
 *
 * A list of chunks is a sequence of entries, each after a word that says that an entry follows; a word of 0 ends the
 * list.
 */
#ifndef IBWIRE_RPCRDMA_H
#define IBWIRE_RPCRDMA_H

#include "base.h"

#define IBW_HDR rpcrdma_hdr
#include "expand.h"
#define IBW_HDR rpcrdma_read
#include "expand.h"
#define IBW_HDR rpcrdma_write
#include "expand.h"
#define IBW_HDR rpcrdma_reply
#include "expand.h"
#define IBW_HDR rpcrdma_segment
#include "expand.h"
#define IBW_HDR rpcrdma_error
#include "expand.h"
#define IBW_HDR rpcrdma_versions
#include "expand.h"
#define IBW_HDR rpc_call
#include "expand.h"
#define IBW_HDR rpc_auth
#include "expand.h"
#define IBW_HDR rpc_reply
#include "expand.h"
#define IBW_HDR rpc_accepted
#include "expand.h"
#define IBW_HDR rpc_denied
#include "expand.h"
#define IBW_HDR rpc_auth_error
#include "expand.h"
#define IBW_HDR rpc_versions
#include "expand.h"

/* The constants of list/values_rpcrdma.def. */
#define IBW_VALUES_FILE "list/values_rpcrdma.def"
#include "expand_values.h"

#endif /* IBWIRE_RPCRDMA_H */
