/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_stream_read.c - the text of a conversation: words, numbers, and what is wrong with them. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "make_stream.h"

#define LINE_MAX_BYTES 512
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SEPARATORS " \t\r\n"

void mk_stream_die(const struct mk_stream *s, unsigned int line, const char *word,
		   const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	mk_die("%s:%u: \"%s\": %s", s->path, line, word, text);
}

/* The words of the line being read. */
struct reader {
	struct mk_stream *s;
	unsigned int line;
	char text[LINE_MAX_BYTES];
	char *rest;
	const char *word; /* the last one */
};

#define REFUSE(r, ...) mk_stream_die((r)->s, (r)->line, (r)->word, __VA_ARGS__)

/* The next word; NULL at the end of the line. */
static const char *next(struct reader *r)
{
	const char *word = strtok_r(NULL, SEPARATORS, &r->rest);

	if (word)
		r->word = word;
	return word;
}

/* The word that has to follow. */
static const char *argument(struct reader *r)
{
	const char *word = next(r);

	if (!word)
		REFUSE(r, "something has to follow");
	return word;
}

static void expect_end(struct reader *r)
{
	if (next(r))
		REFUSE(r, "the line should end before this");
}

/* Decimal or 0x..., up to *@end. No octal: a leading zero means nothing here. */
static uint64_t digits(struct reader *r, const char *text, char **end)
{
	bool hex = text[0] == '0' && text[1] == 'x';
	uint64_t v;

	if (!(hex ? isxdigit((unsigned char)text[2]) : isdigit((unsigned char)text[0])) ||
	    (!hex && text[0] == '0' && isdigit((unsigned char)text[1])))
		REFUSE(r, "is no number");
	errno = 0;
	v = strtoull(text, end, hex ? 16 : 10);
	if (errno)
		REFUSE(r, "has more than 64 bits");
	return v;
}

static uint64_t number(struct reader *r, unsigned int bits)
{
	char *end;
	uint64_t v = digits(r, argument(r), &end);

	if (*end)
		REFUSE(r, "is no number");
	if (bits < 64 && v >> bits)
		REFUSE(r, "has more than %u bits", bits);
	return v;
}

static enum mk_framing framing_of(struct reader *r, const char *word)
{
	unsigned int i;

	for (i = 0; i < MK_FRAMING_COUNT; i++)
		if (!strcmp(word, mk_framing_name((enum mk_framing)i)))
			return (enum mk_framing)i;
	REFUSE(r, "is no framing");
}

static void read_framing(struct reader *r)
{
	const char *word = argument(r);

	if (r->s->framing != MK_FRAMING_COUNT)
		REFUSE(r, "there is a framing already");
	r->s->framing = framing_of(r, word);
}

static void read_mtu(struct reader *r)
{
	uint64_t mtu = number(r, 31);

	if (!mk_mtu_code((uint32_t)mtu))
		REFUSE(r, "is no path MTU");
	r->s->mtu = (uint32_t)mtu;
}

static void read_sport(struct reader *r)
{
	const char *word = argument(r);

	r->s->sport_pair = !strcmp(word, "pair");
	if (!r->s->sport_pair && strcmp(word, "own") != 0)
		REFUSE(r, "a source port is of the \"pair\" of QPs or of the \"own\" one");
}

/* "+3us", without the sign */
static uint64_t time_span(struct reader *r, const char *text)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	char *end;
	uint64_t v = digits(r, text, &end);
	unsigned int i;

	for (i = 0; i < COUNT(units); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (v > UINT32_MAX)
			REFUSE(r, "is too long a time");
		return v * units[i].ns;
	}
	REFUSE(r, "is no time: its unit is none of ns, us, ms, s");
}

/* "@+5ms" or "@-5ms" */
static int64_t signed_time(struct reader *r)
{
	int64_t span;

	if (r->word[0] != '@' || (r->word[1] != '+' && r->word[1] != '-'))
		REFUSE(r, "is no time: it should look like @+3us");
	span = (int64_t)time_span(r, r->word + 2);
	return r->word[1] == '-' ? -span : span;
}

