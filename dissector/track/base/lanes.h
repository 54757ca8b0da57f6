/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanes.h - width and speed of a link as bits: widths as in PortInfo, speeds from SDR to XDR. */
#ifndef IBWIRE_TRACK_LANES_H
#define IBWIRE_TRACK_LANES_H

#include <stdint.h>

struct track_lanes {
	uint8_t active, supported, enabled;
};

struct ibw_port_info_wire;
void track_lanes_of(struct track_lanes *width, struct track_lanes *speed,
		    const struct ibw_port_info_wire *wire);

/* "4x", "EDR 25.78125 Gb/s": the text of the greatest; NULL: there is none. */
const char *track_width_name(uint8_t widths);
const char *track_speed_name(uint8_t speeds);

/* The greatest of them, as a number to compare; 0: there is none. */
unsigned int track_width_greatest(uint8_t widths);
unsigned int track_speed_greatest(uint8_t speeds);

#endif /* IBWIRE_TRACK_LANES_H */
