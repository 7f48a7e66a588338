/* Speed of the renderer on this machine, on a CUDA device if there is one and on the CPU: frames
 * per second of scenes with the times of the stages, split and dice alone (reyes/alone: positions
 * and normals written to memory), these under every queue of libsched, and micropolygons per second
 * on 1, 2, 4 ... and all CPU threads. Prints tables; with --json FILE also a JSON record. Times are
 * medians, by the host's clock; of the stages of a CUDA device by its own.
 *
 * Scenes are the RIB files given, each with its first frame, and two generated ones: `layers`, 16
 * sheets of 10 x 10 bicubic patches one behind the other, about 11 M micropolygons of 1 pixel at
 * 800 x 800, and `pot`, a few quadrics in perspective. A failure or a count of micropolygons that
 * depends on the queue sets exit code 1; the other cases are still measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/reyes_measure.h"
#include "reyes/alone/scenes.h"

static const char help[] =
	"usage: reyes_bench [OPTION...] [SCENE.rib...]\n"
	"  --backend cpu|cuda      measure one backend only\n"
	"  --json FILE             write a record to FILE\n"
	"  --commit TEXT           set the commit in the record\n"
	"  --repeat N              set the number of timed repetitions, 1 to 1000 [7]\n"
	"  --quick                 use small pictures of the generated scenes\n"
	"  --only frames|split_dice|queues|threads\n"
	"                          measure one part only\n"
	"  --write NAME            write the generated scene layers or pot to standard output\n"
	"  --help                  print this text\n"
	"A scene FOLDER/scene.rib is named FOLDER, any other by its file.\n";

static const char *const parts[] = { "frames", "split_dice", "queues", "threads" };
enum { FRAMES, SPLIT_DICE, QUEUES, THREADS, PARTS };

typedef struct arguments {
	const char *json, *write;
	lsched_backend backend;
	int only; /* PARTS: all */
	char **scenes;
	int scene_count;
} arguments;

static int parse_part(const char *name, int *part)
{
	for (int k = 0; k < PARTS; k++)
		if (strcmp(name, parts[k]) == 0) {
			*part = k;
			return 0;
		}
	return -1;
}

/* Returns 0, or -1 on a usage error. */
static int parse(int argc, char **argv, arguments *a)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (strcmp(argv[i], "--quick") == 0) {
			bench.quick = 1;
			continue;
		}
		if (!value)
			return -1;
		if (strcmp(argv[i], "--json") == 0)
			a->json = value;
		else if (strcmp(argv[i], "--commit") == 0)
			bench.commit = value;
		else if (strcmp(argv[i], "--write") == 0)
			a->write = value;
		else if (strcmp(argv[i], "--repeat") == 0)
			bench.repeat = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--only") == 0 ? parse_part(value, &a->only)
			 : strcmp(argv[i], "--backend") == 0
				 ? lsched_backend_parse(value, &a->backend)
				 : -1)
			return -1;
		i++;
	}
	a->scenes = argv + i;
	a->scene_count = argc - i;
	return bench.repeat < 1 || bench.repeat > BENCH_REPEATS_MAX ? -1 : 0;
}

static char *generate(const char *name)
{
	return strcmp(name, "layers") == 0 ? reyes_i_scene_layers(16, 10, bench.quick ? 100 : 800)
	       : strcmp(name, "pot") == 0
		       ? reyes_i_scene_pot(bench.quick ? 100 : 800, REYES_I_POT_STILL)
		       : NULL;
}

/* Writes the name of a scene: that of its file, or of its folder if the file is scene.rib. */
static void name_of(const char *path, char *name, size_t bytes)
{
	const char *end = strrchr(path, '/'), *begin;

	if (end && strcmp(end, "/scene.rib") == 0) {
		for (begin = end; begin > path && begin[-1] != '/'; begin--)
			;
		snprintf(name, bytes, "%.*s", (int)(end - begin), begin);
		return;
	}
	begin = end ? end + 1 : path;
	snprintf(name, bytes, "%.*s", (int)strcspn(begin, "."), begin);
}

/* Measures the pot on 1, 2, 4 ... and all CPU threads, as it is, in motion and out of focus. */
static void measure_pots(uint32_t all)
{
	static const char *const names[] = { "pot", "pot_moves", "pot_blurred" };

	for (int kind = REYES_I_POT_STILL; kind <= REYES_I_POT_BLURRED; kind++) {
		char *text = reyes_i_scene_pot(bench.quick ? 100 : 800, (enum reyes_i_pot)kind);
		const bench_scene s = { names[kind], text, NULL };

		bench.failed |= !text;
		for (uint32_t n = 1; text && n <= all; n++)
			if (!(n & (n - 1)) || n == all)
				measure_threads(n, &s);
		free(text);
	}
}

