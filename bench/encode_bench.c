/* Measures h264intra by its public API, from frames in page-locked memory to packets in memory.
 *
 *     encode_bench [OPTION...] WIDTHxHEIGHT FILE      raw I420; the frames of the file are repeated
 *
 * Throughput: sends --frames N frames without a pause; the time runs from the first send to the
 * last packet. The time of h264i_open() is reported separately. Latency: encodes --latency N
 * frames, one at a time, and reports the median and the extremes of the time from send to packet.
 * Prints one JSON object per repetition. --out writes the stream to a file, with --first-pass only
 * that of the first pass over the input, so that a decoder can check it. --sse computes each
 * frame's squared error, --recon downloads each reconstructed frame. */
#include <h264intra/options.h>

#define BENCH_NAME "encode_bench"
#include "bench/bench.h"
#include "libsched/core/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: encode_bench [OPTION...] WIDTHxHEIGHT FILE\n"
	"  FILE                    raw I420 frames\n"
	"  --frames N              measure throughput over N frames [300]\n"
	"  --latency N             measure the latency of N frames, one in flight\n"
	"  --repeat N              measure N times [1]\n"
	"  --full-range            signal full-range samples\n"
	"  --name TEXT             set the name in the record [FILE]\n"
	"  --out FILE              write the stream to FILE\n"
	"  --first-pass            write only the frames of the first pass over the input\n"
	"  --stats                 report the time of each stage\n"
	"  --sse                   compute the squared error of each frame\n"
	"  --recon                 download each reconstructed frame\n"
	"and the options of the encoder; the bit rate is at 60 frames/s:\n";

enum { OPTIONS_MAX = 64 };

typedef struct bench {
	h264i_options o;
	const char *option[OPTIONS_MAX]; /* by h264i_get_option; NULL: not given */
	const char *input, *out_path, *name;
	uint32_t frames, latency, repeat;
	int first_pass, full_range;
	uint8_t *pixels; /* page-locked, all frames of the file */
	uint32_t file_frames;
	size_t frame_bytes;
	FILE *out;
	uint64_t bytes, hash;
} bench;

static h264i_frame frame_at(const bench *b, uint32_t i)
{
	const h264i_options *o = &b->o;
	h264i_frame f;

	h264i_frame_init(&f);
	f.memory = H264I_MEM_HOST_PINNED;
	f.format = H264I_I420;
	f.plane[0] = b->pixels + (size_t)(i % b->file_frames) * b->frame_bytes;
	f.plane[1] = f.plane[0] + (size_t)o->width * o->height;
	f.plane[2] = f.plane[1] + (size_t)(o->width / 2) * (o->height / 2);
	f.pitch_bytes[0] = o->width;
	f.pitch_bytes[1] = f.pitch_bytes[2] = o->width / 2;
	f.pts = i;
	return f;
}

/* Counts the bytes of a packet, adds them to the hash and writes them to the file. The hash is
 * FNV-1a over 8-byte words: fast enough to leave the measured time unchanged. */

static void take_packet(bench *b, const h264i_packet *p)
{
	size_t i;

	b->bytes += p->data_bytes;
	for (i = 0; i + 8 <= p->data_bytes; i += 8) {
		uint64_t v;

		memcpy(&v, p->data + i, 8);
		b->hash = (b->hash ^ v) * 0x100000001b3ull;
	}
	for (; i < p->data_bytes; i++)
		b->hash = (b->hash ^ p->data[i]) * 0x100000001b3ull;
	if (b->out && (!b->first_pass || p->index < b->file_frames) &&
		fwrite(p->data, 1, p->data_bytes, b->out) != p->data_bytes)
		die(b->out_path, "cannot be written");
}

static void load_pixels(bench *b, h264i_encoder *enc)
{
	FILE *f = open_frames(b->input, b->frame_bytes, &b->file_frames);
	void *p;

	if (h264i_host_alloc(enc, &p, b->file_frames * b->frame_bytes) != H264I_OK)
		die("allocation of page-locked memory", h264i_last_error(enc));
	b->pixels = p;
	if (fread(b->pixels, b->frame_bytes, b->file_frames, f) != b->file_frames)
		die(b->input, "cannot be read");
	fclose(f);
}

/* Returns the seconds from the first send to the last packet. */
static double run_throughput(bench *b, h264i_encoder *enc)
{
	h264i_packet pkt;
	h264i_status s;
	double t0 = now_s();

	h264i_packet_init(&pkt);
	for (uint32_t i = 0; i < b->frames; i++) {
		h264i_frame f = frame_at(b, i);

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				take_packet(b, &pkt);
		if (s != H264I_OK)
			die("send", h264i_last_error(enc));
		while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
			take_packet(b, &pkt);
		if (s != H264I_AGAIN)
			die("receive", h264i_last_error(enc));
	}
	if (h264i_flush(enc) != H264I_OK)
		die("flush", h264i_last_error(enc));
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		take_packet(b, &pkt);
	if (s != H264I_END)
		die("receive", h264i_last_error(enc));
	return now_s() - t0;
}

