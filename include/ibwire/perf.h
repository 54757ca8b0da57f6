/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf.h - the counters of performance management. IBTA vol 1, 16.1 and annexes A10, A13 */
#ifndef IBWIRE_PERF_H
#define IBWIRE_PERF_H

#include "mad.h"

#define IBW_HDR port_samples_control
#include "expand.h"
#define IBW_HDR port_samples_result
#include "expand.h"
#define IBW_HDR port_counters
#include "expand.h"
#define IBW_HDR port_rcv_error_details
#include "expand.h"
#define IBW_HDR port_xmit_discard_details
#include "expand.h"
#define IBW_HDR port_op_rcv_counters
#include "expand.h"
#define IBW_HDR port_flow_ctl_counters
#include "expand.h"
#define IBW_HDR port_vl_op_packets
#include "expand.h"
#define IBW_HDR port_vl_op_data
#include "expand.h"
#define IBW_HDR port_vl_flow_ctl_errors
#include "expand.h"
#define IBW_HDR port_vl_xmit_wait
#include "expand.h"
#define IBW_HDR port_counters_ext
#include "expand.h"
#define IBW_HDR port_counters_ext_more
#include "expand.h"
#define IBW_HDR port_samples_result_ext
#include "expand.h"
#define IBW_HDR port_ext_speeds_counters
#include "expand.h"
#define IBW_HDR sw_port_vl_congestion
#include "expand.h"
#define IBW_HDR port_rcv_con_ctrl
#include "expand.h"
#define IBW_HDR port_sl_rcv_fecn
#include "expand.h"
#define IBW_HDR port_sl_rcv_becn
#include "expand.h"
#define IBW_HDR port_xmit_con_ctrl
#include "expand.h"
#define IBW_HDR port_vl_xmit_time_cong
#include "expand.h"
#define IBW_HDR port_xmit_data_sl
#include "expand.h"
#define IBW_HDR port_rcv_data_sl
#include "expand.h"

/* The constants of list/values_perf.def: IBW_COUNTER_SYMBOL_ERRORS, IBW_SAMPLE_RUNNING ... */
#define IBW_VALUES_FILE "list/values_perf.def"
#include "expand_values.h"

#endif /* IBWIRE_PERF_H */
