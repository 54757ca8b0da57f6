/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* print.c - the value of a field in words, by its kind. */
#include <ibwire/print.h>
#include <ibwire/cm.h>
#include <ibwire/roce.h>
#include <ibwire/transport.h>

uint64_t ibw_field_get(const struct ibw_field *f, const void *wire, unsigned int element)
{
	const uint8_t *p = (const uint8_t *)wire;
	uint32_t at = f->at + element * f->bits, last = at + f->bits - 1, i;
	uint64_t v = 0;

	if (f->flags & IBW_FIELD_BYTES || f->bits > 64)
		return 0;
	for (i = at / 8; i <= last / 8; i++)
		v = v << 8 | p[i];
	v >>= 7 - last % 8;
	return f->bits < 64 ? v & ((1ull << f->bits) - 1) : v;
}

const uint8_t *ibw_field_bytes(const struct ibw_field *f, const void *wire, size_t *n)
{
	if (!(f->flags & IBW_FIELD_BYTES) && f->bits <= 64)
		return NULL;
	*n = f->bits / 8;
	return (const uint8_t *)wire + f->at / 8;
}

bool ibw_field_shown(const struct ibw_field *f, const void *wire)
{
	const uint8_t *p;
	size_t i, n;

	if (!(f->flags & IBW_FIELD_RSVD) && f->kind != IBW_KIND_ZERO)
		return true;
	p = ibw_field_bytes(f, wire, &n);
	if (!p)
		return ibw_field_get(f, wire, 0) != 0;
	for (i = 0; i < n; i++)
		if (p[i])
			return true;
	return false;
}

static unsigned int hex_width(const struct ibw_field *f)
{
	return (f->bits + 3u) / 4;
}

static void in_brackets(struct ibw_out *o, const char *text)
{
	ibw_out_str(o, " (");
	ibw_out_str(o, text);
	ibw_out_char(o, ')');
}

/* Codes of a byte and more are hexadecimal in the standards, shorter ones decimal. */
static void print_code(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	if (f->bits >= 8 && f->kind != IBW_KIND_IP_PROTO && f->kind != IBW_KIND_ENUM_DEC &&
	    f->kind != IBW_KIND_TRAP_NUM)
		ibw_out_hex(o, v, hex_width(f));
	else
		ibw_out_dec(o, v);
}

static void print_enum(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	const char *name = ibw_name_of(f->names, v);

	print_code(o, f, v);
	if (name)
		in_brackets(o, name);
}

/* The names of the bits that are set; a list may name combinations, which are skipped. */
static void print_mask(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	const struct ibw_name *name;
	const char *before = " (";

	ibw_out_hex(o, v, hex_width(f));
	for (name = f->names; name && name->name; name++)
		if (name->value & v && !(name->value & (name->value - 1))) {
			ibw_out_str(o, before);
			ibw_out_str(o, name->name);
			before = ", ";
		}
	if (*before == ',')
		ibw_out_char(o, ')');
}

/* "4x", "1x|4x": a link width or speed, or several at once; bits without a name as a number. */
static void print_link(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	const char *before = "", *all = ibw_name_of(f->names, v);
	const struct ibw_name *name;
	uint32_t left = v;

	if (all) {
		ibw_out_str(o, all);
		return;
	}
	for (name = f->names; name && name->name; name++)
		if (name->value & v && !(name->value & (name->value - 1))) {
			ibw_out_str(o, before);
			ibw_out_str(o, name->name);
			before = "|";
			left &= ~name->value;
		}
	if (!left && v)
		return;
	ibw_out_str(o, before);
	ibw_out_hex(o, left, hex_width(f));
}

/* @hundredths of a unit, with both decimals. */
static void print_hundredths(struct ibw_out *o, uint64_t hundredths)
{
	ibw_out_dec(o, hundredths / 100);
	ibw_out_char(o, '.');
	ibw_out_char(o, (char)('0' + hundredths / 10 % 10));
	ibw_out_char(o, (char)('0' + hundredths % 10));
}

static void print_rnr_timer(struct ibw_out *o, uint32_t code)
{
	print_hundredths(o, ibw_rnr_usec(code) / 10);
	ibw_out_str(o, " ms");
}

