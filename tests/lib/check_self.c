/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The framework must be able to fail: each kind of check is made to, and counted. */
#include "check.h"

int main(void)
{
	unsigned long failed;
	int empty;

	empty = check_end();

	CHECK(1 == 2);
	CHECK_EQ(3, 4);
	CHECK_EQ(UINT64_MAX, UINT64_MAX - 1);
	CHECK_STR("a", "b");
	CHECK_STR(NULL, "b");
	CHECK_MEM("abcd", "abcx", 4);
	failed = check_failures;
	if (check_end() != 1 || failed != 6 || check_count != 6 || empty != 1)
		return 1;

	fprintf(stderr, "the failures above are wanted\n");
	check_count = check_failures = 0;
	CHECK(1 == 1);
	CHECK_EQ(-1, -1);
	CHECK_EQ((uint8_t)255, 255);
	CHECK_STR("a", "a");
	CHECK_STR(NULL, NULL);
	CHECK_MEM("abcd", "abcx", 3);
	return check_end();
}
