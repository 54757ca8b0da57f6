/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad_text.h - names of management datagrams, by their numbers. */
#ifndef IBWIRE_LINT_MAD_TEXT_H
#define IBWIRE_LINT_MAD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* What a request of a MAD is called: "SubnAdm Get(PathRecord)"; returns @buf. */
#define LINT_MAD_TEXT 128
const char *lint_mad_request_text(uint8_t mgmt_class, uint8_t method, uint16_t attr_id,
				  char buf[LINT_MAD_TEXT]);

/* The same of numbers, "SubnAdm GetResp(PathRecord)"; returns @buf. */
struct lint_mad_numbers {
	uint8_t mgmt_class;
	bool response;
	uint8_t method;
	uint16_t attr_id;
};
const char *lint_mad_numbers_text(const struct lint_mad_numbers *n, char buf[LINT_MAD_TEXT]);

#endif /* IBWIRE_LINT_MAD_TEXT_H */
