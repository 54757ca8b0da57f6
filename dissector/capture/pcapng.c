/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcapng.c - pcapng, block by block (draft-ietf-opsawg-pcapng).
 *
 * A block says its length in front and after. As long as the two agree, whatever
 * else is wrong with it costs that block alone.
 */
#include <string.h>

#include "impl.h"
#include "pcapng.h"
#include "pcapng_options.h"
#include "plain.h"

#define FRAME 12 /* type, length, and length again after */
#define HEAD 8   /* those in front */

/* The blocks we look into; bytes with nothing optional in them. */
static const struct block_kind {
	uint32_t type;
	uint32_t min_length;
	bool is_packet;
	const char *name;
} block_kinds[] = {
	{ BLOCK_EPB, FRAME + 20, true, "enhanced packet block" },
	{ BLOCK_SPB, FRAME + 4, true, "simple packet block" },
	{ BLOCK_PB, FRAME + 20, true, "packet block" },
	{ BLOCK_IDB, FRAME + 8, false, "interface description block" },
	{ BLOCK_ISB, FRAME + 12, false, "interface statistics block" },
	{ BLOCK_SHB, FRAME + 16, false, "section header block" },
};

/* Other blocks that Wireshark gives a frame number: journal entries, custom blocks,
 * sysdig events. */
static const uint32_t other_frames[] = { 0x9, 0xbad, 0x40000bad, 0x204, 0x216, 0x221 };

struct block {
	const struct block_kind *kind;
	const uint8_t *body; /* after the length in front, up to the one after */
	uint32_t body_len;
};

struct pcapng_reader {
	struct capture base;
	bool swapped;               /* in this section: against this machine's order */
	unsigned int section_first; /* interface 0 of this section */
	struct block block;         /* at hand */
	bool ahead;                 /* find_packet() has been called already, and ... */
	enum capture_result found;  /* ... came to this */
};

/* Integers of this section */
static inline uint16_t load16(const struct pcapng_reader *r, const uint8_t *p)
{
	return capture_load16(p, r->swapped);
}

static inline uint32_t load32(const struct pcapng_reader *r, const uint8_t *p)
{
	return capture_load32(p, r->swapped);
}

static inline uint64_t load64(const struct pcapng_reader *r, const uint8_t *p)
{
	return capture_load64(p, r->swapped);
}

bool capture_pcapng_matches(const uint8_t *head)
{
	const uint32_t shb = BLOCK_SHB;

	return memcmp(head, &shb, sizeof(shb)) == 0;
}

/* Those of the block at hand, which begin @at bytes into its body. */
static struct pcapng_options options_after(const struct pcapng_reader *r, uint32_t at)
{
	return (struct pcapng_options){ .p = r->block.body + at,
					.left = r->block.body_len - at,
					.swapped = r->swapped };
}

/* What is before the bad option has been taken; the block is past. */
static enum capture_result bad_options(struct pcapng_reader *r, const struct pcapng_options *o)
{
	uint32_t needed = o->left < 4 ? 4 : 4 + pcapng_padded(o->len);

	return capture_fail(&r->base, CAPTURE_FAULT_BLOCK, false, needed, o->left,
			    "%s: an option needs %u bytes, %u left", r->block.kind->name, needed,
			    o->left);
}

/* The two lengths of a block disagree, so where the next one begins is not known. */
static enum capture_result disagree(struct pcapng_reader *r, uint32_t type, uint32_t front,
				    uint32_t after)
{
	return capture_fail(&r->base, CAPTURE_FAULT_BLOCK, true, front, after,
			    "block of type 0x%08x: length %u"
			    " in front, %u after",
			    type, front, after);
}

/* Passes over a block of @length whose head has been seen and not used up. */
static enum capture_result skip_block(struct pcapng_reader *r, uint32_t type, uint32_t length)
{
	struct capture_input *in = r->base.input;
	uint64_t had = capture_input_skip(in, length - 4);
	const uint8_t *after = capture_input_need(in, 4);

	if (!after)
		return capture_cut(&r->base, "block", length, had + (in->end - in->start));
	if (load32(r, after) != length)
		return disagree(r, type, length, load32(r, after));
	capture_input_advance(in, 4);
	return CAPTURE_PACKET;
}

