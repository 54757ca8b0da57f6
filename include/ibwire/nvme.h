/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme.h - NVMe over Fabrics: command capsules and completions. NVMe base 2.0, 3.3.3 and 6
 *
 * A capsule is a beginning of 24 bytes (nvme_command, nvmf_command), an SGL descriptor and command
 * dwords 10 to 15, each a header of its own here, as both have several forms. ulp.h walks them.
 */
#ifndef IBWIRE_NVME_H
#define IBWIRE_NVME_H

#include "base.h"

#define IBW_HDR nvme_command
#include "expand.h"
#define IBW_HDR nvme_sgl
#include "expand.h"
#define IBW_HDR nvme_sgl_keyed
#include "expand.h"
#define IBW_HDR nvme_cdw
#include "expand.h"
#define IBW_HDR nvme_rw
#include "expand.h"
#define IBW_HDR nvmf_command
#include "expand.h"
#define IBW_HDR nvmf_connect
#include "expand.h"
#define IBW_HDR nvmf_property_get
#include "expand.h"
#define IBW_HDR nvmf_property_set
#include "expand.h"
#define IBW_HDR nvmf_auth
#include "expand.h"
#define IBW_HDR nvmf_connect_data
#include "expand.h"
#define IBW_HDR nvme_completion
#include "expand.h"

/* The constants of list/values_nvme.def: IBW_NVME_IO_WRITE, IBW_NVMF_CONNECT, IBW_NVME_SCT_GENERIC ... */
#define IBW_VALUES_FILE "list/values_nvme.def"
#include "expand_values.h"

/* Bytes of a command capsule without data. */
#define IBW_NVME_CAPSULE_BYTES 64u

/* The status code of a completion with its type: type << 8 | code, as Linux has them. */
IBW_INLINE uint16_t ibw_nvme_completion_status(const struct ibw_nvme_completion_wire *cqe)
{
	return (uint16_t)(ibw_nvme_completion_sct(cqe) << 8 | ibw_nvme_completion_sc_h(cqe) << 7 |
			  ibw_nvme_completion_sc(cqe));
}

#endif /* IBWIRE_NVME_H */
