/* Measures many streams of one size, as of cameras: one encoder with a substream for each
 * (options.substreams) against an encoder for each.
 *
 *     streams_bench [OPTION...] WIDTHxHEIGHT
 *
 * Latency: each 1 / --fps seconds a picture of each stream is sent and the encoder drained;
 * reported are median, 99 % and maximum of the time from the send of a picture to its packet.
 * Throughput: the same without pauses, with up to three pictures of each stream in flight. One
 * thread makes all calls. The pictures, in page-locked memory, are a moving pattern with noise.
 * Prints a JSON object for each of both ways; hash and bytes have to be the same. */
#include <h264intra/options.h>

#define BENCH_NAME "streams_bench"
#include "bench/bench.h"
#include "libsched/core/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
	"usage: streams_bench [OPTION...] WIDTHxHEIGHT\n"
	"  --streams N             set the number of streams [64]\n"
	"  --fps N                 set the pictures of each stream a second [60]\n"
	"  --rounds N              measure so many pictures of each stream [300]\n"
	"and the options of the encoder, such as --preset and --backend\n";

enum { SHOWN = 16, IN_FLIGHT = 3, WARM_UP = 10 };

typedef struct bench {
	h264i_options o;
	uint32_t streams, fps, rounds;
	uint32_t encoders; /* 1 or `streams` */
	h264i_encoder *enc[H264I_SUBSTREAMS_MAX];
	uint64_t received[H264I_SUBSTREAMS_MAX]; /* of each encoder */
	uint64_t hash[H264I_SUBSTREAMS_MAX];     /* of each stream */
	double sent[H264I_SUBSTREAMS_MAX];
	uint8_t *pixels; /* SHOWN pictures */
	double *ms;      /* latencies; NULL: not measured now */
	size_t count;
	uint64_t bytes;
} bench;

static void make_pixels(bench *b)
{
	const uint32_t w = b->o.width, h = b->o.height;
	const size_t frame = (size_t)w * h * 3 / 2;
	uint32_t noise = 1;
	void *p;

	if (h264i_host_alloc(b->enc[0], &p, SHOWN * frame) != H264I_OK)
		die("allocation of page-locked memory", h264i_last_error(b->enc[0]));
	b->pixels = p;
	for (uint32_t i = 0; i < SHOWN; i++)
		for (size_t at = 0; at < frame; at++) {
			const size_t x = at % w, y = at / w;
			const size_t v = (x + 3 * i) / 5 % 40 * 3 + (y + x / 3 + i) / 7 % 30 * 3;

			noise = noise * 1664525 + 1013904223;
			b->pixels[i * frame + at] = (uint8_t)(20 + v + (noise >> 29));
		}
}

static h264i_frame frame_of(const bench *b, uint32_t k, uint32_t round)
{
	const uint32_t w = b->o.width, h = b->o.height;
	h264i_frame f;

	h264i_frame_init(&f);
	f.memory = H264I_MEM_HOST_PINNED;
	f.plane[0] = b->pixels + (size_t)((k * 5 + round) % SHOWN) * w * h * 3 / 2;
	f.plane[1] = f.plane[0] + (size_t)w * h;
	f.plane[2] = f.plane[1] + (size_t)w * h / 4;
	f.pitch_bytes[0] = w;
	f.pitch_bytes[1] = f.pitch_bytes[2] = w / 2;
	f.pts = round;
	f.substream = b->encoders == 1 ? k : 0;
	return f;
}

/* Receives a packet of encoder e. */
static void take(bench *b, uint32_t e)
{
	h264i_packet p;
	h264i_status s;
	uint32_t k;

	h264i_packet_init(&p);
	while ((s = h264i_receive_packet(b->enc[e], &p)) == H264I_AGAIN)
		;
	if (s != H264I_OK)
		die("receive", h264i_last_error(b->enc[e]));
	k = b->encoders == 1 ? p.substream : e;
	if (b->ms)
		b->ms[b->count++] = (now_s() - b->sent[k]) * 1e3;
	b->received[e]++;
	b->bytes += p.data_bytes;
	for (size_t i = 0; i + 8 <= p.data_bytes; i += 8) {
		uint64_t v;

		memcpy(&v, p.data + i, 8);
		b->hash[k] = (b->hash[k] ^ v) * 0x100000001b3ull;
	}
}

/* Sends a picture of each stream, and receives all packets up to those of round `until`. */
static void run_round(bench *b, uint32_t round, uint32_t until)
{
	const uint32_t each = b->encoders == 1 ? b->streams : 1;

	for (uint32_t k = 0; k < b->streams; k++) {
		const uint32_t e = b->encoders == 1 ? 0 : k;
		h264i_frame f = frame_of(b, k, round);
		h264i_status s;

		b->sent[k] = now_s();
		while ((s = h264i_send_frame(b->enc[e], &f)) == H264I_AGAIN)
			take(b, e);
		if (s != H264I_OK)
			die("send", h264i_last_error(b->enc[e]));
		if ((k + 1) % each == 0 && h264i_drain(b->enc[e]) != H264I_OK)
			die("drain", h264i_last_error(b->enc[e]));
	}
	for (uint32_t e = 0; e < b->encoders; e++)
		while (b->received[e] < (uint64_t)until * each)
			take(b, e);
}

