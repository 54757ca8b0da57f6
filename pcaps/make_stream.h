/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_stream.h - conversations: streams/NAME.txt becomes streams-NAME.pcap.
 *
 *	framing roce-v2-ipv4
 *	mtu 1024
 *	A 192.0.2.1 qp 0x11 psn 5
 *	B 192.0.2.2 qp 0x12 psn 900
 *
 *	A>B WRITE_FIRST psn 5
 *	A>B WRITE_LAST  psn 6 len 100 lost
 *	B>A ACK         psn 5              @+3us
 *
 * What the words mean is in README.md. make_stream_read.c reads the text and ends the program
 * with a message where it is wrong; make_stream.c and make_stream_cm.c make packets of it.
 */
#ifndef PCAPS_MAKE_STREAM_H
#define PCAPS_MAKE_STREAM_H

#include "make.h"

#define MK_ENDS_MAX 32
#define MK_LINES_MAX 67000
#define MK_RULES_MAX 4
#define MK_IFACES_MAX 8

/* What a packet must have for an option to be about it: IBW_ETH_..., and these. */
_Static_assert(IBW_ETH_CNP == 1 << 13, "the bits of headers end before these");
enum {
	MK_HAS_UPPER = 1 << 14,    /* a message of NVMe */
	MK_HAS_PRIORITY = 1 << 15, /* PFC, which has no transport */
	MK_HAS_PSN = 1 << 16,      /* said in the line: all but those of the CM, and CNP */
	MK_HAS_LEN = 1 << 17,      /* payload, or what a READ asks for */
	MK_HAS_MESSAGE = 1 << 18,  /* WRITE: the length of all of it */
	MK_HAS_CREDITS = 1 << 19,
	MK_HAS_TIMER = 1 << 20,
	MK_HAS_START = 1 << 21, /* REQ and REP: the starting PSN */
	MK_HAS_SERVICE = 1 << 22,
	MK_HAS_REASON = 1 << 23,
	MK_HAS_TRANSPORT = 1 << 24,
	MK_HAS_BTH = 1 << 25, /* a packet of the two QPs, not one of their CMs */
	MK_HAS_CM = 1 << 26,
	MK_HAS_ALL = 1 << 27,
	MK_HAS_LRH = 1 << 28,
	MK_HAS_DEPTH = 1 << 29,  /* REQ and REP: what they agree on */
	MK_HAS_REMOTE = 1 << 30, /* all but REQ: Remote Communication ID */
};

