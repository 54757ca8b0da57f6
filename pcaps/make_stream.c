/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_stream.c - from the lines of a conversation to the packets of a capture. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "make_stream.h"

#define SPORT_FIRST 0xc000
#define PSN_MASK 0xffffffu

static bool captured(const struct mk_line *line)
{
	return !mk_line_is(line, MK_FLAG_lost) && !mk_line_is(line, MK_FLAG_unseen);
}

static uint16_t opcode_flags(const struct mk_line *line)
{
	return line->has & MK_HAS_BTH ? ibw_opcodes[line->opcode].flags : 0;
}

static uint32_t psn_of(const struct mk_line *line)
{
	return (uint32_t)MK_VALUE(line, psn, 0);
}

/* A packet that fills the path MTU need not say so. */
static uint32_t payload_len(const struct mk_stream *s, const struct mk_line *line)
{
	uint16_t of = opcode_flags(line);

	if (line->upper)
		return mk_stream_upper_bytes(line);
	if (!(of & IBW_OPF_PAYLOAD))
		return 0;
	return (uint32_t)MK_VALUE(line, len, of & IBW_OPF_MTU ? s->mtu : 0);
}

static bool same_way(const struct mk_line *line, const struct mk_line *other)
{
	return line->from == other->from && line->to == other->to;
}

/* The last PSN of a request; a READ takes one for each packet of its response. */
static uint32_t last_psn(const struct mk_stream *s, const struct mk_line *line)
{
	uint32_t len = (uint32_t)MK_VALUE(line, len, 0);

	if (opcode_flags(line) & IBW_OPF_PAYLOAD || len <= s->mtu)
		return psn_of(line);
	return (psn_of(line) + (len - 1) / s->mtu) & PSN_MASK;
}

/* Whether PSN @a comes after @b on the circle; IBTA vol 1, 9.7.2 */
static bool psn_after(uint32_t a, uint32_t b)
{
	uint32_t distance = (a - b) & PSN_MASK;

	return distance && distance < 0x800000;
}

