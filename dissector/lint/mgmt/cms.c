/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cms.c - group CMS: messages of communication management, as one datagram shows them. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <ibwire/cm.h>

#include "mad.h"
#include "track/view/rejection.h"

#define AT(p, rule, req, field, ...) LINT_AT_WIRE(p, rule, req, cm_req, field, __VA_ARGS__)

/* Local ACK timeouts of 4.096 us * 2^code that are out of the ordinary: below 1 ms, above 17 s. */
#define ACK_TIMEOUT_MIN 8
#define ACK_TIMEOUT_MAX 22

/* Port spaces fill the range of service ids up to here. */
#define SID_PORT_SPACES_END 0x100000000ull

/* The attribute at the start of the data, if all @bytes of it are there. */
static const void *message(const struct track_mad *m, uint32_t bytes)
{
	uint32_t off = m->walked.data_off;

	return off <= m->n && bytes <= m->n - off ? m->p + off : NULL;
}

#define MESSAGE(m, name) ((const struct ibw_##name##_wire *)message((m), ibw_##name##_BYTES))

static void check_header(const struct lint_packet *p, const char *text)
{
	const struct track_mad *m = p->mad;

	if (!m->walked.attr)
		LINT_AT_WIRE(p, LINT_CMS002, m->mad, mad, attr_id,
			     "%s: ComMgt has no attribute 0x%04x", text, ibw_mad_attr_id(m->mad));
	else if (m->walked.attr->methods == IBW_M_SEND &&
		 (ibw_mad_r(m->mad) || ibw_mad_method(m->mad) != IBW_METHOD_SEND))
		LINT_AT_WIRE(p, LINT_CMS001, m->mad, mad, method,
			     "%s: CM messages are sent (method 0x%02x), not 0x%02x", text,
			     IBW_METHOD_SEND, m->mad->b[ibw_mad_r_AT / 8]);
}

/* Room for a GID, or a LID with its name. */
#define ARI_TEXT (LINT_LID_TEXT + 32)

/* What the additional information of a REJ says, in front of its bytes; IBTA vol 1, 12.6.7.2 */
static const char *ari_text(const struct lint_packet *p, const struct ibw_cm_rej_wire *rej,
			    char text[ARI_TEXT])
{
	const struct track_mad *m = p->mad;
	const struct ibw_span *last = &m->span[m->walked.n_spans - 1];
	const uint8_t *ari = ibw_cm_rej_ari(rej);
	char lid[LINT_LID_TEXT];
	unsigned int i;

	for (i = 0; i < m->walked.n_spans; i++)
		if (m->p + m->span[i].off == ari)
			last = &m->span[i];
	text[0] = '\0';
	if (last->layer == IBW_LAYER_cm_ari_guid)
		snprintf(text, ARI_TEXT, ": CA GUID 0x%016llx",
			 (unsigned long long)ibw_cm_ari_guid_guid((const void *)ari));
	else if (last->layer == IBW_LAYER_cm_ari_lid)
		snprintf(text, ARI_TEXT, ": acceptable LID %s",
			 lint_lid_text(p->lint, ibw_cm_ari_lid_lid((const void *)ari), lid));
	else if (last->layer == IBW_LAYER_cm_ari_gid) {
		snprintf(text, ARI_TEXT, ": acceptable GID ");
		inet_ntop(AF_INET6, ari, text + strlen(text), INET6_ADDRSTRLEN);
	}
	return text;
}

/* What somebody does not want; who sent it gave up himself where it is a timeout. */
static void check_rej(const struct lint_packet *p)
{
	const struct ibw_cm_rej_wire *rej = MESSAGE(p->mad, cm_rej);
	const struct track_rejection refusal = track_rejection_of(p->mad);
	char text[ARI_TEXT], words[TRACK_REJECTION_TEXT];
	const char *what, *reason;

	if (!rej)
		return;
	what = ibw_name_of(ibw_cm_message_names, ibw_cm_rej_message(rej));
	reason = ibw_name_of(ibw_cm_rej_reason_names, ibw_cm_rej_reason(rej));
	track_rejection_text(&refusal, words);
	LINT_AT_WIRE(p, LINT_CMS005, rej, cm_rej, reason, "%s rejected, reason %u (%s)%s%s%s",
		     what ? what : "message", ibw_cm_rej_reason(rej), reason ? reason : "no name",
		     ari_text(p, rej, text), words[0] ? ": " : "", words);
	if (!reason)
		LINT_AT_WIRE(p, LINT_CMS006, rej, cm_rej, reason,
			     "REJ with reason %u, which has "
			     "no name",
			     ibw_cm_rej_reason(rej));
}