/* The words with a number. O(word, bits, what a packet must have) */
#define MK_OPTIONS(O)                                                                              \
	O(psn, 24, MK_HAS_PSN | MK_HAS_START)                                                      \
	O(len, 31, MK_HAS_LEN)                                                                     \
	O(dma, 31, MK_HAS_MESSAGE | MK_HAS_UPPER)                                                  \
	O(va, 64, IBW_ETH_RETH | IBW_ETH_ATOMICETH | MK_HAS_UPPER)                                 \
	O(rkey, 32, IBW_ETH_RETH | IBW_ETH_ATOMICETH | IBW_ETH_IETH | MK_HAS_UPPER)                \
	O(swap, 64, IBW_ETH_ATOMICETH)                                                             \
	O(compare, 64, IBW_ETH_ATOMICETH)                                                          \
	O(orig, 64, IBW_ETH_ATOMICACKETH)                                                          \
	O(msn, 24, IBW_ETH_AETH)                                                                   \
	O(credits, 5, MK_HAS_CREDITS)                                                              \
	O(timer, 5, MK_HAS_TIMER)                                                                  \
	O(imm, 32, IBW_ETH_IMMDT)                                                                  \
	O(qkey, 32, IBW_ETH_DETH)                                                                  \
	O(srq, 24, IBW_ETH_XRCETH)                                                                 \
	O(service, 64, MK_HAS_SERVICE)                                                             \
	O(conn, 8, MK_HAS_CM)                                                                      \
	O(reason, 16, MK_HAS_REASON)                                                               \
	O(remote, 32, MK_HAS_REMOTE)                                                               \
	O(qpn, 24, MK_HAS_DEPTH)                                                                   \
	O(initdepth, 8, MK_HAS_DEPTH)                                                              \
	O(resources, 8, MK_HAS_DEPTH)                                                              \
	O(rnr, 3, MK_HAS_DEPTH)                                                                    \
	O(retry, 3, MK_HAS_SERVICE)                                                                \
	O(timeout, 5, MK_HAS_SERVICE)                                                              \
	O(pathmtu, 31, MK_HAS_SERVICE)                                                             \
	O(ttl, 8, MK_HAS_ALL)                                                                      \
	O(tos, 8, MK_HAS_ALL)                                                                      \
	O(id, 16, MK_HAS_ALL)                                                                      \
	O(sport, 16, MK_HAS_BTH)                                                                   \
	O(via, 3, MK_HAS_ALL)                                                                      \
	O(slid, 16, MK_HAS_LRH)                                                                    \
	O(dlid, 16, MK_HAS_LRH)                                                                    \
	O(times, 16, MK_HAS_PSN)                                                                   \
	O(pkey, 16, MK_HAS_BTH)                                                                    \
	O(priority, 3, MK_HAS_PRIORITY)                                                            \
	O(quanta, 16, MK_HAS_PRIORITY)                                                             \
	O(op, 8, MK_HAS_UPPER)                                                                     \
	O(fctype, 8, MK_HAS_UPPER)                                                                 \
	O(cid, 16, MK_HAS_UPPER)                                                                   \
	O(qid, 16, MK_HAS_UPPER)                                                                   \
	O(sqsize, 16, MK_HAS_UPPER)                                                                \
	O(status, 15, MK_HAS_UPPER)                                                                \
	O(kato, 32, MK_HAS_UPPER)

enum mk_option {
#define MK_OPTION(word, bits, of) MK_OPT_##word,
	MK_OPTIONS(MK_OPTION)
#undef MK_OPTION
		MK_OPT_COUNT
};

/* The words without. F(word, what a packet must have) */
#define MK_FLAGS(F)                                                                                \
	F(lost, 0)    /* before the capture point: neither captured nor received */                \
	F(dropped, 0) /* after the capture point: captured, not received */                        \
	F(unseen, 0)  /* received, not captured */                                                 \
	F(ackreq, MK_HAS_BTH)                                                                      \
	F(noackreq, MK_HAS_BTH)                                                                    \
	F(se, MK_HAS_BTH)                                                                          \
	F(fecn, MK_HAS_BTH)                                                                        \
	F(becn, MK_HAS_BTH)                                                                        \
	F(nomig, MK_HAS_BTH)   /* MigReq is 0 */                                                   \
	F(corrupt, MK_HAS_BTH) /* a bit flips: its ICRC is wrong */                                \
	F(ce, MK_HAS_BTH)                                                                          \
	F(uc, MK_HAS_TRANSPORT)                                                                    \
	F(xrc, MK_HAS_TRANSPORT)

enum mk_flag {
#define MK_FLAG(word, of) MK_FLAG_##word,
	MK_FLAGS(MK_FLAG)
#undef MK_FLAG
};

/* What a SEND carries. */
enum mk_upper {
	MK_UPPER_NONE,
	MK_UPPER_NVME_CONNECT,
	MK_UPPER_NVME_COMMAND,
	MK_UPPER_NVME_CQE,
	MK_UPPER_COUNT
};

struct mk_host {
	char address[64]; /* as written */
	uint8_t number;   /* 1, 2 ... in the order of the file */
	uint8_t gid[16];  /* IPv6 address, or IPv4 as RoCE v2 maps it */
	uint32_t ipv4;
	uint16_t lid;
};

/* A queue pair. */
struct mk_end {
	char name[16];
	uint8_t number; /* 1, 2 ... */
	uint32_t comm;  /* its communication ID: unique on its host */
	const struct mk_host *host;
	uint32_t qpn;
	uint32_t psn;   /* of its first request: what the other end names in REQ or REP */
	uint32_t msn;   /* what it has received before the first line */
	uint16_t sport; /* 0: by the rule of the file */
};

