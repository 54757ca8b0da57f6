// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* example_cases.c - the driver of example.c sends random MADs, and logs them. */
#include "example.h"
#include "example_cases.h"

#define CASES 256
/* The longest header, VLAN, IPv6 and immediate data, and some bytes that no header has. */
#define ROOM (90 + 6)

/* The same numbers in every kernel and in user space. */
static u64 state;

static u32 random_below(u32 n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((state >> 32) % n);
}

static void random_bytes(u8 *p, size_t n)
{
	while (n--)
		*p++ = (u8)random_below(256);
}

/* Two addresses, of the same family but for a few, which have no route. */
static void random_gids(u8 *sgid, u8 *dgid)
{
	static const u8 v4_mapped[12] = { [10] = 0xff, [11] = 0xff };

	random_bytes(sgid, 16);
	random_bytes(dgid, 16);
	if (random_below(2))
		memcpy(sgid, v4_mapped, sizeof(v4_mapped));
	if (!memcmp(sgid, v4_mapped, sizeof(v4_mapped)) != !random_below(16))
		memcpy(dgid, v4_mapped, sizeof(v4_mapped));
}

struct line {
	char text[800];
	size_t n;
};

static void log_bytes(struct line *line, const char *name, const void *p, size_t n)
{
	line->n +=
		(size_t)snprintf(line->text + line->n, sizeof(line->text) - line->n, " %s=", name);
	line->n = (size_t)(bin2hex(line->text + line->n, p, n) - line->text);
	line->text[line->n] = '\0';
}

static void log_number(struct line *line, const char *name, u32 v)
{
	line->n += (size_t)snprintf(line->text + line->n, sizeof(line->text) - line->n, " %s=%x",
				    name, v);
}

static void log_given(struct line *line, const struct example_port *port, const struct ib_ud_wr *wr,
		      u32 psn)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(port->ah);

	log_bytes(line, "dmac", port->ah->roce.dmac, ETH_ALEN);
	log_bytes(line, "smac", port->mac, ETH_ALEN);
	log_bytes(line, "sgid", grh->sgid_attr->gid.raw, 16);
	log_bytes(line, "dgid", grh->dgid.raw, 16);
	log_number(line, "vlan", port->vlan);
	log_number(line, "sl", rdma_ah_get_sl(port->ah));
	log_number(line, "traffic_class", grh->traffic_class);
	log_number(line, "flow_label", grh->flow_label);
	log_number(line, "hop_limit", grh->hop_limit);
	log_number(line, "solicited", !!(wr->wr.send_flags & IB_SEND_SOLICITED));
	log_number(line, "with_immediate", wr->wr.opcode == IB_WR_SEND_WITH_IMM);
	log_number(line, "immediate", be32_to_cpu(wr->wr.ex.imm_data));
	log_number(line, "qpn", wr->remote_qpn);
	log_number(line, "qkey", wr->remote_qkey);
	log_number(line, "psn", psn);
	log_number(line, "payload", port->payload_len);
}

/* What the function does not set is not to be read: all else has ones. */
static void one_case(void)
{
	static struct ib_gid_attr sgid_attr;
	static struct rdma_ah_attr ah;
	static struct ib_ud_wr wr;
	static struct line line;
	struct example_port port;
	u8 buf[ROOM];
	size_t cap = random_below(4) ? sizeof(buf) : random_below(sizeof(buf));
	u32 psn = random_below(1 << 24);

	memset(&sgid_attr, 0xff, sizeof(sgid_attr));
	memset(&ah, 0xff, sizeof(ah));
	memset(&wr, 0xff, sizeof(wr));
	random_gids(sgid_attr.gid.raw, ah.grh.dgid.raw);
	ah.grh.sgid_attr = &sgid_attr;
	ah.grh.flow_label = random_below(1 << 20);
	ah.grh.hop_limit = (u8)random_below(256);
	ah.grh.traffic_class = (u8)random_below(256);
	ah.sl = (u8)random_below(8);
	random_bytes(ah.roce.dmac, ETH_ALEN);
	port.ah = &ah;
	random_bytes(port.mac, ETH_ALEN);
	port.vlan = (u16)(random_below(2) ? VLAN_N_VID : random_below(VLAN_N_VID));
	port.payload_len = random_below(4100);
	wr.wr.opcode = random_below(2) ? IB_WR_SEND_WITH_IMM : IB_WR_SEND;
	wr.wr.send_flags = IB_SEND_SIGNALED | (random_below(2) ? IB_SEND_SOLICITED : 0);
	wr.wr.ex.imm_data = cpu_to_be32(random_below(~0u));
	wr.remote_qpn = random_below(8) ? 1 + random_below(0xffffff) : 0;
	wr.remote_qkey = random_below(~0u);

	line.n = 0;
	log_given(&line, &port, &wr, psn);
	log_number(&line, "cap", (u32)cap);
	memset(buf, 0xa5, sizeof(buf));
	log_number(&line, "returned", (u32)example_gsi_headers(buf, cap, &port, &wr, psn));
	log_bytes(&line, "buf", buf, sizeof(buf));
	pr_info("example:%s\n", line.text);
}

void example_cases(void)
{
	unsigned int i;

	state = 9;
	for (i = 0; i < CASES; i++)
		one_case();
}
