/* A clip in memory to an H.264 byte stream by libx264's API, for bench/python_compare.py, which
 * loads this as a shared object:
 *
 *     cc -O2 -shared -fPIC bench/x264_clip.c -lx264 -o x264_clip.so */
#include <stdint.h>
#include <stdio.h>
#include <x264.h>

int x264_clip(const uint8_t *i420, int width, int height, int frames, int fps, const char *preset,
	double crf, const char *path);

static int encode(x264_t *enc, x264_picture_t *in, FILE *out)
{
	x264_picture_t decoded;
	x264_nal_t *nal;
	int nals, bytes = x264_encoder_encode(enc, &nal, &nals, in, &decoded);

	if (bytes <= 0)
		return bytes;
	return fwrite(nal->p_payload, 1, (size_t)bytes, out) == (size_t)bytes ? 0 : -1;
}

static int run(const uint8_t *i420, int frames, x264_param_t *p, FILE *out)
{
	const size_t luma = (size_t)p->i_width * (size_t)p->i_height;
	x264_t *enc = x264_encoder_open(p);
	int bad = !enc;

	for (int i = 0; !bad && i < frames; i++) {
		uint8_t *at = (uint8_t *)(uintptr_t)i420 + (size_t)i * luma * 3 / 2;
		x264_picture_t in;

		x264_picture_init(&in);
		in.img.i_csp = X264_CSP_I420;
		in.img.i_plane = 3;
		in.img.plane[0] = at;
		in.img.plane[1] = at + luma;
		in.img.plane[2] = at + luma + luma / 4;
		in.img.i_stride[0] = p->i_width;
		in.img.i_stride[1] = in.img.i_stride[2] = p->i_width / 2;
		in.i_pts = i;
		bad = encode(enc, &in, out);
	}
	while (!bad && x264_encoder_delayed_frames(enc) > 0)
		bad = encode(enc, NULL, out);
	if (enc)
		x264_encoder_close(enc);
	return bad ? -1 : 0;
}

/* Frames follow one another without gaps. Returns 0, or -1. */
int x264_clip(const uint8_t *i420, int width, int height, int frames, int fps, const char *preset,
	double crf, const char *path)
{
	x264_param_t p;
	FILE *out;
	int bad;

	if (x264_param_default_preset(&p, preset, NULL) != 0)
		return -1;
	p.i_width = width;
	p.i_height = height;
	p.i_csp = X264_CSP_I420;
	p.i_fps_num = (uint32_t)fps;
	p.i_fps_den = 1;
	p.i_log_level = X264_LOG_WARNING;
	p.rc.i_rc_method = X264_RC_CRF;
	p.rc.f_rf_constant = (float)crf;
	p.b_annexb = 1;
	p.b_repeat_headers = 1;
	out = fopen(path, "wb");
	if (!out)
		return -1;
	bad = run(i420, frames, &p, out);
	return fclose(out) != 0 || bad ? -1 : 0;
}
