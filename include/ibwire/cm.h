/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cm.h - the messages of communication management, and service IDs. IBTA vol 1, 12.6 to 12.11
 *
 * A message is its fixed part here; the private data after it is a layer of its
 * own (cm_private_92 ..., by its size), or what is known of it.
 */
#ifndef IBWIRE_CM_H
#define IBWIRE_CM_H

#include "mad.h"

#define IBW_HDR cm_req
#include "expand.h"
#define IBW_HDR cm_mra
#include "expand.h"
#define IBW_HDR cm_rej
#include "expand.h"
#define IBW_HDR cm_rep
#include "expand.h"
#define IBW_HDR cm_rtu
#include "expand.h"
#define IBW_HDR cm_dreq
#include "expand.h"
#define IBW_HDR cm_drep
#include "expand.h"
#define IBW_HDR cm_sidr_req
#include "expand.h"
#define IBW_HDR cm_sidr_rep
#include "expand.h"
#define IBW_HDR cm_lap
#include "expand.h"
#define IBW_HDR cm_apr
#include "expand.h"
#define IBW_HDR cm_sap
#include "expand.h"
#define IBW_HDR cm_ari_guid
#include "expand.h"
#define IBW_HDR cm_ari_gid
#include "expand.h"
#define IBW_HDR cm_ari_lid
#include "expand.h"
#define IBW_HDR cm_private_56
#include "expand.h"
#define IBW_HDR cm_private_92
#include "expand.h"
#define IBW_HDR cm_private_136
#include "expand.h"
#define IBW_HDR cm_private_148
#include "expand.h"
#define IBW_HDR cm_private_168
#include "expand.h"
#define IBW_HDR cm_private_180
#include "expand.h"
#define IBW_HDR cm_private_196
#include "expand.h"
#define IBW_HDR cm_private_216
#include "expand.h"
#define IBW_HDR cm_private_220
#include "expand.h"
#define IBW_HDR cm_private_222
#include "expand.h"
#define IBW_HDR cm_private_224
#include "expand.h"
#define IBW_HDR cma_hdr
#include "expand.h"
#define IBW_HDR cma_ipv4
#include "expand.h"
#define IBW_HDR cma_ipv6
#include "expand.h"
#define IBW_HDR ipoib_cm
#include "expand.h"
#define IBW_HDR srp_login_req
#include "expand.h"
#define IBW_HDR srp_login_req_rdma
#include "expand.h"
#define IBW_HDR srp_login_rsp
#include "expand.h"
#define IBW_HDR srp_login_rej
#include "expand.h"
#define IBW_HDR nvme_cm_req
#include "expand.h"
#define IBW_HDR nvme_cm_rep
#include "expand.h"
#define IBW_HDR nvme_cm_rej
#include "expand.h"
#define IBW_HDR iser_cm
#include "expand.h"
#define IBW_HDR rpcrdma_cm
#include "expand.h"
#define IBW_HDR sdp_bsdh
#include "expand.h"
#define IBW_HDR sdp_hello
#include "expand.h"
#define IBW_HDR sdp_hello_ack
#include "expand.h"
#define IBW_HDR rds_cm
#include "expand.h"
#define IBW_HDR rds_cm6
#include "expand.h"

/* The constants of list/values_cm.def: IBW_CM_REJ_STALE_CONN, IBW_RDMA_PS_TCP ... */
#define IBW_VALUES_FILE "list/values_cm.def"
#include "expand_values.h"

/* How the private data of RPC over RDMA begins: RFC 8797, 4.1 */
#define IBW_RPCRDMA_MAGIC 0xf6ab0e18u
#define IBW_RPCRDMA_VERSION 1u

/* What a service ID stands for. */
enum ibw_sid_kind {
	IBW_SID_UNKNOWN,  /* assigned by somebody unknown here */
	IBW_SID_RDMA_CM,  /* port space and port: IBTA vol 1, A11 */
	IBW_SID_IPOIB_CM, /* IPoIB connected mode, with a QPN: RFC 4755, 5 */
	IBW_SID_LOCAL     /* 0x02 in the first byte: assigned by the local operating system: A3 */
};

/* Well-known ports in the TCP port space. RDS has one for IPv4 and one for both. */
enum ibw_cm_port {
	IBW_CM_PORT_SMB_DIRECT = 445,
	IBW_CM_PORT_ISER = 3260,
	IBW_CM_PORT_NVME = 4420,
	IBW_CM_PORT_SMB_DIRECT_IWARP = 5445,
	IBW_CM_PORT_NVME_DISCOVERY = 8009,
	IBW_CM_PORT_RDS = 16385,
	IBW_CM_PORT_RDS_IPV4 = 18634,
	IBW_CM_PORT_NFS = 20049
};

/* A service ID in its parts; those its kind does not have are 0. */
struct ibw_sid {
	uint8_t kind;        /* enum ibw_sid_kind */
	uint16_t port_space; /* enum ibw_rdma_port_space */
	uint16_t port;
	uint32_t qpn;
};

#define IBW_SID_IPOIB_CM_BASE 0x1000000000000000ull
#define IBW_SID_LOCAL_FIRST_BYTE 0x02u

/* Whether it is one of RDMA CM's port spaces, IBW_RDMA_PS_... */
IBW_INLINE bool ibw_sid_is_port_space(uint64_t port_space)
{
	return port_space == IBW_RDMA_PS_SDP || port_space == IBW_RDMA_PS_IPOIB ||
	       port_space == IBW_RDMA_PS_TCP || port_space == IBW_RDMA_PS_UDP ||
	       port_space == IBW_RDMA_PS_IB;
}

/* The parts of a service ID. */
IBW_INLINE struct ibw_sid ibw_sid_split(uint64_t sid)
{
	struct ibw_sid s = { IBW_SID_UNKNOWN, 0, 0, 0 };

	if (ibw_sid_is_port_space(sid >> 16)) {
		s.kind = IBW_SID_RDMA_CM;
		s.port_space = (uint16_t)(sid >> 16);
		s.port = (uint16_t)sid;
	} else if (sid >> 24 == IBW_SID_IPOIB_CM_BASE >> 24) {
		s.kind = IBW_SID_IPOIB_CM;
		s.qpn = (uint32_t)(sid & 0xffffff);
	} else if (sid >> 56 == IBW_SID_LOCAL_FIRST_BYTE) {
		s.kind = IBW_SID_LOCAL;
	}
	return s;
}

/* The service ID of a port in a port space. */
IBW_INLINE uint64_t ibw_sid_rdma_cm(uint16_t port_space, uint16_t port)
{
	return (uint64_t)port_space << 16 | port;
}

#endif /* IBWIRE_CM_H */
