/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_fab.c - captures of group FAB: links, nodes, masters, forwarding, partitions and keys of a fabric. */
#include <string.h>

#include "make_lint_fab.h"

/* Sweeps */

#define ROUTE(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static uint8_t *smp(struct mk_packet *p, uint8_t method, uint16_t attr, const uint8_t *route,
		    size_t hops)
{
	uint8_t *mad =
		begin(p, IBW_CLASS_SUBN_DR, method, attr, IBW_LID_PERMISSIVE, IBW_LID_PERMISSIVE);

	ibw_smp_dr_status_set_hop_cnt(IN(smp_dr_status, 4), (uint8_t)hops);
	ibw_smp_dr_status_set_hop_ptr(IN(smp_dr_status, 4), 0);
	memset(mad + 128, 0, 128);
	memcpy(mad + 129, route, hops);
	if (method & METHOD_RESP)
		memset(mad + 193, 1, hops);
	return mad;
}

static void ask(struct mk_capture *c, uint16_t attr, uint32_t modifier, const uint8_t *route,
		size_t hops)
{
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = smp(&p, IBW_METHOD_GET, attr, route, hops);
	ibw_mad_set_attr_mod(IN(mad, 0), modifier);
	put_built(c, &p);
}

static void node(struct mk_capture *c, uint64_t guid, const uint8_t *route, size_t hops)
{
	const struct ibw_node_info v = {
		.base_version = 1,
		.class_version = 1,
		.node_type = guid < HOST ? IBW_NODE_SWITCH : IBW_NODE_CA,
		.num_ports = guid < HOST ? 36 : 1,
		.sys_guid = guid,
		.node_guid = guid,
		.port_guid = guid + 0x100,
		.partition_cap = 64,
		.local_port = 1,
	};
	struct mk_packet p;
	uint8_t *mad;

	ask(c, IBW_ATTR_SM_NODE_INFO, 0, route, hops);
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_NODE_INFO, route, hops);
	ibw_node_info_pack(IN(node_info, 64), &v);
	put_built(c, &p);
}

static void port(struct mk_capture *c, uint32_t number, uint8_t state, uint16_t lid,
		 const uint8_t *route, size_t hops)
{
	const struct ibw_port_info v = {
		.gid_prefix = 0xfe80000000000000, .lid = lid, .local_port = 1, .state = state & 0xf
	};
	struct mk_packet p;
	uint8_t *mad;

	ask(c, IBW_ATTR_SM_PORT_INFO, number, route, hops);
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_PORT_INFO, route, hops);
	ibw_mad_set_attr_mod(IN(mad, 0), number);
	ibw_port_info_pack(IN(port_info, 64), &v);
	put_built(c, &p);
}

/* From Active by @down to Active again. */
static void down_and_up(struct mk_capture *c, uint8_t down)
{
	port(c, 3, down, 0, ROUTE(1));
	port(c, 3, IBW_PORT_ACTIVE, 0, ROUTE(1));
}

static void sweep(struct mk_capture *c)
{
	static const uint8_t none[1];

	start(c);
	node(c, HOST, none, 0);
	node(c, SWITCH, ROUTE(1));
}

/* Three times; from the first to the third @ns. */
static void flaps(struct mk_capture *c, uint64_t ns, bool fires)
{
	sweep(c);
	port(c, 3, IBW_PORT_INIT, 0, ROUTE(1)); /* the first way up is no change */
	port(c, 3, IBW_PORT_ARMED, 0, ROUTE(1));
	port(c, 3, IBW_PORT_ACTIVE, 0, ROUTE(1));
	mk_misses(c, "FAB008", "mad");
	down_and_up(c, IBW_PORT_DOWN);
	down_and_up(c, IBW_PORT_INIT);
	wait(c, ns - UINT64_C(7) * MK_TIME_STEP);
	port(c, 3, IBW_PORT_DOWN, 0, ROUTE(1));
	mk_event_fires(c, fires ? "FAB007" : "FAB008", "mad");
	mk_misses(c, fires ? "FAB008" : "FAB007", "mad");
}

static void flapping(struct mk_capture *c)
{
	flaps(c, 300 * SECOND, true);
}

static void flapping_fast(struct mk_capture *c)
{
	flaps(c, 299 * SECOND, true);
}

static void flapping_slowly(struct mk_capture *c)
{
	flaps(c, 300 * SECOND + 1, false);
}

