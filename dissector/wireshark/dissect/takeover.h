/* SPDX-License-Identifier: GPL-2.0-or-later */
/* takeover.h - dissectors in the place of the built-in ones. */
#ifndef IW_TAKEOVER_H
#define IW_TAKEOVER_H

#include "wireshark/base/compat.h"

void iw_takeover_register(void);
void iw_takeover_handoff(void);
void iw_takeover_init(void); /* a file is about to be read */

#endif /* IW_TAKEOVER_H */
