/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - the state of one way after something went wrong there, or may have.
 *
 * It is about the requests of the way and their answers, which go the other way. A way whose
 * packets all arrived in order has none: read it with track_watched(), change it with track_watch()
 * (qp.h).
 */
#ifndef IBWIRE_TRACK_WATCH_H
#define IBWIRE_TRACK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "psn.h"
#include "reads.h"
#include "track/base/event.h"

/* A request that is missing, asked for or not, and a packet that shows it. */
struct track_mark {
	uint64_t psn;
	uint64_t frame; /* 0: there is none */
	uint64_t time_ns;
};

/* Requests that were retransmitted one after the other; some may have been lost before the capture point. */
struct track_run {
	uint64_t low, next;   /* PSNs: of the first, after the last */
	uint64_t top;         /* after the highest that was sent before it */
	uint64_t frame, last; /* of the first and the last; 0: there was none */
};

/* Requests that came into a hole, one after the other. */
struct track_filled {
	struct track_mark first; /* frame 0: there are none */
	uint64_t next;           /* the PSN after the last */
	uint64_t last_frame;     /* of the last */
	uint64_t bytes;          /* payload */
	uint32_t packets;
	struct track_hole hole;
};

/* A READ or atomic without a response that an answer to a later request passed. */
struct track_passed {
	uint64_t psn, next; /* next: the PSN after it */
	uint64_t frame;     /* of the request */
	uint64_t passed_frame, passed_ns;
	uint8_t opcode;
};

/* Why the requester sent something again, as far as its answer was captured. */
struct track_reason {
	uint32_t kind; /* enum track_why */
	uint64_t psn;  /* of a READ response, or 0 */
	uint64_t ns;
};

/* What came again. */
struct track_again {
	struct track_at at;
	uint64_t psn;
	uint64_t first_frame, last_frame; /* the first copy, and the one before; 0: not known */
	uint64_t copy_ns, silent_ns;      /* since that, and without a request */
	uint64_t took_ns;                 /* from the first copy to its answer */
	struct track_reason why;
	uint32_t n; /* PSNs */
	uint32_t copies;
	uint32_t answers; /* since then */
	uint8_t opcode;
	uint8_t cause; /* enum track_resend */
	uint8_t peer;  /* enum track_peer */
	bool answered, timeout, told;
};

/* Of a way, that wait for answers. */
#define TRACK_HELD_MAX 64u

/* That are not told yet. */
#define TRACK_UNREAD_MAX 4u

/* A request that is in the capture with a wrong ICRC; its PSN may be what is wrong of it. */
struct track_damaged {
	uint64_t psn;
	uint64_t frame, last_frame; /* the first and the last of its copies that are damaged */
	uint64_t time_ns;           /* of the first */
	uint32_t n;                 /* PSNs it takes */
	bool missing;               /* no good copy came so far */
	bool came;                  /* or one came after the last that is damaged */
	bool accepted;              /* it was answered before any good copy */
	bool nearly; /* one bit of an address or the queue pair is wrong, too: no figure counts it */
	bool strange; /* it is whole, and nobody knows what its opcode does */
};

/* What an R_Key was accepted for. */
struct track_rkey {
	uint32_t rkey;
	uint32_t verbs;     /* 1 << enum track_verb */
	uint64_t low, high; /* addresses */
};

#define TRACK_RKEYS 8u

/* Since the PSNs last started anew: cleared whole when they do, as struct track_since of qp.h. */
struct track_watch_since {
	/* Requests */
	bool closed; /* by their sender: the next one out of order begins another connection */
	bool over;   /* the connection is: answers may be of another one */
	uint64_t repeat_ns;   /* of the last that came again */
	uint64_t resend_next; /* PSN that would go on with what is sent again */
	uint8_t resend;       /* enum track_resend: its cause */
	bool resend_known;    /* the packet is: */
	uint16_t resend_ip_id;
	struct track_run run; /* the last one */
	/* Without answers: late or sent again, as what comes next says; sent again, if no original comes late */
	struct track_filled unsure, resent;
	/* Answers */
	uint8_t nak_where; /* enum track_loss: where what the sequence NAK asks for was lost */
	uint8_t again_where; /* enum track_loss: of what came again last, if a NAK asked for an earlier one */
	bool nak_answered; /* that is answered, and did not come again */
	bool nak_resent;   /* something came again since the last one */
	bool msn_fell; /* the queue pair may have been set up anew: what an answer passes was not sent */
	bool unsent_nak;       /* what answers the unsent is a sequence NAK */
	struct track_mark nak; /* a sequence NAK that was not answered yet */
	uint64_t
		nak_damaged; /* frame of the copy of what it asks for, if that is not whole; 0: none */
	uint64_t nak_filled; /* frame of what came after it for the first time; 0: nothing */
	uint64_t nak_filled_ns;
	bool nak_unsure;              /* that may be the original: its note waits */
	bool nak_late;                /* that is: the NAK asked for what was only late */
	struct track_hole late;       /* what that came into */
	struct track_mark last_nak;   /* the last sequence NAK */
	struct track_mark nak_before; /* and the one before it */
	uint64_t before_frame;        /* of the last packet of a PSN below the first one captured */
	struct track_mark rnr;        /* an RNR NAK that was not answered yet */
	uint64_t rnr_psn;             /* of the last RNR NAK */
	uint32_t rnr_count;           /* of that PSN, in a row */
	uint32_t rnr_ns;              /* time to wait */
	struct track_mark fatal;      /* a NAK that ends the connection */
	uint8_t fatal_why;            /* enum track_refusal: why */
	/* The first request, of the PSN that those to another queue pair had come to, and is refused for that */
	struct track_mark kept;
	uint32_t kept_qpn; /* of that queue pair */
	bool kept_said;
	struct track_mark unsent; /* an answer to what has not come yet */
	/* After a timeout: how long nothing was sent before the last one; whether the other end was heard meanwhile */
	uint64_t waited_ns;
	uint8_t peer;              /* enum track_peer, of the last one */
	uint32_t quiet_timeouts;   /* in a row, without a packet from there */
	uint64_t timeout_ns;       /* of the last one */
	uint64_t quiet_since;      /* of the last packet from there */
	uint64_t quiet_from;       /* of the first one that waited since then */
	bool quiet_many;           /* many packets do */
	struct track_mark missing; /* a request that was sent again, as its answer did not come */
	uint64_t missing_ns;       /* by then */
	/* READ responses */
	struct track_mark swapped; /* the last that was late */
	uint64_t swapped_ns;       /* how much */
	struct track_read gap;     /* the last that was lost, as it seems; frame 0: none */
	uint64_t again_next;       /* PSN that would go on with those that come again */
	struct track_passed unread[TRACK_UNREAD_MAX];
	uint8_t n_unread;
};

