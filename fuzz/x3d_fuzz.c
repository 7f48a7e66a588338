/* Fuzzer of the parser of X3D. The input is a file. Checks that nothing crashes, that all passes
 * refuse and read what the reader of one thread does, with the same result, and, with libxml2, that
 * this does, too, unless the reason is a stated limit or a value. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "fuzz/fuzz.h"
#include "tests/workloads/x3d_text.h"
#ifdef HAVE_LIBXML2
#include "tests/workloads/x3d_libxml.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static x3d_text x;
	uint32_t error;

	if (!x.d.ctx)
		FUZZ_EXPECT(x3d_text_open(&x, 1) == 0);
	if (x3d_text_read(&x, data, bytes, &error)) {
		fprintf(stderr, "%s\n", x.why);
		FUZZ_EXPECT(!"the passes do what one thread does");
	}
	FUZZ_EXPECT(error < X3D_ERROR_COUNT && x.h->truth.at <= bytes);
#ifdef HAVE_LIBXML2
	/* libxml2 takes a zero byte for the end */
	if (!error || (!memchr(x.h->text, 0, bytes) && x3d_error_class(error) == X3D_XML &&
			      x3d_error_class(x.h->truth.error) == X3D_XML)) {
		uint32_t wrong = 0;
		const x3d_tree *t = error ? NULL : &x.h->truth;

		FUZZ_EXPECT(x3d_libxml_reads(x.h->text, bytes, t, &wrong) == !error);
		FUZZ_EXPECT(wrong == 0);
	}
#endif
	x3d_text_free(&x);
	return 0;
}
