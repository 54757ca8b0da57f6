/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iw.h - what the files of the plugin know of each other.
 *
 *	plugin.c	what Wireshark loads; registration in its order
 *	prefs.c		the preferences
 *	hf.c		the fields, made from the reflection tables
 *	alias.c		the built-in dissector's names for them
 *	frame.c		the view of the frame Wireshark is dissecting
 *	pass.c		the first pass: trackers, linter, and what later passes need of them
 *	twice.c		which packets were captured twice
 *	field.c		a header as tree items
 *	tree.c		a packet as tree items
 *	expert.c	the linter: findings kept by frame, shown as expert items
 *	mad.c		management datagrams
 *	rmpp.c		records spread over several of them
 *	info.c		a packet in one line
 *	column.c	what columns and graphs of a profile show
 *	conv.c		conversations and endpoints of queue pairs
 *	stream.c	which connection a packet is of, and which of its packets
 *	psn.c		relative PSNs, and the next one
 *	links.c		which packet answers which
 *	cnp.c		which marks a CNP answers
 *	read.c		what responses of a READ or an atomic brought
 *	inflight.c	what was in flight when a request was sent
 *	msg.c		which message a packet is of
 *	conn.c		the messages of the CM that began and ended a connection
 *	analysis.c	what the trackers found out about a packet
 *	incident.c	which incidents a packet belongs to
 *	incidents.c	-z ibwire,incidents
 *	stats.c		what -z offers
 *	flows.c		-z ibwire,flows
 *	srt.c		-z ibwire,srt: how long it took
 *	follow.c	-z follow,ibwire: what was carried
 *	seq.c		-z flow,ibwire: who said what to whom
 *	quoted.c	what an ICMP error quotes
 *	augment.c	the tree next to the built-in one
 *	takeover.c	dissectors in the place of the built-in ones
 *	builtin.c	the built-in dissector, for what it alone knows
 *	upper.c		what the packets carry, handed on
 *	service.c	to whom, as the CM exchange says
 *	decode_as.c	to whom, as the user says
 *	export.c	messages for Export PDU
 *	reassemble.c	messages of several packets
 *	whole.c		what the tree says of those
 */
#ifndef IW_H
#define IW_H

#include "compat.h"

#include <ibwire/mad_walk.h>
#include <ibwire/out.h>
#include <ibwire/packet.h>

#include "lint/lint.h"
#include "track/context.h"
#include "track/incident/incident.h"
#include "track/stream/qps.h"
#include "track/view/icmp.h"

/* The protocol, and the tree items of its own. */
#define IW_NAME "RDMA wire formats"
#define IW_SHORT_NAME "RDMA" /* of tabs and preferences */
extern int iw_proto;

enum iw_mode { IW_AUGMENT, IW_TAKE_OVER, IW_OFF };

/* The names a field has in a tree that shows; whatever is asked for by name is there besides. */
enum iw_names { IW_NAMES_BOTH, IW_NAMES_IBWIRE, IW_NAMES_INFINIBAND };

#define IW_ROCE_PORTS_MAX 16

struct iw_prefs {
	enum iw_mode mode;
	bool verify_icrc;
	enum iw_names names;         /* take-over mode */
	bool all_fields;             /* augment mode: also those the built-in dissector has right */
	enum lint_severity severity; /* the lowest that is shown */
	uint64_t max_findings;       /* of a rule that are shown; 0: all */
	uint64_t rmpp_bytes;         /* of records that are reassembled */
	uint64_t reassemble_bytes;   /* of messages of several packets; 0: none is reassembled */
	bool relative_psns;
	bool stream_in_info;
	struct lint_options lint;
};

extern struct iw_prefs iw_prefs;

void iw_prefs_register(void);
/* Takes them over as they are when a file is about to be read: every change has it read again. */
void iw_prefs_apply(void);

/* The items that do not stand for a field of the schema. */
enum iw_item {
	IW_PROTO_ITEM, /* ibwire.proto */
	IW_OUTCOME,
	IW_ICRC,
	IW_ICRC_STATUS,
	IW_VCRC,
	IW_VCRC_STATUS,
	IW_OPTIONS, /* of a header longer than its fixed part */
	IW_PAYLOAD,
	IW_PAYLOAD_LEN,
	IW_PAD,
	IW_TRAILER,
	IW_RMPP_IN,
	IW_RMPP_SEGMENT,
	IW_RMPP_LENGTH,
	IW_QUOTED,
	IW_CONV_SQPN,
	IW_CONV_SETUP,
	IW_CONV_HOW,
	IW_CONV_SRC,
	IW_CONV_DST,
	IW_CONV_END,
	IW_LINT,
	IW_LINT_RULE,
	IW_LINT_NAME,
	IW_LINT_SEVERITY,
	IW_LINT_MESSAGE,
	IW_ITEM_COUNT
};

