/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* value_lists.h - every list of value names, by its name. */
#ifndef TESTS_VALUE_LISTS_H
#define TESTS_VALUE_LISTS_H

#include <ibwire/tables.h>

static const struct list {
	const char *name;
	const struct ibw_name *names;
} lists[] = {
#define IBW_VALUES(list) { #list, ibw_##list##_names },
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

#endif /* TESTS_VALUE_LISTS_H */
