/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Known headers of each kind: bytes from a real packet, and the value of
 * each field as another program shows it. tests/data/vectors.txt holds them
 * and says where each comes from; where that is a file of this project, the
 * bytes are looked up there. The few made by hand say why, and are printed.
 */
#include "accessors.h"
#include "check.h"
#include "codecs.h"
#include "words.h"
#include <ibwire/interp.h>

#include <stdlib.h>

#define VECTORS "tests/data/vectors.txt"
#define CRC_VECTORS "tests/data/crc-vectors.txt"
#define FIELDS_MAX 200

/* The headers that must have a vector; where one of the others has none, that is printed. */
static const bool wanted[IBW_LAYER_COUNT] = {
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = true,
#include <ibwire/list/headers_link.def>
#undef IBW_HEADER
};

/* Public frames: where each was found, and its bytes. */
static const struct {
	const char *origin, *hex;
} public_frames[] = {
#define MK_VECTOR(file, link_type, what, origin, hex) { origin, hex },
#include "pcaps/vectors.def"
#undef MK_VECTOR
};

/* The vector being read. */
static struct {
	unsigned int layer;
	uint8_t wire[CODEC_ROOM];
	size_t bytes;
	char from[256];
	bool seen[FIELDS_MAX];
	uint64_t align;
	uint8_t value[CODEC_ROOM]; /* our unpack() of wire */
	uint64_t align2;
	uint8_t theirs[CODEC_ROOM]; /* the value struct their values make */
} vec;

static bool done[IBW_LAYER_COUNT];
static bool open_vector;

