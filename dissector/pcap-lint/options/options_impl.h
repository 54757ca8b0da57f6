/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_impl.h - settings as text, before they become options; private to the files of options.
 */
#ifndef PL_OPTIONS_IMPL_H
#define PL_OPTIONS_IMPL_H

#include "options.h"

enum pl_scope { PL_SCOPE_MODE, PL_SCOPE_RUN, PL_SCOPE_FILE };

/* One line of options.def. */
struct pl_option {
	const char *name;
	char short_name; /* 0: none */
	enum pl_scope scope;
	const char *arg; /* NULL: a flag, which is "true" or "false" */
	const char *help;
	bool (*set)(struct pl_options *options, const char *value, GError **err);
};

extern const struct pl_option pl_option_table[];
extern const unsigned int pl_option_count;

struct pl_setting {
	const struct pl_option *option;
	char *value;
};

/* The option with this name (or, on the command line, short name); NULL: none. */
const struct pl_option *pl_option_find(const char *name);

/* The long name that is nearly so; NULL: none is. */
const char *pl_option_nearest(const char *name, size_t len);

GPtrArray *pl_settings_new(void);
void pl_settings_add(GPtrArray *settings, const struct pl_option *option, const char *value);

/*
 * Applies them in order; those with a value that cannot be have been refused before. False: there are
 * too many of a kind.
 */
bool pl_settings_apply(const GPtrArray *settings, struct pl_options *options, GError **err);

/* What the options are before anyone has said anything. */
void pl_options_default(struct pl_options *options);

/* A config file somebody named, and one that lies there, which may be a stranger's. */
enum pl_config_trust { PL_CONFIG_NAMED, PL_CONFIG_AT_HOME, PL_CONFIG_NEXT_TO };

/* Of a file that was found. */
#define PL_CONFIG_ERROR pl_config_error_quark()
GQuark pl_config_error_quark(void);
enum pl_config_error {
	PL_CONFIG_ABSENT,
	PL_CONFIG_REFUSED, /* not regular, not the user's, or too large: it is ignored */
};

/*
 * The settings of a config file; NULL with *err set if it cannot be read or says
 * something that cannot be. Options of scope MODE are refused: a file that came
 * with a capture may not say where output goes.
 */
GPtrArray *pl_config_read(const char *path, enum pl_config_trust trust, GError **err);

#endif /* PL_OPTIONS_IMPL_H */
