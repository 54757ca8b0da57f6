/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proto.c - the protocol, which all parts of the plugin name. */
#include "proto.h"

int iw_proto = -1;
void (*iw_begin_again)(void);
