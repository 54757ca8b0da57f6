/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_ulp_iwarp.c - cases of group ULP over iWARP: NVMe over Fabrics, RPC over RDMA and rsockets, with what MPA has in its private data. */
#include <string.h>

#include <ibwire/build_private.h>
#include <ibwire/nvme.h>
#include <ibwire/rpcrdma.h>

#include "make_lint_iwp.h"

#define NVME_PORT 4420
#define NFS_PORT 20049

/* Where in a capsule its SGL descriptor and dword 10 are. */
#define SGL_AT 24
#define CDW10_AT 40

#define KEY 0x77
#define OF_QUEUE 1

/* Start-up with private data of both ends: @n octets of @asks in the request, what @answers has in the reply. */
static void agree(struct talk *t, struct mk_capture *c, uint16_t port, const void *asks, uint32_t n,
		  const void *answers, uint32_t n_answers)
{
	struct ibw_mpa_start_build b = { .rev = 1, .crc = true, .private_bytes = n };

	mk_iwp_begin_at(t, c, port);
	t->crc = true;
	mk_iwp_start_with(t, A, &b, asks);
	b.reply = true;
	b.private_bytes = n_answers;
	mk_iwp_start_with(t, B, &b, answers);
}

static void send(struct talk *t, enum side from, uint32_t msn, const void *bytes, uint32_t n)
{
	const struct ibw_segment s = mk_iwp_send_of(msn, 0, n, true);

	mk_iwp_send(t, from, &s, bytes, 0, 0, false);
}

/* ---- NVMe over Fabrics ---- */

/* A host asks for queue 1. NVMe over Fabrics 1.1, 7.3.6.4 */
static void nvme(struct talk *t, struct mk_capture *c)
{
	uint8_t asks[ibw_nvme_cm_req_BYTES], answers[ibw_nvme_cm_rep_BYTES];
	const struct ibw_nvme_connect queue = { .qid = OF_QUEUE, .hrqsize = 32, .hsqsize = 31 };

	if (!ibw_nvme_put_req(asks, sizeof(asks), &queue) ||
	    !ibw_nvme_put_rep(answers, sizeof(answers), 32))
		mk_die("no such private data");
	agree(t, c, NVME_PORT, asks, sizeof(asks), answers, sizeof(answers));
}

/* Memory of the host, of 4,096 octets or what a Connect has. */
static void put_sgl(uint8_t *capsule, uint32_t bytes)
{
	uint8_t *sgl = capsule + SGL_AT;

	ibw_put_le64(sgl, 0x100000);
	ibw_put_le32(sgl + 8, bytes);
	ibw_put_le32(sgl + 11, KEY);
	sgl[15] = IBW_NVME_SGL_KEYED << 4 | 0xf;
}

static void put_connect(struct talk *t, uint32_t msn, uint16_t qid)
{
	uint8_t p[IBW_NVME_CAPSULE_BYTES] = { IBW_NVME_ADMIN_FABRICS, 1 << 6, 0, 0,
					      IBW_NVMF_CONNECT };

	put_sgl(p, ibw_nvmf_connect_data_BYTES);
	ibw_put_le16(p + CDW10_AT + ibw_nvmf_connect_qid_AT / 8, qid);
	ibw_put_le16(p + CDW10_AT + ibw_nvmf_connect_sqsize_AT / 8, 31);
	send(t, A, msn, p, sizeof(p));
}

static void put_read(struct talk *t, uint32_t msn, uint8_t cid)
{
	uint8_t p[IBW_NVME_CAPSULE_BYTES] = { 2, 1 << 6, cid, 0, 1 };

	put_sgl(p, 4096);
	send(t, A, msn, p, sizeof(p));
}

/* An answer, which invalidates a key, if there is one. */
static void put_cqe(struct talk *t, uint32_t msn, uint8_t cid, uint32_t key)
{
	uint8_t p[ibw_nvme_completion_BYTES] = { 0 };
	struct ibw_segment s = mk_iwp_send_of(msn, 0, sizeof(p), true);

	p[10] = OF_QUEUE;
	p[12] = cid;
	if (key)
		s.opcode = IBW_RDMAP_SEND_INVALIDATE;
	s.inval_stag = key;
	mk_iwp_send(t, B, &s, p, 0, 0, false);
}

static void invalidates(struct mk_capture *c, uint32_t key, bool fires)
{
	struct talk t;

	nvme(&t, c);
	put_connect(&t, 1, OF_QUEUE);
	put_cqe(&t, 1, 0, 0);
	put_read(&t, 2, 5);
	put_cqe(&t, 2, 5, key);
	if (fires)
		mk_iwp_fires(&t, "ULP009", "tcp");
	else
		mk_iwp_misses(&t, "ULP009");
}

