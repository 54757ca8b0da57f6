/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saq.c - group SAQ: questions to subnet administration and its answers. */
#include <string.h>

#include <glib.h>

#include <ibwire/out.h>

#include "mad.h"
#include "track/base/table.h"

#define AT_SA(p, rule, field, ...) LINT_AT_WIRE(p, rule, (p)->mad->sa, sa, field, __VA_ARGS__)
#define AT_PATH(p, rule, path, field, ...)                                                         \
	LINT_AT_RECORD(p, rule, path, path_rec, field, __VA_ARGS__)

/* The mask bit of a component of PathRecord. */
#define PATH_BIT(field) (1ull << ibw_path_rec_##field##_COMP)
/* A service id is two components. */
#define PATH_SERVICE_ID (3ull << ibw_path_rec_service_id_COMP)

static bool asks(const struct track_mad *m, uint8_t method)
{
	return !ibw_mad_r(m->mad) && ibw_mad_method(m->mad) == method;
}

static uint32_t record_bytes(const struct ibw_mad_attr_row *attr)
{
	uint32_t bytes = 0;
	unsigned int i;

	for (i = 0; i < 3 && attr->layers[i] != IBW_LAYER_COUNT; i++)
		bytes += ibw_headers[attr->layers[i]].bytes;
	return bytes;
}

/* A method that some attribute of the class has, but not this one; else it is MAD006. */
static void check_attribute(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;
	uint8_t method = ibw_mad_method(m->mad);

	if (ibw_mad_r(m->mad))
		return;
	if (!m->walked.attr)
		LINT_AT_WIRE(p, LINT_SAQ001, m->mad, mad, attr_id,
			     "%s: SubnAdm has no attribute 0x%04x", text, ibw_mad_attr_id(m->mad));
	else if (!ibw_mad_method_legal(m->walked.attr, false, method) &&
		 ibw_name_of(ibw_mad_method_names, method))
		LINT_AT_WIRE(p, LINT_SAQ002, m->mad, mad, method, "%s: %s is not valid for %s",
			     text, ibw_name_of(ibw_mad_method_names, method), m->walked.attr->text);
}

static void check_header(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;

	if (ibw_sa_smkey(m->sa))
		AT_SA(p, LINT_SAQ003, smkey, "%s shows an SM_Key to whoever sees the link", text);
	if (ibw_sa_rsvd_set(m->sa))
		lint_found_in(p, LINT_SAQ004, NULL, m->sa->b + ibw_sa_rsvd80_AT_ / 8, 2,
			      "%s: the reserved bytes of the SA header are %u", text,
			      ibw_get_be16(m->sa->b + ibw_sa_rsvd80_AT_ / 8));
}

/* Whether the header at @at, which @span is of, has reserved bits set; then the finding is made. */
static bool check_reserved_of(const struct lint_packet *p, const char *text, const uint8_t *at,
			      const struct ibw_span *span)
{
	const struct ibw_field *f;

	for (f = ibw_headers[span->layer].fields; f->name; f++)
		if (f->flags & IBW_FIELD_RSVD && ibw_bits_any(at, f->at, f->bits)) {
			lint_found_in(p, LINT_SAQ004, &p->mad->records.source, at + f->at / 8,
				      (f->bits + 7u) / 8,
				      "%s: reserved bits of %s at bit %u are set", text,
				      ibw_headers[span->layer].title, f->at);
			return true;
		}
	return false;
}

/* The first reserved bits that are set in the records. */
static void check_reserved(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;
	const struct track_records *r = &m->records;
	struct ibw_span span[TRACK_SPANS];
	const uint8_t *record;
	uint32_t i, j, n, bytes;

	for (i = 0; (record = track_mad_record(m, i, 0)); i++) {
		bytes = r->source.n - (uint32_t)(record - r->source.p);
		if (bytes > r->table.stride)
			bytes = r->table.stride;
		n = ibw_mad_walk_attr(m->walked.attr, ibw_mad_attr_mod(m->mad), record, bytes, span,
				      TRACK_SPANS);
		for (j = 0; j < n && j < TRACK_SPANS; j++)
			if (check_reserved_of(p, text, record + span[j].off, &span[j]))
				return;
	}
}