static const struct block_kind *find_kind(uint32_t type)
{
	for (size_t i = 0; i < G_N_ELEMENTS(block_kinds); i++)
		if (block_kinds[i].type == type)
			return &block_kinds[i];
	return NULL;
}

/* A packet too large to be true costs itself; without an interface or section, those that
 * follow have no meaning. */
static enum capture_result too_large(struct pcapng_reader *r, uint32_t length)
{
	const struct block_kind *kind = r->block.kind;
	enum capture_result result;

	if (!kind->is_packet)
		return capture_fail(&r->base, CAPTURE_FAULT_LIMIT, true, length, BLOCK_MAX,
				    "%s of %u bytes, %u at most", kind->name, length, BLOCK_MAX);
	result = skip_block(r, kind->type, length);
	if (result == CAPTURE_PACKET)
		result = capture_fail(&r->base, CAPTURE_FAULT_LENGTH, false, length, BLOCK_MAX,
				      "%s of %u bytes, %u at most", kind->name, length, BLOCK_MAX);
	r->base.offset += length;
	r->base.frame++;
	return result;
}

/* A section header gives the byte order all its lengths are in. False: neither order. */
static bool set_order(struct pcapng_reader *r, const uint8_t *head)
{
	r->swapped = false;
	if (load32(r, head + HEAD) == BYTE_ORDER_MAGIC)
		return true;
	r->swapped = true;
	return load32(r, head + HEAD) == BYTE_ORDER_MAGIC;
}

/* Whether the caller wants to see a block that we do not look into. */
static bool is_kept(const struct pcapng_reader *r, uint32_t length)
{
	return r->base.input->options.blocks && length <= BLOCK_MAX;
}

static bool is_frame(uint32_t type)
{
	for (size_t i = 0; i < G_N_ELEMENTS(other_frames); i++)
		if (type == other_frames[i])
			return true;
	return false;
}

/* We are past a block that we do not look into. */
static void past_other(struct pcapng_reader *r, uint32_t type, uint32_t length)
{
	r->base.frame += is_frame(type);
	r->base.offset += length;
}

static enum capture_result pass_block(struct pcapng_reader *r, uint32_t type, uint32_t length)
{
	enum capture_result result = skip_block(r, type, length);

	if (result != CAPTURE_PACKET)
		return result;
	r->block = (struct block){ .body = NULL };
	past_other(r, type, length);
	r->base.block = (struct capture_block){ .type = type, .length = length };
	return CAPTURE_PACKET;
}

/* The block at hand as it is there, for capture_block(). */
static void show(struct pcapng_reader *r)
{
	const uint8_t *block = r->block.body - HEAD;

	r->base.block = (struct capture_block){
		.bytes = block,
		.length = r->block.body_len + FRAME,
		.type = load32(r, block),
		.swapped = r->swapped,
		.is_packet = r->block.kind && r->block.kind->is_packet,
	};
	r->base.block.is_frame = r->base.block.is_packet || is_frame(r->base.block.type);
}

/*
 * Takes the next block whole. CAPTURE_PACKET: it is in r->block and used up, its bytes valid
 * until the next call; kind is NULL if it was not one that is read, and was skipped.
 */
static enum capture_result take_block(struct pcapng_reader *r)
{
	struct capture *cap = &r->base;
	struct capture_input *in = cap->input;
	const uint8_t *p = capture_input_need(in, FRAME);
	uint32_t type, length, after;

	if (!p && in->end == in->start && !in->failure)
		return CAPTURE_END;
	if (!p)
		return capture_cut(cap, "block header", FRAME, in->end - in->start);
	type = load32(r, p);
	if (type == BLOCK_SHB && !set_order(r, p))
		return capture_fail(cap, CAPTURE_FAULT_BLOCK, true, 0, 0,
				    "section header block without a byte-order magic");
	length = load32(r, p + 4);
	r->block.kind = find_kind(type);
	if (length % 4 || length < (r->block.kind ? r->block.kind->min_length : FRAME))
		return capture_fail(cap, CAPTURE_FAULT_BLOCK, true,
				    r->block.kind ? r->block.kind->min_length : FRAME, length,
				    "block of type 0x%08x: length %u"
				    " is too short or no multiple of 4",
				    type, length);
	if ((!r->block.kind && !is_kept(r, length)) || (type == BLOCK_ISB && length > BLOCK_MAX))
		return pass_block(r, type, length);
	if (length > BLOCK_MAX)
		return too_large(r, length);
	p = capture_input_need(in, length);
	if (!p)
		return capture_cut(cap, r->block.kind ? r->block.kind->name : "block", length,
				   in->end - in->start);
	after = load32(r, p + length - 4);
	if (after != length)
		return disagree(r, type, length, after);
	capture_input_advance(in, length);
	r->block.body = p + HEAD;
	r->block.body_len = length - FRAME;
	if (!r->block.kind)
		past_other(r, type, length);
	return CAPTURE_PACKET;
}

