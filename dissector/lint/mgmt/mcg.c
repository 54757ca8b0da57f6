/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mcg.c - group MCG: joining and leaving multicast groups, as one datagram shows it. */
#include "mad.h"

#define AT(p, rule, rec, field, ...) LINT_AT_RECORD(p, rule, rec, mcmember_rec, field, __VA_ARGS__)

#define BIT(field) (1ull << ibw_mcmember_rec_##field##_COMP)

/* An MGID: ff, flags and scope, and, if it is one of the kinds that have one, a signature. */
#define MGID_FLAGS(mgid) ((mgid)[1] >> 4)
#define MGID_SCOPE(mgid) ((mgid)[1] & 0xf)
#define MGID_FLAG_TRANSIENT 1

static void check_mgid(const struct lint_packet *p, const struct ibw_mcmember_rec_wire *rec,
		       const char *text)
{
	const uint8_t *mgid = ibw_mcmember_rec_mgid(rec);
	uint8_t scope = MGID_SCOPE(mgid);

	if (!ibw_gid_is_multicast(mgid)) {
		AT(p, LINT_MCG001, rec, mgid, "%s: the MGID begins with 0x%02x%02x, not with 0xff",
		   text, mgid[0], mgid[1]);
		return;
	}
	if (MGID_FLAGS(mgid) & ~MGID_FLAG_TRANSIENT)
		AT(p, LINT_MCG002, rec, mgid,
		   "%s: flags 0x%x of the MGID, only 0 and 1 are "
		   "defined",
		   text, MGID_FLAGS(mgid));
	if (!ibw_name_of(ibw_mgid_scope_names, scope))
		AT(p, LINT_MCG003, rec, mgid, "%s: scope %u of the MGID is not defined", text,
		   scope);
	else if (!ibw_mad_r(p->mad->mad) && ibw_mad_method(p->mad->mad) == IBW_METHOD_SET &&
		 scope == IBW_SCOPE_LINK_LOCAL && ibw_mgid_signature(mgid) == IBW_MGID_SA)
		AT(p, LINT_MCG003, rec, mgid,
		   "%s asks for a link-local MGID with signature 0x%04x, which only the SA assigns",
		   text, IBW_MGID_SA);
}

static void check_request(const struct lint_packet *p, const struct ibw_mcmember_rec_wire *rec,
			  const char *text)
{
	const struct track_mad *m = p->mad;
	uint8_t method = ibw_mad_method(m->mad);
	uint64_t mask = ibw_sa_comp_mask(m->sa);
	bool set = method == IBW_METHOD_SET;

	if (mask & BIT(mgid) && !(set && ibw_gid_is_zero(ibw_mcmember_rec_mgid(rec))))
		check_mgid(p, rec, text);
	if (set && ~mask & (BIT(mgid) | BIT(port_gid) | BIT(join_state)))
		LINT_AT_WIRE(p, LINT_MCG004, m->sa, sa, comp_mask,
			     "%s: component mask 0x%016llx is without%s%s%s", text,
			     (unsigned long long)mask, mask & BIT(mgid) ? "" : " MGID",
			     mask & BIT(port_gid) ? "" : " PortGID",
			     mask & BIT(join_state) ? "" : " JoinState");
	if ((set || method == IBW_METHOD_DELETE) && mask & BIT(join_state) &&
	    !ibw_mcmember_rec_join_state(rec))
		AT(p, LINT_MCG007, rec, join_state, "%s with JoinState 0: %s nothing", text,
		   set ? "joins" : "leaves");
}

/* The answer to a Delete may leave out what the group had. */
static void check_answer(const struct lint_packet *p, const struct ibw_mcmember_rec_wire *rec,
			 const char *text)
{
	uint16_t mlid = ibw_mcmember_rec_mlid(rec);

	check_mgid(p, rec, text);
	if (ibw_mad_method(p->mad->mad) != IBW_METHOD_DELETE &&
	    (mlid < IBW_LID_MULTICAST_FIRST || mlid == IBW_LID_PERMISSIVE))
		AT(p, LINT_MCG017, rec, mlid, "%s: MLID 0x%04x is not a multicast LID", text, mlid);
}

void lint_mcg(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mcmember_rec_wire *rec;
	char buf[LINT_MAD_TEXT];
	unsigned int i;

	if (!m->walked.attr || m->walked.attr->id != IBW_ATTR_SA_MCMEMBER_REC ||
	    (ibw_mad_r(m->mad) && m->status))
		return;
	lint_mad_text(m, buf);
	for (i = 0; (rec = TRACK_MAD_RECORD(m, i, mcmember_rec)); i++)
		if (ibw_mad_r(m->mad))
			check_answer(p, rec, buf);
		else
			check_request(p, rec, buf);
}
