/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print.c - any bytes as a capture file: all that pcap-lint prints of it, as text and as JSON.
 *
 * No character in it is one that a terminal obeys, JSON is JSON, and there is not more of it than
 * OUTPUT_MAX says.
 */
#include "capture/capture.h"
#include "command.h"
#include "fuzz.h"

/*
 * Output is linear in the input: a byte costs EACH_BYTE at most, and what is said once of a capture, with the
 * explanation of each rule that fires, ONCE. Densest are headers of many small fields, each with its name
 * and what its value means, in JSON: 76 characters a byte in the captures here.
 */
#define ONCE 65536
#define EACH_BYTE 128
#define OUTPUT_MAX(size) (ONCE + EACH_BYTE * (size))

static void check(size_t size, bool json)
{
	size_t report, said;

	command_check_plain(COMMAND_REPORT);
	command_check_plain(COMMAND_SAID);
	if (json)
		command_check_json(COMMAND_REPORT);
	command_bytes(COMMAND_REPORT, &report);
	command_bytes(COMMAND_SAID, &said);
	FUZZ_CHECK(report + said <= OUTPUT_MAX(size));
}

/* Compressed ones say nothing of how much there is. */
static bool is_plain_capture(const uint8_t *data, size_t size)
{
	FILE *stream = size ? fmemopen((void *)data, size, "rb") : NULL;
	struct capture *capture = stream ? capture_open_stream(stream, "fuzz", NULL) : NULL;
	const bool is_plain = capture && !capture_compression(capture);

	capture_close(capture);
	if (stream)
		fclose(stream);
	return is_plain;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!is_plain_capture(data, size))
		return 0;
	command_input(data, size);
	command_run("-v", "--stats", "--severity", "note", COMMAND_END);
	check(size, false);
	command_run("--format", "json", "--stats", "--severity", "note", "--max-per-rule", "0",
		    COMMAND_END);
	check(size, true);
	command_run("--decode", "-v", COMMAND_END);
	check(size, false);
	command_run("--decode", "--format", "json", COMMAND_END);
	check(size, true);
	return 0;
}