static void went_down(struct mk_capture *c)
{
	sweep(c);
	port(c, 3, IBW_PORT_ACTIVE, 0, ROUTE(1));
	port(c, 3, IBW_PORT_DOWN, 0, ROUTE(1));
	mk_event_fires(c, "FAB008", "mad");
	port(c, 3, IBW_PORT_ACTIVE, 0, ROUTE(1));
	mk_misses(c, "FAB008", "mad");
}

/* A host is at two ports, @ns after each other. */
static void at_two(struct mk_capture *c, uint64_t ns, bool fires)
{
	sweep(c);
	node(c, SWITCH_2, ROUTE(1, 9));
	node(c, SWITCH_2, ROUTE(1, 10)); /* a switch is met by two routes */
	mk_misses(c, "FAB009", "mad");
	node(c, HOST_2, ROUTE(1, 4));
	mk_misses(c, "FAB009", "mad");
	wait(c, ns - MK_TIME_STEP);
	node(c, HOST_2, ROUTE(1, 9, 4));
	if (fires)
		mk_event_fires(c, "FAB009", "mad");
	else
		mk_misses(c, "FAB009", "mad");
	node(c, HOST_2, ROUTE(1, 4));
	mk_misses(c, "FAB009", "mad");
}

static void guid_twice(struct mk_capture *c)
{
	at_two(c, SECOND - 1, true);
}

static void host_moved(struct mk_capture *c)
{
	sweep(c);
	node(c, SWITCH_2, ROUTE(1, 9));
	node(c, HOST_2, ROUTE(1, 4));
	wait(c, SECOND - MK_TIME_STEP);
	node(c, HOST_2, ROUTE(1, 9, 4));
	mk_misses(c, "FAB009", "mad");
}

/* Two ports have a LID, @ns after each other; later the second one has another, or not. */
static void lids(struct mk_capture *c, uint64_t ns, bool righted, bool fires)
{
	sweep(c);
	node(c, HOST, ROUTE(1, 3));
	node(c, HOST_2, ROUTE(1, 4));
	port(c, 1, IBW_PORT_ACTIVE, 5, ROUTE(1, 3));
	wait(c, ns - MK_TIME_STEP);
	port(c, 1, IBW_PORT_ACTIVE, 5, ROUTE(1, 4));
	if (fires)
		mk_event_fires(c, "FAB010", "mad");
	else
		mk_misses(c, "FAB010", "mad");
	if (righted)
		port(c, 1, IBW_PORT_ACTIVE, 6, ROUTE(1, 4));
}

static void lid_twice(struct mk_capture *c)
{
	lids(c, 5 * SECOND, false, true);
}

static void lid_again(struct mk_capture *c)
{
	lids(c, 5 * SECOND + 1, false, false);
}

static void lid_righted(struct mk_capture *c)
{
	lids(c, SECOND, true, false);
}

/* Subnet managers */

static void sm_info(struct mk_capture *c, uint8_t method, uint16_t lid, uint64_t guid,
		    uint8_t state)
{
	const struct ibw_sm_info v = { .guid = guid, .priority = 5, .state = state & 0xf };
	bool back = method & METHOD_RESP;
	struct mk_packet p;
	uint8_t *mad;

	next_tid += !back;
	mad = begin(&p, IBW_CLASS_SUBN_LID, method, IBW_ATTR_SM_SM_INFO, back ? lid : LID_SM,
		    back ? LID_SM : lid);
	ibw_sm_info_pack(IN(sm_info, 64), &v);
	if (method == IBW_METHOD_SET)
		ibw_mad_set_attr_mod(IN(mad, 0), 1);
	put_built(c, &p);
}

static void says(struct mk_capture *c, uint16_t lid, uint64_t guid, uint8_t state)
{
	sm_info(c, IBW_METHOD_GET, lid, 0, 0);
	sm_info(c, GET_RESP, lid, guid, state);
}

