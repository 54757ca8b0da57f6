/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.c - prints --help and --version. */
#include <pcap/pcap.h>

#include "pcap-lint/base/mode.h"
#include "sandbox.h"

enum pl_exit pl_help(struct pl_output *output, const struct pl_options *options, const char *file)
{
	char *help = pl_help_text();

	(void)options;
	(void)file;
	pl_output_room(output);
	ibw_out_str(&output->out, help);
	g_free(help);
	return PL_EXIT_CLEAN;
}

enum pl_exit pl_version(struct pl_output *output, const struct pl_options *options,
			const char *file)
{
	(void)options;
	(void)file;
	pl_output_room(output);
	ibw_out_str(&output->out, "pcap-lint " PL_VERSION ", ");
	ibw_out_str(&output->out, pcap_lib_version());
	ibw_out_char(&output->out, '\n');
	pl_sandbox_say(&output->out);
	return PL_EXIT_CLEAN;
}
