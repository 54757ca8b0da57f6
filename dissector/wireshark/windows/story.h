/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.h - Tools > RDMA Story. */
#ifndef IW_STORY_H
#define IW_STORY_H

#include "wireshark/base/compat.h"

/* Tools > RDMA Story */
void iw_story_register(void);
void iw_story_cleanup(void); /* the file is closed: whoever still reads it is stopped */

#endif /* IW_STORY_H */
