/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.h - messages for Export PDU. */
#ifndef IW_EXPORT_H
#define IW_EXPORT_H

#include "wireshark/base/compat.h"

struct infinibandinfo;

/* Export PDU: a message of the service that @port is of, as it would be in one packet. */
void iw_export_register(void);

void iw_export(packet_info *pinfo, tvbuff_t *tvb, const struct infinibandinfo *info, uint16_t port);

#endif /* IW_EXPORT_H */
