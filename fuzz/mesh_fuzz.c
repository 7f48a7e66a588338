/* Fuzzer of the readers of mesh files: PLY and OBJ. The input is a file. Checks that nothing
 * crashes, that a refused file has a reason and leaves no mesh, and that an accepted mesh has
 * finite coordinates and corners that are vertices. */
#include "fuzz/fuzz.h"
#include "workloads/mesh/mesh.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char msg[WL_MESH_MESSAGE_BYTES] = "";
	wl_mesh m;

	if (wl_mesh_parse(&m, "input", data, bytes, msg, sizeof(msg)) != 0) {
		FUZZ_EXPECT(strncmp(msg, "input: ", 7) == 0 && !m.xyz && !m.index);
		return 0;
	}
	for (size_t i = 0; i < (size_t)m.vertices * 3; i++)
		FUZZ_EXPECT(isfinite(m.xyz[i]));
	for (size_t i = 0; i < (size_t)m.triangles * 3; i++)
		FUZZ_EXPECT(m.index[i] < m.vertices);
	wl_mesh_free(&m);
	return 0;
}
