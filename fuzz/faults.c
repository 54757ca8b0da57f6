/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * faults.c - a mistake in what a target asks about, which it has to find when it replays its corpus.
 *
 * The linker puts the function of FAULT_TARGET in the place of that of the library (--wrap).
 */
#define FAULT(function, type, ...)                                                                 \
	type __real_##function(__VA_ARGS__);                                                       \
	type __wrap_##function(__VA_ARGS__);                                                       \
	type __wrap_##function(__VA_ARGS__)

#ifdef FAULT_build /* the pad is not cleared */
#include <ibwire/build_crc.h>

FAULT(ibw_build_packet, size_t, void *buf, size_t cap, const struct ibw_build *b,
      const void *payload)
{
	size_t n = __real_ibw_build_packet(buf, cap, b, payload);

	if (n && n <= cap && b->payload_len % 4)
		((uint8_t *)
			 buf)[n - IBW_ICRC_BYTES - (ibw_build_is_ib(b) ? IBW_VCRC_BYTES : 0) - 1] =
			1;
	return n;
}
#endif

#ifdef FAULT_epan /* the last packet of a message is not listed */
#include "wireshark/marks/reassemble.h"

FAULT(iw_message_of, const struct iw_message *, const struct iw_frame *frame, packet_info *pinfo)
{
	static struct iw_message shorter;
	const struct iw_message *m = __real_iw_message_of(frame, pinfo);

	if (!m || m->state != IW_MESSAGE_WHOLE)
		return m;
	shorter = *m;
	shorter.n_frames--;
	return &shorter;
}
#endif

#ifdef FAULT_html /* an element in the middle of a text is one */
#include <string.h>

#include "pcap-lint/sinks/html/html_write.h"

FAULT(pl_html_text, void, GString *p, const char *text)
{
	if (!g_str_has_prefix(text, "<") && strstr(text, "<b>"))
		g_string_append(p, text);
	else
		__real_pl_html_text(p, text);
}
#endif

#ifdef FAULT_modes /* an exit status that the man page does not have */
#include "pcap-lint/base/mode.h"

FAULT(pl_list_rules, enum pl_exit, struct pl_output *output, const struct pl_options *options,
      const char *file)
{
	__real_pl_list_rules(output, options, file);
	return PL_EXIT_ERROR + 1;
}
#endif

#ifdef FAULT_mpa /* the last byte of what is longer than a header is not covered */
#include <ibwire/fpdu.h>

FAULT(ibw_crc32c_step, uint32_t, uint32_t crc, const unsigned char *p, size_t n)
{
	return __real_ibw_crc32c_step(crc, p, n > 20 ? n - 1 : n);
}
#endif

#ifdef FAULT_names /* a field whose name begins with another's is not found */
#include <string.h>

#include <ibwire/tables.h>

FAULT(ibw_field_find, const struct ibw_field *, const struct ibw_header *h, const char *name)
{
	unsigned int i;

	for (i = 0; i < h->n_fields; i++)
		if (strncmp(h->fields[i].name, name, strlen(h->fields[i].name)) == 0)
			return &h->fields[i];
	return NULL;
}
#endif

#ifdef FAULT_options /* an error does not say whose value it is about */
#include "pcap-lint/options/options.h"

FAULT(pl_options_for, bool, struct pl_options *options, struct pl_command_line *line,
      const char *file, GError **err)
{
	const bool ok = __real_pl_options_for(options, line, file, err);

	if (!ok) {
		g_clear_error(err);
		g_set_error_literal(err, PL_OPTIONS_ERROR, 0, "not a number");
	}
	return ok;
}
#endif

#ifdef FAULT_packets /* the decoder leaves the view as who has seen enough */
#include "pcap-lint/decode/decode.h"

FAULT(pl_decode, void, struct pl_output *output, const struct pl_options *options, const char *file,
      const struct capture_packet *record, struct track_view *view,
      const struct track_context *context, const struct track_iwarp *streams)
{
	__real_pl_decode(output, options, file, record, view, context, streams);
	view->body = TRACK_BODY_NONE;
}
#endif

#ifdef FAULT_plain /* the source port is not taken */
#include "track/view/plain.h"

FAULT(track_packet_of_plain, bool, struct track_packet *p, const struct ibw_packet *pkt,
      const struct track_at *at, bool bad_icrc)
{
	const bool is = __real_track_packet_of_plain(p, pkt, at, bad_icrc);

	p->port &= 0x10000u;
	return is;
}
#endif

#ifdef FAULT_print /* a comma after the last number of a list */
#include "pcap-lint/base/json_write.h"

FAULT(pl_json_numbers, void, struct ibw_out *o, const char *key, const uint64_t *n,
      unsigned int count)
{
	pl_json_key(o, key);
	ibw_out_char(o, '[');
	for (; count; count--) {
		ibw_out_dec(o, *n++);
		ibw_out_char(o, ',');
	}
	ibw_out_char(o, ']');
}
#endif

#ifdef FAULT_rewrite /* milliseconds will do */
#include "capture/pcapng_write.h"

FAULT(capture_pcapng_write_packet, void, struct capture_pcapng_writer *w,
      const struct capture_packet *pkt)
{
	struct capture_packet rounded = *pkt;

	rounded.ticks -= rounded.ticks % 1000;
	rounded.time_ns -= rounded.time_ns % 1000000;
	__real_capture_pcapng_write_packet(w, &rounded);
}
#endif

#ifdef FAULT_rmpp /* the last byte of a transfer is not its own */
#include <ibwire/rmpp.h>

FAULT(ibw_transfer_feed, enum ibw_transfer_state, struct ibw_transfer *t, const uint8_t *mad,
      uint32_t n)
{
	enum ibw_transfer_state state = __real_ibw_transfer_feed(t, mad, n);

	if (state == IBW_TRANSFER_COMPLETE && t->len)
		t->room[t->len - 1] ^= 1;
	return state;
}
#endif

#ifdef FAULT_upper /* the first header is one byte too long */
#include <ibwire/ulp.h>

FAULT(ibw_ulp_walk, enum ibw_outcome, struct ibw_ulp_walked *u, enum ibw_ulp ulp,
      unsigned int flags, const uint8_t *p, uint32_t n, uint32_t len, struct ibw_span *span,
      uint32_t cap)
{
	enum ibw_outcome outcome = __real_ibw_ulp_walk(u, ulp, flags, p, n, len, span, cap);

	if (u->n_spans && cap)
		span[0].len++;
	return outcome;
}
#endif