/* The one at LID_SM, of GUID 2, to the one at LID_NEW. */
static void hands_over(struct mk_capture *c, uint64_t guid, uint8_t state)
{
	struct mk_packet p;
	const struct ibw_sm_info v = { .guid = guid, .priority = 5, .state = state & 0xf };
	uint8_t *mad;

	says(c, LID_NEW, guid, state);
	sm_info(c, IBW_METHOD_SET, LID_NEW, 2, IBW_SM_MASTER);
	mk_event_fires(c, state == IBW_SM_MASTER ? "FAB011" : "FAB012", "sm_info");
	mk_misses(c, state == IBW_SM_MASTER ? "FAB012" : "FAB011", "sm_info");
	mad = begin(&p, IBW_CLASS_SUBN_LID, GET_RESP, IBW_ATTR_SM_SM_INFO, LID_NEW, LID_SM);
	ibw_mad_set_attr_mod(IN(mad, 0), 1);
	ibw_sm_info_pack(IN(sm_info, 64), &v);
	put_built(c, &p);
}

static void joined(struct mk_capture *c)
{
	start(c);
	hands_over(c, 1, IBW_SM_MASTER);
}

static void handed_over(struct mk_capture *c)
{
	start(c);
	hands_over(c, 1, IBW_SM_STANDBY);
}

static void handed_to_greater(struct mk_capture *c)
{
	start(c);
	hands_over(c, 9, IBW_SM_STANDBY);
}

static void query(struct mk_capture *c, uint16_t lid, bool answered)
{
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_GET, IBW_ATTR_SA_NODE_REC, LID_HOST, lid);
	ibw_sa_set_comp_mask(IN(sa, 36), 1);
	ibw_put_be16(mad + 56, LID_HOST);
	put_built(c, &p);
	if (!answered)
		return;
	mad = begin(&p, IBW_CLASS_SUBN_ADM, GET_RESP, IBW_ATTR_SA_NODE_REC, lid, LID_HOST);
	ibw_put_be16(mad + 56, LID_HOST);
	put_built(c, &p);
}

static void asks_old(struct mk_capture *c, bool old_answers)
{
	start(c);
	hands_over(c, 1, IBW_SM_STANDBY);
	query(c, LID_NEW, true);
	if (old_answers)
		query(c, LID_SM, true);
	query(c, LID_SM, false);
	mk_event_fires(c, "MAD009", "mad");
	if (old_answers)
		mk_misses(c, "FAB013", "mad");
	else
		mk_event_fires(c, "FAB013", "mad");
	c->time_ns += 3 * SECOND;
	query(c, LID_NEW, true);
}

static void asks_sm_of_before(struct mk_capture *c)
{
	asks_old(c, false);
}

static void asks_sm_that_answers(struct mk_capture *c)
{
	asks_old(c, true);
}

/* What links run at */

static void put_port_info(struct mk_capture *c, const struct ibw_port_info *v, uint32_t number,
			  const uint8_t *route, size_t hops)
{
	struct mk_packet p;
	uint8_t *mad;

	ask(c, IBW_ATTR_SM_PORT_INFO, number, route, hops);
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_PORT_INFO, route, hops);
	ibw_mad_set_attr_mod(IN(mad, 0), number);
	ibw_port_info_pack(IN(port_info, 64), v);
	put_built(c, &p);
}

/* The link of the host that asks to the switch, whose ends support these; what they run at. */
static void link(struct mk_capture *c, uint8_t of_host, uint8_t of_switch, uint8_t width,
		 uint8_t speed)
{
	static const uint8_t none[1];
	struct ibw_port_info v = { .gid_prefix = 0xfe80000000000000,
				   .local_port = 1,
				   .state = IBW_PORT_ACTIVE,
				   .width_enabled = 3,
				   .width_active = width,
				   .width_supported = of_host,
				   .speed_supported = 7,
				   .speed_enabled = 7,
				   .speed_active = speed & 0xf };

	sweep(c);
	put_port_info(c, &v, 1, none, 0);
	mk_misses(c, "FAB021", "mad");
	v.width_supported = of_switch;
	put_port_info(c, &v, 1, ROUTE(1));
}

static void link_narrow(struct mk_capture *c)
{
	link(c, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_1X,
	     IBW_SPEED_QDR);
	mk_event_fires(c, "FAB021", "mad");
}

static void link_slow(struct mk_capture *c)
{
	link(c, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_4X,
	     IBW_SPEED_DDR);
	mk_event_fires(c, "FAB021", "mad");
}

/* 2x has the greatest bit, and fewer lanes than 4x. */
static void link_of_2x(struct mk_capture *c)
{
	link(c, IBW_WIDTH_1X | IBW_WIDTH_2X, IBW_WIDTH_1X | IBW_WIDTH_4X | IBW_WIDTH_2X,
	     IBW_WIDTH_2X, IBW_SPEED_QDR);
	mk_misses(c, "FAB021", "mad");
}

