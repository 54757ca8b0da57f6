/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reassemble.c - SENDs, WRITEs and READ responses of several packets, reassembled on the first pass.
 *
 * A message goes on with the PSN after its last packet. A packet that comes too early is held until the one
 * before it comes; one that was put already is a repeated one. What does not become whole stays apart.
 *
 * Wireshark's own tables have no bound and count nothing; here all that is kept counts for the preference,
 * and when that is used up, the message that began first of those that are not whole makes room.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/opcode.h>

#include "reassemble.h"
#include "wireshark/packet/frame.h"
#include "msg.h"
#include "wireshark/base/prefs.h"
#include "stream.h"
#include "track/base/flow.h"
#include "track/track.h"
#include "track/way/psn.h"

#define OPEN_MAX 16u  /* messages of a way that are not whole */
#define EARLY_MAX 64u /* packets of a way that are held */
#define BLOCK 1024u
#define ALLOCATOR_BYTES 64u /* what the allocator takes for a message and its bytes besides */

/* A packet before which others are missing. */
struct early {
	uint64_t psn;
	uint8_t *data;
	uint32_t len, frame;
	uint8_t opcode, pad;
};

/* Requests of a half, or responses: each have their PSNs. */
struct way {
	struct track_psns psns; /* of what was put */
	struct iw_message *open[OPEN_MAX];
	struct early *early; /* EARLY_MAX, or NULL */
	unsigned int n_open, n_early;
	bool responses;
	struct way *next;
};

/* A packet to be put. */
struct part {
	uint64_t psn;
	const uint8_t *data; /* NULL: not all was captured */
	uint32_t len, frame;
	uint8_t opcode, pad;
};

/* What is said of packets that are of no message here. */
static struct iw_message repeated = { .state = IW_MESSAGE_REPEATED };
static struct iw_message damaged = { .state = IW_MESSAGE_DAMAGED };
static struct iw_message lacking = { .state = IW_MESSAGE_LACKING };
static struct iw_message cut = { .state = IW_MESSAGE_CUT };
static struct iw_message no_memory = { .state = IW_MESSAGE_NO_MEMORY };

static wmem_map_t *ways; /* first frame of a half, and whether responses -> struct way */
static struct way *all_ways;
static struct iw_message *oldest, *newest; /* that are growing, and have data */
static uint64_t used;
static bool full; /* something was not kept */

/* Of each frame with a part of a message, by blocks. */
static struct {
	struct iw_message ***block;
	uint32_t room;
} frames;

void iw_reassemble_init(void)
{
	ways = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	used = 0;
	full = false;
}

/* Memory */

static void unlink_growing(struct iw_message *m)
{
	*(m->older ? &m->older->newer : &oldest) = m->newer;
	*(m->newer ? &m->newer->older : &newest) = m->older;
	m->older = m->newer = NULL;
}

#define PAD_MAX 3u

static uint64_t bytes_of(const struct iw_message *m)
{
	return m->room + (uint64_t)m->frames_room * sizeof(uint32_t);
}

/* It is not reassembled, because of @why, but goes on without its bytes. */
static void fail(struct iw_message *m, enum iw_message_state why)
{
	if (m->state != IW_MESSAGE_GROWING)
		return;
	unlink_growing(m);
	used -= bytes_of(m);
	wmem_free(wmem_file_scope(), m->data);
	wmem_free(wmem_file_scope(), m->frames);
	m->data = NULL;
	m->frames = NULL;
	m->room = m->frames_room = m->len = m->n_frames = 0;
	m->state = (uint8_t)why;
}

/* Nothing is put any more: neither what is held, nor to what grows. */
void iw_reassemble_finish(void)
{
	struct way *w;

	while (oldest)
		fail(oldest, IW_MESSAGE_LACKING);
	for (w = all_ways; w; w = w->next) {
		track_psns_clear(&w->psns);
		while (w->n_early)
			wmem_free(wmem_file_scope(), w->early[--w->n_early].data);
	}
	all_ways = NULL;
	ways = NULL;
}

