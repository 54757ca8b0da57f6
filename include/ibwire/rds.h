/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rds.h - Reliable Datagram Sockets over RDMA, and the word of rsockets. RDS 3.1, as Linux has it; rdma-core, docs/rsocket
 */
#ifndef IBWIRE_RDS_H
#define IBWIRE_RDS_H

#include "base.h"

#define IBW_HDR rds_hdr
#include "expand.h"
#define IBW_HDR rds_ext_version
#include "expand.h"
#define IBW_HDR rds_ext_rdma
#include "expand.h"
#define IBW_HDR rds_ext_rdma_dest
#include "expand.h"
#define IBW_HDR rsocket_word
#include "expand.h"

/* The constants of list/values_rds.def. */
#define IBW_VALUES_FILE "list/values_rds.def"
#include "expand_values.h"

#endif /* IBWIRE_RDS_H */
