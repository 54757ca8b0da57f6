/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ulp_edges.c - messages of upper layers at their edges: by which a connection begins, what is cut, what an answer tells. */
#include "check.h"
#include "guard.h"

#include <string.h>

#include <glib.h>

#include <ibwire/bits.h>
#include <ibwire/ibwire.h>
#include <track/ulp/ulp.h>

#define HOST 40000u
#define PORT 4420u

static struct track_events events;
static struct track_ulps *u;
static struct track_at at;

static void begin(void)
{
	events.n = 0;
	u = track_ulps_new(&events, NULL);
	at = (struct track_at){ .time_ns = 1000 };
}

static void end(void)
{
	track_ulps_free(u);
}

/* A message over iWARP, from the host at @port or to it, of which @n of @len bytes are there. */
static void put(uint16_t port, bool answer, enum track_ulp_message message, uint32_t msn,
		const uint8_t *p, uint32_t n, uint32_t len)
{
	struct track_ulp_sent_message m = { .message = message,
					    .p = p,
					    .n = n,
					    .msn = msn,
					    .bytes = len,
					    .whole = n == len,
					    .last = true };

	m.flow.address = TRACK_ADDRESS_IPV4;
	m.flow.service = TRACK_SERVICE_IWARP;
	m.flow.src[15] = answer ? 2 : 1;
	m.flow.dst[15] = answer ? 1 : 2;
	m.flow.sport = answer ? PORT : port;
	m.flow.dqpn = answer ? port : PORT;
	m.va = 0x1000;
	m.key = 0x77;
	at.frame++;
	at.time_ns += 1000;
	track_ulps_message(u, &m, &at);
}

static void send(uint16_t port, bool answer, uint32_t msn, const uint8_t *p, uint32_t n)
{
	put(port, answer, TRACK_ULP_SEND, msn, p, n, n);
}

/* Faults of a kind, at the end. */
static unsigned int faults(uint64_t fault)
{
	unsigned int i, n = 0;

	track_ulps_finish(u, NULL, &at);
	for (i = 0; i < events.n; i++)
		n += events.event[i].kind == TRACK_EVENT_ULP_FAULT &&
		     events.event[i].number[TRACK_ULP_FAULT_fault] == fault;
	return n;
}

/* A call of NFS in RDMA_MSG. RFC 8166, 4; RFC 5531, 9 */
static void rpc_version(void)
{
	const uint32_t words[] = { 7, 1, 32, 0, 0, 0, 0, 7, 0, 2, 100003, 4, 0, 0, 0, 0, 0 };
	uint8_t p[sizeof(words)];
	unsigned int i;
	uint32_t version;

	for (version = 1; version <= 3; version++) {
		check_case("version %u of RPC", version);
		for (i = 0; i < G_N_ELEMENTS(words); i++)
			ibw_put_be32(p + (size_t)4 * i, i == 9 ? version : words[i]);
		begin();
		send(HOST, false, 1, p, sizeof(p));
		CHECK_EQ(track_ulps_count(u), version == 2);
		end();
	}
}

/* A login whose text goes on where the capture does not. */
static void iser_text(void)
{
	static const char text[] = "TargetName=iqn.2026-12.example:disk";
	struct guard g = guard_open(256);
	uint8_t p[28 + 48 + sizeof(text)] = { 0x10 };

	check_case("%s", "the text of a login that is cut");
	p[28] = 0x43; /* immediate, Login Request */
	p[28 + 7] = sizeof(text) + 64;
	memcpy(p + 28 + 48, text, sizeof(text));
	begin();
	put(HOST, false, TRACK_ULP_SEND, 1, guard_tail(&g, p, sizeof(p) - 3), sizeof(p) - 3,
	    sizeof(p) + 64);
	if (CHECK_EQ(track_ulps_count(u), 1))
		CHECK_STR(track_ulps_queue(u, 0)->name, "iqn.2026-12.example:di");
	end();
	guard_close(&g);
}

/* A READ(10) by an indirect table of @table bytes, two descriptors of which, with 0x400 bytes, are in the command. T10 SRP, 5.4.2 */
static unsigned int srp_sum(uint32_t table, uint32_t total)
{
	uint8_t p[48 + 20 + 32] = { 2, 0, 0, 0, 0, 2, 0, 2 };
	unsigned int n;

	p[15] = 1;    /* tag */
	p[32] = 0x28; /* READ(10) */
	ibw_put_be64(p + 48, 0x9000);
	ibw_put_be32(p + 56, 0x79);
	ibw_put_be32(p + 60, table);
	ibw_put_be32(p + 64, total);
	ibw_put_be64(p + 68, 0x1000);
	ibw_put_be32(p + 76, 0x71);
	ibw_put_be32(p + 80, 0x200);
	ibw_put_be64(p + 84, 0x2000);
	ibw_put_be32(p + 92, 0x71);
	ibw_put_be32(p + 96, 0x200);
	begin();
	send(HOST, false, 1, p, sizeof(p));
	CHECK_EQ(track_ulps_count(u), 1);
	n = faults(TRACK_ULP_SRP_SUM);
	end();
	return n;
}

