/* Reports of a run: the summary line, --stats and --trace. */
#ifndef APPS_GPUINTRA_REPORT_H
#define APPS_GPUINTRA_REPORT_H

#include <h264intra/source.h>
#include "apps/common/log.h"
#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/headers.h"
#include "apps/gpuintra/options.h"

typedef struct report {
	const gpuintra_options *options;
	const h264i_source_info *info; /* a copy: the source is closed */
	const encode_result *result;
	h264i_stats stats;
	uint64_t tools[64]; /* counts of h264i_get_tool's entries */
	int level_idc;
	header_flags flags;
	int failed;       /* 1: older reports are not replaced */
	const char *file; /* the file with the stream */
	uint64_t file_bytes;
	int64_t begin_ns, end_ns; /* of the program */
} report;

/* Logs frames, frames/s, kbit/s, size, PSNR and SSIM (with --psnr, --ssim) and the
 * output. */
void report_summary(const report *r, logger *log);

/* Warns if pictures exceed --frame-size-max or the buffer. */
void report_limits(const report *r, logger *log);

/* Warns if the stream exceeded the bit rate or the buffer of its level, and names options that
 * help. */
void report_level(const report *r, logger *log);

/* Write --stats and --trace. Return 0, or -1 with the error logged. */
int report_write_json(const report *r, logger *log);
int report_write_trace(const report *r, h264i_encoder *enc, logger *log);
#endif