/* Whether a comment says that packets were left out. */
static bool says_part(const struct pcapng_reader *r)
{
	const size_t n = strlen(CAPTURE_PART);
	struct pcapng_options o = options_after(r, 16);

	while (pcapng_next_option(&o) == OPTION_HERE)
		if (o.code == OPTION_COMMENT && o.len >= n && !memcmp(o.value, CAPTURE_PART, n))
			return true;
	return false;
}

static enum capture_result take_section(struct pcapng_reader *r)
{
	uint16_t major = load16(r, r->block.body + 4);
	uint16_t minor = load16(r, r->block.body + 6);

	/* 1.2 is 1.0 under another number, from some early writers */
	if (major != 1 || (minor != 0 && minor != 2))
		return capture_fail(&r->base, CAPTURE_FAULT_UNSUPPORTED, true, 0, 0,
				    "pcapng version %u.%u", major, minor);
	r->section_first = r->base.interfaces->len;
	r->base.is_part |= says_part(r);
	show(r);
	return CAPTURE_PACKET;
}

/* A name somebody else chose, made fit to print. */
static void set_name(struct capture_interface *iface, const uint8_t *name, uint16_t len)
{
	size_t n = MIN((size_t)len, sizeof(iface->name) - 1);
	const char *end;

	memset(iface->name, 0, sizeof(iface->name));
	memcpy(iface->name, name, n);
	g_utf8_validate(iface->name, -1, &end);
	iface->name[end - iface->name] = '\0';
	for (char *c = iface->name, *next; *c; c = next) {
		next = g_utf8_next_char(c);
		if (!capture_is_plain(g_utf8_get_char(c)))
			memset(c, '?', (size_t)(next - c));
	}
}

static void take_if_option(const struct pcapng_reader *r, struct capture_interface *iface,
			   const struct pcapng_options *o)
{
	switch (o->code) {
	case IF_NAME:
		set_name(iface, o->value, o->len);
		break;
	case IF_TSRESOL:
		if (o->len >= 1)
			iface->ts_resolution = o->value[0];
		break;
	case IF_SPEED:
		if (o->len >= 8)
			iface->speed = load64(r, o->value);
		break;
	case IF_TSOFFSET:
		if (o->len >= 8)
			iface->ts_offset = (int64_t)load64(r, o->value);
		break;
	case IF_FCSLEN:
		/* In bits; older writers gave bytes, and no FCS has less than 16 bits. */
		if (o->len >= 1)
			iface->fcs_len = o->value[0] < 16 ? o->value[0] : o->value[0] / 8;
		break;
	}
}

static enum capture_result take_interface(struct pcapng_reader *r)
{
	const uint8_t *body = r->block.body;
	struct capture_interface iface = {
		.linktype = capture_linktype(load16(r, body)),
		.snaplen = load32(r, body + 4),
		.ts_resolution = 6,
	};
	struct pcapng_options o = options_after(r, 8);
	enum pcapng_stepped step;

	if (r->base.interfaces->len == CAPTURE_INTERFACES_MAX)
		return capture_fail(&r->base, CAPTURE_FAULT_LIMIT, true, 0, 0,
				    "more than %u interfaces", CAPTURE_INTERFACES_MAX);
	while ((step = pcapng_next_option(&o)) == OPTION_HERE)
		take_if_option(r, &iface, &o);
	iface.ns_per_tick = capture_ns_per_tick(iface.ts_resolution);
	g_array_append_val(r->base.interfaces, iface);
	show(r);
	return step == OPTIONS_BAD ? bad_options(r, &o) : CAPTURE_PACKET;
}

