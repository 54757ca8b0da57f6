/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listen.h - a figure of -z that is printed at the end, and needs no packet. */
#ifndef IW_LISTEN_H
#define IW_LISTEN_H

#include <stdbool.h>

/* Whether @draw will be called, with @listener; if not, standard error says why, of the figure @name. */
bool iw_listen(const char *name, const void *listener, void (*draw)(void *listener));

#endif /* IW_LISTEN_H */