static void srp_tables(void)
{
	check_case("%s", "tables of SRP: whole, of another sum, and in part");
	CHECK_EQ(srp_sum(32, 0x400), 0);
	CHECK_EQ(srp_sum(32, 0x401), 1);
	CHECK_EQ(srp_sum(48, 0x600), 0);
}

/* A Connect command with its data in the capsule. NVMe over Fabrics 1.1, 3.3 */
static void put_connect(uint16_t port, uint8_t qid)
{
	uint8_t p[64 + 1024] = { 0x7f, 0x40, 0, 0, 1 };

	ibw_put_le32(p + 32, 1024);
	p[39] = 0x01;
	p[42] = qid;
	p[44] = 31;
	memcpy(p + 64 + 256, "nqn.2026-12.example:one", 23);
	send(port, false, 1, p, sizeof(p));
}

static void put_cqe(uint16_t port, uint32_t msn, uint8_t cid, uint8_t qid, uint32_t bytes)
{
	uint8_t p[32] = { 5 };

	p[10] = qid;
	p[12] = cid;
	send(port, true, msn, p, bytes);
}

/* What the controller says of its I/O queues holds for those of a Connect command that it answered. */
static uint32_t longest_capsule(uint32_t answer)
{
	static uint8_t data[4096];
	uint8_t identify[64] = { 0x06, 0x40, 1 };
	uint32_t longest;

	data[1792] = 8;
	ibw_put_le64(identify + 24, 0x1000);
	identify[33] = 0x10;
	identify[35] = 0x77;
	identify[39] = 0x40;
	identify[40] = 1;
	begin();
	put_connect(HOST, 0);
	put_cqe(HOST, 1, 0, 0, answer);
	send(HOST, false, 2, identify, sizeof(identify));
	put(HOST, true, TRACK_ULP_WRITE_BEGINS, 0, data, sizeof(data), sizeof(data));
	put_connect(HOST + 1, 1);
	put_cqe(HOST + 1, 1, 0, 1, 16);
	CHECK_EQ(track_ulps_count(u), 2);
	longest = track_ulps_queue(u, 1)->longest[0];
	end();
	return longest;
}

static void controllers(void)
{
	check_case("%s", "the controller is in an answer of 16 bytes");
	CHECK_EQ(longest_capsule(16), 8 * 16);
	CHECK_EQ(longest_capsule(17), 0);
	CHECK_EQ(longest_capsule(15), 0);
}

static const char *command_text(char text[TRACK_ULP_TEXT])
{
	const struct track_ulp_queue *q = track_ulps_queue(u, 0);
	const struct track_ulp_code code = { .opcode = 0x7f, .type = 4 };
	struct ibw_out o = ibw_out_open(text, TRACK_ULP_TEXT);

	track_ulp_out_command(&o, q, code, 9);
	ibw_out_close(&o);
	return text;
}

/* Of a queue whose beginning was not captured the first answer says which one it is. */
static void queue_ids(void)
{
	const struct track_ulp_name name = {
		.number = PORT, .ulp = IBW_ULP_NVME, .is_port = true, .anywhere = true
	};
	uint8_t get[64] = { 0x7f, 0x40, 9, 0, 4 };
	char text[TRACK_ULP_TEXT];

	check_case("%s", "the number of a queue that was named");
	begin();
	track_ulps_name(u, &name, 1);
	get[39] = 0x40;
	send(HOST, false, 5, get, sizeof(get));
	if (CHECK_EQ(track_ulps_count(u), 1)) {
		CHECK_STR(command_text(text), "Property Get, cid 9");
		put_cqe(HOST, 5, 9, 3, 16);
		CHECK_STR(command_text(text), "Property Get, cid 9, queue 3");
	}
	end();
}

int main(void)
{
	events.event = g_new(struct track_event, TRACK_EVENTS_MAX);
	rpc_version();
	iser_text();
	srp_tables();
	controllers();
	queue_ids();
	g_free(events.event);
	return check_end();
}
