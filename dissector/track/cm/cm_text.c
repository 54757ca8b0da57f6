/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_text.c - describes a CM conversation in words: its service, and how it ended. */
#include <glib.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "cm_list.h"

static const struct {
	uint16_t port_space, port;
	const char *text;
} services[] = {
#define TRACK_CM_SERVICE(port_space, port, text) { port_space, port, text },
#include "cm_services.def"
};

const char *track_cm_service_text(uint64_t service_id, char buf[TRACK_CM_SERVICE_TEXT])
{
	const struct ibw_sid sid = ibw_sid_split(service_id);
	const char *text = NULL;
	unsigned int i;

	if (sid.kind == IBW_SID_IPOIB_CM)
		return "IPoIB connected mode";
	if (sid.kind != IBW_SID_RDMA_CM)
		return NULL;
	for (i = 0; i < G_N_ELEMENTS(services); i++)
		if (services[i].port_space == sid.port_space && services[i].port == sid.port)
			text = services[i].text;
	if (!text)
		text = ibw_name_of(ibw_rdma_port_space_names, sid.port_space);
	g_snprintf(buf, TRACK_CM_SERVICE_TEXT, "%s %u", text, sid.port);
	return buf;
}

static const char *letter(const struct track_cm_record *r)
{
	return r->ended_by == TRACK_CM_CLIENT ? "A" : "B";
}

const char *track_cm_end_text(const struct track_cm_record *r, char buf[TRACK_CM_END_TEXT])
{
	const struct ibw_name *reasons =
		r->end == TRACK_CM_SIDR_REP ? ibw_cm_sidr_status_names : ibw_cm_rej_reason_names;
	const char *reason;

	switch (track_cm_record_state(r)) {
	case TRACK_CM_REJECTED:
		reason = ibw_name_of(reasons, r->reason);
		g_snprintf(buf, TRACK_CM_END_TEXT, "rejected%s: %u %s",
			   r->ended_by == TRACK_CM_CLIENT ? " by A" : "", r->reason,
			   reason ? reason : "(no name)");
		return buf;
	case TRACK_CM_DISCONNECTED:
		g_snprintf(buf, TRACK_CM_END_TEXT, "closed by %s", letter(r));
		return buf;
	case TRACK_CM_DREQ_SENT:
		g_snprintf(buf, TRACK_CM_END_TEXT, "closed by %s, no DREP", letter(r));
		return buf;
	case TRACK_CM_ESTABLISHED:
		return "open";
	case TRACK_CM_RESOLVED:
		return "resolved";
	case TRACK_CM_REP_SENT:
		return "no RTU";
	default:
		return "no answer";
	}
}