void iw_reassemble_cleanup(void)
{
	iw_reassemble_finish();
	memset(&frames, 0, sizeof(frames));
}

/* Room for @bytes more; @but does not make it. */
static bool take(uint64_t bytes, const struct iw_message *but)
{
	while (used + bytes > iw_prefs.reassemble_bytes && oldest && oldest != but)
		fail(oldest, IW_MESSAGE_NO_MEMORY);
	if (used + bytes > iw_prefs.reassemble_bytes) {
		full = true;
		return false;
	}
	used += bytes;
	return true;
}

bool iw_reassemble_take(uint64_t bytes)
{
	return take(bytes, NULL);
}

static bool make_blocks(uint32_t block)
{
	uint32_t room = MAX(2 * frames.room, block + 16);
	uint64_t more = (uint64_t)(room - frames.room) * sizeof(void *);

	if (block < frames.room)
		return true;
	if (!take(more, NULL))
		return false;
	frames.block = wmem_realloc(wmem_file_scope(), frames.block, room * sizeof(void *));
	memset(frames.block + frames.room, 0, more);
	frames.room = room;
	return true;
}

/* The packet of @frame is of @m; what was said of it before holds no more. */
static bool mark(uint32_t frame, struct iw_message *m)
{
	uint32_t block = frame / BLOCK;

	if (!make_blocks(block))
		return false;
	if (!frames.block[block]) {
		if (!take(BLOCK * sizeof(void *), m))
			return false;
		frames.block[block] =
			wmem_alloc0_array(wmem_file_scope(), struct iw_message *, BLOCK);
	}
	frames.block[block][frame % BLOCK] = m;
	return true;
}

static struct iw_message *of_frame(uint32_t frame)
{
	uint32_t block = frame / BLOCK;

	return block < frames.room && frames.block[block] ? frames.block[block][frame % BLOCK]
							  : NULL;
}

/* Messages */

/* A RETH gets room for so many packets at once: it may promise what does not come. */
#define BEGINS 8u

/* Twice as much as needed, so that it is rarely made; at first as much as the RETH says. */
static uint64_t room_for(const struct iw_message *m, uint32_t len)
{
	uint64_t need = (uint64_t)m->len + len + PAD_MAX;

	if (m->room || m->dmalen <= len)
		return 2 * need;
	return MIN((uint64_t)m->dmalen, BEGINS * (uint64_t)len) + PAD_MAX;
}

static void resize(struct iw_message *m, uint32_t room, uint32_t frames_room)
{
	if (room != m->room)
		m->data = wmem_realloc(wmem_file_scope(), m->data, room);
	if (frames_room != m->frames_room)
		m->frames =
			wmem_realloc(wmem_file_scope(), m->frames, frames_room * sizeof(uint32_t));
	m->room = room;
	m->frames_room = frames_room;
}

static bool make_room(struct iw_message *m, uint32_t len)
{
	uint64_t room = m->room, frames_room = m->frames_room;

	if (len + PAD_MAX > m->room - m->len)
		room = room_for(m, len);
	if (m->n_frames == m->frames_room)
		frames_room = m->n_frames ? 2 * ((uint64_t)m->n_frames + 1) : BEGINS;
	if (room == m->room && frames_room == m->frames_room)
		return true;
	if (room > INT32_MAX ||
	    !take(room - m->room + (frames_room - m->frames_room) * sizeof(uint32_t), m))
		return false;
	resize(m, (uint32_t)room, (uint32_t)frames_room);
	return true;
}

/* It is whole: little more room than it needs. */
static void keep(struct iw_message *m, uint32_t frame)
{
	uint32_t need = m->len + m->pad;

	unlink_growing(m);
	used -= bytes_of(m);
	resize(m, m->room - need > need / 8 ? need : m->room,
	       m->frames_room > BEGINS ? m->n_frames : m->frames_room);
	used += bytes_of(m);
	memset(m->data + m->len, 0, m->pad);
	m->last = frame;
	m->state = IW_MESSAGE_WHOLE;
}

static void close_at(struct way *w, unsigned int i)
{
	w->n_open--;
	memmove(&w->open[i], &w->open[i + 1], (w->n_open - i) * sizeof(void *));
}