struct track_watch {
	struct track_watch_since since;
	/* Of all starts: the longest time without a packet from the other end, over TRACK_QUIET_TIMEOUTS; 0: none */
	uint64_t quiet_ns;
	uint64_t resend_ns; /* the longest that it took to send something again */
	bool quiet_cut;     /* that was as by a cut link */
	uint8_t gave_up;    /* enum track_gave_up */
	bool renumbers;     /* what is sent again gets a new Identification */
	uint32_t ids_kept;  /* of those that had the one of their first copy: ids.h */
	/* The last restart */
	uint64_t before_next;      /* the expected PSN before it; 0: there was none */
	uint64_t before_missing;   /* PSNs missing by then */
	uint64_t before_requested; /* and requested, or missing */
	/* What was not captured */
	struct track_mark loss; /* the first */
	uint64_t lost;          /* PSNs */
	uint32_t
		twice_packets; /* of duplicated_packets those that may be a second capture of one */
	/* Requests that were late: the most; whether some of them may have been sent again, as far as is known without answers */
	uint64_t late_ns, late_psns;
	bool late_unsure;
	uint32_t late_naks; /* that asked for one that was only late */
	/* Congestion: the first mark, the last one, the first CNP about this way without one before */
	struct track_mark ce, cnp_bare;
	uint64_t ce_last_ns, ce_last_frame;
	struct track_mark cnp, cnp_last; /* about this way: the first, and the last */
	struct track_mark ce_open;       /* the first mark since the last CNP about this way */
	uint32_t ce_open_count;
	uint32_t ce_marks, ce_acks, cnps_about; /* packets but CNPs, and ACKs, that are marked */
	/* What came again and may have been answered all the same, the first one first */
	struct track_again *held;
	uint32_t n_held, held_room;
	/* Requests that are damaged, the lowest PSN first */
	struct track_damaged *damaged;
	uint32_t n_damaged, damaged_room;
	struct track_mark accepted; /* the first of those that were answered */
	uint64_t accepted_packets;
	/* Responses to the requests of this way that were not captured before them */
	struct track_psns unasked;
	/* Counted */
	uint64_t repeated_bytes;
	uint64_t response_missing; /* set by track_qps_finish() */
	uint32_t naks[5], rnr_naks;
#define TRACK_RARE(name, title, counter) uint32_t name;
#include "figures.def"
};

/* The answers to the requests of a way, once there was one. */
struct track_answers_since {
	struct track_mark cover; /* what answered the most so far */
	struct track_mark ack;   /* the last ACK */
	uint64_t last_ns;        /* of the last answer of any kind */
	uint64_t low, low_ns;    /* the lowest PSN without one, and since when: incident_impl.h */
	struct track_mark msn;   /* of the last AETH, but psn is of what it is about */
	uint32_t msn_value;
	uint32_t msn_first; /* of the first AETH whose request was captured */
	uint32_t msn_begun; /* 1 + messages completed by then; 0: there was none yet */
	uint32_t n_rkeys;   /* that were accepted */
};

struct track_answers {
	struct track_answers_since since; /* as of struct track_watch */
	uint64_t rtt_ns;                  /* the shortest so far, of the path; 0: not known */
	uint64_t slow_ns;                 /* and the longest */
	struct track_rkey *rkey;          /* R_Keys that were accepted; NULL: none yet */
};

#define TRACK_QUIET_TIMEOUTS 2u

/* Whether the requester ended the connection by an error: gave_up.c */
enum track_gave_up { TRACK_GAVE_UP_NOT, TRACK_GAVE_UP_RETRIES, TRACK_GAVE_UP_RNR };

/* How long something was waited for before it was sent again. */
static inline void track_resend_took(struct track_watch *w, uint64_t ns)
{
	if (ns > w->resend_ns)
		w->resend_ns = ns;
}

#endif /* IBWIRE_TRACK_WATCH_H */
