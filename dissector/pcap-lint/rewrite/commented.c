/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commented.c - writes the capture with comments. */
#include <errno.h>
#include <string.h>

#include "capture/pcapng.h"
#include "capture/pcapng_write.h"
#include "commented.h"
#include "pcap-lint/base/file.h"
#include "pcap-lint/incidents/incident.h"
#include "notes.h"
#include "rewrite.h"

/* Bytes of packets that are held for --context. */
#define HELD_BYTES ((size_t)64 << 20)

/* Once: packets that wait for what is found later, and bytes of them; frames gone by whose number in the new file is known. */
#define WAITING_PACKETS 65536u
#define WAITING_BYTES ((size_t)32 << 20)
#define PAST_FRAMES 65536u

/* Of a section of which packets were left out. */
#define PART_COMMENT CAPTURE_PART ", and those that belong to them"

/* A packet, or a block between packets: held until it is known whether it is written. */
struct held {
	struct capture_packet pkt; /* no frame: it is no packet */
	struct capture_block block;
	uint8_t *bytes; /* that these point into */
	size_t n;
	bool chosen; /* it was counted in chosen_ahead */
};

struct pl_commented {
	struct pl_output *output;
	const struct pl_options *options;
	const char *file;
	struct pl_file out;
	struct pl_notes *notes;
	struct capture *capture;
	struct capture_pcapng_writer writer;
	bool once;    /* as it is read */
	bool writing; /* @writer is open */
	bool trying;  /* what is held goes for its number alone, and stays */
	bool part;    /* the capture has left some out itself */
	int error;    /* of errno */

	GQueue waiting; /* of struct held, after those of @held: once */
	size_t waiting_bytes;

	GQueue held;               /* of struct held */
	unsigned int n_held;       /* packets of those */
	unsigned int chosen_ahead; /* of those but the first, chosen */
	uint64_t since;            /* packets since the last one that was chosen */
	size_t held_bytes;
	GQueue past; /* of struct pl_spot that are written: once */

	uint64_t newest;  /* the last frame that was held */
	uint64_t next;    /* one that a finding is about before it is here; 0: none */
	uint64_t seen;    /* packets */
	uint64_t written; /* frames */
	uint64_t packets, comments;
};

/* A capture that is a part itself was chosen before: its comments name its frames, and more was known of the whole. */
static bool writes_all(const struct pl_commented *c)
{
	return c->options->write_all || c->part;
}

struct pl_commented *pl_commented_open(struct pl_output *output, const struct pl_options *options,
				       const char *file, GError **err)
{
	struct pl_commented *c = g_new0(struct pl_commented, 1);

	c->output = output;
	c->options = options;
	c->file = file;
	c->once = !pl_file_reads_twice(file);
	if (!pl_file_open(&c->out, options->write, err)) {
		g_free(c);
		return NULL;
	}
	c->notes = pl_notes_new();
	g_queue_init(&c->waiting);
	g_queue_init(&c->held);
	g_queue_init(&c->past);
	return c;
}

bool pl_commented_is_once(const struct pl_commented *c)
{
	return c->once;
}

static void held_free(void *p)
{
	struct held *h = p;

	g_free(h->bytes);
	g_free(h);
}

void pl_commented_free(struct pl_commented *c)
{
	if (!c)
		return;
	if (c->writing)
		capture_pcapng_write_close(&c->writer);
	if (c->out.fd >= 0)
		pl_file_drop(&c->out);
	g_queue_clear_full(&c->waiting, held_free);
	g_queue_clear_full(&c->held, held_free);
	g_queue_clear(&c->past);
	capture_close(c->capture);
	pl_notes_free(c->notes);
	g_free(c);
}

static void open_writer(struct pl_commented *c)
{
	static const char *const part[] = { PART_COMMENT };
	const struct capture_comments comments = { part, !writes_all(c) };
	FILE *stream = pl_file_stream(&c->out);

	if (!stream) {
		c->error = errno ? errno : EIO;
		return;
	}
	capture_pcapng_copy_open(&c->writer, c->capture, stream, &comments);
	c->writing = true;
}

void pl_commented_begin(struct pl_commented *c, struct capture *capture)
{
	c->capture = capture;
	c->since = c->options->context;
	c->part = capture_is_part(capture);
	if (c->once)
		open_writer(c);
}

