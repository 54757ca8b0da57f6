/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.c - frames that a tap or a packet broker cut, lowering both lengths of the record.
 *
 * Their headers say more bytes than the frame has, and so do those of a packet with a wrong length. What
 * tells them apart is the interface: several end at the same length, and no frame of it is longer.
 * Until that is known, what rules say of such a length is kept; so is what waits for trim.c.
 */
#include <inttypes.h>

#include <glib.h>

#include "wait.h"
#include "lint/base/lint_impl.h"
#include "track/view/plain.h"

/* Interfaces that are followed, as in cap.c; what is said of the others is not kept. */
#define IFACES 64

/* Fewer that end at one length may be so by chance. */
#define SLICED_MIN 3

/* Findings kept with their words, over all interfaces; the others are counted. */
#define KEPT_MAX 4096

static const enum lint_rule_id replaced[] = { LINT_ROC005, LINT_LRH003, LINT_GRH003 };

/* A finding that waits: until both are decided, it is untrue as soon as one of them is true. */
struct kept {
	struct lint_finding finding;
	struct track_flow flow; /* what finding.flow points to */
	uint32_t iface;         /* the one whose frames may be cut; IFACES: no longer */
	unsigned int trim;      /* lint_trim_waits() */
	char *message;
};

/* Of a rule on an interface: those that were only counted. */
struct counted {
	struct kept first;
	uint64_t n, last_frame;
};

struct iface {
	uint32_t longest; /* bytes of the longest frame */
	uint64_t sliced;  /* frames of that length whose headers say more */
	bool rdma;        /* one of those is RDMA */
	struct track_frame first;
	struct counted counted[G_N_ELEMENTS(replaced)];
	uint32_t waiting; /* findings that are kept */
};

struct lint_slice_state {
	struct iface iface[IFACES];
	GArray *kept;                   /* struct kept, oldest first */
	uint32_t trims[LINT_TRIMS + 1]; /* how many of them wait for which of trim.c's */
};

static void clear(gpointer data)
{
	struct kept *k = data;

	g_free(k->message);
}

struct lint_slice_state *lint_slice_new(void)
{
	struct lint_slice_state *slice = g_new0(struct lint_slice_state, 1);

	slice->kept = g_array_new(FALSE, FALSE, sizeof(struct kept));
	g_array_set_clear_func(slice->kept, clear);
	return slice;
}

void lint_slice_free(struct lint_slice_state *slice)
{
	g_array_free(slice->kept, TRUE);
	g_free(slice);
}

static int index_of(enum lint_rule_id rule)
{
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(replaced); i++)
		if (replaced[i] == rule)
			return (int)i;
	return -1;
}

/* As it is handed over: the copy has moved. */
static struct lint_finding *finding_of(struct kept *k)
{
	if (k->finding.flow)
		k->finding.flow = &k->flow;
	return &k->finding;
}

static bool may_be_cut(const struct lint_packet *p, enum lint_rule_id rule)
{
	const struct lint_slice_state *slice = lint_slice_of(p->lint);
	uint32_t iface = p->frame->iface;

	return p->pkt->flags & IBW_PKT_BEYOND && index_of(rule) >= 0 && iface < IFACES &&
	       p->pkt->len == slice->iface[iface].longest;
}

bool lint_slice_keeps(const struct lint_packet *p, enum lint_rule_id rule)
{
	return may_be_cut(p, rule) || lint_trim_waits(p, rule);
}

/* There is no room for its words. */
static void count(struct lint_slice_state *slice, const struct kept *k)
{
	struct counted *c = &slice->iface[k->iface].counted[index_of(k->finding.rule)];

	if (!c->n++)
		c->first = *k;
	c->last_frame = k->finding.frame;
}

void lint_slice_keep(const struct lint_packet *p, const struct lint_finding *f, const char *message)
{
	struct lint_slice_state *slice = lint_slice_of(p->lint);
	struct kept k = { .finding = *f,
			  .iface = may_be_cut(p, f->rule) ? p->frame->iface : IFACES,
			  .trim = lint_trim_waits(p, f->rule) };

	if (f->flow)
		k.flow = *f->flow;
	if (slice->kept->len < KEPT_MAX) {
		if (k.iface < IFACES)
			slice->iface[k.iface].waiting++;
		if (k.trim)
			slice->trims[k.trim]++;
		k.message = g_strdup(message);
		k.finding.message = k.message;
		g_array_append_val(slice->kept, k);
	} else if (k.iface < IFACES) {
		count(slice, &k);
	} else {
		k.finding.message = message;
		lint_found_late(p->lint, finding_of(&k));
	}
}

/* What findings wait for: whether an interface's frames are cut, or, with none, trim.c's @trim. */
struct cause {
	uint32_t iface;
	unsigned int trim;
};

static bool waits_for(const struct kept *k, const struct cause *cause)
{
	return cause->iface < IFACES ? k->iface == cause->iface : k->trim == cause->trim;
}

