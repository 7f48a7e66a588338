/* A user's program on libcollide: built by `make installcheck` with the installed files only. */
#include <collide/collide.h>

int main(void)
{
	static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, .2f, .2f, -1, .2f, .2f, 1, .3f, .2f,
		1 };
	static const uint32_t index[] = { 0, 1, 2, 3, 4, 5 };
	collide_mesh_options mo;
	collide_positions p;
	collide_mesh *mesh;
	collide_ctx *ctx;
	collide_pair pair;
	uint64_t count;

	collide_mesh_options_init(&mo);
	mo.vertices = 6;
	mo.triangles = 2;
	mo.index = index;
	collide_positions_init(&p);
	p.start = xyz;
	if (collide_open(&ctx, NULL) || collide_mesh_create(&mesh, ctx, &mo) ||
		collide_mesh_update(mesh, &p) ||
		collide_find(ctx, mesh, mesh, COLLIDE_FACE_FACE, NULL, &pair, 1, &count))
		return 1;
	collide_mesh_destroy(&mesh);
	collide_close(&ctx);
	return count == 1 && pair.a == 0 && pair.b == 1 ? 0 : 1;
}
