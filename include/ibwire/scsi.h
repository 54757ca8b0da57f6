/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * scsi.h - SCSI as iSER and SRP carry it: command descriptor blocks, status, sense data. T10 SPC-4, SBC-3
 */
#ifndef IBWIRE_SCSI_H
#define IBWIRE_SCSI_H

#include "base.h"

#define IBW_HDR scsi_cdb
#include "expand.h"
#define IBW_HDR scsi_rw_6
#include "expand.h"
#define IBW_HDR scsi_rw_10
#include "expand.h"
#define IBW_HDR scsi_rw_12
#include "expand.h"
#define IBW_HDR scsi_rw_16
#include "expand.h"
#define IBW_HDR scsi_sense
#include "expand.h"
#define IBW_HDR scsi_sense_desc
#include "expand.h"

/* The constants of list/values_scsi.def. */
#define IBW_VALUES_FILE "list/values_scsi.def"
#include "expand_values.h"

#endif /* IBWIRE_SCSI_H */