static void print_aeth_syndrome(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	const char *name = ibw_name_of(f->names, v);

	ibw_out_hex(o, v, 2);
	if (!name)
		name = ibw_name_of(f->names, IBW_AETH_TYPE(v) == IBW_AETH_TYPE_NAK
						     ? IBW_AETH_RESERVED
						     : IBW_AETH_TYPE(v));
	ibw_out_str(o, " (");
	ibw_out_str(o, name ? name : "reserved");
	if (IBW_AETH_TYPE(v) == IBW_AETH_TYPE_ACK && v != IBW_AETH_ACK_UNLIMITED) {
		ibw_out_str(o, ", credits ");
		ibw_out_dec(o, ibw_half_octaves(IBW_AETH_VALUE(v)));
	} else if (IBW_AETH_TYPE(v) == IBW_AETH_TYPE_RNR) {
		ibw_out_str(o, ", timer ");
		print_rnr_timer(o, IBW_AETH_VALUE(v));
	}
	ibw_out_char(o, ')');
}

/* A code whose meaning is not defined. */
static void print_code_alone(struct ibw_out *o, uint32_t v)
{
	ibw_out_str(o, "code ");
	ibw_out_dec(o, v);
}

/* Path MTU codes: IBTA vol 1, 15.2.5.16 (PathRecord) and 14.2.5.6 (PortInfo) */
static void print_mtu(struct ibw_out *o, uint32_t v)
{
	if (!ibw_mtu_code_defined(v)) {
		print_code_alone(o, v);
		return;
	}
	ibw_out_dec(o, ibw_mtu_bytes(v));
	ibw_out_str(o, " B");
}

/* "100 Gb/s (4x EDR)" */
static void print_rate(struct ibw_out *o, const struct ibw_field *f, uint32_t v)
{
	const char *name = ibw_name_of(f->names, v);

	if (name)
		ibw_out_str(o, name);
	else
		print_code_alone(o, v);
}

/* "4.096 us * 2^18 = 1.07 s", to a hundredth of the unit it is best read in. */
static void print_time_4096ns(struct ibw_out *o, uint32_t code)
{
	uint64_t ns = (uint64_t)4096 << code;

	ibw_out_str(o, "4.096 us * 2^");
	ibw_out_dec(o, code);
	ibw_out_str(o, " = ");
	if (ns < 1000000)
		print_hundredths(o, (ns + 5) / 10);
	else if (ns < 1000000000)
		print_hundredths(o, (ns + 5000) / 10000);
	else
		print_hundredths(o, (ns + 5000000) / 10000000);
	ibw_out_str(o, ns < 1000000 ? " us" : ns < 1000000000 ? " ms" : " s");
}

/* "00:02:c9:03:00:12:34:56" */
static void print_guid(struct ibw_out *o, uint64_t v)
{
	unsigned int i;
	uint8_t byte;

	for (i = 0; i < 8; i++) {
		byte = (uint8_t)(v >> (56 - 8 * i));
		if (i)
			ibw_out_char(o, ':');
		ibw_out_bytes(o, &byte, 1);
	}
}

/* "(RDMA_CM TCP port 20049)": what cm.h knows of service IDs. */
static void print_service_id(struct ibw_out *o, uint64_t v)
{
	struct ibw_sid sid = ibw_sid_split(v);
	const char *name = ibw_name_of(ibw_rdma_port_space_names, sid.port_space);

	ibw_out_hex(o, v, 16);
	if (sid.kind == IBW_SID_RDMA_CM) {
		ibw_out_str(o, " (RDMA_CM ");
		ibw_out_str(o, name ? name : "?");
		ibw_out_str(o, " port ");
		ibw_out_dec(o, sid.port);
		ibw_out_char(o, ')');
	} else if (sid.kind == IBW_SID_IPOIB_CM) {
		ibw_out_str(o, " (IPoIB connected mode QPN ");
		ibw_out_hex(o, sid.qpn, 6);
		ibw_out_char(o, ')');
	} else if (sid.kind == IBW_SID_LOCAL) {
		in_brackets(o, "assigned by the local OS");
	}
}

