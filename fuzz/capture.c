/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * capture.c - any bytes as a capture file: pcap, pcapng, compressed or not. Every packet it
 * yields is walked; the reader must end, and hand out nothing beyond what it read.
 */
#include <glib.h>

#include <ibwire/packet.h>

#include "fuzz.h"
#include "capture/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)data, size, "rb") : NULL;
	struct capture *cap;
	struct capture_packet record;
	struct ibw_packet pkt;
	enum capture_result result;
	GError *err = NULL;
	uint64_t frames = 0;

	if (!f)
		return 0;
	cap = capture_open_stream(f, "fuzz", &err);
	if (!cap) {
		FUZZ_CHECK(err && err->message);
		g_error_free(err);
		fclose(f);
		return 0;
	}
	while ((result = capture_next(cap, &record)) != CAPTURE_END) {
		if (result == CAPTURE_FAULT) {
			FUZZ_CHECK(capture_fault(cap)->text);
			continue;
		}
		FUZZ_CHECK(record.frame > frames);
		frames = record.frame;
		FUZZ_CHECK(record.caplen <= record.len && record.caplen <= CAPTURE_CAPLEN_MAX * 4);
		ibw_packet_walk(&pkt, record.data, record.caplen, record.len, record.linktype,
				NULL);
	}
	capture_close(cap);
	fclose(f);
	return 0;
}
