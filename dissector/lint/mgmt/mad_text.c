/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad_text.c - names a management datagram in messages of rules. */
#include <stdio.h>
#include <string.h>

#include <ibwire/out.h>

#include "mad.h"

/* The name of a number, or what it is a number of. */
static void put_name(struct ibw_out *o, const char *name, const char *what, uint32_t number,
		     unsigned int digits)
{
	ibw_out_str(o, name ? name : what);
	if (!name)
		ibw_out_hex(o, number, digits);
}

/* Get and Set are both answered by GetResp; the others by their own name and "Resp". */
static const char *text_of(const struct ibw_mad_class_row *row, const struct ibw_mad_attr_row *attr,
			   const struct lint_mad_numbers *n, char buf[LINT_MAD_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, LINT_MAD_TEXT);

	put_name(&o, row ? row->text : NULL, "class ", n->mgmt_class, 2);
	ibw_out_char(&o, ' ');
	put_name(&o, ibw_name_of(ibw_mad_method_names, n->method), "method ", n->method, 2);
	ibw_out_str(&o, n->response ? "Resp(" : "(");
	put_name(&o, attr ? attr->text : NULL, "attribute ", n->attr_id, 4);
	ibw_out_char(&o, ')');
	ibw_out_close(&o);
	return buf;
}

const char *lint_mad_text(const struct track_mad *m, char buf[LINT_MAD_TEXT])
{
	const struct lint_mad_numbers n = { .mgmt_class = ibw_mad_mgmt_class(m->mad),
					    .response = ibw_mad_r(m->mad),
					    .method = ibw_mad_method(m->mad),
					    .attr_id = ibw_mad_attr_id(m->mad) };

	return text_of(m->walked.class_row, m->walked.attr, &n, buf);
}

const char *lint_mad_about(const struct lint_packet *p, char buf[LINT_MAD_ABOUT])
{
	const struct track *track = lint_options_of(p->lint)->names;
	char name[TRACK_NODE_SHORT], *about;
	struct track_object object;

	lint_mad_text(p->mad, buf);
	about = buf + strlen(buf);
	track_object_of(&object, p->mad);
	if (track && object.kind == TRACK_OBJECT_ROUTE) /* an answer says the way back, too */
		track_object_text(&object, track_route_node(track, p->mad, name), NULL, about);
	else
		track_object_named(track, &object, about);
	return buf;
}

const char *lint_mad_numbers_text(const struct lint_mad_numbers *n, char buf[LINT_MAD_TEXT])
{
	const struct ibw_mad_class_row *row = ibw_mad_class_of(n->mgmt_class);

	return text_of(row, row ? ibw_mad_attr_of(row, n->attr_id) : NULL, n, buf);
}

const char *lint_mad_request_text(uint8_t mgmt_class, uint8_t method, uint16_t attr_id,
				  char buf[LINT_MAD_TEXT])
{
	const struct lint_mad_numbers n = { .mgmt_class = mgmt_class,
					    .method = method,
					    .attr_id = attr_id };

	return lint_mad_numbers_text(&n, buf);
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