static void wait_until(double s)
{
	const double left = s - now_s();
	const struct timespec t = { (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&t, NULL);
}

/* Returns how many rounds began late. */
static uint32_t run_paced(bench *b, uint32_t first)
{
	const double t0 = now_s();
	uint32_t late = 0;

	for (uint32_t r = 0; r < b->rounds; r++) {
		const double due = t0 + (double)r / b->fps;

		late += now_s() > due + 1e-3;
		wait_until(due);
		run_round(b, first + r, first + r + 1);
	}
	return late;
}

/* Returns pictures a second. */
static double run_fast(bench *b, uint32_t first)
{
	const double t0 = now_s();

	for (uint32_t r = 0; r < b->rounds; r++)
		run_round(b, first + r, r + 1 < b->rounds ? first + r : first + r + 1);
	return (double)b->rounds * b->streams / (now_s() - t0);
}

static void open_all(bench *b)
{
	h264i_options o = b->o;
	char msg[256];

	o.substreams = b->encoders == 1 ? b->streams : 1;
	if (!o.frames_in_flight)
		o.frames_in_flight = IN_FLIGHT * o.substreams;
	if (o.frames_in_flight > 1024)
		o.frames_in_flight = 1024;
	for (uint32_t e = 0; e < b->encoders; e++)
		if (h264i_open(&b->enc[e], &o, msg, sizeof(msg)) != H264I_OK)
			die("open", msg);
	memset(b->received, 0, sizeof(b->received));
	memset(b->hash, 0, sizeof(b->hash));
	b->bytes = 0;
}

static void report(const bench *b, double open_s, double *ms, uint32_t late, double rate)
{
	const uint32_t pictures = (2 * b->rounds + WARM_UP) * b->streams;
	uint64_t hash = 0;
	lsched_i_json j;
	h264i_stats st;
	char text[20];

	for (uint32_t k = 0; k < b->streams; k++)
		hash = hash * 31 + b->hash[k];
	qsort(ms, b->count, sizeof(*ms), by_value);
	h264i_stats_init(&st);
	h264i_get_stats(b->enc[0], &st);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
	lsched_i_json_begin(&j, lsched_i_json_to_file, stdout);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_text(&j, "name", "streams");
	lsched_i_json_text(&j, "device", st.device_name);
	lsched_i_json_uint(&j, "width", b->o.width);
	lsched_i_json_uint(&j, "height", b->o.height);
	lsched_i_json_uint(&j, "streams", b->streams);
	lsched_i_json_uint(&j, "fps", b->fps);
	lsched_i_json_uint(&j, "encoders", b->encoders);
	lsched_i_json_uint(&j, "frames_in_flight", st.frames_in_flight);
	lsched_i_json_fixed(&j, "kbit_per_frame", (double)b->bytes * 8e-3 / pictures, 1);
	lsched_i_json_text(&j, "hash", text);
	lsched_i_json_fixed(&j, "open_s", open_s, 4);
	lsched_i_json_object(&j, "latency_ms");
	lsched_i_json_fixed(&j, "median", ms[b->count / 2], 3);
	lsched_i_json_fixed(&j, "p99", ms[b->count * 99 / 100], 3);
	lsched_i_json_fixed(&j, "max", ms[b->count - 1], 3);
	lsched_i_json_close(&j);
	lsched_i_json_uint(&j, "late_rounds", late);
	lsched_i_json_fixed(&j, "frames_per_s", rate, 1);
	lsched_i_json_close(&j);
	(void)lsched_i_json_end(&j);
}

static void measure(bench *b, uint32_t encoders)
{
	double *ms = calloc((size_t)b->rounds * b->streams, sizeof(*ms)), t0 = now_s(), open_s;
	double rate;
	uint32_t late;

	if (!ms)
		die("--rounds", "not enough memory for the figures");
	b->encoders = encoders;
	b->count = 0;
	open_all(b);
	open_s = now_s() - t0;
	make_pixels(b);
	for (uint32_t r = 0; r < WARM_UP; r++)
		run_round(b, r, r + 1);
	b->ms = ms;
	late = run_paced(b, WARM_UP);
	b->ms = NULL;
	rate = run_fast(b, WARM_UP + b->rounds);
	report(b, open_s, ms, late, rate);
	h264i_host_free(b->pixels);
	for (uint32_t e = 0; e < encoders; e++)
		h264i_close(&b->enc[e]);
	free(ms);
}

static uint32_t number(const char *name, const char *value, uint32_t most)
{
	char *end = NULL;
	unsigned long v = strtoul(value, &end, 10);
	char why[80];

	snprintf(why, sizeof(why), "needs a number from 1 to %u, not '%.30s'", most, value);
	if (*end || end == value || v < 1 || v > most)
		die(name, why);
	return (uint32_t)v;
}

static void parse(bench *b, int argc, char **argv)
{
	char why[400];
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];

		if (!strcmp(name, "--help")) {
			fputs(help, stdout);
			exit(0);
		}
		if (!value)
			die(name, "unknown option or missing value; see --help");
		if (!strcmp(name, "--streams"))
			b->streams = number(name, value, H264I_SUBSTREAMS_MAX);
		else if (!strcmp(name, "--fps"))
			b->fps = number(name, value, 10000);
		else if (!strcmp(name, "--rounds"))
			b->rounds = number(name, value, 100000);
		else if (h264i_set_option(&b->o, name + 2, value, why, sizeof(why)) != H264I_OK)
			die(name, why);
	}
	if (argc - i != 1 || sscanf(argv[i], "%ux%u", &b->o.width, &b->o.height) != 2)
		die("wrong arguments", "needs WIDTHxHEIGHT; see --help");
	b->o.vui.fps_num = b->fps;
	b->o.vui.fps_den = 1;
}

int main(int argc, char **argv)
{
	static bench b = { .streams = 64, .fps = 60, .rounds = 300 };

	h264i_options_init(&b.o);
	parse(&b, argc, argv);
	measure(&b, 1);
	measure(&b, b.streams);
	return 0;
}