/* interface [@+5ms]: the next one, and how far its clock is ahead (@-5ms: behind) */
static void read_interface(struct reader *r)
{
	const char *word = next(r);

	if (r->s->n_ifaces == MK_IFACES_MAX)
		REFUSE(r, "more than %d interfaces", MK_IFACES_MAX);
	if (word)
		r->s->clock_ns[r->s->n_ifaces] = signed_time(r);
	r->s->n_ifaces++;
}

/* The address of a host as the framing has it: IPv4, IPv6 (a GID) or a LID. */
static void read_address(struct reader *r, struct mk_host *host)
{
	enum mk_framing framing = r->s->framing;
	uint8_t four[4];
	char *end;
	uint64_t lid;

	host->lid = host->number;
	if (mk_framing_has(framing, IBW_LAYER_ipv4)) {
		if (inet_pton(AF_INET, host->address, four) != 1)
			REFUSE(r, "is no IPv4 address");
		host->ipv4 = ibw_get_be32(four);
		host->gid[10] = host->gid[11] = 0xff;
		memcpy(host->gid + 12, four, 4);
		return;
	}
	host->ipv4 = 0xc0000200 + host->number; /* of IPoIB: what the CM exchange names */
	if (mk_framing_has(framing, IBW_LAYER_ipv6) || mk_framing_has(framing, IBW_LAYER_grh)) {
		if (inet_pton(AF_INET6, host->address, host->gid) != 1)
			REFUSE(r, "is no IPv6 address or GID");
		return;
	}
	lid = digits(r, host->address, &end);
	if (*end || !lid || lid >= 0xc000)
		REFUSE(r, "is no unicast LID");
	host->lid = (uint16_t)lid;
	host->gid[0] = 0xfe;
	host->gid[1] = 0x80;
	host->gid[8] = 2;
	host->gid[15] = host->number;
}

/* The host of this address, which two ends may have in common. */
static struct mk_host *read_host(struct reader *r)
{
	const char *address = argument(r);
	struct mk_host *host;
	unsigned int i;

	for (i = 0; i < r->s->n_hosts; i++)
		if (!strcmp(r->s->hosts[i].address, address))
			return &r->s->hosts[i];
	host = &r->s->hosts[r->s->n_hosts++];
	if (snprintf(host->address, sizeof(host->address), "%s", address) >=
	    (int)sizeof(host->address))
		REFUSE(r, "is no address");
	host->number = (uint8_t)r->s->n_hosts;
	read_address(r, host);
	return host;
}

static struct mk_end *find_end(struct mk_stream *s, const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < s->n_ends; i++)
		if (strlen(s->ends[i].name) == n && !memcmp(s->ends[i].name, name, n))
			return &s->ends[i];
	return NULL;
}

static void check_qpn(struct reader *r, const struct mk_end *end)
{
	const struct mk_stream *s = r->s;
	unsigned int i;

	if (end->qpn < 2)
		REFUSE(r, "QP0 and QP1 are no ends");
	for (i = 0; i + 1 < s->n_ends; i++)
		if (s->ends[i].host == end->host && s->ends[i].qpn == end->qpn)
			REFUSE(r, "%s has this QPN on that host", s->ends[i].name);
}

/* NAME ADDRESS qp N [psn N] [msn N] [lid N] [sport N] [comm N]; the name has been read. */
static void read_end(struct reader *r)
{
	struct mk_stream *s = r->s;
	struct mk_host *host;
	struct mk_end *end;
	const char *word;

	if (s->framing == MK_FRAMING_COUNT)
		REFUSE(r, "the framing has to be said before");
	if (find_end(s, r->word, strlen(r->word)))
		REFUSE(r, "there is an end of this name");
	if (s->n_ends == MK_ENDS_MAX || strlen(r->word) >= sizeof(end->name))
		REFUSE(r, "more than %d ends, or too long a name", MK_ENDS_MAX);
	end = &s->ends[s->n_ends++];
	snprintf(end->name, sizeof(end->name), "%s", r->word);
	end->number = (uint8_t)s->n_ends;
	end->comm = 0x1000u + end->number;
	end->host = host = read_host(r);
	while ((word = next(r))) {
		if (!strcmp(word, "qp")) {
			end->qpn = (uint32_t)number(r, 24);
			check_qpn(r, end);
		} else if (!strcmp(word, "psn")) {
			end->psn = (uint32_t)number(r, 24);
		} else if (!strcmp(word, "msn")) {
			end->msn = (uint32_t)number(r, 24);
		} else if (!strcmp(word, "sport")) {
			end->sport = (uint16_t)number(r, 16);
		} else if (!strcmp(word, "comm")) {
			end->comm = (uint32_t)number(r, 16);
		} else if (!strcmp(word, "lid") && mk_framing_has(s->framing, IBW_LAYER_lrh)) {
			host->lid = (uint16_t)number(r, 16);
		} else {
			REFUSE(r, "is nothing an end has");
		}
	}
	if (!end->qpn)
		REFUSE(r, "the end has no qp");
}

