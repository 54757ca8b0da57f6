/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pcap_file.h - the frames of a classic pcap file, for tests that must run where
 * there is no libpcap. Any byte order. A file that cannot be read ends the test.
 */
#ifndef TESTS_PCAP_FILE_H
#define TESTS_PCAP_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibwire/base.h>

struct pcap_file {
	char path[512];
	uint8_t *data;
	size_t size, at;
	uint32_t linktype;
	int big;
	/* The frame pcap_file_next() has moved to. */
	const uint8_t *frame;
	uint32_t number, caplen, len;
};

static inline uint32_t pcap_file_u32(const struct pcap_file *f, size_t at)
{
	return f->big ? ibw_get_be32(f->data + at) : ibw_get_le32(f->data + at);
}

static inline void pcap_file_open(struct pcap_file *f, const char *dir, const char *name)
{
	FILE *in;
	long size;

	memset(f, 0, sizeof(*f));
	snprintf(f->path, sizeof(f->path), "%s/%s", dir, name);
	in = fopen(f->path, "rb");
	if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < 24 || fseek(in, 0, SEEK_SET)) {
		fprintf(stderr, "%s: cannot be read\n", f->path);
		exit(1);
	}
	f->size = (size_t)size;
	f->data = malloc(f->size);
	if (!f->data || fread(f->data, f->size, 1, in) != 1) {
		fprintf(stderr, "%s: cannot be read\n", f->path);
		exit(1);
	}
	fclose(in);
	f->big = f->data[0] == 0xa1;
	f->linktype = pcap_file_u32(f, 20);
	f->at = 24;
}

/* The next frame; 0 after the last one. */
static inline int pcap_file_next(struct pcap_file *f)
{
	if (f->at == f->size)
		return 0;
	if (f->size - f->at < 16 || f->size - f->at - 16 < pcap_file_u32(f, f->at + 8)) {
		fprintf(stderr, "%s: frame %u is cut off\n", f->path, f->number + 1);
		exit(1);
	}
	f->caplen = pcap_file_u32(f, f->at + 8);
	f->len = pcap_file_u32(f, f->at + 12);
	f->frame = f->data + f->at + 16;
	f->at += 16 + f->caplen;
	f->number++;
	return 1;
}

static inline void pcap_file_close(struct pcap_file *f)
{
	free(f->data);
	f->data = NULL;
}

#endif /* TESTS_PCAP_FILE_H */
