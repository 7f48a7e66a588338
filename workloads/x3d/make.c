/* x3d: a parser of X3D. */
#include "workloads/common/memory.h"
#include "workloads/x3d/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) WL_FIELD(x3d_options, member)

/* Defaults, as in `params`. */
enum { PRESET_N = 200000, PRESET_SEED = 1 };

static const wl_param params[] = {
	{ .name = "input",
		.letter = 'i',
		.kind = WL_FILE,
		.field = FIELD(input),
		.metavar = "FILE",
		.help = "read the text from an X3D file, XML in UTF-8 of less than 2 GB" },
	{ .name = "bytes",
		.letter = 'n',
		.unless = "input",
		.kind = WL_COUNT,
		.field = FIELD(n),
		.max = 2000000000,
		.preset = "200K",
		.metavar = "N",
		.help = "set the size of the generated scene (about N bytes; 13M: 1400 shapes)" },
	WL_PARAM_SEED(x3d_options, seed, "input", "generated scene"),
	{ .name = "upload",
		.kind = WL_FLAG,
		.field = FIELD(upload),
		.help = "count the copy of the text from the host's memory to the GPU's" },
	{ 0 },
};

static int check_options(const void *options, char *msg, size_t n)
{
	const x3d_options *o = options;
	const char *made = o->n != PRESET_N ? "bytes" : o->seed != PRESET_SEED ? "seed" : NULL;

	if (o->input && made)
		return wl_fail(
			msg, n, "--input cannot be combined with --%s; remove one of them", made);
	return 0;
}

/* ---- the text ---- */

/* Reads a file of any kind. Returns its bytes, to be freed, or NULL with msg. */
static char *read_file(const char *path, size_t *bytes, char *msg, size_t n)
{
	FILE *f = *path ? fopen(path, "rb") : NULL;
	size_t room = 1 << 16;
	char *text = f ? malloc(room) : NULL, *bigger = text;

	*bytes = 0;
	while (f && bigger && *bytes <= X3D_MOST_BYTES) {
		*bytes += fread(text + *bytes, 1, room - *bytes, f);
		if (*bytes < room)
			break;
		bigger = realloc(text, room * 2);
		text = bigger ? bigger : text;
		room *= 2;
	}
	if (!f || ferror(f))
		wl_fail(msg, n, "--input '%s': %s", path,
			*path ? strerror(errno) : "the name is empty");
	else if (!bigger)
		wl_no_memory(room * 2, msg, n);
	else if (*bytes > X3D_MOST_BYTES)
		wl_fail(msg, n, "%s: the file has more than 2 GB; divide it", path);
	else if (*bytes == 0)
		wl_fail(msg, n, "%s: the file is empty", path);
	else {
		fclose(f);
		return text;
	}
	if (f)
		fclose(f);
	free(text);
	return NULL;
}

/* Gets the text, aligned and padded. */
static int load(x3d_host *h, wl_device *d, char *msg, size_t n)
{
	size_t bytes;
	char *text = NULL;

	if (h->o.input && strcmp(h->o.input, "-") == 0)
		return wl_fail(msg, n,
			"--input -: a scene cannot be read from standard input; name a file");
	if (h->o.input)
		text = read_file(h->o.input, &bytes, msg, n);
	else
		bytes = x3d_generate(h->o.n, h->o.seed, &text, msg, n);
	if (!text)
		return -1;
	h->name = h->o.input ? h->o.input : "generated scene";
	h->bytes = (uint32_t)bytes;
	h->text = wl_own(d, bytes + 2 * X3D_PAD, msg, n);
	if (h->text)
		memcpy(h->text, text, bytes);
	free(text);
	return h->text ? 0 : -1;
}

/* ---- memory of the passes ---- */

/* Arrays for the counts in c->room. */
static int make_arrays(x3d_ctx *c, wl_device *d, char *msg, size_t n)
{
	const uint32_t *room = c->room;
	uint32_t *least;

	wl_free(d, c->node);
	wl_free(d, c->close);
	wl_free(d, c->attribute);
	wl_free(d, c->floats);
	wl_free(d, c->ints);
	wl_free(d, c->least[1]);
	c->close = NULL;
	c->attribute = NULL;
	c->floats = NULL;
	c->ints = NULL;
	c->least[1] = NULL;
	c->least_words = 0;
	for (uint32_t k = 1; k < X3D_LEVELS; k++)
		c->least_words += (room[X3D_N_NODES] >> X3D_WAY_BITS * k) + 1;
	c->node = wl_alloc(d, room[X3D_N_NODES] * sizeof(*c->node), msg, n);
	if (c->node)
		c->close = wl_alloc(d, (room[X3D_N_CLOSES] + 1) * sizeof(*c->close), msg, n);
	if (c->close)
		c->attribute = wl_alloc(d, room[X3D_N_ATTRIBUTES] * sizeof(*c->attribute), msg, n);
	if (c->attribute)
		c->floats = wl_alloc(d, room[X3D_N_FLOATS] * sizeof(*c->floats), msg, n);
	if (c->floats)
		c->ints = wl_alloc(d, room[X3D_N_INTS] * sizeof(*c->ints), msg, n);
	if (c->ints)
		c->least[1] = wl_alloc(d, c->least_words * sizeof(uint32_t), msg, n);
	least = c->least[1];
	if (!least)
		return -1;
	for (uint32_t k = 2; k < X3D_LEVELS; k++) {
		least += (room[X3D_N_NODES] >> X3D_WAY_BITS * (k - 1)) + 1;
		c->least[k] = least;
	}
	return 0;
}

