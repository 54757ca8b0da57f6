/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cap_twice.c - part of group CAP: what distinguishes two points at which packets were captured. */
#include <ibwire/out.h>

#include "cap.h"
#include "track/link/twice.h"

#define POINTS_TEXT 256

static void out_vlan(struct ibw_out *o, const struct track_twice_point *p)
{
	if (p->vlan == TRACK_TWICE_NO_VLAN)
		ibw_out_str(o, "none");
	else
		ibw_out_dec(o, p->vlan);
}

static void out_macs(struct ibw_out *o, const struct track_twice_point *p)
{
	ibw_out_mac(o, p->macs + 6);
	ibw_out_str(o, " -> ");
	ibw_out_mac(o, p->macs);
}

static void out_begin(struct ibw_out *o, bool *any, const char *what)
{
	ibw_out_str(o, *any ? ", " : ": ");
	ibw_out_str(o, what);
	*any = true;
}

/* ": interfaces 0 and 1, TTL 64 and 63" */
static void out_points(struct ibw_out *o, const struct track_twice_point *a,
		       const struct track_twice_point *b)
{
	bool any = false;

	if (!a->look || !b->look)
		return;
	if (a->iface != b->iface) {
		out_begin(o, &any, "interfaces ");
		ibw_out_dec(o, a->iface);
		ibw_out_str(o, " and ");
		ibw_out_dec(o, b->iface);
	}
	if (a->ttl != b->ttl) {
		out_begin(o, &any, "TTL ");
		ibw_out_dec(o, a->ttl);
		ibw_out_str(o, " and ");
		ibw_out_dec(o, b->ttl);
	}
	if (a->vlan != b->vlan) {
		out_begin(o, &any, "VLAN ");
		out_vlan(o, a);
		ibw_out_str(o, " and ");
		out_vlan(o, b);
	}
	if (a->has_macs && b->has_macs && memcmp(a->macs, b->macs, sizeof(a->macs)) != 0) {
		out_begin(o, &any, "MACs ");
		out_macs(o, a);
		ibw_out_str(o, " and ");
		out_macs(o, b);
	}
}

static const char *points_text(const struct track_twice_found *found, char buf[POINTS_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, POINTS_TEXT);

	out_points(&o, &found->point[0], &found->point[1]);
	if (found->pairs > 1) {
		ibw_out_str(&o, "; so were ");
		ibw_out_dec(&o, found->copies - found->of_pair);
		ibw_out_str(&o, " packets of ");
		ibw_out_dec(&o, found->pairs - 1);
		ibw_out_str(&o,
			    found->pairs == 2 ? " other pair of hosts" : " other pairs of hosts");
	}
	ibw_out_close(&o);
	return buf;
}

void lint_cap_twice(struct lint *l)
{
	const struct track_twice *twice = lint_options_of(l)->twice;
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT], points[POINTS_TEXT];
	char least[LINT_DURATION_TEXT], most[LINT_DURATION_TEXT];
	struct track_twice_found found;

	if (!twice)
		return;
	found = track_twice_find(twice);
	if (!found.copies)
		return;
	lint_file_finding(
		l, LINT_CAP008, NULL,
		"%llu packet%s between %s and %s %s captured twice, %s to %s apart, from frame %llu on; the copies count "
		"in nothing else%s",
		(unsigned long long)found.of_pair, found.of_pair == 1 ? "" : "s",
		track_address_text((enum track_address)found.flow.address, found.flow.src, src),
		track_address_text((enum track_address)found.flow.address, found.flow.dst, dst),
		found.of_pair == 1 ? "was" : "were", lint_duration_text(found.least_ns, least),
		lint_duration_text(found.most_ns, most), (unsigned long long)found.frame,
		points_text(&found, points));
}
