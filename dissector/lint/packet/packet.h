/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet.h - functions of groups about packets that other files call. */
#ifndef IBWIRE_LINT_PACKET_H
#define IBWIRE_LINT_PACKET_H

#include "lint/base/rule.h"

/* lrh.c: where the DLID or the SLID is. */
uint32_t lint_lid_off(const struct ibw_packet *pkt, bool destination);

/* Part of group ROC: what is neither RDMA nor UDP, but IP. */
void lint_roc_icmp(const struct lint_packet *p);

/* Part of group IPO: IPoIB, in UD packets, by link type, or as CM messages say. */
void lint_ipo(const struct lint_packet *p);
void lint_ipo_nd(const struct lint_packet *p);
void lint_ipo_dhcp(const struct lint_packet *p);

#endif /* IBWIRE_LINT_PACKET_H */
