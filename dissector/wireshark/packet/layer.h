/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layer.h - a layer of a frame as tree items. */
#ifndef IW_LAYER_H
#define IW_LAYER_H

#include "wireshark/base/compat.h"

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>

#include "frame.h"

/* iw_tree_header() of a layer of the frame. */
void iw_tree_layer(proto_tree *tree, const struct iw_frame *frame, const struct ibw_span *span,
		   const struct ibw_mad_attr_row *attr, bool lacking);

#endif /* IW_LAYER_H */
