/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite.c - what the modes share that write the packets of a capture to another file. */
#include "pcap-lint/base/interrupt.h"
#include "lint/lint.h"
#include "rewrite.h"

struct capture *pl_rewrite_open(struct pl_output *output, const struct pl_options *options,
				const char *file, GError **err)
{
	const struct capture_options how = { .wait = pl_output_wait,
					     .user = output,
					     .max_size = options->max_size,
					     .max_ratio = options->max_ratio };
	struct capture *capture = capture_open(file, &how, err);

	if (!capture || !options->filter || capture_filter(capture, options->filter, err))
		return capture;
	capture_close(capture);
	return NULL;
}

bool pl_rewrite_each(struct pl_output *output, const char *file, struct capture *capture,
		     pl_rewrite *what, void *user)
{
	struct capture_fault fault;
	enum capture_result result;
	struct capture_packet pkt;
	bool well = true;

	while (!pl_interrupted() && (result = capture_next(capture, &pkt)) != CAPTURE_END) {
		pl_output_tick(output);
		if (result == CAPTURE_PACKET) {
			if (!what(user, &pkt))
				break;
			continue;
		}
		fault = *capture_fault(capture);
		lint_as_one(fault.text);
		pl_error(output, "%s:%" G_GUINT64_FORMAT ": %s", file, (guint64)fault.frame,
			 fault.text);
		well = false;
	}
	return well;
}

bool pl_rewrite_close(struct pl_file *out, const char *file, uint64_t written, bool failed,
		      GError **err)
{
	if (written || !out->target || !(failed || pl_file_replaces(out)))
		return pl_file_close(out, err);
	g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
		    failed ? "%s: not written, as no packet of %s could be"
			   : "%s: not replaced, as %s has no packet to write",
		    out->name, file);
	pl_file_drop(out);
	return false;
}
