/* Figures of the frames, as text on standard output or as JSON. */
#include "apps/greyes/stats.h"

#include <inttypes.h>
#include <string.h>

int gr_stats_begin(gr_stats *s, const gr_options *o, char why[OUTFILE_WHY_BYTES])
{
	memset(s, 0, sizeof(*s));
	s->o = o;
	if (!o->stats_path)
		return 0;
	if (outfile_open(&s->file, o->stats_path, o->overwrite, why))
		return -1;
	lsched_i_json_begin(&s->json, lsched_i_json_to_file, s->file.to);
	lsched_i_json_object(&s->json, NULL);
	lsched_i_json_text(&s->json, "scene", o->scene);
	lsched_i_json_line_array(&s->json, "frames");
	return 0;
}

int gr_stats_end(gr_stats *s, outfile_end end, char why[OUTFILE_WHY_BYTES])
{
	if (!s->file.to)
		return 0;
	lsched_i_json_line_close(&s->json);
	lsched_i_json_close(&s->json);
	(void)lsched_i_json_end(&s->json); /* outfile_close reports the failure */
	return outfile_close(&s->file, s->frames ? end : OUTFILE_DROP, why);
}

static double ms(uint64_t ns)
{
	return (double)ns * 1e-6;
}

static void print_frame(uint32_t number, const reyes_image *image, const reyes_stats *g, FILE *f)
{
	const struct {
		const char *name;
		uint64_t ns;
	} stages[] = { { "upload", g->upload_ns }, { "clear", g->clear_ns },
		{ "split", g->split_ns }, { "dice", g->dice_ns }, { "hide", g->hide_ns },
		{ "resolve", g->resolve_ns }, { "filter", g->filter_ns }, { "all", g->total_ns } };
	const double seconds = (double)g->total_ns * 1e-9;

	fprintf(f, "frame %" PRIu32 ": %" PRIu32 "x%" PRIu32 " pixels on %s\n", number,
		image->width_px, image->height_px, g->device);
	fprintf(f,
		"  primitives %" PRIu64 ", splits %" PRIu64 ", grids %" PRIu64 ", points %" PRIu64
		",\n"
		"  micropolygons %" PRIu64 " (%.3f M/s), fragments %" PRIu64 "\n",
		g->primitives, g->splits, g->grids, g->points, g->micropolygons,
		seconds > 0 ? (double)g->micropolygons * 1e-6 / seconds : 0.0, g->fragments);
	if (g->occluded)
		fprintf(f, "  of them occluded %" PRIu64 "\n", g->occluded);
	if (g->eye_drops)
		fprintf(f, "  dropped at the camera plane %" PRIu64 "\n", g->eye_drops);
	fprintf(f,
		"  buckets %" PRIu64 "; split: %" PRIu64 " workers, %" PRIu64 " steals, %" PRIu64
		" donated, queue up to %" PRIu64 "\n",
		g->buckets, g->workers, g->steals, g->donated, g->queue_high_water);
	fprintf(f, "  ms:");
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		if (stages[i].ns) /* a stage may be a part of the one before: dice, of hide */
			fprintf(f, " %s %.3f", stages[i].name, ms(stages[i].ns));
	fprintf(f, "\n");
	(void)fflush(f); /* a frame may take hours; ferror remembers */
}

static void write_frame(
	lsched_i_json *j, uint32_t number, const reyes_image *image, const reyes_stats *g)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_uint(j, "frame", number);
	lsched_i_json_uint(j, "width_px", image->width_px);
	lsched_i_json_uint(j, "height_px", image->height_px);
	lsched_i_json_text(j, "device", g->device);
	lsched_i_json_uint(j, "primitives", g->primitives);
	lsched_i_json_uint(j, "splits", g->splits);
	lsched_i_json_uint(j, "grids", g->grids);
	lsched_i_json_uint(j, "points", g->points);
	lsched_i_json_uint(j, "micropolygons", g->micropolygons);
	lsched_i_json_uint(j, "fragments", g->fragments);
	lsched_i_json_uint(j, "eye_drops", g->eye_drops);
	lsched_i_json_uint(j, "occluded", g->occluded);
	lsched_i_json_uint(j, "buckets", g->buckets);
	lsched_i_json_uint(j, "workers", g->workers);
	lsched_i_json_uint(j, "steals", g->steals);
	lsched_i_json_uint(j, "donated", g->donated);
	lsched_i_json_uint(j, "queue_high_water", g->queue_high_water);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "upload_ns", g->upload_ns);
	lsched_i_json_uint(j, "clear_ns", g->clear_ns);
	lsched_i_json_uint(j, "split_ns", g->split_ns);
	lsched_i_json_uint(j, "dice_ns", g->dice_ns);
	lsched_i_json_uint(j, "hide_ns", g->hide_ns);
	lsched_i_json_uint(j, "resolve_ns", g->resolve_ns);
	lsched_i_json_uint(j, "filter_ns", g->filter_ns);
	lsched_i_json_uint(j, "total_ns", g->total_ns);
	lsched_i_json_close(j);
	(void)lsched_i_json_flush(j);
}

void gr_stats_frame(
	gr_stats *s, uint32_t number, const reyes_image *image, const reyes_stats *figures)
{
	s->frames++;
	if (s->file.to)
		write_frame(&s->json, number, image, figures);
	else if (s->o->stats.given)
		print_frame(number, image, figures, stdout);
}
