/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file247.c - a plugin for libwiretap, which reads files: a pcap of link type 247
 * (LINKTYPE_INFINIBAND), which Wireshark's own reader refuses. draft-ietf-opsawg-pcap
 *
 * From 4.6 on the headers this takes are installed.
 */
#include <string.h>

#include <wiretap/wtap_module.h>

#include <wiretap/file_wrappers.h>
#include <wsutil/plugins.h>

#include "exports.h"

#include <ibwire/packet.h>

#define NS_PER_US 1000u

struct magic {
	uint32_t value;
	unsigned int ns_per_tick;
	int precision;
};

static const struct magic magics[] = {
	{ 0xa1b2c3d4, NS_PER_US, WTAP_TSPREC_USEC },
	{ 0xa1b23c4d, 1, WTAP_TSPREC_NSEC },
};

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snaplen, linktype;
};

struct record_header {
	uint32_t seconds, ticks, caplen, len;
};

/* Of one open file; libwiretap frees it. */
struct file {
	const struct magic *magic;
	bool swapped;
};

static uint32_t in_order(const struct file *file, uint32_t v)
{
	return file->swapped ? GUINT32_SWAP_LE_BE(v) : v;
}

static bool read_packet(const struct wtap *wth, FILE_T fh, wtap_rec *rec, int *err, char **err_info)
{
	const struct file *file = wth->priv;
	wtap_packet_header *packet = &rec->rec_header.packet_header;
	struct record_header head;

	if (!wtap_read_bytes_or_eof(fh, &head, sizeof(head), err, err_info))
		return false;
	wtap_setup_packet_rec(rec, wth->file_encap);
	memset(&packet->pseudo_header, 0, sizeof(packet->pseudo_header));
	packet->caplen = in_order(file, head.caplen);
	packet->len = MAX(in_order(file, head.len), packet->caplen);
	if (packet->caplen > WTAP_MAX_PACKET_SIZE_STANDARD) {
		*err = WTAP_ERR_BAD_FILE;
		*err_info = g_strdup_printf("pcap: a record of %u captured bytes, %u at most",
					    packet->caplen, WTAP_MAX_PACKET_SIZE_STANDARD);
		return false;
	}
	rec->block = wtap_block_create(WTAP_BLOCK_PACKET);
	rec->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
	rec->tsprec = wth->file_tsprec;
	rec->ts.secs = in_order(file, head.seconds);
	rec->ts.nsecs = (int)(in_order(file, head.ticks) * file->magic->ns_per_tick);
	return wtap_read_bytes_buffer(fh, &rec->data, packet->caplen, err, err_info);
}

static bool read_next(struct wtap *wth, wtap_rec *rec, int *err, char **err_info, int64_t *offset)
{
	*offset = file_tell(wth->fh);
	return read_packet(wth, wth->fh, rec, err, err_info);
}

static bool read_at(struct wtap *wth, int64_t offset, wtap_rec *rec, int *err, char **err_info)
{
	if (file_seek(wth->random_fh, offset, SEEK_SET, err) < 0)
		return false;
	if (read_packet(wth, wth->random_fh, rec, err, err_info))
		return true;
	if (*err == 0)
		*err = WTAP_ERR_SHORT_READ;
	return false;
}

/* False: no pcap, or none of ours. */
static bool recognise(struct file *file, const struct file_header *head)
{
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(magics); i++) {
		file->magic = &magics[i];
		file->swapped = head->magic != magics[i].value;
		if (in_order(file, head->magic) == magics[i].value)
			/* The upper half says whether there is an FCS: in InfiniBand never. */
			return (in_order(file, head->linktype) & 0xffff) == IBW_LINKTYPE_INFINIBAND;
	}
	return false;
}

static wtap_open_return_val open_file(struct wtap *wth, int *err, char **err_info)
{
	struct file_header head;
	struct file file;

	if (!wtap_read_bytes(wth->fh, &head, sizeof(head), err, err_info))
		return *err == WTAP_ERR_SHORT_READ ? WTAP_OPEN_NOT_MINE : WTAP_OPEN_ERROR;
	if (!recognise(&file, &head))
		return WTAP_OPEN_NOT_MINE;
	wth->priv = g_memdup2(&file, sizeof(file));
	wth->subtype_read = read_next;
	wth->subtype_seek_read = read_at;
	wth->file_type_subtype = file.magic->ns_per_tick == 1 ? wtap_pcap_nsec_file_type_subtype()
							      : wtap_pcap_file_type_subtype();
	wth->file_encap = WTAP_ENCAP_INFINIBAND;
	wth->file_tsprec = file.magic->precision;
	wth->snapshot_length = in_order(&file, head.snaplen);
	wtap_add_generated_idb(wth);
	return WTAP_OPEN_MINE;
}

/* Before Wireshark's own reader of pcap, which ends the search with an error. */
static void register_module(void)
{
	static struct open_info info = { .name = "pcap of InfiniBand packets",
					 .type = OPEN_INFO_MAGIC,
					 .open_routine = open_file };

	wtap_register_open_info(&info, true);
}

EXPORTED uint32_t plugin_describe(void)
{
	return WS_PLUGIN_DESC_FILE_TYPE;
}

EXPORTED void plugin_register(void)
{
	static const wtap_plugin plugin = { register_module };

	wtap_register_plugin(&plugin);
}
