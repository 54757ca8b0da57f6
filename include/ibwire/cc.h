/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cc.h - the attributes of congestion control. IBTA vol 1, annex A10 */
#ifndef IBWIRE_CC_H
#define IBWIRE_CC_H

#include "mad.h"

#define IBW_HDR cc_key
#include "expand.h"
#define IBW_HDR cong_info
#include "expand.h"
#define IBW_HDR cong_key_info
#include "expand.h"
#define IBW_HDR cong_log
#include "expand.h"
#define IBW_HDR cong_log_sw
#include "expand.h"
#define IBW_HDR cong_log_sw_entry
#include "expand.h"
#define IBW_HDR cong_log_ca
#include "expand.h"
#define IBW_HDR cong_log_ca_entry
#include "expand.h"
#define IBW_HDR sw_cong_setting
#include "expand.h"
#define IBW_HDR sw_port_cong_element
#include "expand.h"
#define IBW_HDR ca_cong_setting
#include "expand.h"
#define IBW_HDR ca_cong_entry
#include "expand.h"
#define IBW_HDR cc_table
#include "expand.h"
#define IBW_HDR cc_table_entry
#include "expand.h"
#define IBW_HDR cc_time_stamp
#include "expand.h"

/* The constants of list/values_cc.def: IBW_CONG_LOG_SWITCH ... */
#define IBW_VALUES_FILE "list/values_cc.def"
#include "expand_values.h"

#endif /* IBWIRE_CC_H */
