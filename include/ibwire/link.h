/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* link.h - the headers of links: capture records, Ethernet and ARP, the InfiniBand link and GRH. */
#ifndef IBWIRE_LINK_H
#define IBWIRE_LINK_H

#include "framing.h"

#define IBW_HDR erf
#include "expand.h"
#define IBW_HDR erf_ext
#include "expand.h"
#define IBW_HDR sll
#include "expand.h"
#define IBW_HDR sll2
#include "expand.h"
#define IBW_HDR llc
#include "expand.h"
#define IBW_HDR pause
#include "expand.h"
#define IBW_HDR pfc
#include "expand.h"
#define IBW_HDR arp
#include "expand.h"
#define IBW_HDR arp_hdr
#include "expand.h"
#define IBW_HDR rwh
#include "expand.h"
#define IBW_HDR linkpkt
#include "expand.h"

#endif /* IBWIRE_LINK_H */