extern int iw_hf[IW_ITEM_COUNT];

/* The single bits of a mask: each an item of its own below the field's. */
struct iw_bits {
	unsigned int count;
	int *hf;
};

/* How a value gets into an item. */
enum iw_how {
	IW_FETCHED, /* by Wireshark, from the tvb */
	IW_NUMBER,
	IW_FLAG,
	IW_NUMBER64,
};

/* One field: what can be said of it before there is a packet. */
struct iw_field {
	int hf;
	int alias;    /* the same under the built-in's name; 0: has none */
	uint16_t off; /* where it lies in the header: as iw_place */
	uint16_t bytes;
	uint8_t how;       /* enum iw_how */
	uint8_t alias_how; /* enum iw_how */
	bool rare;         /* not just one item that is always there */
	bool theirs;       /* the built-in dissector has it, wherever it knows the header */
};

/* The items of one header: its subtree, then one for each row of its table. */
struct iw_header {
	int hf;
	int ett;
	struct iw_field *field; /* by row of ibw_headers[].fields */
	struct iw_bits *bits;   /* by row; count 0: not a mask */
	int *comp;              /* by row: its bit in a component mask; 0: has none */
};

extern struct iw_header iw_headers[IBW_LAYER_COUNT];
extern int iw_ett;      /* the protocol */
extern int iw_ett_bits; /* of a mask */

void iw_hf_register(void);
/* What lists of fields say of an expert item, which Wireshark has made the field of. */
void iw_expert_blurb(const expert_field *ei, const char *blurb);

/* The names of the built-in dissector; once our own fields are registered. */
void iw_alias_register(void);
/* The field of @wire, which is at @at of @tvb, under the built-in's name. */
void iw_alias_add(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_field *field,
		  const struct ibw_field *f, const void *wire);

/* @text as part of a field's name: small letters, digits and underscores. For ever. */
char *iw_word_of(const char *text);

/*
 * Whether an item would be there for anybody: most trees are built for a few fields, and
 * asking is cheaper than an item nobody looks at.
 */
static inline bool iw_wanted(proto_tree *tree, int hf)
{
	return PTREE_DATA(tree)->visible || proto_field_is_referenced(tree, hf);
}

/* An item of no bytes of the packet, if it is wanted. */
static inline void iw_add_generated(proto_tree *tree, tvbuff_t *tvb, int hf, uint32_t value)
{
	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, value));
}

/* A time of Wireshark's in nanoseconds, as trackers have it. */
static inline uint64_t iw_ns(const nstime_t *t)
{
	return (uint64_t)t->secs * 1000000000u + (uint64_t)t->nsecs;
}

/* A row of what proto_register_field_array() takes. */
#define IW_ROW(hf, label, name, type, base, strings, blurb)                                        \
	{                                                                                          \
		&(hf),                                                                             \
		{                                                                                  \
			label, name, type, base, strings, 0, blurb, HFILL                          \
		}                                                                                  \
	}

/* Whether a filter, a column or a tap asks for it by name: for items only they have a use for. */
static inline bool iw_asked_for(int hf)
{
	return proto_registrar_get_nth((unsigned int)hf)->ref_type != HF_REF_TYPE_NONE;
}

/*
 * Hides the items of @tree after @last, NULL: all. Not left out: -T fields of Wireshark 4.0 asks for
 * nothing by name, but builds a tree that shows.
 */
static inline void iw_hide_behind(proto_tree *tree, proto_node *last)
{
	proto_node *node = last ? last->next : tree->first_child;

	for (; node; node = node->next)
		proto_item_set_hidden(node);
}

/* Whether a field is to be there under the built-in's name @hf, too, in a tree that shows or not. */
static inline bool iw_alias_wanted(int hf, bool visible)
{
	return iw_prefs.mode == IW_TAKE_OVER &&
	       ((visible && iw_prefs.names != IW_NAMES_IBWIRE) || iw_asked_for(hf));
}

/* An item of value @v; one that is fetched is read with @encoding instead. */
static inline proto_item *iw_add_value(proto_tree *tree, int hf, tvbuff_t *tvb, int off, int bytes,
				       enum iw_how how, uint64_t v, unsigned int encoding)
{
	switch (how) {
	case IW_NUMBER:
		return proto_tree_add_uint(tree, hf, tvb, off, bytes, (uint32_t)v);
	case IW_FLAG:
		return proto_tree_add_boolean(tree, hf, tvb, off, bytes, (uint32_t)v);
	case IW_NUMBER64:
		return proto_tree_add_uint64(tree, hf, tvb, off, bytes, v);
	case IW_FETCHED:
		break;
	}
	return proto_tree_add_item(tree, hf, tvb, off, bytes, encoding);
}

