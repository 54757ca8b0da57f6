/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ipoib.h - IP over InfiniBand: encapsulation, hardware address, ARP. RFC 4391, RFC 4755. */
#ifndef IBWIRE_IPOIB_H
#define IBWIRE_IPOIB_H

#include "link.h"

#define IBW_HDR ipoib
#include "expand.h"
#define IBW_HDR ipoib_hwaddr
#include "expand.h"
#define IBW_HDR ipoib_area
#include "expand.h"
#define IBW_HDR arp_ipoib
#include "expand.h"

#endif /* IBWIRE_IPOIB_H */
