/* rgb_encode WIDTH HEIGHT QP MATRIX FULL_RANGE SLICES: reads frames of 8-bit RGB from standard
 * input and writes the stream that the CPU backend makes of them. The tests compare the Python
 * module with it. */
#include <h264intra/h264intra.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *text)
{
	fprintf(stderr, "rgb_encode: %s\n", text);
	return 1;
}

static int write_packet(const h264i_packet *p)
{
	return fwrite(p->data, 1, p->data_bytes, stdout) != p->data_bytes;
}

/* Sends one frame and writes the packets that this takes. */
static int send(h264i_encoder *enc, const h264i_options *o, const uint8_t *pixels)
{
	h264i_frame f;
	h264i_packet p;
	h264i_status s;

	h264i_frame_init(&f);
	h264i_packet_init(&p);
	f.format = H264I_RGB;
	for (int i = 0; i < 3; i++)
		f.plane[i] = pixels + i;
	f.rgb.pixel_stride = 3;
	f.rgb.row_stride = 3 * (int64_t)o->width;
	while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
		if (h264i_receive_packet(enc, &p) == H264I_OK && write_packet(&p))
			return fail("cannot write");
	return s == H264I_OK ? 0 : fail(h264i_last_error(enc));
}

static int encode(h264i_encoder *enc, const h264i_options *o)
{
	size_t bytes = (size_t)o->width * o->height * 3;
	uint8_t *pixels = malloc(bytes);
	h264i_packet p;
	int rc = !pixels;

	while (!rc && fread(pixels, 1, bytes, stdin) == bytes)
		rc = send(enc, o, pixels);
	free(pixels);
	h264i_packet_init(&p);
	h264i_flush(enc);
	while (!rc && h264i_receive_packet(enc, &p) == H264I_OK)
		rc = write_packet(&p);
	return rc;
}

int main(int argc, char **argv)
{
	h264i_encoder *enc;
	h264i_options o;
	char why[256];
	int rc;

	if (argc != 7)
		return fail("six arguments are needed");
	h264i_options_init(&o);
	o.width = (uint32_t)atoi(argv[1]);
	o.height = (uint32_t)atoi(argv[2]);
	o.qp = atoi(argv[3]);
	o.slices = (uint32_t)atoi(argv[6]);
	o.backend = H264I_BACKEND_CPU;
	o.odd_size = o.rgb = 1;
	o.vui.matrix = atoi(argv[4]);
	o.vui.full_range = atoi(argv[5]);
	o.vui.fps_num = 24;
	o.vui.fps_den = 1;
	o.vui.fixed_rate = 1;
	if (h264i_open(&enc, &o, why, sizeof(why)) != H264I_OK)
		return fail(why);
	rc = encode(enc, &o);
	h264i_close(&enc);
	return rc;
}
