/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decoder.c - gzip, zstd, lz4, xz and bzip2 as streams. */
#define ZLIB_CONST
#include <string.h>

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "input.h"

/* What is kept of the data to refer to: 128 MiB, which zstd --long and xz -9 stay within. */
#define WINDOW_LOG_MAX 27
#define XZ_MEMORY_MAX ((uint64_t)129 << 20)

static bool starts(const uint8_t *head, size_t n, const char *magic, size_t len)
{
	return n >= len && memcmp(head, magic, len) == 0;
}

/* gzip: members one after the other, perhaps zero bytes after (tapes, padded downloads). */
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
	ZSTD_DStream *d = ZSTD_createDStream();

	/* Its own limit is the same, unless it was built with another. */
	if (d && ZSTD_isError(ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		ZSTD_freeDStream(d);
		return NULL;
	}
	return d;
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

/* xz: streams one after the other, with zero bytes between and after them. */
struct xz {
	lzma_stream z;
	bool inside;
};

static bool xz_matches(const uint8_t *head, size_t n)
{
	return starts(head, n, "\xfd\x37zXZ", 6);
}

static void *xz_open(void)
{
	return g_new0(struct xz, 1); /* of which all 0 is LZMA_STREAM_INIT */
}

static const char *xz_why(lzma_ret result)
{
	switch (result) {
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_MEMLIMIT_ERROR:
		return "it takes more than 128 MiB of memory";
	case LZMA_FORMAT_ERROR:
		return "no xz stream";
	case LZMA_OPTIONS_ERROR:
		return "options that liblzma does not know";
	default:
		return "corrupt data";
	}
}

static enum capture_decoded xz_step(void *state, struct capture_span *in, struct capture_room *out,
				    const char **why)
{
	struct xz *x = state;
	lzma_ret result;

	if (!x->inside) {
		while (in->left && *in->p == 0) {
			in->p++;
			in->left--;
		}
		if (!in->left)
			return CAPTURE_DECODED_BOUNDARY;
		result = lzma_stream_decoder(&x->z, XZ_MEMORY_MAX, 0);
		if (result != LZMA_OK) {
			*why = xz_why(result);
			return CAPTURE_DECODED_ERROR;
		}
		x->inside = true;
	}
	x->z.next_in = in->p;
	x->z.avail_in = in->left;
	x->z.next_out = out->p;
	x->z.avail_out = out->left;
	result = lzma_code(&x->z, LZMA_RUN);
	in->p = x->z.next_in;
	in->left = x->z.avail_in;
	out->p = x->z.next_out;
	out->left = x->z.avail_out;
	if (result == LZMA_OK || result == LZMA_BUF_ERROR) /* nothing to take, or no room */
		return CAPTURE_DECODED_MORE;
	if (result != LZMA_STREAM_END) {
		*why = xz_why(result);
		return CAPTURE_DECODED_ERROR;
	}
	x->inside = false;
	return CAPTURE_DECODED_BOUNDARY;
}

static void xz_close(void *state)
{
	struct xz *x = state;

	lzma_end(&x->z);
	g_free(x);
}

/* bzip2: streams one after the other. */
struct bzip2 {
	bz_stream z;
	bool inside;
};

static bool bzip2_matches(const uint8_t *head, size_t n)
{
	return starts(head, n, "BZh", 3) && n >= 4 && head[3] >= '1' && head[3] <= '9';
}

static void *bzip2_open(void)
{
	return g_new0(struct bzip2, 1);
}

static const char *bzip2_why(int result)
{
	switch (result) {
	case BZ_MEM_ERROR:
		return "out of memory";
	case BZ_DATA_ERROR_MAGIC:
		return "no bzip2 stream";
	default:
		return "corrupt data";
	}
}

static enum capture_decoded bzip2_step(void *state, struct capture_span *in,
				       struct capture_room *out, const char **why)
{
	struct bzip2 *b = state;
	unsigned int in_len = (unsigned int)MIN(in->left, UINT_MAX);
	unsigned int out_len = (unsigned int)MIN(out->left, UINT_MAX);
	int result;

	if (!b->inside) {
		result = BZ2_bzDecompressInit(&b->z, 0, 0);
		if (result != BZ_OK) {
			*why = bzip2_why(result);
			return CAPTURE_DECODED_ERROR;
		}
		b->inside = true;
	}
	memcpy(&b->z.next_in, &in->p, sizeof(in->p)); /* a char *, which it does not write to */
	b->z.avail_in = in_len;
	b->z.next_out = (char *)out->p;
	b->z.avail_out = out_len;
	result = BZ2_bzDecompress(&b->z);
	in->p += in_len - b->z.avail_in;
	in->left -= in_len - b->z.avail_in;
	out->p += out_len - b->z.avail_out;
	out->left -= out_len - b->z.avail_out;
	if (result == BZ_OK)
		return CAPTURE_DECODED_MORE;
	if (result != BZ_STREAM_END) {
		*why = bzip2_why(result);
		return CAPTURE_DECODED_ERROR;
	}
	BZ2_bzDecompressEnd(&b->z);
	b->inside = false;
	return CAPTURE_DECODED_BOUNDARY;
}

static void bzip2_close(void *state)
{
	struct bzip2 *b = state;

	if (b->inside)
		BZ2_bzDecompressEnd(&b->z);
	g_free(b);
}

static const struct capture_decoder decoders[] = {
	{ "gzip", gzip_matches, gzip_open, gzip_step, gzip_close },
	{ "zstd", zstd_matches, zstd_open, zstd_step, zstd_close },
	{ "lz4", lz4_matches, lz4_open, lz4_step, lz4_close },
	{ "xz", xz_matches, xz_open, xz_step, xz_close },
	{ "bzip2", bzip2_matches, bzip2_open, bzip2_step, bzip2_close },
};

const struct capture_decoder *capture_decoder_find(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < G_N_ELEMENTS(decoders); i++)
		if (decoders[i].matches(head, n))
			return &decoders[i];
	return NULL;
}