static void link_of_old_host(struct mk_capture *c)
{
	link(c, IBW_WIDTH_1X, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_1X, IBW_SPEED_QDR);
	mk_misses(c, "FAB021", "mad");
}

static void link_as_it_should(struct mk_capture *c)
{
	link(c, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_1X | IBW_WIDTH_4X, IBW_WIDTH_4X,
	     IBW_SPEED_QDR);
	mk_misses(c, "FAB021", "mad");
}

/* Prefixes of GIDs */

#define PREFIX_DEFAULT 0xfe80000000000000
#define PREFIX_OWN 0xfec0000000000001

static void prefix(struct mk_capture *c, uint64_t of, uint8_t state, const uint8_t *route,
		   size_t hops)
{
	const struct ibw_port_info v = {
		.gid_prefix = of, .lid = route[1], .local_port = 1, .state = state & 0xf
	};

	put_port_info(c, &v, 1, route, hops);
}

static void prefix_changed(struct mk_capture *c)
{
	sweep(c);
	node(c, HOST, ROUTE(1, 3));
	node(c, HOST_2, ROUTE(1, 4));
	prefix(c, PREFIX_DEFAULT, IBW_PORT_ACTIVE, ROUTE(1, 3));
	prefix(c, PREFIX_DEFAULT, IBW_PORT_ACTIVE, ROUTE(1, 4));
	mk_misses(c, "FAB022", "mad");
	prefix(c, PREFIX_OWN, IBW_PORT_ACTIVE, ROUTE(1, 3));
	mk_event_fires(c, "FAB022", "mad");
	prefix(c, PREFIX_OWN, IBW_PORT_ACTIVE, ROUTE(1, 4));
	mk_misses(c, "FAB022", "mad");
}

/* A host that restarts has the one of its firmware until it is up. */
static void prefix_of_restart(struct mk_capture *c)
{
	sweep(c);
	node(c, HOST, ROUTE(1, 3));
	prefix(c, PREFIX_OWN, IBW_PORT_ACTIVE, ROUTE(1, 3));
	prefix(c, PREFIX_DEFAULT, IBW_PORT_INIT, ROUTE(1, 3));
	mk_event_fires(c, "FAB008", "mad");
	prefix(c, PREFIX_OWN, IBW_PORT_ACTIVE, ROUTE(1, 3));
	mk_misses(c, "FAB022", "mad");
}

/* Handovers */

static void hand(struct mk_capture *c, uint16_t from, uint16_t to)
{
	const struct ibw_sm_info asks = { .guid = from, .priority = 5, .state = IBW_SM_MASTER };
	const struct ibw_sm_info answers = { .guid = to, .priority = 5, .state = IBW_SM_STANDBY };
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_LID, IBW_METHOD_SET, IBW_ATTR_SM_SM_INFO, from, to);
	ibw_mad_set_attr_mod(IN(mad, 0), 1);
	ibw_sm_info_pack(IN(sm_info, 64), &asks);
	put_built(c, &p);
	mad = begin(&p, IBW_CLASS_SUBN_LID, GET_RESP, IBW_ATTR_SM_SM_INFO, to, from);
	ibw_mad_set_attr_mod(IN(mad, 0), 1);
	ibw_sm_info_pack(IN(sm_info, 64), &answers);
	put_built(c, &p);
}

/* The third comes @ns after the first. */
static void handovers(struct mk_capture *c, uint64_t ns, bool fires)
{
	start(c);
	hand(c, LID_SM, LID_NEW);
	hand(c, LID_NEW, LID_SM);
	mk_misses(c, "FAB023", "sm_info");
	wait(c, ns - UINT64_C(3) * MK_TIME_STEP);
	hand(c, LID_SM, LID_NEW);
	c->frames--; /* the Set */
	if (fires)
		mk_event_fires(c, "FAB023", "sm_info");
	else
		mk_misses(c, "FAB023", "sm_info");
	c->frames++;
}

static void to_and_fro(struct mk_capture *c)
{
	handovers(c, 300 * SECOND, true);
}

static void to_and_fro_fast(struct mk_capture *c)
{
	handovers(c, 299 * SECOND, true);
}

