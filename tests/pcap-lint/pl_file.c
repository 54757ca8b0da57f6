/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file whose last bytes cannot be written, as a network file system says when it is closed, is not
 * taken for written; nor is one whose place has been taken by what cannot be replaced.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include <pcap-lint/base/file.h>

static int failing = -1; /* the descriptor whose closing fails */

/* In the place of libc's. */
int close(int fd)
{
	const int closed = (int)syscall(SYS_close, fd);

	if (fd != failing)
		return closed;
	failing = -1;
	errno = EIO;
	return -1;
}

static void said(const char *name, GError *err, const char *why)
{
	char *want = g_strdup_printf("%s: %s", name, why);

	CHECK(err != NULL);
	if (err)
		CHECK_STR(err->message, want);
	g_clear_error(&err);
	g_free(want);
}

/* What is written of a file: "new" in the place of "old", or nothing that counts. */
static bool written(const char *name, bool close_fails, GError **err)
{
	struct pl_file file;

	CHECK(pl_file_open(&file, name, err));
	if (*err)
		return false;
	CHECK_EQ(write(file.fd, "new", 3), 3);
	failing = close_fails ? file.fd : -1;
	return pl_file_close(&file, err);
}

int main(void)
{
	char *dir = g_dir_make_tmp("ibwire-XXXXXX", NULL), *text = NULL;
	char *name = g_build_filename(dir, "out", NULL);
	GError *err = NULL;

	check_case("closed");
	CHECK(g_file_set_contents(name, "old", -1, NULL));
	CHECK(written(name, false, &err) && !err);
	CHECK(g_file_get_contents(name, &text, NULL, NULL));
	CHECK_STR(text, "new");
	g_clear_pointer(&text, g_free);

	check_case("closing fails");
	CHECK(!written(name, true, &err));
	CHECK_EQ(failing, -1); /* it was asked to */
	said(name, err, strerror(EIO));
	err = NULL;

	check_case("a directory has taken the place");
	g_remove(name);
	{
		struct pl_file file;

		CHECK(pl_file_open(&file, name, &err) && !err);
		CHECK_EQ(g_mkdir(name, 0700), 0);
		CHECK(!pl_file_close(&file, &err));
		said(name, err, strerror(EISDIR));
		CHECK_EQ(file.fd, -1);
	}
	CHECK_EQ(g_rmdir(name), 0);
	CHECK_EQ(g_rmdir(dir), 0); /* nothing else is left in it */
	g_free(name);
	g_free(dir);
	return check_end();
}