/* NULL: this section has no interface of that number, which is now the fault. */
static struct capture_interface *find_interface(struct pcapng_reader *r, uint32_t id)
{
	unsigned int n = r->base.interfaces->len - r->section_first;

	if (id < n)
		return capture_interface_at(&r->base, r->section_first + id);
	capture_fail(&r->base, CAPTURE_FAULT_BLOCK, false, 0, 0,
		     "%s for interface %u, the section has %u", r->block.kind->name, id, n);
	return NULL;
}

static enum capture_result take_statistics(struct pcapng_reader *r)
{
	const uint8_t *body = r->block.body;
	struct pcapng_options o = options_after(r, 12);
	struct capture_interface *iface = find_interface(r, load32(r, body));
	enum pcapng_stepped step;

	if (!iface)
		return CAPTURE_FAULT;
	show(r);
	iface->has_stats = true;
	while ((step = pcapng_next_option(&o)) == OPTION_HERE) {
		if (o.len < 8)
			continue;
		if (o.code == ISB_IFRECV)
			iface->received = load64(r, o.value);
		else if (o.code == ISB_IFDROP)
			iface->if_drops = load64(r, o.value);
		else if (o.code == ISB_OSDROP)
			iface->os_drops = load64(r, o.value);
	}
	return step == OPTIONS_BAD ? bad_options(r, &o) : CAPTURE_PACKET;
}

/* Takes in what a block says that is no packet. */
static enum capture_result take_other(struct pcapng_reader *r)
{
	enum capture_result result;

	if (!r->block.kind) {
		if (r->block.body)
			show(r);
		return CAPTURE_PACKET;
	}
	if (r->block.kind->type == BLOCK_SHB)
		result = take_section(r);
	else if (r->block.kind->type == BLOCK_IDB)
		result = take_interface(r);
	else
		result = take_statistics(r);
	if (result == CAPTURE_PACKET || !r->base.fault.fatal)
		r->base.offset += r->block.body_len + FRAME;
	return result;
}

/* Goes on to the next packet block, taking in what lies before it; to the next block, if the caller wants to see it. */
static enum capture_result find_packet(struct pcapng_reader *r)
{
	enum capture_result result;

	for (;;) {
		r->base.block = (struct capture_block){ .bytes = NULL };
		result = take_block(r);
		if (result != CAPTURE_PACKET)
			return result;
		if (r->block.kind && r->block.kind->is_packet)
			return CAPTURE_PACKET;
		result = take_other(r);
		if (result != CAPTURE_PACKET)
			return result;
		if (r->base.input->options.blocks)
			return CAPTURE_BLOCK;
	}
}

/* A packet that claims to be longer than it can be is skipped. */
static enum capture_result check_caplen(struct pcapng_reader *r,
					const struct capture_interface *iface, uint32_t caplen,
					uint32_t room)
{
	uint32_t limit = MAX(iface->snaplen, CAPTURE_CAPLEN_MAX);

	if (caplen > room)
		return capture_fail(&r->base, CAPTURE_FAULT_LENGTH, false, caplen, room,
				    "%u captured bytes in a %s with room for %u", caplen,
				    r->block.kind->name, room);
	if (caplen > limit)
		return capture_fail(&r->base, CAPTURE_FAULT_LENGTH, false, caplen, limit,
				    "%u captured bytes, %u at most", caplen, limit);
	return CAPTURE_PACKET;
}

static void set_packet(struct capture_packet *pkt, const struct pcapng_reader *r,
		       const struct capture_interface *iface, const uint8_t *data)
{
	pkt->frame = r->base.frame + 1;
	pkt->data = data;
	pkt->linktype = iface->linktype;
	pkt->iface = (uint32_t)(iface - capture_interface_at(&r->base, 0));
	pkt->fcs_len = iface->fcs_len;
}

/* Takes the options after a packet's data. If they are bad, the packet comes after the fault. */
static enum capture_result take_packet_options(struct pcapng_reader *r,
					       struct capture_interface *iface,
					       struct capture_packet *pkt, struct pcapng_options *o)
{
	enum pcapng_stepped step;