static void check_sidr_rep(const struct lint_packet *p)
{
	const struct ibw_cm_sidr_rep_wire *rep = MESSAGE(p->mad, cm_sidr_rep);
	const char *status;

	if (!rep || ibw_cm_sidr_rep_status(rep) == IBW_CM_SIDR_QPN_VALID)
		return;
	status = ibw_name_of(ibw_cm_sidr_status_names, ibw_cm_sidr_rep_status(rep));
	LINT_AT_WIRE(p, LINT_CMS005, rep, cm_sidr_rep, status,
		     "SIDR_REQ refused, status %u (%s): service id 0x%016llx",
		     ibw_cm_sidr_rep_status(rep), status ? status : "no name",
		     (unsigned long long)ibw_cm_sidr_rep_service_id(rep));
}

/* The RDMA CM header in front of the private data, and how it fits to the addresses. */
static void check_rdma_cm(const struct lint_packet *p, const struct ibw_cm_req_wire *req)
{
	const struct track_mad *m = p->mad;
	uint32_t off = m->walked.data_off + ibw_cm_req_BYTES;
	const struct ibw_cma_hdr_wire *cma =
		off <= m->n ? ibw_cma_hdr_view(m->p + off, m->n - off) : NULL;
	struct ibw_sid sid = ibw_sid_split(ibw_cm_req_service_id(req));
	uint8_t version;

	if (!cma || sid.kind != IBW_SID_RDMA_CM || sid.port_space == IBW_RDMA_PS_SDP ||
	    sid.port_space == IBW_RDMA_PS_IB)
		return;
	version = ibw_cma_hdr_ip_version(cma);
	if (cma->b[0])
		LINT_AT_WIRE(p, LINT_CMS018, cma, cma_hdr, major,
			     "REQ to port %u: RDMA CM header of version %u.%u, only 0.0 is defined",
			     sid.port, ibw_cma_hdr_major(cma), ibw_cma_hdr_minor(cma));
	else if (version != 4 && version != 6)
		LINT_AT_WIRE(p, LINT_CMS019, cma, cma_hdr, ip_version,
			     "REQ to port %u: IP version %u in the RDMA CM header", sid.port,
			     version);
	else if (version == 6 && ibw_gid_is_ipv4(ibw_cm_req_primary_local_gid(req)))
		LINT_AT_WIRE(p, LINT_CMS019, cma, cma_hdr, ip_version,
			     "REQ to port %u: IP version 6 in the RDMA CM header, but the path is "
			     "between IPv4 addresses",
			     sid.port);
}

/* Who sends only what the other side posted receives for, and says so in each message: RFC 8166, 3.3; MS-SMBD */
static const char *with_credits(uint64_t service_id)
{
	const struct ibw_sid sid = ibw_sid_split(service_id);

	if (sid.kind != IBW_SID_RDMA_CM || sid.port_space != IBW_RDMA_PS_TCP)
		return NULL;
	if (sid.port == IBW_CM_PORT_NFS)
		return "NFS";
	return sid.port == IBW_CM_PORT_SMB_DIRECT || sid.port == IBW_CM_PORT_SMB_DIRECT_IWARP
		       ? "SMB Direct"
		       : NULL;
}

/* RNR retry count 0, in the byte at @at; false: no upper layer makes up for it. */
static bool needs_no_rnr(const struct lint_packet *p, const char *message, const uint8_t *at,
			 uint64_t service_id)
{
	const char *service = with_credits(service_id);

	if (!service)
		return false;
	lint_found_doubt(p, LINT_CMS016, LINT_DOUBT_LESSER, (uint32_t)(at - p->pkt->data), 1,
			 "%s with RNR retry count 0: %s sends no more than it has credits for",
			 message, service);
	return true;
}