static void print_integer(struct ibw_out *o, const struct ibw_field *f, uint64_t v)
{
	uint32_t v32 = (uint32_t)v;

	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_ENUM:
	case IBW_KIND_ENUM_DEC:
	case IBW_KIND_METHOD:
	case IBW_KIND_TRAP_NUM:
	case IBW_KIND_PRODUCER:
	case IBW_KIND_ETHERTYPE:
	case IBW_KIND_IP_PROTO:
		print_enum(o, f, v32);
		break;
	case IBW_KIND_MASK:
		print_mask(o, f, v32);
		break;
	case IBW_KIND_WIDTH:
	case IBW_KIND_SPEED:
		print_link(o, f, v32);
		break;
	case IBW_KIND_RATE:
		print_rate(o, f, v32);
		break;
	case IBW_KIND_GUID:
	case IBW_KIND_PREFIX:
		print_guid(o, v);
		break;
	case IBW_KIND_P_KEY:
		ibw_out_hex(o, v, 4);
		in_brackets(o, v & IBW_PKEY_FULL ? "full member" : "limited member");
		break;
	case IBW_KIND_QPN:
		ibw_out_hex(o, v, hex_width(f));
		if (v == IBW_QPN_MULTICAST)
			in_brackets(o, "multicast");
		break;
	case IBW_KIND_AETH_SYN:
		print_aeth_syndrome(o, f, v32);
		break;
	case IBW_KIND_SERVICE_ID:
		print_service_id(o, v);
		break;
	case IBW_KIND_MTU:
		print_mtu(o, v32);
		break;
	case IBW_KIND_TIME_4096NS:
		print_time_4096ns(o, v32);
		break;
	case IBW_KIND_TIME_RNR:
		ibw_out_dec(o, v);
		ibw_out_str(o, " (");
		print_rnr_timer(o, v32);
		ibw_out_char(o, ')');
		break;
	case IBW_KIND_IPV4:
		ibw_out_ipv4(o, v32);
		break;
	case IBW_KIND_DEC:
	case IBW_KIND_FLAG:
	case IBW_KIND_UDP_PORT:
		ibw_out_dec(o, v);
		break;
	default: /* identifiers and codes */
		ibw_out_hex(o, v, hex_width(f));
	}
}

static size_t text_length(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i]; i++)
		continue;
	return i;
}

uint64_t ibw_get_le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* "(multicast, link-local, IPoIB IPv4)" */
static void print_multicast(struct ibw_out *o, const uint8_t *mgid)
{
	const char *scope = ibw_name_of(ibw_mgid_scope_names, mgid[1] & 0xf);
	const char *user = ibw_name_of(ibw_mgid_signature_names, ibw_get_be16(mgid + 2));

	ibw_out_str(o, " (multicast");
	if (scope) {
		ibw_out_str(o, ", ");
		ibw_out_str(o, scope);
	}
	if (user) {
		ibw_out_str(o, ", ");
		ibw_out_str(o, user);
	}
	ibw_out_char(o, ')');
}

static void print_bytes(struct ibw_out *o, const struct ibw_field *f, const uint8_t *p, size_t n)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_LE:
		ibw_out_dec(o, ibw_get_le(p, n));
		break;
	case IBW_KIND_LE_HEX:
		ibw_out_hex(o, ibw_get_le(p, n), (unsigned int)n * 2);
		break;
	case IBW_KIND_GID:
		ibw_out_ipv6(o, p);
		if (ibw_gid_is_multicast(p))
			print_multicast(o, p);
		break;
	case IBW_KIND_IPV6:
		ibw_out_ipv6(o, p);
		break;
	case IBW_KIND_MAC:
		ibw_out_mac(o, p);
		break;
	case IBW_KIND_TEXT:
		ibw_out_char(o, '"');
		ibw_out_escaped(o, p, text_length(p, n));
		ibw_out_char(o, '"');
		break;
	default:
		ibw_out_bytes(o, p, n);
	}
}

void ibw_print_element(struct ibw_out *o, const struct ibw_field *f, const void *wire,
		       unsigned int element)
{
	print_integer(o, f, ibw_field_get(f, wire, element));
}

void ibw_print_value(struct ibw_out *o, const struct ibw_field *f, const void *wire)
{
	const uint8_t *p;
	unsigned int i;
	size_t n;

	p = ibw_field_bytes(f, wire, &n);
	if (p) {
		print_bytes(o, f, p, n);
		return;
	}
	for (i = 0; i < f->count; i++) {
		if (i)
			ibw_out_str(o, ", ");
		ibw_print_element(o, f, wire, i);
	}
}