	while ((step = pcapng_next_option(o)) == OPTION_HERE) {
		if (o->code == EPB_FLAGS && o->len >= 4) {
			uint32_t fcs_len =
				load32(r, o->value) >> EPB_FLAGS_FCS_SHIFT & EPB_FLAGS_FCS_MAX;

			if (fcs_len)
				pkt->fcs_len = (uint8_t)fcs_len;
		} else if (o->code == EPB_DROPCOUNT && o->len >= 8 &&
			   r->block.kind->type == BLOCK_EPB) {
			iface->packet_drops += load64(r, o->value);
		}
	}
	if (step != OPTIONS_BAD)
		return CAPTURE_PACKET;
	r->base.held = *pkt;
	r->base.holds = true;
	return bad_options(r, o);
}

/* Enhanced packet block, and the packet block it took the place of: interface 32 bits there,
 * interface and drop count 16 bits each here, then the same. */
static enum capture_result take_packet(struct pcapng_reader *r, struct capture_packet *pkt)
{
	const uint8_t *body = r->block.body;
	bool is_old = r->block.kind->type == BLOCK_PB;
	struct capture_interface *iface =
		find_interface(r, is_old ? load16(r, body) : load32(r, body));
	uint32_t caplen = load32(r, body + 12), room = r->block.body_len - 20;
	struct pcapng_options o;

	if (!iface || check_caplen(r, iface, caplen, room) != CAPTURE_PACKET)
		return CAPTURE_FAULT;
	set_packet(pkt, r, iface, body + 20);
	pkt->caplen = caplen;
	pkt->len = load32(r, body + 16);
	pkt->ticks = (uint64_t)load32(r, body + 4) << 32 | load32(r, body + 8);
	pkt->time_ns = capture_time_ns(iface, pkt->ticks);
	pkt->has_time = true;
	if (is_old && load16(r, body + 2) != 0xffff) /* not said */
		iface->packet_drops += load16(r, body + 2);
	if (G_LIKELY(room == pcapng_padded(caplen)))
		return CAPTURE_PACKET;
	o = options_after(r, 20 + pcapng_padded(caplen));
	return take_packet_options(r, iface, pkt, &o);
}

/* Simple packet block: interface 0, no time, and no captured length but what follows from
 * the snap length. */
static enum capture_result take_simple_packet(struct pcapng_reader *r, struct capture_packet *pkt)
{
	const struct capture_interface *iface = find_interface(r, 0);
	uint32_t len = load32(r, r->block.body);
	uint32_t caplen = len;

	if (!iface)
		return CAPTURE_FAULT;
	if (iface->snaplen)
		caplen = MIN(caplen, iface->snaplen);
	if (check_caplen(r, iface, caplen, r->block.body_len - 4) != CAPTURE_PACKET)
		return CAPTURE_FAULT;
	set_packet(pkt, r, iface, r->block.body + 4);
	pkt->caplen = caplen;
	pkt->len = len;
	pkt->time_ns = 0;
	pkt->has_time = false;
	return CAPTURE_PACKET;
}

enum capture_result capture_pcapng_read(struct capture *cap, struct capture_packet *pkt)
{
	struct pcapng_reader *r = (struct pcapng_reader *)cap;
	enum capture_result result = r->ahead ? r->found : find_packet(r);

	r->ahead = false;
	if (result != CAPTURE_PACKET)
		return result;
	if (G_UNLIKELY(cap->input->options.blocks))
		show(r);
	if (r->block.kind->type == BLOCK_SPB)
		result = take_simple_packet(r, pkt);
	else
		result = take_packet(r, pkt);
	cap->packet_offset = cap->offset;
	/* Counted and past even where it cannot be delivered. */
	cap->offset += r->block.body_len + FRAME;
	cap->frame++;
	return result;
}

struct capture *capture_pcapng_open(struct capture_input *input, GError **err)
{
	struct pcapng_reader *r = g_new0(struct pcapng_reader, 1);

	if (!set_order(r, capture_input_need(input, FRAME))) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT,
			    "%s: no pcapng: a section header block without a byte-order magic",
			    input->name);
		g_free(r);
		return NULL;
	}
	capture_init(&r->base, CAPTURE_FORMAT_PCAPNG, input);
	/* So that the interfaces ahead of the first packet are known from the start */
	r->found = find_packet(r);
	r->ahead = true;
	return &r->base;
}
