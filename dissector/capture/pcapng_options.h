/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng_options.h - the options at the end of a block of a pcapng: code, length, value, padded to 4 bytes. */
#ifndef CAPTURE_PCAPNG_OPTIONS_H
#define CAPTURE_PCAPNG_OPTIONS_H

#include "impl.h"
#include "pcapng.h"

struct pcapng_options {
	const uint8_t *p;
	uint32_t left;
	bool swapped; /* against this machine's order */
	uint16_t code;
	uint16_t len;
	const uint8_t *value;
};

enum pcapng_stepped { OPTION_HERE, OPTIONS_END, OPTIONS_BAD };

static inline uint32_t pcapng_padded(uint32_t n)
{
	return (n + 3) & ~3u;
}

/* The next one, which comes to @o; where they are bad, @o->p is where that begins. */
static inline enum pcapng_stepped pcapng_next_option(struct pcapng_options *o)
{
	if (!o->left)
		return OPTIONS_END;
	if (o->left < 4)
		return OPTIONS_BAD;
	o->code = capture_load16(o->p, o->swapped);
	o->len = capture_load16(o->p + 2, o->swapped);
	if (o->code == OPTION_END)
		return OPTIONS_END;
	if (pcapng_padded(o->len) > o->left - 4)
		return OPTIONS_BAD;
	o->value = o->p + 4;
	o->p += 4 + pcapng_padded(o->len);
	o->left -= 4 + pcapng_padded(o->len);
	return OPTION_HERE;
}

#endif /* CAPTURE_PCAPNG_OPTIONS_H */