void mk_ulp_invalidates_own(struct mk_capture *c)
{
	invalidates(c, KEY, false);
}

void mk_ulp_invalidates_other(struct mk_capture *c)
{
	invalidates(c, KEY + 1, true);
}

void mk_ulp_invalidates_nothing(struct mk_capture *c)
{
	invalidates(c, 0, false);
}

static void connects(struct mk_capture *c, uint16_t qid, bool fires)
{
	struct talk t;

	nvme(&t, c);
	put_connect(&t, 1, qid);
	if (fires)
		mk_iwp_fires(&t, "ULP006", "tcp");
	else
		mk_iwp_misses(&t, "ULP006");
	put_cqe(&t, 1, 0, 0);
}

void mk_ulp_connect_own(struct mk_capture *c)
{
	connects(c, OF_QUEUE, false);
}

void mk_ulp_connect_other(struct mk_capture *c)
{
	connects(c, OF_QUEUE + 1, true);
}

void mk_ulp_read_first(struct mk_capture *c)
{
	struct talk t;

	nvme(&t, c);
	put_read(&t, 1, 5);
	mk_iwp_fires(&t, "ULP006", "tcp");
	put_connect(&t, 2, OF_QUEUE);
	mk_iwp_misses(&t, "ULP006");
}

/* Without private data of a host it may be anything. */
void mk_ulp_read_first_of_nobody(struct mk_capture *c)
{
	struct talk t;

	agree(&t, c, NVME_PORT, "why not", 7, NULL, 0);
	put_read(&t, 1, 5);
	mk_iwp_misses(&t, "ULP006");
}

static void refused(struct mk_capture *c, uint16_t port, bool fires)
{
	struct ibw_mpa_start_build b = { .rev = 1, .crc = true, .private_bytes = 7 };
	uint8_t answers[ibw_nvme_cm_rej_BYTES];
	struct talk t;

	if (!ibw_nvme_put_rej(answers, sizeof(answers), IBW_NVME_CM_INVALID_QID))
		mk_die("no such private data");
	mk_iwp_begin_at(&t, c, port);
	mk_iwp_start_with(&t, A, &b, "why not");
	b.reply = b.reject = true;
	b.private_bytes = sizeof(answers);
	mk_iwp_start_with(&t, B, &b, answers);
	mk_iwp_fires(&t, "IWP025", "mpa_start");
	if (fires)
		mk_iwp_fires(&t, "ULP025", "tcp");
	else
		mk_iwp_misses(&t, "ULP025");
}

void mk_ulp_refused_queue(struct mk_capture *c)
{
	refused(c, NVME_PORT, true);
}

/* At another port these octets say nothing of NVMe. */
void mk_ulp_refused_port(struct mk_capture *c)
{
	refused(c, NVME_PORT + 1, false);
}

/* ---- RPC over RDMA ---- */

#define FIRST 600

/* A call of NFS, in a Send of so many octets in two segments; the server has room for 1,024, where it says so. RFC 8797, 4.1 */
static void calls(struct mk_capture *c, uint32_t bytes, bool announced, bool fires)
{
	uint8_t said[8] = { 0xf6, 0xab, 0x0e, 0x18, 1, 0, 0, 0 }, call[1100] = { 0 };
	struct ibw_segment s = mk_iwp_send_of(1, 0, FIRST, false);
	struct talk t;

	agree(&t, c, NFS_PORT, said, sizeof(said), said, announced ? sizeof(said) : 0);
	ibw_put_be32(call, 7);
	ibw_put_be32(call + 4, 1);
	ibw_put_be32(call + 8, 32);
	ibw_put_be32(call + 28, 7);
	ibw_put_be32(call + 36, 2);
	ibw_put_be32(call + 40, 100003);
	ibw_put_be32(call + 44, 3);
	mk_iwp_send(&t, A, &s, call, 0, 0, false);
	mk_iwp_misses(&t, "ULP024");
	s = mk_iwp_send_of(1, FIRST, bytes - FIRST, true);
	mk_iwp_send(&t, A, &s, call + FIRST, 0, 0, false);
	if (fires)
		mk_iwp_fires(&t, "ULP024", "tcp");
	else
		mk_iwp_misses(&t, "ULP024");
}

void mk_ulp_send_1024(struct mk_capture *c)
{
	calls(c, 1024, true, false);
}

