/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - Wireshark's headers, and the one place that knows where 4.0, 4.2,
 * 4.4 and 4.6 differ. Everything else is written for the newest of them.
 */
#ifndef IW_COMPAT_H
#define IW_COMPAT_H

#include <stdbool.h>
#include <stdint.h>

#include <ws_version.h>

#include <epan/packet.h>

#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>

#define IW_WIRESHARK (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)

/* From 4.4 on its integers are those of C99, and gboolean is bool. */
#if IW_WIRESHARK >= 404
typedef bool iw_bool;
#else
typedef gboolean iw_bool;
#endif

/* No package of an older one installs it. */
#if IW_WIRESHARK >= 404
#include <wsutil/plugins.h>
#else
#define WS_PLUGIN_DESC_DISSECTOR 1u
#endif

/* From 4.6 on the start of a -z listener says whether it went well. */
#if IW_WIRESHARK >= 406
typedef bool iw_listen_result;
#define IW_LISTENS(well) (well)
#else
typedef void iw_listen_result;
#define IW_LISTENS(well)
#endif

/* From 4.2 on what Wireshark calls for a conversation's filter has an argument more. */
#if IW_WIRESHARK >= 402
#define IW_FILTER_USER , void *user
#define IW_FILTER_UNUSED (void)user
#define IW_FILTER_NO_USER , NULL
#else
#define IW_FILTER_USER
#define IW_FILTER_UNUSED
#define IW_FILTER_NO_USER
#endif

/* From 4.2 on who follows streams also says how many there are, and of what they consist. */
#if IW_WIRESHARK >= 402
#define IW_FOLLOW_COUNT(count) , count, NULL
#else
#define IW_FOLLOW_COUNT(count)
#endif

/*
 * What libwireshark exports for sequence diagrams; its header, epan/sequence_analysis.h, no package installs.
 * The structures stay unknown here.
 */
struct register_analysis;
WS_DLL_PUBLIC void register_seq_analysis(const char *name, const char *ui_name, int proto,
					 const char *tap, unsigned int tap_flags,
					 tap_packet_cb packet);
WS_DLL_PUBLIC struct register_analysis *sequence_analysis_find_by_name(const char *name);
WS_DLL_PUBLIC tap_packet_cb sequence_analysis_get_packet_func(struct register_analysis *analysis);

static inline uint8_t iw_u8(tvbuff_t *tvb, int offset)
{
#if IW_WIRESHARK >= 404
	return tvb_get_uint8(tvb, offset);
#else
	return tvb_get_guint8(tvb, offset);
#endif
}

static inline int iw_try_payload(dissector_table_t table, tvbuff_t *tvb, packet_info *pinfo,
				 proto_tree *tree, void *data)
{
#if IW_WIRESHARK >= 406
	return dissector_try_payload_with_data(table, tvb, pinfo, tree, true, data);
#else
	return dissector_try_payload_new(table, tvb, pinfo, tree, true, data);
#endif
}

#endif /* IW_COMPAT_H */
