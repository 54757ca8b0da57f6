/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roc_icmp.c - reports ICMP errors that quote a RoCE v2 packet: whose packets are lost, and why. */
#include <arpa/inet.h>
#include <stdio.h>

#include "packet.h"
#include "lint/found/found.h"
#include "track/view/icmp.h"

/* ", MTU 1500" where the error gives the MTU that would fit, else nothing. */
#define MTU_TEXT 24
static const char *mtu_text(const struct track_icmp *icmp, char text[MTU_TEXT])
{
	text[0] = '\0';
	if (icmp->has_mtu)
		snprintf(text, MTU_TEXT, ", MTU %u", icmp->mtu);
	return text;
}

/* "10.0.0.1 -> 10.0.0.2 qp 0x000117 psn 0x000004 (RC SEND Only)" */
#define QUOTED_TEXT 240
static const char *quoted_text(const struct ibw_packet *quoted, bool cut, char text[QUOTED_TEXT])
{
	char src[INET6_ADDRSTRLEN] = "", dst[INET6_ADDRSTRLEN] = "", name[TRACK_FLOW_TEXT];
	struct track_flow flow;
	struct ibw_net net;
	int family;

	if (track_flow_of(quoted, &flow)) {
		snprintf(text, QUOTED_TEXT, "%s psn 0x%06x (%s)", track_flow_text(&flow, name),
			 ibw_bth_psn(IBW_KNOWN(quoted, bth)), lint_opcode_text(quoted));
	} else if (ibw_packet_net(quoted, &net)) {
		family = net.layer == IBW_LAYER_ipv4 ? AF_INET : AF_INET6;
		inet_ntop(family, net.src, src, sizeof(src));
		inet_ntop(family, net.dst, dst, sizeof(dst));
		snprintf(text, QUOTED_TEXT, "%s -> %s, UDP source port %u (its BTH is not %s)", src,
			 dst, ibw_udp_sport(IBW_KNOWN(quoted, udp)), cut ? "captured" : "quoted");
	}
	return text;
}

void lint_roc_icmp(const struct lint_packet *p)
{
	const struct lint_options *said = lint_options_of(p->lint);
	const struct ibw_walk_options options = { said->roce_ports, said->n_roce_ports };
	char by[INET6_ADDRSTRLEN] = "", mtu[MTU_TEXT], text[QUOTED_TEXT] = "";
	struct track_icmp icmp;
	struct ibw_net net;

	if (!lint_on(p->lint, LINT_ROC026) || !track_icmp_quotes(&icmp, p->pkt, &options) ||
	    !ibw_packet_net(p->pkt, &net))
		return;
	inet_ntop(icmp.v6 ? AF_INET6 : AF_INET, net.src, by, sizeof(by));
	lint_found(p, LINT_ROC026, icmp.off, TRACK_ICMP_BYTES,
		   "%s says %s (ICMP%s type %u, code %u%s) of %s", by, icmp.reason,
		   icmp.v6 ? "v6" : "", icmp.type, icmp.code, mtu_text(&icmp, mtu),
		   quoted_text(&icmp.quoted, icmp.cut, text));
}