static void to_and_fro_slowly(struct mk_capture *c)
{
	handovers(c, 300 * SECOND + 1, false);
}

/* From one to the next, and it is the first that hands over once more. */
static void handed_on(struct mk_capture *c)
{
	start(c);
	hand(c, LID_SM, LID_NEW);
	hand(c, LID_SM, LID_HOST);
	hand(c, LID_SM, LID_NEW);
	mk_misses(c, "FAB023", "sm_info");
}

/* Routes that nobody answers by */

/* A sweep each: U without an answer, A with one. */
static void sweeps(struct mk_capture *c, const char *pattern, bool fires)
{
	sweep(c);
	for (; *pattern; pattern++) {
		wait(c, 3 * SECOND);
		if (*pattern == 'A') {
			node(c, HOST_2, ROUTE(1, 5));
			continue;
		}
		ask(c, IBW_ATTR_SM_NODE_INFO, 0, ROUTE(1, 5));
		mk_event_fires(c, "MAD009", "mad");
		if (fires && !pattern[1])
			mk_event_fires(c, "FAB024", "mad");
		else
			mk_misses(c, "FAB024", "mad");
	}
	wait(c, 3 * SECOND);
	node(c, HOST, ROUTE(1, 3));
}

static void unresponsive(struct mk_capture *c)
{
	sweeps(c, "AUUAUAUU", true);
}

/* Four of seven, however long. */
static void answers_at_times(struct mk_capture *c)
{
	sweeps(c, "AUUAUAUAUAUAU", false);
}

/* All in one sweep. */
static void asked_anew(struct mk_capture *c)
{
	unsigned int i;

	sweep(c);
	for (i = 0; i < 7; i++) {
		wait(c, SECOND / 10);
		ask(c, IBW_ATTR_SM_NODE_INFO, 0, ROUTE(1, 5));
		mk_event_fires(c, "MAD009", "mad");
		mk_misses(c, "FAB024", "mad");
	}
	wait(c, 3 * SECOND);
	node(c, HOST, ROUTE(1, 3));
}

/* LIDs of before */

static void lid_is(struct mk_capture *c, uint16_t lid, uint8_t lmc, const uint8_t *route,
		   size_t hops)
{
	const struct ibw_port_info v = { .gid_prefix = PREFIX_DEFAULT,
					 .lid = lid,
					 .lmc = lmc & 7,
					 .local_port = 1,
					 .state = IBW_PORT_ACTIVE };

	put_port_info(c, &v, 1, route, hops);
}

/* A second, and @more ns, after LID 5 became @now. */
static void sends_to_5(struct mk_capture *c, uint16_t now, uint8_t lmc, uint64_t after, bool fires)
{
	sweep(c);
	node(c, HOST, ROUTE(1, 3));
	node(c, HOST_2, ROUTE(1, 4));
	lid_is(c, 5, lmc, ROUTE(1, 3));
	lid_is(c, now, lmc, ROUTE(1, 3));
	wait(c, after);
	query(c, 5, false);
	if (fires)
		mk_event_fires(c, "FAB025", "lrh");
	else
		mk_misses(c, "FAB025", "lrh");
	mk_event_fires(c, "MAD009", "mad");
	query(c, 6, true);
	wait(c, 3 * SECOND);
	query(c, 6, true);
	mk_misses(c, "FAB025", "lrh");
}

/* The LID is that of a node by now. */
static void named_trap(struct mk_capture *c)
{
	sweep(c);
	node(c, HOST_2, ROUTE(1, 3));
	lid_is(c, LID_PORT, 0, ROUTE(1, 3));
	next_tid++;
	mk_fab_port_trap(c, 129);
	c->frames--; /* the trap, not the answer to it */
	mk_event_fires(c, "FAB004", "mad");
	c->frames++;
}

static void lid_of_before(struct mk_capture *c)
{
	sends_to_5(c, 6, 0, SECOND, true);
}

static void lid_of_before_late(struct mk_capture *c)
{
	sends_to_5(c, 6, 0, SECOND + 1, true);
}

static void lid_of_just_before(struct mk_capture *c)
{
	sends_to_5(c, 6, 0, SECOND - 1, false);
}

/* From 4 on it has two LIDs. */
static void lid_of_lmc(struct mk_capture *c)
{
	sends_to_5(c, 4, 1, SECOND, false);
}

