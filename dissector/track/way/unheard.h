/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unheard.h - whether a NAK that was not captured may have asked for what is sent again. */
#ifndef IBWIRE_TRACK_UNHEARD_H
#define IBWIRE_TRACK_UNHEARD_H

#include "qp_impl.h"

/* No answers to the requests of @way were captured, and the half that would have them is not known: so it is with one direction only. */
static inline bool track_qp_is_unheard(const struct track_qp *qp, enum track_way way)
{
	return track_qp_is_deaf(qp, way) && qp->halves < 2;
}

#endif /* IBWIRE_TRACK_UNHEARD_H */