/* Returns the latencies in milliseconds, in ascending order; the caller frees them. */
static double *run_latency(bench *b, h264i_encoder *enc)
{
	double *ms = calloc(b->latency, sizeof(*ms));

	if (!ms)
		die("--latency", "not enough memory for the figures");
	for (uint32_t i = 0; i < b->latency + 20; i++) {
		h264i_frame f = frame_at(b, i);
		h264i_packet pkt;
		h264i_status s;
		double t0 = now_s();

		h264i_packet_init(&pkt);
		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			h264i_receive_packet(enc, &pkt);
		if (s != H264I_OK)
			die("send", h264i_last_error(enc));
		if (h264i_receive_packet(enc, &pkt) != H264I_OK)
			die("receive", h264i_last_error(enc));
		if (i >= 20) /* the first 20 frames are the warm-up */
			ms[i - 20] = (now_s() - t0) * 1e3;
		take_packet(b, &pkt);
		h264i_receive_packet(enc, &pkt); /* releases the packet */
	}
	qsort(ms, b->latency, sizeof(*ms), by_value);
	return ms;
}

static void report(const bench *b, h264i_encoder *enc, double open_s, double s, const double *ms)
{
	h264i_stats st;
	uint32_t frames = ms ? b->latency + 20 : b->frames;
	static const char *const schemes[] = { "dynamic", "static", "sync", "auto" };
	static const char *const profiles[] = { "baseline", "main", "high" };
	lsched_i_json j;
	char hash[20];

	h264i_stats_init(&st);
	h264i_get_stats(enc, &st);
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)b->hash);
	lsched_i_json_begin(&j, lsched_i_json_to_file, stdout);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_text(&j, "name", b->name ? b->name : b->input);
	lsched_i_json_text(&j, "device", st.device_name);
	lsched_i_json_uint(&j, "width", b->o.width);
	lsched_i_json_uint(&j, "height", b->o.height);
	lsched_i_json_text(&j, "profile", profiles[b->o.profile]);
	lsched_i_json_sint(&j, "cabac", b->o.cabac);
	lsched_i_json_sint(&j, "8x8dct", b->o.transform8x8);
	lsched_i_json_sint(&j, "rd", b->o.rd);
	lsched_i_json_sint(&j, "trellis", b->o.trellis);
	lsched_i_json_sint(&j, "aq_mode", b->o.aq_mode);
	lsched_i_json_fixed(&j, "aq_strength", b->o.aq_strength, 3);
	lsched_i_json_sint(&j, "qp", b->o.qp);
	lsched_i_json_uint(&j, "slices", b->o.slices);
	lsched_i_json_text(&j, "sched", schemes[b->o.sched]);
	lsched_i_json_sint(&j, "deblock", b->o.deblock);
	lsched_i_json_uint(&j, "workers", st.workers);
	lsched_i_json_uint(&j, "frames_in_flight", st.frames_in_flight);
	lsched_i_json_uint(&j, "frames", frames);
	lsched_i_json_fixed(&j, "kbit_per_frame", (double)b->bytes * 8e-3 / frames, 1);
	lsched_i_json_text(&j, "hash", hash);
	lsched_i_json_fixed(&j, "open_s", open_s, 4);
	lsched_i_json_fixed(&j, "idle_share", st.idle_share, 3);
	lsched_i_json_uint(&j, "queue_high_water", st.queue_high_water);
	if (b->o.stats) {
		lsched_i_json_fixed(&j, "upload_ms", st.upload_ms / frames, 4);
		lsched_i_json_fixed(&j, "wavefront_ms", st.wavefront_ms / frames, 4);
		lsched_i_json_fixed(&j, "entropy_ms", st.entropy_ms / frames, 4);
	}
	if (ms) {
		lsched_i_json_object(&j, "latency_ms");
		lsched_i_json_fixed(&j, "median", ms[b->latency / 2], 4);
		lsched_i_json_fixed(&j, "min", ms[0], 4);
		lsched_i_json_fixed(&j, "p99", ms[b->latency * 99 / 100], 4);
		lsched_i_json_fixed(&j, "max", ms[b->latency - 1], 4);
		lsched_i_json_close(&j);
	} else {
		lsched_i_json_fixed(&j, "mean_qp", st.mean_qp, 2);
		lsched_i_json_uint(&j, "coded_again", st.coded_again);
		lsched_i_json_uint(&j, "over_limit", st.over_limit);
		lsched_i_json_fixed(&j, "seconds", s, 4);
		lsched_i_json_fixed(&j, "frames_per_s", frames / s, 1);
	}
	lsched_i_json_close(&j);
	(void)lsched_i_json_end(&j);
}

