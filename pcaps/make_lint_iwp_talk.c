/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_iwp_talk.c - packets of a connection of iWARP: its start-up, FPDUs, segments. */
#include <string.h>

#include "make_lint_iwp.h"

#define MULPDU 1400
#define PORT 7471

/* The sum of TCP and what it covers in addition, all of it even. */
static void fix_checksum(uint8_t *ip, uint32_t n)
{
	uint64_t sum = IBW_IP_PROTO_TCP + n + ibw_bytes_sum(ip + 12, 8);

	sum += ibw_bytes_sum(ip + 20, n);
	ibw_put_be16(ip + 20 + 16, (uint16_t)~ibw_sum_fold(sum));
}

void mk_iwp_put(struct talk *t, enum side from, uint8_t flags, const uint8_t *bytes, uint32_t n)
{
	uint8_t b[20 + 20 + 1600] = { 0x45 }, *tcp = b + 20;
	uint8_t mss[4] = { 2, 4, (uint8_t)(t->mss >> 8), (uint8_t)t->mss };
	bool has_mss = t->mss && flags & SYN;
	struct mk_packet p = { 0 };

	if (has_mss) {
		bytes = mss;
		n = sizeof(mss);
	}
	ibw_put_be16(b + 2, (uint16_t)(40 + n));
	b[8] = 64;
	b[9] = IBW_IP_PROTO_TCP;
	ibw_put_be16(b + 4, t->id[from]);
	t->id[from] = (uint16_t)(t->id[from] + (t->id[from] != 0));
	ibw_put_be32(b + 12, 0x0a000001u + (from == B));
	ibw_put_be32(b + 16, 0x0a000001u + (from == A));
	ibw_put_be16(tcp, from == A ? 40000 : t->port);
	ibw_put_be16(tcp + 2, from == A ? t->port : 40000);
	ibw_put_be32(tcp + 4, t->seq[from]);
	ibw_put_be32(tcp + 8, t->seq[!from]);
	tcp[12] = has_mss ? 6 << 4 : 5 << 4;
	tcp[13] = flags;
	ibw_put_be16(tcp + 14, 0xffff);
	if (n)
		memcpy(tcp + 20, bytes, n);
	fix_checksum(b, 20 + n);
	mk_eth_frame(&p, IBW_ETHERTYPE_IPV4, b, 40 + n);
	mk_fix_ip_checksum(&p);
	mk_put(t->c, &p);
	t->seq[from] += (has_mss ? 0 : n) + (flags & 3 ? 1 : 0);
}

static void begin(struct talk *t, struct mk_capture *c, uint16_t mss, uint16_t port)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	*t = (struct talk){ .c = c, .seq = { 0xfffffff0u, 5000 }, .mss = mss, .port = port };
	mk_iwp_put(t, A, SYN, NULL, 0);
	mk_iwp_put(t, B, SYN | ACK, NULL, 0);
}

void mk_iwp_begin_with(struct talk *t, struct mk_capture *c, uint16_t mss)
{
	begin(t, c, mss, PORT);
}

void mk_iwp_begin_at(struct talk *t, struct mk_capture *c, uint16_t port)
{
	begin(t, c, 0, port);
	mk_file_misses(c, "CAP019");
	mk_file_misses(c, "CAP011");
}

void mk_iwp_begin(struct talk *t, struct mk_capture *c)
{
	mk_iwp_begin_at(t, c, PORT);
}

static void start(struct talk *t, enum side from, const struct ibw_mpa_start_build *b,
		  const void *private_data, uint32_t at, uint8_t octet)
{
	uint8_t bytes[64];
	size_t n = ibw_build_mpa_start(bytes, sizeof(bytes), b, private_data);

	if (!n || n > sizeof(bytes))
		mk_die("no such MPA frame");
	if (at)
		bytes[at] = octet;
	mk_iwp_put(t, from, ACK, bytes, (uint32_t)n);
	if (b->reply && !b->reject && !t->asked_crc && !b->crc)
		mk_event_fires(t->c, "IWP009", "mpa_start");
	else if (b->reply && !b->reject)
		mk_misses(t->c, "IWP009", NULL);
	t->asked_crc |= b->crc;
}

/* An MPA frame, of which the octet at @at is @octet instead, if @at is not 0. Without CRCs that is said of the reply. */
void mk_iwp_start(struct talk *t, enum side from, const struct ibw_mpa_start_build *b, uint32_t at,
		  uint8_t octet)
{
	start(t, from, b, "why not", at, octet);
}

