/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* codecs.c - codecs[] and accessors[] of all headers of the library. */
#define HEADERS_FILE <ibwire/ibwire.h>
#define HEADERS_LIST <ibwire/list/headers.def>
/* clang-format off */
#define ACC_SCHEMA_(hdr) IBW_STR(ibwire/schema/hdr.def)
/* clang-format on */
#include "codecs_define.h"
