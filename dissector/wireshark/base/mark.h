/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.h - what is added in brackets to the Info column. */
#ifndef IW_MARK_H
#define IW_MARK_H

#include "compat.h"

/* " [ICRC incorrect]" after what the Info column says. */
void iw_info_mark(packet_info *pinfo, const char *text);
/* The same before it. */
void iw_info_first(packet_info *pinfo, const char *text);

#endif /* IW_MARK_H */