void mk_iwp_start_with(struct talk *t, enum side from, const struct ibw_mpa_start_build *b,
		       const void *private_data)
{
	start(t, from, b, private_data, 0, 0);
}

void mk_iwp_agree(struct talk *t, struct mk_capture *c, bool crc, bool markers)
{
	struct ibw_mpa_start_build b = {
		.rev = 2, .crc = crc, .has_enhanced = true, .enhanced = { .ird = 2, .ord = 2 }
	};

	mk_iwp_begin(t, c);
	mk_iwp_start(t, A, &b, 0, 0);
	b.reply = true;
	b.markers = markers;
	mk_iwp_start(t, B, &b, 0, 0);
	t->crc = crc;
	t->markers[A] = markers;
}

/* The FPDU of a segment whose payload is @payload, of @bytes; the octet @at of it is changed by @mask, the CRC made right
 * after if @fix. */
void mk_iwp_send(struct talk *t, enum side from, const struct ibw_segment *s, const void *payload,
		 uint32_t at, uint8_t mask, bool fix)
{
	static const uint8_t zeros[1400];
	uint8_t bytes[1600];
	struct ibw_fpdu_build b = { .position = t->position[from],
				    .mulpdu = MULPDU,
				    .markers = t->markers[from],
				    .crc = t->crc,
				    .segment = *s };
	const struct ibw_piece piece = { payload ? payload : zeros, s->bytes };
	size_t n = ibw_build_fpdu(bytes, sizeof(bytes), &b, &piece, 1, ibw_crc32c_step);

	if (!n || n > sizeof(bytes))
		mk_die("no such FPDU");
	bytes[at] ^= mask;
	if (mask && fix && t->crc)
		ibw_put_le32(bytes + n - 4, ~ibw_crc32c_step(0xffffffffu, bytes, n - 4));
	mk_iwp_put(t, from, ACK, bytes, (uint32_t)n);
	t->position[from] += n;
}

struct ibw_segment mk_iwp_send_of(uint32_t msn, uint32_t mo, uint32_t bytes, bool last)
{
	return (struct ibw_segment){
		.opcode = IBW_RDMAP_SEND, .msn = msn, .mo = mo, .bytes = bytes, .last = last
	};
}

struct ibw_segment mk_iwp_write_of(uint32_t stag, uint64_t to, uint32_t bytes, bool last)
{
	return (struct ibw_segment){ .opcode = IBW_RDMAP_WRITE,
				     .tagged = true,
				     .stag = stag,
				     .to = to,
				     .bytes = bytes,
				     .last = last };
}

void mk_iwp_send_msg(struct talk *t, enum side from, uint32_t msn)
{
	const struct ibw_segment s = mk_iwp_send_of(msn, 0, 64, true);

	mk_iwp_send(t, from, &s, NULL, 0, 0, false);
}

void mk_iwp_read_of(struct talk *t, enum side from, uint32_t msn, uint32_t bytes)
{
	const struct ibw_segment s = { .opcode = IBW_RDMAP_READ_REQUEST,
				       .qn = 1,
				       .msn = msn,
				       .bytes = ibw_rdmap_read_req_BYTES,
				       .last = true };
	const struct ibw_rdmap_read_req read = { .sink_stag = 0x11,
						 .sink_to = UINT64_C(0x1000) * msn,
						 .read_size = bytes,
						 .src_stag = 0x22,
						 .src_to = 0x9000 };
	struct ibw_rdmap_read_req_wire wire;

	ibw_rdmap_read_req_pack(&wire, &read);
	mk_iwp_send(t, from, &s, &wire, 0, 0, false);
}

void mk_iwp_respond(struct talk *t, enum side from, uint32_t stag, uint64_t to, uint32_t bytes)
{
	struct ibw_segment s = mk_iwp_write_of(stag, to, bytes, true);

	s.opcode = IBW_RDMAP_READ_RESPONSE;
	mk_iwp_send(t, from, &s, NULL, 0, 0, false);
}

void mk_iwp_fires(struct talk *t, const char *rule, const char *layer)
{
	mk_event_fires(t->c, rule, layer);
}

void mk_iwp_misses(struct talk *t, const char *rule)
{
	mk_misses(t->c, rule, NULL);
}
