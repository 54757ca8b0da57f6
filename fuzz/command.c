/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* command.c - pcap-lint in this process, over and over, on files that are in memory only. */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "json_syntax.h"

int pcap_lint_main(int argc, char **argv); /* dissector/pcap-lint/command/main.c */
__attribute__((weak)) void __sanitizer_set_report_fd(intptr_t fd); /* there: a void * */

static struct file {
	int fd;
	char name[32];
	uint8_t *map;
	size_t size;
} files[COMMAND_FILES];

#define PIPE_BYTES (1 << 20)

static int terminal, output; /* standard error and output, as they were */
static bool piped;

static void open_files(void)
{
	int i;

	if (files[0].fd)
		return;
	setenv("HOME", "/nonexistent", 1); /* no config file */
	terminal = dup(STDERR_FILENO);
	output = dup(STDOUT_FILENO);
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

void command_pipe(void)
{
	piped = true;
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

static void redirect(int fd, int to)
{
	FUZZ_CHECK(dup2(fd, to) == to);
}

/* Standard input: the input, or a pipe that holds it. */
static void give_input(void)
{
	struct file *f = &files[COMMAND_INPUT];
	size_t n;
	const uint8_t *p;
	int ends[2];

	FUZZ_CHECK(!lseek(f->fd, 0, SEEK_SET)); /* "-" is the input, too */
	if (!piped) {
		redirect(f->fd, STDIN_FILENO);
		return;
	}
	piped = false;
	p = command_bytes(COMMAND_INPUT, &n);
	FUZZ_CHECK(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	FUZZ_CHECK(!n || write(ends[1], p, n) > 0);
	close(ends[1]);
	redirect(ends[0], STDIN_FILENO);
	close(ends[0]);
}

int command_run_words(const char *const *words, unsigned int n)
{
	const char *all[COMMAND_WORDS + 2] = { "pcap-lint" };
	unsigned int i;
	int status;

	FUZZ_CHECK(n <= COMMAND_WORDS);
	open_files();
	for (i = 0; i < n; i++)
		all[i + 1] = words[i];
	for (i = COMMAND_PACKETS; i < COMMAND_FILES; i++)
		command_empty(i);
	fflush(stdout);
	give_input();
	redirect(files[COMMAND_SAID].fd, STDERR_FILENO);
	redirect(files[COMMAND_REPORT].fd, STDOUT_FILENO);
	status = pcap_lint_main((int)n + 1, (char **)all);
	fflush(stdout);
	redirect(terminal, STDERR_FILENO);
	redirect(output, STDOUT_FILENO);
	return status;
}

int command_run(const char *word, ...)
{
	const char *words[COMMAND_WORDS] = { NULL };
	unsigned int n = 0;
	va_list args;

	va_start(args, word);
	for (; word && n < COMMAND_WORDS - 5; word = va_arg(args, const char *))
		words[n++] = word;
	va_end(args);
	open_files();
	words[n++] = "--config";
	words[n++] = "none";
	words[n++] = "-o";
	words[n++] = files[COMMAND_REPORT].name;
	words[n++] = files[COMMAND_INPUT].name;
	return command_run_words(words, n);
}

/* Whether the character of two or three bytes at @p is one no terminal should get. */
static bool is_hidden(const uint8_t *p, size_t n)
{
	uint32_t c;

	if (n >= 2 && p[0] == 0xc2)
		return p[1] >= 0x80 && p[1] < 0xa0; /* controls of Latin 1 */
	if (n < 3 || p[0] != 0xe2 || (p[1] != 0x80 && p[1] != 0x81) || p[2] < 0x80)
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

void command_check_json(enum command_file file)
{
	const char *line, *end;
	size_t n;

	line = (const char *)command_bytes(file, &n);
	for (; n; n -= (size_t)(end - line), line = end) {
		end = memchr(line, '\n', n);
		FUZZ_CHECK(end && json_is_object(line, (size_t)(end - line)));
		end++;
	}
}
