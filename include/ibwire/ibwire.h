/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibwire.h - every header a driver needs; freestanding, header-only.
 *
 * What needs libibwire (reflection tables, the packet walk, CRCs) has headers of
 * its own: tables.h, packet.h, crc.h.
 */
#ifndef IBWIRE_IBWIRE_H
#define IBWIRE_IBWIRE_H

#include "link.h"
#include "ip.h"
#include "tunnel.h"
#include "transport.h"
#include "opcode.h"
#include "roce.h"
#include "ipoib.h"
#include "mad.h"
#include "smp.h"
#include "sa.h"
#include "rate.h"
#include "roce_path.h"
#include "cm.h"
#include "perf.h"
#include "cc.h"
#include "devmgt.h"
#include "vendor.h"
#include "build.h"
#include "build_crc.h"
#include "icrc_pieces.h"
#include "message.h"
#include "transport_view.h"
#include "build_ipoib.h"
#include "build_mad.h"
#include "build_gs.h"
#include "build_cm.h"
#include "build_private.h"
#include "rmpp_send.h"
#include "route.h"

#endif /* IBWIRE_IBWIRE_H */
