/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_mad.h - a MAD of the CM, made for a test. */
#ifndef TESTS_CM_MAD_H
#define TESTS_CM_MAD_H

#include <string.h>

#include <ibwire/cm.h>
#include <ibwire/mad.h>

/* @message has ibw_cm_req_BYTES: no other is longer. */
static inline void cm_mad(uint8_t bytes[IBW_MAD_BYTES], uint16_t attr_id, const void *message)
{
	const struct ibw_mad header = { .base_version = 1,
					.mgmt_class = IBW_CLASS_COMM_MGT,
					.class_version = 2,
					.method = IBW_METHOD_SEND,
					.attr_id = attr_id };

	memset(bytes, 0, IBW_MAD_BYTES);
	ibw_mad_pack((struct ibw_mad_wire *)bytes, &header);
	memcpy(bytes + ibw_mad_BYTES, message, ibw_cm_req_BYTES);
}

#endif /* TESTS_CM_MAD_H */
