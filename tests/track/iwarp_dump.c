/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iwarp_dump PCAP...: what track/iwarp makes of pcaps of Ethernet frames, a line a connection and direction, and a line an event;
 * for iwarp_oracle.py.
 *
 *	PCAP connection 0 a fpdus 70 good 0 bad 0 unused 70 crossed 0 lost 0 messages 20 0 10 10 0 0 0 0 0
 *	PCAP event iwarp-terminate 12 0 1 0 1 0 21761 93824 9
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include <track/base/event.h>
#include <track/iwarp/iwarp.h>

static const char *name;
static struct track_events events;

static void tell(void)
{
	const struct track_event_row *row;
	unsigned int i, j;

	for (i = 0; i < events.n; i++) {
		row = &track_event_rows[events.event[i].kind];
		printf("%s event %s %llu", name, row->name,
		       (unsigned long long)events.event[i].frame);
		for (j = 0; j < TRACK_EVENT_NUMBERS && row->number[j].name; j++)
			printf(" %llu", (unsigned long long)events.event[i].number[j]);
		printf("\n");
	}
	events.n = 0;
}

static void tell_connection(const struct track_iwarp_record *r, unsigned int number)
{
	unsigned int side, i;

	for (side = 0; side < 2; side++) {
		const struct track_iwarp_dir *d = &r->conn.dir[side];
		const struct track_iwarp_counts *c = &d->counts;

		printf("%s connection %u %s fpdus %llu good %llu bad %llu unused %llu crossed %llu lost %llu "
		       "messages",
		       name, number, side == r->conn.opener ? "a" : "b",
		       (unsigned long long)c->fpdus, (unsigned long long)c->crc_good,
		       (unsigned long long)c->crc_bad,
		       (unsigned long long)(c->fpdus - c->crc_good - c->crc_bad),
		       (unsigned long long)c->crossed, (unsigned long long)c->lost);
		for (i = 0; i < TRACK_IWARP_MESSAGE_COUNT; i++)
			printf(" %llu", (unsigned long long)c->messages[i]);
		printf("\n");
	}
}

/* Classic pcap in the byte order of this machine, or the other one. */
static void read_pcap(const char *path)
{
	struct track_iwarp *t = track_iwarp_new(&events);
	const struct track_iwarp_record *records;
	struct track_at at = { 0 };
	struct ibw_packet pkt;
	uint32_t head[4], i;
	unsigned int n;
	gsize size, off;
	char *data;

	if (!g_file_get_contents(path, &data, &size, NULL) || size < 24)
		exit(2);
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	track_iwarp_want_records(t);
	for (off = 24; off + 16 <= size; off += 16 + head[2]) {
		memcpy(head, data + off, sizeof(head));
		for (i = 0; i < 4 && (uint8_t)data[0] != 0xd4; i++)
			head[i] = GUINT32_SWAP_LE_BE(head[i]);
		if (G_BYTE_ORDER == G_BIG_ENDIAN)
			for (i = 0; i < 4; i++)
				head[i] = GUINT32_SWAP_LE_BE(head[i]);
		if (head[2] > size - off - 16)
			break;
		at.frame++;
		at.time_ns = head[0] * UINT64_C(1000000000) + head[1] * UINT64_C(1000);
		ibw_packet_walk(&pkt, data + off + 16, head[2], head[3], IBW_LINKTYPE_ETHERNET,
				NULL);
		if (track_iwarp_is_tcp(&pkt) && track_iwarp_may_be(t, &pkt))
			track_iwarp_packet(t, &pkt, &at);
		tell();
	}
	while (!track_iwarp_finish(t, &at))
		tell();
	tell();
	records = track_iwarp_records(t, &n);
	for (i = 0; i < n; i++)
		tell_connection(&records[i], i);
	printf("%s all %llu fpdus %llu\n", name, (unsigned long long)t->n,
	       (unsigned long long)t->fpdus);
	track_iwarp_free(t);
	g_free(data);
}

int main(int argc, char **argv)
{
	events.event = g_new(struct track_event, TRACK_EVENTS_MAX);
	for (argv++; argc > 1; argc--)
		read_pcap(*argv++);
	g_free(events.event);
	return 0;
}
