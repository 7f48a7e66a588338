/* random_stream WIDTH HEIGHT FRAMES SLICES PROFILE CABAC DEBLOCK EXTRAS GRAY SEED STREAM OUT
 *
 * Writes a stream of random decisions (random_picture.h) through the entropy coders of the CPU
 * backend (cpu/slice.c), and the pictures that it stands for. WIDTH and HEIGHT are multiples of 16.
 * PROFILE is 66, 77 or 100; of 100 macroblocks may be Intra8x8. EXTRAS 1 or 2: random_parameters().
 * GRAY 1, of profile 100: 4:0:0, and OUT has luma alone. */
#include "tests/h264intra/random_picture.h"

#include <stdio.h>
#include <stdlib.h>

static void open_source(random_source *s, char **arg)
{
	const uint32_t width = (uint32_t)atoi(arg[1]), height = (uint32_t)atoi(arg[2]);
	const int extras = atoi(arg[8]);
	h264i_params p = { .geom = { width, height, width / 16, height / 16,
				   (uint32_t)atoi(arg[4]) } };

	p.profile = atoi(arg[5]);
	p.cabac = atoi(arg[6]);
	p.filter.on = atoi(arg[7]);
	p.transform8x8 = p.profile == 100;
	p.gray = atoi(arg[9]);
	p.qp = 26;
	p.level = 51;
	p.vui = (h264i_vui){
		.full_range = -1, .primaries = 2, .transfer = 2, .matrix = 2, .chroma_loc = -1
	};
	if (extras)
		random_parameters(&p, extras);
	random_open(s, &p, extras == 1 ? 40 : H264I_QPS);
}

static void write_picture(random_source *s, int slice_qp, uint32_t number, FILE *out)
{
	h264i_buf head = { 0 };

	if (h264i_i_param_sets_append(&head, &s->params) != 0 ||
		fwrite(head.data, 1, head.bytes, out) != head.bytes)
		exit(1);
	h264i_i_buf_free(&head);
	for (uint32_t i = 0; i < s->params.geom.slices; i++) {
		if (random_slice(s, slice_qp, number, i) != 0) {
			fprintf(stderr, "random_stream: slice %u\n", i);
			exit(1);
		}
		if (fwrite(s->slice.nal.data, 1, s->slice.nal.bytes, out) != s->slice.nal.bytes)
			exit(1);
	}
}

static void write_pixels(random_source *s, FILE *out)
{
	const size_t bytes = (size_t)s->width * s->height * (s->params.gray ? 2 : 3) / 2;

	random_filter(s);
	if (fwrite(s->filtered, 1, bytes, out) != bytes)
		exit(1);
}

int main(int argc, char **argv)
{
	FILE *out, *pictures;
	random_source s;

	if (argc != 13) {
		fprintf(stderr, "usage: random_stream WIDTH HEIGHT FRAMES SLICES PROFILE CABAC "
				"DEBLOCK EXTRAS GRAY SEED STREAM.264 PICTURES.yuv\n");
		return 2;
	}
	out = fopen(argv[11], "wb");
	pictures = fopen(argv[12], "wb");
	if (!out || !pictures) {
		perror("random_stream");
		return 1;
	}
	random_begin((uint32_t)atoi(argv[10]));
	open_source(&s, argv);
	for (uint32_t i = 0; i < (uint32_t)atoi(argv[3]); i++) {
		const int slice_qp = random_picture(&s);

		write_picture(&s, slice_qp, i, out);
		write_pixels(&s, pictures);
	}
	random_close(&s);
	return fclose(out) | fclose(pictures) ? 1 : 0;
}
