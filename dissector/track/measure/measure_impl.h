/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_impl.h - measures a packet before it counts for its connection, so that the state is that of
 * the packets before it. measure.c measures every packet, measure_request.c requests, measure_answer.c
 * their answers.
 */
#ifndef IBWIRE_TRACK_MEASURE_IMPL_H
#define IBWIRE_TRACK_MEASURE_IMPL_H

#include "measure.h"
#include "track/way/flight.h"
#include "track/way/qp_impl.h"

/* A packet, before it is evaluated: from the first one on, both ways have a measure and a flight. */
void track_measure_packet(const struct track_qps *s, struct track_qp *qp,
			  const struct track_packet *p);

/* A request or an answer of this PSN, before it is looked at as one. */
void track_measure_request(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			   uint32_t n, enum track_psn_class class);
void track_measure_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn);

/* An unexpected request, after it was evaluated. */
void track_measure_resent(struct track_qp *qp, const struct track_packet *p);

/* With some samples of each kind. */
#define TRACK_MEASURE_BYTES                                                                        \
	(sizeof(struct track_measure) + sizeof(struct track_congestion) +                          \
	 TRACK_SAMPLES_COUNT * (sizeof(struct track_histogram) + TRACK_MEMORY_PIECE))

/* A packet that was repeated during a pause, for any reason. */
uint64_t track_measure_paused(const struct track_measure *m);

void track_measure_free(struct track_measure *m); /* NULL is fine */

/* measure_cc.c: a packet that is marked; a CNP, once both ways have measures. */
void track_measure_mark(struct track_qp *qp, const struct track_packet *p);
void track_measure_cnp(struct track_qp *qp, const struct track_packet *p);
uint64_t track_measure_share(uint64_t some, uint64_t all, uint64_t of);
const struct track_congestion *track_measured_congestion(const struct track_measure *m);

/* A value of a list. */
void track_sample(struct track_measure *m, enum track_samples samples, uint64_t value);

/* The time from @since to now, if the clock did not go back. */
void track_sample_time(struct track_qp *qp, struct track_measure *m, enum track_samples samples,
		       uint64_t since_ns, uint64_t now_ns);

/* A packet of a SEND or WRITE is the next one in order. */
bool track_message_goes_on(struct track_measure *m, uint8_t opcode, uint64_t psn, uint32_t payload,
			   uint64_t frame, uint64_t time_ns);

#endif /* IBWIRE_TRACK_MEASURE_IMPL_H */
