/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader_man.c - prints the man page ibwire-kheader(1), from the table of options.
 *
 * Run by the build; not installed.
 */
#include <stdio.h>

/* Running text. What roff would take for something else is escaped. */
static void text(const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", stdout);
	for (; *s; s++) {
		if (*s == '-' || *s == '\\')
			putchar('\\');
		putchar(*s == '\\' ? 'e' : *s);
	}
}

static void line(const char *s)
{
	text(s);
	putchar('\n');
}

static void section(const char *title)
{
	printf(".SH %s\n", title);
}

static void example(const char *const *lines)
{
	puts(".PP\n.RS 4\n.EX");
	for (; *lines; lines++)
		line(*lines);
	puts(".EE\n.RE\n.PP");
}

static void option(const char *name, const char *arg, const char *what)
{
	fputs(".TP\n\\fB\\-\\-", stdout);
	text(name);
	fputs("\\fR", stdout);
	if (arg)
		printf(" \\fI%s\\fR", arg);
	putchar('\n');
	line(what);
}

static void description(void)
{
	section("DESCRIPTION");
	line("ibwire-kheader prints headers of InfiniBand, RoCE and their management as one C header without a "
	     "macro, in the style of the Linux kernel: for trees that do not take those of ibwire/ibwire.h. "
	     "Headers are named one by one, by family (@cm), or all at once; see --list. Of a header bth "
	     "there are:");
	puts(".TP\n.B IBW_BTH_BYTES");
	line("its size on the wire;");
	puts(".TP\n.B struct ibw_bth_wire");
	line("its bytes, at any address;");
	puts(".TP\n.B ibw_bth_view()");
	line("from bytes and how many they are to that structure, NULL if they are too few;");
	puts(".TP\n.BR ibw_bth_psn() \", \" ibw_bth_set_psn()");
	line("each field of it, in host byte order; a field of an array takes an index, which is not checked;");
	puts(".TP\n.BR \"struct ibw_bth\" \", \" ibw_bth_unpack() \", \" ibw_bth_pack()");
	line("all fields but those reserved, which are packed as 0; a value too wide for its field is cut;");
	puts(".TP\n.B enum ibw_opcode");
	line("the values of its fields that have names, with the constants IBW_OP_RC_SEND_FIRST and so on.");
	puts(".PP");
	line("Of the kernel it takes only what is in the same headers in all versions; in user space it "
	     "takes what --include names. Nothing in it allocates or keeps state, so it may be used by several "
	     "threads.");
}

static void exit_status(void)
{
	section("EXIT STATUS");
	puts(".TP\n.B 0");
	line("What was asked for is printed.");
	puts(".TP\n.B 1");
	line("It could not be written.");
	puts(".TP\n.B 2");
	line("Wrong usage, or no header of that name; nothing is printed.");
}

static void examples(void)
{
	static const char *const driver[] = {
		"ibwire-kheader --prefix rxe bth reth aeth > rxe_wire.h", NULL
	};
	static const char *const user[] = { "ibwire-kheader --include my_types.h @cm > cm_wire.h",
					    NULL };

	section("EXAMPLES");
	line("For a driver:");
	example(driver);
	line("For a program that has its own u8 to u64:");
	example(user);
}

int main(void)
{
	puts(".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause");
	printf(".TH IBWIRE\\-KHEADER 1 \"" MAN_DATE "\" \"ibwire %s\" \"User Commands\"\n",
	       KH_VERSION);
	puts(".nh\n.ad l");
	section("NAME");
	puts("ibwire\\-kheader \\- print wire headers of InfiniBand and RoCE as C for the Linux kernel");
	section("SYNOPSIS");
	puts(".B ibwire\\-kheader\n.RI [ OPTION ...]\n.IR NAME \" ...|@\" FAMILY \" ...|all\"");
	description();
	section("OPTIONS");
#define KH_OPTION(set, name, arg, help, man) option(name, arg, man);
#include "kheader_options.def"
#undef KH_OPTION
	exit_status();
	examples();
	section("SEE ALSO");
	puts(".BR pcap\\-lint (1)");
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
