/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* print_mad.c - values whose meaning other layers of a management datagram decide. */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print_mad.h>

/* Where multicast LIDs begin: IBTA vol 1, 4.1.3 */
#define FIRST_MLID 0xc000u

/* One attribute's entries as elements of an array field. */
struct numbered {
	uint16_t layer;
	uint32_t first; /* number of the first entry of block 0 */
	uint8_t digits; /* hexadecimal; 0: numbers are decimal */
	uint64_t empty; /* value of an entry that is not set */
};

static const struct numbered numbered[] = {
	{ IBW_LAYER_lft, 0, 0, 0xff }, /* port 255: no route, 14.2.5.10 */
	{ IBW_LAYER_mft, FIRST_MLID, 4, 0 },
	{ IBW_LAYER_guid_info, 0, 0, 0 },
	{ IBW_LAYER_pkey_table, 0, 0, 0 },
	{ IBW_LAYER_smp_dr_path, 0, 0, 0 }, /* entry 0 is not used, 14.2.2 */
};

struct ibw_print_context ibw_print_start(void)
{
	struct ibw_print_context c = { IBW_LAYER_COUNT, 0, 0, 0, false, false, 0, 0, NULL };

	return c;
}

void ibw_print_packet(struct ibw_print_context *c, const struct ibw_packet *pkt)
{
	c->dc = pkt->flags & IBW_PKT_DC ? ibw_packet_opcode_text(pkt) : NULL;
}

/* The block number in the AttributeModifier of a table: IBTA vol 1, 14.2.5 */
static void block_of_modifier(struct ibw_print_context *c, uint32_t attr_mod)
{
	switch (c->attr_id) {
	case IBW_ATTR_SM_VLARB_TABLE:
		c->block = attr_mod >> 16;
		break;
	case IBW_ATTR_SM_MFT:
		c->block = attr_mod & 0x1ff;
		c->position = (uint8_t)(attr_mod >> 28);
		break;
	default:
		c->block = attr_mod & 0xffff;
	}
}

static void enter_mad(struct ibw_print_context *c, const struct ibw_mad_wire *mad)
{
	c->mgmt_class = ibw_mad_mgmt_class(mad);
	c->response = ibw_mad_r(mad);
	c->attr_id = ibw_mad_attr_id(mad);
	c->position = 0;
	block_of_modifier(c, ibw_mad_attr_mod(mad));
}

void ibw_print_enter(struct ibw_print_context *c, uint16_t layer, const void *wire)
{
	c->entry = layer == c->layer ? (uint16_t)(c->entry + 1) : 0;
	c->layer = layer;
	switch (layer) {
	case IBW_LAYER_mad:
		enter_mad(c, (const struct ibw_mad_wire *)wire);
		break;
	case IBW_LAYER_notice:
		c->vendor = !ibw_notice_is_generic((const struct ibw_notice_wire *)wire);
		break;
	case IBW_LAYER_inform_info:
		c->vendor = !ibw_inform_info_is_generic((const struct ibw_inform_info_wire *)wire);
		break;
	case IBW_LAYER_lft_rec:
		c->block = ibw_lft_rec_block((const struct ibw_lft_rec_wire *)wire);
		break;
	case IBW_LAYER_mft_rec:
		c->block = ibw_mft_rec_block((const struct ibw_mft_rec_wire *)wire);
		c->position = ibw_mft_rec_position((const struct ibw_mft_rec_wire *)wire);
		break;
	case IBW_LAYER_rft_rec:
		c->block = ibw_rft_rec_block((const struct ibw_rft_rec_wire *)wire);
		break;
	case IBW_LAYER_guid_info_rec:
		c->block = ibw_guid_info_rec_block((const struct ibw_guid_info_rec_wire *)wire);
		break;
	case IBW_LAYER_pkey_table_rec:
		c->block = ibw_pkey_table_rec_block((const struct ibw_pkey_table_rec_wire *)wire);
		break;
	case IBW_LAYER_vlarb_rec:
		c->block = ibw_vlarb_rec_block((const struct ibw_vlarb_rec_wire *)wire);
		break;
	default:
		break;
	}
}

