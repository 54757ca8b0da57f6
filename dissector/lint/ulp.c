/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.c - group ULP: what a status says, in words. */
#include <ibwire/ulp.h>

#include "track/ulp/ulp.h"
#include "ulp.h"

bool lint_command_suffers(const struct track_event *e)
{
	const struct track_ulp_code code = { (uint8_t)e->number[TRACK_ULP_FAILED_opcode],
					     (uint8_t)e->number[TRACK_ULP_FAILED_type] };

	return track_ulp_suffers(code, (uint16_t)e->number[TRACK_ULP_FAILED_status]);
}

const char *lint_command_status(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
{
	return track_ulp_status_words((uint16_t)e->number[TRACK_ULP_FAILED_status],
				      e->number[TRACK_ULP_FAILED_opcode] == IBW_NVME_ADMIN_FABRICS,
				      text, LINT_TERMINATE_TEXT);
}
