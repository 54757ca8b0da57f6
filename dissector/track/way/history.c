/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - the history of a connection, one letter per kind of event. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "history.h"
#include "qp_impl.h"

static const char letters[] = "RUJMDSWETFQANYCGX"; /* of enum track_happened */

_Static_assert(sizeof(letters) - 1 == TRACK_DID_X + 1, "a letter each");

static __attribute__((noinline)) void add(struct track_qp *qp, enum track_way way,
					  enum track_happened what)
{
	char letter = letters[what];

	if (qp->n_history == sizeof(qp->history))
		return;
	qp->happened |= (uint64_t)1 << (2 * what + way);
	if (way == TRACK_B_TO_A)
		letter = g_ascii_tolower(letter);
	qp->history[qp->n_history++] = letter;
}

/* Nearly always it happened before. */
static inline void happened(struct track_qp *qp, enum track_way way, enum track_happened what)
{
	if (!(qp->happened >> (2 * what + way) & 1))
		add(qp, way, what);
}

void track_qp_happened(struct track_qp *qp, enum track_way way, enum track_happened what)
{
	happened(qp, way, what);
}

static enum track_happened request(const struct track_packet *p)
{
	static const uint8_t of_verb[TRACK_VERB_COUNT] = {
		[TRACK_VERB_SEND] = TRACK_DID_S,  [TRACK_VERB_WRITE] = TRACK_DID_W,
		[TRACK_VERB_READ] = TRACK_DID_E,  [TRACK_VERB_ATOMIC] = TRACK_DID_T,
		[TRACK_VERB_FLUSH] = TRACK_DID_F,
	};

	return (enum track_happened)of_verb[track_verb_of(p->opcode)];
}

static enum track_happened answer(const struct track_packet *p)
{
	if (TRACK_OPERATION(p->opcode) != IBW_OP_RC_ACKNOWLEDGE)
		return TRACK_DID_Q;
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_NAK:
		return TRACK_DID_N;
	case IBW_AETH_TYPE_RNR:
		return TRACK_DID_Y;
	default:
		return TRACK_DID_A;
	}
}

void track_qp_happened_packet(struct track_qp *qp, const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[p->way];
	enum track_way way = (enum track_way)p->way;
	unsigned int opf = track_packet_opf(p);

	if ((p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		happened(qp, way, TRACK_DID_C);
	else if (opf & IBW_OPF_REQUEST)
		happened(qp, way, request(p));
	else if (opf & IBW_OPF_RESPONSE)
		happened(qp, way, answer(p));
	if (!d->watch)
		return;
	if (d->watch->gap_episodes)
		happened(qp, way, TRACK_DID_G);
	if (d->watch->retransmitted_packets)
		happened(qp, way, TRACK_DID_X);
}

static enum track_happened happening(char letter)
{
	return (enum track_happened)(strchr(letters, g_ascii_toupper(letter)) - letters);
}

void track_qp_happened_join(struct track_qp *qp, const struct track_qp *from, enum track_way way)
{
	unsigned int i;

	for (i = 0; i < from->n_history; i++)
		track_qp_happened(qp, way, happening(from->history[i]));
}

/* How often, where a letter says so; 0: it does not. */
static uint64_t how_often(const struct track_dir *d, char letter)
{
	switch (letter) {
	case 'N':
		return track_figure(d, TRACK_FIGURE_nak_sequence) +
		       track_figure(d, TRACK_FIGURE_nak_invalid_request) +
		       track_figure(d, TRACK_FIGURE_nak_remote_access) +
		       track_figure(d, TRACK_FIGURE_nak_remote_operational);
	case 'Y':
		return track_figure(d, TRACK_FIGURE_rnr_nak);
	case 'G':
		return track_figure(d, TRACK_FIGURE_gap_episodes);
	case 'X':
		return track_figure(d, TRACK_FIGURE_retransmitted_packets);
	default:
		return 0;
	}
}

/* 260 is 200. */
static uint64_t rounded(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 10)
		unit *= 10;
	return n / unit * unit;
}

const char *track_qp_history(const struct track_qp *qp, char buf[TRACK_HISTORY_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, TRACK_HISTORY_TEXT);
	unsigned int i;
	uint64_t n;
	char c;

	for (i = 0; i < qp->n_history; i++) {
		c = qp->history[i];
		n = how_often(&qp->dir[g_ascii_isupper(c) ? TRACK_A_TO_B : TRACK_B_TO_A],
			      g_ascii_toupper(c));
		ibw_out_char(&o, c);
		if (n)
			ibw_out_dec(&o, rounded(n));
	}
	ibw_out_close(&o);
	return buf;
}
