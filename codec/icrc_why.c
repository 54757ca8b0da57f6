/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_why.c - what a sender did to arrive at a wrong ICRC.
 *
 * Each suspected mistake is made here as well, and the outcome compared with what was
 * sent. A CRC is linear: taking one field differently changes it by the same difference
 * whatever is done to the others. So there is one CRC for each field and way of taking
 * it, and combinations of them cost an exclusive or.
 */
#define CRC_STATE uint32_t
#include "crc_slice.h"
#include "icrc_masks.h"

struct field {
	uint8_t mask; /* enum ibw_icrc_mask */
	uint8_t bits;
	uint16_t at; /* first bit, counted from the LRH or what stands for it */
};

/* The most any kind of packet has. */
#define FIELDS_MAX 6
#define SUBSETS (1u << FIELDS_MAX)

#define FIELD(from, field, at, bits) { IBW_ICRC_MASK_##field, bits, (from) + (at) },
#define BEHIND_LRH(list)                                                                           \
	{                                                                                          \
		{ IBW_ICRC_MASK_LRH, ibw_lrh_BITS, 0 }, list(FIELD, ibw_lrh_BITS)                  \
	}

static const struct rule {
	uint16_t bth;                   /* where it starts; bytes, without IPv4 options */
	uint8_t stand_in;               /* bytes of ones in the place of an LRH */
	struct field field[FIELDS_MAX]; /* fewer: the others have no bits */
} rules[IBW_ICRC_KINDS] = {
	[IBW_ICRC_IB_LOCAL] = { ibw_lrh_BYTES, 0, { IBW_ICRC_MASKS_LOCAL(FIELD, 0) } },
	[IBW_ICRC_IB_GLOBAL] = { ibw_lrh_BYTES + ibw_grh_BYTES, 0, BEHIND_LRH(IBW_ICRC_MASKS_GRH) },
	[IBW_ICRC_ROCE_V1] = { ibw_lrh_BYTES + ibw_grh_BYTES, ibw_lrh_BYTES,
			       BEHIND_LRH(IBW_ICRC_MASKS_GRH) },
	[IBW_ICRC_ROCE_V2_IPV4] = { ibw_lrh_BYTES + ibw_ipv4_BYTES + ibw_udp_BYTES, ibw_lrh_BYTES,
				    BEHIND_LRH(IBW_ICRC_MASKS_IPV4) },
	[IBW_ICRC_ROCE_V2_IPV6] = { ibw_lrh_BYTES + ibw_ipv6_BYTES + ibw_udp_BYTES, ibw_lrh_BYTES,
				    BEHIND_LRH(IBW_ICRC_MASKS_IPV6) },
};

#define HEAD_MAX                                                                                   \
	(ibw_lrh_BYTES + ibw_ipv4_BYTES + ICRC_IPV4_OPTIONS_MAX + ibw_udp_BYTES + ibw_bth_BYTES)

/* What the ICRC covers: the headers up to the BTH, in three states, and the rest. */
struct cover {
	const struct rule *rule;
	uint8_t sent[HEAD_MAX];  /* as sent; a stand-in LRH is ones */
	uint8_t ones[HEAD_MAX];  /* the bits that are taken as ones */
	uint8_t right[HEAD_MAX]; /* with the ones in place */
	size_t bth, len;         /* where the BTH starts and ends */
	size_t options;          /* bytes of IPv4 options */
	const uint8_t *rest;
	size_t left;
};

/* Where a field starts in this packet. */
static unsigned int field_at(const struct cover *c, const struct field *f)
{
	bool behind_options = f->at >= ibw_lrh_BITS + ibw_ipv4_BITS;

	return f->at + (behind_options ? 8 * (unsigned int)c->options : 0);
}

/* False if the packet ends before its BTH does. */
static bool cover_open(struct cover *c, enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	const struct field *f;
	size_t i;

	c->rule = &rules[kind];
	c->options = kind == IBW_ICRC_ROCE_V2_IPV4 && n ? icrc_ipv4_options(p) : 0;
	c->bth = c->rule->bth + c->options;
	c->len = c->bth + ibw_bth_BYTES;
	if (c->len - c->rule->stand_in > n)
		return false;
	c->rest = p + (c->len - c->rule->stand_in);
	c->left = n - (c->len - c->rule->stand_in);

	for (i = 0; i < HEAD_MAX; i++)
		c->ones[i] = 0;
	for (f = c->rule->field; f < c->rule->field + FIELDS_MAX && f->bits; f++)
		ibw_bits_set(c->ones, field_at(c, f), f->bits, ~(uint64_t)0);
	for (i = 0; i < c->len; i++) {
		c->sent[i] = i < c->rule->stand_in ? 0xff : p[i - c->rule->stand_in];
		c->right[i] = c->sent[i] | c->ones[i];
	}
	return true;
}

/* The CRC @before goes on with @head from byte @from on, and the rest. */
static uint32_t cover_crc_after(const struct cover *c, const uint8_t *head, size_t from,
				uint32_t before)
{
	return ibw_crc32(ibw_crc32(before, head + from, c->len - from), c->rest, c->left);
}

