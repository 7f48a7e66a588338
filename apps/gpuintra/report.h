/* What gpuintra tells when it is done: a line, and --stats as JSON. */
#ifndef APPS_GPUINTRA_REPORT_H
#define APPS_GPUINTRA_REPORT_H

#include <h264intra/source.h>
#include "apps/common/log.h"
#include "apps/common/outfile.h"
#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/options.h"

typedef struct report {
	const gpuintra_options *options;
	const h264i_source_info *info; /* copied out of the source */
	const encode_result *result;
	h264i_stats stats;
	int level_idc;
	uint64_t file_bytes;
	int64_t begin_ns, end_ns; /* of the program */
} report;

/* PSNR in dB of `samples` samples; infinite when they are equal. */
double report_psnr(uint64_t sse, uint64_t samples);

/* frames, frames/s, kbit/s, size, PSNR if asked for, output. */
void report_summary(const report *r, logger *log);

/* A warning with the way out if the stream exceeded its level's bit rate or buffer. */
void report_level(const report *r, logger *log);

/* 0, or -1 with why. */
int report_write_json(const report *r, const char *path, char why[OUTFILE_WHY_BYTES]);
#endif