/* Where a field lies, as Wireshark counts: whole bytes. */
struct iw_place {
	unsigned int off, bytes;
};

static inline struct iw_place iw_place_of(const struct ibw_field *f)
{
	return (struct iw_place){ f->at / 8, (f->at + f->bits - 1) / 8 - f->at / 8 + 1 };
}

/*
 * The view of a frame. It counts from the first byte of the file's record; Wireshark keeps an
 * ERF header apart, so that it is not in the frame's tvb.
 */
struct iw_frame {
	struct track_view view;
	struct track_context context;
	tvbuff_t *tvb;      /* the frame */
	tvbuff_t *head_tvb; /* what is before it: offsets below head; or NULL */
	unsigned int head;
	unsigned int base;  /* where in tvb byte head of the view is */
	bool shown;         /* its layers are in the tree */
	bool whole;         /* the frame as Wireshark has it: findings are about it */
	bool told;          /* its findings are in the tree */
	bool lacking;       /* only what the built-in dissector, which has seen it, has not */
	tvbuff_t *message;  /* that its packet completes; NULL: not asked for yet */
	uint32_t linktype;  /* as it was walked; */
	uint16_t roce_port; /* the UDP port of RoCE v2, 0: those of the preferences are */
};

/*
 * The view of the frame being dissected, made once a dissection: on the first pass trackers and
 * linter see it then. NULL: nothing we know.
 */
struct iw_frame *iw_frame_open(tvbuff_t *tvb, packet_info *pinfo);

/*
 * A view of @tvb from byte @base on, as if a frame of @linktype began there. @roce_port is the
 * UDP port of RoCE v2 in addition to 4791; 0: those of the preferences are.
 */
struct iw_frame *iw_frame_walk(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
			       uint16_t roce_port);

/* A view of @tvb from the GRH of RoCE v1 at byte @base on, whatever ethertype is before it. */
struct iw_frame *iw_frame_walk_grh(tvbuff_t *tvb, packet_info *pinfo, int base);

/* A view of what the error @icmp in @frame quotes. */
struct iw_frame *iw_frame_quoted(const struct iw_frame *frame, packet_info *pinfo,
				 const struct track_icmp *icmp);

/*
 * Of the packets of a frame the one that figures by frame are about: the frame as a whole, or what
 * is within one that is no RDMA.
 */
bool iw_frame_is_main(const struct iw_frame *frame, packet_info *pinfo);

/* The tvb that holds byte @off of the view; *@at is where. */
tvbuff_t *iw_frame_tvb(const struct iw_frame *frame, uint32_t off, int *at);

/* Of the first pass: a file is about to be read, it is closed. */
void iw_pass_init(void);
void iw_pass_finish(void); /* every frame has been seen */
void iw_pass_cleanup(void);
/* Connections take times and rates, too: from here on, and in the file at hand if none of it was read. */
void iw_pass_want_measures(void);
bool iw_pass_is_finished(void); /* every frame has been seen */
/* On the first pass: the queue pair that sends, as far as the packets of its connection show it by now. */
bool iw_pass_sender(const struct iw_frame *frame, uint32_t *sqpn);
struct track_qps *iw_pass_streams(void); /* NULL: no file was read */
/*
 * The packet of @frame, which every tracker sees if this is the first pass, and the linter if it is the frame as a whole;
 * on later ones what they said of it then.
 */
void iw_pass_packet(struct iw_frame *frame, packet_info *pinfo);

/* Forgets what the packets so far have shown, which are about to be seen once more. */
void iw_begin_again(void);

void iw_twice_init(void); /* a file is about to be read */
void iw_twice_cleanup(void);
const struct track_twice *iw_twice(void); /* NULL: rule CAP008 is off */
/* On the first pass, each packet: whether it is a copy. */
bool iw_twice_packet(struct iw_frame *frame, const struct track_frame *at);
/* The frame that @frame is a copy of, as far as it is known by now; 0: it is none. */
uint32_t iw_twice_of(uint32_t frame);
/* Before a packet: whether all before it have to be seen once more. */
bool iw_twice_is_due(void);
bool iw_twice_is_due_at_end(void);
/* The next one of those, valid until the call after. False: there is no more. */
bool iw_twice_next(struct iw_frame *frame, struct track_frame *at, bool *is_copy);
void iw_twice_finish(void); /* every frame has been seen */