/* Forwarding tables */

static void lft(struct mk_capture *c, const uint8_t *route, size_t hops, uint8_t of_5, uint8_t of_6)
{
	struct mk_packet p;
	uint8_t *mad;

	ask(c, IBW_ATTR_SM_LFT, 0, route, hops);
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_LFT, route, hops);
	memset(mad + 64, 255, 64);
	mad[64 + 5] = of_5;
	mad[64 + 6] = of_6;
	put_built(c, &p);
}

/* Two switches, by their ports 9 and 1; a host with LID 5 at port 3 of the first. */
static void switches(struct mk_capture *c)
{
	sweep(c);
	node(c, SWITCH_2, ROUTE(1, 9));
	node(c, HOST_2, ROUTE(1, 3));
	lid_is(c, 5, 0, ROUTE(1, 3));
}

static void route_of_none(struct mk_capture *c)
{
	switches(c);
	lft(c, ROUTE(1), 3, 255);
	mk_misses(c, "FAB026", "mad"); /* LID 6 is nobody's */
	lft(c, ROUTE(1, 9), 255, 255);
	mk_event_fires(c, "FAB026", "mad");
	mk_misses(c, "FAB027", "mad");
}

/* When the tables were written it was not there. */
static void route_before_lid(struct mk_capture *c)
{
	sweep(c);
	node(c, SWITCH_2, ROUTE(1, 9));
	node(c, HOST_2, ROUTE(1, 3));
	lft(c, ROUTE(1), 255, 255);
	lft(c, ROUTE(1, 9), 255, 255);
	lid_is(c, 5, 0, ROUTE(1, 3));
	mk_misses(c, "FAB026", "mad");
}

static void route_there(struct mk_capture *c)
{
	switches(c);
	lft(c, ROUTE(1), 3, 9);
	lft(c, ROUTE(1, 9), 1, 1);
	mk_misses(c, "FAB026", "mad");
	mk_misses(c, "FAB027", "mad"); /* as to LID 6, which is nobody's */
}

/* The first sends it to the second, which sends it back. */
static void route_in_circle(struct mk_capture *c)
{
	switches(c);
	lft(c, ROUTE(1), 9, 255);
	mk_event_fires(c, "FAB027", "mad");
	lft(c, ROUTE(1, 9), 1, 255);
	mk_misses(c, "FAB026", "mad");
}

/* Port 3, of the first switch, for MLID 0xc002; the port is down, or up. */
static void group_port(struct mk_capture *c, uint8_t state)
{
	struct mk_packet p;
	uint8_t *mad;

	sweep(c);
	ask(c, IBW_ATTR_SM_MFT, 0, ROUTE(1));
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_MFT, ROUTE(1));
	ibw_put_be16(mad + 64 + 4, 1 << 3 | 1 << 4);
	put_built(c, &p);
	if (state == IBW_PORT_DOWN)
		mk_event_fires(c, "FAB028", "mad");
	else
		mk_misses(c, "FAB028", "mad");
	port(c, 3, state, 0, ROUTE(1));
	port(c, 5, IBW_PORT_DOWN, 0, ROUTE(1)); /* no group has it */
}

static void group_port_down(struct mk_capture *c)
{
	group_port(c, IBW_PORT_DOWN);
}

static void group_port_up(struct mk_capture *c)
{
	group_port(c, IBW_PORT_ACTIVE);
}

/* Joins */

#define JOIN_BITS                                                                                  \
	(1ull << ibw_mcmember_rec_mgid_COMP | 1ull << ibw_mcmember_rec_port_gid_COMP |             \
	 1ull << ibw_mcmember_rec_join_state_COMP)
#define PKEY_BIT (1ull << ibw_mcmember_rec_pkey_COMP)

static void pkeys(struct mk_capture *c, uint16_t pkey)
{
	struct mk_packet p;
	uint8_t *mad;

	sweep(c);
	node(c, HOST_2, ROUTE(1, 5));
	ask(c, IBW_ATTR_SM_PKEY_TABLE, 0, ROUTE(1, 5));
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_PKEY_TABLE, ROUTE(1, 5));
	ibw_put_be16(mad + 64, 0xffff);
	ibw_put_be16(mad + 66, pkey);
	put_built(c, &p);
}