static uint32_t cover_crc(const struct cover *c, const uint8_t *head, size_t from)
{
	return cover_crc_after(c, head, from, 0);
}

/* The ICRC of a sender who takes one field as @value instead of as ones. */
static uint32_t crc_taking(const struct cover *c, const struct field *f, uint64_t value)
{
	uint8_t head[HEAD_MAX];

	IBW_COPY(head, c->right, sizeof(head));
	ibw_bits_set(head, field_at(c, f), f->bits, value);
	return cover_crc(c, head, 0);
}

/* The ICRC of a sender who takes it as sent; a stand-in, which is not sent, not at all. */
static uint32_t crc_missing(const struct cover *c, const struct field *f)
{
	if (f->mask == IBW_ICRC_MASK_LRH && c->rule->stand_in)
		return cover_crc(c, c->right, c->rule->stand_in);
	return crc_taking(c, f, ibw_bits_get(c->sent, field_at(c, f), f->bits));
}

/* The differences of all subsets of fields, from those of the single ones. */
static void subset_differences(uint32_t *all, const uint32_t *single)
{
	unsigned int set, i;

	all[0] = 0;
	for (i = 0; i < FIELDS_MAX; i++)
		for (set = 0; set < 1u << i; set++)
			all[set | 1u << i] = all[set] ^ single[i];
}

static uint8_t masks_of(const struct cover *c, unsigned int set)
{
	unsigned int i, masks = 0;

	for (i = 0; i < FIELDS_MAX; i++)
		if (set & 1u << i)
			masks |= c->rule->field[i].mask;
	return (uint8_t)masks;
}

/*
 * Which fields were taken as sent or as zeros, if that makes up @difference. The simplest
 * account is wanted: all as sent, all as zeros, some of each. A field that was sent as
 * ones makes no difference and is left out: a set comes up before those it is part of.
 */
static bool explain_by_masks(struct ibw_icrc_why *why, const struct cover *c, uint32_t right,
			     uint32_t difference)
{
	uint32_t missing[SUBSETS], zeroed[SUBSETS];
	uint32_t missing1[FIELDS_MAX] = { 0 }, zeroed1[FIELDS_MAX] = { 0 };
	unsigned int i, all = 0, m, z, rank, best = 3;

	for (i = 0; i < FIELDS_MAX && c->rule->field[i].bits; i++) {
		missing1[i] = crc_missing(c, &c->rule->field[i]) ^ right;
		zeroed1[i] = crc_taking(c, &c->rule->field[i], 0) ^ right;
		all |= 1u << i;
	}
	subset_differences(missing, missing1);
	subset_differences(zeroed, zeroed1);

	for (m = 0; m <= all; m++) {
		for (z = all & ~m;; z = (z - 1) & all & ~m) {
			rank = !z ? 0 : !m ? 1 : 2;
			if ((missing[m] ^ zeroed[z]) == difference && rank < best) {
				best = rank;
				why->missing = masks_of(c, m);
				why->zeroed = masks_of(c, z);
			}
			if (!z)
				break;
		}
	}
	if (best == 3)
		return false;
	why->cause = why->zeroed ? IBW_ICRC_WHY_MASK_ZERO : IBW_ICRC_WHY_MASK_MISSING;
	return true;
}

/* Nothing in front of the BTH but, perhaps, the LRH; BTH byte 4 in any of its three states. */
static bool explain_by_bth_only(struct ibw_icrc_why *why, const struct cover *c, uint32_t found)
{
	const unsigned int byte = ibw_bth_fecn_AT / 8;
	const uint8_t states[] = { 0xff, c->sent[c->bth + byte], 0 };
	uint8_t bth[ibw_bth_BYTES];
	unsigned int lrh, i;
	uint32_t crc;

	IBW_COPY(bth, c->right + c->bth, sizeof(bth));
	for (lrh = 0; lrh < 2; lrh++) {
		for (i = 0; i < 3; i++) {
			bth[byte] = states[i];
			crc = lrh ? ibw_crc32(0, c->right, ibw_lrh_BYTES) : 0;
			crc = ibw_crc32(crc, bth, sizeof(bth));
			if (ibw_crc32(crc, c->rest, c->left) == found) {
				why->cause = IBW_ICRC_WHY_BTH_ONLY;
				why->missing = (uint8_t)((lrh ? 0 : IBW_ICRC_MASK_LRH) |
							 (i == 1 ? IBW_ICRC_MASK_RESV8A : 0));
				why->zeroed = i == 2 ? IBW_ICRC_MASK_RESV8A : 0;
				return true;
			}
		}
	}
	return false;
}

/* What to exclusive-or, by its highest byte, to a state of which a zero byte is taken back. */
static const uint32_t step_back[256] = CRC_TABLE(0x6567cb95, 0xdf0b66ea, 0x6f85b375, 0xda7a5a9a,
						 0x6d3d2d4d, 0xdb261586, 0x6d930ac3, 0xdb710641);

uint32_t ibw_crc32_back(uint32_t difference, size_t n)
{
	for (; n; n--)
		difference = difference << 8 ^ step_back[difference >> 24];
	return difference;
}