/* Nothing more comes of it. */
static void give_up(struct way *w, unsigned int i)
{
	fail(w->open[i], IW_MESSAGE_LACKING);
	close_at(w, i);
}

static struct iw_message *begin(struct way *w, uint64_t psn, const struct ibw_packet *pkt)
{
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);
	struct iw_message *m;

	if (w->n_open == OPEN_MAX)
		give_up(w, 0);
	if (!take(sizeof(*m) + ALLOCATOR_BYTES, NULL))
		return NULL;
	m = wmem_new0(wmem_file_scope(), struct iw_message);
	m->first = m->next = psn;
	if (reth) {
		m->va = ibw_reth_va(reth);
		m->rkey = ibw_reth_rkey(reth);
		m->dmalen = ibw_reth_dmalen(reth);
	}
	m->older = newest;
	*(newest ? &newest->newer : &oldest) = m;
	newest = m;
	w->open[w->n_open++] = m;
	return m;
}

static unsigned int operation_of(uint8_t opcode)
{
	struct ibw_opcode_parts parts;

	ibw_opcode_split(&parts, opcode);
	return parts.operation;
}

/* The message that @psn is the next packet of: its place; OPEN_MAX: none. */
static unsigned int open_at(const struct way *w, uint64_t psn)
{
	unsigned int i;

	for (i = 0; i < w->n_open; i++)
		if (w->open[i]->next == psn)
			return i;
	return OPEN_MAX;
}

/* Whether all came that a READ asks for. */
static bool is_all(const struct way *w, const struct iw_message *m, uint32_t frame)
{
	uint32_t psn, bytes;

	return m->len && (!w->responses || !iw_msg_read(frame, &psn, &bytes) ||
			  (bytes == m->len && psn == (m->first & 0xffffff)));
}

static void occupy(struct way *w, uint64_t psn)
{
	track_psn_occupy(&w->psns, track_psn_class(&w->psns, psn), psn, 1, 0, 0);
}

