/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * main.c - replays files through a target where there is no libFuzzer.
 *
 *	replay-walk FILE|DIRECTORY...
 *
 * Each input is put before an unmapped page, so that one byte too many is seen
 * without a sanitizer too.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "tests/lib/guard.h"

static unsigned long replayed;

static void replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct guard guard;
	uint8_t *bytes;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	guard = guard_open((size_t)size);
	bytes = guard_tail_room(&guard, (size_t)size);
	if (fread(bytes, 1, (size_t)size, f) != (size_t)size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(bytes, (size_t)size);
	guard_close(&guard);
	replayed++;
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* In the order of the names, so that every run is the same. */
static void replay_directory(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_input, alphasort), i;
	char name[4096];

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		replay_file(name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	struct stat st;
	int i;

	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st)) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 2;
		}
		if (S_ISDIR(st.st_mode))
			replay_directory(argv[i]);
		else
			replay_file(argv[i]);
	}
	printf("%lu inputs\n", replayed);
	return replayed ? 0 : 2;
}
