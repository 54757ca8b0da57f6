/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iser.h - iSCSI extensions for RDMA, and the iSCSI PDUs that follow the iSER header. RFC 7145, RFC 7143
 *
 * The first 48 bytes of a PDU are a header each here; additional header segments and the data segment follow.
 */
#ifndef IBWIRE_ISER_H
#define IBWIRE_ISER_H

#include "scsi.h"

#define IBW_HDR iser_ctrl
#include "expand.h"
#define IBW_HDR iscsi_scsi_req
#include "expand.h"
#define IBW_HDR iscsi_scsi_rsp
#include "expand.h"
#define IBW_HDR iscsi_tm
#include "expand.h"
#define IBW_HDR iscsi_tm_rsp
#include "expand.h"
#define IBW_HDR iscsi_data_out
#include "expand.h"
#define IBW_HDR iscsi_data_in
#include "expand.h"
#define IBW_HDR iscsi_r2t
#include "expand.h"
#define IBW_HDR iscsi_async
#include "expand.h"
#define IBW_HDR iscsi_text
#include "expand.h"
#define IBW_HDR iscsi_text_rsp
#include "expand.h"
#define IBW_HDR iscsi_login_req
#include "expand.h"
#define IBW_HDR iscsi_login_rsp
#include "expand.h"
#define IBW_HDR iscsi_logout
#include "expand.h"
#define IBW_HDR iscsi_logout_rsp
#include "expand.h"
#define IBW_HDR iscsi_snack
#include "expand.h"
#define IBW_HDR iscsi_reject
#include "expand.h"
#define IBW_HDR iscsi_nopout
#include "expand.h"
#define IBW_HDR iscsi_nopin
#include "expand.h"

/* The constants of list/values_iser.def. */
#define IBW_VALUES_FILE "list/values_iser.def"
#include "expand_values.h"

#endif /* IBWIRE_ISER_H */
