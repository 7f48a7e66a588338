/* Check of all output files before encoding starts. */
#ifndef APPS_GPUINTRA_FILES_H
#define APPS_GPUINTRA_FILES_H

#include <h264intra/sink.h>
#include "apps/gpuintra/options.h"

/* Opens the sink; checks that the other outputs can be written and that no file is named twice.
 * Returns 0, or an exit code with msg. */
int files_check(gpuintra_options *o, h264i_sink **sink, char *msg, size_t msg_bytes);
#endif
