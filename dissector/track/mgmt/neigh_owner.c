/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh_owner.c - which port has an IP address of IPoIB by ARP and neighbor discovery, and why one does not answer. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "neigh_impl.h"
#include "track/fabric/fabric.h"

/* The P_Key of a capture without any. */
#define NO_PKEY 0x10000u

/* An address that moves to another port, of a bond or a cluster, does not come back sooner. */
#define MOVED_NS UINT64_C(60000000000)

static bool is_zero(const uint8_t address[16])
{
	static const uint8_t zero[16], mapped_zero[16] = { [10] = 0xff, 0xff };

	return !memcmp(address, zero, 16) || !memcmp(address, mapped_zero, 16);
}

static struct owner_key key_of(const uint8_t address[16], uint32_t pkey)
{
	struct owner_key key = { .pkey = pkey };

	memcpy(key.address, address, 16);
	return key;
}

static uint32_t pkey_of(const struct ibw_packet *pkt)
{
	return pkt->bth != IBW_NO_SPAN
		       ? ibw_bth_pkey(IBW_KNOWN(pkt, bth)) & (unsigned int)~IBW_PKEY_FULL
		       : NO_PKEY;
}

/* Both answer one request, or one says so again after the other did. */
static bool are_two(const struct owner *o, const uint8_t gid[16], const struct ask *ask,
		    const struct track_at *at)
{
	if (ask && ask->last == o->ask)
		return true;
	return o->other_frame && !memcmp(o->other, gid, 16) && at->time_ns >= o->other_ns &&
	       at->time_ns - o->other_ns <= MOVED_NS;
}

void track_neigh_owns(struct track_neigh *t, const struct ibw_packet *pkt,
		      const uint8_t address[16], const uint8_t gid[16], const struct ask *ask,
		      const struct track_at *at)
{
	const struct owner_key key = key_of(address, pkey_of(pkt));
	struct owner *o;
	bool two = false;

	if (is_zero(address) || is_zero(gid))
		return;
	o = track_table_need(t->owners, &key);
	if (o->frame && memcmp(o->gid, gid, 16) != 0) {
		two = !o->told && are_two(o, gid, ask, at);
		memcpy(o->other, o->gid, 16);
		o->other_frame = o->frame;
		o->other_ns = at->time_ns;
	}
	memcpy(o->gid, gid, 16);
	o->frame = at->frame;
	o->ask = ask ? ask->last : 0;
	o->lid = pkt->lrh != IBW_NO_SPAN ? ibw_lrh_slid(IBW_KNOWN(pkt, lrh)) : 0;
	o->told |= two;
	if (two)
		track_neigh_tell_owners(t, pkt, address, o, at);
	if (t->fabric)
		track_fabric_address(t->fabric, gid, address);
}

void track_neigh_back(struct track_neigh *t, const uint8_t gid[16], uint16_t client, bool answer,
		      bool refused, const struct track_at *at)
{
	struct back *back = track_table_get(t->backs, gid);

	if (!back)
		return;
	if (answer) {
		if (back->frame && back->lid == client) {
			back->refused = refused;
			back->answered |= !refused;
		}
		return;
	}
	if (!back->frame) {
		back->frame = at->frame;
		back->lid = client;
	}
	back->several |= back->lid != client;
}

/* The broadcast group did not take in the port of the address, or the only port that it refused may be that one. */
static enum track_silence outside(struct track_neigh *t, const struct ask *ask,
				  const struct owner *owner, uint64_t *frame)
{
	*frame = track_mcast_outside(t->mcast, ask->pkey, owner ? owner->gid : NULL);
	if (!*frame)
		return TRACK_SILENCE_UNKNOWN;
	return owner ? TRACK_SILENCE_OUTSIDE : TRACK_SILENCE_MAYBE_OUTSIDE;
}

/* The port of the address has no path to the host that asks; or a port that needs one, and may be that of the address. */
static enum track_silence no_path(struct track_neigh *t, const struct ask *ask,
				  const struct owner *owner, uint64_t *frame)
{
	const struct back *back = track_table_get(t->backs, ask->gid);

	if (!back || back->frame < ask->first || back->answered || back->several ||
	    (owner && owner->lid != back->lid) ||
	    (!back->refused && !track_neigh_hears(t, back->lid)))
		return TRACK_SILENCE_UNKNOWN;
	*frame = back->frame;
	return owner ? TRACK_SILENCE_NO_PATH : TRACK_SILENCE_MAYBE_NO_PATH;
}

enum track_silence track_neigh_why(struct track_neigh *t, const struct ask *ask, uint64_t *frame)
{
	const struct ask_key *key = track_table_key(t->asks, ask);
	const struct owner_key owned =
		key_of(key->target, ask->pkey ? ask->pkey & (unsigned int)~IBW_PKEY_FULL : NO_PKEY);
	const struct owner *owner = track_table_get(t->owners, &owned);
	enum track_silence why;

	*frame = 0;
	if (!ask->pkey)
		return TRACK_SILENCE_UNKNOWN;
	why = outside(t, ask, owner, frame);
	return why == TRACK_SILENCE_UNKNOWN ? no_path(t, ask, owner, frame) : why;
}
