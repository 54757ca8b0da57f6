/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listen.c - registers a figure of -z that is printed at the end, and needs no packet. */
#include <stdio.h>

#include <glib.h>

#include "listen.h"

#include <epan/packet.h>
#include <epan/tap.h>

static tap_packet_status no_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				   const void *frame, tap_flags_t flags)
{
	(void)data;
	(void)pinfo;
	(void)edt;
	(void)frame;
	(void)flags;
	return TAP_PACKET_DONT_REDRAW;
}

bool iw_listen(const char *name, const void *listener, void (*draw)(void *listener))
{
	GString *error = register_tap_listener("ibwire", (void *)listener, NULL,
					       TL_REQUIRES_NOTHING, NULL, no_packet, draw, NULL);

	if (!error)
		return true;
	fprintf(stderr, "%s: %s\n", name, error->str);
	g_string_free(error, TRUE);
	return false;
}
