// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* headers_before.c - every header of include/ibwire before any of the kernel's. */
#include "headers_ibwire.h"
#include "headers_kernel.h"
