/* x3d against libxml2: generated scenes, also with spaces before the root element, so that other
 * bytes are at the edges of segments and tiles. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_LIBXML2
#include "tests/workloads/x3d_libxml.h"
#include "tests/workloads/x3d_text.h"

static int compare(x3d_text *x, const char *text, size_t bytes)
{
	uint32_t error, wrong;

	if (x3d_text_read(x, text, bytes, &error) == 0 && error == X3D_OK &&
		x3d_libxml_reads(text, bytes, &x->h->truth, &wrong) && wrong == 0)
		return 0;
	fprintf(stderr, "a scene of %zu bytes differs: %s\n", bytes, x->why);
	return 1;
}

int main(void)
{
	static const uint64_t sizes[] = { 0, 300, 5000, 40000, 1000000 };
	x3d_text x;
	int bad = x3d_text_open(&x, 1) != 0;

	for (uint32_t k = 0; !bad && k < 5 * 4; k++) {
		char *text, *shifted = NULL;
		const uint32_t bytes = x3d_generate(sizes[k % 5], k, &text, x.why, sizeof(x.why)),
			       shift = 7 * k;
		const char *root = bytes ? strstr(text, "<X3D") : NULL;

		bad = !root || !(shifted = calloc(bytes + shift + 1, 1));
		if (!bad) {
			memcpy(shifted, text, (size_t)(root - text));
			memset(shifted + (root - text), ' ', shift);
			memcpy(shifted + (root - text) + shift, root,
				bytes - (size_t)(root - text));
			bad = compare(&x, text, bytes) || compare(&x, shifted, bytes + shift);
		}
		free(shifted);
		free(text);
	}
	x3d_text_close(&x);
	return bad;
}
#else
int main(void)
{
	puts("SKIP: configured without libxml2 (Debian: libxml2-dev)");
	return 77;
}
#endif
