/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chosen.c - parses names of queue pairs and hosts, and matches connections with them. */
#include <arpa/inet.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "chosen.h"
#include "options.h"
#include "track/cm/cm_list.h"
#include "track/track.h"
#include "track/way/qp.h"

#define QPN_MAX 0xffffffu

static bool refuse(GError **err, const char *why)
{
	g_set_error_literal(err, PL_OPTIONS_ERROR, 0, why);
	return false;
}

/* Decimal, or with 0x. */
static bool to_number(const char *text, uint64_t max, uint32_t *number)
{
	bool hex = g_ascii_strncasecmp(text, "0x", 2) == 0;
	guint64 n;

	if (!g_ascii_string_to_unsigned(hex ? text + 2 : text, hex ? 16 : 10, 0, max, &n, NULL))
		return false;
	*number = (uint32_t)n;
	return true;
}

/* "LID 0x0005", as a report has it, or "lid5". */
static bool to_lid(const char *text, uint8_t bytes[16])
{
	uint32_t lid;

	if (g_ascii_strncasecmp(text, "lid", 3) != 0)
		return false;
	for (text += 3; *text == ' '; text++)
		;
	if (!to_number(text, UINT16_MAX, &lid))
		return false;
	ibw_put_be16(bytes + 14, (uint16_t)lid);
	return true;
}

static bool to_address(const char *text, struct pl_chosen_address *address)
{
	size_t n = strlen(text);
	char *inner = n > 1 && text[0] == '[' && text[n - 1] == ']' ? g_strndup(text + 1, n - 2)
								    : g_strdup(text);
	bool ok = true;

	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, inner, address->bytes + 12) == 1)
		memset(address->bytes + 10, 0xff, 2);
	else if (inet_pton(AF_INET6, inner, address->bytes) != 1)
		ok = address->lid = to_lid(inner, address->bytes);
	g_free(inner);
	return ok;
}

static bool add_qp(struct pl_chosen *chosen, const char *word, GError **err)
{
	static const char want[] =
		"not a queue pair, as 0x22 or 34, alone or after an address: 10.1.0.1:0x22";
	struct pl_chosen_qp qp = { .at.any = true };
	const char *colon = strrchr(word, ':');
	bool ok = true;
	char *address;

	if (chosen->n_qps == PL_CHOSEN_MAX)
		return refuse(err, "more than 32 queue pairs");
	if (colon) {
		address = g_strndup(word, (gsize)(colon - word));
		ok = to_address(address, &qp.at);
		g_free(address);
	}
	if (!ok || !to_number(colon ? colon + 1 : word, QPN_MAX, &qp.qpn))
		return refuse(err, want);
	chosen->qp[chosen->n_qps++] = qp;
	return true;
}

bool pl_chosen_add_qps(struct pl_chosen *chosen, const char *text, GError **err)
{
	char **words = g_strsplit(text, ",", -1);
	bool ok = *words != NULL || refuse(err, "no queue pair");
	unsigned int i;

	for (i = 0; ok && words[i]; i++)
		ok = add_qp(chosen, g_strstrip(words[i]), err);
	g_strfreev(words);
	return ok;
}

bool pl_chosen_add_hosts(struct pl_chosen *chosen, const char *text, GError **err)
{
	char **words = g_strsplit(text, ",", -1);
	struct pl_chosen_hosts hosts = { .other.any = true };
	unsigned int n = g_strv_length(words);
	bool ok = (n == 1 || n == 2) && to_address(g_strstrip(words[0]), &hosts.one) &&
		  (n == 1 || to_address(g_strstrip(words[1]), &hosts.other));

	g_strfreev(words);
	if (!ok)
		return refuse(err,
			      "not an address, as 10.1.0.1, fe80::1 or \"LID 5\", and not two");
	if (chosen->n_hosts == PL_CHOSEN_MAX)
		return refuse(err, "more than 32 hosts");
	chosen->hosts[chosen->n_hosts++] = hosts;
	return true;
}

static bool is_at(const struct pl_chosen_address *address, const struct track_flow *gids,
		  const uint8_t bytes[16])
{
	return address->any || (address->lid == (gids->address == TRACK_ADDRESS_LID) &&
				memcmp(address->bytes, bytes, 16) == 0);
}

/* @gids: the direction with its addresses as trackers have them. */
static bool is_between(const struct pl_chosen *chosen, const struct track_flow *gids)
{
	const struct pl_chosen_hosts *h;
	unsigned int i;

	for (i = 0; i < chosen->n_hosts; i++) {
		h = &chosen->hosts[i];
		if ((is_at(&h->one, gids, gids->src) && is_at(&h->other, gids, gids->dst)) ||
		    (is_at(&h->one, gids, gids->dst) && is_at(&h->other, gids, gids->src)))
			return true;
	}
	return !chosen->n_hosts;
}

