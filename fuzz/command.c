/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* command.c - pcap-lint in this process, over and over, on files that are in memory only. */
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"

#define WORDS_MAX 16

int pcap_lint_main(int argc, char **argv);                         /* dissector/pcap-lint/main.c */
__attribute__((weak)) void __sanitizer_set_report_fd(intptr_t fd); /* there: a void * */

static struct file {
	int fd;
	char name[32];
	uint8_t *map;
	size_t size;
} files[COMMAND_FILES];

static int terminal; /* standard error, as it was */

static void open_files(void)
{
	int i;

	if (files[0].fd)
		return;
	setenv("HOME", "/nonexistent", 1); /* no config file */
	terminal = dup(STDERR_FILENO);
	/* Reports of a sanitizer are not what the command says. */
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd(terminal);
	for (i = 0; i < COMMAND_FILES; i++) {
		files[i].fd = memfd_create("fuzz", MFD_CLOEXEC);
		FUZZ_CHECK(files[i].fd > STDERR_FILENO);
		snprintf(files[i].name, sizeof(files[i].name), "/proc/self/fd/%d", files[i].fd);
	}
}

void command_empty(enum command_file file)
{
	struct file *f = &files[file];

	open_files();
	if (f->map)
		munmap(f->map, f->size);
	f->map = NULL;
	FUZZ_CHECK(!ftruncate(f->fd, 0) && !lseek(f->fd, 0, SEEK_SET));
}

void command_input(const void *data, size_t size)
{
	command_empty(COMMAND_INPUT);
	FUZZ_CHECK(write(files[COMMAND_INPUT].fd, data, size) == (ssize_t)size);
}

const char *command_name(enum command_file file)
{
	open_files();
	return files[file].name;
}

const uint8_t *command_bytes(enum command_file file, size_t *n)
{
	struct file *f = &files[file];
	struct stat st;

	FUZZ_CHECK(!fstat(f->fd, &st));
	if (f->map)
		munmap(f->map, f->size);
	f->map = NULL;
	*n = f->size = (size_t)st.st_size;
	if (!*n)
		return (const uint8_t *)"";
	f->map = mmap(NULL, *n, PROT_READ, MAP_SHARED, f->fd, 0);
	FUZZ_CHECK(f->map != MAP_FAILED);
	return f->map;
}

int command_run(const char *word, ...)
{
	const char *words[WORDS_MAX + 6] = { "pcap-lint" };
	unsigned int n = 1, i;
	va_list args;
	int status;

	open_files();
	va_start(args, word);
	for (; word && n < WORDS_MAX; word = va_arg(args, const char *))
		words[n++] = word;
	va_end(args);
	words[n++] = "--config";
	words[n++] = "none";
	words[n++] = "-o";
	words[n++] = files[COMMAND_REPORT].name;
	words[n++] = files[COMMAND_INPUT].name;
	for (i = COMMAND_PACKETS; i < COMMAND_FILES; i++)
		command_empty(i);
	FUZZ_CHECK(dup2(files[COMMAND_SAID].fd, STDERR_FILENO) == STDERR_FILENO);
	status = pcap_lint_main((int)n, (char **)words);
	FUZZ_CHECK(dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
	return status;
}

/* Whether the character of two or three bytes at @p is one no terminal should get. */
static bool is_hidden(const uint8_t *p, size_t n)
{
	uint32_t c;

	if (n >= 2 && p[0] == 0xc2)
		return p[1] < 0xa0; /* controls of Latin 1 */
	if (n < 3 || p[0] != 0xe2 || (p[1] != 0x80 && p[1] != 0x81))
		return false;
	c = 0x2000u + ((p[1] & 0x3fu) << 6) + (p[2] & 0x3fu);
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f);
}

void command_check_plain(enum command_file file)
{
	size_t n, i;
	const uint8_t *p = command_bytes(file, &n);

	for (i = 0; i < n; i++)
		FUZZ_CHECK((p[i] >= ' ' || p[i] == '\n') && p[i] != 0x7f &&
			   !is_hidden(p + i, n - i));
	FUZZ_CHECK(!n || p[n - 1] == '\n');
}