/* The MAD in the packet, NULL if there is none. */
static inline const struct track_mad *iw_mad_of(struct iw_frame *frame)
{
	const struct track_mad *mad = track_view_mad(&frame->view);

	return mad && mad->n ? mad : NULL;
}

/* What the payload holds as IPoIB, NULL if it does not; nor does a packet that is IPoIB itself. */
static inline const struct ibw_packet *iw_body_of(struct iw_frame *frame)
{
	const struct ibw_packet *ip = track_view_ipoib(&frame->view);

	return ip == &frame->view.pkt ? NULL : ip;
}

void iw_mad_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct track_mad *mad);
/*
 * If @span[@i] is a block of a forwarding table: after the item just added for it, which LIDs
 * its entries are for.
 */
void iw_mad_block(proto_tree *tree, const uint8_t *p, const struct ibw_span *span, uint32_t i,
		  uint32_t attr_mod);
/* Below the component mask @item of value @mask at @at: what it selects of @attr. */
void iw_mad_comp_mask(proto_tree *tree, tvbuff_t *tvb, int at, proto_item *item,
		      const struct ibw_mad_attr_row *attr, uint64_t mask);

/* The segments of RMPP transfers, reassembled on the first pass. */
void iw_rmpp_init(void);
void iw_rmpp_cleanup(void);
/* The transfer that the frame completes, if it does. */
void iw_rmpp_keep(const struct iw_frame *frame, uint32_t number);
/* On the last segment all records of the transfer, on the others where those are. */
void iw_rmpp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* What of a field can be said once; @bits is how many single bits it has. */
void iw_field_plan(struct iw_field *field, const struct ibw_field *f, unsigned int bits);

/*
 * One layer, whose bytes at @wire are at @at of @tvb; @attr, which may be NULL, is what a
 * component mask in it is about. @lacking: only what the built-in dissector has not.
 */
void iw_tree_header(proto_tree *tree, tvbuff_t *tvb, int at, const void *wire,
		    const struct ibw_span *span, const struct ibw_mad_attr_row *attr, bool lacking);
/* The same of a layer of the frame. */
void iw_tree_layer(proto_tree *tree, const struct iw_frame *frame, const struct ibw_span *span,
		   const struct ibw_mad_attr_row *attr, bool lacking);
/*
 * All of a packet, after its findings: what went wrong; why the walk ended before the packet did, if it did; the
 * verdicts on its CRCs; layers from span @first on; what the packets of its connection show; payload, pad, trailer.
 */
void iw_tree_packet(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
		    unsigned int first);
void iw_tree_register(expert_module_t *module);

/* The linter, which pass.c has see each frame once, in file order. */
void iw_lint_register(expert_module_t *module);
void iw_lint_init(void);        /* a file is about to be read */
void iw_lint_last_packet(void); /* before the events that only the end shows */
void iw_lint_finish(void);      /* every frame has been seen */
void iw_lint_events(const struct track_event *e, unsigned int n);
void iw_lint_cleanup(void); /* the file is closed */
void iw_lint_frame(const struct track_frame *at, struct iw_frame *frame);
const uint64_t *iw_lint_counts(void); /* findings of the file, by rule */
bool iw_lint_done(void);              /* and there will be no more */
/* Whether there is one of the frame to be shown. */
bool iw_lint_has(packet_info *pinfo);
/* Whether one of those is about such an event. */
bool iw_lint_says(packet_info *pinfo, enum track_event_kind kind);
/* Each of those of a frame; of frame 0: about the file. */
void iw_lint_each(uint32_t frame,
		  void (*tell)(void *user, const struct lint_rule *rule,
			       enum lint_severity severity, const char *message),
		  void *user);
void iw_lint_show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* Whether there is anything of RDMA in it, and from which span on. */
bool iw_frame_is_rdma(const struct iw_frame *frame, unsigned int *first);

/* The packet in one line; and after the name of the protocol in the tree. */
void iw_info(struct ibw_out *o, struct iw_frame *frame);
/* " (NAK, PSN sequence error)" */
void iw_info_syndrome(struct ibw_out *o, const struct ibw_aeth_wire *aeth);
/* With the R bit. */
uint8_t iw_info_method(const struct track_mad *mad);
/* "SA GetTable PathRecord": what kind of MAD it is; @method has the R bit. */
void iw_info_mad(struct ibw_out *o, const struct track_mad *mad, uint8_t method);
/* "Len=1024", where the Info column has what the built-in dissector says of the transport, and no more. */
void iw_info_len(packet_info *pinfo, const struct iw_frame *frame);
/* " [ICRC incorrect]" after what the Info column says. */
void iw_info_mark(packet_info *pinfo, const char *text);
/* The same before it. */
void iw_info_first(packet_info *pinfo, const char *text);
/* "RDMA, stream 0, RC RDMA WRITE First, PSN 0x000015, Len 2048" */
void iw_title(proto_item *item, packet_info *pinfo, struct iw_frame *frame);

