/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* vendor.h - attributes of vendor classes: Mellanox (0x0a, and one in SMPs), ibsysstat (0x33). */
#ifndef IBWIRE_VENDOR_H
#define IBWIRE_VENDOR_H

#include "mad.h"

#define IBW_HDR mlnx_general_info
#include "expand.h"
#define IBW_HDR mlnx_config_space
#include "expand.h"
#define IBW_HDR mlnx_config_data
#include "expand.h"
#define IBW_HDR mlnx_smp_config_data
#include "expand.h"
#define IBW_HDR mlnx_config_record
#include "expand.h"
#define IBW_HDR mlnx_counter_groups
#include "expand.h"
#define IBW_HDR mlnx_counter_config
#include "expand.h"
#define IBW_HDR ibsysstat
#include "expand.h"

#endif /* IBWIRE_VENDOR_H */
