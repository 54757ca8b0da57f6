/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad_text.c - what the rules about management datagrams call one. */
#include <stdio.h>
#include <string.h>

#include "mad.h"

/* Get and Set are both answered by GetResp; the others by their own name and "Resp". */
const char *lint_mad_text(const struct track_mad *m, char buf[LINT_MAD_TEXT])
{
	const struct ibw_mad_class_row *row = m->walked.class_row;
	const char *method = ibw_name_of(ibw_mad_method_names, ibw_mad_method(m->mad));
	const char *resp = ibw_mad_r(m->mad) ? "Resp" : "";
	char number[16], class_number[16], attr[24];

	snprintf(number, sizeof(number), "method 0x%02x", ibw_mad_method(m->mad));
	snprintf(class_number, sizeof(class_number), "class 0x%02x", ibw_mad_mgmt_class(m->mad));
	snprintf(attr, sizeof(attr), "attribute 0x%04x", ibw_mad_attr_id(m->mad));
	snprintf(buf, LINT_MAD_TEXT, "%s %s%s(%s)", row ? row->text : class_number,
		 method ? method : number, resp, m->walked.attr ? m->walked.attr->text : attr);
	return buf;
}

static void append(char buf[LINT_MAD_TEXT], const char *text)
{
	size_t n = strlen(buf);

	snprintf(buf + n, LINT_MAD_TEXT - n, "%s%s", n ? "; " : "", text);
}

const char *lint_mad_status_text(const struct track_mad *m, char buf[LINT_MAD_TEXT])
{
	uint32_t code = IBW_STATUS_CODE(m->status), own = IBW_STATUS_CLASS(m->status);
	const char *name;
	char number[32];

	*buf = '\0';
	if (m->status & IBW_STATUS_BUSY)
		append(buf, "busy");
	if (m->status & IBW_STATUS_REDIRECT)
		append(buf, "redirection required");
	if (code) {
		name = ibw_name_of(ibw_mad_status_code_names, code);
		append(buf, name ? name : "reserved code");
	}
	if (own) {
		name = track_mad_is_sa(m) ? ibw_name_of(ibw_sa_status_names, own) : NULL;
		snprintf(number, sizeof(number), "class-specific 0x%02x", own);
		append(buf, name ? name : number);
	}
	if (!*buf)
		append(buf, "reserved bits");
	return buf;
}
