/* The first four levels of a subtree by the threads of a block, all at once: bins of 12 bits have
 * the bounds of every octant. A node is a possible inner cell; the children of node e are 8 e + 1
 * .. 8 e + 8. Included by subtree.h; compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_LEVELS_H
#define WORKLOADS_OCTREE_LEVELS_H

/* The first node of that level below the cell: 0, 1, 9, 73, 585. */
LSCHED_FN uint32_t oct_node_first(uint32_t depth)
{
	return OCT_NODES & ((1u << 3 * depth) - 1);
}

LSCHED_FN uint32_t oct_node_depth(uint32_t node)
{
	return (uint32_t)(node >= 1) + (node >= 9) + (node >= 73) + (node >= OCT_NODES);
}

/* The bins of a node at that depth: *bin .. *bin + the value - 1. */
LSCHED_FN uint32_t oct_node_bins(uint32_t node, uint32_t depth, uint32_t *bin)
{
	const uint32_t bits = OCT_BIN_BITS - 3 * depth;

	*bin = (node - oct_node_first(depth)) << bits;
	return 1u << bits;
}

/* Returns which octants of a node have particles; 0 if it is no inner cell. `level`: of node 0. */
LSCHED_TASK_FN uint32_t oct_node_octants(
	const oct_ctx *c, const oct_bins *bins, uint32_t node, uint32_t level)
{
	const uint32_t depth = oct_node_depth(node);
	uint32_t bin, octants = 0;
	const uint32_t width = oct_node_bins(node, depth, &bin);
	uint32_t begin = oct_bin_begin(bins, bin);

	if (oct_is_leaf(c, oct_bin_begin(bins, bin + width) - begin, level + depth))
		return 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t end = oct_bin_begin(bins, bin + (k + 1) * (width / 8));

		octants |= (uint32_t)(begin != end) << k;
		begin = end;
	}
	return octants;
}

/* The number of the child in that octant of a node. */
LSCHED_TASK_FN uint32_t oct_node_child(const oct_nodes *nodes, uint32_t node, uint32_t octant)
{
	const uint32_t before = nodes->octants[node] & ((1u << octant) - 1);

	return nodes->child[node] + lsched_popcount(before);
}

/* Writes the cell of octant `octant` of a node, and appends it to `front` if it is an inner cell
 * `depths` levels below `it`. One thread. */
LSCHED_TASK_FN void oct_grow_octant(const oct_ctx *c, oct_local *l, const oct_sorted *sorted,
	lsched_range it, uint32_t depths, uint32_t parent, uint32_t octant)
{
	oct_block_room *room = &l->room[1].block;
	const oct_nodes *nodes = &room->u.nodes;
	const uint32_t node = 8 * parent + 1 + octant, depth = oct_node_depth(node);
	const uint32_t level = oct_level(it.info) + depth;
	uint32_t bin;
	const uint32_t width = oct_node_bins(node, depth, &bin);
	const uint32_t begin = oct_bin_begin(&nodes->bins, bin);
	const uint32_t count = oct_bin_begin(&nodes->bins, bin + width) - begin;
	const uint32_t cell = oct_node_child(nodes, parent, octant);
	oct_cell v = { oct_sorted_code(sorted, begin) & ~oct_below(level), it.first + begin, count,
		OCT_NONE, it.join, level, 0 };

	if (parent)
		v.parent = oct_node_child(nodes, (parent - 1) / 8, (parent - 1) % 8);
	if (depth < depths && nodes->octants[node]) {
		v.child = nodes->child[node];
		v.octants = nodes->octants[node];
	}
	if (cell < c->room)
		c->cell[cell] = v;
	if (depth == depths && !oct_is_leaf(c, count, level)) {
		const uint32_t at = OCT_NEAR_ADD(&l->inner, 1u);

		room->v.front.first_count[at] = begin << 16 | count;
		room->v.front.cell[at] = cell;
	}
}

/* Makes the cells of up to `depths` levels, at most four, below the inner cell `it`, whose
 * particles oct_block_sort has sorted. Returns how many inner cells of the last of these levels it
 * has appended to the front in room[1].block.v. */
LSCHED_TASK_FN uint32_t oct_grow_first(lsched_range_items *x, const oct_ctx *c, oct_local *l,
	const oct_sorted *sorted, lsched_range it, uint32_t depths)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t last = oct_node_first(depths);
	oct_nodes *nodes = &l->room[1].block.u.nodes;
	uint32_t children = 0, before, total;

	for (uint32_t e = thread; e < last; e += threads) {
		nodes->octants[e] = oct_node_octants(c, &nodes->bins, e, oct_level(it.info));
		children += lsched_popcount(nodes->octants[e]);
	}
	before = lsched_group_scan32(x, &l->group, children, &total);
	if (thread == 0) {
		l->base = lsched_add(c->cells, total, rlx, dev);
		l->inner = 0;
	}
	lsched_sync_item(x);
	before += l->base;
	for (uint32_t e = thread; e < last; e += threads) {
		nodes->child[e] = before;
		before += lsched_popcount(nodes->octants[e]);
	}
	lsched_sync_item(x);
	if (thread == 0)
		oct_write_children(c, it.join, nodes->child[0], nodes->octants[0]);
	for (uint32_t k = thread; k < 8 * last; k += threads)
		if (nodes->octants[k / 8] >> k % 8 & 1u)
			oct_grow_octant(c, l, sorted, it, depths, k / 8, k % 8);
	lsched_sync_item(x);
	return l->inner;
}

#endif
