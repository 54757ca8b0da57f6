// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ud_main.c - random UD headers by ib_ud_header_init() and ib_ud_header_pack(), and by ours.
 *
 * Where the kernel is right all bytes must be equal. Where it is known to be wrong
 * (ud_lengths.c) the lengths must differ and nothing else.
 */
#include "site.h"

#include <linux/module.h>

static unsigned int count = 1000000;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "headers to compare where the kernel is right");
static unsigned int measure;
module_param(measure, uint, 0444);
MODULE_PARM_DESC(measure, "headers to measure the cost of, instead of comparing");

static const u32 payloads[] = { 256, 255, 254, 253, 0, 4, 1, 2, 3, 44, 1024, 4096 };

/* Headers compared in one combination, and how many of them are not equal. */
static struct tally {
	unsigned long headers, differ;
} tally[UD_FRAMINGS][ARRAY_SIZE(payloads)][2];

static bool complain(struct ud_case c, const char *what, const u8 *theirs, const u8 *ours, size_t n)
{
	pr_err("%s, payload %u, immediate %d: %s\n", ud_framing_names[c.framing], c.payload, c.imm,
	       what);
	print_hex_dump(KERN_ERR, "theirs ", DUMP_PREFIX_OFFSET, 16, 1, theirs, n, false);
	print_hex_dump(KERN_ERR, "ours   ", DUMP_PREFIX_OFFSET, 16, 1, ours, n, false);
	return false;
}

/* One header. The kernel's reads the buffer it writes to, so both start from zeros. */
static bool compare(struct ud_case c, struct rnd_state *rnd, struct tally *t)
{
	static struct ib_ud_header header;
	static struct ibw_build b;
	u8 theirs[UD_ROOM] = { 0 }, ours[UD_ROOM] = { 0 };
	size_t n, len;

	ud_fill(c, rnd, &header, &b);
	n = ib_ud_header_pack(&header, theirs);
	len = ibw_build_headers(ours, sizeof(ours), &b);
	if (n != len)
		return complain(c, "another length", theirs, ours, max(n, len));
	t->headers++;
	if (!memcmp(theirs, ours, n))
		return true;
	t->differ++;
	if (ud_kernel_is_right(c))
		return complain(c, "not equal", theirs, ours, n);
	ud_without_lengths(theirs, &b);
	ud_without_lengths(ours, &b);
	return !memcmp(theirs, ours, n) ||
	       complain(c, "more than the lengths differ", theirs, ours, n);
}

/* Every combination in turn until @count headers where the kernel is right were compared. */
static bool compare_all(struct rnd_state *rnd, unsigned long *right, unsigned long *wrong)
{
	unsigned int f, p, imm;

	while (*right < count)
		for (f = 0; f < UD_FRAMINGS; f++)
			for (p = 0; p < ARRAY_SIZE(payloads); p++)
				for (imm = 0; imm < 2; imm++) {
					struct ud_case c = { f, payloads[p], imm };

					if (!compare(c, rnd, &tally[f][p][imm]))
						return false;
					++*(ud_kernel_is_right(c) ? right : wrong);
				}
	return true;
}

/* The combinations the kernel gets wrong, a line each; false if one of them is right. */
static bool report_wrong(void)
{
	unsigned int f, p, imm, combinations = 0;
	bool ok = true;

	for (f = 0; f < UD_FRAMINGS; f++)
		for (p = 0; p < ARRAY_SIZE(payloads); p++)
			for (imm = 0; imm < 2; imm++) {
				struct ud_case c = { f, payloads[p], imm };
				const struct tally *t = &tally[f][p][imm];

				if (ud_kernel_is_right(c))
					continue;
				combinations++;
				pr_info("kernel wrong: %s, payload %u, immediate %u: lengths differ in %lu of %lu\n",
					ud_framing_names[f], payloads[p], imm, t->differ,
					t->headers);
				ok &= t->differ == t->headers;
			}
	pr_info("%u of %zu combinations known to be wrong\n", combinations,
		UD_FRAMINGS * ARRAY_SIZE(payloads) * 2);
	return ok;
}

static int __init ibwire_ud_init(void)
{
	unsigned long right = 0, wrong = 0;
	struct rnd_state rnd;
	bool ok;

	if (measure) {
		ud_measure(measure);
		site_measure(measure);
		return 0;
	}
	prandom_seed_state(&rnd, 0x1b31);
	ok = compare_all(&rnd, &right, &wrong);
	ok = report_wrong() && ok;
	ok = ud_check_icrc(&rnd, 20000) && ok;
	ok = site_check(&rnd, 20000) && ok;
	pr_info("%lu headers byte-equal, %lu with known-wrong lengths, %s\n", right, wrong,
		ok ? "PASS" : "FAIL");
	return ok ? 0 : -EINVAL;
}

static void __exit ibwire_ud_exit(void)
{
}

module_init(ibwire_ud_init);
module_exit(ibwire_ud_exit);
MODULE_DESCRIPTION("Compares UD headers of ib_core with those of include/ibwire");
MODULE_LICENSE("Dual BSD/GPL");
