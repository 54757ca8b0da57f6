/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lint_words.c - what findings about iWARP and upper layers say where hardly any capture has it: layers without a name, ends, tasks. */
#include <string.h>

#include "check.h"
#include <lint/upper/iwp.h>
#include <lint/upper/ulp.h>
#include <track/ulp/ulp.h>

static void meanings(void)
{
	static const struct {
		uint8_t layer, etype, code;
		const char *text;
	} said[] = {
		{ 5, 6, 7, "layer 5, error type 6, code 7" },
		{ 1, 5, 9, "DDP, error type 5, code 9" },
		{ 1, 2, 9, "DDP, Untagged Buffer Error, code 9" },
		{ 1, 0, 0, "DDP, Local Catastrophic" },
		{ 1, 0, 1, "DDP, Local Catastrophic, code 1" },
	};
	char text[LINT_TERMINATE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct ibw_out o = ibw_out_open(text, sizeof(text));

		lint_out_terminate_meaning(&o, said[i].layer, said[i].etype, said[i].code);
		ibw_out_close(&o);
		CHECK_STR(text, said[i].text);
	}
}

static void ends(void)
{
	struct track_event e = { .kind = TRACK_EVENT_IWARP_UNFINISHED };
	char text[LINT_IWP_TEXT];

	CHECK_STR(lint_iwarp_end_text(TRACK_IWARP_END_CAPTURE),
		  "it was open at the end of the capture");
	CHECK_STR(lint_iwarp_end_text(TRACK_IWARP_END_FIN), "it was closed");
	CHECK_STR(lint_iwarp_end_text(TRACK_IWARP_END_RST), "it was reset");
	CHECK_STR(lint_iwarp_end_text(9), "");
	e.number[TRACK_IWARP_UNFINISHED_end] = TRACK_IWARP_END_RST;
	e.number[TRACK_IWARP_UNFINISHED_unanswered] = 2;
	e.number[TRACK_IWARP_UNFINISHED_bytes] = 4096;
	e.number[TRACK_IWARP_UNFINISHED_begun] = 7;
	CHECK_STR(
		lint_unfinished_text(&e, text),
		"the connection ended: it was reset before 2 Read Requests were answered, the first for 4096 octets in frame 7");
}

static void tasks(void)
{
	struct track_event e = { .kind = TRACK_EVENT_ULP_FAULT };

	e.number[TRACK_ULP_FAULT_upper] = IBW_ULP_NVME;
	CHECK_STR(lint_command_task(&e), "Abort");
	e.number[TRACK_ULP_FAULT_upper] = IBW_ULP_ISER;
	e.number[TRACK_ULP_FAULT_meant] = 99;
	CHECK_STR(lint_command_task(&e), "a function without a name");
}

int main(void)
{
	meanings();
	ends();
	tasks();
	return check_end();
}
