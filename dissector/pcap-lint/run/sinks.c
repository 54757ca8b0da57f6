/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sinks.c - the sinks by the formats that they write. */
#include "pcap-lint/report/sink.h"

static const struct pl_sink *const sinks[] = {
#define PL_SINK(name) [PL_FORMAT_##name] = &pl_sink_##name,
#include "pcap-lint/options/sinks.def"
};

const struct pl_sink *pl_sink_of(enum pl_format format)
{
	return sinks[format];
}