static bool one_bit(uint32_t v)
{
	return v && !(v & (v - 1));
}

static void flipped(struct ibw_icrc_why *why, size_t at, uint32_t mask)
{
	why->cause = IBW_ICRC_WHY_BIT_FLIPPED;
	why->flipped_at = at;
	why->flipped_mask = (uint8_t)mask;
}

/*
 * A flipped bit changes the state by itself as its byte is taken, and the bytes after
 * take that difference on as if they were zeros. So taking back byte after byte from
 * the end, the difference is one bit of a byte where that byte is the changed one.
 */
static void explain_by_flipped_bit(struct ibw_icrc_why *why, const struct cover *c, size_t n,
				   uint32_t difference)
{
	uint32_t state = difference;
	size_t i, in_head;

	if (one_bit(difference)) { /* of the ICRC itself */
		for (i = n; state > 0xff; state >>= 8)
			i++;
		flipped(why, i, state);
		return;
	}
	for (i = n; i-- > 0;) {
		state = state << 8 ^ step_back[state >> 24];
		in_head = i + c->rule->stand_in;
		/* A bit that is taken as one whatever it is cannot have done it. */
		if (state <= 0xff && one_bit(state) &&
		    !(in_head < c->len && c->ones[in_head] & state)) {
			flipped(why, i, state);
			return;
		}
	}
}

static uint32_t crc32c_of(const struct cover *c)
{
	return ibw_crc32c(ibw_crc32c(0, c->right, c->len), c->rest, c->left);
}

static uint32_t crc_headers_twice(const struct cover *c, uint32_t right)
{
	uint32_t crc = ibw_crc32(right, c->sent + c->bth, ibw_bth_BYTES);

	return ibw_crc32(crc, c->rest, c->left);
}

/* The state after a byte that is taken most significant bit first, by the state's highest byte. */
static const uint32_t bits_first[256] = CRC_TABLE(0x690ce0ee, 0x34867077, 0x9823b6e0, 0x4c11db70,
						  0x2608edb8, 0x130476dc, 0x09823b6e, 0x04c11db7);

static uint32_t crc_bits_first(uint32_t state, const uint8_t *p, size_t n)
{
	for (; n; n--)
		state = state << 8 ^ bits_first[state >> 24 ^ *p++];
	return state;
}

/* The same polynomial over the same bytes in the other order of bits, stored in either order of bytes. */
static bool is_bits_first(const struct cover *c, uint32_t found)
{
	uint32_t crc =
		~crc_bits_first(crc_bits_first(~(uint32_t)0, c->right, c->len), c->rest, c->left);

	return found == crc || found == ibw_icrc_on_wire(crc);
}

struct ibw_icrc_why ibw_icrc_explain(enum ibw_icrc_kind kind, const void *p, size_t n,
				     uint32_t found)
{
	struct ibw_icrc_why why = { IBW_ICRC_WHY_UNKNOWN, 0, 0, 0, 0 };
	uint32_t right = ibw_icrc(kind, p, n);
	struct cover c;

	if (kind <= IBW_ICRC_NONE || kind >= IBW_ICRC_KINDS || !cover_open(&c, kind, p, n) ||
	    found == right)
		return why;
	if (found == ibw_icrc_on_wire(right))
		why.cause = IBW_ICRC_WHY_BYTE_SWAPPED;
	else if (found == ~right)
		why.cause = IBW_ICRC_WHY_NOT_INVERTED;
	else if (found == crc32c_of(&c))
		why.cause = IBW_ICRC_WHY_CRC32C;
	else if (found == crc_headers_twice(&c, right))
		why.cause = IBW_ICRC_WHY_HEADERS_TWICE;
	else if (is_bits_first(&c, found))
		why.cause = IBW_ICRC_WHY_BIT_ORDER;
	else if (!explain_by_masks(&why, &c, right, found ^ right) &&
		 !explain_by_bth_only(&why, &c, found))
		explain_by_flipped_bit(&why, &c, n, found ^ right);
	return why;
}

bool ibw_icrc_covers_link(enum ibw_icrc_kind kind, const void *p, size_t link, size_t n,
			  uint32_t found)
{
	static const uint8_t ones[ibw_lrh_BYTES] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	const uint8_t *bytes = (const uint8_t *)p;
	uint32_t with, without;
	struct cover c;
	size_t from;

	if (kind <= IBW_ICRC_NONE || kind >= IBW_ICRC_KINDS || !link ||
	    !cover_open(&c, kind, bytes + link, n) || !c.rule->stand_in)
		return false;
	with = ibw_crc32(ibw_crc32(0, ones, sizeof(ones)), bytes, link);
	without = ibw_crc32(0, bytes, link);
	from = c.rule->stand_in;
	return found == cover_crc_after(&c, c.right, from, with) ||
	       found == cover_crc_after(&c, c.sent, from, with) ||
	       found == cover_crc_after(&c, c.right, from, without) ||
	       found == cover_crc_after(&c, c.sent, from, without) ||
	       found == cover_crc_after(&c, c.right, 0, without) ||
	       found == cover_crc_after(&c, c.sent, 0, without);
}
