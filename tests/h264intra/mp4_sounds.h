/* Sounds coded by FFmpeg, for the suites of the MP4 writer. */
#ifndef TESTS_H264INTRA_MP4_SOUNDS_H
#define TESTS_H264INTRA_MP4_SOUNDS_H

#include "tests/common/rng.h"
#include "tests/h264intra/mp4_reader.h"

#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>

enum { SOUND_PACKETS_MAX = 200 };

/* A coded sound. */
typedef struct test_sound {
	h264i_mp4_track track;
	uint8_t config[256];
	AVPacket *packet[SOUND_PACKETS_MAX];
	int count;
	int64_t samples; /* that were coded, of each channel */
} test_sound;

/* A tone with noise, in [-1, 1]. */
static inline float test_tone(int64_t i, int channel)
{
	const uint32_t noise = (uint32_t)(i * 2654435761u + (uint32_t)channel * 40503u) >> 20;

	return (float)(i % (100 + 50 * channel)) / 250.0f + (float)noise / 65536.0f;
}

static inline void test_fill(AVFrame *f, int64_t from)
{
	const int channels = f->ch_layout.nb_channels;

	for (int i = 0; i < f->nb_samples; i++)
		for (int c = 0; c < channels; c++) {
			const float v = test_tone(from + i, c);

			if (f->format == AV_SAMPLE_FMT_FLTP)
				((float *)(void *)f->data[c])[i] = v;
			else if (f->format == AV_SAMPLE_FMT_FLT)
				((float *)(void *)f->data[0])[i * channels + c] = v;
			else
				((int16_t *)(void *)f->data[0])[i * channels + c] =
					(int16_t)(v * 32767);
		}
}

static inline void test_take_packets(test_sound *s, AVCodecContext *enc)
{
	for (;;) {
		AVPacket *p = av_packet_alloc();

		if (avcodec_receive_packet(enc, p) != 0) {
			av_packet_free(&p);
			return;
		}
		CU_ASSERT_FATAL(s->count < SOUND_PACKETS_MAX);
		/* The encoder of FLAC ends with a packet without data. */
		if (p->size)
			s->packet[s->count++] = p;
		else
			av_packet_free(&p);
	}
}

/* Codes `samples` samples. Returns 0, or -1 if FFmpeg has no such encoder. */
static inline int test_sound_make(test_sound *s, const char *encoder, h264i_mp4_codec codec,
	int rate, int channels, int64_t samples)
{
	const AVCodec *c = avcodec_find_encoder_by_name(encoder);
	AVCodecContext *enc;
	AVFrame *f = av_frame_alloc();

	memset(s, 0, sizeof(*s));
	if (!c)
		return -1;
	enc = avcodec_alloc_context3(c);
	enc->sample_rate = rate;
	av_channel_layout_default(&enc->ch_layout, channels);
	enc->sample_fmt = codec == H264I_MP4_AAC ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_S16;
	enc->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
	enc->time_base = (AVRational){ 1, rate };
	CU_ASSERT_EQUAL_FATAL(avcodec_open2(enc, c, NULL), 0);
	for (int64_t at = 0; at < samples; at += f->nb_samples) {
		const int64_t left = samples - at;

		av_frame_unref(f);
		f->nb_samples = (int)(left < enc->frame_size ? left : enc->frame_size);
		f->format = enc->sample_fmt;
		f->sample_rate = rate;
		f->pts = at;
		av_channel_layout_copy(&f->ch_layout, &enc->ch_layout);
		CU_ASSERT_EQUAL_FATAL(av_frame_get_buffer(f, 0), 0);
		test_fill(f, at);
		CU_ASSERT_EQUAL(avcodec_send_frame(enc, f), 0);
		test_take_packets(s, enc);
	}
	avcodec_send_frame(enc, NULL);
	test_take_packets(s, enc);
	CU_ASSERT_FATAL((size_t)enc->extradata_size <= sizeof(s->config));
	memcpy(s->config, enc->extradata, (size_t)enc->extradata_size);
	h264i_mp4_track_init(&s->track);
	s->track.codec = codec;
	s->track.rate = (uint32_t)rate;
	s->track.channels = (uint32_t)channels;
	s->track.config = s->config;
	s->track.config_bytes = (size_t)enc->extradata_size;
	s->track.priming = (uint32_t)enc->initial_padding;
	s->samples = samples;
	av_frame_free(&f);
	avcodec_free_context(&enc);
	return 0;
}

static inline void test_sound_free(test_sound *s)
{
	for (int i = 0; i < s->count; i++)
		av_packet_free(&s->packet[i]);
	s->count = 0;
}

/* Decoded samples, interleaved. */
typedef struct test_samples {
	float *v;
	int64_t count, room; /* values */
} test_samples;

static inline void test_take_frames(test_samples *out, AVCodecContext *dec)
{
	AVFrame *f = av_frame_alloc();

	while (avcodec_receive_frame(dec, f) == 0) {
		const int channels = f->ch_layout.nb_channels;

		if (out->count + f->nb_samples * channels > out->room) {
			out->room = 2 * (out->count + f->nb_samples * channels);
			out->v = realloc(out->v, (size_t)out->room * sizeof(float));
		}
		for (int i = 0; i < f->nb_samples; i++)
			for (int c = 0; c < channels; c++)
				out->v[out->count++] =
					f->format == AV_SAMPLE_FMT_FLTP
						? ((float *)(void *)f->data[c])[i]
					: f->format == AV_SAMPLE_FMT_S16
						? ((int16_t *)(void *)f->data[0])[i * channels + c]
						: ((int16_t *)(void *)f->data[c])[i];
	}
	av_frame_free(&f);
}

static inline AVCodecContext *test_decoder(const AVCodecParameters *par)
{
	const AVCodec *c = avcodec_find_decoder(par->codec_id);
	AVCodecContext *dec = avcodec_alloc_context3(c);

	avcodec_parameters_to_context(dec, par);
	dec->pkt_timebase = (AVRational){ 1, par->sample_rate };
	CU_ASSERT_EQUAL_FATAL(avcodec_open2(dec, c, NULL), 0);
	return dec;
}

/* Decodes stream `k` of the file. */
static inline test_samples test_decode_file(const test_file *f, int k)
{
	test_samples out = { NULL, 0, 0 };
	AVCodecContext *dec;
	reader r;

	CU_ASSERT_EQUAL_FATAL(reader_open(&r, f->data, f->bytes), 0);
	dec = test_decoder(r.fmt->streams[k]->codecpar);
	while (av_read_frame(r.fmt, r.packet) == 0) {
		if (r.packet->stream_index == k) {
			CU_ASSERT_EQUAL(avcodec_send_packet(dec, r.packet), 0);
			test_take_frames(&out, dec);
		}
		av_packet_unref(r.packet);
	}
	avcodec_send_packet(dec, NULL);
	test_take_frames(&out, dec);
	avcodec_free_context(&dec);
	reader_close(&r);
	return out;
}

#endif
