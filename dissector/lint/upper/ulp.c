/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.c - group ULP: describes statuses in words. */
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

bool lint_command_is_rdma_error(const struct track_event *e)
{
	return e->number[TRACK_ULP_FAILED_upper] == IBW_ULP_RPCRDMA &&
	       track_ulp_is_rdma_error((uint32_t)e->number[TRACK_ULP_FAILED_status]);
}

bool lint_command_refused(const struct track_event *e)
{
	return lint_command_is_rdma_error(e) ||
	       track_ulp_is_login((enum ibw_ulp)e->number[TRACK_ULP_FAILED_upper], code_of(e));
}

const char *lint_refused_remedy(const struct track_event *e)
{
	static const struct {
		uint8_t ulp;
		uint32_t status;
		const char *text;
	} remedies[] = {
#define LINT_REMEDY(upper, status, text) { IBW_ULP_##upper, status, "; " text },
#include "remedies.def"
#undef LINT_REMEDY
	};
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(remedies); i++)
		if (remedies[i].ulp == e->number[TRACK_ULP_REFUSED_upper] &&
		    remedies[i].status == e->number[TRACK_ULP_REFUSED_status])
			return remedies[i].text;
	return "";
}

const char *lint_smc_diagnosis(uint64_t diagnosis)
{
	static const struct {
		uint32_t number;
		const char *text;
	} diagnoses[] = {
#define LINT_DIAGNOSIS(number, text) { number, text },
#include "diagnoses.def"
#undef LINT_DIAGNOSIS
	};
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(diagnoses); i++)
		if (diagnoses[i].number == diagnosis)
			return diagnoses[i].text;
	return "a reason without a name";
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
