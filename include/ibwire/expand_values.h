/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand_values.h - an enum of each list in IBW_VALUES_FILE: enum ibw_aeth with IBW_AETH_RNR_NAK and so on. Included once per
 * file of lists, by the header that owns them; IBW_VALUE_OF is the value as a constant of an enum.
 */
#ifndef IBW_VALUES_FILE
#error "expand_values.h is for headers that have lists of values"
#endif
#ifndef IBW_VALUE_OF
#define IBW_VALUE_OF(value) value
#endif

/* clang-format off */
#define IBW_VALUES(list) enum ibw_##list {
#define IBW_VALUE(list, name, value, text) IBW_##name = IBW_VALUE_OF(value),
#define IBW_VALUES_END(list) };
/* clang-format on */
#include IBW_VALUES_FILE
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
#undef IBW_VALUE_OF
#undef IBW_VALUES_FILE
