/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * smbdirect.h - SMB Direct, and the header of an SMB2 message that it carries. MS-SMBD, MS-SMB2
 *
 * A message of SMB2 that is longer than a receive buffer is in several data transfers, of which only the first has its header.
 */
#ifndef IBWIRE_SMBDIRECT_H
#define IBWIRE_SMBDIRECT_H

#include "base.h"

#define IBW_HDR smb_direct_req
#include "expand.h"
#define IBW_HDR smb_direct_resp
#include "expand.h"
#define IBW_HDR smb_direct_data
#include "expand.h"
#define IBW_HDR smb2_hdr
#include "expand.h"

/* The constants of list/values_smbdirect.def. */
#define IBW_VALUES_FILE "list/values_smbdirect.def"
#include "expand_values.h"

#endif /* IBWIRE_SMBDIRECT_H */
