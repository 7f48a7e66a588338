/* picgen KIND WIDTHxHEIGHT FRAMES > out.y4m: writes artificial pictures with extreme contents,
 * 8-bit 4:2:0, full range. The output depends only on the arguments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of a sample. Chroma planes have their own x, y and size. */
struct place {
	uint32_t plane, x, y, frame;
};

/* A hash of a position: the finaliser of MurmurHash3 over the mixed coordinates. */
static uint32_t scramble(struct place p)
{
	uint32_t h = p.x * 0x9e3779b1u ^ p.y * 0x85ebca77u ^ p.frame * 0xc2b2ae3du ^ p.plane << 30;

	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}

static uint32_t extreme(struct place p)
{
	return scramble(p) & 1 ? 255 : 0;
}

static uint32_t noise(struct place p)
{
	return scramble(p) >> 24;
}

static uint32_t black(struct place p)
{
	return p.plane ? 128 : 0;
}

static uint32_t white(struct place p)
{
	return p.plane ? 128 : 255;
}

static uint32_t zero(struct place p)
{
	(void)p;
	return 0;
}

static uint32_t full(struct place p)
{
	(void)p;
	return 255;
}

/* Flat 4x4 blocks, each 0 or 255: every prediction is wrong by 255 or right. */
static uint32_t flat4(struct place p)
{
	return extreme((struct place){ p.plane, p.x / 4, p.y / 4, p.frame });
}

/* Flat macroblocks of 0 or 255 in a chequerboard. */
static uint32_t flat16(struct place p)
{
	uint32_t side = p.plane ? 8 : 16;

	return (p.x / side + p.y / side + p.frame) & 1 ? 255 : 0;
}

/* One-pixel chequerboard: all the energy in the highest coefficient. */
static uint32_t dots(struct place p)
{
	return (p.x + p.y + p.frame) & 1 ? 255 : 0;
}

static uint32_t ramp(struct place p)
{
	return (p.x * 3 + p.y * (p.plane + 1) + p.frame * 5) & 255;
}

static const struct kind {
	const char *name;
	uint32_t (*sample)(struct place p);
} kinds[] = {
	{ "noise", noise },
	{ "extreme", extreme },
	{ "black", black },
	{ "white", white },
	{ "zero", zero },
	{ "full", full },
	{ "flat4", flat4 },
	{ "flat16", flat16 },
	{ "dots", dots },
	{ "ramp", ramp },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int write_frame(
	const struct kind *k, uint32_t width, uint32_t height, uint32_t frame, uint8_t *row)
{
	fputs("FRAME\n", stdout);
	for (uint32_t plane = 0; plane < 3; plane++) {
		uint32_t w = plane ? width / 2 : width, h = plane ? height / 2 : height;

		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x++)
				row[x] = (uint8_t)k->sample((struct place){ plane, x, y, frame });
			if (fwrite(row, 1, w, stdout) != w)
				return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t width, height, frames;
	uint8_t *row;
	char end;
	int failed = 0;

	if (argc != 4 || sscanf(argv[2], "%" SCNu32 "x%" SCNu32 "%c", &width, &height, &end) != 2 ||
		sscanf(argv[3], "%" SCNu32 "%c", &frames, &end) != 1 || width < 2 || height < 2 ||
		width > 65536 || height > 65536 || width % 2 || height % 2) {
		fprintf(stderr, "usage: picgen KIND WIDTHxHEIGHT FRAMES > out.y4m; kinds:");
		for (int i = 0; i < N_KINDS; i++)
			fprintf(stderr, " %s", kinds[i].name);
		fprintf(stderr, "\n");
		return 2;
	}
	for (int i = 0; i < N_KINDS; i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		row = malloc(width);
		if (!row)
			return 1;
		printf("YUV4MPEG2 W%" PRIu32 " H%" PRIu32
		       " F25:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\n",
			width, height);
		for (uint32_t f = 0; f < frames && !failed; f++)
			failed = write_frame(&kinds[i], width, height, f, row);
		free(row);
		if (failed || fflush(stdout) != 0) {
			perror("picgen");
			return 1;
		}
		return 0;
	}
	fprintf(stderr, "picgen: no kind '%s'\n", argv[1]);
	return 2;
}