static bool component_set(const uint8_t *record, const struct ibw_sa_component *c)
{
	uint32_t bits = c->field->flags & IBW_FIELD_BYTES ? c->field->bits * c->field->count
							  : c->field->bits;

	return ibw_bits_any(record, c->at, bits);
}

/* Whether @bit or another bit of the same component field is in the mask. */
static bool in_mask(const struct ibw_mad_attr_row *attr, uint64_t mask, unsigned int bit,
		    const struct ibw_sa_component *c)
{
	struct ibw_sa_component near;

	return mask >> bit & 1 ||
	       (bit && ibw_sa_component_at(attr, bit - 1, &near) && near.at == c->at) ||
	       (bit < 63 && mask >> (bit + 1) & 1 && ibw_sa_component_at(attr, bit + 1, &near) &&
		near.at == c->at);
}

/* One bit of the mask of a request; true: the field that it is about is filled in without it. */
static bool check_bit(const struct lint_packet *p, const char *text, unsigned int bit,
		      const uint8_t *record)
{
	const struct track_mad *m = p->mad;
	uint64_t mask = ibw_sa_comp_mask(m->sa);
	struct ibw_sa_component c;

	if (!ibw_sa_component_at(m->walked.attr, bit, &c))
		return false;
	if (!(c.field->flags & IBW_FIELD_RSVD))
		return !in_mask(m->walked.attr, mask, bit, &c) && component_set(record, &c);
	if (mask >> bit & 1)
		lint_found_doubt(p, LINT_SAQ006, LINT_DOUBT_LESSER,
				 (uint32_t)(m->sa->b - p->pkt->data) + 12, sizeof(mask),
				 "%s: component %u of the mask is reserved", text, bit);
	return false;
}

/* Fields without their bits: each is named once for a client and an attribute. */

#define CLIENTS_MAX 4096

/* No holes: compared as bytes. */
struct client {
	uint8_t address[16];
	uint16_t attr_id;
	uint8_t kind; /* enum track_address */
	uint8_t zero[5];
};

struct lint_saq_state {
	struct track_table *named; /* struct client -> uint64_t, bits of the component mask */
};

struct lint_saq_state *lint_saq_new(void)
{
	return g_new0(struct lint_saq_state, 1);
}

void lint_saq_finish(struct lint *l, const struct lint_saq_state *state)
{
	(void)l;
	(void)state;
}

void lint_saq_free(struct lint_saq_state *state)
{
	track_table_free(state->named);
	g_free(state);
}

/* Those of @fields that were not named yet. */
static uint64_t not_named(const struct lint_packet *p, uint64_t fields)
{
	struct lint_saq_state *state = lint_saq_of(p->lint);
	struct client client = { .attr_id = ibw_mad_attr_id(p->mad->mad) };
	struct track_flow flow;
	uint64_t *named;

	if (!track_flow_of(p->pkt, &flow))
		return fields;
	memcpy(client.address, flow.src, sizeof(client.address));
	client.kind = flow.address;
	if (!state->named)
		state->named = track_table_new(sizeof(client), sizeof(*named), CLIENTS_MAX);
	named = track_table_need(state->named, &client);
	fields &= ~*named;
	*named |= fields;
	return fields;
}

/* "Rate (bit 9), Scope (bit 15)" */
static void put_fields(const struct ibw_mad_attr_row *attr, uint64_t fields, char *buf, size_t size)
{
	struct ibw_out out = ibw_out_open(buf, size);
	struct ibw_sa_component c;
	unsigned int bit, n = 0;

	for (bit = 0; bit < 64; bit++) {
		if (!(fields >> bit & 1) || !ibw_sa_component_at(attr, bit, &c))
			continue;
		ibw_out_str(&out, n++ ? ", " : "");
		ibw_out_str(&out, c.field->label);
		ibw_out_str(&out, " (bit ");
		ibw_out_dec(&out, bit);
		ibw_out_char(&out, ')');
	}
	ibw_out_close(&out);
}

