/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanes.h - how wide and how fast a link is, as bits: of widths those of PortInfo, of speeds SDR first and XDR last. */
#ifndef IBWIRE_TRACK_LANES_H
#define IBWIRE_TRACK_LANES_H

#include <stdint.h>

struct track_lanes {
	uint8_t active, supported, enabled;
};

struct ibw_port_info_wire;
void track_lanes_of(struct track_lanes *width, struct track_lanes *speed,
		    const struct ibw_port_info_wire *wire);

/* "4x", "EDR 25.78125 Gb/s": of the greatest; NULL: there is none. */
const char *track_width_name(uint8_t widths);
const char *track_speed_name(uint8_t speeds);

/* The greatest of them, as a number to compare; 0: there is none. */
unsigned int track_width_greatest(uint8_t widths);
unsigned int track_speed_greatest(uint8_t speeds);

#endif /* IBWIRE_TRACK_LANES_H */
