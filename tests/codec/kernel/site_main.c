// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_main.c - each site and its twin on ib_ud_header_init() send the same datagrams. */
#include "site_cases.h"

/* What a site has written, as plain headers, and what else it has set. */
struct written {
	u8 headers[UD_ROOM];
	size_t n;
	u8 rest[sizeof(struct site_qedr)];
};

/* Which form of a site: site.h */
enum how { INLINE, EXTERN, PACK };

/* What was found at a site. */
struct tally {
	unsigned int equal, lengths, cut;
};

static struct ib_ud_header pack;

/* The inline segments of mlx4, joined; false: one crosses 64 bytes, or is empty. */
static bool gather(struct written *w, const u8 *wqe, size_t n)
{
	size_t at = 0;

	for (w->n = 0; at < n;) {
		u32 word = ibw_get_be32(wqe + at), len = word & ~(u32)SITE_MLX4_INLINE;
		uintptr_t first = (uintptr_t)(wqe + at + 4);

		at += 4;
		if (!(word & SITE_MLX4_INLINE) || !len || at + len > n)
			return false;
		if (first / SITE_MLX4_ALIGN != (first + len - 1) / SITE_MLX4_ALIGN)
			return false;
		memcpy(w->headers + w->n, wqe + at, len);
		w->n += len;
		at += len;
	}
	return true;
}

static bool by_mlx4(struct written *w, const struct site *s, enum how how)
{
	static u8 wqe[256] __aligned(SITE_MLX4_ALIGN);
	/* After the control and datagram segments, or a little further. */
	u8 *at = wqe + 16 + 16 * (s->psn % 4);
	size_t n = 0;

	switch (how) {
	case INLINE:
		n = site_mlx4(at, s);
		break;
	case EXTERN:
		n = site_mlx4_extern(at, s);
		break;
	case PACK:
		n = site_mlx4_pack(at, s, &pack);
		break;
	}
	return gather(w, at, n);
}

static bool by_bnxt_re(struct written *w, const struct site *s, enum how how)
{
	static struct site_bnxt_re q;
	unsigned int pieces = 0;

	memset(&q, 0xa5, sizeof(q));
	switch (how) {
	case INLINE:
		pieces = site_bnxt_re(&q, s);
		break;
	case EXTERN:
		pieces = site_bnxt_re_extern(&q, s);
		break;
	case PACK:
		pieces = site_bnxt_re_pack(&q, s, &pack);
		break;
	}
	memcpy(w->headers, q.slot, sizeof(w->headers));
	w->n = q.sge[0].length;
	memcpy(w->rest, q.sge + 1, sizeof(q.sge) - sizeof(q.sge[0]));
	return pieces == 1 + (unsigned int)s->wr->wr.num_sge;
}

static bool by_qedr(struct written *w, const struct site *s, enum how how)
{
	static struct site_qedr p;
	bool ok = false;

	memset(&p, 0xa5, sizeof(p));
	switch (how) {
	case INLINE:
		ok = site_qedr(&p, s);
		break;
	case EXTERN:
		ok = site_qedr_extern(&p, s);
		break;
	case PACK:
		ok = site_qedr_pack(&p, s);
		break;
	}
	memcpy(w->headers, p.headers, sizeof(w->headers));
	w->n = p.headers_len;
	memset(p.headers, 0, sizeof(p.headers));
	p.headers_len = 0;
	memcpy(w->rest, &p, sizeof(p));
	return ok;
}

static bool complain(const char *name, struct ud_case c, const char *what,
		     const struct written *theirs, const struct written *ours)
{
	pr_err("site %s, %s, payload %u, immediate %d: %s\n", name, ud_framing_names[c.framing],
	       c.payload, c.imm, what);
	print_hex_dump(KERN_ERR, "theirs ", DUMP_PREFIX_OFFSET, 16, 1, theirs->headers, theirs->n,
		       false);
	print_hex_dump(KERN_ERR, "ours   ", DUMP_PREFIX_OFFSET, 16, 1, ours->headers, ours->n,
		       false);
	return false;
}

