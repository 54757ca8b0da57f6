/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flows.h - -z ibwire,flows. */
#ifndef IW_FLOWS_H
#define IW_FLOWS_H

#include "wireshark/base/compat.h"

/* -z ibwire,flows, -z ibwire,lint and -z ibwire,tree. */
void iw_flows_register(void);

#endif /* IW_FLOWS_H */
