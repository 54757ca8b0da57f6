/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json_syntax.h - whether bytes are JSON, asked of nothing that writes it. */
#ifndef FUZZ_JSON_SYNTAX_H
#define FUZZ_JSON_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* An object of RFC 8259 in UTF-8, and nothing before, between its tokens or after it. */
bool json_is_object(const void *text, size_t n);

#endif /* FUZZ_JSON_SYNTAX_H */
