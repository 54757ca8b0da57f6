/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.c - writes files completely or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define DESCRIPTORS "/proc/self/fd"
#define LINKS_MAX 40 /* as Linux has it */

/* Of a name in a temporary one: NAME_MAX is 255. */
#define BASE_MAX 200
#define TRIES 100

static bool fail(GError **err, const char *name, int error)
{
	g_set_error(err, G_FILE_ERROR, (int)g_file_error_from_errno(error), "%s: %s", name,
		    g_strerror(error));
	return false;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The number of a link like /dev/fd/1, whose directory is that of our own descriptors; -1: none is. */
static int descriptor_of(const char *path)
{
	char *directory = g_path_get_dirname(path), *base = g_path_get_basename(path);
	struct stat here, ours;
	guint64 number = 0;
	int fd = -1;

	if (stat(directory, &here) == 0 && stat(DESCRIPTORS, &ours) == 0 &&
	    same_inode(&here, &ours) &&
	    g_ascii_string_to_unsigned(base, 10, 0, G_MAXINT, &number, NULL))
		fd = (int)number;
	g_free(directory);
	g_free(base);
	return fd;
}

/* Where a link leads, if its target is written from its directory, from there. */
static char *link_target(const char *path)
{
	char *to = g_file_read_link(path, NULL), *directory, *joined;

	if (!to || g_path_is_absolute(to))
		return to;
	directory = g_path_get_dirname(path);
	joined = g_build_filename(directory, to, NULL);
	g_free(directory);
	g_free(to);
	return joined;
}

/*
 * What a name stands for when all symbolic links are taken, which may not be there. NULL: errno, or
 * *@fd is a descriptor of this process. @dash: what "-" is.
 */
static char *resolve(const char *name, int dash, int *fd)
{
	char *path = g_strdup(name), *next;
	struct stat st;
	unsigned int i;

	*fd = strcmp(name, "-") == 0 ? dash : descriptor_of(name);
	for (i = 0; *fd < 0 && i < LINKS_MAX; i++) {
		if (lstat(path, &st) || !S_ISLNK(st.st_mode))
			return path;
		next = link_target(path);
		g_free(path);
		if (!next)
			return NULL;
		path = next;
		*fd = descriptor_of(path);
	}
	g_free(path);
	errno = ELOOP;
	return NULL;
}

/* Which file a name is: an inode, or for a file that is not there its directory's and a name in it. */
struct identity {
	struct stat st;
	char *base;
};

static bool identity_of(struct identity *id, const char *name, int dash)
{
	char *path, *directory;
	bool known;
	int fd;

	id->base = NULL;
	path = resolve(name, dash, &fd);
	if (!path)
		return fd >= 0 && fstat(fd, &id->st) == 0;
	known = stat(path, &id->st) == 0;
	if (!known && errno == ENOENT) {
		directory = g_path_get_dirname(path);
		known = stat(directory, &id->st) == 0;
		id->base = g_path_get_basename(path);
		g_free(directory);
	}
	g_free(path);
	return known;
}

/* A terminal, /dev/null and the like are nobody's to spoil. */
static bool is_one_file(const char *a, int dash_a, const char *b, int dash_b)
{
	struct identity one, other = { .base = NULL };
	bool same;

	same = identity_of(&one, a, dash_a) && identity_of(&other, b, dash_b) &&
	       same_inode(&one.st, &other.st) && g_strcmp0(one.base, other.base) == 0 &&
	       (one.base || S_ISREG(one.st.st_mode) || S_ISFIFO(one.st.st_mode));
	g_free(one.base);
	g_free(other.base);
	return same;
}

bool pl_file_same(const char *output, const char *other)
{
	return is_one_file(output, STDOUT_FILENO, other, STDOUT_FILENO);
}

bool pl_file_reads_twice(const char *input)
{
	return strcmp(input, "-") != 0 && (g_file_test(input, G_FILE_TEST_IS_REGULAR) ||
					   !g_file_test(input, G_FILE_TEST_EXISTS));
}

bool pl_file_is_input(const char *output, const char *input)
{
	return is_one_file(output, STDOUT_FILENO, input, STDIN_FILENO);
}

bool pl_file_is_stdout(const char *output)
{
	int fd;
	char *path = resolve(output, STDOUT_FILENO, &fd);

	g_free(path);
	return fd == STDOUT_FILENO;
}

char *pl_file_where(const char *output)
{
	int fd;
	char *path = resolve(output, STDOUT_FILENO, &fd), *directory;
	struct stat st;

	if (!path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return path;
	directory = g_path_get_dirname(path);
	g_free(path);
	return directory;
}

/* "DIRECTORY/.NAME.": what the name of a temporary file begins with. */
static char *temporary_prefix(const char *target)
{
	char *directory = g_path_get_dirname(target), *base = g_path_get_basename(target);
	char *hidden = g_strdup_printf(".%.*s.", BASE_MAX, base);
	char *prefix = g_build_filename(directory, hidden, NULL);

	g_free(directory);
	g_free(base);
	g_free(hidden);
	return prefix;
}

/* As open() makes a new file. */
static mode_t mode_of_new(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* One without a name, which is gone with this process, where the file system has such. */
static int open_nameless(const char *target)
{
	char *directory = g_path_get_dirname(target);
	int fd = -1;

	if (access(DESCRIPTORS, F_OK) == 0) /* else it could not get a name */
		fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	g_free(directory);
	return fd;
}

static bool open_temporary(struct pl_file *file)
{
	char *prefix;

	file->fd = open_nameless(file->target);
	if (file->fd >= 0)
		return true;
	prefix = temporary_prefix(file->target);
	file->temporary = g_strconcat(prefix, "XXXXXX", NULL);
	g_free(prefix);
	file->fd = g_mkstemp_full(file->temporary, O_WRONLY | O_CLOEXEC, (int)mode_of_new());
	return file->fd >= 0;
}

static bool open_target(struct pl_file *file)
{
	struct stat st;

	if (stat(file->target, &st))
		return errno == ENOENT && open_temporary(file);
	if (S_ISREG(st.st_mode)) /* what may not be written may not be replaced, either */
		return faccessat(AT_FDCWD, file->target, W_OK, AT_EACCESS) == 0 &&
		       open_temporary(file);
	file->fd = open(file->target, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	g_clear_pointer(&file->target, g_free);
	return file->fd >= 0;
}

bool pl_file_open(struct pl_file *file, const char *name, GError **err)
{
	int fd, error;

	*file = (struct pl_file){ .name = name, .fd = -1 };
	file->target = resolve(name, STDOUT_FILENO, &fd);
	if (fd >= 0)
		file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	else if (file->target && !open_target(file))
		file->fd = -1;
	if (file->fd >= 0)
		return true;
	error = errno;
	g_free(file->target);
	g_free(file->temporary);
	return fail(err, name, error);
}

FILE *pl_file_stream(const struct pl_file *file)
{
	const int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

bool pl_file_replaces(const struct pl_file *file)
{
	struct stat st;

	return file->target && stat(file->target, &st) == 0 && st.st_size > 0;
}

/* A file without a name gets one. */
static bool give_name(struct pl_file *file)
{
	char *from = g_strdup_printf("%s/%d", DESCRIPTORS, file->fd);
	char *prefix = temporary_prefix(file->target);
	unsigned int i;
	bool ok = false;

	errno = EEXIST;
	for (i = 0; !ok && errno == EEXIST && i < TRIES; i++) {
		g_free(file->temporary);
		file->temporary = g_strdup_printf("%s%06x", prefix, g_random_int() & 0xffffffu);
		ok = linkat(AT_FDCWD, from, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0;
	}
	if (!ok)
		g_clear_pointer(&file->temporary, g_free);
	g_free(from);
	g_free(prefix);
	return ok;
}

/* The owner only where we may. */
static bool keep_mode(const struct pl_file *file)
{
	struct stat was, is;

	if (stat(file->target, &was) || fstat(file->fd, &is))
		return true;
	if ((was.st_uid != is.st_uid || was.st_gid != is.st_gid) &&
	    fchown(file->fd, was.st_uid, was.st_gid))
		return fchmod(file->fd, was.st_mode & 0777) == 0;
	return fchmod(file->fd, was.st_mode & 07777) == 0;
}

static bool take_place(struct pl_file *file)
{
	return keep_mode(file) && (file->temporary || give_name(file)) &&
	       rename(file->temporary, file->target) == 0;
}

bool pl_file_close(struct pl_file *file, GError **err)
{
	int error = file->target && !take_place(file) ? errno : 0;

	if (!error)
		g_clear_pointer(&file->temporary, g_free);
	/* What a network file system could not write it may say now only. */
	if (close(file->fd) && !error)
		error = errno;
	file->fd = -1;
	if (error)
		fail(err, file->name, error);
	pl_file_drop(file);
	return !error;
}

void pl_file_drop(struct pl_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	if (file->temporary)
		unlink(file->temporary);
	g_clear_pointer(&file->temporary, g_free);
	g_clear_pointer(&file->target, g_free);
}

bool pl_file_failed(struct pl_file *file, GError **err)
{
	fail(err, file->name, errno ? errno : EIO);
	pl_file_drop(file);
	return false;
}

void pl_file_occupy_standard(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
