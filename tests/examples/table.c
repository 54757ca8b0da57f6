/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.c - a table of four path records as RMPP cuts it, reassembled and walked with the library.
 *
 * Prints:
 *	segment 1: 1 of its segments is here
 *	segment 2: complete, 256 bytes
 *	PathRecord: 4 records of 64 bytes, MTU of the last: "2048 B"
 */
#include <stdio.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print_mad.h>
#include <ibwire/rmpp.h>
#include <ibwire/tables.h>

/* What the record says, where its meaning depends on the MAD around it. */
static void show(const struct ibw_mad_attr_row *attr, const uint8_t *record)
{
	struct ibw_print_context context = ibw_print_start();
	char text[64];
	struct ibw_out out = ibw_out_open(text, sizeof(text));
	struct ibw_span span[4];

	if (ibw_mad_walk_attr(attr, 0, record, 64, span, 4) != 1)
		return;
	ibw_print_enter(&context, span[0].layer, record);
	ibw_print_field(&out, &context, ibw_field_find(ibw_header_at(span[0].layer), "mtu"),
			record);
	ibw_out_close(&out);
	printf("MTU of the last: \"%s\"\n", text);
}

int main(void)
{
	struct ibw_path_rec record = { .numb_path = 1, .mtu_sel = 2, .mtu = 4 };
	uint8_t table[4 * ibw_path_rec_BYTES], room[1000], head[IBW_MAD_BYTES], mad[IBW_MAD_BYTES],
		ack[IBW_MAD_BYTES];
	const struct ibw_mad_attr_row *attr =
		ibw_mad_attr_of(ibw_mad_class_of(IBW_CLASS_SUBN_ADM), IBW_ATTR_SA_PATH_REC);
	struct ibw_rmpp_sender sender;
	struct ibw_transfer transfer;
	struct ibw_sa_table records;
	uint32_t i;

	for (i = 0; i < 4; i++)
		ibw_path_rec_pack((struct ibw_path_rec_wire *)(table + 64 * (size_t)i), &record);
	ibw_sa_build(head, sizeof(head), IBW_METHOD_GET_TABLE | 0x80, IBW_ATTR_SA_PATH_REC, 7);
	if (!ibw_rmpp_send_start(&sender, head, table, sizeof(table), 20, 3))
		return 1;
	ibw_transfer_start(&transfer, room, sizeof(room));
	while (ibw_rmpp_send_next(&sender, mad, 0)) {
		i = ibw_rmpp_data1(ibw_rmpp_of(mad));
		if (ibw_transfer_feed(&transfer, mad, sizeof(mad)) == IBW_TRANSFER_COMPLETE)
			printf("segment %u: complete, %u bytes\n", i, transfer.len);
		else
			printf("segment %u: %u of its segments is here\n", i, transfer.have);
		ibw_rmpp_build_ack(ack, mad, i, 2);
		ibw_rmpp_send_feed(&sender, ack, sizeof(ack), 0);
	}
	records = ibw_sa_table_of(attr, 64, transfer.len);
	printf("%s: %u records of %u bytes, ", attr->text, records.n, records.record);
	show(attr, transfer.room + 192);
	return 0;
}
