/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A guarded buffer can be used whole, and the byte on either side of it ends the program. */
#include "check.h"
#include "guard.h"

#include <sys/wait.h>

/* Whether a child that reads @p dies. */
static bool faults(const volatile uint8_t *p)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		/* The fault is expected: no core file, no sanitizer report. */
		fclose(stderr);
		(void)*p;
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid &&
	       (WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

int main(void)
{
	static const size_t lengths[] = { 0, 1, 2, 3, 12, 4095, 4096, 4097, 9000 };
	static uint8_t data[9000];
	struct guard g = guard_open(sizeof(data));
	size_t i, n;
	uint8_t *p;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		n = lengths[i];
		check_case("%zu bytes", n);
		p = guard_tail(&g, data, n);
		CHECK_MEM(p, data, n);
		CHECK(faults(p + n));
		if (n)
			CHECK(!faults(p + n - 1));
		p = guard_head(&g, data, n);
		CHECK_MEM(p, data, n);
		CHECK(faults(p - 1));
		CHECK(!faults(p));
	}
	guard_close(&g);
	return check_end();
}
