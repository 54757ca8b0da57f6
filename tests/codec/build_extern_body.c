/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* build_extern_body.c - the one C file of build_extern.c that has the builder's functions. */
#define IBW_BUILD_EXTERN
#define IBW_BUILD_BODY
#include <ibwire/build.h>
