/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man.c - prints the man page pcap-lint(1), from the table of options and the rules.
 *
 * Run by the build; not installed.
 */
#include <stdio.h>
#include <string.h>

#include <lint/lint.h>

#include "pcap-lint/options/options_impl.h"

static void character(char c)
{
	switch (c) {
	case '\\':
		fputs("\\e", stdout);
		break;
	case '-':
		fputs("\\-", stdout);
		break;
	case '\'':
		fputs("\\(aq", stdout);
		break;
	case '^':
		fputs("\\(ha", stdout);
		break;
	case '~':
		fputs("\\(ti", stdout);
		break;
	default:
		putchar(c);
	}
}

/* Running text. A line of roff may not begin with a dot, so no line does. */
static void text(const char *s)
{
	if (*s == '.')
		fputs("\\&", stdout);
	for (; *s; s++)
		character(*s);
}

static void line(const char *s)
{
	text(s);
	putchar('\n');
}

static void section(const char *title)
{
	printf(".SH %s\n", title);
}

static void example(const char *const *lines)
{
	puts(".PP\n.RS 4\n.EX");
	for (; *lines; lines++)
		line(*lines);
	puts(".EE\n.RE");
}

struct option {
	const char *name;
	char short_name;
	enum pl_scope scope;
	const char *arg;
	const char *text;
};

