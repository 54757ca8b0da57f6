/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sa.h - the records of subnet administration. IBTA vol 1, 15.2.5
 *
 * A record that holds an SM attribute is its own part here and then that attribute
 * (smp.h): list/attrs_sa.def says which.
 */
#ifndef IBWIRE_SA_H
#define IBWIRE_SA_H

#include "mad.h"
#include "smp.h"

#define IBW_HDR path_rec
#include "expand.h"
#define IBW_HDR node_rec
#include "expand.h"
#define IBW_HDR port_info_rec
#include "expand.h"
#define IBW_HDR sl2vl_rec
#include "expand.h"
#define IBW_HDR switch_info_rec
#include "expand.h"
#define IBW_HDR lft_rec
#include "expand.h"
#define IBW_HDR rft_rec
#include "expand.h"
#define IBW_HDR mft_rec
#include "expand.h"
#define IBW_HDR sm_info_rec
#include "expand.h"
#define IBW_HDR speed_width_rec
#include "expand.h"
#define IBW_HDR inform_info
#include "expand.h"
#define IBW_HDR inform_info_rec
#include "expand.h"
#define IBW_HDR link_rec
#include "expand.h"
#define IBW_HDR guid_info_rec
#include "expand.h"
#define IBW_HDR service_rec
#include "expand.h"
#define IBW_HDR pkey_table_rec
#include "expand.h"
#define IBW_HDR vlarb_rec
#include "expand.h"
#define IBW_HDR mcmember_rec
#include "expand.h"
#define IBW_HDR trace_rec
#include "expand.h"
#define IBW_HDR multipath_rec
#include "expand.h"
#define IBW_HDR multipath_gid
#include "expand.h"
#define IBW_HDR service_assoc_rec
#include "expand.h"
#define IBW_HDR port_info_ext_rec
#include "expand.h"
#define IBW_HDR hierarchy_info
#include "expand.h"
#define IBW_HDR cable_info
#include "expand.h"

/* The constants of list/values_sa.def: IBW_SCOPE_LINK_LOCAL, IBW_JOIN_FULL ... */
#define IBW_VALUES_FILE "list/values_sa.def"
#include "expand_values.h"

#endif /* IBWIRE_SA_H */
