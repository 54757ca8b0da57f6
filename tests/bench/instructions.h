/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* instructions.h - functions of instructions.c, none of them inlined. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

#include <arpa/inet.h>
#include <string.h>

#include <ibwire/ibwire.h>

void schema_bth_unpack(struct ibw_bth *v, const struct ibw_bth_wire *w);
void hand_bth_unpack(struct ibw_bth *v, const struct ibw_bth_wire *w);
void schema_bth_pack(struct ibw_bth_wire *w, const struct ibw_bth *v);
void hand_bth_pack(struct ibw_bth_wire *w, const struct ibw_bth *v);
void schema_grh_unpack(struct ibw_grh *v, const struct ibw_grh_wire *w);
void schema_grh_pack(struct ibw_grh_wire *w, const struct ibw_grh *v);
void schema_path_rec_unpack(struct ibw_path_rec *v, const struct ibw_path_rec_wire *w);
void schema_path_rec_pack(struct ibw_path_rec_wire *w, const struct ibw_path_rec *v);
uint8_t getter_bth_opcode(const struct ibw_bth_wire *w);
uint32_t getter_bth_psn(const struct ibw_bth_wire *w);
uint16_t getter_bth_pkey(const struct ibw_bth_wire *w);
uint8_t getter_bth_padcnt(const struct ibw_bth_wire *w);
uint64_t getter_reth_va(const struct ibw_reth_wire *w);
uint32_t getter_grh_flow_label(const struct ibw_grh_wire *w);
uint16_t getter_lrh_pktlen(const struct ibw_lrh_wire *w);

#endif /* TESTS_INSTRUCTIONS_H */
