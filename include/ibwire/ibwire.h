/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibwire.h - every header a driver needs; freestanding, header-only.
 *
 * What needs libibwire (reflection tables, the packet walk, CRCs) has headers of
 * its own: tables.h, packet.h, crc.h.
 *
 * These conventions hold for every function and macro of all headers, unless its comment says otherwise:
 *
 * Returns: a pointer is into the caller's memory or to a constant table, and NULL only where the comment of the
 * function or of its header says when. A bool says whether the statement in the comment is true, or whether the
 * action was done.
 *
 * Errors: are returned as values. Nothing is printed, allocated or aborted, and errno is not touched. A pointer
 * argument is not NULL.
 *
 * Units: lengths, sizes, offsets and capacities are bytes.
 *
 * Byte order: integers are host integers. Arrays of bytes (GIDs, IPv6 addresses, MACs) and all that is
 * called _wire, or is a buffer, are bytes in the order of the wire.
 *
 * Threads: no function keeps state of its own, so any thread may call any at any time, as long as no two use
 * the same object while one of them writes it. Tables are constant.
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
#include "iwarp.h"
#include "nvme.h"
#include "scsi.h"
#include "srp.h"
#include "iser.h"
#include "rpcrdma.h"
#include "smbdirect.h"
#include "rds.h"
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
#include "fpdu.h"
#include "build_fpdu.h"
#include "segment.h"

#endif /* IBWIRE_IBWIRE_H */
