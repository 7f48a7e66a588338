/* A user's program on libreyes: built by `make installcheck` with the installed files only. It
 * renders a square of one colour from RIB in memory, and checks a pixel on it and one beside it. */
#include <reyes/reyes.h>
#include <stdio.h>
#include <string.h>

static const char rib[] = "Format 16 16 1\n"
			  "Projection \"orthographic\"\n"
			  "WorldBegin\n"
			  "Surface \"constant\"\n"
			  "Color [0.25 0.5 0.75]\n"
			  "Polygon \"P\" [-0.5 -0.5 1  -0.5 0.5 1  0.5 0.5 1  0.5 -0.5 1]\n"
			  "WorldEnd\n";

/* Returns nonzero if pixel (x, y) has these red, green, blue and alpha. */
static int has(const reyes_image *image, uint32_t x, uint32_t y, const float wanted[4])
{
	const float *got = image->rgba + ((size_t)y * image->width_px + x) * 4;
	int right = 1;

	for (int i = 0; i < 4; i++)
		right &= got[i] > wanted[i] - 1e-4f && got[i] < wanted[i] + 1e-4f;
	return right;
}

int main(void)
{
	static const float square[4] = { 0.25f, 0.5f, 0.75f, 1 }, outside[4] = { 0, 0, 0, 0 };
	reyes_renderer *r;
	reyes_options o;
	reyes_image image;
	char why[256];
	int right = 0;

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	if (reyes_open(&r, &o, why, sizeof(why)) != REYES_OK) {
		fprintf(stderr, "reyes_open: %s\n", why);
		return 1;
	}
	reyes_image_init(&image);
	if (reyes_rib_open_memory(r, "square", rib, strlen(rib)) == REYES_OK &&
		reyes_rib_next_frame(r) == REYES_OK && reyes_render(r, &image) == REYES_OK &&
		image.width_px == 16 && image.height_px == 16)
		right = has(&image, 8, 8, square) && has(&image, 0, 0, outside);
	else
		fprintf(stderr, "reyes: %s\n", reyes_last_error(r));
	reyes_close(&r);
	printf("reyes: %s\n", right ? "right" : "wrong");
	return right ? 0 : 1;
}