int x3d_make_memory(x3d_host *h, wl_device *d, char *msg, size_t n)
{
	x3d_ctx *c = &h->ctx;

	c->bytes = h->bytes;
	c->tiles = (c->bytes + X3D_TILE - 1) / X3D_TILE;
	c->each = c->tiles / 2048 + 1;
	for (uint32_t k = 0; k < X3D_COUNTS; k++)
		c->room[k] = c->bytes / (k < X3D_N_FLOATS ? 64 : 8) + 64;
	c->segment = wl_alloc(d, c->tiles * (size_t)X3D_SEGMENTS * sizeof(*c->segment), msg, n);
	c->tile = c->segment ? wl_alloc(d, c->tiles * sizeof(*c->tile), msg, n) : NULL;
	c->state = c->tile ? wl_alloc(d, sizeof(*c->state), msg, n) : NULL;
	c->names = c->state ? wl_upload(d, h->names, sizeof(h->names), msg, n) : NULL;
	c->text = c->names ? wl_alloc(d, c->bytes + 2 * X3D_PAD, msg, n) : NULL;
	c->from = h->pinned;
	if (!c->text || wl_write(d, c->text, h->text, c->bytes + X3D_PAD, msg, n))
		return -1;
	return make_arrays(c, d, msg, n);
}

int x3d_prepare(wl_work *w, wl_device *d, char *msg, size_t n)
{
	const x3d_host *h = w->host_data;
	const x3d_ctx *c = &h->ctx;

	if (c->from && wl_zero(d, c->text, c->bytes + X3D_PAD, msg, n))
		return -1; /* the copy must not be one of before */
	return wl_zero(d, c->state, sizeof(*c->state), msg, n);
}

int x3d_again(wl_work *w, wl_device *d, char *msg, size_t n)
{
	x3d_host *h = w->host_data;
	x3d_state state;

	if (wl_read(d, &state, h->ctx.state, sizeof(state), msg, n))
		return -1;
	if (!state.full)
		return 0;
	for (uint32_t k = 0; k < X3D_COUNTS; k++)
		h->ctx.room[k] = state.count[k] + 1;
	return make_arrays(&h->ctx, d, msg, n) || x3d_prepare(w, d, msg, n) ? -1 : 1;
}

/* ---- the work ---- */

static int make_truth(x3d_host *h, char *msg, size_t n)
{
	const uint8_t *s = (const uint8_t *)h->text;

	x3d_make_names(h->names);
	if (x3d_serial(h->names, s, h->bytes, &h->truth))
		return wl_no_memory(h->bytes, msg, n);
	if (h->truth.error != X3D_OK)
		return x3d_say(h->name, s, h->truth.at, h->truth.error, msg, n);
	return x3d_prolog(s, h->bytes, &h->ctx.begin) == X3D_OK ? 0 : -1;
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	x3d_host *h = wl_own(d, sizeof(*h), msg, n);

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const x3d_options *)options;
	if (load(h, d, msg, n) || make_truth(h, msg, n))
		return -1;
#ifdef HAVE_CUDA
	if (h->o.upload && wl_is_cuda(d)) {
		h->pinned = x3d_pin_cuda(h->text, h->bytes + X3D_PAD);
		if (!h->pinned)
			return wl_no_memory(h->bytes, msg, n);
	}
#endif
	if (x3d_make_memory(h, d, msg, n))
		return -1;
	WL_SET_PROGRAM(w, x3d);
	w->ctx = &h->ctx;
	w->tasks = x3d_roots(&h->ctx);
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = 1 << 16;
	w->max_joins = 64 * d->max_workers;
	w->prepare = x3d_prepare;
	w->again = x3d_again;
	w->check = x3d_check;
	w->plain = wl_is_cuda(d) ? WL_CUDA(x3d_plain_cuda) : x3d_plain_cpu;
	w->plain2 = wl_is_cuda(d) ? WL_CUDA(x3d_graph_cuda) : NULL;
	w->plain2_name = "graph";
	if (h->o.upload && !wl_is_cuda(d))
		(void)wl_fail(msg, n, "--upload has no effect: CPU threads read the text in place");
	return 0;
}

static void destroy(wl_work *w, wl_device *d)
{
	x3d_host *h = w->host_data;

	(void)d;
	if (!h)
		return;
	x3d_tree_free(&h->truth);
#ifdef HAVE_CUDA
	if (h->pinned)
		x3d_unpin_cuda(h->pinned);
#endif
}

static const char *const cases[] = { "-n 0", "-n 300", "-n 32K", "-n 100001 --seed 2",
	"-n 1M --seed 3", NULL };

const wl_type wl_x3d_type = {
	.name = "x3d",
	.summary = "Parses a scene in X3D.\n"
		   "The parser of Steinberger et al., \"Softshell: Dynamic scheduling on GPUs\"\n"
		   "(2012), section 6.2.4.",
	.example = "-n 13M --upload --queue ring,steal",
	.unit = "bytes",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(x3d_options),
	.check_options = check_options,
	.create = create,
	.destroy = destroy,
};