/* -z conv,ibwire and -z endpoints,ibwire; and what the filters they make ask for. */
extern const value_string iw_conv_hows[];
void iw_conv_register(void);
/* The queue pair that the packet comes from, if anybody says so. */
bool iw_conv_sqpn(const packet_info *pinfo, const struct iw_frame *frame, uint32_t *qpn);
void iw_conv_tree(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame);

/* Streams: connections by their numbers, which are final when every frame has been seen. */
void iw_stream_register(void);
void iw_stream_init(void); /* a file is about to be read */
void iw_stream_packet(const struct track *trackers, const struct iw_frame *frame,
		      const struct track_frame *at);
void iw_stream_events(const struct track *trackers, const struct track_event *e, unsigned int n);
void iw_stream_finish(const struct track *trackers);
void iw_stream_cleanup(void);
void iw_stream_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_stream_psns(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* "[NFS 20049]" in the Info column, and "[stream 3]", if that is wanted. */
void iw_stream_info(packet_info *pinfo);
bool iw_stream_number(uint32_t frame, uint32_t *number);

/* The first PSN of the direction that a packet's PSN counts in, and the path MTU. */
struct iw_psn_base {
	uint32_t first;
	bool known;
	uint32_t mtu; /* 0: not known */
};

void iw_psn_register(void);
void iw_psn_tree(proto_tree *tree, const struct iw_frame *frame, const struct iw_psn_base *base);

/* Of a frame's packet: which one it answers, or which ones answer it. */
struct iw_link {
	uint32_t frame; /* the other one, of responses to it the last; 0: none is known */
	union {
		/* Of an answer, or a CNP */
		struct {
			uint32_t ns_low;
			uint32_t ns_high : 12; /* all ones: not known */
			uint32_t acked : 20;   /* requests, marked packets */
		};
		/* Of a request: what is in flight with it (inflight.c) */
		struct {
			union {
				uint32_t bytes;
				uint32_t first; /* of a READ: its first response, if it has one */
			};
			uint32_t has_first : 1;
			uint32_t reads : 11;
			uint32_t packets : 20;
		};
	};
};

#define IW_LINK_ACKED_MAX ((1u << 20) - 1)

void iw_link_set_ns(struct iw_link *link, uint64_t ns);
/* False: it is not known. */
bool iw_link_ns(const struct iw_link *link, uint64_t *ns);
/* An item @hf of it, if it is known. */
void iw_link_add_ns(proto_tree *tree, tvbuff_t *tvb, int hf, const struct iw_link *link);

/* NULL: no file is being read. */
struct iw_link *iw_stream_make_link(uint32_t frame);
const struct iw_link *iw_stream_link(uint32_t frame); /* NULL: no packet of a connection */

/* The first CM message of the connection that the frame's packet is of, as far as known by now; 0: none. */
uint32_t iw_stream_cm(uint32_t frame);
/* track_qp_depth() of the direction of the frame's packet, as far as known by now. */
uint32_t iw_stream_depth(uint32_t frame);
/* The queue pair a packet comes from, as its connection's answers show it: once all frames were seen. */
bool iw_stream_sender(uint32_t frame, uint32_t *sqpn);

/*
 * On the first pass: who sends the frame's packet, by the CM. False: it is of no connection, or what was said of those
 * before it is something else; then it is not kept. Later that is there again.
 */
bool iw_stream_keep_sender(uint32_t frame, const struct track_sender *from);
void iw_stream_recall_sender(uint32_t frame, struct track_sender *from);

/* The message of the frame's packet, by msg.c's number of it; 0: none. */
uint32_t iw_stream_message(uint32_t frame);
void iw_stream_set_message(uint32_t frame, uint32_t message);
/* The packet was of that message before. */
void iw_stream_set_repeated(uint32_t frame);
bool iw_stream_repeated(uint32_t frame);
/* Of the frame's packet: the number of its connection, as it is known by now; the end that sends. */
bool iw_stream_number(uint32_t frame, uint32_t *number);
bool iw_stream_way(uint32_t frame, enum track_way *way);
/* The PSN, counted from the first request of its direction. */
bool iw_stream_psn(const struct iw_frame *frame, uint32_t number, uint32_t *psn);
uint32_t iw_stream_count(void); /* of numbers, once the file was read */
/* The half of the frame's packet, by its first frame; 0: it is of none. */
uint32_t iw_stream_half(uint32_t frame);
/* On the first pass: the frame's packet answers a request that was sent so long before. */
void iw_stream_took(uint32_t frame, uint64_t ns);
/* A direction of a connection, once the file was read. */
struct iw_way {
	uint64_t first_ns, last_ns; /* the earliest and the latest time; last_ns 0: no packet */
	uint64_t rtt_ns;            /* of its first request whose answer says how long it took */
	uint32_t rtt_frame;         /* 0: none does */
};

/* Of the connection of the frame's packet, by enum track_way; NULL: it is of none. */
const struct iw_way *iw_stream_ways(uint32_t frame);
/* The service ID of its connection; 0: not known. */
uint64_t iw_stream_service(uint32_t frame);
/* One more begins in the direction of the frame's packet: its number there; 0: it is of no connection. */
uint32_t iw_stream_next_message(uint32_t frame);

void iw_msg_register(void);
void iw_msg_init(void); /* a file is about to be read */
void iw_msg_cleanup(void);
void iw_msg_add(const struct track_reply *r);
/* The enum track_verb of the message that the frame's packet is of. */
bool iw_msg_verb(uint32_t frame, uint32_t *verb);
uint32_t iw_msg_number(uint32_t frame); /* in its direction; 0: it is of none */
/* The first frame of that message, a request; 0: it is of none. */
uint32_t iw_msg_first(uint32_t frame);
/* The enum track_verb, and the time to its completion, of one frame of each message: its first, or the last response. */
bool iw_msg_latency(uint32_t frame, uint32_t *verb, uint64_t *ns);
/* Nothing of that message is missing: it is not completed once more. */
bool iw_msg_is_whole(uint32_t frame);
void iw_msg_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* Of a READ response whose READ is known: the PSN and the bytes of that. */
bool iw_msg_read(uint32_t frame, uint32_t *psn, uint32_t *bytes);

/* A READ or an atomic, as far as its responses were seen. */
struct iw_read {
	uint32_t last, completed; /* frames of responses: the last new one; that ends it */
	uint32_t packets;         /* responses, repeated ones not counted */
	uint32_t len, brought;    /* bytes asked for, and those that came */
	bool ended, is_atomic;
};

/* That of a request or a response; false: the packet is none. */
bool iw_msg_brought(uint32_t frame, struct iw_read *r);

void iw_read_register(void);
void iw_read_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* "[READ: 8 packets, 8192 bytes in 143 us]" in the Info column of the last response. */
void iw_read_info(packet_info *pinfo, const struct iw_frame *frame);

void iw_cnp_register(void);
void iw_cnp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct iw_link *link);