/* The port of HOST_2, to a group of IPoIB whose MGID has @of_mgid; refused. */
static void join(struct mk_capture *c, uint8_t join_state, uint64_t mask, uint16_t pkey,
		 uint16_t of_mgid)
{
	struct ibw_mcmember_rec rec = { .join_state = join_state & 0xf, .pkey = pkey };
	struct mk_packet p;
	uint8_t *mad;

	rec.mgid[0] = 0xff;
	rec.mgid[1] = 0x12;
	ibw_put_be16(rec.mgid + 2, IBW_MGID_IPOIB_IPV4);
	ibw_put_be16(rec.mgid + 4, of_mgid);
	rec.mgid[15] = 3;
	rec.port_gid[0] = 0xfe;
	rec.port_gid[1] = 0x80;
	ibw_put_be64(rec.port_gid + 8, HOST_2 + 0x100);
	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_SET, IBW_ATTR_SA_MCMEMBER_REC, LID_HOST,
		    LID_SM);
	ibw_sa_set_comp_mask(IN(sa, 36), mask);
	ibw_mcmember_rec_pack(IN(mcmember_rec, 56), &rec);
	put_built(c, &p);
	mad = begin(&p, IBW_CLASS_SUBN_ADM, GET_RESP, IBW_ATTR_SA_MCMEMBER_REC, LID_SM, LID_HOST);
	ibw_mad_set_status(IN(mad, 0), IBW_SA_STATUS_REQ_INVALID << 8);
	ibw_sa_set_comp_mask(IN(sa, 36), mask);
	ibw_mcmember_rec_pack(IN(mcmember_rec, 56), &rec);
	put_built(c, &p);
	mk_fires(c, &p, "MAD011", "mad.status");
}

static void not_in_partition(struct mk_capture *c)
{
	pkeys(c, 0x8002);
	join(c, IBW_JOIN_FULL, JOIN_BITS | PKEY_BIT, 0x8001, 0x8001);
	mk_event_fires(c, "FAB016", "mcmember_rec");
}

/* As a limited member it is in it. */
static void in_partition(struct mk_capture *c)
{
	pkeys(c, 0x0001);
	join(c, IBW_JOIN_FULL, JOIN_BITS | PKEY_BIT, 0x8001, 0x8001);
	mk_misses(c, "FAB016", "mcmember_rec");
}

static void mgid_of_other(struct mk_capture *c)
{
	start(c);
	join(c, IBW_JOIN_FULL, JOIN_BITS | PKEY_BIT, 0x8023, 0x8001);
	mk_event_fires(c, "FAB017", "mcmember_rec");
	join(c, IBW_JOIN_FULL, JOIN_BITS | PKEY_BIT, 0x0023, 0x8023); /* a limited member */
	mk_misses(c, "FAB017", "mcmember_rec");
	join(c, IBW_JOIN_FULL, JOIN_BITS, 0, 0x8001); /* it asks for no P_Key */
	mk_misses(c, "FAB017", "mcmember_rec");
}

/* M_Keys */

static void set_mkey(struct mk_capture *c, uint8_t protect)
{
	const struct ibw_port_info v = { .mkey = MKEY,
					 .gid_prefix = 0xfe80000000000000,
					 .lid = LID_PORT,
					 .local_port = 1,
					 .mkey_protect = protect & 3,
					 .state = IBW_PORT_ACTIVE };
	struct mk_packet p;
	uint8_t *mad;

	sweep(c);
	next_tid++;
	mad = smp(&p, IBW_METHOD_SET, IBW_ATTR_SM_PORT_INFO, ROUTE(1));
	ibw_port_info_pack(IN(port_info, 64), &v);
	put_built(c, &p);
	mad = smp(&p, GET_RESP, IBW_ATTR_SM_PORT_INFO, ROUTE(1));
	ibw_port_info_pack(IN(port_info, 64), &v);
	put_built(c, &p);
}

static void with_mkey(struct mk_capture *c, uint8_t method, uint64_t mkey, bool fires)
{
	struct mk_packet p;
	uint8_t *mad;

	next_tid++;
	mad = begin(&p, IBW_CLASS_SUBN_LID, method, IBW_ATTR_SM_PORT_INFO, LID_OTHER, LID_PORT);
	ibw_smp_set_mkey(IN(smp, 24), mkey);
	put_built(c, &p);
	mk_fires(c, &p, "SMP014", "smp.mkey");
	mk_event_fires(c, "MAD009", "mad");
	if (fires)
		mk_event_fires(c, "FAB018", "smp");
	else
		mk_misses(c, "FAB018", "smp");
	c->time_ns += 3 * SECOND;
}