/* Retries and timeouts are of services that acknowledge. */
static void check_retries(const struct lint_packet *p, const struct ibw_cm_req_wire *req)
{
	uint8_t timeout = ibw_cm_req_primary_ack_timeout(req);
	uint8_t transport = ibw_cm_req_transport(req);
	/* A lost datagram is for IP's users to send again: Linux, ipoib_cm_send_req() */
	bool ipoib = ibw_sid_split(ibw_cm_req_service_id(req)).kind == IBW_SID_IPOIB_CM;

	if (transport == IBW_CM_UC)
		return;
	if (!ibw_cm_req_retry_count(req) && !ipoib)
		AT(p, LINT_CMS016, req, retry_count,
		   "REQ with retry count 0: one lost packet ends the connection");
	if (!ibw_cm_req_rnr_retry_count(req) && !ipoib &&
	    !needs_no_rnr(p, "REQ", req->b + ibw_cm_req_rnr_retry_count_AT / 8,
			  ibw_cm_req_service_id(req)))
		AT(p, LINT_CMS016, req, rnr_retry_count,
		   "REQ with RNR retry count 0: one missing receive ends the connection");
	if (timeout < ACK_TIMEOUT_MIN || timeout > ACK_TIMEOUT_MAX)
		AT(p, LINT_CMS017, req, primary_ack_timeout,
		   "REQ with local ACK timeout %u%s; the usual range is %u to %u", timeout,
		   timeout ? "" : " (never)", ACK_TIMEOUT_MIN, ACK_TIMEOUT_MAX);
}

static void check_req(const struct lint_packet *p)
{
	const struct ibw_cm_req_wire *req = MESSAGE(p->mad, cm_req);
	uint64_t sid;

	if (!req)
		return;
	sid = ibw_cm_req_service_id(req);
	if (!ibw_mtu_code_defined(ibw_cm_req_path_mtu(req)))
		AT(p, LINT_CMS013, req, path_mtu, "REQ with path MTU code %u: %u to %u are defined",
		   ibw_cm_req_path_mtu(req), IBW_MTU_CODE_MIN, IBW_MTU_CODE_MAX);
	check_retries(p, req);
	if (sid < SID_PORT_SPACES_END && ibw_sid_split(sid).kind == IBW_SID_UNKNOWN)
		AT(p, LINT_CMS020, req, service_id,
		   "REQ to service id 0x%016llx: 0x%04x is not a port "
		   "space",
		   (unsigned long long)sid, (unsigned int)(sid >> 16));
	check_rdma_cm(p, req);
}

/* How often the sender of the REQ is to send again after an RNR NAK. */
static void check_rep(const struct lint_packet *p)
{
	const struct ibw_cm_rep_wire *rep = MESSAGE(p->mad, cm_rep);
	const uint64_t service_id = p->context->service_id;
	const uint8_t *at;

	if (!rep || ibw_cm_rep_rnr_retry_count(rep) ||
	    (service_id && p->context->service == IBW_SERVICE_UC) ||
	    ibw_sid_split(service_id).kind == IBW_SID_IPOIB_CM)
		return;
	at = rep->b + ibw_cm_rep_rnr_retry_count_AT / 8;
	if (!service_id)
		lint_found_doubt(
			p, LINT_CMS016, LINT_DOUBT_LESSER, (uint32_t)(at - p->pkt->data), 1,
			"REP with RNR retry count 0: the first RNR NAK ends the connection; "
			"the REQ, which names the service, was not captured");
	else if (!needs_no_rnr(p, "REP", at, service_id))
		LINT_AT_WIRE(p, LINT_CMS016, rep, cm_rep, rnr_retry_count,
			     "REP with RNR retry count 0: the first RNR NAK ends the connection");
}

void lint_cms(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	char buf[LINT_MAD_TEXT];

	check_header(p, lint_mad_text(m, buf));
	if (!m->walked.attr)
		return;
	if (m->walked.attr->id == IBW_ATTR_CM_REQ)
		check_req(p);
	else if (m->walked.attr->id == IBW_ATTR_CM_REP)
		check_rep(p);
	else if (m->walked.attr->id == IBW_ATTR_CM_REJ)
		check_rej(p);
	else if (m->walked.attr->id == IBW_ATTR_CM_SIDR_REP)
		check_sidr_rep(p);
}
