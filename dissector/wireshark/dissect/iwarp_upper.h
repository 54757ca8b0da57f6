/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_upper.h - iWARP in take-over mode. */
#ifndef IW_IWARP_UPPER_H
#define IW_IWARP_UPPER_H

#include "wireshark/base/compat.h"

void iw_iwarp_upper_register(void);
void iw_iwarp_upper_handoff(void);
void iw_iwarp_upper_init(void); /* a file is about to be read */

#endif /* IW_IWARP_UPPER_H */
