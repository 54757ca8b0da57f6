/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad.h - the headers every management datagram begins with. IBTA vol 1, 13.4, 14.2.1, 15.2.1 */
#ifndef IBWIRE_MAD_H
#define IBWIRE_MAD_H

#include "base.h"

#define IBW_HDR mad
#include "expand.h"
#define IBW_HDR smp
#include "expand.h"
#define IBW_HDR smp_dr_status
#include "expand.h"
#define IBW_HDR smp_dr
#include "expand.h"
#define IBW_HDR smp_dr_path
#include "expand.h"
#define IBW_HDR rmpp
#include "expand.h"
#define IBW_HDR sa
#include "expand.h"
#define IBW_HDR vendor_oui
#include "expand.h"
#define IBW_HDR reserved_32
#include "expand.h"
#define IBW_HDR reserved_40
#include "expand.h"
#define IBW_HDR reserved_128
#include "expand.h"
#define IBW_HDR class_port_info
#include "expand.h"

/* The constants of list/values_mad.def: IBW_METHOD_GET, IBW_RMPP_DATA ... */
#define IBW_VALUES_FILE "list/values_mad.def"
#include "expand_values.h"

/* IBW_CLASS_SUBN_ADM ...: the first number of each class; IBW_CLASS_..._LAST the last. */
enum ibw_mad_class {
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	IBW_CLASS_##name = first, IBW_CLASS_##name##_LAST = last,
#include "list/mad_classes.def"
#undef IBW_MAD_CLASS
};

/* What may be done to an attribute; the responses follow from the requests. */
enum ibw_methods {
	IBW_M_GET = 1 << 0,
	IBW_M_SET = 1 << 1,
	IBW_M_SEND = 1 << 2,
	IBW_M_TRAP = 1 << 3, /* and TrapRepress */
	IBW_M_REPORT = 1 << 4,
	IBW_M_GET_TABLE = 1 << 5,
	IBW_M_GET_TRACE_TABLE = 1 << 6,
	IBW_M_GET_MULTI = 1 << 7,
	IBW_M_DELETE = 1 << 8
};

/* IBW_ATTR_SA_PATH_REC ... */
enum ibw_mad_attr_id {
#define IBW_MAD_ATTR(attrs, id, name, text, methods, layer1, layer2, layer3) IBW_ATTR_##name = id,
#include "list/mad_attrs.def"
#undef IBW_MAD_ATTR
};

/* Every MAD but OPA's is this long: IBTA vol 1, 13.4.1 */
#define IBW_MAD_BYTES 256
#define IBW_MAD_BASE_VERSION 1
#define IBW_MAD_BASE_VERSION_OPA 0x80
#define IBW_RMPP_VERSION 1

/* Bits of the status in addition to the code in 4:2: IBTA vol 1, 13.4.7 */
#define IBW_STATUS_BUSY 0x0001u
#define IBW_STATUS_REDIRECT 0x0002u
#define IBW_STATUS_CODE(status) ((status) >> 2 & 7u)
#define IBW_STATUS_CLASS(status) ((status) >> 8)

#endif /* IBWIRE_MAD_H */
