/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* sa.h - the records of subnet administration. IBTA vol 1, 15.2.5 */
#ifndef IBWIRE_SA_H
#define IBWIRE_SA_H

#include "mad.h"

#define IBW_HDR path_rec
#include "expand.h"

#endif /* IBWIRE_SA_H */