bool ibw_print_entry(const struct ibw_print_context *c, uint32_t *number)
{
	if (c->layer == IBW_LAYER_rft_entry) {
		*number = c->block * (64u / ibw_rft_entry_BYTES) + c->entry;
		return true;
	}
	/* Blocks 1 and 2 are the low priority table, 3 and 4 the high one: 14.2.5.9 */
	if (c->layer == IBW_LAYER_vlarb_entry) {
		*number = (c->block & 1 ? 0 : 64u / ibw_vlarb_entry_BYTES) + c->entry;
		return true;
	}
	return false;
}

static const struct numbered *numbered_of(const struct ibw_print_context *c)
{
	unsigned int i;

	for (i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (numbered[i].layer == c->layer)
			return &numbered[i];
	return NULL;
}

/* "ports 1 4": the bits of one multicast port mask, of the 16 ports of its position. */
static void print_ports(struct ibw_out *o, const struct ibw_print_context *c, uint64_t mask)
{
	unsigned int bit;

	ibw_out_str(o, mask & (mask - 1) ? "ports" : "port");
	for (bit = 0; bit < 16; bit++)
		if (mask >> bit & 1) {
			ibw_out_char(o, ' ');
			ibw_out_dec(o, c->position * 16u + bit);
		}
}

static void print_numbered(struct ibw_out *o, const struct ibw_print_context *c,
			   const struct numbered *n, const struct ibw_field *f, const void *wire)
{
	uint32_t first = n->first + c->block * f->count;
	const char *before = "";
	unsigned int i;

	if (c->layer == IBW_LAYER_smp_dr_path)
		first = 0; /* no table: AttributeModifier is that of the attribute before it */
	for (i = 0; i < f->count; i++) {
		if (ibw_field_get(f, wire, i) == n->empty)
			continue;
		ibw_out_str(o, before);
		before = ", ";
		ibw_out_char(o, '[');
		if (n->digits)
			ibw_out_hex(o, first + i, n->digits);
		else
			ibw_out_dec(o, first + i);
		ibw_out_str(o, "] ");
		if (c->layer == IBW_LAYER_mft)
			print_ports(o, c, ibw_field_get(f, wire, i));
		else
			ibw_print_element(o, f, wire, i);
	}
	if (!*before)
		ibw_out_str(o, "none");
}

/* The record's components whose bits are set; bits that are no component's by number. */
static void print_comp_mask(struct ibw_out *o, const struct ibw_mad_attr_row *attr, uint64_t mask)
{
	const struct ibw_field *said = NULL;
	const char *before = " (";
	struct ibw_sa_component comp;
	unsigned int bit;

	ibw_out_hex(o, mask, 16);
	for (bit = 0; bit < 64; bit++) {
		bool known = attr && ibw_sa_component_at(attr, bit, &comp);

		/* A component of several bits is said once. */
		if (!(mask >> bit & 1) || (known && said && said == comp.field && said->count == 1))
			continue;
		ibw_out_str(o, before);
		before = ", ";
		if (!known) {
			ibw_out_str(o, "bit ");
			ibw_out_dec(o, bit);
			continue;
		}
		said = comp.field;
		ibw_out_str(o, comp.field->name);
		if (comp.field->count > 1 && !(comp.field->flags & IBW_FIELD_BYTES)) {
			ibw_out_char(o, '[');
			ibw_out_dec(o, comp.element);
			ibw_out_char(o, ']');
		}
	}
	if (*before == ',')
		ibw_out_char(o, ')');
}

static void said(struct ibw_out *o, const char **before, const char *text)
{
	if (!text)
		return;
	ibw_out_str(o, *before);
	ibw_out_str(o, text);
	*before = ", ";
}

/* Bit 15 of a directed-route packet is its direction; the upper byte is the class's else. */
static void print_status(struct ibw_out *o, const struct ibw_print_context *c, uint32_t status)
{
	const char *before = " (", *name;
	uint32_t of_class = IBW_STATUS_CLASS(status);

	ibw_out_hex(o, status, 4);
	if (c->mgmt_class == IBW_CLASS_SUBN_DR) {
		if (c->layer == IBW_LAYER_mad && status & 0x8000)
			said(o, &before, "returning");
		of_class &= 0x7f;
	}
	if (status & IBW_STATUS_BUSY)
		said(o, &before, "busy");
	if (status & IBW_STATUS_REDIRECT)
		said(o, &before, "redirect");
	name = ibw_name_of(ibw_mad_status_code_names, IBW_STATUS_CODE(status));
	if (IBW_STATUS_CODE(status))
		said(o, &before, name ? name : "reserved code");
	if (of_class && c->mgmt_class == IBW_CLASS_SUBN_ADM) {
		name = ibw_name_of(ibw_sa_status_names, of_class);
		said(o, &before, name ? name : "reserved SA status");
	} else if (of_class) {
		said(o, &before, "class status ");
		ibw_out_hex(o, of_class, 2);
	}
	if (!(status & 0x7fffu) && *before != ',')
		said(o, &before, "ok");
	if (*before == ',')
		ibw_out_char(o, ')');
}

static void print_method(struct ibw_out *o, const struct ibw_print_context *c,
			 const struct ibw_field *f, uint32_t method)
{
	const char *name = ibw_name_of(f->names, method);

	ibw_out_hex(o, method, 2);
	if (!name)
		return;
	ibw_out_str(o, " (");
	ibw_out_str(o, name);
	ibw_out_str(o, c->response ? "Resp)" : ")");
}

static void print_attr_id(struct ibw_out *o, const struct ibw_mad_attr_row *attr, uint32_t id)
{
	ibw_out_hex(o, id, 4);
	if (!attr)
		return;
	ibw_out_str(o, " (");
	ibw_out_str(o, attr->text);
	ibw_out_char(o, ')');
}

static const struct ibw_mad_attr_row *attr_of(const struct ibw_print_context *c)
{
	return ibw_mad_attr_of(ibw_mad_class_of(c->mgmt_class), c->attr_id);
}

/* What the DC transport means by the opcodes, a syndrome and a QP of others; false: another field. */
static bool print_dc(struct ibw_out *o, const struct ibw_print_context *c,
		     const struct ibw_field *f, uint32_t v)
{
	const char *text = NULL;

	if (c->layer == IBW_LAYER_bth && f->kind == IBW_KIND_QPN) {
		ibw_out_hex(o, v, f->bits / 4u);
		return true;
	}
	if (c->layer == IBW_LAYER_bth && f->kind == IBW_KIND_ENUM)
		text = c->dc;
	else if (f->kind == IBW_KIND_AETH_SYN && v == IBW_AETH_NAK_INVALID_RD)
		text = "answer to a DC Connect";
	if (!text)
		return false;
	ibw_out_hex(o, v, 2);
	ibw_out_str(o, " (");
	ibw_out_str(o, text);
	ibw_out_char(o, ')');
	return true;
}

void ibw_print_field(struct ibw_out *o, const struct ibw_print_context *c,
		     const struct ibw_field *f, const void *wire)
{
	const struct numbered *n = numbered_of(c);

	if (n) {
		print_numbered(o, c, n, f, wire);
		return;
	}
	if (c->dc && print_dc(o, c, f, (uint32_t)ibw_field_get(f, wire, 0)))
		return;
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_MAD_STATUS:
		print_status(o, c, (uint32_t)ibw_field_get(f, wire, 0));
		break;
	case IBW_KIND_COMP_MASK:
		print_comp_mask(o, attr_of(c), ibw_field_get(f, wire, 0));
		break;
	case IBW_KIND_METHOD:
		print_method(o, c, f, (uint32_t)ibw_field_get(f, wire, 0));
		break;
	case IBW_KIND_ATTR_ID:
		print_attr_id(o, attr_of(c), (uint32_t)ibw_field_get(f, wire, 0));
		break;
	case IBW_KIND_TRAP_NUM:
	case IBW_KIND_PRODUCER:
		if (c->vendor) {
			ibw_out_hex(o, ibw_field_get(f, wire, 0), f->bits / 4u);
			break;
		}
		ibw_print_value(o, f, wire);
		break;
	default:
		ibw_print_value(o, f, wire);
	}
}