static bool ends_message(const struct mk_line *line)
{
	uint16_t of = opcode_flags(line);

	return of & IBW_OPF_REQUEST && of & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

/* Whether a line before @line ended the same message. */
static bool resent(const struct mk_stream *s, const struct mk_line *line)
{
	const struct mk_line *other;

	for (other = s->lines; other < line; other++)
		if (same_way(other, line) && ends_message(other) &&
		    last_psn(s, other) == last_psn(s, line))
			return true;
	return false;
}

/*
 * The messages that the sender of this response has received up to its PSN: it has all of them, whatever
 * was lost on the way; IBTA vol 1, 9.7.7.1
 */
static uint32_t msn_of(const struct mk_stream *s, const struct mk_line *response)
{
	bool nak = IBW_AETH_TYPE(response->syndrome) != IBW_AETH_TYPE_ACK;
	uint32_t msn = response->from->msn;
	const struct mk_line *line;

	for (line = s->lines; line < response; line++) {
		if (line->to != response->from || !ends_message(line) || resent(s, line))
			continue;
		if (psn_after(last_psn(s, line), psn_of(response)) ||
		    (nak && last_psn(s, line) == psn_of(response)))
			continue;
		msn++;
	}
	return msn & PSN_MASK;
}

/* The length of the WRITE that begins at @first: the packets of the PSNs that follow. */
static uint32_t message_len(const struct mk_stream *s, const struct mk_line *first)
{
	uint32_t len = payload_len(s, first), psn = psn_of(first);
	const struct mk_line *line;

	for (line = first + 1; line < s->lines + s->n_lines; line++) {
		if (!same_way(line, first) || psn_of(line) != ((psn + 1) & PSN_MASK) ||
		    !(opcode_flags(line) & (IBW_OPF_MIDDLE | IBW_OPF_LAST)))
			continue;
		psn = psn_of(line);
		len += payload_len(s, line);
		if (opcode_flags(line) & IBW_OPF_LAST)
			return len;
	}
	mk_stream_die(s, first->number, "dma", "no LAST follows: the length has to be said");
}

static uint32_t dma_len(const struct mk_stream *s, const struct mk_line *line)
{
	if (mk_line_gives(line, MK_OPT_dma))
		return (uint32_t)MK_VALUE(line, dma, 0);
	if (opcode_flags(line) & IBW_OPF_FIRST)
		return message_len(s, line);
	return (uint32_t)MK_VALUE(line, len, 0);
}

static void set_reth(struct mk_packet *p, const struct mk_stream *s, const struct mk_line *line)
{
	p->reth.va = MK_VALUE(line, va, p->reth.va);
	p->reth.rkey = (uint32_t)MK_VALUE(line, rkey, p->reth.rkey);
	p->reth.dmalen = dma_len(s, line);
}

static void set_atomic(struct mk_packet *p, const struct mk_line *line)
{
	p->atomiceth.va = MK_VALUE(line, va, p->atomiceth.va);
	p->atomiceth.rkey = (uint32_t)MK_VALUE(line, rkey, p->atomiceth.rkey);
	p->atomiceth.swap = MK_VALUE(line, swap, p->atomiceth.swap);
	p->atomiceth.compare = MK_VALUE(line, compare, p->atomiceth.compare);
	p->atomicacketh.orig = MK_VALUE(line, orig, p->atomicacketh.orig);
}

static void set_aeth(struct mk_packet *p, const struct mk_stream *s, const struct mk_line *line)
{
	p->aeth.msn = mk_line_gives(line, MK_OPT_msn) ? (uint32_t)MK_VALUE(line, msn, 0)
						      : msn_of(s, line);
	p->aeth.syndrome = IBW_AETH_ACK_UNLIMITED;
	if (line->syndrome)
		p->aeth.syndrome = line->syndrome;
	if (mk_line_gives(line, MK_OPT_credits))
		p->aeth.syndrome = (uint8_t)MK_VALUE(line, credits, 0);
	if (mk_line_gives(line, MK_OPT_timer))
		p->aeth.syndrome = (uint8_t)(IBW_AETH_TYPE_RNR | MK_VALUE(line, timer, 0));
}

static void set_flags(struct mk_packet *p, const struct mk_line *line)
{
	p->bth.se = mk_line_is(line, MK_FLAG_se);
	p->bth.fecn = mk_line_is(line, MK_FLAG_fecn);
	p->bth.becn |= mk_line_is(line, MK_FLAG_becn);
	if (mk_line_is(line, MK_FLAG_nomig))
		p->bth.migreq = 0;
	if (mk_line_is(line, MK_FLAG_ackreq))
		p->bth.ackreq = 1;
	if (mk_line_is(line, MK_FLAG_noackreq))
		p->bth.ackreq = 0;
	if (mk_line_is(line, MK_FLAG_ce)) {
		p->ipv4.ecn = p->ipv6.ecn = IBW_ECN_CE;
		p->grh.tclass |= IBW_ECN_CE;
	}
}

/* A packet from QP to QP. */
static void start_transport(struct mk_packet *p, const struct mk_stream *s,
			    const struct mk_line *line)
{
	mk_start(p, line->framing, line->opcode, payload_len(s, line));
	p->bth.dqpn = line->to->qpn;
	p->bth.psn = psn_of(line);
	p->bth.pkey = (uint16_t)MK_VALUE(line, pkey, p->bth.pkey);
	p->deth.sqpn = line->from->qpn;
	p->deth.qkey = (uint32_t)MK_VALUE(line, qkey, p->deth.qkey);
	p->xrceth.xrcsrq = (uint32_t)MK_VALUE(line, srq, p->xrceth.xrcsrq);
	p->immdt.data = (uint32_t)MK_VALUE(line, imm, p->immdt.data);
	p->ieth.rkey = (uint32_t)MK_VALUE(line, rkey, p->ieth.rkey);
	if (p->eths & IBW_ETH_RETH)
		set_reth(p, s, line);
	if (p->eths & IBW_ETH_AETH)
		set_aeth(p, s, line);
	set_atomic(p, line);
	set_flags(p, line);
}

/* The port that Linux makes of the QPNs of a connection: rdma_calc_flow_label() and what follows. */
static uint16_t sport_of_pair(uint32_t a, uint32_t b)
{
	uint64_t v = (uint64_t)a * b;

	v ^= v >> 20;
	v ^= v >> 40;
	v &= 0xfffff;
	return (uint16_t)(SPORT_FIRST | ((v & 0x3fff) ^ (v >> 14)));
}

static uint16_t sport_of(const struct mk_stream *s, const struct mk_line *line)
{
	if (line->cm)
		return SPORT_FIRST + IBW_QPN_GSI;
	if (mk_line_gives(line, MK_OPT_sport) || line->from->sport)
		return (uint16_t)MK_VALUE(line, sport, line->from->sport);
	if (s->sport_pair)
		return sport_of_pair(line->from->qpn, line->to->qpn);
	return (uint16_t)(SPORT_FIRST | (line->from->qpn & 0x3fff));
}

static void set_addresses(struct mk_packet *p, const struct mk_host *from, const struct mk_host *to)
{
	static const uint8_t mac[6] = { 0x02 };

	memcpy(p->eth.src, mac, 6);
	memcpy(p->eth.dst, mac, 6);
	p->eth.src[5] = p->sll.addr[5] = p->sll2.addr[5] = from->number;
	p->eth.dst[5] = to->number;
	p->ipv4.src = from->ipv4;
	p->ipv4.dst = to->ipv4;
	memcpy(p->ipv6.src, from->gid, 16);
	memcpy(p->ipv6.dst, to->gid, 16);
	memcpy(p->grh.sgid, from->gid, 16);
	memcpy(p->grh.dgid, to->gid, 16);
	p->lrh.slid = from->lid;
	p->lrh.dlid = to->lid;
}

/* What the line says of the way the packet went. */
static void set_path(struct mk_packet *p, const struct mk_line *line)
{
	p->lrh.slid = (uint16_t)MK_VALUE(line, slid, p->lrh.slid);
	p->lrh.dlid = (uint16_t)MK_VALUE(line, dlid, p->lrh.dlid);
	if (mk_line_gives(line, MK_OPT_tos)) {
		p->grh.tclass = (uint8_t)MK_VALUE(line, tos, 0);
		p->ipv4.dscp = p->ipv6.dscp = p->grh.tclass >> 2;
		p->ipv4.ecn = p->ipv6.ecn = p->grh.tclass & 3;
	}
	p->ipv4.ttl = (uint8_t)MK_VALUE(line, ttl, p->ipv4.ttl);
	p->ipv4.id = (uint16_t)MK_VALUE(line, id, p->ipv4.id);
	p->ipv6.hop_limit = (uint8_t)MK_VALUE(line, ttl, p->ipv6.hop_limit);
	p->grh.hop_limit = (uint8_t)MK_VALUE(line, ttl, p->grh.hop_limit);
}

static void build(struct mk_packet *p, const struct mk_stream *s, const struct mk_line *line)
{
	uint8_t upper[64];

	if (line->has & MK_HAS_PRIORITY) {
		mk_pfc(p, line->from->host->number, (unsigned int)MK_VALUE(line, priority, 0),
		       (uint16_t)MK_VALUE(line, quanta, 0));
		return;
	}
	if (line->cm)
		mk_stream_cm(p, s, line);
	else
		start_transport(p, s, line);
	if (line->upper)
		p->payload = mk_stream_upper(line, upper);
	else if (line->n_bytes && !line->cm)
		p->payload = s->bytes + line->bytes_at;
	set_addresses(p, line->from->host, line->to->host);
	set_path(p, line);
	p->udp.sport = sport_of(s, line);
	p->grh.flow_label = p->ipv6.flow_label = p->udp.sport;
	mk_build(p);
	p->payload = NULL;
	if (mk_line_is(line, MK_FLAG_corrupt))
		p->b[p->icrc_off - 1] ^= 0x10;
}

/* "17 QPS008": what the line says of frame 17; 0: of the capture. */
static void put_rules(struct mk_capture *c, unsigned int frame, const struct mk_rules *rules)
{
	unsigned int i;

	for (i = 0; i < rules->n; i++)
		fprintf(c->expect, "%u %s\n", frame, rules->text[i]);
}

/* A pcap, or with interfaces a pcapng. */
static void begin(struct mk_capture *c, const struct mk_stream *s, const char *name)
{
	unsigned int i;

	mk_file_begin(c, name, true);
	if (!s->n_ifaces) {
		mk_pcap(c, mk_framing_linktype(s->framing), 0, MK_NANO);
		return;
	}
	mk_pcapng(c, MK_NANO);
	for (i = 0; i < s->n_ifaces; i++)
		mk_pcapng_iface(c, mk_framing_linktype(s->framing), 0);
}

static void write_stream(const struct mk_stream *s, const char *name)
{
	static struct mk_packet p;
	const struct mk_line *line;
	struct mk_capture c;
	uint64_t time_ns;
	uint32_t via;

	p.serial = 0;
	begin(&c, s, name);
	put_rules(&c, 0, &s->rules);
	time_ns = c.time_ns;
	for (line = s->lines; line < s->lines + s->n_lines; line++) {
		time_ns += line->after_ns;
		p.serial++;
		if (!captured(line))
			continue;
		build(&p, s, line);
		via = (uint32_t)MK_VALUE(line, via, 0);
		mk_put_at(&c, &p, via, time_ns + (uint64_t)s->clock_ns[via]);
		put_rules(&c, c.frames, &line->rules);
	}
	mk_file_end(&c);
}

/* What takes more than one line to know, before a file is begun. */
static void check_lengths(const struct mk_stream *s)
{
	const struct mk_line *line;

	for (line = s->lines; line < s->lines + s->n_lines; line++)
		if (line->has & MK_HAS_MESSAGE)
			dma_len(s, line);
}

/* DIR/NAME.txt becomes streams-NAME.pcap. */
static void make_one(int dir, const char *dir_name, const char *file_name)
{
	static struct mk_stream s;
	char path[512], name[256];
	int fd = openat(dir, file_name, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file)
		mk_die("%s/%s cannot be read", dir_name, file_name);
	if (snprintf(path, sizeof(path), "%s/%s", dir_name, file_name) >= (int)sizeof(path) ||
	    strlen(file_name) > sizeof(name) - sizeof("streams-.pcapng"))
		mk_die("%s: the name is too long", file_name);
	mk_stream_read(&s, file, path);
	fclose(file);
	snprintf(name, sizeof(name), "streams-%.*s.%s", (int)strlen(file_name) - 4, file_name,
		 s.n_ifaces ? "pcapng" : "pcap");
	check_lengths(&s);
	write_stream(&s, name);
}

static int is_text(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && !strcmp(dot, ".txt");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

void mk_all_streams(int dir, const char *dir_name)
{
	struct dirent **entries;
	int i, n = scandirat(dir, ".", &entries, is_text, by_name);

	if (n <= 0)
		mk_die("%s has no conversation", dir_name);
	for (i = 0; i < n; i++) {
		make_one(dir, dir_name, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}
