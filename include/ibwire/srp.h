/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * srp.h - the SCSI RDMA Protocol: what initiator and target send, except for the login, which is in the private
 * data of the CM (cm.h). T10 SRP r16a, 6
 *
 * Memory descriptors follow srp_cmd: first those of the data to write, then those of the data to read.
 */
#ifndef IBWIRE_SRP_H
#define IBWIRE_SRP_H

#include "cm.h"
#include "scsi.h"

#define IBW_HDR srp_cmd
#include "expand.h"
#define IBW_HDR srp_direct
#include "expand.h"
#define IBW_HDR srp_indirect
#include "expand.h"
#define IBW_HDR srp_imm
#include "expand.h"
#define IBW_HDR srp_tsk_mgmt
#include "expand.h"
#define IBW_HDR srp_rsp
#include "expand.h"
#define IBW_HDR srp_rsp_data
#include "expand.h"
#define IBW_HDR srp_i_logout
#include "expand.h"
#define IBW_HDR srp_t_logout
#include "expand.h"
#define IBW_HDR srp_cred_req
#include "expand.h"
#define IBW_HDR srp_cred_rsp
#include "expand.h"
#define IBW_HDR srp_aer_req
#include "expand.h"
#define IBW_HDR srp_aer_rsp
#include "expand.h"

/* The constants of list/values_srp.def. */
#define IBW_VALUES_FILE "list/values_srp.def"
#include "expand_values.h"

#endif /* IBWIRE_SRP_H */
