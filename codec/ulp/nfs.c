/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* nfs.c - NFS: procedures, the operations of a COMPOUND, statuses. RFC 1813, RFC 8881 */
#include "ulp_walk.h"

const char *ibw_rpc_proc_name(uint32_t prog, uint32_t vers, uint32_t proc)
{
	if (prog != IBW_RPC_NFS)
		return NULL;
	if (vers == 3)
		return ibw_name_of(ibw_nfs3_proc_names, proc);
	return vers == 4 ? ibw_name_of(ibw_nfs4_proc_names, proc) : NULL;
}

const char *ibw_nfs4_op_name(uint32_t op)
{
	return ibw_name_of(ibw_nfs4_op_names, op);
}

const char *ibw_nfs_status_name(uint32_t status)
{
	return ibw_name_of(ibw_nfs_status_names, status);
}

static bool skip(struct ibw_nfs4_ops *o, uint32_t n)
{
	if (n > o->n - o->at)
		return false;
	o->at += n;
	return true;
}

static bool take_word(struct ibw_nfs4_ops *o, uint32_t *word)
{
	if (o->n - o->at < 4)
		return false;
	*word = ibw_get_be32(o->p + o->at);
	o->at += 4;
	return true;
}

/* Bytes with their number in front, and a pad to a multiple of four. */
static bool skip_opaque(struct ibw_nfs4_ops *o)
{
	uint32_t n;

	return take_word(o, &n) && n <= o->n - o->at && skip(o, (n + 3) & ~3u);
}

/* @size bytes each, with their number in front. */
static bool skip_array(struct ibw_nfs4_ops *o, uint32_t size)
{
	uint32_t n;

	return take_word(o, &n) && n <= (o->n - o->at) / size && skip(o, n * size);
}

/* Attributes: which, and their values. */
static bool skip_attributes(struct ibw_nfs4_ops *o)
{
	return skip_array(o, 4) && skip_opaque(o);
}

/* State ID, offset, how stable; then the data, of which a message with a read chunk has the length alone. */
static bool skip_write(struct ibw_nfs4_ops *o)
{
	return skip(o, 16 + 8 + 4) && (o->reduced ? skip(o, 4) : skip_opaque(o));
}

/* Steps over the arguments of @op; false: they are too few, or of no size that is known here. */
static bool skip_arguments(struct ibw_nfs4_ops *o, uint32_t op)
{
	switch (op) {
	case IBW_NFS4_OP_GETFH:
	case IBW_NFS4_OP_LOOKUPP:
	case IBW_NFS4_OP_PUTPUBFH:
	case IBW_NFS4_OP_PUTROOTFH:
	case IBW_NFS4_OP_READLINK:
	case IBW_NFS4_OP_RESTOREFH:
	case IBW_NFS4_OP_SAVEFH:
		return true;
	case IBW_NFS4_OP_ACCESS:
	case IBW_NFS4_OP_RECLAIM_COMPLETE:
	case IBW_NFS4_OP_SECINFO_NO_NAME:
	case IBW_NFS4_OP_OPENATTR:
		return skip(o, 4);
	case IBW_NFS4_OP_DELEGPURGE:
	case IBW_NFS4_OP_DESTROY_CLIENTID:
	case IBW_NFS4_OP_RENEW:
		return skip(o, 8);
	case IBW_NFS4_OP_COMMIT:
		return skip(o, 12);
	case IBW_NFS4_OP_DELEGRETURN:
	case IBW_NFS4_OP_DESTROY_SESSION:
	case IBW_NFS4_OP_FREE_STATEID:
	case IBW_NFS4_OP_SETCLIENTID_CONFIRM:
		return skip(o, 16);
	case IBW_NFS4_OP_CLOSE:
	case IBW_NFS4_OP_OPEN_CONFIRM:
		return skip(o, 20);
	case IBW_NFS4_OP_BIND_CONN_TO_SESSION:
		return skip(o, 24);
	case IBW_NFS4_OP_READ:
	case IBW_NFS4_OP_OPEN_DOWNGRADE:
	case IBW_NFS4_OP_SEEK:
	case IBW_NFS4_OP_READ_PLUS:
		return skip(o, 28);
	case IBW_NFS4_OP_SEQUENCE:
	case IBW_NFS4_OP_ALLOCATE:
	case IBW_NFS4_OP_DEALLOCATE:
		return skip(o, 32);
	case IBW_NFS4_OP_PUTFH:
	case IBW_NFS4_OP_LOOKUP:
	case IBW_NFS4_OP_LINK:
	case IBW_NFS4_OP_REMOVE:
	case IBW_NFS4_OP_SECINFO:
		return skip_opaque(o);
	case IBW_NFS4_OP_RENAME:
		return skip_opaque(o) && skip_opaque(o);
	case IBW_NFS4_OP_GETATTR:
		return skip_array(o, 4);
	case IBW_NFS4_OP_TEST_STATEID:
		return skip_array(o, 16);
	case IBW_NFS4_OP_READDIR:
		return skip(o, 24) && skip_array(o, 4);
	case IBW_NFS4_OP_SETATTR:
		return skip(o, 16) && skip_attributes(o);
	case IBW_NFS4_OP_VERIFY:
	case IBW_NFS4_OP_NVERIFY:
		return skip_attributes(o);
	case IBW_NFS4_OP_WRITE:
		return skip_write(o);
	}
	return false;
}

bool ibw_nfs4_ops_begin(struct ibw_nfs4_ops *o, const uint8_t *p, uint32_t n, bool reduced)
{
	o->p = p;
	o->n = n;
	o->at = o->count = o->done = o->minor = 0;
	o->reduced = reduced;
	/* A tag, the minor version, how many. */
	o->known = skip_opaque(o) && take_word(o, &o->minor) && take_word(o, &o->count);
	return o->known;
}

bool ibw_nfs4_next_op(struct ibw_nfs4_ops *o, uint32_t *op)
{
	if (!o->known || o->done == o->count)
		return false;
	o->known = take_word(o, op);
	if (!o->known)
		return false;
	o->done++;
	o->known = skip_arguments(o, *op);
	return true;
}
