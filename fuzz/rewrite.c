/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rewrite.c - any bytes as a capture file, which pcap-lint writes anew: --repair, --convert and -w.
 *
 * What is repaired needs no repair; what is converted there and back is what it was; no packet loses its
 * time or what is known of its length, and one that is cut is said to be.
 */
#include <string.h>

#include <ibwire/packet.h>

#include "capture/capture.h"
#include "capture/pcap_write.h"
#include "command.h"
#include "fuzz.h"

struct bytes {
	uint8_t *p;
	size_t n;
};

static struct bytes copy_of(enum command_file file)
{
	struct bytes copy;
	const uint8_t *p = command_bytes(file, &copy.n);

	copy.p = g_memdup2(p, copy.n + !copy.n);
	return copy;
}

static bool is_same(const struct bytes *a, const struct bytes *b)
{
	return a->p && b->p && a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* A capture in memory; NULL: it is none. */
struct reader {
	FILE *stream;
	struct capture *capture;
};

static struct reader open_reader(const uint8_t *p, size_t n)
{
	struct reader r = { .stream = n ? fmemopen((void *)p, n, "rb") : NULL };

	if (r.stream)
		r.capture = capture_open_stream(r.stream, "fuzz", NULL);
	return r;
}

static void close_reader(struct reader *r)
{
	capture_close(r->capture);
	if (r->stream)
		fclose(r->stream);
}

/* Past faults. */
static bool next_packet(struct reader *r, struct capture_packet *pkt)
{
	enum capture_result result;

	do
		result = capture_next(r->capture, pkt);
	while (result == CAPTURE_FAULT);
	return result == CAPTURE_PACKET;
}

/* A pcap has one FCS length for all packets, and may not say it. */
enum how { CONVERTED, REPAIRED, PCAP, COMMENTED };

/* The same packets at the same times, those REPAIRED with other bytes, perhaps more or less of them. */
static void compare(const uint8_t *p, size_t n, const struct bytes *written, enum how how)
{
	struct reader before = open_reader(p, n), after = open_reader(written->p, written->n);
	struct capture_packet was, is;

	FUZZ_CHECK(before.capture && after.capture);
	while (next_packet(&before, &was)) {
		FUZZ_CHECK(next_packet(&after, &is));
		FUZZ_CHECK((is.has_time == was.has_time && is.time_ns == was.time_ns) ||
			   (how == COMMENTED && !was.has_time));
		FUZZ_CHECK(how == COMMENTED ||
			   capture_time_before_1970(after.capture, &is) ==
				   capture_time_before_1970(before.capture, &was));
		FUZZ_CHECK(is.linktype == was.linktype);
		FUZZ_CHECK(how == PCAP || is.fcs_len == was.fcs_len);
		FUZZ_CHECK(is.len - is.caplen == was.len - was.caplen);
		FUZZ_CHECK(how == REPAIRED ||
			   (is.caplen == was.caplen && !memcmp(is.data, was.data, is.caplen)));
	}
	FUZZ_CHECK(!next_packet(&after, &is));
	close_reader(&before);
	close_reader(&after);
}

/* Where the line about frame @frame is in a report of --repair; NULL: there is none. */
static const char *line_of(const struct bytes *report, uint64_t frame)
{
	char *key = g_strdup_printf(",\"frame\":%" G_GUINT64_FORMAT ",", frame);
	const char *line = memmem(report->p, report->n, key, strlen(key));

	g_free(key);
	return line;
}

static void check_cut_said(const uint8_t *p, size_t n, const struct bytes *report)
{
	struct reader r = open_reader(p, n);
	struct capture_packet pkt;
	const char *line, *end, *left;

	while (next_packet(&r, &pkt)) {
		if (pkt.caplen == pkt.len)
			continue;
		line = line_of(report, pkt.frame);
		FUZZ_CHECK(line);
		end = memchr(line, '\n', report->n - (size_t)(line - (const char *)report->p));
		FUZZ_CHECK(end);
		left = memmem(line, (size_t)(end - line), "\"left\":\"", 8);
		FUZZ_CHECK(left);
	}
	close_reader(&r);
}

/* The packets that --repair writes; its report is in COMMAND_REPORT. */
static struct bytes repair(const void *p, size_t n)
{
	command_input(p, n);
	command_run("--format", "json", "--repair", command_name(COMMAND_PACKETS), COMMAND_END);
	return copy_of(COMMAND_PACKETS);
}

static void check_repair(const uint8_t *p, size_t n)
{
	struct bytes once = repair(p, n), said = copy_of(COMMAND_REPORT), twice, again;

	compare(p, n, &once, REPAIRED);
	check_cut_said(p, n, &said);
	twice = repair(once.p, once.n);
	again = copy_of(COMMAND_REPORT);
	FUZZ_CHECK(is_same(&once, &twice));
	FUZZ_CHECK(!memmem(again.p, again.n, "\"changes\":[{", 12));
	g_free(once.p);
	g_free(said.p);
	g_free(twice.p);
	g_free(again.p);
}

/* Everything there is; NULL: not all of it fits. */
static struct bytes convert(const void *p, size_t n, const char *to)
{
	struct bytes none = { NULL, 0 };

	command_input(p, n);
	if (command_run("--format", "json", "--convert", to, command_name(COMMAND_PACKETS),
			COMMAND_END))
		return none;
	return copy_of(COMMAND_PACKETS);
}

/* Pcapng has room for everything, whatever is wrong with the file it comes from. */
static void check_pcapng(const uint8_t *p, size_t n)
{
	struct bytes once, twice;

	command_input(p, n);
	command_run("--format", "json", "--convert", "pcapng", command_name(COMMAND_PACKETS),
		    COMMAND_END);
	once = copy_of(COMMAND_PACKETS);
	compare(p, n, &once, CONVERTED);
	twice = convert(once.p, once.n, "pcapng");
	FUZZ_CHECK(is_same(&once, &twice));
	g_free(once.p);
	g_free(twice.p);
}

/* A pcap as we write it, by way of @form and back. */
static void check_back(const struct bytes *pcap, const char *form)
{
	struct bytes there = convert(pcap->p, pcap->n, form), back;

	if (there.p) {
		back = convert(there.p, there.n, "pcap");
		FUZZ_CHECK(back.p && is_same(pcap, &back));
		g_free(back.p);
	}
	g_free(there.p);
}

static bool is_native(const struct bytes *pcap)
{
	uint32_t magic;

	memcpy(&magic, pcap->p, sizeof(magic));
	return magic == CAPTURE_PCAP_MAGIC_US || magic == CAPTURE_PCAP_MAGIC_NS;
}

/* A pcap, if it has room for all of it; those of another byte order are ours when they come back from a pcapng. */
static void check_pcap(const uint8_t *p, size_t n, uint32_t linktype)
{
	struct bytes pcap = convert(p, n, "pcap");

	if (!pcap.p)
		return;
	if (linktype != IBW_LINKTYPE_ERF)
		compare(p, n, &pcap, PCAP);
	if (is_native(&pcap))
		check_back(&pcap, "pcapng");
	if (linktype == IBW_LINKTYPE_INFINIBAND)
		check_back(&pcap, "erf");
	g_free(pcap.p);
}

/* What -w writes, with @all packets or those that have findings. */
static struct bytes commented(const void *p, size_t n, bool all)
{
	command_input(p, n);
	command_run("--severity", "note", "-w", command_name(COMMAND_PACKETS), all ? "--all" : "-q",
		    COMMAND_END);
	return copy_of(COMMAND_PACKETS);
}

/* All packets are what they were; those that were chosen are as they are from then on. */
static void check_commented(const uint8_t *p, size_t n)
{
	struct bytes all = commented(p, n, true), part = commented(p, n, false), again;

	compare(p, n, &all, COMMENTED);
	again = commented(part.p, part.n, false);
	FUZZ_CHECK(is_same(&part, &again));
	g_free(all.p);
	g_free(part.p);
	g_free(again.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = open_reader(data, size);
	const bool is_capture = r.capture != NULL;
	struct capture_packet pkt = { .linktype = 0 };

	if (is_capture)
		next_packet(&r, &pkt);
	close_reader(&r);
	if (!is_capture)
		return 0;
	check_repair(data, size);
	check_pcapng(data, size);
	check_commented(data, size);
	check_pcap(data, size, pkt.linktype);
	return 0;
}
