/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proto.h - the protocol, which all parts of the plugin name. */
#ifndef IW_PLUGIN_H
#define IW_PLUGIN_H

#include "compat.h"

/* The protocol, and the tree items of its own. */
#define IW_NAME "RDMA wire formats"
#define IW_SHORT_NAME "RDMA" /* of tabs and preferences */
extern int iw_proto;

/* Forgets what the packets so far have shown, which are about to be seen once more. */
extern void (*iw_begin_again)(void);

#endif /* IW_PLUGIN_H */
