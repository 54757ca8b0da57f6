/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* smp.h - the attributes of subnet management, and the details of its traps. IBTA vol 1, 14.2.5 */
#ifndef IBWIRE_SMP_H
#define IBWIRE_SMP_H

#include "mad.h"

#define IBW_HDR notice
#include "expand.h"
#define IBW_HDR notice_trap_64
#include "expand.h"
#define IBW_HDR notice_trap_128
#include "expand.h"
#define IBW_HDR notice_trap_129
#include "expand.h"
#define IBW_HDR notice_trap_144
#include "expand.h"
#define IBW_HDR notice_trap_145
#include "expand.h"
#define IBW_HDR notice_trap_256
#include "expand.h"
#define IBW_HDR notice_trap_257
#include "expand.h"
#define IBW_HDR notice_trap_259
#include "expand.h"
#define IBW_HDR notice_raw
#include "expand.h"
#define IBW_HDR notice_issuer
#include "expand.h"
#define IBW_HDR node_desc
#include "expand.h"
#define IBW_HDR node_info
#include "expand.h"
#define IBW_HDR switch_info
#include "expand.h"
#define IBW_HDR guid_info
#include "expand.h"
#define IBW_HDR port_info
#include "expand.h"
#define IBW_HDR port_info_ext
#include "expand.h"
#define IBW_HDR pkey_table
#include "expand.h"
#define IBW_HDR sl2vl_table
#include "expand.h"
#define IBW_HDR vlarb_entry
#include "expand.h"
#define IBW_HDR lft
#include "expand.h"
#define IBW_HDR rft_entry
#include "expand.h"
#define IBW_HDR mft
#include "expand.h"
#define IBW_HDR speed_width_pairs
#include "expand.h"
#define IBW_HDR sm_info
#include "expand.h"
#define IBW_HDR vendor_diag
#include "expand.h"
#define IBW_HDR led_info
#include "expand.h"
#define IBW_HDR mlnx_ext_port_info
#include "expand.h"

/* The constants of list/values_sm.def: IBW_NODE_SWITCH, IBW_PORT_ACTIVE ... */
#define IBW_VALUE_OF(value) ((int)(value)) /* bit 31 included */
#define IBW_VALUES_FILE "list/values_sm.def"
#include "expand_values.h"

/* The most links a directed route has: entry 0 of the path fields is not used. */
#define IBW_SMP_HOPS_MAX 63

#endif /* IBWIRE_SMP_H */
