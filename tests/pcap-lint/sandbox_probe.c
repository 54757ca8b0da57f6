/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sandbox_probe.c - preloaded into pcap-lint: what a program that was taken over could do.
 *
 * When the output is opened, which asks for the time first, it tries each line of the environment variable
 * PROBE, "WHAT [PATH]", and says on standard error how that went: "WHAT [PATH]: done" or the number of the error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int64_t g_get_monotonic_time(void);

/* The error of opening what became @fd; 0: none. */
static int opened(int fd)
{
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* In a child, which becomes another program; it ends with the error. */
static int executed(const char *path)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return errno;
	if (!child) {
		execl(path, path, (char *)NULL);
		_exit(errno);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int tried(const char *what, const char *path)
{
	if (strcmp(what, "read") == 0)
		return opened(open(path, O_RDONLY));
	if (strcmp(what, "write") == 0)
		return opened(open(path, O_WRONLY));
	if (strcmp(what, "make") == 0)
		return opened(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
	if (strcmp(what, "list") == 0)
		return opened(open(path, O_RDONLY | O_DIRECTORY));
	if (strcmp(what, "remove") == 0)
		return unlink(path) ? errno : 0;
	if (strcmp(what, "mkdir") == 0)
		return mkdir(path, 0700) ? errno : 0;
	if (strcmp(what, "link") == 0)
		return symlink("/", path) ? errno : 0;
	if (strcmp(what, "execute") == 0)
		return executed(path);
	if (strcmp(what, "socket") == 0)
		return opened(socket(AF_INET, SOCK_DGRAM, 0));
	if (strcmp(what, "trace") == 0)
		return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
	if (strcmp(what, "signal") == 0)
		return kill(getppid(), 0) ? errno : 0;
	return -1;
}

static void probe(char *line)
{
	char *end = strchr(line, ' ');
	const char *path = end ? end + 1 : "";
	int error;

	fprintf(stderr, "%s: ", line);
	if (end)
		*end = '\0';
	error = tried(line, path);
	if (error)
		fprintf(stderr, "%d\n", error);
	else
		fprintf(stderr, "done\n");
}

int64_t g_get_monotonic_time(void)
{
	const char *all = getenv("PROBE");
	struct timespec now;
	char *copy, *line, *at;

	if (all) {
		copy = strdup(all);
		unsetenv("PROBE");
		for (line = strtok_r(copy, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
			probe(line);
		free(copy);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
