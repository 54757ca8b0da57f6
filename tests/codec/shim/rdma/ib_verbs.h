/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ib_verbs.h - for tests/codec/kernel/example.c in user space: the members of the kernel's structures
 * that it reads, by their names. The true ones are tested where the VM runs it: tests/codec/kernel.sh.
 */
#ifndef TESTS_SHIM_RDMA_IB_VERBS_H
#define TESTS_SHIM_RDMA_IB_VERBS_H

union ib_gid {
	u8 raw[16];
};

struct ib_gid_attr {
	union ib_gid gid;
};

struct ib_global_route {
	const struct ib_gid_attr *sgid_attr;
	union ib_gid dgid;
	u32 flow_label;
	u8 hop_limit;
	u8 traffic_class;
};

struct rdma_ah_attr {
	struct ib_global_route grh;
	u8 sl;
	struct {
		u8 dmac[ETH_ALEN];
	} roce;
};

static inline const struct ib_global_route *rdma_ah_read_grh(const struct rdma_ah_attr *ah)
{
	return &ah->grh;
}

static inline u8 rdma_ah_get_sl(const struct rdma_ah_attr *ah)
{
	return ah->sl;
}

enum ib_wr_opcode { IB_WR_SEND, IB_WR_SEND_WITH_IMM };

#define IB_SEND_SIGNALED (1 << 1)
#define IB_SEND_SOLICITED (1 << 2)

struct ib_ud_wr {
	struct {
		enum ib_wr_opcode opcode;
		int send_flags;
		struct {
			__be32 imm_data;
		} ex;
	} wr;
	u32 remote_qpn;
	u32 remote_qkey;
};

#endif /* TESTS_SHIM_RDMA_IB_VERBS_H */
