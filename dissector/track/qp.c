/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp.c - what every packet of a connection counts for, and how the figures are read. */
#include <string.h>

#include "qp_impl.h"

const struct track_figure_row track_figures[TRACK_FIGURE_COUNT] = {
#define TRACK_FIGURE(name, value, title, counter) { #name, title, counter },
#include "figures.def"
};

const struct track_figure_row track_verbs[TRACK_VERB_COUNT] = {
#define TRACK_VERB(id, name, title) { #name, title, NULL },
#include "figures.def"
};

const struct track_figure_row track_times[TRACK_TIMES_COUNT] = {
#define TRACK_TIMES(id, name, title) { #name, title, NULL },
#include "figures.def"
};

uint64_t track_figure(const struct track_dir *d, enum track_figure figure)
{
	switch (figure) {
#define TRACK_FIGURE(name, value, title, counter)                                                  \
	case TRACK_FIGURE_##name:                                                                  \
		return (value);
#include "figures.def"
	default:
		return 0;
	}
}

const struct track_histogram *track_dir_times(const struct track_dir *d, enum track_times times)
{
	static const struct track_histogram none;

	return d->times ? &d->times[times] : &none;
}

void track_qp_time(struct track_qp *qp, struct track_dir *d, enum track_times times,
		   uint64_t since_ns, uint64_t now_ns)
{
	if (now_ns < since_ns) {
		qp->doubt |= TRACK_DOUBT_CLOCK;
		return;
	}
	if (!d->times)
		d->times = g_new0(struct track_histogram, TRACK_TIMES_COUNT);
	track_histogram_add(&d->times[times], now_ns - since_ns);
}

void track_dir_clear(struct track_dir *d)
{
	unsigned int i;

	track_psns_clear(&d->psns);
	track_requests_free(d->requests);
	track_reads_free(d->reads);
	for (i = 0; d->times && i < TRACK_TIMES_COUNT; i++)
		track_histogram_clear(&d->times[i]);
	g_free(d->times);
	memset(d, 0, sizeof(*d));
}

uint32_t track_qp_psns(const struct track_qp *qp, const struct track_packet *p)
{
	uint32_t mtu = track_qp_mtu(qp);

	if (!track_is_read_request(p) || p->dmalen <= TRACK_MTU_MIN)
		return 1;
	return mtu ? p->dmalen / mtu + (p->dmalen % mtu != 0) : 0;
}

/* Marked on its way: RFC 3168, 5; IBTA vol 1, 9.2 */
static bool is_marked(const struct track_packet *p)
{
	return (p->tclass & 3) == IBW_ECN_CE || p->flags & TRACK_PACKET_FECN;
}

void track_qp_packet(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];

	d->packets++;
	d->wire_bytes += p->wire_len;
	d->ce_packets += is_marked(p);
	if ((p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP) {
		d->cnp_packets++;
		return;
	}
	d->payload_bytes += p->payload;
	if (track_shows_mtu(p) && !qp->mtu_seen)
		qp->mtu_seen = p->payload;
	if (track_packet_opf(p) & IBW_OPF_REQUEST)
		track_qp_request(s, qp, p, n);
	else if (track_packet_opf(p) & IBW_OPF_RESPONSE)
		track_qp_answer(s, qp, p);
}