static void write_block(struct pl_commented *c, const struct held *h)
{
	static const char *const part[] = { PART_COMMENT };
	const struct capture_comments comments = { part,
						   h->block.type == BLOCK_SHB && !writes_all(c) };

	if (!h->block.bytes || h->block.type == BLOCK_NO_COPY)
		return;
	if (h->block.is_frame && !writes_all(c))
		return;
	c->written += h->block.is_frame;
	if (c->writing && !c->trying)
		capture_pcapng_copy_block(&c->writer, &h->block, NULL, &comments);
}

static void write_packet(struct pl_commented *c, const struct held *h, const struct pl_spot *spot)
{
	const struct capture_block *block = h->block.length ? &h->block : NULL;
	struct capture_comments comments = { .n = 0 };

	if (spot && !c->part)
		comments = pl_notes_comments(c->notes, spot, block);
	c->comments += comments.n;
	if (block)
		capture_pcapng_copy_block(&c->writer, block, &h->pkt, &comments);
	else
		capture_pcapng_write_commented(&c->writer, &h->pkt, &comments);
	pl_notes_comments_free(&comments);
}

/* Once: the numbers of the latest frames are kept, and no others. */
static void keep_past(struct pl_commented *c, struct pl_spot *spot)
{
	if (!spot->now) {
		pl_notes_forget(c->notes, spot);
		return;
	}
	pl_notes_done(c->notes, spot);
	g_queue_push_tail(&c->past, spot);
	if (c->past.length > PAST_FRAMES)
		pl_notes_forget(c->notes, g_queue_pop_head(&c->past));
}

static void end_packet(struct pl_commented *c, const struct held *h)
{
	struct pl_spot *spot = pl_notes_spot(c->notes, h->pkt.frame);
	const bool chosen = spot && spot->chosen;

	if (spot)
		spot->held = NULL;
	c->since = chosen ? 0 : c->since + 1;
	if (writes_all(c) || chosen || c->chosen_ahead || c->since <= c->options->context) {
		c->written++;
		c->packets++;
		if (spot)
			spot->now = c->written;
		if (c->writing && !c->trying)
			write_packet(c, h, spot);
	}
	if (c->once && !c->trying && spot)
		keep_past(c, spot);
}

/* The first that is held, and blocks after it. */
static void end_first(struct pl_commented *c)
{
	struct held *h = g_queue_pop_head(&c->held), *next;

	if (h->pkt.frame) {
		end_packet(c, h);
		c->n_held--;
	} else {
		write_block(c, h);
	}
	c->held_bytes -= h->n;
	if (!c->trying)
		held_free(h);
	next = g_queue_peek_head(&c->held);
	if (next && next->chosen) { /* it is ahead of nobody any more */
		next->chosen = false;
		c->chosen_ahead--;
	}
}

/* Blocks are written as soon as no packet is before them. */
static void end_blocks(struct pl_commented *c)
{
	const struct held *h = g_queue_peek_head(&c->held);

	while (h && !h->pkt.frame) {
		end_first(c);
		h = g_queue_peek_head(&c->held);
	}
}

/* The bytes that @h points into, which are gone when others are read. */
static void keep_bytes(struct held *h)
{
	const uint8_t *from = h->block.length ? h->block.bytes : h->pkt.data;

	if (!from || !h->n)
		return;
	h->bytes = g_memdup2(from, h->n);
	if (h->pkt.data)
		h->pkt.data = h->bytes + (h->pkt.data - from);
	if (h->block.bytes)
		h->block.bytes = h->bytes;
}

static void hold(struct pl_commented *c, struct held *h)
{
	g_queue_push_tail(&c->held, h);
	c->held_bytes += h->n;
	while (c->held_bytes > HELD_BYTES && c->held.length > 1)
		end_first(c);
}

static void hold_packet(struct pl_commented *c, struct held *h)
{
	struct pl_spot *spot = pl_notes_spot(c->notes, h->pkt.frame);

	while (c->n_held > c->options->context)
		end_first(c);
	end_blocks(c);
	if (spot)
		spot->held = h;
	if (spot && spot->chosen && c->n_held) {
		h->chosen = true;
		c->chosen_ahead++;
	}
	c->n_held++;
	hold(c, h);
}

/* What comes next, after what waits. */
static void go_on(struct pl_commented *c, struct held *h)
{
	if (h->pkt.frame) {
		hold_packet(c, h);
		return;
	}
	hold(c, h);
	end_blocks(c);
}

static void end_waiting(struct pl_commented *c)
{
	struct held *h = g_queue_pop_head(&c->waiting);

	c->waiting_bytes -= h->n;
	go_on(c, h);
}