static bool is_last(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

/* Each packet but the last brings exactly the path MTU: the rule BTH009 says where that is from. */
static bool is_even(const struct iw_message *m, const struct part *p)
{
	return !m->n_frames || p->len == m->mtu || (is_last(p->opcode) && p->len < m->mtu);
}

static void append(struct iw_message *m, const struct part *p)
{
	if (!p->data)
		fail(m, IW_MESSAGE_CUT);
	else if (m->state == IW_MESSAGE_GROWING && !is_even(m, p))
		fail(m, IW_MESSAGE_UNEVEN);
	else if (m->state == IW_MESSAGE_GROWING && !make_room(m, p->len))
		fail(m, IW_MESSAGE_NO_MEMORY);
	if (!p->data || m->state != IW_MESSAGE_GROWING)
		return;
	if (!m->n_frames)
		m->mtu = p->len;
	memcpy(m->data + m->len, p->data, p->len);
	m->len += p->len;
	m->frames[m->n_frames++] = p->frame;
}

/* @now: the frame being read. */
static void put(struct way *w, unsigned int i, const struct part *p, uint32_t now)
{
	struct iw_message *m = w->open[i];

	if (!mark(p->frame, m))
		fail(m, IW_MESSAGE_NO_MEMORY);
	append(m, p);
	m->opcode = p->opcode;
	m->pad = p->pad;
	m->next++;
	occupy(w, p->psn);
	if (!is_last(p->opcode))
		return;
	close_at(w, i);
	if (m->state == IW_MESSAGE_GROWING && is_all(w, m, now))
		keep(m, now);
	else
		fail(m, IW_MESSAGE_LACKING);
}

/* Packets that came too early */

static void let_go(struct way *w, unsigned int i)
{
	used -= w->early[i].len;
	wmem_free(wmem_file_scope(), w->early[i].data);
	w->n_early--;
	memmove(&w->early[i], &w->early[i + 1], (w->n_early - i) * sizeof(w->early[i]));
}

static unsigned int early_at(const struct way *w, uint64_t psn)
{
	unsigned int i;

	for (i = 0; i < w->n_early && w->early[i].psn != psn; i++)
		;
	return i;
}

static bool make_early(struct way *w)
{
	if (w->early)
		return true;
	if (!take(EARLY_MAX * sizeof(*w->early), NULL))
		return false;
	w->early = wmem_alloc_array(wmem_file_scope(), struct early, EARLY_MAX);
	return true;
}

static void hold(struct way *w, const struct part *p)
{
	struct early *e;

	if (!p->data || early_at(w, p->psn) < w->n_early) {
		mark(p->frame, p->data ? &repeated : &cut);
		return;
	}
	mark(p->frame, &lacking);
	if (w->n_early == EARLY_MAX)
		let_go(w, 0);
	if (!make_early(w) || !take(p->len, NULL)) {
		mark(p->frame, &no_memory);
		return;
	}
	e = &w->early[w->n_early++];
	*e = (struct early){ p->psn,    wmem_memdup(wmem_file_scope(), p->data, p->len),
			     p->len,    p->frame,
			     p->opcode, p->pad };
}

/* The held packets that the message goes on with now. */
static void put_held(struct way *w, uint64_t psn, uint32_t now)
{
	unsigned int at, i;
	struct part p;

	for (; w->n_early; psn++) {
		at = early_at(w, psn);
		i = open_at(w, psn);
		if (at == w->n_early || i == OPEN_MAX)
			return;
		p = (struct part){ psn,
				   w->early[at].data,
				   w->early[at].len,
				   w->early[at].frame,
				   w->early[at].opcode,
				   w->early[at].pad };
		put(w, i, &p, now);
		let_go(w, at);
	}
}

static void restart(struct way *w)
{
	while (w->n_open)
		give_up(w, 0);
	while (w->n_early)
		let_go(w, 0);
}

/* The packets of a way */

/* Whether it is in the middle of what its READ asked for, which was asked for again from there on. */
static bool is_resumed(const struct way *w, const struct part *p)
{
	uint32_t psn, bytes;

	return w->responses && iw_msg_read(p->frame, &psn, &bytes) && psn != (p->psn & 0xffffff);
}

static void add(struct way *w, const struct part *p, const struct ibw_packet *pkt)
{
	unsigned int opf = ibw_opcodes[p->opcode].flags, i = open_at(w, p->psn);
	bool begins = opf & (IBW_OPF_FIRST | IBW_OPF_ONLY);

	if (i < OPEN_MAX &&
	    (begins ? !w->responses
		    : operation_of(w->open[i]->opcode) != operation_of(p->opcode))) {
		give_up(w, i);
		i = OPEN_MAX;
	}
	if (i == OPEN_MAX && begins && !is_resumed(w, p)) {
		if (opf & IBW_OPF_ONLY) {
			occupy(w, p->psn);
			return;
		}
		if (begin(w, p->psn, pkt))
			i = w->n_open - 1;
		else
			mark(p->frame, &no_memory);
	} else if (i == OPEN_MAX) {
		hold(w, p);
	}
	if (i == OPEN_MAX)
		return;
	put(w, i, p, p->frame);
	put_held(w, p->psn + 1, p->frame);
}

static struct way *way_of(uint32_t half, bool responses)
{
	void *key = GSIZE_TO_POINTER((size_t)half << 1 | responses);
	struct way *w = wmem_map_lookup(ways, key);

	if (w || !take(sizeof(*w) + ALLOCATOR_BYTES, NULL))
		return w;
	w = wmem_new0(wmem_file_scope(), struct way);
	w->responses = responses;
	w->next = all_ways;
	all_ways = w;
	wmem_map_insert(ways, key, w);
	return w;
}

/* The half that the packet is of; 0: none. In a frame that is RDMA as a whole the packets within are of none. */
static uint32_t half_of(const struct track *trackers, const struct iw_frame *frame,
			packet_info *pinfo)
{
	struct track_place place;
	struct track_flow flow;

	if (frame->whole)
		return iw_stream_half(pinfo->num);
	if (!iw_frame_is_main(frame, pinfo) || of_frame(pinfo->num) ||
	    !track_flow_gids_of(&frame->view.pkt, &flow) ||
	    !track_place_of(trackers, &flow, &place))
		return 0;
	return (uint32_t)place.half;
}

/* The room that its list of holes may take, and takes. */
static uint64_t holes_of(const struct way *w)
{
	return w->psns.room * sizeof(struct track_hole);
}

static void add_packet(struct way *w, struct iw_frame *frame, uint32_t number)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	uint64_t psn = track_psn_extend(&w->psns, ibw_bth_psn(IBW_KNOWN(pkt, bth)));
	enum track_psn_class class = track_psn_class(&w->psns, psn);
	bool there = ibw_packet_payload_captured(pkt) >= pkt->payload_len;
	const struct part p = { psn,
				there ? pkt->data + pkt->payload_off : NULL,
				pkt->payload_len,
				number,
				pkt->opcode,
				(uint8_t)pkt->pad_len };
	uint64_t holes = holes_of(w);

	/* The receiver drops it, and gets another. */
	if (iw_prefs.verify_icrc && track_view_icrc(&frame->view).status == IBW_CRC_BAD) {
		mark(number, &damaged);
		return;
	}
	if (class == TRACK_PSN_REPEAT) {
		mark(number, &repeated);
		return;
	}
	if (class != TRACK_PSN_NEXT &&
	    used + TRACK_HOLES_MAX * sizeof(struct track_hole) > iw_prefs.reassemble_bytes) {
		full = true;
		return;
	}
	if (class == TRACK_PSN_RESTART)
		restart(w);
	add(w, &p, pkt);
	used += holes_of(w) - holes;
}

