/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seq.h - -z flow,ibwire: who said what to whom. */
#ifndef IW_SEQ_H
#define IW_SEQ_H

#include "wireshark/base/compat.h"

/* -z flow,ibwire */
void iw_seq_register(void);

#endif /* IW_SEQ_H */
