/* SPDX-License-Identifier: GPL-2.0-or-later */
/* name.c - LIDs and GUIDs in messages, with the names of their nodes. */
#include <ibwire/out.h>

#include "lint_impl.h"

const char *lint_lid_text(const struct lint *l, uint64_t lid, char text[LINT_LID_TEXT])
{
	struct ibw_out out = ibw_out_open(text, LINT_LID_TEXT);
	char name[TRACK_NODE_SHORT];

	ibw_out_hex(&out, lid, 4);
	if (l->options.names)
		track_put_name(&out, track_only_lid_node(l->options.names, (uint16_t)lid, name));
	ibw_out_close(&out);
	return text;
}

const char *lint_guid_name(const struct lint *l, uint64_t guid, char text[LINT_LID_TEXT])
{
	struct ibw_out out = ibw_out_open(text, LINT_LID_TEXT);
	char name[TRACK_NODE_SHORT];

	if (l->options.names)
		track_put_name(&out, track_guid_node(l->options.names, guid, name));
	ibw_out_close(&out);
	return text;
}
