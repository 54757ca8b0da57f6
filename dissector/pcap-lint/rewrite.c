/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite.c - what the modes share that write the packets of a capture to another file. */
#include "rewrite.h"

bool pl_rewrite_each(struct pl_output *output, const char *file, struct capture *capture,
		     pl_rewrite *what, void *user)
{
	const struct capture_fault *fault;
	enum capture_result result;
	struct capture_packet pkt;
	bool well = true;

	while ((result = capture_next(capture, &pkt)) != CAPTURE_END) {
		if (result == CAPTURE_PACKET) {
			if (!what(user, &pkt))
				break;
			continue;
		}
		fault = capture_fault(capture);
		pl_error(output, "%s:%" G_GUINT64_FORMAT ": %s", file, (guint64)fault->frame,
			 fault->text);
		well = false;
	}
	return well;
}
