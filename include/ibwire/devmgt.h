/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* devmgt.h - device and baseboard management, SNMP tunneling, ibping. IBTA vol 1, 16.2 to 16.5 */
#ifndef IBWIRE_DEVMGT_H
#define IBWIRE_DEVMGT_H

#include "mad.h"

#define IBW_HDR iou_info
#include "expand.h"
#define IBW_HDR ioc_profile
#include "expand.h"
#define IBW_HDR svc_entry
#include "expand.h"
#define IBW_HDR diag_timeout
#include "expand.h"
#define IBW_HDR diag_code
#include "expand.h"
#define IBW_HDR bm
#include "expand.h"
#define IBW_HDR bkey_info
#include "expand.h"
#define IBW_HDR bm_send
#include "expand.h"
#define IBW_HDR snmp
#include "expand.h"
#define IBW_HDR snmp_community
#include "expand.h"
#define IBW_HDR snmp_pdu
#include "expand.h"
#define IBW_HDR ibping
#include "expand.h"

/* The constants of list/values_devmgt.def: IBW_IOC_PRESENT ... */
#define IBW_VALUES_FILE "list/values_devmgt.def"
#include "expand_values.h"

#endif /* IBWIRE_DEVMGT_H */
