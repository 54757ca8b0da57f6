/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanes.c - width and speed of links. */
#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

#include "lanes.h"

/* Speeds of LinkSpeedActive first, then those of LinkSpeedExtActive, then the one of LinkSpeedExtActive2. */
#define FIRST 0x7u
#define EXTENDED_AT 3
#define EXTENDED 0xfu
#define MORE_AT 7

static uint8_t speeds(unsigned int first, unsigned int extended, unsigned int more)
{
	return (uint8_t)((first & FIRST) | (extended & EXTENDED) << EXTENDED_AT |
			 (more & IBW_SPEED_XDR) << MORE_AT);
}

void track_lanes_of(struct track_lanes *width, struct track_lanes *speed,
		    const struct ibw_port_info_wire *wire)
{
	unsigned int enabled = ibw_port_info_speed_ext_enabled(wire);

	width->active = ibw_port_info_width_active(wire);
	width->supported = ibw_port_info_width_supported(wire);
	width->enabled = ibw_port_info_width_enabled(wire);
	speed->active =
		speeds(ibw_port_info_speed_active(wire), ibw_port_info_speed_ext_active(wire),
		       ibw_port_info_speed_ext_active2(wire));
	speed->supported =
		speeds(ibw_port_info_speed_supported(wire), ibw_port_info_speed_ext_supported(wire),
		       ibw_port_info_speed_ext_supported2(wire));
	speed->enabled = speeds(ibw_port_info_speed_enabled(wire),
				enabled == IBW_SPEED_EXT_DISABLED ? 0 : enabled,
				ibw_port_info_speed_ext_enabled2(wire));
}

/* By lanes: 2x came last, so its bit is the greatest. */
static const struct {
	uint8_t bit, lanes;
} widths_by_lanes[] = { { IBW_WIDTH_12X, 12 },
			{ IBW_WIDTH_8X, 8 },
			{ IBW_WIDTH_4X, 4 },
			{ IBW_WIDTH_2X, 2 },
			{ IBW_WIDTH_1X, 1 } };

#define WIDTHS (sizeof(widths_by_lanes) / sizeof(widths_by_lanes[0]))

static unsigned int width_at(uint8_t widths)
{
	unsigned int i;

	for (i = 0; i < WIDTHS && !(widths & widths_by_lanes[i].bit); i++)
		;
	return i;
}

unsigned int track_width_greatest(uint8_t widths)
{
	unsigned int i = width_at(widths);

	return i < WIDTHS ? widths_by_lanes[i].lanes : 0;
}

const char *track_width_name(uint8_t widths)
{
	unsigned int i = width_at(widths);

	return i < WIDTHS ? ibw_name_of(ibw_link_width_names, widths_by_lanes[i].bit) : NULL;
}

unsigned int track_speed_greatest(uint8_t speed)
{
	unsigned int bit = 0;

	for (; speed; speed >>= 1)
		bit++;
	return bit;
}

const char *track_speed_name(uint8_t speed)
{
	unsigned int at = track_speed_greatest(speed);

	if (!at)
		return NULL;
	at--;
	if (at >= MORE_AT)
		return ibw_name_of(ibw_link_speed_ext2_names, IBW_SPEED_XDR);
	if (at >= EXTENDED_AT)
		return ibw_name_of(ibw_link_speed_ext_names, 1u << (at - EXTENDED_AT));
	return ibw_name_of(ibw_link_speed_names, 1u << at);
}