static bool is_called(const struct pl_chosen *chosen, const struct track_flow *gids,
		      const uint8_t bytes[16], uint32_t qpn)
{
	unsigned int i;

	for (i = 0; i < chosen->n_qps; i++)
		if (chosen->qp[i].qpn == qpn && is_at(&chosen->qp[i].at, gids, bytes))
			return true;
	return false;
}

static enum pl_is_chosen yes_if(bool is)
{
	return is ? PL_CHOSEN_YES : PL_CHOSEN_NO;
}

enum pl_is_chosen pl_chosen_flow(const struct pl_chosen *chosen, const struct track *track,
				 const struct track_flow *flow)
{
	struct track_flow gids = *flow;
	struct track_place place;

	track_flow_as_gids(&gids);
	if (!is_between(chosen, &gids))
		return PL_CHOSEN_NO;
	if (chosen->n_qps && gids.service == TRACK_SERVICE_IWARP)
		return PL_CHOSEN_NO; /* ports are no queue pairs */
	if (!chosen->n_qps || is_called(chosen, &gids, gids.dst, gids.dqpn))
		return PL_CHOSEN_YES;
	if (gids.service == IBW_SERVICE_UD || gids.service == IBW_SERVICE_RD || !track)
		return PL_CHOSEN_NO;
	/* As a CNP, it does not say what service its connection has. */
	if (track_is_of_vendor(gids.service))
		gids.service = IBW_SERVICE_CNP;
	if (!track_place_of(track, &gids, &place) || place.sqpn == TRACK_CM_NO_QPN)
		return PL_CHOSEN_LATER;
	return yes_if(is_called(chosen, &gids, gids.src, place.sqpn));
}

bool pl_chosen_connection(const struct pl_chosen *chosen, const struct track_qp *qp)
{
	struct track_flow gids = qp->flow;

	track_flow_as_gids(&gids);
	return is_between(chosen, &gids) &&
	       (!chosen->n_qps ||
		is_called(chosen, &gids, gids.src, track_qp_sqpn(qp, TRACK_A_TO_B)) ||
		is_called(chosen, &gids, gids.dst, track_qp_sqpn(qp, TRACK_B_TO_A)));
}

bool pl_chosen_conversation(const struct pl_chosen *chosen, const struct track_cm_record *r)
{
	struct track_flow gids = r->client;

	track_flow_as_gids(&gids);
	return is_between(chosen, &gids) &&
	       (!chosen->n_qps || is_called(chosen, &gids, gids.src, r->qpn[TRACK_CM_CLIENT]) ||
		is_called(chosen, &gids, gids.dst, r->qpn[TRACK_CM_SERVER]));
}

static void out_address(struct ibw_out *o, const struct pl_chosen_address *address)
{
	struct track_flow flow = { .address =
					   address->lid ? TRACK_ADDRESS_LID : TRACK_ADDRESS_GID };
	char text[TRACK_ADDRESS_TEXT];

	memcpy(flow.src, address->bytes, 16);
	memcpy(flow.dst, address->bytes, 16);
	track_flow_as_seen(&flow);
	ibw_out_str(o, track_address_text((enum track_address)flow.address, flow.src, text));
}

void pl_out_chosen(struct ibw_out *o, const struct pl_chosen *chosen)
{
	char qpn[16];
	unsigned int i;

	for (i = 0; i < chosen->n_qps; i++) {
		ibw_out_str(o, i ? " or " : "queue pair ");
		if (!chosen->qp[i].at.any) {
			out_address(o, &chosen->qp[i].at);
			ibw_out_char(o, ':');
		}
		g_snprintf(qpn, sizeof(qpn), "0x%06x", chosen->qp[i].qpn);
		ibw_out_str(o, qpn);
	}
	if (chosen->n_qps && chosen->n_hosts)
		ibw_out_str(o, ", ");
	for (i = 0; i < chosen->n_hosts; i++) {
		ibw_out_str(o, i ? " or " : "host ");
		out_address(o, &chosen->hosts[i].one);
		if (!chosen->hosts[i].other.any) {
			ibw_out_str(o, " with ");
			out_address(o, &chosen->hosts[i].other);
		}
	}
}

unsigned int pl_chosen_qps(const struct pl_chosen *chosen, struct track_qp **qps, unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++)
		if (pl_chosen_connection(chosen, qps[i]))
			qps[kept++] = qps[i];
	return kept;
}