/*
 * Verbs: the names of list/opcodes.def without RC_ and RDMA_; acknowledgements by
 * their syndrome; the messages of the CM.
 */
static const struct {
	uint8_t code;
	const char *name;
} opcodes[] = {
#define IBW_OPCODE(code, NAME, ...) { code, #NAME },
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

static const struct {
	const char *name;
	uint8_t syndrome;
	uint32_t has;
} acks[] = {
	{ "ACK", IBW_AETH_ACK_UNLIMITED, MK_HAS_CREDITS },
	{ "NAK_SEQ", IBW_AETH_NAK_PSN_SEQUENCE, 0 },
	{ "NAK_INV", IBW_AETH_NAK_INVALID_REQUEST, 0 },
	{ "NAK_ACCESS", IBW_AETH_NAK_REMOTE_ACCESS, 0 },
	{ "NAK_OP", IBW_AETH_NAK_REMOTE_OPERATIONAL, 0 },
	{ "NAK_RNR", IBW_AETH_RNR_NAK, MK_HAS_TIMER },
};

static const struct {
	const char *name;
	uint16_t attr;
	uint32_t has;
} messages[] = {
	{ "REQ", IBW_ATTR_CM_REQ, MK_HAS_START | MK_HAS_SERVICE | MK_HAS_TRANSPORT | MK_HAS_DEPTH },
	{ "MRA", IBW_ATTR_CM_MRA, MK_HAS_REMOTE },
	{ "REP", IBW_ATTR_CM_REP, MK_HAS_START | MK_HAS_TRANSPORT | MK_HAS_DEPTH | MK_HAS_REMOTE },
	{ "RTU", IBW_ATTR_CM_RTU, MK_HAS_REMOTE },
	{ "REJ", IBW_ATTR_CM_REJ, MK_HAS_REASON | MK_HAS_REMOTE },
	{ "DREQ", IBW_ATTR_CM_DREQ, MK_HAS_REMOTE },
	{ "DREP", IBW_ATTR_CM_DREP, MK_HAS_REMOTE },
};

#define SKIP(text, prefix) (strncmp(text, prefix, strlen(prefix)) ? 0 : strlen(prefix))

/* RC_RDMA_WRITE_FIRST is called WRITE_FIRST, UC_RDMA_WRITE_FIRST UC_WRITE_FIRST. */
static bool is_opcode(const char *word, const char *name)
{
	const char *rdma;
	size_t n;

	name += SKIP(name, "RC_");
	rdma = strstr(name, "RDMA_");
	if (!rdma)
		return !strcmp(word, name);
	n = (size_t)(rdma - name);
	return !strncmp(word, name, n) && !strcmp(word + n, rdma + strlen("RDMA_"));
}

static bool read_opcode(struct mk_line *line, const char *word)
{
	const struct ibw_opcode_row *row;
	unsigned int i;

	for (i = 0; i < COUNT(opcodes); i++) {
		if (!is_opcode(word, opcodes[i].name))
			continue;
		line->opcode = opcodes[i].code;
		row = &ibw_opcodes[line->opcode];
		line->has |= MK_HAS_BTH | row->eths;
		if (line->opcode != IBW_OP_CNP)
			line->has |= MK_HAS_PSN;
		if (row->flags & IBW_OPF_PAYLOAD || row->eths & IBW_ETH_RETH)
			line->has |= MK_HAS_LEN;
		if (row->flags & IBW_OPF_PAYLOAD && row->eths & IBW_ETH_RETH)
			line->has |= MK_HAS_MESSAGE;
		if (row->eths & IBW_ETH_AETH)
			line->has |= MK_HAS_CREDITS;
		return true;
	}
	return false;
}

static bool read_ack(struct mk_line *line, const char *word)
{
	size_t xrc = SKIP(word, "XRC_");
	unsigned int i;

	for (i = 0; i < COUNT(acks); i++) {
		if (strcmp(word + xrc, acks[i].name) != 0)
			continue;
		line->opcode = xrc ? IBW_OP_XRC_ACKNOWLEDGE : IBW_OP_RC_ACKNOWLEDGE;
		line->syndrome = acks[i].syndrome;
		line->has |= MK_HAS_BTH | MK_HAS_PSN | IBW_ETH_AETH | acks[i].has;
		return true;
	}
	return false;
}

static bool read_message(struct mk_line *line, const char *word)
{
	unsigned int i;

	for (i = 0; i < COUNT(messages); i++) {
		if (strcmp(word, messages[i].name) != 0)
			continue;
		line->cm = messages[i].attr;
		line->has |= MK_HAS_CM | messages[i].has;
		return true;
	}
	return false;
}

static bool read_upper(struct mk_line *line, const char *word)
{
	line->upper = (uint8_t)mk_stream_upper_of(word);
	if (!line->upper)
		return false;
	line->opcode = IBW_OP_RC_SEND_ONLY;
	line->has |= MK_HAS_BTH | MK_HAS_PSN | MK_HAS_UPPER;
	return true;
}

static bool read_pause(struct reader *r, struct mk_line *line, const char *word)
{
	if (strcmp(word, "PFC") != 0)
		return false;
	if (mk_framing_linktype(line->framing) != IBW_LINKTYPE_ETHERNET)
		REFUSE(r, "is of Ethernet alone");
	line->has |= MK_HAS_PRIORITY;
	return true;
}

static const struct {
	const char *word;
	unsigned int bits;
	uint32_t of;
} options[] = {
#define MK_OPTION(word, bits, of) { #word, bits, of },
	MK_OPTIONS(MK_OPTION)
#undef MK_OPTION
};

static const struct {
	const char *word;
	uint32_t of;
} flags[] = {
#define MK_FLAG(word, of) { #word, of },
	MK_FLAGS(MK_FLAG)
#undef MK_FLAG
};

static bool read_option(struct reader *r, struct mk_line *line)
{
	unsigned int i;

	for (i = 0; i < COUNT(options); i++) {
		if (strcmp(r->word, options[i].word) != 0)
			continue;
		if (!(options[i].of & line->has))
			REFUSE(r, "this packet has none");
		if (line->given >> i & 1)
			REFUSE(r, "is said twice");
		line->given |= UINT64_C(1) << i;
		line->value[i] = number(r, options[i].bits);
		return true;
	}
	return false;
}

static bool read_flag(struct reader *r, struct mk_line *line)
{
	unsigned int i;

	for (i = 0; i < COUNT(flags); i++) {
		if (strcmp(r->word, flags[i].word) != 0)
			continue;
		if (flags[i].of && !(flags[i].of & line->has))
			REFUSE(r, "this packet has none");
		if (line->flags >> i & 1)
			REFUSE(r, "is said twice");
		line->flags |= UINT32_C(1) << i;
		return true;
	}
	return false;
}

/* "@+3us": so long after the line before. */
static bool read_time(struct reader *r, struct mk_line *line)
{
	if (r->word[0] != '@')
		return false;
	if (r->word[1] != '+')
		REFUSE(r, "is no time: it should look like @+3us");
	line->after_ns = time_span(r, r->word + 2);
	return true;
}

static uint8_t nibble(struct reader *r, char c)
{
	if (!isxdigit((unsigned char)c))
		REFUSE(r, "is no bytes in hexadecimal");
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* A packet that more of its message follows is full. */
static void fill(struct reader *r, const struct mk_line *line)
{
	struct mk_stream *s = r->s;

	while (s->n_bytes - line->bytes_at < s->mtu) {
		if (s->n_bytes == MK_BYTES_MAX)
			REFUSE(r, "more than %d bytes in all", MK_BYTES_MAX);
		s->bytes[s->n_bytes++] = 0;
	}
}

/* "bytes 0200ff": the payload, and so its length; of the CM: the private data */
static bool read_bytes(struct reader *r, struct mk_line *line)
{
	bool payload = ibw_opcodes[line->opcode].flags & IBW_OPF_PAYLOAD && line->has & MK_HAS_LEN;
	struct mk_stream *s = r->s;
	const char *hex;

	if (strcmp(r->word, "bytes") != 0)
		return false;
	if (!payload && !mk_stream_private_at(line))
		REFUSE(r, "this packet has none");
	if (mk_line_gives(line, MK_OPT_len))
		REFUSE(r, "its length is said");
	line->bytes_at = s->n_bytes;
	for (hex = argument(r); *hex; hex += 2) {
		if (s->n_bytes == MK_BYTES_MAX)
			REFUSE(r, "more than %d bytes in all", MK_BYTES_MAX);
		s->bytes[s->n_bytes++] = (uint8_t)(nibble(r, hex[0]) << 4 | nibble(r, hex[1]));
	}
	if (payload && ibw_opcodes[line->opcode].flags & IBW_OPF_MTU)
		fill(r, line);
	line->n_bytes = s->n_bytes - line->bytes_at;
	line->given |= UINT64_C(1) << MK_OPT_len;
	line->value[MK_OPT_len] = line->n_bytes;
	return true;
}

/* "as FRAMING": in another than the file's, of the same link type */
static bool read_as(struct reader *r, struct mk_line *line)
{
	if (strcmp(r->word, "as") != 0)
		return false;
	line->framing = framing_of(r, argument(r));
	if (mk_framing_linktype(line->framing) != mk_framing_linktype(r->s->framing))
		REFUSE(r, "is of another link type");
	return true;
}

/* "QPS008 !QPS009 ?QPS010", after "=>": rules that are fired, that are not, and that may be. */
static void read_rule_list(struct reader *r, struct mk_rules *rules)
{
	const char *word, *name;

	word = argument(r);
	for (; word; word = next(r)) {
		name = word + (*word == '!' || *word == '?');
		if (strlen(name) != 6 || strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3 ||
		    strspn(name + 3, "0123456789") != 3)
			REFUSE(r, "is no rule");
		if (rules->n == MK_RULES_MAX)
			REFUSE(r, "more than %d rules", MK_RULES_MAX);
		snprintf(rules->text[rules->n++], sizeof(rules->text[0]), "%s", word);
	}
}

static bool read_rules(struct reader *r, struct mk_line *line)
{
	if (strcmp(r->word, "=>") != 0)
		return false;
	if (mk_line_is(line, MK_FLAG_lost) || mk_line_is(line, MK_FLAG_unseen))
		REFUSE(r, "the packet is not in the capture");
	read_rule_list(r, &line->rules);
	return true;
}

/* capture => RULES */
static void read_capture(struct reader *r)
{
	if (strcmp(argument(r), "=>") != 0)
		REFUSE(r, "\"=>\" has to follow");
	read_rule_list(r, &r->s->rules);
}

/* What cannot be made up. */
static void check_packet(struct reader *r, const struct mk_line *line)
{
	const struct ibw_opcode_row *row = &ibw_opcodes[line->opcode];
	int fates = mk_line_is(line, MK_FLAG_lost) + mk_line_is(line, MK_FLAG_dropped) +
		    mk_line_is(line, MK_FLAG_unseen);

	if (line->has & MK_HAS_PSN && !mk_line_gives(line, MK_OPT_psn))
		REFUSE(r, "needs a psn");
	if (line->has & MK_HAS_LEN && !mk_line_gives(line, MK_OPT_len) &&
	    !(row->flags & IBW_OPF_MTU))
		REFUSE(r, "needs a len");
	if (line->has & MK_HAS_TIMER && !mk_line_gives(line, MK_OPT_timer))
		REFUSE(r, "needs a timer");
	if (line->has & MK_HAS_PRIORITY &&
	    !(mk_line_gives(line, MK_OPT_priority) && mk_line_gives(line, MK_OPT_quanta)))
		REFUSE(r, "needs a priority and quanta");
	if (MK_VALUE(line, via, 0) >= (r->s->n_ifaces ? r->s->n_ifaces : 1))
		REFUSE(r, "there is no such interface");
	if (mk_line_gives(line, MK_OPT_pathmtu) &&
	    !mk_mtu_code((uint32_t)MK_VALUE(line, pathmtu, 0)))
		REFUSE(r, "its pathmtu is no path MTU");
	if (row->flags & IBW_OPF_PAYLOAD && MK_VALUE(line, len, 0) > r->s->mtu)
		REFUSE(r, "its len is more than the MTU");
	if (fates > 1)
		REFUSE(r, "can be one of lost, dropped and unseen");
}

static struct mk_line *new_line(struct reader *r)
{
	struct mk_stream *s = r->s;
	struct mk_line *line = &s->lines[s->n_lines];

	if (s->n_lines == MK_LINES_MAX)
		REFUSE(r, "more than %d packets", MK_LINES_MAX);
	memset(line, 0, sizeof(*line));
	s->n_lines++;
	return line;
}

/* "times N": so many packets, each with the next PSN; the rules are the last one's. */
static void repeat(struct reader *r, struct mk_line *line)
{
	uint64_t i, n = MK_VALUE(line, times, 1);
	struct mk_rules rules = line->rules;
	struct mk_line *last = line;

	if (!n)
		REFUSE(r, "0 times is none");
	for (i = 1; i < n; i++) {
		last->rules.n = 0;
		last = new_line(r);
		*last = *line;
		last->value[MK_OPT_psn] = (MK_VALUE(line, psn, 0) + i) & 0xffffff;
	}
	last->rules = rules;
}

/* FROM>TO VERB ...; FROM>TO has been read and has a '>' at @arrow. */
static void read_packet(struct reader *r, const char *arrow)
{
	struct mk_stream *s = r->s;
	struct mk_line *line;
	const char *verb;

	line = new_line(r);
	line->number = r->line;
	line->framing = s->framing;
	line->after_ns = MK_TIME_STEP;
	line->has = MK_HAS_ALL | (mk_framing_has(s->framing, IBW_LAYER_lrh) ? MK_HAS_LRH : 0);
	line->from = find_end(s, r->word, (size_t)(arrow - r->word));
	line->to = find_end(s, arrow + 1, strlen(arrow + 1));
	if (!line->from || !line->to || line->from == line->to)
		REFUSE(r, "is not from one end to another");
	verb = argument(r);
	if (!read_opcode(line, verb) && !read_ack(line, verb) && !read_message(line, verb) &&
	    !read_upper(line, verb) && !read_pause(r, line, verb))
		REFUSE(r, "is no packet");
	while (next(r))
		if (!read_option(r, line) && !read_flag(r, line) && !read_time(r, line) &&
		    !read_as(r, line) && !read_bytes(r, line) && !read_rules(r, line))
			REFUSE(r, "is nothing a packet has");
	r->word = verb;
	check_packet(r, line);
	repeat(r, line);
}

static void read_line(struct reader *r)
{
	const char *arrow;

	r->word = strtok_r(r->text, SEPARATORS, &r->rest);
	if (!r->word)
		return;
	arrow = strchr(r->word, '>');
	if (arrow && arrow != r->word) {
		read_packet(r, arrow);
		return;
	}
	if (isupper((unsigned char)r->word[0])) {
		read_end(r);
		return;
	}
	if (!strcmp(r->word, "framing"))
		read_framing(r);
	else if (!strcmp(r->word, "mtu"))
		read_mtu(r);
	else if (!strcmp(r->word, "sport"))
		read_sport(r);
	else if (!strcmp(r->word, "interface"))
		read_interface(r);
	else if (!strcmp(r->word, "capture"))
		read_capture(r);
	else
		REFUSE(r,
		       "is none of framing, mtu, sport, interface, capture, an end and a packet");
	expect_end(r);
}

void mk_stream_read(struct mk_stream *s, FILE *file, const char *path)
{
	static struct reader r;
	char *comment;

	memset(s, 0, offsetof(struct mk_stream, lines));
	memset(&r, 0, sizeof(r));
	s->path = path;
	s->framing = MK_FRAMING_COUNT;
	s->mtu = 1024;
	r.s = s;
	while (fgets(r.text, sizeof(r.text), file)) {
		r.line++;
		r.word = "";
		if (!strchr(r.text, '\n'))
			REFUSE(&r, "the line is too long, or the last one does not end");
		comment = strchr(r.text, '#');
		if (comment)
			*comment = 0;
		read_line(&r);
	}
	r.word = "";
	if (ferror(file) || !s->n_lines)
		REFUSE(&r, "there is no packet");
}