static void check_fields(const struct lint_packet *p, const char *text, uint64_t fields)
{
	const struct track_mad *m = p->mad;
	struct ibw_sa_component c;
	unsigned int first = 0;
	uint32_t at, n;
	char names[320];

	if (!lint_on(p->lint, LINT_SAQ007) || !(fields = not_named(p, fields)))
		return;
	while (!(fields >> first & 1))
		first++;
	if (!ibw_sa_component_at(m->walked.attr, first, &c))
		return;
	at = m->off + m->walked.data_off + c.at / 8;
	n = (c.field->bits + 7u) / 8;
	if (!(fields & (fields - 1))) {
		lint_found(p, LINT_SAQ007, at, n,
			   "%s: %s is filled in, but bit %u of the component mask is clear", text,
			   c.field->label, first);
		return;
	}
	put_fields(m->walked.attr, fields, names, sizeof(names));
	lint_found(p, LINT_SAQ007, at, n,
		   "%s: fields are filled in whose bits of the component mask are clear: %s", text,
		   names);
}

/*
 * The mask of a request. An InformInfo is not asked for by its components but handed over
 * whole, so its mask says nothing.
 */
static void check_mask(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_attr_row *attr = m->walked.attr;
	unsigned int n = ibw_sa_components(attr), bit;
	uint64_t mask = ibw_sa_comp_mask(m->sa);
	const uint8_t *record = track_mad_record(m, 0, record_bytes(attr));
	uint64_t fields = 0;

	if (!n || !record || attr->id == IBW_ATTR_SA_INFORM_INFO)
		return;
	if (!mask && asks(m, IBW_METHOD_GET))
		AT_SA(p, LINT_SAQ005, comp_mask, "%s with an empty component mask", text);
	if (n < 64 && mask >> n)
		AT_SA(p, LINT_SAQ006, comp_mask,
		      "%s: component mask 0x%016llx, but %s has components 0 to %u", text,
		      (unsigned long long)mask, attr->text, n - 1);
	for (bit = 0; bit < n && bit < 64; bit++)
		if (check_bit(p, text, bit, record))
			fields |= UINT64_C(1) << bit;
	if (fields)
		check_fields(p, text, fields);
}

static void check_path_query(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;
	const struct ibw_path_rec_wire *path = TRACK_MAD_RECORD(m, 0, path_rec);
	uint64_t mask = ibw_sa_comp_mask(m->sa);

	if (!path)
		return;
	if (mask & PATH_BIT(dgid) && ibw_gid_is_zero(ibw_path_rec_dgid(path)))
		AT_PATH(p, LINT_SAQ008, path, dgid, "%s asks for DGID ::", text);
	if (mask & PATH_BIT(sgid) && ibw_gid_is_zero(ibw_path_rec_sgid(path)))
		AT_PATH(p, LINT_SAQ008, path, sgid, "%s asks for SGID ::", text);
	if (mask & PATH_BIT(pkey) && !ibw_path_rec_pkey(path))
		AT_PATH(p, LINT_SAQ008, path, pkey, "%s asks for P_Key 0x0000", text);
	if (asks(m, IBW_METHOD_GET) &&
	    !(mask & (PATH_BIT(dgid) | PATH_BIT(dlid) | PATH_SERVICE_ID)))
		AT_SA(p, LINT_SAQ009, comp_mask,
		      "%s names no destination: neither DGID nor DLID nor service id is in "
		      "component mask 0x%016llx",
		      text, (unsigned long long)mask);
}

