/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_place.c - where in a packet the bytes are that a case makes wrong. */
#include <stdlib.h>
#include <string.h>

#include "make.h"

/* Words of a place: "bth", "dmalen". */
#define WORD 32

/* Where a header is in a management datagram or after the headers of a UD packet. */
static const struct {
	const char *name;
	uint32_t at; /* from the payload on */
} inside[] = {
	/* IBTA vol 1, 13.4.2, 13.6.2, 14.2.1, 15.2.1, 16.7.1 */
	{ "mad", 0 },
	{ "smp_dr_status", 4 },
	{ "smp", 24 },
	{ "smp_dr", 24 },
	{ "rmpp", 24 },
	{ "cm_req", 24 },
	{ "cm_rej", 24 },
	{ "cm_rep", 24 },
	{ "cm_sidr_rep", 24 },
	{ "sa", 36 },
	{ "vendor_oui", 36 },
	{ "path_rec", 56 },
	{ "mcmember_rec", 56 },
	{ "node_info", 60 },
	{ "smp_dr_path", 128 },
	/* after the 140 bytes of a REQ: IBTA annex A11 */
	{ "cma_hdr", 164 },
	/* RFC 4391, 4, 9; neighbour solicitation and DHCP over UDP after 4 bytes and IP */
	{ "ipoib", 0 },
	{ "arp_hdr", 4 },
	{ "arp_ipoib", 4 },
	{ "dhcp", 4 + 20 + 8 },
	{ "nd_option", 4 + 40 + 24 },
	{ "nd_lladdr", 4 + 40 + 24 },
};

/* What is no header. */
static bool known_part(const struct mk_packet *p, const char *name, struct mk_place *place)
{
	const struct {
		const char *name;
		uint32_t from, to;
	} parts[] = {
		{ "payload", p->payload_off, p->pad_off },
		{ "pad", p->pad_off, p->icrc_off },
		{ "body", p->payload_off, p->icrc_off },
		{ "icrc", p->icrc_off, p->icrc_off + IBW_ICRC_BYTES },
		{ "vcrc", p->vcrc_off, p->vcrc_off + IBW_VCRC_BYTES },
		{ "end", p->end, p->end },
		{ "trailer", p->end, p->len },
		{ "cut", p->caplen, p->caplen },
		{ "outer_ipv4", p->outer_off, p->outer_off + (uint32_t)ibw_ipv4_BYTES },
		{ "file", 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].name, name)) {
			place->off = parts[i].from;
			place->len = parts[i].to - parts[i].from;
			return true;
		}
	return false;
}

static const struct ibw_header *header_named(const char *name, unsigned int *layer)
{
	for (*layer = 0; *layer < IBW_LAYER_COUNT; (*layer)++)
		if (!strcmp(ibw_headers[*layer].name, name))
			return &ibw_headers[*layer];
	mk_die("%s is no header", name);
}

static uint32_t inside_at(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (!strcmp(inside[i].name, name))
			return inside[i].at;
	return MK_NONE;
}

/* The bytes that field @name of a header at place->off lies in. */
static void narrow(const struct ibw_header *header, const char *name, struct mk_place *place)
{
	const struct ibw_field *f;
	uint32_t last;

	for (f = header->fields; f->name && strcmp(f->name, name) != 0; f++)
		;
	if (!f->name)
		mk_die("%s has no field %s", header->name, name);
	last = f->at + (f->count ? (uint32_t)f->bits * f->count : f->bits) - 1;
	place->off += f->at / 8;
	place->len = last / 8 - f->at / 8 + 1;
}

/* The next word of @at, up to a character that ends one; returns what follows. */
static const char *word(const char *at, char name[WORD])
{
	size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");

	if (n == 0 || n >= WORD)
		mk_die("%s is no place", at);
	memcpy(name, at, n);
	name[n] = '\0';
	return at + n;
}

/* The header @name, or, after '@', the one that is so many bytes into the payload. */
static const struct ibw_header *find_header(const struct mk_packet *p, const char *name,
					    const char **tail, struct mk_place *place)
{
	unsigned int layer;
	const struct ibw_header *header = header_named(name, &layer);
	uint32_t within = inside_at(name);
	char *end;

	if (**tail == '@') {
		within = (uint32_t)strtoul(*tail + 1, &end, 10);
		*tail = end;
	}
	if (p->off[layer] != MK_NONE)
		place->off = p->off[layer];
	else if (within != MK_NONE && p->payload_off != MK_NONE)
		place->off = p->payload_off + within;
	else
		place->off = MK_NONE;
	place->len = header->bytes;
	return header;
}

/* One alternative. False: the packet has no such header. */
static bool find(const struct mk_packet *p, const char *at, struct mk_place *place)
{
	const struct ibw_header *header = NULL;
	char name[WORD], field[WORD];
	const char *tail = word(at, name);
	unsigned int layer;
	char *end;

	memcpy(place->layer, name, WORD);
	if (*tail == '/') {
		/* Of several alternatives the one whose layer the packet has. */
		if (strchr(at, '|') && header_named(name, &layer) && p->off[layer] == MK_NONE)
			return false;
		tail = word(tail + 1, name);
	}
	if (!known_part(p, name, place))
		header = find_header(p, name, &tail, place);
	if (place->off == MK_NONE)
		return false;
	if (*tail == '.' && header) {
		tail = word(tail + 1, field);
		narrow(header, field, place);
	} else if (*tail == '+' || *tail == '-') {
		place->off += (uint32_t)strtol(tail, &end, 10);
		if (*end != ':')
			mk_die("%s does not say how many bytes", at);
		place->len = (uint32_t)strtoul(end + 1, &end, 10);
		tail = end;
	}
	if (*tail != '\0' && *tail != '|' && *tail != ' ')
		mk_die("%s is no place", at);
	return true;
}

/* The header a framing must have for @at to be in a packet; IBW_LAYER_COUNT: none in particular. */
static unsigned int needed_layer(const char *at)
{
	static const struct {
		const char *part;
		enum ibw_layer layer;
	} parts[] = { { "vcrc", IBW_LAYER_lrh },
		      { "outer_ipv4", IBW_LAYER_vxlan },
		      { "trailer", IBW_LAYER_eth } };
	char name[WORD];
	unsigned int i;

	at = word(at + (*at == '~'), name);
	if (*at == '/')
		word(at + 1, name);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].part, name))
			return parts[i].layer;
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (!strcmp(ibw_headers[i].name, name))
			break;
	return i;
}

bool mk_place_possible(enum mk_framing framing, const char *at)
{
	unsigned int layer;

	for (;;) {
		layer = needed_layer(at);
		if (layer == IBW_LAYER_COUNT || mk_framing_has(framing, (enum ibw_layer)layer))
			return true;
		at += strcspn(at, "| ");
		if (*at++ != '|')
			return false;
	}
}

bool mk_place(const struct mk_packet *p, const char *at, struct mk_place *place)
{
	memset(place, 0, sizeof(*place));
	place->milder = *at == '~';
	at += place->milder;
	for (;;) {
		if (find(p, at, place))
			return true;
		at += strcspn(at, "| ");
		if (*at++ != '|')
			return false;
	}
}