/* Rules that a frame, or the capture as a whole, fires (or not: "!", or perhaps: "?"). */
struct mk_rules {
	char text[MK_RULES_MAX][12];
	unsigned int n;
};

struct mk_line {
	unsigned int number; /* in the file */
	enum mk_framing framing;
	const struct mk_end *from, *to;
	uint8_t opcode;
	uint8_t syndrome;
	uint8_t upper; /* enum mk_upper */
	uint16_t cm;   /* IBW_ATTR_CM_...; 0: none of the CM */
	uint32_t has;
	uint64_t given; /* 1 << MK_OPT_... */
	uint64_t value[MK_OPT_COUNT];
	uint32_t flags;    /* 1 << MK_FLAG_... */
	uint64_t after_ns; /* the line before */
	struct mk_rules rules;
	uint32_t bytes_at,
		n_bytes; /* its payload or private data, in bytes of the stream; 0: made up */
};

/* Payloads that lines give. */
#define MK_BYTES_MAX 65536

struct mk_stream {
	const char *path;
	enum mk_framing framing; /* MK_FRAMING_COUNT: not said yet */
	uint32_t mtu;
	bool sport_pair; /* the source port is made of both QPNs, as Linux does for most cards */
	struct mk_host hosts[MK_ENDS_MAX];
	struct mk_end ends[MK_ENDS_MAX];
	struct mk_rules rules;           /* of the capture */
	int64_t clock_ns[MK_IFACES_MAX]; /* of each interface, against the time of the lines */
	unsigned int n_ifaces;           /* 0: a pcap */
	unsigned int n_hosts, n_ends, n_lines;
	uint32_t n_bytes;
	uint8_t bytes[MK_BYTES_MAX];
	struct mk_line lines[MK_LINES_MAX]; /* only those there are have been set */
};

/* Reads @file, which is called @path in messages. */
void mk_stream_read(struct mk_stream *s, FILE *file, const char *path);

static inline bool mk_line_is(const struct mk_line *line, enum mk_flag flag)
{
	return line->flags >> flag & 1;
}

static inline bool mk_line_gives(const struct mk_line *line, enum mk_option option)
{
	return line->given >> option & 1;
}

/* What @line says of @option, or @otherwise. */
static inline uint64_t mk_line_value(const struct mk_line *line, enum mk_option option,
				     uint64_t otherwise)
{
	return mk_line_gives(line, option) ? line->value[option] : otherwise;
}

#define MK_VALUE(line, word, otherwise) mk_line_value((line), MK_OPT_##word, (otherwise))

/* Ends the program: what is wrong with @word of that line. */
__attribute__((noreturn, format(printf, 4, 5))) void mk_stream_die(const struct mk_stream *s,
								   unsigned int line,
								   const char *word,
								   const char *format, ...);

/* The code of a path MTU, 0: there is no such MTU. */
static inline uint8_t mk_mtu_code(uint32_t mtu)
{
	uint8_t code;

	for (code = IBW_MTU_CODE_MIN; code <= IBW_MTU_CODE_MAX; code++)
		if (IBW_MTU_MIN << (code - IBW_MTU_CODE_MIN) == mtu)
			return code;
	return 0;
}

/* make_stream_upper.c: the message that @verb is; how long it is; its bytes, which are @p. */
enum mk_upper mk_stream_upper_of(const char *verb);
uint32_t mk_stream_upper_bytes(const struct mk_line *line);
const uint8_t *mk_stream_upper(const struct mk_line *line, uint8_t p[64]);

/* Where the private data of a message of the CM are that a line may give; 0: it has none. */
uint32_t mk_stream_private_at(const struct mk_line *line);

/* Starts a CM message; make_stream.c adds the addresses. */
void mk_stream_cm(struct mk_packet *p, const struct mk_stream *s, const struct mk_line *line);

#endif /* PCAPS_MAKE_STREAM_H */