static void mkey_of_other(struct mk_capture *c)
{
	set_mkey(c, 2);
	with_mkey(c, IBW_METHOD_GET, 0x99, true);
	with_mkey(c, IBW_METHOD_GET, MKEY, false);
	node(c, SWITCH, ROUTE(1));
}

static void mkey_protects_set(struct mk_capture *c)
{
	set_mkey(c, 1);
	with_mkey(c, IBW_METHOD_SET, 0x99, true);
	with_mkey(c, IBW_METHOD_GET, 0x99, false);
	node(c, SWITCH, ROUTE(1));
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "key-traps.pcap", mk_fab_key_traps },
	{ "traps-249.pcap", mk_fab_traps_249 },
	{ "traps-250.pcap", mk_fab_traps_250 },
	{ "traps-251.pcap", mk_fab_traps_251 },
	{ "traps-apart.pcap", mk_fab_traps_apart },
	{ "change-traps.pcap", mk_fab_change_traps },
	{ "trap-named.pcap", named_trap },
	{ "flapping.pcap", flapping },
	{ "flapping-fast.pcap", flapping_fast },
	{ "flapping-slowly.pcap", flapping_slowly },
	{ "went-down.pcap", went_down },
	{ "guid-twice.pcap", guid_twice },
	{ "host-moved.pcap", host_moved },
	{ "lid-twice.pcap", lid_twice },
	{ "lid-again.pcap", lid_again },
	{ "lid-righted.pcap", lid_righted },
	{ "joined.pcap", joined },
	{ "handed-over.pcap", handed_over },
	{ "handed-to-greater.pcap", handed_to_greater },
	{ "asks-sm-of-before.pcap", asks_sm_of_before },
	{ "asks-sm-that-answers.pcap", asks_sm_that_answers },
	{ "ended.pcap", mk_fab_ended },
	{ "reset-by-other.pcap", mk_fab_reset_by_other },
	{ "reset-by-reader.pcap", mk_fab_reset_by_reader },
	{ "reset-nothing.pcap", mk_fab_reset_nothing },
	{ "grows-9.pcap", mk_fab_grows_9 },
	{ "grows-10.pcap", mk_fab_grows_10 },
	{ "grows-11.pcap", mk_fab_grows_11 },
	{ "grows-not.pcap", mk_fab_grows_not },
	{ "link-narrow.pcap", link_narrow },
	{ "link-slow.pcap", link_slow },
	{ "link-of-2x.pcap", link_of_2x },
	{ "link-of-old-host.pcap", link_of_old_host },
	{ "link-as-it-should.pcap", link_as_it_should },
	{ "prefix-changed.pcap", prefix_changed },
	{ "prefix-of-restart.pcap", prefix_of_restart },
	{ "to-and-fro.pcap", to_and_fro },
	{ "to-and-fro-fast.pcap", to_and_fro_fast },
	{ "to-and-fro-slowly.pcap", to_and_fro_slowly },
	{ "handed-on.pcap", handed_on },
	{ "unresponsive.pcap", unresponsive },
	{ "answers-at-times.pcap", answers_at_times },
	{ "asked-anew.pcap", asked_anew },
	{ "lid-of-before.pcap", lid_of_before },
	{ "lid-of-before-late.pcap", lid_of_before_late },
	{ "lid-of-just-before.pcap", lid_of_just_before },
	{ "lid-of-lmc.pcap", lid_of_lmc },
	{ "route-of-none.pcap", route_of_none },
	{ "route-before-lid.pcap", route_before_lid },
	{ "route-there.pcap", route_there },
	{ "route-in-circle.pcap", route_in_circle },
	{ "group-port-down.pcap", group_port_down },
	{ "group-port-up.pcap", group_port_up },
	{ "not-in-partition.pcap", not_in_partition },
	{ "in-partition.pcap", in_partition },
	{ "mgid-of-other.pcap", mgid_of_other },
	{ "mkey-of-other.pcap", mkey_of_other },
	{ "mkey-protects-set.pcap", mkey_protects_set },
	{ 0 },
};

const struct mk_group mk_lint_fab = { "fab", cases, files, NULL };