void mk_ulp_send_1025(struct mk_capture *c)
{
	calls(c, 1025, true, true);
}

void mk_ulp_send_unannounced(struct mk_capture *c)
{
	calls(c, 1025, false, false);
}

/* ---- rsockets ---- */

#define RSOCKET_PORT 7471
#define NET 1

/* An area: address, key, length. */
static void put_area(uint8_t *p, uint64_t address, uint32_t key, uint32_t bytes)
{
	ibw_put_be64(p, address);
	ibw_put_be32(p + 8, key);
	ibw_put_be32(p + 12, bytes);
}

/* Private data: of A in little-endian order, of B in that of the network. rdma-core, docs/rsocket */
static void rsockets(struct talk *t, struct mk_capture *c, uint8_t version)
{
	uint8_t asks[40] = { 1, 2, 1, 0x80 }, answers[40] = { version, 2 | NET, 1, 0x80 };

	put_area(asks + 8, 0x7f0000001000, 0x301, 0x20000);
	put_area(asks + 24, 0x7f0000002000, 0x302, 0x80000);
	put_area(answers + 8, 0x7f0000001000, 0x301, 0x20000);
	put_area(answers + 24, 0x7f0000002000, 0x302, 0x80000);
	agree(t, c, RSOCKET_PORT, asks, sizeof(asks), answers, sizeof(answers));
}

/* An RDMA Write of so many octets, if there are any, then its word. */
static void put_word(struct talk *t, enum side from, uint32_t bytes, uint32_t msn, uint32_t word)
{
	static const uint8_t zeros[100];
	const struct ibw_segment s = mk_iwp_write_of(0x302, 0x7f0000002000, bytes, true);
	uint8_t p[4];

	if (bytes)
		mk_iwp_send(t, from, &s, zeros, 0, 0, false);
	if (from == A)
		ibw_put_le32(p, word);
	else
		ibw_put_be32(p, word);
	send(t, from, msn, p, sizeof(p));
}

/* Data, credits, control, and a count of none; an end whose order is that of the network. */
void mk_ulp_words(struct mk_capture *c)
{
	struct talk t;

	rsockets(&t, c, 1);
	put_word(&t, A, 16, 1, 0x80010080);
	mk_iwp_misses(&t, "ULP022");
	put_word(&t, B, 100, 1, 100);
	mk_iwp_misses(&t, "ULP022");
	put_word(&t, A, 100, 2, 100);
	put_word(&t, A, 0, 3, 0);
	put_word(&t, A, 0, 4, 0xe0000001);
	mk_iwp_misses(&t, "ULP022");
}

void mk_ulp_word_count(struct mk_capture *c)
{
	struct talk t;

	rsockets(&t, c, 1);
	put_word(&t, A, 100, 1, 99);
	mk_iwp_fires(&t, "ULP022", "tcp");
	put_word(&t, B, 100, 1, 99);
	mk_iwp_fires(&t, "ULP022", "tcp");
}

void mk_ulp_word_type(struct mk_capture *c)
{
	struct talk t;

	rsockets(&t, c, 1);
	put_word(&t, A, 16, 1, 0x60000010);
	mk_iwp_fires(&t, "ULP022", "tcp");
}

/* The word of the second Write is not in the capture: the third one counts what none before it wrote. */
void mk_ulp_word_lost(struct mk_capture *c)
{
	struct talk t;

	rsockets(&t, c, 1);
	put_word(&t, A, 100, 1, 100);
	put_word(&t, A, 100, 3, 60);
	mk_iwp_fires(&t, "IWP016", "ddp_untagged");
	mk_iwp_misses(&t, "ULP022");
}

void mk_ulp_words_of_other(struct mk_capture *c)
{
	struct talk t;

	rsockets(&t, c, 2);
	mk_iwp_fires(&t, "ULP022", "tcp");
	put_word(&t, A, 100, 1, 99);
	mk_iwp_misses(&t, "ULP022");
}

/* A reply without private data is of no rsocket. */
void mk_ulp_words_of_nobody(struct mk_capture *c)
{
	uint8_t asks[40] = { 1, 2, 1, 0x80 };
	struct talk t;

	put_area(asks + 8, 0x7f0000001000, 0x301, 0x20000);
	put_area(asks + 24, 0x7f0000002000, 0x302, 0x80000);
	agree(&t, c, RSOCKET_PORT, asks, sizeof(asks), NULL, 0);
	put_word(&t, A, 100, 1, 99);
	mk_iwp_misses(&t, "ULP022");
}
