/* SPDX-License-Identifier: GPL-2.0-or-later */
/* erf.c - an InfiniBand packet into a record of LINKTYPE_ERF, and out of one. */
#include "erf.h"

#include <ibwire/link.h>
#include <ibwire/packet.h>
#include <ibwire/tables.h>

#define NS_PER_S 1000000000u
#define ALIGNMENT 8u
#define EXTENSIONS_MAX 8u

#define FLAG_VARYING_LENGTH 0x04u /* the record is as long as its packet needs */
#define FLAG_INTERFACE 0x03u

static bool refuse(GError **err, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool refuse(GError **err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*err = g_error_new_valist(CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, format, args);
	va_end(args);
	return false;
}

static void put_time(struct ibw_erf_wire *erf, uint64_t time_ns)
{
	const uint64_t ns = time_ns % NS_PER_S;
	const uint64_t time = time_ns / NS_PER_S << 32 | ((ns << 32) + NS_PER_S / 2) / NS_PER_S;
	const uint64_t little_endian = GUINT64_TO_LE(time);

	ibw_erf_set_ts(erf, (const uint8_t *)&little_endian);
}

bool capture_erf_pack(struct capture_packet *pkt, GByteArray *bytes, GError **err)
{
	static const uint8_t zeros[ALIGNMENT];
	const uint32_t pad = pkt->caplen == pkt->len ? (0u - pkt->caplen) % ALIGNMENT : 0;
	const uint64_t rlen = (uint64_t)ibw_erf_BYTES + pkt->caplen + pad;
	struct ibw_erf_wire erf = { 0 };

	if (rlen > UINT16_MAX || pkt->len > UINT16_MAX)
		return refuse(err, "%" G_GUINT32_FORMAT " bytes are too many for an ERF record",
			      pkt->len);
	put_time(&erf, pkt->time_ns);
	ibw_erf_set_type(&erf, IBW_ERF_INFINIBAND);
	ibw_erf_set_flags(&erf, (uint8_t)(FLAG_VARYING_LENGTH | (pkt->iface & FLAG_INTERFACE)));
	ibw_erf_set_rlen(&erf, (uint16_t)rlen);
	ibw_erf_set_wlen(&erf, (uint16_t)pkt->len);
	g_byte_array_set_size(bytes, 0);
	g_byte_array_append(bytes, (const uint8_t *)&erf, sizeof(erf));
	g_byte_array_append(bytes, pkt->data, pkt->caplen);
	g_byte_array_append(bytes, zeros, pad);
	pkt->data = bytes->data;
	pkt->len += bytes->len - pkt->caplen;
	pkt->caplen = bytes->len;
	pkt->linktype = IBW_LINKTYPE_ERF;
	return true;
}

/* The bytes of the header and its extensions; 0: there are not so many. */
static uint32_t headers(const struct capture_packet *pkt, const struct ibw_erf_wire *erf)
{
	bool more = ibw_erf_ext(erf) != 0;
	uint32_t n = ibw_erf_BYTES, i;

	for (i = 0; more && i < EXTENSIONS_MAX; i++) {
		const struct ibw_erf_ext_wire *ext =
			ibw_erf_ext_view(pkt->data + n, pkt->caplen - n);

		if (!ext)
			return 0;
		more = ibw_erf_ext_more(ext) != 0;
		n += ibw_erf_ext_BYTES;
	}
	return more ? 0 : n;
}

bool capture_erf_unpack(struct capture_packet *pkt, GError **err)
{
	const struct ibw_erf_wire *erf = ibw_erf_view(pkt->data, pkt->caplen);
	uint32_t n = erf ? headers(pkt, erf) : 0;

	if (!n)
		return refuse(err,
			      "the headers of an ERF record do not end within %" G_GUINT32_FORMAT
			      " bytes",
			      pkt->caplen);
	if (ibw_erf_type(erf) != IBW_ERF_INFINIBAND) {
		const char *name = ibw_name_of(ibw_erf_type_names, ibw_erf_type(erf));

		return refuse(err, "an ERF record of type %u (%s), no InfiniBand packet",
			      (unsigned int)ibw_erf_type(erf), name ? name : "unknown");
	}
	pkt->data += n;
	pkt->len = ibw_erf_wlen(erf);
	pkt->caplen = MIN(pkt->caplen - n, pkt->len);
	pkt->linktype = IBW_LINKTYPE_INFINIBAND;
	return true;
}
