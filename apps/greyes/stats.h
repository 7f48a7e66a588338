/* Figures of the frames: --stats. */
#ifndef APPS_GREYES_STATS_H
#define APPS_GREYES_STATS_H

#include <reyes/reyes.h>
#include "apps/common/outfile.h"
#include "apps/greyes/options.h"
#include "libsched/core/json.h"

typedef struct gr_stats {
	const gr_options *o;
	outfile file; /* of the JSON */
	lsched_i_json json;
	uint32_t frames; /* in it */
} gr_stats;

/* Each returns 0, or -1 with why. */
int gr_stats_begin(gr_stats *s, const gr_options *o, char why[OUTFILE_WHY_BYTES]);
/* end: of the file of a scene. A file without a frame is dropped. May return 1, as
 * outfile_close. */
int gr_stats_end(gr_stats *s, outfile_end end, char why[OUTFILE_WHY_BYTES]);

/* Prints or writes the figures of a frame. */
void gr_stats_frame(
	gr_stats *s, uint32_t number, const reyes_image *image, const reyes_stats *figures);

#endif
