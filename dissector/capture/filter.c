/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.c - a libpcap filter expression, applied packet by packet.
 *
 * An expression means other byte offsets for each link type, so there is one
 * program a link type, compiled when its first packet comes.
 */
#include <pcap/pcap.h>

#include <ibwire/packet.h>

#include "impl.h"

/* Link types of one file; any real one has two or three. */
#define PROGRAMS_MAX 64

struct program {
	uint32_t linktype;
	bool usable;
	struct bpf_program code;
};

struct capture_filter {
	char *expression;
	unsigned int last; /* the program used last: mostly the next one too */
	unsigned int n_programs;
	struct program programs[PROGRAMS_MAX];
	char why[PCAP_ERRBUF_SIZE]; /* the last one did not compile */
};

static struct program *compile(struct capture_filter *filter, uint32_t linktype)
{
	struct program *program = &filter->programs[filter->n_programs];
	/* Files and programs number raw IP differently; all others of use here are the same. */
	pcap_t *dead = pcap_open_dead(linktype == IBW_LINKTYPE_RAW ? DLT_RAW : (int)linktype,
				      CAPTURE_CAPLEN_MAX);

	program->linktype = linktype;
	program->usable = dead && pcap_compile(dead, &program->code, filter->expression, 1,
					       PCAP_NETMASK_UNKNOWN) == 0;
	if (!program->usable)
		g_strlcpy(filter->why, dead ? pcap_geterr(dead) : "out of memory",
			  sizeof(filter->why));
	if (dead)
		pcap_close(dead);
	filter->last = filter->n_programs++;
	return program;
}

static struct program *find(struct capture_filter *filter, uint32_t linktype)
{
	for (unsigned int i = 0; i < filter->n_programs; i++) {
		if (filter->programs[i].linktype == linktype) {
			filter->last = i;
			return &filter->programs[i];
		}
	}
	return NULL;
}

/* "link type 247 (INFINIBAND)" */
static const char *linktype_text(uint32_t linktype, char *text, size_t size)
{
	const char *name =
		pcap_datalink_val_to_name(linktype == IBW_LINKTYPE_RAW ? DLT_RAW : (int)linktype);

	g_snprintf(text, size, "link type %u%s%s%s", linktype, name ? " (" : "", name ? name : "",
		   name ? ")" : "");
	return text;
}

struct capture_filter *capture_filter_new(const struct capture *cap, const char *expression,
					  GError **err)
{
	struct capture_filter *filter = g_new0(struct capture_filter, 1);
	unsigned int n = capture_interface_count(cap);
	unsigned int i = 0;
	uint32_t linktype;
	char text[64];

	filter->expression = g_strdup(expression);
	do {
		struct program *program;

		linktype = n ? capture_interface_at(cap, i)->linktype : DLT_EN10MB;
		program = find(filter, linktype);
		if (!program)
			program = compile(filter, linktype);
		if (program->usable) {
			/* Those that failed come up again, as a fault, with their first packet. */
			filter->programs[0] = *program;
			filter->n_programs = 1;
			filter->last = 0;
			return filter;
		}
	} while (++i < n && filter->n_programs < PROGRAMS_MAX);
	if (!n && cap->input->options.blocks) { /* of those that come it is not known yet */
		filter->n_programs = 0;
		filter->programs[0].linktype = UINT32_MAX;
		return filter;
	}
	g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_FILTER, "%s: filter \"%s\" for %s: %s",
		    cap->input->name, expression, linktype_text(linktype, text, sizeof(text)),
		    filter->why);
	capture_filter_free(filter);
	return NULL;
}

static enum capture_filtered unusable(struct capture_filter *filter, struct capture *cap,
				      const struct capture_packet *pkt)
{
	char text[64];

	linktype_text(pkt->linktype, text, sizeof(text));
	capture_doubt(cap, pkt, CAPTURE_FAULT_FILTER, 0, 0,
		      "packets of %s are left out: filter \"%.60s\": %.60s", text,
		      filter->expression, filter->why);
	return CAPTURE_FILTERED_FAULT;
}

/* CAPTURE_FILTERED_FAULT comes once for a link type; its packets are out from then on. */
enum capture_filtered capture_filter_match(struct capture_filter *filter, struct capture *cap,
					   const struct capture_packet *pkt)
{
	struct program *program = &filter->programs[filter->last];
	struct pcap_pkthdr header = { .caplen = pkt->caplen, .len = pkt->len };

	if (program->linktype != pkt->linktype) {
		program = find(filter, pkt->linktype);
		if (!program && filter->n_programs == PROGRAMS_MAX)
			return CAPTURE_FILTERED_OUT;
		if (!program) {
			program = compile(filter, pkt->linktype);
			if (!program->usable)
				return unusable(filter, cap, pkt);
		}
	}
	if (!program->usable)
		return CAPTURE_FILTERED_OUT;
	return pcap_offline_filter(&program->code, &header, pkt->data) ? CAPTURE_FILTERED_IN
								       : CAPTURE_FILTERED_OUT;
}

void capture_filter_free(struct capture_filter *filter)
{
	if (!filter)
		return;
	for (unsigned int i = 0; i < filter->n_programs; i++)
		if (filter->programs[i].usable)
			pcap_freecode(&filter->programs[i].code);
	g_free(filter->expression);
	g_free(filter);
}