static size_t from_hex(const char *hex, uint8_t *p, size_t room)
{
	return bytes_take(&hex, p, room);
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Frame @number of a little-endian pcap file (either resolution) from byte @offset on; how many bytes. */
static size_t from_capture(const char *path, unsigned long number, unsigned long offset, uint8_t *p,
			   size_t room)
{
	static uint8_t frame[1 << 17];
	uint8_t head[24];
	size_t len = 0;
	FILE *in = CHECK_OPEN(path);

	if (!in)
		return 0;
	if (fread(head, 1, 24, in) == 24 &&
	    CHECK(le32(head) == 0xa1b2c3d4 || le32(head) == 0xa1b23c4d))
		for (; number && fread(head, 1, 16, in) == 16; number--) {
			len = le32(head + 8);
			if (len > sizeof(frame) || fread(frame, 1, len, in) != len)
				break;
		}
	fclose(in);
	if (!CHECK_EQ(number, 0) || !CHECK(len >= offset))
		return 0;
	len = len - offset < room ? len - offset : room;
	memcpy(p, frame + offset, len);
	return len;
}

/* The bytes column of the line called @name. */
static size_t from_crc_vectors(const char *name, unsigned long offset, uint8_t *p, size_t room)
{
	static char line[16384];
	size_t n = 0, len = strlen(name);
	const char *hex;
	FILE *in = CHECK_OPEN(CRC_VECTORS);

	if (!in)
		return 0;
	while (n == 0 && fgets(line, sizeof(line), in)) {
		hex = strrchr(line, '|');
		if (strncmp(line, name, len) == 0 && line[len] == ' ' && hex &&
		    strlen(hex) > 2 + 2 * offset)
			n = from_hex(hex + 2 + 2 * offset, p, room);
	}
	fclose(in);
	return n;
}

static size_t from_public(const char *origin, unsigned long offset, uint8_t *p, size_t room)
{
	size_t i;

	for (i = 0; i < sizeof(public_frames) / sizeof(public_frames[0]); i++)
		if (strcmp(public_frames[i].origin, origin) == 0 &&
		    strlen(public_frames[i].hex) >= 2 * offset)
			return from_hex(public_frames[i].hex + 2 * offset, p, room);
	return 0;
}

/* The bytes are those of the place they are said to come from. */
static void check_origin(void)
{
	const char *name = ibw_headers[vec.layer].name;
	uint8_t there[CODEC_ROOM];
	unsigned long number, offset;
	const char *at = vec.from;
	char kind[16], path[128];
	size_t n = 0;

	check_case("%s from %s", name, vec.from);
	if (!CHECK(word_take(&at, kind, sizeof(kind))))
		return;
	if (strcmp(kind, "made") == 0) {
		printf("%s: %s\n", name, vec.from);
		return;
	}
	if (strcmp(kind, "public") == 0) {
		if (number_take(&at, &offset) && text_take(&at, " "))
			n = from_public(at, offset, there, vec.bytes);
	} else if (!word_take(&at, path, sizeof(path))) {
		n = 0;
	} else if (strcmp(kind, "vector") == 0) {
		if (number_take(&at, &offset))
			n = from_crc_vectors(path, offset, there, vec.bytes);
	} else if (strcmp(kind, "capture") == 0) {
		if (number_take(&at, &number) && number_take(&at, &offset))
			n = from_capture(path, number, offset, there, vec.bytes);
	}
	if (CHECK_EQ(n, vec.bytes))
		CHECK_MEM(vec.wire, there, n);
}

static void start(const char *name)
{
	memset(&vec, 0, sizeof(vec));
	open_vector = false;
	for (vec.layer = 0; vec.layer < IBW_LAYER_COUNT; vec.layer++)
		if (strcmp(ibw_headers[vec.layer].name, name) == 0)
			break;
	check_case("%s", name);
	if (CHECK(vec.layer < IBW_LAYER_COUNT)) {
		done[vec.layer] = true;
		open_vector = true;
	}
}

static void set_bytes(const char *hex)
{
	const struct ibw_header *h = &ibw_headers[vec.layer];

	vec.bytes = from_hex(hex, vec.wire, sizeof(vec.wire));
	CHECK_EQ(vec.bytes, h->bytes);
	CHECK_EQ(strlen(hex), 2u * h->bytes);
	codecs[vec.layer].unpack(vec.value, vec.wire);
	check_origin();
}

/* One element: the getter, unpack() and the interpreter have @want. */
static void check_element(const struct ibw_field *f, unsigned int i, uint64_t want)
{
	const struct accessor *a = accessor_find(accessors[vec.layer], f->name);

	if (!CHECK(a && (a->get || a->bytes)))
		return;
	CHECK_EQ(a->get ? a->get(vec.wire, i) : a->bytes(vec.wire)[i], want);
	CHECK_EQ(ibw_interp_value(vec.value, f, i), want);
	CHECK_EQ(ibw_interp_get(vec.wire, f, i), want);
	ibw_interp_set_value(vec.theirs, f, i, want);
}

static void check_field(const char *name, const char *text)
{
	const struct ibw_header *h = &ibw_headers[vec.layer];
	const struct ibw_field *f;
	uint8_t bytes[CODEC_ROOM] = { 0 };
	unsigned int i;
	uint64_t value;
	char *end;

	check_case("%s.%s is %s", h->name, name, text);
	for (f = h->fields; f->name && strcmp(f->name, name) != 0; f++)
		;
	if (!CHECK(f->name) || !CHECK(!(f->flags & IBW_FIELD_RSVD)) ||
	    !CHECK(f - h->fields < FIELDS_MAX) || !CHECK(!vec.seen[f - h->fields]))
		return;
	vec.seen[f - h->fields] = true;
	if (f->flags & IBW_FIELD_BYTES) {
		if (!CHECK_EQ(from_hex(text, bytes, sizeof(bytes)), f->bits / 8u))
			return;
		for (i = 0; i < f->bits / 8u; i++)
			check_element(f, i, bytes[i]);
		return;
	}
	for (i = 0; i < f->count; i++) {
		if (i && !CHECK(text_take(&text, ",")))
			return;
		value = strtoull(text, &end, 0);
		if (!CHECK(end != text))
			return;
		check_element(f, i, value);
		text = end;
	}
	CHECK(*text == '\0');
}

/* All fields were given, and make the same bytes again. */
static void finish(void)
{
	const struct ibw_header *h;
	uint8_t packed[CODEC_ROOM];
	unsigned int i;

	if (!open_vector)
		return;
	open_vector = false;
	h = &ibw_headers[vec.layer];
	for (i = 0; i < h->n_fields && i < FIELDS_MAX; i++) {
		check_case("%s.%s", h->name, h->fields[i].name);
		CHECK(vec.seen[i] || h->fields[i].flags & IBW_FIELD_RSVD);
	}
	check_case("%s", h->name);
	codecs[vec.layer].pack(packed, vec.theirs);
	if (!codecs[vec.layer].rsvd_set(vec.wire))
		CHECK_MEM(packed, vec.wire, h->bytes);
}

static void read_line(char *line)
{
	char *value = strchr(line, ' ');

	if (*line == '[') {
		finish();
		line[strcspn(line, "]")] = '\0';
		start(line + 1);
		return;
	}
	if (!open_vector || !CHECK(value != NULL))
		return;
	*value++ = '\0';
	if (strcmp(line, "from") == 0)
		snprintf(vec.from, sizeof(vec.from), "%s", value);
	else if (strcmp(line, "by") == 0)
		CHECK(*value);
	else if (strcmp(line, "hex") == 0)
		set_bytes(value);
	else
		check_field(line, value);
}

int main(void)
{
	FILE *in = CHECK_OPEN(VECTORS);
	static char line[16384];
	unsigned int layer, n = 0;

	if (!in)
		return check_end();
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			read_line(line);
	}
	fclose(in);
	finish();
	for (layer = 0; layer < IBW_LAYER_COUNT; layer++) {
		check_case("a vector for %s", ibw_headers[layer].name);
		CHECK(done[layer] || !wanted[layer]);
		if (!done[layer])
			printf("%s: no vector\n", ibw_headers[layer].name);
		n += done[layer];
	}
	printf("%u vectors\n", n);
	return check_end();
}
