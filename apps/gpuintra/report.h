/* The reports of a run: a line, --stats and --trace. */
#ifndef APPS_GPUINTRA_REPORT_H
#define APPS_GPUINTRA_REPORT_H

#include <h264intra/source.h>
#include "apps/common/log.h"
#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/options.h"

typedef struct report {
	const gpuintra_options *options;
	const h264i_source_info *info; /* copied out of the source */
	const encode_result *result;
	h264i_stats stats;
	int level_idc;
	int failed;       /* so older reports are not replaced */
	const char *file; /* that has the stream */
	uint64_t file_bytes;
	int64_t begin_ns, end_ns; /* of the program */
} report;

/* PSNR in dB of `samples` samples; infinite when they are equal. */
double report_psnr(uint64_t sse, uint64_t samples);

/* frames, frames/s, kbit/s, size, PSNR if asked for, output. */
void report_summary(const report *r, logger *log);

/* A warning with the way out if the stream exceeded its level's bit rate or buffer. */
void report_level(const report *r, logger *log);

/* Write --stats and --trace. 0, or -1 when the log has the error. */
int report_write_json(const report *r, logger *log);
int report_write_trace(const report *r, h264i_encoder *enc, logger *log);
#endif