static void take(struct pl_commented *c, const struct held *taken)
{
	struct held *h = g_memdup2(taken, sizeof(*taken));

	h->n = h->block.length ? h->block.length : h->pkt.caplen;
	if (c->writing)
		keep_bytes(h);
	if (!c->once) {
		go_on(c, h);
		return;
	}
	g_queue_push_tail(&c->waiting, h);
	c->waiting_bytes += h->n;
	while (c->waiting.length > 1 &&
	       (c->waiting.length > WAITING_PACKETS || c->waiting_bytes > WAITING_BYTES))
		end_waiting(c);
}

static void forget_next(struct pl_commented *c)
{
	struct pl_spot *spot = c->next ? pl_notes_spot(c->notes, c->next) : NULL;

	if (spot && !spot->held)
		pl_notes_forget(c->notes, spot);
	c->next = 0;
}

void pl_commented_packet(struct pl_commented *c, const struct capture_packet *pkt)
{
	struct held h = { .pkt = *pkt };
	struct pl_spot *spot;

	if (capture_format(c->capture) == CAPTURE_FORMAT_PCAPNG)
		capture_block(c->capture, &h.block);
	c->seen++;
	c->newest = pkt->frame;
	spot = c->once ? pl_notes_make(c->notes, pkt->frame) : NULL;
	if (spot)
		spot->held = c; /* it can still be chosen */
	forget_next(c);
	take(c, &h);
}

void pl_commented_block(struct pl_commented *c)
{
	struct held h = { .n = 0 };

	if (!capture_block(c->capture, &h.block) || h.block.is_packet)
		return;
	c->part |= capture_is_part(c->capture);
	if (!h.block.bytes && c->writing)
		pl_error(c->output,
			 "%s: a block of type 0x%08x and %" G_GUINT32_FORMAT
			 " bytes is too large to be copied",
			 c->file, h.block.type, h.block.length);
	take(c, &h);
}

/* It is to be in the new file; once: if it still can be. */
static void choose(struct pl_commented *c, uint64_t frame)
{
	struct pl_spot *spot =
		c->once ? pl_notes_spot(c->notes, frame) : pl_notes_make(c->notes, frame);
	struct held *h;

	if (!spot || spot->chosen || (c->once && !spot->held))
		return;
	spot->chosen = true;
	h = spot->held;
	if (h && spot->held != c && h != g_queue_peek_head(&c->held)) {
		h->chosen = true;
		c->chosen_ahead++;
	}
}

/* Once: a fault of the file comes before its packet, if there is one. */
static void about_next(struct pl_commented *c, const struct lint_finding *finding)
{
	struct pl_spot *spot;

	if (c->next != finding->frame)
		forget_next(c);
	spot = pl_notes_make(c->notes, finding->frame);
	if (spot)
		spot->chosen = true;
	pl_notes_add(c->notes, spot, finding);
	c->next = finding->frame;
}

void pl_commented_finding(struct pl_commented *c, const struct lint_finding *finding)
{
	uint64_t frame = finding->frame;
	const struct pl_spot *spot;
	unsigned int i;

	for (i = 0; i < finding->n_related; i++)
		choose(c, finding->related[i]);
	if (!frame) /* about the file */
		return;
	if (c->once && frame > c->newest) {
		about_next(c, finding);
		return;
	}
	if (c->once) {
		spot = pl_notes_spot(c->notes, frame);
		frame = spot && spot->held ? frame : c->newest;
	} else {
		pl_notes_named(c->notes, finding->message);
	}
	choose(c, frame);
	pl_notes_add(c->notes, pl_notes_spot(c->notes, frame), finding);
}

void pl_commented_incident(struct pl_commented *c, const struct pl_report *report,
			   const struct pl_incident *incident)
{
	struct pl_incident_frame frames[PL_INCIDENT_FRAMES];
	uint64_t others[PL_INCIDENT_FRAMES];
	char text[PL_INCIDENT_TEXT];
	struct pl_note_incident note = { incident->number, incident->incident->frame,
					 pl_incident_text(report, incident, NULL, text), others,
					 0 };
	unsigned int i, n = pl_incident_frames(report, incident, frames);

	for (i = 0; i < n; i++) {
		choose(c, frames[i].frame);
		if (i)
			others[note.n_others++] = frames[i].frame;
	}
	for (i = 0; i < n; i++) {
		struct pl_spot *spot = pl_notes_spot(c->notes, frames[i].frame);

		if (!i && c->once && !(spot && spot->held)) { /* gone: where it is known */
			choose(c, c->newest);
			spot = pl_notes_spot(c->notes, c->newest);
		}
		if (!i || (spot && spot->chosen && !(c->once && !spot->held)))
			pl_notes_add_incident(c->notes, spot, &note, i ? frames[i].what : NULL);
	}
}

