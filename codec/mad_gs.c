/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_gs.c - attributes of the general services that repeat their last layer. */
#include <ibwire/cc.h>
#include <ibwire/devmgt.h>
#include <ibwire/vendor.h>

#include "mad_attr.h"

/* IBTA vol 1, A10.4.3 and 16.3.3.5 */
enum {
	SW_LOG_ENTRIES = 15,
	CA_LOG_ENTRIES = 13,
	SW_PORT_ELEMENTS = 32,
	CA_ENTRIES = 16,
	TABLE_ENTRIES = 64,
	SERVICE_ENTRIES = 4,
	CONFIG_RECORDS = 18 /* infiniband-diags, vendstat */
};

/* What ConfigSpaceAccess does, in its AttributeModifier: mstflint */
#define CONFIG_MODE(attr_mod) ((attr_mod) >> 22 & 3u)
enum { CONFIG_MODE_ADDRESS = 0, CONFIG_MODE_RECORDS = 2 };

static void repeat(struct ibw_attr_walk *w, uint16_t layer, unsigned int times)
{
	while (times-- > 0)
		if (!ibw_attr_take(w, layer))
			return;
}

static void walk_cong_log(struct ibw_attr_walk *w, const struct ibw_cong_log_wire *log)
{
	switch (ibw_cong_log_type(log)) {
	case IBW_CONG_LOG_SWITCH:
		if (ibw_attr_take(w, IBW_LAYER_cong_log_sw))
			repeat(w, IBW_LAYER_cong_log_sw_entry, SW_LOG_ENTRIES);
		break;
	case IBW_CONG_LOG_CA:
		if (ibw_attr_take(w, IBW_LAYER_cong_log_ca))
			repeat(w, IBW_LAYER_cong_log_ca_entry, CA_LOG_ENTRIES);
		break;
	default:
		break;
	}
}

/* Records that name their addresses, or the words of one address; an SMP has less room. */
static void walk_config_space(struct ibw_attr_walk *w)
{
	switch (CONFIG_MODE(w->attr_mod)) {
	case CONFIG_MODE_RECORDS:
		repeat(w, IBW_LAYER_mlnx_config_record, CONFIG_RECORDS);
		break;
	case CONFIG_MODE_ADDRESS:
		if (!ibw_attr_take(w, IBW_LAYER_mlnx_config_data))
			ibw_attr_take(w, IBW_LAYER_mlnx_smp_config_data);
		break;
	default:
		break;
	}
}

void ibw_attr_walk_gs(struct ibw_attr_walk *w, uint16_t layer)
{
	switch (layer) {
	case IBW_LAYER_cong_log:
		walk_cong_log(w, (const struct ibw_cong_log_wire *)(w->c.p + w->c.off -
								    ibw_cong_log_BYTES));
		break;
	case IBW_LAYER_sw_port_cong_element:
		repeat(w, layer, SW_PORT_ELEMENTS - 1);
		break;
	case IBW_LAYER_ca_cong_setting:
		repeat(w, IBW_LAYER_ca_cong_entry, CA_ENTRIES);
		break;
	case IBW_LAYER_cc_table:
		repeat(w, IBW_LAYER_cc_table_entry, TABLE_ENTRIES);
		break;
	case IBW_LAYER_mlnx_config_space:
		walk_config_space(w);
		break;
	case IBW_LAYER_svc_entry:
		repeat(w, layer, SERVICE_ENTRIES - 1);
		break;
	default:
		break;
	}
}
