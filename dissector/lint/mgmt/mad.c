/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.c - group MAD: the header every management datagram begins with. */
#include "mad.h"

/* From here on each class may have methods of its own: IBTA vol 1, 13.4.5 */
#define METHOD_CLASS_FIRST 0x10

/* A field of the common header. */
#define AT(p, rule, field, ...) LINT_AT_WIRE(p, rule, (p)->mad->mad, mad, field, __VA_ARGS__)

static void check_class(const struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_class_row *row = m->walked.class_row;
	uint32_t dqpn = ibw_bth_dqpn(IBW_KNOWN(p->pkt, bth));
	uint8_t version = ibw_mad_class_version(m->mad);

	if (!row) {
		AT(p, LINT_MAD003, mgmt_class, "class 0x%02x is not defined",
		   ibw_mad_mgmt_class(m->mad));
		return;
	}
	if (row->version && version != row->version)
		AT(p, LINT_MAD004, class_version, "class version %u; %s has %u", version, row->text,
		   row->version);
	if (track_mad_is_smp(m) != (dqpn == IBW_QPN_SMI))
		AT(p, LINT_MAD005, mgmt_class, "%s (class 0x%02x) to qp 0x%06x: %s", row->text,
		   ibw_mad_mgmt_class(m->mad), dqpn,
		   track_mad_is_smp(m) ? "SMPs go to QP0" : "QP0 takes SMPs only");
}

/* Whether @attr or any attribute of the class, or, if they are not listed, any class has the method. */
static bool method_defined(const struct ibw_mad_class_row *row, const struct ibw_mad_attr_row *attr,
			   bool response, uint8_t method)
{
	static const struct ibw_mad_attr_row all = { .methods = UINT16_MAX };
	unsigned int i, listed = 0;

	if (attr && ibw_mad_method_legal(attr, response, method))
		return true;
	for (i = 0; i < ibw_mad_attribute_count; i++) {
		if (ibw_mad_attributes[i].attrs != row->attrs)
			continue;
		if (ibw_mad_method_legal(&ibw_mad_attributes[i], response, method))
			return true;
		listed++;
	}
	if (row->version == 0 || !listed) /* vendor and application classes: their own affair */
		return method >= METHOD_CLASS_FIRST || ibw_mad_method_legal(&all, response, method);
	return false;
}

static void check_method(const struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_class_row *row = m->walked.class_row;
	uint8_t method = ibw_mad_method(m->mad);
	char text[LINT_MAD_TEXT];

	if (row && !method_defined(row, m->walked.attr, ibw_mad_r(m->mad), method))
		AT(p, LINT_MAD006, method, "%s: %s has no method 0x%02x", lint_mad_text(m, text),
		   row->text, method | (ibw_mad_r(m->mad) ? 0x80u : 0u));
}

static void check_status(const struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	char text[LINT_MAD_ABOUT], words[LINT_MAD_TEXT];

	if (!m->status || m->walked.flags & IBW_MAD_CONTROL)
		return;
	if (ibw_mad_r(m->mad))
		AT(p, LINT_MAD011, status, "%s: status 0x%04x (%s)", lint_mad_about(p, text),
		   m->status, lint_mad_status_text(m, words));
	else
		AT(p, LINT_MAD007, status, "%s is a request, but has status 0x%04x",
		   lint_mad_about(p, text), m->status);
}

void lint_mad_short(const struct lint_packet *p, const struct track_mad *m)
{
	if (m->len < ibw_mad_BYTES)
		lint_found(p, LINT_MAD001, m->off, m->len, "%u bytes to qp %u, a MAD has %u",
			   m->len, ibw_bth_dqpn(IBW_KNOWN(p->pkt, bth)), IBW_MAD_BYTES);
}

void lint_mad(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	uint8_t base = ibw_mad_base_version(m->mad);
	char text[LINT_MAD_TEXT];

	if (base != IBW_MAD_BASE_VERSION) {
		if (base != IBW_MAD_BASE_VERSION_OPA)
			AT(p, LINT_MAD002, base_version,
			   "base version %u: only %u is defined (and 128 on Omni-Path)", base,
			   IBW_MAD_BASE_VERSION);
		return;
	}
	if (m->len != IBW_MAD_BYTES && !lint_silenced(p, LINT_MAD001))
		lint_found(p, LINT_MAD001, m->off, m->len, "%s has %u bytes, a MAD has %u",
			   lint_mad_text(m, text), m->len, IBW_MAD_BYTES);
	check_class(p);
	check_method(p);
	check_status(p);
	if (m->oui && !ibw_vendor_oui_oui(m->oui))
		LINT_AT_WIRE(p, LINT_MAD013, m->oui, vendor_oui, oui, "class 0x%02x with OUI 0",
			     ibw_mad_mgmt_class(m->mad));
}
