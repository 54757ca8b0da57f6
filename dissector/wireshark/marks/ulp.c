/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ulp.c - keeps what the trackers say of upper layers: the one of a message, and the packets of its command.
 *
 * The trackers choose the upper layer of a connection by what its messages and its CM exchange show; nothing is chosen here.
 */
#include <ibwire/ibwire.h>

#include "ulp.h"

static wmem_map_t *of_frame; /* number -> struct iw_ulp */
static wmem_map_t *asked_in; /* number -> struct iw_ulp_command */
static uint32_t rdma_frame;  /* the last one that is RDMA as a whole */

void iw_ulp_init(void)
{
	rdma_frame = 0;
	of_frame = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	asked_in = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void iw_ulp_cleanup(void)
{
	of_frame = asked_in = NULL;
}

static struct iw_ulp_command *command_of(const struct track_ulp_of *of)
{
	void *key = GUINT_TO_POINTER((uint32_t)of->command.frame);
	struct iw_ulp_command *first = wmem_map_lookup(asked_in, key), *c = first;

	while (c && (c->id != of->command.id || c->queue != of->queue))
		c = c->next;
	if (c)
		return c;
	c = wmem_new0(wmem_file_scope(), struct iw_ulp_command);
	c->next = first;
	c->queue = of->queue;
	c->id = of->command.id;
	c->request = (uint32_t)of->command.frame;
	c->asked = of->command.bytes;
	c->end = &c->moved;
	wmem_map_insert(asked_in, key, c);
	return c;
}

static void add_moved(struct iw_ulp_command *c, uint32_t frame)
{
	c->n_moved++;
	if (c->n_moved > IW_ULP_MOVED_LISTED)
		return;
	*c->end = wmem_new0(wmem_file_scope(), struct iw_ulp_moved);
	(*c->end)->frame = frame;
	c->end = &(*c->end)->next;
}

static struct iw_ulp_command *learn(const struct track_ulp_of *of, uint32_t frame)
{
	struct iw_ulp_command *c = command_of(of);

	c->code = of->command.code;
	c->bytes = of->command.transferred;
	if (of->does == TRACK_ULP_DOES_MOVE)
		add_moved(c, frame);
	if (of->does != TRACK_ULP_DOES_ANSWER)
		return c;
	c->response = frame;
	c->ns = of->command.ns;
	c->status = of->command.status;
	return c;
}

struct iw_ulp *iw_ulp_make(uint8_t ulp, uint8_t flags, const struct track_ulp_of *of,
			   unsigned int n, uint32_t number)
{
	struct iw_ulp *u;
	unsigned int i;

	if (!of_frame || (ulp == IBW_ULP_NONE && !n))
		return NULL;
	u = wmem_alloc0(wmem_file_scope(), sizeof(*u) + n * sizeof(u->about[0]));
	u->ulp = ulp;
	u->flags = flags;
	u->n = (uint8_t)n;
	for (i = 0; i < n; i++)
		u->about[i] = (struct iw_ulp_about){ learn(&of[i], number), of[i].does };
	return u;
}

/* Of a frame that is RDMA as a whole, that one; else of the first packet within it. */
void iw_ulp_keep(const struct iw_frame *frame, uint32_t number)
{
	const struct track_upper *upper = &frame->context.upper;
	void *key = GUINT_TO_POINTER(number);
	struct iw_ulp *u;

	if (frame->whole && frame->view.pkt.bth != IBW_NO_SPAN)
		rdma_frame = number;
	if (!of_frame ||
	    (!frame->whole && (rdma_frame == number || wmem_map_lookup(of_frame, key))))
		return;
	u = iw_ulp_make(upper->ulp, upper->flags, upper->of, upper->n_of, number);
	if (u)
		wmem_map_insert(of_frame, key, u);
}

bool iw_ulp_has_message(const struct iw_ulp *u)
{
	return u && u->ulp != IBW_ULP_NONE;
}

const struct iw_ulp *iw_ulp_kept(uint32_t number)
{
	return of_frame ? wmem_map_lookup(of_frame, GUINT_TO_POINTER(number)) : NULL;
}
