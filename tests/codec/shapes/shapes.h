/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* shapes.h - the headers of list.def, with their tables. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#define IBW_TABLES
#define IBW_HDR shape1
#include <ibwire/expand.h>
#define IBW_HDR shape2
#include <ibwire/expand.h>
#define IBW_HDR shape3
#include <ibwire/expand.h>
#define IBW_HDR shape5
#include <ibwire/expand.h>
#define IBW_HDR shape7
#include <ibwire/expand.h>
#define IBW_HDR shape13
#include <ibwire/expand.h>
#define IBW_HDR shape_words
#include <ibwire/expand.h>
#define IBW_HDR shape_arrays
#include <ibwire/expand.h>
#define IBW_HDR shape_rsvd
#include <ibwire/expand.h>
#define IBW_HDR shape_bytes
#include <ibwire/expand.h>
#undef IBW_TABLES

#endif /* TESTS_SHAPES_H */