/* node.c */
void iw_node_register(void);
void iw_node_init(void); /* a file is about to be read */
void iw_node_cleanup(void);
/* The first pass saw the frame. */
void iw_node_keep(const struct track *t, struct iw_frame *frame, uint32_t number);
void iw_node_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

void iw_conn_register(void);
void iw_conn_init(void); /* a file is about to be read */
void iw_conn_cleanup(void);
void iw_conn_add(const struct track_reply *r);
void iw_conn_has_data(uint32_t first_frame); /* a packet of that connection was captured */
/* The messages of the conversation that began at @first_frame, 0: no message of it is known, but this one; who sent this one. */
void iw_conn_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		  uint32_t first_frame, enum track_cm_side side);

void iw_links_register(void);
void iw_links_add(const struct track_reply *l);
/* Of the frame's packet, which is an ACK: the last request that it acknowledges, and the time since. */
bool iw_links_ack(const struct iw_frame *frame, uint32_t number, uint32_t *request, uint64_t *ns);
/* Of the frame's MAD, which answers another: the method of that, and the time since. */
bool iw_links_mad(const struct iw_frame *frame, uint32_t number, uint8_t *method, uint64_t *ns);
/* The messages of the CM that began and ended its connection, or are of the same conversation. */
void iw_links_conn(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_links_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* Of the frame's packet, which answers another: the time since; false: that was sent more than once, or it is none. */
bool iw_links_took(const struct iw_frame *frame, uint32_t number, uint64_t *ns);

void iw_column_register(void);
void iw_column_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame);

