/* Fuzzer of the readers of picture files: PNG, TIFF, EXR. The input is a file. Checks that nothing
 * crashes, that a refused file has a reason and leaves no picture, and that an accepted picture is
 * the same when it is written as TIFF with floats and read again. */
#include <config.h>
#include "fuzz/fuzz.h"
#include "reyes/image/formats.h"

#include <string.h>

#ifdef HAVE_TIFF
/* Largest picture that is written again, so that each input takes little time. */
enum { MOST_VALUES = 1 << 20 };

static void write_again(const reyes_i_picture *p)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_FLOAT, .compression = "none" };
	const size_t n = (size_t)p->width_px * p->height_px * p->channels;
	reyes_i_note note = { "" };
	reyes_i_bytes out = { NULL, 0, 0 };
	reyes_i_picture q;

	if (n > MOST_VALUES)
		return;
	FUZZ_EXPECT(reyes_i_tiff_encode(p, &o, &out, &note) == REYES_OK);
	FUZZ_EXPECT(reyes_i_picture_decode(&q, out.data, out.count, &note) == REYES_OK);
	FUZZ_EXPECT(q.width_px == p->width_px && q.height_px == p->height_px);
	FUZZ_EXPECT(q.channels == p->channels);
	FUZZ_EXPECT(memcmp(p->data, q.data, n * sizeof(float)) == 0);
	reyes_i_picture_free(&q);
	reyes_i_bytes_free(&out);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	reyes_i_note note = { "" };
	reyes_i_picture p;

	if (reyes_i_picture_decode(&p, data, bytes, &note) != REYES_OK) {
		FUZZ_EXPECT(note.text[0] && !p.data);
		return 0;
	}
#ifdef HAVE_TIFF
	write_again(&p);
#endif
	reyes_i_picture_free(&p);
	return 0;
}