static uint32_t number(const char *name, const char *value)
{
	char *end;
	unsigned long v = value ? strtoul(value, &end, 10) : 0;

	if (!value || *end || end == value || v > 1000000) {
		fprintf(stderr, "encode_bench: --%s needs a number from 0 to 1000000, not '%s'\n",
			name, value ? value : "");
		exit(1);
	}
	return (uint32_t)v;
}

/* Sets an option that has no value. Returns 0 if there is no such option. */
static int set_flag(bench *b, const char *name)
{
	if (!strcmp(name, "stats"))
		b->o.stats = 1;
	else if (!strcmp(name, "sse"))
		b->o.sse = 1;
	else if (!strcmp(name, "recon"))
		b->o.recon = 1;
	else if (!strcmp(name, "first-pass"))
		b->first_pass = 1;
	else if (!strcmp(name, "full-range"))
		b->full_range = b->o.vui.full_range = 1;
	else
		return 0;
	return 1;
}

/* Sets an option that has a value. Returns 0 if there is no such option. */
static int set_value(bench *b, const char *name, const char *value)
{
	const h264i_option *d;

	if (!strcmp(name, "frames"))
		b->frames = number(name, value);
	else if (!strcmp(name, "latency"))
		b->latency = number(name, value);
	else if (!strcmp(name, "repeat"))
		b->repeat = number(name, value);
	else if (!strcmp(name, "out"))
		b->out_path = value;
	else if (!strcmp(name, "name"))
		b->name = value;
	else
		for (unsigned i = 0;; i++) {
			if (!value || i == OPTIONS_MAX || !(d = h264i_get_option(i)))
				return 0;
			if (!strcmp(name, d->name)) {
				b->option[i] = value;
				break;
			}
		}
	return 1;
}

static void print_help(void)
{
	const h264i_option *d;

	fputs(help, stdout);
	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++)
		if (strcmp(d->name, "latency"))
			printf("  --%-21s %s\n", d->name, d->help);
	exit(0);
}

/* Sets the options of the encoder that were given. */
static void set_options(bench *b)
{
	static const h264i_spelling spelling = { .prefix = "--", .dash = '-' };
	const h264i_option *d;
	char why[400];

	for (unsigned i = 0; i < OPTIONS_MAX && (d = h264i_get_option(i)); i++)
		if (b->option[i] && h264i_set_option(&b->o, d->name, b->option[i], why,
					    sizeof(why)) != H264I_OK)
			die(d->name, why);
	if (h264i_check_options(&b->o, &spelling, why, sizeof(why)) != H264I_OK)
		die("options", why);
	if (b->o.bitrate || b->o.vbv_bufsize) {
		b->o.vui.fps_num = 60;
		b->o.vui.fps_den = 1;
	}
}

static void parse(bench *b, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		const char *name = argv[i] + 2;

		if (!strcmp(argv[i], "--help"))
			print_help();
		if (set_flag(b, name))
			continue;
		i++;
		if (!set_value(b, name, argv[i]))
			die(argv[i - 1], "unknown option or missing value; see --help");
	}
	if (argc - i != 2 || sscanf(argv[i], "%ux%u", &b->o.width, &b->o.height) != 2)
		die("wrong arguments", "needs WIDTHxHEIGHT and a file; see --help");
	set_options(b);
	b->input = argv[i + 1];
	b->frame_bytes = (size_t)b->o.width * b->o.height * 3 / 2;
}

int main(int argc, char **argv)
{
	bench b = { .frames = 300, .repeat = 1 };

	h264i_options_init(&b.o);
	parse(&b, argc, argv);
	if (b.latency)
		b.o.frames_in_flight = 1;
	for (uint32_t r = 0; r < b.repeat; r++) {
		h264i_encoder *enc;
		double *ms = NULL, t0 = now_s(), open_s, s = 0;
		char msg[256];

		b.hash = 0xcbf29ce484222325ull;
		b.bytes = 0;
		if (h264i_open(&enc, &b.o, msg, sizeof(msg)) != H264I_OK)
			die("open", msg);
		open_s = now_s() - t0;
		if (b.out_path && !(b.out = fopen(b.out_path, "wb")))
			die(b.out_path, "cannot be created");
		load_pixels(&b, enc);
		if (b.latency)
			ms = run_latency(&b, enc);
		else
			s = run_throughput(&b, enc);
		report(&b, enc, open_s, s, ms);
		free(ms);
		if (b.out && fclose(b.out) != 0)
			die(b.out_path, "cannot be written");
		b.out = NULL;
		h264i_host_free(b.pixels);
		h264i_close(&enc);
	}
	return 0;
}