static const struct option options[] = {
#define PL_OPTION(setter, name, short_name, scope, arg, help, man)                                 \
	{ name, short_name, PL_SCOPE_##scope, arg, man },
#include "pcap-lint/options/options.def"
#undef PL_OPTION
};

static void option(const struct option *o)
{
	puts(".TP");
	if (o->short_name)
		printf("\\fB\\-%c\\fR, ", o->short_name);
	fputs("\\fB\\-\\-", stdout);
	text(o->name);
	fputs("\\fR", stdout);
	if (o->arg) {
		fputs(" \\fI", stdout);
		text(o->arg);
		fputs("\\fR", stdout);
	}
	putchar('\n');
	line(o->text);
}

/* "--format, --color and --progress" */
static void options_of(enum pl_scope scope)
{
	size_t i, left = 0;

	for (i = 0; i < G_N_ELEMENTS(options); i++)
		left += options[i].scope == scope;
	for (i = 0; i < G_N_ELEMENTS(options); i++) {
		if (options[i].scope != scope)
			continue;
		text("--");
		text(options[i].name);
		left--;
		fputs(left > 1 ? ", " : left ? " and " : "", stdout);
	}
}

static void synopsis(void)
{
	section("SYNOPSIS");
	puts(".B pcap\\-lint\n.RI [ OPTION ...]\n.IR FILE ...\n.br");
	puts(".B pcap\\-lint \\-\\-decode\n.RI [ OPTION ...]\n.IR FILE ...\n.br");
	puts(".B pcap\\-lint \\-\\-explain\n.I RULE\n.br");
	puts(".B pcap\\-lint \\-\\-list\\-rules");
}

static void description(void)
{
	section("DESCRIPTION");
	line("pcap-lint reads captures of RDMA traffic and reports what is wrong in them: at which "
	     "packet, which rule is broken and what was found. It supports RoCE v1 and v2, native "
	     "InfiniBand and IPoIB, and checks every ICRC and VCRC.");
	puts(".PP");
	line("Captures are pcap or pcapng of any byte order and time resolution, with one "
	     "interface or several, plain or compressed with gzip, zstd, lz4, xz or bzip2; all "
	     "recognised by content, not by name. \"-\" is standard input. Link types: NULL (0), "
	     "Ethernet (1), PPP (9), raw IP (12, 14, 101, 228, 229), LOOP (108), Linux cooked v1 "
	     "and v2 (113, 276), ERF (197), IPoIB (242), InfiniBand (247). Frame numbers are "
	     "Wireshark's: from 1, over the whole file.");
	puts(".PP");
	line("RDMA is found in VLAN stacks, MPLS, PPPoE, IP in IP, GRE, ERSPAN, VXLAN and Geneve. "
	     "Other tunnels are only reported (CAP019), not decoded. iWARP is followed over TCP, "
	     "at any port, from its MPA frames on, or from the point where four FPDUs in a row "
	     "fit.");
	puts(".PP");
	line("Non-RDMA packets are counted and skipped.");
}

/* The keys of a direction, as they are written: track/way/figures.def. */
static void flow_keys(void)
{
	static const char keys[] =
		""
#define TRACK_FIGURE(name, value, title, counter) #name ", "
#define TRACK_VERB(id, name, title) "messages." #name ", "
#define TRACK_TIMES(id, name, title) #name ", "
#include "track/way/figures.def"
		"the last two with count, p50, p99, max and histogram, and those of "
		"--stats below.";

	line(keys);
}

/* The keys of a MAD client or attribute: track/mgmt/mad_figures.def. */
static void mad_keys(void)
{
	static const char keys[] = ""
#define TRACK_MAD_FIGURE(name, title, definition) #name ", "
#include "track/mgmt/mad_figures.def"
				   "and response_time (a list like ack_time).";

	line(keys);
}

/* The keys of a conversation of the CM: track/cm/cm_figures.def. */
static void cm_keys(void)
{
	static const char keys[] = ""
#define TRACK_CM_FIGURE(name, title, definition) ", " #name
#include "track/cm/cm_figures.def"
		;

	line(keys + strlen(", "));
}

static void flow_key(const char *name, const char *rest, const char *definition)
{
	printf(".TP\n\\fB");
	text(name);
	fputs("\\fR", stdout);
	text(rest);
	putchar('\n');
	line(definition);
}

static void object_key(const char *name, const char *title, const char *definition)
{
	char *in_text = title ? g_strdup_printf(" (%s)", title) : g_strdup("");

	flow_key(name, in_text, definition);
	g_free(in_text);
}

/* What a list is of: enum track_unit. */
#define OF_NS "times in ns"
#define OF_BYTES "bytes"
#define OF_COUNT "numbers"

/* What is measured of a direction, with its exact definition: track/way/figures.def. */
static void measures(void)
{
	section("FIGURES OF --STATS");
	line("Further keys of each direction, after those of OUTPUT, and how they are computed. -v "
	     "prints those that are not 0, with their titles. Lists are objects like ack_time.");
#define TRACK_TERM(text) puts(".PP"), line(text);
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	flow_key(#name, " (" title ")", definition);
#define TRACK_NAMED(name, value, title, definition) flow_key(#name, " (" title ")", definition);
#define TRACK_FRAME(name, value, title, definition) flow_key(#name, " (" title ")", definition);
#define TRACK_SAMPLES(id, name, unit, title, definition)                                           \
	flow_key(#name, " (" title "; list of " OF_##unit ")", definition);
#include "track/way/figures.def"
	puts(".PP");
	line("Keys of waited: the time of a connection, from its first packet to the latest, in "
	     "ns. Each interval is counted for the first of these causes that applies to the "
	     "requests of either direction, so the causes add up. Text shows them as shares.");
#define TRACK_WAIT(name, title, definition) flow_key(#name "_ns", " (" title ")", definition);
#include "track/measure/waits.def"
	puts(".PP");
	line("Lists of timeline, a number for each interval of a direction:");
#define TRACK_BIN(name, how, definition) flow_key(#name, " (timeline)", definition);
#include "track/measure/bins.def"
	flow_key("pause", " (timeline)", "PFC and pause frames, of all connections together only");
	flow_key(
		"paused_ns", " (timeline)",
		"how long any priority was paused, by any port, as far as known: from an XOFF to the "
		"XON, or for its quanta (pause, above); of all connections together only");
	puts(".PP");
	line("Keys of mad_client and mad_attribute. response_time is the time from the first copy of a request to its "
	     "response, or to the last segment of the response.");
#define TRACK_MAD_FIGURE(name, title, definition) flow_key(#name, " (" title ")", definition);
#include "track/mgmt/mad_figures.def"
	puts(".PP");
	line("Keys of cm, with copies and of both sides:");
#define TRACK_CM_FIGURE(name, title, definition) flow_key(#name, " (" title ")", definition);
#include "track/cm/cm_figures.def"
}

/* What it says of a subnet: track/base/objects.def. */
static void objects(void)
{
	section("OBJECTS OF --STATS");
	line("With --stats there are also objects of these types, before the summary: schema, "
	     "file, and the keys below, with the title of the text column in parentheses. member, "
	     "manager, change, cable, counted and in_partition are not lines of their own, but "
	     "elements of lists. An unknown value is null. Text has the same as tables, those of "
	     "members with -v, without columns that are empty in every row.");
#define TRACK_OBJECT(name, title, definition)                                                      \
	printf(".SS \"%s\"\n", #name);                                                             \
	line(definition);
#define TRACK_GROUP_KEY(name, kind, value, known, title, definition)                               \
	object_key(#name, title, definition);
#define TRACK_MEMBER_KEY TRACK_GROUP_KEY
#define TRACK_NEIGHBOUR_KEY TRACK_GROUP_KEY
#define TRACK_SM_KEY TRACK_GROUP_KEY
#define TRACK_MANAGER_KEY TRACK_GROUP_KEY
#define TRACK_LINK_KEY TRACK_GROUP_KEY
#define TRACK_CHANGE_KEY TRACK_GROUP_KEY
#define TRACK_NODE_KEY TRACK_GROUP_KEY
#define TRACK_CABLE_KEY TRACK_GROUP_KEY
#define TRACK_TRAP_KEY TRACK_GROUP_KEY
#define TRACK_COUNTER_KEY TRACK_GROUP_KEY
#define TRACK_COUNTED_KEY TRACK_GROUP_KEY
#define TRACK_PARTITION_KEY TRACK_GROUP_KEY
#define TRACK_IN_PARTITION_KEY TRACK_GROUP_KEY
#define TRACK_SA_KEY TRACK_GROUP_KEY
#define TRACK_PAUSE_KEY TRACK_GROUP_KEY
#define TRACK_PORTS_KEY TRACK_GROUP_KEY
#include "track/base/objects.def"
}

/* track/base/thresholds.def */
static void thresholds(void)
{
	section("THRESHOLDS");
	line("Limits that rules about a fabric use: the default, the permitted range, and the rules that read it. --threshold changes it.");
#define TRACK_THRESHOLD(id, name, unit, otherwise, least, most, rules, text)                       \
	flow_key(name, " (" #otherwise " " unit ", " #least " to " #most "; " rules ")", text ".");
#include "track/base/thresholds.def"
}

static void sarif(void)
{
	puts(".PP");
	line("With --format sarif the report is one SARIF 2.1.0 log with one run per capture (one run "
	     "for joined files). Each run has all rules, and at most 5000 results: incidents, then "
	     "findings that are part of no incident. Its property findingsOfIncidents counts the "
	     "findings that are part of one, resultsLeftOut the results beyond the limit. With "
	     "--max-per-rule, each finding is a result, whether or not it is part of an incident, and "
	     "the rest is summed up in a result with an occurrenceCount. The physical location is the "
	     "record of the packet (byteOffset and byteLength; if the record could not be read, the "
	     "bytes after the previous record; for a finding about the file, the whole file; absent "
	     "for a compressed file). Logical locations are the packet (FILE:FRAME) and the "
	     "connection; related locations are other frames that belong to the result. The "
	     "fingerprint finding/v1 is the same for the same packet in a capture that has another "
	     "name or begins later; cause/v1 is the same for the same rule between the same hosts and "
	     "for the same service, by the CM, in any capture. The property page of a rule is its page "
	     "in the source tree. executionSuccessful is false if part of the capture could not be "
	     "read. --stats, --story and --interval add nothing.");
}

static void html(void)
{
	puts(".PP");
	line("With --format html the report is one page for people: the name of the capture and what is wrong with it, figures "
	     "that are not 0, connections over time, incidents by the time that they cost, congestion if there is any, who "
	     "waited for whom, the worst connections in detail (PSNs over time, for iWARP the octets of both streams; the "
	     "packets around the costliest incident, how long answers took, all figures), commands of upper layers, what "
	     "happened in the subnet, conversations of the CM with their messages over time, MAD clients and their requests, "
	     "who sends to whom, findings by rule (folded), with the meaning and remedy of the rule, all connections, what is "
	     "known of the subnet, and the capture itself. The page shows 20 findings per rule (N with --max-per-rule, 0 for "
	     "all), 100 lines of incidents, 300 connections, 40 of them over time and 8 in detail, and 30 rows of other tables; "
	     "a line below each table says how much was left out, and which command shows it. The page is one file, which loads "
	     "nothing and is complete without its script; the script sorts tables, searches, and shows the time, frame and PSN "
	     "at the pointer. The same input gives the same bytes. In text from a capture or a file name, \\u{202e} is a "
	     "character that is invisible or reverses others, \\x{ff} a byte that is not UTF-8. For several captures, the page "
	     "has a list and then a section per capture, up to 64 MiB in all. --quiet, --stats, --story and --interval add "
	     "nothing.");
}

/* What servers of continuous integration read. */
static void servers(void)
{
	puts(".PP");
	line("With --format github each of the 10 costliest incidents, and each cause of findings that are part of no incident, "
	     "is a workflow command of GitHub Actions, shown as an annotation: error, warning or notice, with the capture as the "
	     "file, the frame as the line, and the rule as the title. The verdict is a notice.");
	puts(".PP");
	line("With --format junit the report is XML as JUnit writes it: a capture is a test suite, and each enabled rule is a "
	     "test. A test fails if a finding is at or above --fail-on; other findings are the output of their test. A test has "
	     "at most 20 lines. --stats, --story and --interval add nothing to either form.");
}

static void incidents(void)
{
	puts(".TP\n.B incident");
	line("A fault with everything that follows from it: in one direction of a connection, in a conversation of the CM, of "
	     "MAD requests, in an RMPP transfer or in an iWARP connection; or the congestion of a direction. schema, file, "
	     "incident (its number), connection, direction (of the requests: a_to_b or b_to_a), kind, rule (that finds it, or "
	     "would), severity (note: no warning or error finds it), root_psn (the PSN that blocked progress), operation (its "
	     "operation), response (whether it is a response of a READ that is missing or late), copies (of it), frame (that "
	     "shows it first), time (of frame), frames (root: the first copy; lost: the copy that was lost; notice: the first "
	     "NAK, RNR NAK or retransmission; nak: the first NAK or RNR NAK; resent: the root is retransmitted; end: it is "
	     "answered; last: the last packet that belongs to it, which may be a retransmission after the end), ns (lost: time "
	     "without progress; noticed: its part until the notice, resent: until the retransmission, repaired: until the end), "
	     "packets_resent, bytes_resent, naks, rnr (RNR NAKs), timers, ended (false: the connection or the capture ended "
	     "before), connections (its own, then up to 31 others between the same hosts that have an incident of the same kind "
	     "within a second: one cause, as far as the capture shows), rules (how many findings of each are part of it; absent "
	     "for live packets), doubt (what the capture may lack), file_offset (of frame), text (the same in a sentence, as in "
	     "text output). Unknown values are null. At most 65536 are listed; beyond that, the costliest of each direction and "
	     "kind is kept, and the others are counted.");
	puts(".IP");
	line("A conversation of the CM is an incident, too (kind cm), if a message of it that "
	     "waits for an answer (REQ, REP, LAP, DREQ, SIDR_REQ) was seen more than once from one "
	     "side, or got no answer in the time that its retries take; the capture does not show "
	     "whether the sender repeated it or the network duplicated it. Its root is the message "
	     "that never got an answer, or else the one that waited longest: operation is its "
	     "name, direction its direction (a_to_b: from the client), root its first copy, notice "
	     "and resent the second, end its answer (the first after the last copy), copies the "
	     "number of its copies, packets_resent the copies of all messages that were seen more "
	     "than once. lost is all time in which one of them waited, from the first copy to the "
	     "answer, or to the last message. connection is the connection that it set up, or "
	     "null. Frames are those of the messages that cm lists; a conversation whose messages "
	     "are not listed for lack of room has no incident. These incidents are numbered after "
	     "those of connections.");
	puts(".IP");
	line("So are MAD requests (kind mad) that were seen more than once before their answer, or were answered 2 s or more "
	     "after their last copy, or not at all within that time. One incident has requests between the same hosts, of the "
	     "same class and directed route, with the same outcome (no answer, late, stopped by RMPP, or answered in time), that "
	     "show within a second of the first of them; a request shows with its second copy, or with its only one. Its root is "
	     "the request that waited longest: operation is its class, method and attribute, flow (of this kind, rmpp and "
	     "segment-lost only) its source and destination, end the packet that answered or stopped it. lost is all time in "
	     "which one of them waited, from the first copy to the answer, or to the last copy if there was no answer. At most "
	     "65536 requests are listed.");
	puts(".IP");
	line("So is an RMPP transfer (kind rmpp), such as a table of the SA, if a segment arrived while an earlier one was "
	     "missing, if a segment was retransmitted, if a STOP or an ABORT ended it, or if it was not complete and had no "
	     "packet in the last 40 s of the capture. Its root is the segment that was missing or retransmitted first, or else "
	     "the last one before the end: root is its first copy, notice and resent the first copy after the fault, copies the "
	     "number of its copies, end the packet that completed or stopped the transfer, packets_resent the number of "
	     "retransmitted segments, flow the source and destination of its data. lost is all time between two of its packets "
	     "in which a segment was missing, or after which a segment was retransmitted or the transfer was stopped. RMP006 "
	     "proves its first gap, RMP013 its end. At most 65536 are listed.");
	puts(".IP");
	line("So are the packets of a direction that were marked CE (on InfiniBand: FECN), and the CNPs about it (kind "
	     "congestion); a CNP that only accompanies a NAK was sent for the loss, and does not count. root and frame are the "
	     "first marked packet, or the first CNP if no packet was marked before it, notice the first CNP, last the last of "
	     "both; marks and cnps (of this kind only) are their numbers. They do not show whether a sender slowed down, and no "
	     "time counts as lost. CNG004 proves it where no CNP was sent; otherwise it is a note. At most 65536 are listed.");
	puts(".IP");
	line("So are TCP segments of an iWARP connection that were lost (kind segment-lost): octets were missing, a later "
	     "segment arrived, and then they were retransmitted; or octets were retransmitted before the other end had "
	     "acknowledged them. Segments that were only late are not, nor octets that the other end acknowledged although the "
	     "capture lacks them, nor a hole without a duplicate ACK or a retransmission. connection is the number that flow "
	     "has, flow the addresses and ports, place (of this kind only) the first of those octets in the stream, frame the "
	     "segment after them, else the first retransmission, root the first segment that brings the octet at place, notice "
	     "the first duplicate ACK that asks for it (RFC 5681), resent the first retransmission that fills the hole, end the "
	     "segment that completes it, or the acknowledgement of everything that was sent before the first retransmission, "
	     "copies the number of copies of the octet at place. packets_resent and bytes_resent count what was retransmitted "
	     "from that octet on, up to the end. lost is the time that octets after the hole waited (from the end of the "
	     "previous incident at the earliest), or the time since the last progress of the acknowledgements. IWP029 of the "
	     "direction proves it. At most 65536 are listed; their numbers come last. Kinds:");
#define TRACK_INCIDENT(id, name, one, many, is) printf(".br\n%s (%s)\n", name, one);
#include "track/incident/incident.def"
	puts(".TP\n.B verdict");
	line("What is wrong, before the summary. schema, file, state (of the first sentence: dead, refused, not-ready, lost, slow, congested, "
	     "cm, mad, malformed, other; none: no sentence), text (all sentences), sentences (state, connections, numbers, text), kinds (incidents "
	     "by kind), limits (what the capture may lack: doubts).");
}

static void output(void)
{
	static const char *const finding[] = { "FILE:FRAME: SEVERITY: ID NAME: text", NULL };
	static const char *const group[] = {
		"FILE:FRAME: SEVERITY: ID NAME: on 509 packets of 16 connections up to frame 702, first at "
		"2026-11-21T09:58:48.829457Z: 10.7.0.1 qp 0x1b (27) -> 10.7.0.2 qp 0x1a (26) psn "
		"0x1cc7d5: text",
		NULL
	};
	static const char *const verdict[] = {
		"FILE: verdict: 10.7.0.1 qp 19 -> 10.7.0.2 qp 19: 3 requests not answered in time; 18 of 126 requests "
		"retransmitted (14 %), no progress for 211 ms of 245 ms",
		NULL
	};
	static const char *const incident[] = {
		"FILE:FRAME: SEVERITY: ID NAME: 10.7.0.1 qp 24 -> 10.7.0.2 qp 24: RC RDMA WRITE "
		"Middle psn 0xee5351 (frame 111) was lost after the capture point; NAK in frame "
		"119, retransmitted 456 us later (frame 120); 8 packets retransmitted; answered in "
		"frame 130: 1.4 ms without progress",
		NULL
	};
	static const char *const sum[] = { "FILE:FRAME: SEVERITY: ID NAME: flow: 34 more, up to "
					   "frame 48213",
					   NULL };

	section("OUTPUT");
	line("A finding is a line that editors and other tools parse like a compiler's:");
	example(finding);
	puts(".PP");
	line("FRAME and its colon are missing if the finding is about the whole file. The report of a capture begins with the "
	     "verdict: what is wrong, in at most three sentences, worst first: a connection died, a request was refused, a "
	     "receiver had no receive posted, packets were lost (and where), a connection made no progress (and which side "
	     "waited), then congestion, connection management, management requests, malformed packets and other findings. It "
	     "says only what a warning or an error proves:");
	example(verdict);
	puts(".PP");
	line("Then come incidents: a loss, with the retransmissions, NAKs and timeouts that follow "
	     "from it, is one, and so is a CM conversation with messages that were repeated or not "
	     "answered. Errors come first, then the incidents that cost most time. At most three "
	     "per direction of a connection (for the CM, per pair of hosts) and eight per capture "
	     "have their own line (with -v: 300); the others are summed up in one line per rule. "
	     "Incidents of the same kind within a second on other connections between the same "
	     "hosts have one cause, as far as the capture shows: without -v, the costliest has a "
	     "line that says how many there are, with the frames of the first four. The rule is "
	     "the one that proves the incident; the ends are those of the requests:");
	example(incident);
	puts(".PP");
	line("Findings that are part of an incident have no line, except with -v or "
	     "--max-per-rule; the summary counts them by rule. Other findings that differ only in "
	     "numbers are one line, worst first: by level, then by count. The line shows the first "
	     "of them, with its time (UTC), both ends if both are known, the PSN of the packet if "
	     "it has one, and what is wrong:");
	example(group);
	puts(".PP");
	line("Lines beyond the tenth are summed up in one per rule, except with -v. ");
	line("Findings of a rule beyond 10000 are only counted, in a line of their own. With "
	     "--max-per-rule each finding has a line, which begins with the flow (source, "
	     "destination, destination QP) and the PSN. It is printed as soon as it is found, and "
	     "the verdict comes last. Findings beyond the limit are summed up below, where FRAME "
	     "is the first of them:");
	example(sum);
	puts(".PP");
	line("Where SMPs in the capture tell it, the name of a node (its description, or else its GUID) follows its LID, GUID, GID or "
	     "the directed route to it: \"LID 0x0004 (host 3)\". Names appear in flows and texts of findings, incidents of MADs, the "
	     "verdict, the story of the subnet and tables of --stats about the CM, MADs and the subnet, and with --format sarif, "
	     "github, junit and html. A description is cut after 40 bytes or 48 characters; a byte that is not printable ASCII "
	     "takes four. A LID or route that belonged to two nodes has no name, except in the tables about the "
	     "subnet. Lines and tables of queue pairs, --interval and --decode show addresses only.");
	puts(".PP");
	line("\"FILE: captured: ...\" says what the capture lacks where that may change the kind "
	     "of an incident: only one direction was captured, packets were lost or left out, the "
	     "clock went back.");
	puts(".PP");
	line("On a terminal long lines are wrapped at 100 columns at most; in a file or a pipe "
	     "each is one line.");
	puts(".PP");
	line("For packets that come through a pipe the verdict is the line before the last. If "
	     "they are captured live (tcpdump -U -w - | pcap-lint -), an incident is reported once "
	     "it is over and a finding that waited for a second proves it, the first error of a "
	     "cause as it is found, and the others at the end.");
	puts(".PP");
	line("The last line counts packets, protocols, connections and findings. The two "
	     "directions of a connection are joined by its CM messages, its UDP source ports or "
	     "its PSNs; of directions between two hosts that are not joined, those of the way that "
	     "has more are counted. \">= N\" means that there are more than are kept.");
	puts(".PP");
	line("With --format json each line is an object, of type finding, incident, verdict, summary, flow, waited, cm, mad_client, mad_attribute, upper, command, pair "
	     "and those of OBJECTS OF --STATS (with --stats), timeline (with --interval), series (with --series), story, event (with --story), packet (with --decode) or message (with --decode --messages). "
	     "The keys and their order are those below, and change only together "
	     "with the number under \"schema\". Integers of up to 32 bits are numbers, 64-bit "
	     "values strings (\"0x%016x\"), bytes strings of hexadecimal digits, addresses and GIDs "
	     "text.");
	puts(".TP\n.B finding");
	line("file, frame, time, rule, name, severity, layer, offset, length, flow, connection, service, psn, message, related, "
	     "frames, incident, file_offset. offset and length are the bytes at fault in the packet; length 0 means none in "
	     "particular. frame and time are null for a finding about the whole file, flow, connection, service and psn are null "
	     "where there is none. connection is the number of its flow so far, if connections are followed; service is what its "
	     "REQ asks for (NFS 20049). related are other frames that belong to it. frames is the frame; for a sum, the first "
	     "and the last frame. With --join, a frame of another file is a string, \"FILE:FRAME\". incident is the number of "
	     "the incident that the finding is part of, or null; it is absent where that is not known: for a sum, for live "
	     "packets, with --quiet. file_offset is where the record of the frame begins in its file, absent if the file is "
	     "compressed. source_node and destination_node are the descriptions of the nodes of flow, or their GUIDs, absent if "
	     "no SMP has them. A finding of a tracker's event has that last: event, its name and numbers.");
	puts(".TP\n.B flow");
	line("With --stats, a connection: schema, file, connection (from 0, by first frame), service (RC, UC, "
	     "XRC), upper (the port its REQ asks for), mtu, setup (cm, learnt, none: how the two ends are known), state "
	     "(mid-stream, setup, established, stalled, closed, rejected, failed), history, a and b (address, qpn), "
	     "first_frame, last_frame, doubt (what the capture does not show), a_to_b, b_to_a, waited (FIGURES OF --STATS), incidents (how many of "
	     "level warning or error; null: with --quiet, and of iWARP), rank (its place in the table of --stats, 1 is the worst) and negotiated (by REQ "
	     "and REP, null without them: retry_count, rnr_retry_count and ack_timeout, which is 4.096 us shifted left by it, of the requests of a; "
	     "starting_psn of the requests of a, and of b; initiator_depth and responder_resources, the READs and atomics that a, and b, may have "
	     "outstanding). Each direction has: ");
	flow_keys();
	line("Histograms are pairs of the largest value of a bucket, in nanoseconds, and a count; the "
	     "percentiles are ends of buckets, too. Packets with a wrong ICRC are counted in icrc_bad only.");
	puts(".IP");
	line("A connection of iWARP has the same keys, null where one has no meaning over TCP; its "
	     "number comes after those of queue pairs. service is iWARP, setup mpa (its MPA frames "
	     "were captured) or none, state failed after a Terminate, a the end that sends the "
	     "request. a and b have port last, the object has mss last (the smaller one of what "
	     "both SYNs ask for). packets, wire_bytes, retransmitted_packets, reordered_packets "
	     "and duplicated_packets count TCP segments with data: a segment that brings octets "
	     "late was retransmitted or is out of order, by its IPv4 identification or, without "
	     "one, by comparing the time since the octets after it arrived with the time from its "
	     "SYN to the segment after the answer; a segment that brings no new octets was "
	     "retransmitted or is a copy. payload_bytes is what Sends, Writes and Read Responses "
	     "carry, each octet once. duration_ns, wire_rate, payload_rate and goodput are of segments with data. messages are whole ones: send all Sends and Immediates, read "
	     "Read Requests. A direction has at its end: fpdus, crc_bad (of those, with a wrong "
	     "CRC), segments_crossed (of those, in more than one segment), stall (nanoseconds that "
	     "octets waited for those before them, at most). One whose start was not captured is "
	     "followed from the fourth FPDU in a row on.");
	puts(".TP\n.B waited");
	line("With --stats, after the flows, what all connections waited for: schema, file, connections, then the keys of waited "
	     "of a flow.");
	puts(".TP\n.B cm");
	line("With --stats, a conversation of the CM: schema, file, connection (the number of the flow that it set up, or "
	     "null), transport (RC, UC, RD, XRC; UD: by SIDR), service_id, service (NVMe-oF 4420, TCP 7471, IPoIB connected mode; null: the "
	     "service ID says nothing), a (the client) and b (address, qpn, comm_id: of SIDR, the request id is a's), first_frame, last_frame, state (REQ sent, "
	     "REP sent, established, DREQ sent, disconnected, rejected, SIDR_REQ sent, resolved), end (in words: closed by A; rejected: 28 consumer "
	     "defined), ended_by (a or b: who sent the first REJ or DREQ), reason (of the REJ, or status of the SIDR_REP), req_to_rep, rep_to_rtu, "
	     "dreq_to_drep (nanoseconds from the first message of the one kind to the first of the other; req_to_rep of SIDR, too), then ");
	cm_keys();
	line("messages, its first 32 (of all conversations the first 65536): frame, time (nanoseconds since 1970), name, "
	     "direction, and a_node and b_node (descriptions of the nodes of a and b, or their GUIDs, if an SMP has them, else "
	     "null). It begins with its REQ; if that was not captured, with its REP, and service_id is null; by SIDR with its "
	     "SIDR_REQ. Messages with a wrong ICRC are not counted.");
	puts(".TP\n.B mad_client");
	line("With --stats, a MAD client, one object per class and, for directed routes, per agent (64 at most, and all others "
	     "together): schema, file, client (its address, of a directed-route SMP LID 0xffff), class, class_name, first_frame, "
	     "last_frame, then ");
	mad_keys();
	line("client_node (description of the client's node, or its GUID, if an SMP has it, else null) and agent (of a "
	     "directed-route SMP the upper half of its transaction IDs, which Linux gives each program; else null). MADs with a "
	     "wrong ICRC are not counted, nor are messages of the CM.");
	puts(".TP\n.B mad_attribute");
	line("With --stats, the requests of all clients for an attribute of a class: schema, file, class, class_name, "
	     "attribute, attribute_name, first_frame, last_frame, and the same keys. Objects of class 3 are the queries "
	     "of the SA.");
	puts(".TP\n.B upper");
	line("With --stats, the commands of one connection of an upper layer, by operation: schema, file, connection (null: not "
	     "known), protocol (NVMe-oF, SRP, iSER, RPC-over-RDMA, SMB Direct), evidence (by what the upper layer was chosen: "
	     "content, the first message, or option: --ulp), queue (of NVMe-oF its ID; 0: the admin queue; else null), "
	     "operation, count, errors (answered with a status that says so), bytes (of data, as the commands say), open (not "
	     "answered by the end), open_max (at a time), time (from command to answer, in ns: count, p50, p99, p999, max, and "
	     "the frame of the slowest command), subsystem (the NQN that a Connect command of NVMe-oF names, else null), target "
	     "(that a login of iSER names, else null).");
	puts(".TP\n.B command");
	line("With --stats, a command of an upper layer, in the order they were sent, the last "
	     "65536: schema, file, connection, protocol, queue, name, id, frame, end (frame of the "
	     "answer, else null), time, ns (until the answer, else null), status (in words, null: "
	     "not answered), bytes, transfers (frames of the first and the last RDMA READ or WRITE "
	     "for it), outcome (answered, open, closed: open when its connection was closed, "
	     "replaced: its id was used again), transferred (bytes that those ask for). A "
	     "retransmitted packet is not a second command. The id is NVMe's command identifier, "
	     "SRP's tag, iSCSI's initiator task tag, RPC's XID, or SMB2's message ID; a COMPOUND "
	     "of NFS has the name of the operation that it is for.");
	puts(".TP\n.B pair");
	line("With --stats, who sends to whom, packets of connections, datagrams and MADs: schema, file, source, destination "
	     "(addresses), service (RC, UC, RD, UD, CNP, XRC, reserved), packets, bytes (on the wire), more (0). All packets "
	     "with a BTH count, whatever their ICRC. Most packets first; beyond 1024 pairs, the others are one object, the last: "
	     "source, destination and service are null, and more is the number of those pairs (65536: at least). source_node and "
	     "destination_node are as in a finding.");
	puts(".TP\n.B timeline");
	line("With --interval, all connections together, then each: schema, file, connection (null: all together), start (of the "
	     "first interval), interval_ns, intervals (how many), all (of all together) or a_to_b and b_to_a (of a connection). "
	     "Intervals begin at multiples of their length since 1970, and have the same length in all objects. all, a_to_b and "
	     "b_to_a have lists with one number per interval: FIGURES OF --STATS. If an upper layer had commands, and all of "
	     "them are listed, the last key is commands: answered (in the interval) and open_max (open at once, without those "
	     "that wait for an event, such as an Asynchronous Event Request).");
	puts(".TP\n.B series");
	line("With --series, the PSNs over time of a direction that has requests: schema, file, "
	     "connection, direction (of the requests), start (of the first column), interval_ns "
	     "(how long a column is; they begin at multiples of it since 1970), psn (of the first "
	     "request; all others are relative to it), columns, marks, more. A column in which "
	     "there is a packet is a list: its number (from 0), first frame, packets and bytes on "
	     "the wire (requests, and answers to them), the least and the greatest PSN sent for the "
	     "first time, of retransmissions, of READ responses and atomics, and the greatest PSN "
	     "answered up to then, since the PSNs last restarted. A mark is a place where something "
	     "went wrong: its column, frame, kind (nak, rnr, refused; gap: the first missing PSN; "
	     "timer; cnp; ce: the first mark of congestion; cm), PSN; of more than 256, the first "
	     "and the last 128. more counts the others: column, kind, how many. Columns are 1 us at "
	     "first, and are merged in pairs above 1024, or above 128 if memory is short. Unknown "
	     "values are null.");
	puts(".TP\n.B story");
	line("With --story, the story of one connection: schema, file, connection (null if there is none, or it is of the "
	     "subnet), connections (of the capture), faulty (those with a fault), events (objects that follow), more (events "
	     "that are left out), text (why this connection; or why there is nothing to tell), commands (the unusual ones, at "
	     "most five: frame, why, which is slow, failed or unanswered, and text), more_commands (those that are left out).");
	puts(".TP\n.B event");
	line("With --story, what happened: schema, file, frame, time, connection, direction "
	     "(a_to_b or b_to_a: of what the event is about), event (its name), psn (null if it "
	     "has none), count (events alike in a row), ns (since the event before, or the "
	     "beginning of the connection), cause (other frames that belong to it), doubt, text (a "
	     "sentence). For the subnet connection and direction are null, and event is handover, "
	     "manager, link-down, link-up, trap, sweep, group-leave or group-join.");
	incidents();
	puts(".TP\n.B summary");
	line("schema, file, packets, bytes, duration (seconds), protocols, connections, findings (counts by severity), rules "
	     "(counts by rule), ect, ce (packets marked by ECN, or BTH.FECN), cnp, pause (packets), dscp (packets of RoCE v2 by "
	     "DSCP), withheld (count: findings at level note that would be warnings, doubt: for what the capture does not show), "
	     "start, end (of the first and the last packet), version (of pcap-lint), filter, count (as they were asked for, else "
	     "null), interfaces (of all files, the first 1024: name, link_type, snaplen, packets that were checked, dropped by "
	     "the capturing host; null: not reported), incidents (of level warning or error), copies (packets captured twice, "
	     "which count in nothing else; 0 with CAP008 off: then they are checked like any other packet). Counts are of all "
	     "findings, shown or not. With --qp and --host, after connections: asked, with what was asked for and the number of "
	     "those connections. If there is iWARP, after withheld: iwarp (how many of the connections are iWARP; fpdus). If "
	     "something was left out: not_examined (packets, CAP019); room, for lack of memory (CAP021): evicted (connections), "
	     "unfollowed (directions of connections), forgotten (entries of other tables).");
	puts(".TP\n.B packet");
	line("file, frame, time, caplen, len, outcome (ok, cut, malformed, other), error (only if malformed: layer, field, "
	     "offset, needed, had), layers (name, offset, length, fields; of a reassembled transfer frames, too, its packets, in "
	     "the first layer: in the others the list is empty), payload (offset, length), icrc and vcrc (status: good, bad, "
	     "absent or unverifiable; if good or bad, found and computed), icmp (only of an error that quotes a RoCE v2 packet: "
	     "version, offset, length, type, code, reason, mtu if it gives one, quoted: outcome and layers of what is quoted). "
	     "Reserved bits are among the fields only where one is set. For iWARP, the layers of each FPDU that this packet "
	     "completes follow: mpa, ddp_tagged or ddp_untagged, rdmap, and what the message begins with. mpa, and mpa_start, "
	     "have place (their octet of the stream), mpa has crc (status: good, bad, unused or unverifiable; found, computed). "
	     "If part of it is in another packet, frames are those of its first and of its last octet, and this one, and offset "
	     "counts from its first octet. After them are the layers of the upper layer whose message begins in it. The layer of "
	     "an answer to a command of an upper layer has request before its fields: frame, name, ns (the time until the "
	     "answer). The reth of an RDMA READ or WRITE for a command has command: name, id, queue (of NVMe-oF, else null), "
	     "frame; so have the rdmap_read_req and the last ddp_tagged of iWARP.");
	puts(".TP\n.B message");
	line("With --decode --messages, one object per message: schema, file, message (its number, from 0), connection and "
	     "direction (a_to_b or b_to_a, both as with --stats; null of a datagram, or where that is not known), kind (send, "
	     "write, read_request, read_response, atomic, atomic_response; of iWARP immediate and terminate, too), frame (that "
	     "completes it; the last one of what is not complete), frames (of its packets, at most 65536), time and end (of its "
	     "first packet and of frame), psn (of its first packet; null of iWARP), msn (of iWARP, null where it has none), key "
	     "(R_Key or STag) and address, length (bytes; of a read_request those it asks for, of an atomic 8), immediate (of "
	     "iWARP, 64 bits), invalidate (the key), solicited, outcome (complete; cut: the capture lacks bytes of its packets; "
	     "unfinished: it lacks packets; refused: by a NAK or a Terminate), answered (the frame that answers or refuses it, "
	     "null where none does), layers (of its upper layer, as those of a packet; offset counts from the first byte of the "
	     "message), payload (length, and the first 65536 bytes). Complete messages are in the order of frame; an incomplete "
	     "one is printed when that is known, at the end at the latest. A message of RC or XRC is held back until it is "
	     "answered or its connection ends, and so are those after it; a SEND or WRITE of iWARP is held back until 16 more "
	     "messages of its direction have arrived, because a Terminate may refuse it. What was captured twice is printed once, "
	     "unless CAP008 is off: then a datagram is printed as often as it is there.");
	sarif();
	html();
	servers();
}

static void files(void)
{
	static const char *const config[] = { "[pcap-lint]", "severity = note", "ignore = ROC002",
					      "roce-port = 4792", NULL };

	section("FILES");
	puts(".TP\n.I .pcap\\-lint.conf");
	line("Options for captures, next to the capture or, if there is none, in the home "
	     "directory. It is read only if it is a regular file of the user's own, of at most 64 "
	     "KiB; next to a capture a symbolic link is not read. A line on standard error says "
	     "what it changes, or why it is not read, unless the command line says --quiet. It is "
	     "a key file: the long names of options as keys of the group pcap-lint, flags with "
	     "true or false:");
	example(config);
	puts(".PP\n.RS");
	text("The command line overrides it. ");
	options_of(PL_SCOPE_MODE);
	text(" cannot be in it. ");
	options_of(PL_SCOPE_RUN);
	line(", being for all captures together, are taken from the file of the first one.");
	puts(".RE");
	puts(".TP\nFILE of \\-\\-output, \\-\\-write, \\-\\-repair and \\-\\-convert");
	line("\"-\" is standard output; if packets are written there, the report goes to standard "
	     "error. A regular file, or one that does not exist yet, is written as a temporary "
	     "file in its directory, which replaces it when it is complete: the file is always "
	     "either complete or as it was. Except with --write, where a capture without packets "
	     "means that nothing was found, a capture without packets does not replace a file that "
	     "is not empty, and none is written if every packet failed: that is an error. Symbolic "
	     "links and the mode are kept. Devices, FIFOs and /dev/stdout are written directly. No "
	     "output may be one of the captures, a config file or another output, under any name.");
}

static void security(void)
{
	section("SECURITY");
	line("On Linux pcap-lint gives up what it does not need once it knows its files, before "
	     "the first packet. By Landlock it reads only the captures, config files and system "
	     "files (libraries, time zones; with a filter, the files for name lookup), writes only "
	     "in the directories of its outputs, and cannot use TCP. By seccomp it starts no "
	     "program, traces no process, and opens no socket, unless there is a filter, or a "
	     "config file that may have one: a filter may have to look up a name. If the kernel "
	     "lacks one of them, or refuses it, pcap-lint continues silently without it; --version "
	     "says which are on. If Landlock is on, a capture that is replaced by another file "
	     "after the start of pcap-lint cannot be read.");
}

static void exit_status(void)
{
	section("EXIT STATUS");
	puts(".TP\n.B 0");
	line("No finding at or above --fail-on.");
	puts(".TP\n.B 1");
	line("Such a finding.");
	puts(".TP\n.B 2");
	line("Wrong usage, or an input that could not be read to its end: standard error or a "
	     "finding (CAP001, CAP002, CAP006) says which and why. Findings up to that point are "
	     "reported, and the other inputs are still checked.");
	puts(".PP");
	line("SIGINT and SIGTERM end the input; a pipe is still read until its writer closes it, "
	     "for a second at most. The packets read so far are reported, outputs are completed, "
	     "the summary of one that had not ended says \"interrupted after N packets\", and then "
	     "pcap-lint ends by that signal. A second signal ends it at once. Output to a pipe is "
	     "flushed before pcap-lint waits for input, and at least every second.");
}

static void rules(void)
{
	unsigned int i;

	section("RULES");
	line("error: a peer that follows the rule drops the packet or refuses it. warning: legal or "
	     "unprovable, but a known cause of faults. note: a fact the reader needs.");
	if (LINT_PERF_RULES)
		line("perf: advice about performance.");
	line("--explain says more about each.");
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		printf(".TP\n\\fB");
		text(lint_rules[i].id);
		fputs("\\fR ", stdout);
		text(lint_rules[i].name);
		fputs(" (", stdout);
		text(lint_severity_names[lint_rules[i].severity]);
		puts(")");
		line(lint_rules[i].text);
	}
}

static void examples(void)
{
	static const char *const all[] = { "pcap-lint run1.pcapng", NULL };
	static const char *const crc[] = { "pcap-lint --ignore all --select CRC *.pcap.gz", NULL };
	static const char *const json[] = { "tcpdump -r big.pcap -w - host 10.0.0.1 | pcap-lint "
					    "--format json -",
					    NULL };
	static const char *const github[] = {
		"pcap-lint --format github --fail-on warning run1.pcapng", NULL
	};
	static const char *const comments[] = { "pcap-lint -w found.pcapng --context 5 run1.pcapng",
						NULL };
	static const char *const decode[] = { "pcap-lint --decode -c 1 run1.pcapng", NULL };
	static const char *const messages[] = { "pcap-lint --decode --messages -v run1.pcapng",
						NULL };

	section("EXAMPLES");
	line("What is wrong in a capture:");
	example(all);
	puts(".PP");
	line("Only the CRCs of several captures:");
	example(crc);
	puts(".PP");
	line("For another program, from a pipe:");
	example(json);
	puts(".PP");
	line("In a GitHub workflow, which also fails on a warning:");
	example(github);
	puts(".PP");
	line("For a colleague with Wireshark, the packets that matter, with comments that say what is wrong:");
	example(comments);
	puts(".PP");
	line("The first packet, field by field:");
	example(decode);
	puts(".PP");
	line("Each message once, reassembled from its packets, with its bytes:");
	example(messages);
}

int main(void)
{
	size_t i;

	puts(".\\\" SPDX-License-Identifier: GPL-2.0-or-later");
	printf(".TH PCAP\\-LINT 1 \"" MAN_DATE "\" \"ibwire %s\" \"User Commands\"\n", PL_VERSION);
	puts(".nh\n.ad l");
	section("NAME");
	puts("pcap\\-lint \\- find what is wrong in captures of RoCE and InfiniBand traffic");
	synopsis();
	description();
	section("OPTIONS");
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		option(&options[i]);
	output();
	measures();
	objects();
	thresholds();
	exit_status();
	files();
	security();
	rules();
	examples();
	section("SEE ALSO");
	puts(".BR tcpdump (8),\n.BR tshark (1),\n.BR pcap\\-filter (7)");
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
