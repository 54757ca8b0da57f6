/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.c - group ULP: what a status says, in words. */
#include <ibwire/ibwire.h>
#include <ibwire/ulp.h>

#include "track/ulp/ulp.h"
#include "ulp.h"

static struct track_ulp_code code_of(const struct track_event *e)
{
	return (struct track_ulp_code){
		.opcode = (uint16_t)e->number[TRACK_ULP_FAILED_opcode],
		.type = (uint16_t)e->number[TRACK_ULP_FAILED_type],
		.program = (uint32_t)(e->number[TRACK_ULP_FAILED_type] >> 16),
	};
}

bool lint_command_suffers(const struct track_event *e)
{
	return track_ulp_suffers((enum ibw_ulp)e->number[TRACK_ULP_FAILED_upper], code_of(e),
				 (uint32_t)e->number[TRACK_ULP_FAILED_status]);
}

const char *lint_command_status(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
{
	return track_ulp_status_words((enum ibw_ulp)e->number[TRACK_ULP_FAILED_upper], code_of(e),
				      (uint32_t)e->number[TRACK_ULP_FAILED_status], text,
				      LINT_TERMINATE_TEXT);
}

const char *lint_command_id(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
{
	enum ibw_ulp ulp = (enum ibw_ulp)e->number[TRACK_ULP_FAULT_upper];
	struct ibw_out o = ibw_out_open(text, LINT_TERMINATE_TEXT);

	ibw_out_str(&o, track_ulp_id_word(ulp));
	ibw_out_char(&o, ' ');
	track_ulp_out_id(&o, ulp, e->number[TRACK_ULP_FAULT_id]);
	ibw_out_close(&o);
	return text;
}

const char *lint_command_task(const struct track_event *e)
{
	uint32_t function = (uint32_t)e->number[TRACK_ULP_FAULT_meant];
	const char *name = "Abort";

	if (e->number[TRACK_ULP_FAULT_upper] == IBW_ULP_ISER)
		name = ibw_name_of(ibw_iscsi_tm_func_names, function);
	else if (e->number[TRACK_ULP_FAULT_upper] == IBW_ULP_SRP)
		name = ibw_name_of(ibw_srp_tsk_func_names, function);
	return name ? name : "a function without a name";
}
