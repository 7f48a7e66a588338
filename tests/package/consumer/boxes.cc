// A C++17 program on libcollide: the tree of two boxes.
#include <collide/collide.h>
#include <vector>

int main()
{
	const std::vector<collide_box> boxes = { { { 0, 0, 0 }, { 1, 1, 1 } },
		{ { 2, 2, 2 }, { 3, 3, 3 } } };
	collide_ctx *ctx = nullptr;
	collide_bvh *bvh = nullptr;
	collide_tree tree;
	collide_node root;

	collide_tree_init(&tree);
	const bool built = collide_open(&ctx, nullptr) == COLLIDE_OK &&
			   collide_bvh_create(&bvh, ctx, 1) == COLLIDE_OK &&
			   collide_bvh_build(bvh, boxes.data(), 2, COLLIDE_HOST) == COLLIDE_OK &&
			   collide_bvh_tree(bvh, &tree) == COLLIDE_OK && tree.root == 0 &&
			   collide_mem_read(ctx, &root, tree.node, sizeof(root)) == COLLIDE_OK;
	const bool right = built && root.box[0].hi[0] == 1 && root.box[1].lo[0] == 2 &&
			   root.child[0] == COLLIDE_LEAF && root.child[1] == (COLLIDE_LEAF | 1);

	collide_bvh_destroy(&bvh);
	collide_close(&ctx);
	return right ? 0 : 1;
}