/* Measures one part on one backend. */
static void measure_part(int part, lsched_backend backend, const arguments *a,
	const bench_scene *layers, const bench_scene *pot)
{
	const uint32_t all = lsched_processor_count();

	if (part == FRAMES) {
		for (int k = 0; k < a->scene_count; k++) {
			char name[64];
			const bench_scene s = { name, NULL, a->scenes[k] };

			name_of(a->scenes[k], name, sizeof(name));
			measure_frames(backend, &s);
		}
		measure_frames(backend, pot);
		measure_frames(backend, layers);
	} else if (part == SPLIT_DICE) {
		if (backend == LSCHED_BACKEND_CPU && all > 1)
			measure_split_dice(backend, 1, layers);
		measure_split_dice(backend, 0, layers);
		measure_split_dice(backend, 0, pot);
	} else if (part == THREADS) {
		if (backend == LSCHED_BACKEND_CPU)
			measure_pots(all);
	} else {
		/* the form tasks has words for 7 halvings: a small picture */
		char *text = reyes_i_scene_pot(bench.quick ? 100 : 160, REYES_I_POT_STILL);
		const bench_scene small = { "pot160", text, NULL };

		measure_queues(backend, layers);
		if (text)
			measure_queues(backend, &small);
		bench.failed |= !text;
		free(text);
	}
}

static void print_head(int part)
{
	if (part == FRAMES)
		printf("\n%-10s %-14s %-5s %8s %9s %9s %9s %9s %9s %9s\n", "", "scene", "on",
			"prims", "mpolys", "frames/s", "split ms", "dice ms", "hide ms",
			"image ms");
	else if (part == SPLIT_DICE)
		printf("\n%-10s %-14s %-5s %8s %9s %9s %9s %9s %9s\n", "", "scene", "on", "workers",
			"mpolys", "M/s", "ms", "split ms", "dice ms");
	else if (part == THREADS)
		printf("\n%-10s %-14s %8s %9s %9s %9s %9s %9s\n", "", "scene", "threads", "mpolys",
			"ms", "M/s each", "CPU ms", "M/CPU s");
	else
		printf("\n%-10s %-14s %-5s %-6s %-9s %9s %9s %9s %9s %9s %9s\n", "", "scene", "on",
			"form", "queue", "ms", "steals", "donated", "inlined", "peak KiB",
			"room KiB");
}

static void measure_all(const arguments *a, int devices)
{
	char *layers_text = generate("layers"), *pot_text = generate("pot");
	const bench_scene layers = { "layers", layers_text, NULL }, pot = { "pot", pot_text, NULL };

	bench.failed |= !layers_text || !pot_text;
	for (int part = 0; part < PARTS && layers_text && pot_text; part++) {
		const int wanted = a->only == PARTS || a->only == part;

		if (wanted)
			print_head(part);
		if (bench.json)
			lsched_i_json_array(&bench.writer, parts[part]);
		if (wanted && devices > 0 && a->backend != LSCHED_BACKEND_CPU)
			measure_part(part, LSCHED_BACKEND_CUDA, a, &layers, &pot);
		if (wanted && a->backend != LSCHED_BACKEND_CUDA)
			measure_part(part, LSCHED_BACKEND_CPU, a, &layers, &pot);
		if (bench.json) {
			lsched_i_json_close(&bench.writer);
			lsched_i_json_line(&bench.writer);
		}
	}
	free(layers_text);
	free(pot_text);
}

/* Writes the processor's name. */
static void name_cpu(char *name, size_t bytes)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(name, bytes, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (!colon || strncmp(line, "model name", 10) != 0)
			continue;
		snprintf(name, bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
		break;
	}
	if (f)
		fclose(f);
}

static void begin_json(const lsched_device_info *gpu, int devices)
{
	lsched_i_json *j = &bench.writer;
	char cpu[128];

	name_cpu(cpu, sizeof(cpu));
	lsched_i_json_begin(j, lsched_i_json_to_file, bench.json);
	lsched_i_json_object(j, NULL);
	lsched_i_json_text(j, "device", devices > 0 ? gpu->name : "");
	lsched_i_json_text(j, "cpu", cpu);
	lsched_i_json_sint(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	lsched_i_json_text(j, "commit", bench.commit);
	lsched_i_json_uint(j, "repeat", bench.repeat);
	lsched_i_json_line(j);
}

static int end_json(void)
{
	lsched_i_json_close(&bench.writer);
	return lsched_i_json_end(&bench.writer);
}

int main(int argc, char **argv)
{
	arguments a = { .only = PARTS };
	const int devices = lsched_device_count();
	lsched_device_info gpu;

	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return fputs(help, stdout) < 0;
	if (parse(argc, argv, &a)) {
		fputs(help, stderr);
		return 2;
	}
	if (a.write) {
		char *text = generate(a.write);
		const int bad = !text || fputs(text, stdout) < 0 || fflush(stdout) != 0;

		if (bad)
			fprintf(stderr,
				"reyes_bench: scene \"%s\" cannot be written; the names "
				"are layers and pot\n",
				a.write);
		free(text);
		return bad;
	}
	if (a.backend == LSCHED_BACKEND_CUDA && devices < 1) {
		fprintf(stderr, "reyes_bench: no CUDA device\n");
		return 1;
	}
	if (a.json && !(bench.json = fopen(a.json, "w"))) {
		perror(a.json);
		return 1;
	}
	lsched_device_info_init(&gpu);
	if (devices > 0)
		(void)lsched_device_get_info(0, &gpu);
	printf("%s, commit %s, medians of up to %u runs\n",
		devices > 0 ? gpu.name : "no CUDA device", bench.commit, bench.repeat);
	if (bench.json)
		begin_json(&gpu, devices);
	measure_all(&a, devices);
	if (bench.json && (end_json() || fclose(bench.json) != 0)) {
		perror(a.json);
		return 1;
	}
	return bench.failed;
}
