/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exports.h - what Wireshark looks for in a plugin before it loads it; included once in each. */
#ifndef IW_EXPORTS_H
#define IW_EXPORTS_H

#include <stdint.h>

#include <ws_version.h>

#define EXPORTED __attribute__((visibility("default")))

extern const char plugin_version[];
extern const int plugin_want_major;
extern const int plugin_want_minor;
void plugin_register(void);
uint32_t plugin_describe(void); /* asked for since 4.2 */

EXPORTED const char plugin_version[] = VERSION;
EXPORTED const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
EXPORTED const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

#endif /* IW_EXPORTS_H */