void iw_inflight_register(void);
void iw_inflight_add(const struct track_reply *r);
void iw_inflight_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* What the trackers' events say of a packet, by analysis.def. */
void iw_analysis_register(void);
void iw_analysis_experts(expert_module_t *module);
void iw_analysis_init(void); /* a file is about to be read */
void iw_analysis_events(const struct track_event *e, unsigned int n);
void iw_analysis_note(const struct track_reply *r);
void iw_analysis_cleanup(void);
/* Of @frame, and maybe of later ones, @n events or replies are not kept. */
void iw_analysis_lose(uint32_t frame, uint64_t n);
/* How many so far, and the first @frame of those they are of. */
uint64_t iw_analysis_lost(uint32_t *frame);
void iw_analysis_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_analysis_show(packet_info *pinfo); /* the expert items only, where there is no tree */
/* "Retransmission of 121": each mark that Info has. */
void iw_analysis_each(packet_info *pinfo,
		      void (*tell)(void *user, packet_info *pinfo, const char *text), void *user);
/* "[Retransmission of 121] " before what the Info column says: that may be too long to be seen whole. */
void iw_analysis_info(packet_info *pinfo);

/* Of a connection that is shown. */
struct iw_incident {
	const struct track_incident *incident;
	const struct track_qp
		*qp;     /* NULL: of a conversation of the CM that set up none, or of MADs */
	uint32_t number; /* that of pcap-lint */
};

/* A frame of one. */
struct iw_incident_place {
	uint32_t frame, incident; /* its index */
};

void iw_incident_register(void);
void iw_incident_finish(struct track_qps *qps); /* every frame has been seen */
void iw_incident_cleanup(void);
/* All @n of them; none before every frame has been seen. */
const struct iw_incident *iw_incidents(unsigned int *n);
/* The @n places of one frame. */
const struct iw_incident_place *iw_incident_places(uint32_t frame, unsigned int *n);
void iw_incident_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* -z ibwire,incidents */
void iw_incidents_register(void);

/* -z ibwire,flows, -z ibwire,lint and -z ibwire,tree. */
void iw_flows_register(void);
void iw_stats_register(void);
void iw_stats_handoff(void);
void iw_stats_packet(packet_info *pinfo, struct iw_frame *frame);

/* -z flow,ibwire */
void iw_seq_register(void);

/* Tools > RDMA Story */
void iw_story_register(void);

/* -z follow,ibwire */
void iw_follow_register(void);
void iw_follow_packet(packet_info *pinfo, const struct iw_frame *frame);

/* -z ibwire,srt */
void iw_srt_register(void);
void iw_srt_init(void); /* a file is about to be read */
/* The first pass: the message that begins in this frame is completed. */
void iw_srt_completed(uint32_t first);
void iw_srt_packet(packet_info *pinfo, struct iw_frame *frame);

/* Whether the frame is an ICMP error that quotes a RoCE v2 packet; fills @icmp. */
bool iw_quoted_find(struct track_icmp *icmp, const struct iw_frame *frame);
/* As much of that packet as there is, from its BTH on. */
void iw_quoted_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		    const struct track_icmp *icmp);
/* In take-over mode, where Wireshark asks for a dissector of it: whether @off of the frame is its BTH. */
bool iw_quoted_take(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
		    uint32_t off);

void iw_augment_register(void);

void iw_takeover_register(void);
void iw_takeover_handoff(void);
void iw_takeover_init(void); /* a file is about to be read */

void iw_builtin_handoff(void);
/*
 * Whether the built-in dissector has the right name for it: RC and UC up to IBTA 1.3, and UD; from
 * Wireshark 4.4 on FLUSH and ATOMIC WRITE of RC, too.
 */
bool iw_builtin_knows(uint8_t opcode);
/* It sees the packet at @tvb, columns and addresses stay as they are. */
void iw_builtin_show(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		     proto_tree *tree, void *data);
/* Its fields that ours have no names for, below @tree and hidden, if somebody asks for one. */
void iw_builtin_fields(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		       proto_tree *tree, void *data);
/* What it calls the payload of an IPoIB packet, which it takes for Ethernet's, if somebody asks. */
void iw_builtin_payload(proto_tree *tree, tvbuff_t *payload);
/* The name of its protocol, if somebody asks for it. */
void iw_builtin_name(proto_tree *tree, tvbuff_t *tvb);

void iw_service_init(void); /* a file is about to be read */
void iw_service_cleanup(void);
/* The service of the connection that the CM answer in this frame accepts. */
void iw_service_keep(uint32_t frame, uint64_t service_id);
bool iw_service_known(const struct iw_frame *frame, packet_info *pinfo);
/*
 * Whether it counts the packets of messages like @opcode, so that one packet of all of it would be too few,
 * and takes the pad for its own.
 */
bool iw_service_counts(const struct iw_frame *frame, packet_info *pinfo, uint8_t opcode);
/*
 * As dissector_try_heuristic(), but of a known service only its own upper layer, and of @part of a SEND
 * none that reads whole ones only.
 */