static void check_selector(const struct lint_packet *p, const struct ibw_path_rec_wire *path)
{
	const char *name = ibw_name_of(ibw_selector_names, ibw_path_rec_mtu_sel(path));

	if (ibw_path_rec_mtu_sel(path) != IBW_SELECTOR_EXACTLY)
		AT_PATH(p, LINT_SAQ012, path, mtu_sel, "the answer has MTU selector %u (%s)",
			ibw_path_rec_mtu_sel(path), name);
	name = ibw_name_of(ibw_selector_names, ibw_path_rec_rate_sel(path));
	if (ibw_path_rec_rate_sel(path) != IBW_SELECTOR_EXACTLY)
		AT_PATH(p, LINT_SAQ012, path, rate_sel, "the answer has rate selector %u (%s)",
			ibw_path_rec_rate_sel(path), name);
}

static void check_path_answer(const struct lint_packet *p, const struct ibw_path_rec_wire *path)
{
	uint16_t slid = ibw_path_rec_slid(path), dlid = ibw_path_rec_dlid(path);
	uint8_t mtu = ibw_path_rec_mtu(path), rate = ibw_path_rec_rate(path);
	uint16_t pkey = ibw_path_rec_pkey(path);
	char from[LINT_LID_TEXT], to[LINT_LID_TEXT];

	if (p->pkt->proto == IBW_PROTO_IB && (!slid || !dlid))
		lint_found_in(p, LINT_SAQ011, &p->mad->records.source,
			      path->b + (dlid ? ibw_path_rec_slid_AT : ibw_path_rec_dlid_AT) / 8,
			      sizeof(dlid), "the path leads from LID %s to %s",
			      lint_lid_text(p->lint, slid, from), lint_lid_text(p->lint, dlid, to));
	if (!ibw_mtu_code_defined(mtu))
		AT_PATH(p, LINT_SAQ012, path, mtu, "the path has MTU code %u: %u to %u are defined",
			mtu, IBW_MTU_CODE_MIN, IBW_MTU_CODE_MAX);
	if (!ibw_name_of(ibw_rate_names, rate))
		AT_PATH(p, LINT_SAQ012, path, rate,
			"the path has rate code %u, which is not defined", rate);
	check_selector(p, path);
	if (!(pkey & ~IBW_PKEY_FULL))
		AT_PATH(p, LINT_SAQ013, path, pkey, "the path has P_Key 0x%04x, which is invalid",
			pkey);
}

static void check_path(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;
	const struct ibw_path_rec_wire *path;
	unsigned int i;

	if (!ibw_mad_r(m->mad)) {
		check_path_query(p, text);
	} else if (m->status) {
		if (IBW_STATUS_CLASS(m->status) == IBW_SA_STATUS_TOO_MANY_RECORDS &&
		    ibw_mad_method(m->mad) == IBW_METHOD_GET)
			LINT_AT_WIRE(p, LINT_SAQ010, m->mad, mad, status,
				     "%s: several paths match, and Get has room for one", text);
	} else {
		for (i = 0; (path = TRACK_MAD_RECORD(m, i, path_rec)); i++)
			check_path_answer(p, path);
	}
}

void lint_saq(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_attr_row *attr = m->walked.attr;
	char buf[LINT_MAD_TEXT];
	const char *text = lint_mad_text(m, buf);

	if (m->walked.flags & IBW_MAD_CONTROL)
		return;
	check_attribute(p, text);
	check_header(p, text);
	if (attr && !ibw_mad_r(m->mad))
		check_mask(p, text);
}

void lint_saq_records(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_attr_row *attr = m->walked.attr;
	char buf[LINT_MAD_TEXT];
	const char *text = lint_mad_text(m, buf);

	if (!attr || m->walked.flags & IBW_MAD_CONTROL)
		return;
	if (!(ibw_mad_r(m->mad) && m->status))
		check_reserved(p, text);
	if (attr->id == IBW_ATTR_SA_PATH_REC)
		check_path(p, text);
}
