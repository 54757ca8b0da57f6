/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_lint_iwp.h - what the files of group IWP share: a connection of iWARP.
 *
 * A (10.0.0.1, port 40000) asks, B (10.0.0.2, port 7471 unless another is set) answers. Each message is one FPDU and one TCP segment.
 */
#ifndef PCAPS_MAKE_LINT_IWP_H
#define PCAPS_MAKE_LINT_IWP_H

#include <ibwire/build_fpdu.h>

#include "make.h"

/* The two ends: what they send next. */
struct talk {
	struct mk_capture *c;
	uint32_t seq[2];
	uint64_t position[2]; /* of the next FPDU, from the first one on */
	bool markers[2], crc;
	uint16_t id[2]; /* of the next packet; 0: they have none */
	uint16_t mss;   /* that both SYNs ask for; 0: they do not */
	uint16_t port;  /* of B */
	bool asked_crc;
};

enum side { A, B };

/* Octets of an MPA frame. */
#define FLAGS 16
#define REV 17

#define FIN 0x11
#define SYN 0x02
#define RST 0x14
#define ACK 0x10

/* make_lint_iwp_talk.c */

void mk_iwp_put(struct talk *t, enum side from, uint8_t flags, const uint8_t *bytes, uint32_t n);
void mk_iwp_begin_with(struct talk *t, struct mk_capture *c, uint16_t mss);
void mk_iwp_begin(struct talk *t, struct mk_capture *c);
void mk_iwp_begin_at(struct talk *t, struct mk_capture *c, uint16_t port);
/* An MPA frame, of which the octet at @at is @octet instead, if @at is not 0. Without CRCs that is said of the reply. */
void mk_iwp_start(struct talk *t, enum side from, const struct ibw_mpa_start_build *b, uint32_t at,
		  uint8_t octet);
/* The same, with private data of its own. */
void mk_iwp_start_with(struct talk *t, enum side from, const struct ibw_mpa_start_build *b,
		       const void *private_data);
void mk_iwp_agree(struct talk *t, struct mk_capture *c, bool crc, bool markers);
/* The FPDU of a segment whose payload is @payload, of @bytes; the octet @at of it is changed by @mask, the CRC made right
 * after if @fix. */
void mk_iwp_send(struct talk *t, enum side from, const struct ibw_segment *s, const void *payload,
		 uint32_t at, uint8_t mask, bool fix);
struct ibw_segment mk_iwp_send_of(uint32_t msn, uint32_t mo, uint32_t bytes, bool last);
struct ibw_segment mk_iwp_write_of(uint32_t stag, uint64_t to, uint32_t bytes, bool last);
void mk_iwp_send_msg(struct talk *t, enum side from, uint32_t msn);
void mk_iwp_read_of(struct talk *t, enum side from, uint32_t msn, uint32_t bytes);
void mk_iwp_respond(struct talk *t, enum side from, uint32_t stag, uint64_t to, uint32_t bytes);
void mk_iwp_fires(struct talk *t, const char *rule, const char *layer);
void mk_iwp_misses(struct talk *t, const char *rule);

/* make_lint_iwp_atomic.c */
void mk_iwp_atomics(struct mk_capture *c);

/* make_lint_iwp_end.c */
void mk_iwp_half_fin(struct mk_capture *c);
void mk_iwp_half_reset(struct mk_capture *c);
void mk_iwp_whole_fin(struct mk_capture *c);
void mk_iwp_whole_reset(struct mk_capture *c);
void mk_iwp_half_open(struct mk_capture *c);
void mk_iwp_half_fpdu(struct mk_capture *c);
void mk_iwp_read_unanswered(struct mk_capture *c);
void mk_iwp_read_answered(struct mk_capture *c);
void mk_iwp_silent_2s(struct mk_capture *c);
void mk_iwp_silent_1s(struct mk_capture *c);
void mk_iwp_silent_answered(struct mk_capture *c);
void mk_iwp_silent_server(struct mk_capture *c);
void mk_iwp_silent_read(struct mk_capture *c);
void mk_iwp_silent_read_1s(struct mk_capture *c);
void mk_iwp_port_closed(struct mk_capture *c);
void mk_iwp_port_of_tcp_closed(struct mk_capture *c);
void mk_iwp_port_open(struct mk_capture *c);
void mk_iwp_very_late(struct mk_capture *c);
void mk_iwp_late(struct mk_capture *c);
void mk_iwp_lost(struct mk_capture *c);
void mk_iwp_late_unnumbered(struct mk_capture *c);
void mk_iwp_lost_unnumbered(struct mk_capture *c);
void mk_iwp_lost_numbered_at_random(struct mk_capture *c);
void mk_iwp_hole_acked(struct mk_capture *c);
void mk_iwp_hole_open(struct mk_capture *c);
void mk_iwp_twice(struct mk_capture *c);
void mk_iwp_resent(struct mk_capture *c);
void mk_iwp_resent_unnumbered(struct mk_capture *c);

/* make_lint_ulp_iwarp.c */
void mk_ulp_invalidates_own(struct mk_capture *c);
void mk_ulp_invalidates_other(struct mk_capture *c);
void mk_ulp_invalidates_nothing(struct mk_capture *c);
void mk_ulp_send_1024(struct mk_capture *c);
void mk_ulp_send_1025(struct mk_capture *c);
void mk_ulp_send_unannounced(struct mk_capture *c);
void mk_ulp_connect_own(struct mk_capture *c);
void mk_ulp_connect_other(struct mk_capture *c);
void mk_ulp_read_first(struct mk_capture *c);
void mk_ulp_read_first_of_nobody(struct mk_capture *c);
void mk_ulp_refused_queue(struct mk_capture *c);
void mk_ulp_refused_port(struct mk_capture *c);
void mk_ulp_words(struct mk_capture *c);
void mk_ulp_word_count(struct mk_capture *c);
void mk_ulp_word_type(struct mk_capture *c);
void mk_ulp_word_lost(struct mk_capture *c);
void mk_ulp_words_of_other(struct mk_capture *c);
void mk_ulp_words_of_nobody(struct mk_capture *c);

#endif /* PCAPS_MAKE_LINT_IWP_H */
