/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incidents.h - -z ibwire,incidents. */
#ifndef IW_INCIDENTS_H
#define IW_INCIDENTS_H

#include "wireshark/base/compat.h"

/* -z ibwire,incidents */
void iw_incidents_register(void);

#endif /* IW_INCIDENTS_H */
