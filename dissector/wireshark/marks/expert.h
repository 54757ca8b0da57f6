/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expert.h - the linter: findings kept by frame, shown as expert items. */
#ifndef IW_EXPERT_H
#define IW_EXPERT_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "lint/lint.h"
#include "track/track.h"

/* The linter, which pass.c has see each frame once, in file order. */
void iw_lint_register(expert_module_t *module);
void iw_lint_init(void);        /* a file is about to be read */
void iw_lint_last_packet(void); /* before the events that only the end shows */
void iw_lint_finish(void);      /* every frame has been seen */
void iw_lint_events(const struct track_event *e, unsigned int n);
void iw_lint_cleanup(void); /* the file is closed */
void iw_lint_frame(const struct track_frame *at, struct iw_frame *frame);
const uint64_t *iw_lint_counts(void); /* findings of the file, by rule */
bool iw_lint_done(void);              /* and there will be no more */
/* Whether there is one of the frame to be shown. */
bool iw_lint_has(packet_info *pinfo);
/* Whether one of those is about such an event. */
bool iw_lint_says(packet_info *pinfo, enum track_event_kind kind);
/* Each of those of a frame; of frame 0: about the file. */
void iw_lint_each(uint32_t frame,
		  void (*tell)(void *user, const struct lint_rule *rule,
			       enum lint_severity severity, const char *message),
		  void *user);
void iw_lint_show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_EXPERT_H */