bool iw_service_try(const struct iw_frame *frame, heur_dissector_list_t list, tvbuff_t *tvb,
		    packet_info *pinfo, proto_tree *tree, void *info, bool part);

/* Decode As: the tables ibwire.qp and ibwire.service_id. */
void iw_decode_as_register(void);
void iw_decode_as_handoff(void);
void iw_decode_as_init(void); /* a file is about to be read */
bool iw_decode_as_any(void);  /* something was chosen */
/* The filter name of the upper layer that the user chose for the packet, whose queue pairs are its ports. */
const char *iw_decode_as(packet_info *pinfo);

/* Conversations are of the service that @port is of, as long as the upper layer sees the packet. */
struct iw_told {
	uint64_t *id[2];
	uint64_t before[2];
};

struct infinibandinfo;
void iw_decode_as_begin(struct iw_told *told, packet_info *pinfo, tvbuff_t *tvb,
			const struct infinibandinfo *info, uint16_t port);
void iw_decode_as_end(const struct iw_told *told);

/* Export PDU: a message of the service that @port is of, as it would be in one packet. */
void iw_export_register(void);
void iw_export(packet_info *pinfo, tvbuff_t *tvb, const struct infinibandinfo *info, uint16_t port);
/* Hands one that was exported to that service. */
bool iw_service_exported(uint16_t port, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
			 struct infinibandinfo *info);
/* The port by which the packet's service is known; 0: none, or nobody takes its messages. */
uint16_t iw_service_port(const struct iw_frame *frame, packet_info *pinfo);

/* Messages of several packets. A packet that is of none says why instead. */
enum iw_message_state {
	IW_MESSAGE_GROWING,
	IW_MESSAGE_WHOLE,
	IW_MESSAGE_REPEATED, /* the packet was put before */
	IW_MESSAGE_DAMAGED,
	IW_MESSAGE_LACKING,
	IW_MESSAGE_CUT,
	IW_MESSAGE_NO_MEMORY,
	IW_MESSAGE_UNEVEN,
};

struct iw_message {
	uint8_t *data;    /* len bytes, then pad */
	uint32_t *frames; /* in the order of their PSNs */
	struct iw_message *older, *newer;
	uint64_t first, next; /* PSNs: of its first packet, and after the last one that came */
	uint64_t va;          /* of its RETH, as rkey and dmalen */
	uint32_t rkey, dmalen;
	uint32_t len, room, n_frames, frames_room;
	uint32_t mtu;   /* bytes of its first packet */
	uint32_t last;  /* the frame that completed it */
	uint8_t opcode; /* of its last packet, as pad */
	uint8_t pad;
	uint8_t state; /* enum iw_message_state */
	bool in_parts; /* somebody takes its packets one by one */
};

void iw_reassemble_init(void);   /* a file is about to be read */
void iw_reassemble_finish(void); /* every frame has been seen */
void iw_reassemble_cleanup(void);
/* On the first pass, once its stream and its message are known. */
void iw_reassemble_packet(const struct track *trackers, struct iw_frame *frame, packet_info *pinfo);
/* NULL: a message of one packet, or its connection is not known. */
const struct iw_message *iw_message_of(const struct iw_frame *frame, packet_info *pinfo);
/* A packet of it was taken. */
void iw_message_in_parts(const struct iw_frame *frame, packet_info *pinfo);
/* Whether it is one of the packets of a longer message. */
bool iw_message_is_part(uint8_t opcode);
/*
 * Whether a packet of @opcode is one of several of @m, which may be NULL: what is missing of a READ may come as a
 * response of its own, an ONLY.
 */
static inline bool iw_message_has(const struct iw_message *m, uint8_t opcode)
{
	return m && (m->next || iw_message_is_part(opcode));
}
/* The opcode of @n of its packets, from @i on, in one. */
uint8_t iw_message_opcode(const struct iw_message *m, uint32_t i, uint32_t n);

void iw_whole_register(void);
void iw_whole_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame);
/* The message that the frame's packet completes, NULL: none; a data source of its own. */
tvbuff_t *iw_whole_tvb(struct iw_frame *frame, packet_info *pinfo, const struct iw_message *m);

/* No upper layer has a shorter header, and one of them reads this far before it looks. */
#define IW_SEND_BYTES_MIN 16

void iw_upper_handoff(void);
void iw_upper_init(void); /* a file is about to be read */
/*
 * What the packet at @tvb carries; @builtin and @data are what Wireshark would have called, @ours is
 * our tree.
 */
void iw_upper(proto_tree *tree, proto_tree *ours, tvbuff_t *tvb, packet_info *pinfo,
	      struct iw_frame *frame, dissector_handle_t builtin, void *data);

#endif /* IW_H */
