/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.c - what is added in brackets to the Info column, before or after what it says. */
#include "mark.h"

void iw_info_mark(packet_info *pinfo, const char *text)
{
	const char *info, *blank;

	if (!pinfo->cinfo || !col_get_writable(pinfo->cinfo, COL_INFO))
		return;
	info = col_get_text(pinfo->cinfo, COL_INFO);
	/* The built-in dissector leaves one at the end. */
	blank = info && (!*info || g_str_has_suffix(info, " ")) ? "" : " ";
	col_append_fstr(pinfo->cinfo, COL_INFO, "%s[%s]", blank, text);
}

void iw_info_first(packet_info *pinfo, const char *text)
{
	if (pinfo->cinfo && col_get_writable(pinfo->cinfo, COL_INFO))
		col_prepend_fstr(pinfo->cinfo, COL_INFO, "[%s] ", text);
}
