/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interfaces.h - the interfaces of a capture, as its files describe them, and the number of packets of each.
 *
 * The first PL_INTERFACES_MAX of all files are kept.
 */
#ifndef PL_INTERFACES_H
#define PL_INTERFACES_H

#include <stdint.h>

#include "capture/capture.h"
#include "report.h"

#define PL_INTERFACES_MAX 1024u

struct pl_interfaces;

struct pl_interfaces *pl_interfaces_new(void);
void pl_interfaces_free(struct pl_interfaces *all); /* NULL is fine */

/* A packet of interface @iface of the file that is being read. */
void pl_interfaces_packet(struct pl_interfaces *all, uint32_t iface);

/* All of a file was read. */
void pl_interfaces_file(struct pl_interfaces *all, const struct capture *capture);

/* "interfaces":[{"name":"eth0","link_type":1,"snaplen":null,"packets":12,"dropped":null}] */
void pl_json_interfaces(struct pl_report *report, const struct pl_interfaces *all);

#endif /* PL_INTERFACES_H */
