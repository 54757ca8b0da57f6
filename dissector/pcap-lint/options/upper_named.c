/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper_named.c - --ulp: parses the upper layers that the user names, and says which are wrong. */
#include <string.h>

#include "options.h"
#include "upper_named.h"

static const struct {
	const char *name;
	enum ibw_ulp ulp;
} words[] = { { "nvme", IBW_ULP_NVME },
	      { "iser", IBW_ULP_ISER },
	      { "srp", IBW_ULP_SRP },
	      { "rpc", IBW_ULP_RPCRDMA },
	      { "smb", IBW_ULP_SMB_DIRECT } };

static bool refuse(GError **err, const char *why)
{
	g_set_error_literal(err, PL_OPTIONS_ERROR, 0, why);
	return false;
}

static bool to_ulp(struct track_ulp_name *name, const char *word)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(words); i++) {
		if (g_ascii_strcasecmp(word, words[i].name) == 0) {
			name->ulp = (uint8_t)words[i].ulp;
			return true;
		}
	}
	return false;
}

static const char *word_of(unsigned int ulp)
{
	size_t i;

	for (i = 0; i + 1 < G_N_ELEMENTS(words) && words[i].ulp != ulp; i++)
		;
	return words[i].name;
}

/* A decimal number alone is a port: a queue pair has 0x, or an address before it. */
static bool to_connection(struct track_ulp_name *name, const char *word)
{
	struct pl_chosen qps = { .n_qps = 0 };
	guint64 port;

	if (!strchr(word, ':') && g_ascii_strncasecmp(word, "0x", 2) != 0) {
		name->is_port = true;
		if (!g_ascii_string_to_unsigned(word, 10, 1, UINT16_MAX, &port, NULL))
			return false;
		name->number = (uint32_t)port;
		return true;
	}
	if (!pl_chosen_add_qps(&qps, word, NULL))
		return false;
	name->number = qps.qp[0].qpn;
	name->anywhere = qps.qp[0].at.any;
	name->lid = qps.qp[0].at.lid;
	memcpy(name->address, qps.qp[0].at.bytes, sizeof(name->address));
	return true;
}

static bool add(struct pl_upper_names *names, char *word, GError **err)
{
	struct track_ulp_name name = { .number = 0 };
	char *equals = strrchr(word, '=');

	if (!equals)
		return refuse(err, "no NAME, as in 4420=nvme");
	*equals = '\0';
	if (!to_connection(&name, g_strstrip(word)))
		return refuse(
			err,
			"not a port from 1 to 65535, and not a queue pair, as 0x22 or 10.1.0.1:34");
	if (!to_ulp(&name, g_strstrip(equals + 1)))
		return refuse(err, "none of " PL_UPPER_NAMES);
	if (names->n == TRACK_ULP_NAMES_MAX)
		return refuse(err, "more than 32 connections");
	names->name[names->n++] = name;
	return true;
}

bool pl_upper_names_add(struct pl_upper_names *names, const char *text, GError **err)
{
	char **parts = g_strsplit(text, ",", -1);
	bool ok = *parts != NULL || refuse(err, "no connection");
	unsigned int i;

	for (i = 0; ok && parts[i]; i++)
		ok = add(names, parts[i], err);
	g_strfreev(parts);
	return ok;
}

/* What became of it */

/* "4420=nvme", "10.1.0.1:0x000022=srp" */
static void out_name(struct ibw_out *o, const struct track_ulp_name *name)
{
	struct pl_chosen qps = { .n_qps = 1 };

	if (name->is_port) {
		ibw_out_str(o, "port ");
		ibw_out_dec(o, name->number);
	} else {
		qps.qp[0].qpn = name->number;
		qps.qp[0].at.any = name->anywhere;
		qps.qp[0].at.lid = name->lid;
		memcpy(qps.qp[0].at.bytes, name->address, sizeof(name->address));
		pl_out_chosen(o, &qps);
	}
	ibw_out_char(o, '=');
	ibw_out_str(o, word_of(name->ulp));
}

static void out_why(struct ibw_out *o, const struct track_ulp_named *n, uint64_t before)
{
	if (n->wrong_frame) {
		ibw_out_str(o, " is given up: frame ");
		ibw_out_dec(o, n->wrong_frame - before);
		ibw_out_str(o, n->wrong_ulp ? " has a message of " : " has no valid message of ");
		ibw_out_str(o, ibw_ulp_text(n->wrong_ulp ? n->wrong_ulp : n->name.ulp));
	} else if (n->messages) {
		ibw_out_str(o, ": none of its messages is a command");
	} else {
		ibw_out_str(o, ": no such connection sends a message");
	}
}

bool pl_upper_named_why(struct ibw_out *o, const struct track_ulp_named *named, uint64_t before)
{
	if (named->queues)
		return false;
	out_name(o, &named->name);
	out_why(o, named, before);
	return true;
}