static uint32_t *waiting_for(struct lint_slice_state *slice, const struct cause *cause)
{
	return cause->iface < IFACES ? &slice->iface[cause->iface].waiting
				     : &slice->trims[cause->trim];
}

/* It is known; @is_true: it was cut, or trimmed, which says all. Whether the finding waits no longer. */
static bool is_over(struct lint *l, struct kept *k, const struct cause *cause, bool is_true)
{
	struct lint_slice_state *slice = lint_slice_of(l);

	if (cause->iface < IFACES)
		k->iface = IFACES;
	else
		k->trim = 0;
	if (!is_true && (k->iface < IFACES || k->trim))
		return false;
	if (k->iface < IFACES)
		slice->iface[k->iface].waiting--;
	if (k->trim)
		slice->trims[k->trim]--;
	if (!is_true)
		lint_found_late(l, finding_of(k));
	return true;
}

/*
 * What waits for this waits no longer; what is not over stays, in its order. Nothing before the first of them is looked at:
 * who makes one wait and settles it, again and again, finds it at the end.
 */
static void settle(struct lint *l, const struct cause *cause, bool is_true)
{
	struct lint_slice_state *slice = lint_slice_of(l);
	struct kept *kept = (struct kept *)(void *)slice->kept->data, other;
	unsigned int from = slice->kept->len, to;
	uint32_t *n = waiting_for(slice, cause);

	for (; *n; *n -= waits_for(&kept[from], cause))
		from--;
	for (to = from; from < slice->kept->len; from++) {
		if (waits_for(&kept[from], cause) && is_over(l, &kept[from], cause, is_true))
			continue;
		if (to < from) {
			other = kept[to];
			kept[to] = kept[from];
			kept[from] = other;
		}
		to++;
	}
	g_array_set_size(slice->kept, to);
}

void lint_slice_settle(struct lint *l, unsigned int trim, bool trimmed)
{
	settle(l, &(struct cause){ IFACES, trim }, trimmed);
}

/* Nothing of this interface waits any longer; @say: it was true. */
static void release(struct lint *l, struct lint_slice_state *slice, uint32_t i, bool say)
{
	struct counted *c = slice->iface[i].counted;
	unsigned int j;

	settle(l, &(struct cause){ i, 0 }, !say);
	for (j = 0; j < G_N_ELEMENTS(replaced); j++) {
		if (say && c[j].n)
			lint_found_more(l, finding_of(&c[j].first), c[j].n, c[j].last_frame);
		c[j].n = 0;
	}
}

/* A longer frame than any before on the interface: those that ended earlier were not cut. */
static __attribute__((noinline)) void longer(struct lint_slice_state *slice,
					     const struct lint_packet *p)
{
	struct iface *iface = &slice->iface[p->frame->iface];

	release(p->lint, slice, p->frame->iface, true);
	iface->longest = p->pkt->len;
	iface->sliced = 0;
	iface->rdma = false;
}

static bool is_rdma(const struct ibw_packet *pkt)
{
	return pkt->proto != IBW_PROTO_OTHER && pkt->proto != IBW_PROTO_ARP &&
	       pkt->proto != IBW_PROTO_PAUSE;
}

void lint_slice(struct lint_packet *p)
{
	struct lint_slice_state *slice = lint_slice_of(p->lint);
	struct iface *iface = &slice->iface[p->frame->iface % IFACES];

	if (p->frame->iface >= IFACES)
		return;
	if (p->pkt->len > iface->longest)
		longer(slice, p);
	if (!(p->pkt->flags & IBW_PKT_BEYOND) || p->pkt->len != iface->longest)
		return;
	if (!iface->sliced++)
		iface->first = *p->frame;
	iface->rdma = iface->rdma || is_rdma(p->pkt);
}

bool lint_slice_asks(const struct lint_slice_state *slice, const struct track_frame *frame,
		     const struct track_plain *p)
{
	return frame->iface < IFACES && p->packet.wire_len > slice->iface[frame->iface].longest;
}

void lint_slice_finish(struct lint *l, const struct lint_slice_state *state)
{
	struct lint_slice_state *slice = lint_slice_of(l);
	uint32_t i;

	(void)state;
	for (i = 0; i < IFACES; i++) {
		const struct iface *iface = &slice->iface[i];
		uint64_t trimmed = lint_trim_frames(l, i, iface->longest);
		bool sliced = iface->sliced >= SLICED_MIN + trimmed && iface->rdma;

		if (sliced)
			lint_file_finding(
				l, LINT_CAP016, &iface->first,
				"%" PRIu64 " frames end after %u bytes, though their "
				"headers say more, and none is longer: they were cut before "
				"they were captured, and no ICRC of theirs can be checked",
				iface->sliced - trimmed, iface->longest);
		release(l, slice, i, !sliced);
	}
}
