/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decoder.c - gzip, zstd and lz4 as streams. */
#define ZLIB_CONST
#include <string.h>

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include "input.h"

static bool starts(const uint8_t *head, size_t n, const char *magic, size_t len)
{
	return n >= len && memcmp(head, magic, len) == 0;
}

/* gzip: members one after the other, perhaps zero bytes behind (tapes, padded downloads). */
struct gzip {
	z_stream z;
	bool inside;
};

static bool gzip_matches(const uint8_t *head, size_t n)
{
	return starts(head, n, "\x1f\x8b\x08", 3);
}

static void *gzip_open(void)
{
	struct gzip *g = g_new0(struct gzip, 1);

	/* 32 KiB window, and a gzip header instead of zlib's */
	if (inflateInit2(&g->z, 15 + 16) == Z_OK)
		return g;
	g_free(g);
	return NULL;
}

static enum capture_decoded gzip_step(void *state, struct capture_span *in,
				      struct capture_room *out, const char **why)
{
	struct gzip *g = state;
	uInt in_len = (uInt)MIN(in->left, UINT_MAX), out_len = (uInt)MIN(out->left, UINT_MAX);
	int result;

	if (!g->inside) {
		while (in->left && *in->p == 0) {
			in->p++;
			in->left--;
		}
		if (!in->left)
			return CAPTURE_DECODED_BOUNDARY;
		in_len = (uInt)MIN(in->left, UINT_MAX);
		inflateReset(&g->z);
		g->inside = true;
	}
	g->z.next_in = in->p;
	g->z.avail_in = in_len;
	g->z.next_out = out->p;
	g->z.avail_out = out_len;
	result = inflate(&g->z, Z_NO_FLUSH);
	in->p = g->z.next_in;
	in->left -= in_len - g->z.avail_in;
	out->p = g->z.next_out;
	out->left -= out_len - g->z.avail_out;

	switch (result) {
	case Z_OK:
	case Z_BUF_ERROR: /* nothing to take, or no room: no error of the data */
		return CAPTURE_DECODED_MORE;
	case Z_STREAM_END:
		g->inside = false;
		return CAPTURE_DECODED_BOUNDARY;
	default:
		*why = g->z.msg ? g->z.msg : zError(result);
		return CAPTURE_DECODED_ERROR;
	}
}

static void gzip_close(void *state)
{
	struct gzip *g = state;

	inflateEnd(&g->z);
	g_free(g);
}

/* Frames to be skipped begin with 0x184d2a50 to 0x184d2a5f in zstd and lz4 alike; pzstd puts
 * one first. The zstd decoder takes them. */
static bool zstd_matches(const uint8_t *head, size_t n)
{
	return starts(head, n, "\x28\xb5\x2f\xfd", 4) ||
	       (n >= 4 && (head[0] & 0xf0) == 0x50 && starts(head + 1, n - 1, "\x2a\x4d\x18", 3));
}

static void *zstd_open(void)
{
	/* A window is at most 128 MiB unless one asks for more, which we do not. */
	return ZSTD_createDStream();
}

static enum capture_decoded zstd_step(void *state, struct capture_span *in,
				      struct capture_room *out, const char **why)
{
	ZSTD_inBuffer from = { in->p, in->left, 0 };
	ZSTD_outBuffer to = { out->p, out->left, 0 };
	size_t result = ZSTD_decompressStream(state, &to, &from);

	in->p += from.pos;
	in->left -= from.pos;
	out->p += to.pos;
	out->left -= to.pos;
	if (ZSTD_isError(result)) {
		*why = ZSTD_getErrorName(result);
		return CAPTURE_DECODED_ERROR;
	}
	return result ? CAPTURE_DECODED_MORE : CAPTURE_DECODED_BOUNDARY;
}

static void zstd_close(void *state)
{
	ZSTD_freeDStream(state);
}

static bool lz4_matches(const uint8_t *head, size_t n)
{
	return starts(head, n, "\x04\x22\x4d\x18", 4);
}

static void *lz4_open(void)
{
	LZ4F_dctx *d;

	return LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)) ? NULL : d;
}

static enum capture_decoded lz4_step(void *state, struct capture_span *in, struct capture_room *out,
				     const char **why)
{
	size_t in_len = in->left, out_len = out->left;
	size_t result = LZ4F_decompress(state, out->p, &out_len, in->p, &in_len, NULL);

	if (LZ4F_isError(result)) {
		*why = LZ4F_getErrorName(result);
		return CAPTURE_DECODED_ERROR;
	}
	in->p += in_len;
	in->left -= in_len;
	out->p += out_len;
	out->left -= out_len;
	return result ? CAPTURE_DECODED_MORE : CAPTURE_DECODED_BOUNDARY;
}

static void lz4_close(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

static const struct capture_decoder decoders[] = {
	{ "gzip", gzip_matches, gzip_open, gzip_step, gzip_close },
	{ "zstd", zstd_matches, zstd_open, zstd_step, zstd_close },
	{ "lz4", lz4_matches, lz4_open, lz4_step, lz4_close },
};

const struct capture_decoder *capture_decoder_find(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < G_N_ELEMENTS(decoders); i++)
		if (decoders[i].matches(head, n))
			return &decoders[i];
	return NULL;
}