void iw_reassemble_packet(const struct track *trackers, struct iw_frame *frame, packet_info *pinfo)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	unsigned int opf;
	struct way *w;
	uint32_t half;

	if (!ways || !iw_prefs.reassemble_bytes || pkt->bth == IBW_NO_SPAN ||
	    pkt->eths & IBW_ETH_DETH || pkt->outcome == IBW_MALFORMED)
		return;
	opf = ibw_opcodes[pkt->opcode].flags;
	if (!(opf & IBW_OPF_PAYLOAD) && operation_of(pkt->opcode) != IBW_OPERATION_READ_REQUEST)
		return;
	half = half_of(trackers, frame, pinfo);
	w = half ? way_of(half, opf & IBW_OPF_RESPONSE) : NULL;
	if (w)
		add_packet(w, frame, pinfo->num);
}

/* All passes */

bool iw_message_is_part(uint8_t opcode)
{
	unsigned int opf = ibw_opcodes[opcode].flags;

	return opf & IBW_OPF_PAYLOAD && opf & (IBW_OPF_FIRST | IBW_OPF_MIDDLE | IBW_OPF_LAST);
}

const struct iw_message *iw_message_of(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct iw_message *m;

	if (!iw_frame_is_main(frame, pinfo))
		return NULL;
	m = of_frame(pinfo->num);
	if (!m && full && iw_message_is_part(frame->view.pkt.opcode))
		return &no_memory;
	return m;
}

void iw_message_in_parts(const struct iw_frame *frame, packet_info *pinfo)
{
	struct iw_message *m = iw_frame_is_main(frame, pinfo) ? of_frame(pinfo->num) : NULL;

	if (m && m->next)
		m->in_parts = true;
}

uint8_t iw_message_opcode(const struct iw_message *m, uint32_t i, uint32_t n)
{
	struct ibw_opcode_parts parts;
	uint8_t opcode = m->opcode;

	ibw_opcode_split(&parts, opcode);
	if (n == m->n_frames)
		parts.position = IBW_OPF_ONLY;
	else if (i == 0)
		parts.position = IBW_OPF_FIRST;
	else
		parts.position = i + 1 < m->n_frames ? IBW_OPF_MIDDLE : IBW_OPF_LAST;
	if (parts.position == IBW_OPF_FIRST || parts.position == IBW_OPF_MIDDLE)
		parts.with = IBW_WITH_NOTHING;
	ibw_opcode_make(&opcode, &parts);
	return opcode;
}
