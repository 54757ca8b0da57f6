/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tunnel.h - the headers of tunnels and mirrors around packets that may carry RDMA. */
#ifndef IBWIRE_TUNNEL_H
#define IBWIRE_TUNNEL_H

#include "ip.h"

#define IBW_HDR vxlan
#include "expand.h"
#define IBW_HDR vxlan_gpe
#include "expand.h"
#define IBW_HDR geneve
#include "expand.h"
#define IBW_HDR gre
#include "expand.h"
#define IBW_HDR gre_checksum
#include "expand.h"
#define IBW_HDR gre_key
#include "expand.h"
#define IBW_HDR gre_seq
#include "expand.h"
#define IBW_HDR erspan2
#include "expand.h"
#define IBW_HDR erspan3
#include "expand.h"
#define IBW_HDR erspan3_platform
#include "expand.h"
#define IBW_HDR mpls
#include "expand.h"
#define IBW_HDR pppoe
#include "expand.h"
#define IBW_HDR ppp
#include "expand.h"
#define IBW_HDR ppp_hdlc
#include "expand.h"
#define IBW_HDR loopback
#include "expand.h"
#define IBW_HDR gtp_u
#include "expand.h"
#define IBW_HDR gtp_u_more
#include "expand.h"
#define IBW_HDR itag
#include "expand.h"
#define IBW_HDR cisco_tag
#include "expand.h"
#define IBW_HDR snap
#include "expand.h"

/* UDP ports: IANA; Linux used 8472 before IANA assigned one */
#define IBW_UDP_PORT_VXLAN_GPE 4790
#define IBW_UDP_PORT_GENEVE 6081
#define IBW_UDP_PORT_VXLAN_LINUX 8472

/* The versions in ERSPAN headers of type II and III */
#define IBW_ERSPAN2_VERSION 1
#define IBW_ERSPAN3_VERSION 2

#endif /* IBWIRE_TUNNEL_H */