void pl_commented_more(struct pl_commented *c, uint64_t n)
{
	pl_notes_lost(c->notes, n);
}

static void end_all(struct pl_commented *c)
{
	while (c->waiting.length)
		end_waiting(c);
	while (c->held.length)
		end_first(c);
}

/* Of what is held again. */
static void count_chosen(struct pl_commented *c)
{
	const struct pl_spot *spot;
	GList *link;

	c->chosen_ahead = 0;
	for (link = c->held.head; link; link = link->next) {
		struct held *h = link->data;

		spot = h->pkt.frame ? pl_notes_spot(c->notes, h->pkt.frame) : NULL;
		h->chosen = link->prev && spot && spot->chosen;
		c->chosen_ahead += h->chosen;
	}
}

/* Once: nothing more will be found, so what is held has numbers now, before the first of it is written. */
static void learn_numbers(struct pl_commented *c)
{
	GQueue *waiting = g_queue_copy(&c->waiting), *held = g_queue_copy(&c->held);
	const struct pl_commented was = *c;

	c->trying = true;
	end_all(c);
	*c = was;
	c->waiting = *waiting;
	c->held = *held;
	count_chosen(c);
	g_slice_free(GQueue, waiting);
	g_slice_free(GQueue, held);
}

static bool open_again(struct pl_commented *c, GError **err)
{
	const struct capture_options how = { .max_size = c->options->max_size,
					     .max_ratio = c->options->max_ratio,
					     .blocks = true };

	c->part |= capture_is_part(c->capture);
	capture_close(c->capture);
	c->capture = capture_open(c->file, &how, err);
	return c->capture &&
	       (!c->options->filter || capture_filter(c->capture, c->options->filter, err));
}

/* What was wrong with the file has been said. */
static bool read_again(struct pl_commented *c, uint64_t last, bool writing, GError **err)
{
	enum capture_result result;
	struct capture_packet pkt;

	if (!open_again(c, err))
		return false;
	if (writing)
		open_writer(c);
	c->since = c->options->context;
	c->seen = c->written = c->packets = 0;
	while ((result = capture_next(c->capture, &pkt)) != CAPTURE_END &&
	       capture_frames(c->capture) <= last && !c->error) {
		if (result == CAPTURE_PACKET)
			pl_commented_packet(c, &pkt);
		else
			pl_commented_block(c);
		pl_output_tick(c->output);
	}
	end_all(c);
	return true;
}

static bool close_writer(struct pl_commented *c)
{
	c->writing = false;
	return capture_pcapng_write_close(&c->writer);
}

static void summary(struct pl_commented *c)
{
	struct ibw_out *o = &c->output->out;

	if (pl_notes_all_lost(c->notes))
		pl_error(c->output,
			 "%s: %" G_GUINT64_FORMAT
			 " findings have no comment: there are more than are remembered",
			 c->file, (guint64)pl_notes_all_lost(c->notes));
	if (c->options->quiet || c->options->format != PL_FORMAT_text)
		return;
	pl_output_room(c->output);
	pl_out_name(o, c->file);
	ibw_out_str(o, ": ");
	ibw_out_dec(o, c->packets);
	ibw_out_str(o, " of ");
	pl_out_counted(o, c->seen, "packet");
	ibw_out_str(o, " written, with ");
	pl_out_counted(o, c->comments, "comment");
	ibw_out_char(o, '\n');
}

bool pl_commented_close(struct pl_commented *c, uint64_t last, bool failed, GError **err)
{
	if (c->once) {
		learn_numbers(c);
		end_all(c);
	} else if (!read_again(c, last, false, err) || !read_again(c, last, true, err)) {
		return false;
	}
	if (!c->writing) {
		errno = c->error;
		return pl_file_failed(&c->out, err);
	}
	if (!close_writer(c))
		return pl_file_failed(&c->out, err);
	if (!pl_rewrite_close(&c->out, c->file, failed ? c->seen : 1, failed, err))
		return false;
	summary(c);
	return true;
}