static const u8 kinds[UD_FRAMINGS] = {
	[UD_IB] = IBW_ICRC_IB_LOCAL,          [UD_IB_GRH] = IBW_ICRC_IB_GLOBAL,
	[UD_V1] = IBW_ICRC_ROCE_V1,           [UD_V1_VLAN] = IBW_ICRC_ROCE_V1,
	[UD_V2_IPV4] = IBW_ICRC_ROCE_V2_IPV4, [UD_V2_IPV4_VLAN] = IBW_ICRC_ROCE_V2_IPV4,
	[UD_V2_IPV6] = IBW_ICRC_ROCE_V2_IPV6, [UD_V2_IPV6_VLAN] = IBW_ICRC_ROCE_V2_IPV6,
};

static bool compare(const char *name, struct ud_case c, struct written *theirs,
		    struct written *ours, struct tally *t)
{
	struct ibw_build b = { .has_eth = c.framing > UD_IB_GRH };

	if (theirs->n != ours->n) {
		/* bnxt_re does not send all 4 bytes of what it has not counted. */
		if (!c.imm || theirs->n + 4 != ours->n || strcmp(name, "bnxt_re"))
			return complain(name, c, "another length", theirs, ours);
		t->cut++;
	}
	if (memcmp(theirs->rest, ours->rest, sizeof(ours->rest)))
		return complain(name, c, "not the headers, but the rest is unlike", theirs, ours);
	if (!memcmp(theirs->headers, ours->headers, ours->n)) {
		t->equal++;
		return ud_kernel_is_right(c) ||
		       complain(name, c, "equal, where the kernel is wrong", theirs, ours);
	}
	t->lengths++;
	if (ud_kernel_is_right(c))
		return complain(name, c, "not equal", theirs, ours);
	b.n_vlans = c.framing > UD_IB_GRH && c.framing % 2;
	b.kind = kinds[c.framing];
	ud_without_lengths(theirs->headers, &b);
	ud_without_lengths(ours->headers, &b);
	return !memcmp(theirs->headers, ours->headers, ours->n) ||
	       complain(name, c, "more than the lengths differ", theirs, ours);
}

/* In the framings a driver has, with immediate data if it sends any. */
static bool check(const char *name, struct rnd_state *rnd, unsigned int count,
		  enum ud_framing first, bool imm,
		  bool (*by)(struct written *w, const struct site *s, enum how how))
{
	static struct written theirs, ours, outside;
	static struct site_case c;
	struct tally t = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++) {
		site_fill(&c, rnd, first + i / 2 % (UD_FRAMINGS - first), imm && i % 2);
		memset(&theirs, 0, sizeof(theirs));
		memset(&ours, 0, sizeof(ours));
		memset(&outside, 0, sizeof(outside));
		if (!by(&theirs, &c.site, PACK) || !by(&ours, &c.site, INLINE) ||
		    !by(&outside, &c.site, EXTERN))
			return complain(name, c.ud, "not built", &theirs, &ours);
		if (memcmp(&ours, &outside, sizeof(ours)))
			return complain(name, c.ud, "not equal out of line", &outside, &ours);
		if (!compare(name, c.ud, &theirs, &ours, &t))
			return false;
	}
	pr_info("site %s: %u headers byte-equal, %u with known-wrong lengths, %u of them cut\n",
		name, t.equal, t.lengths, t.cut);
	return t.equal && t.lengths;
}

bool site_check(struct rnd_state *rnd, unsigned int count)
{
	return check("mlx4", rnd, count, UD_IB, true, by_mlx4) &&
	       check("bnxt_re", rnd, count, UD_V1, true, by_bnxt_re) &&
	       check("qedr", rnd, count, UD_V1, false, by_qedr);
}
