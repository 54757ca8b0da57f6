/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident.h - which incidents a packet belongs to. */
#ifndef IW_INCIDENT_H
#define IW_INCIDENT_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/incident/incident.h"
#include "track/stream/qps.h"
#include "track/track.h"

/* Of a connection that is shown. */
struct iw_incident {
	const struct track_incident *incident;
	const struct track_qp
		*qp; /* NULL: of a conversation of the CM that set up none, of MADs, or of iWARP */
	uint32_t number; /* that of pcap-lint */
	uint32_t stream; /* that it is about */
	bool has_stream;
};

/* A frame of one. */
struct iw_incident_place {
	uint32_t frame, incident; /* its index */
};

void iw_incident_register(void);
void iw_incident_finish(const struct track *trackers); /* every frame has been seen */
void iw_incident_cleanup(void);
/* All @n of them; none before every frame has been seen. */
const struct iw_incident *iw_incidents(unsigned int *n);
/* The @n places of one frame. */
const struct iw_incident_place *iw_incident_places(uint32_t frame, unsigned int *n);
void iw_incident_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_INCIDENT_H */
