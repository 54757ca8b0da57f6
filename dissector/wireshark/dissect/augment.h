/* SPDX-License-Identifier: GPL-2.0-or-later */
/* augment.h - the tree next to the built-in one. */
#ifndef IW_AUGMENT_H
#define IW_AUGMENT_H

#include "wireshark/base/compat.h"

void iw_augment_register(void);

#endif /* IW_AUGMENT_H */
