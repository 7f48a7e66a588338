/* encode_yuv WIDTH HEIGHT < in.yuv > out.264: encodes raw 8-bit I420 frames as H.264, on the GPU if
 * one is usable. It uses all of h264intra's interface that a program with frames in memory
 * needs. */
#include <h264intra/h264intra.h>

#include <stdio.h>
#include <stdlib.h>

static int write_packets(h264i_encoder *enc)
{
	h264i_packet pkt;
	h264i_status s;

	h264i_packet_init(&pkt);
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		if (fwrite(pkt.data, 1, pkt.data_bytes, stdout) != pkt.data_bytes)
			return -1;
	return s < 0 ? -1 : 0; /* AGAIN: more frames first; END: all done */
}

int main(int argc, char **argv)
{
	uint32_t w = argc == 3 ? (uint32_t)atoi(argv[1]) : 0;
	uint32_t h = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	size_t luma = (size_t)w * h, bytes = luma * 3 / 2;
	h264i_frame frame;
	h264i_encoder *enc;
	h264i_options o;
	uint8_t *pixels;
	char why[256];
	h264i_status s = H264I_OK;
	int failed = 0;

	h264i_frame_init(&frame);
	frame.format = H264I_I420;
	frame.pitch_bytes[0] = w;
	frame.pitch_bytes[1] = frame.pitch_bytes[2] = w / 2;
	h264i_options_init(&o);
	o.width = w;
	o.height = h;
	if (h264i_open(&enc, &o, why, sizeof(why)) != H264I_OK) {
		fprintf(stderr,
			"encode_yuv: %s\nusage: encode_yuv WIDTH HEIGHT < in.yuv > out.264\n", why);
		return 2;
	}
	pixels = malloc(bytes);
	while (pixels && !failed && fread(pixels, 1, bytes, stdin) == bytes) {
		frame.plane[0] = pixels;
		frame.plane[1] = pixels + luma;
		frame.plane[2] = pixels + luma + luma / 4;
		while (!failed && (s = h264i_send_frame(enc, &frame)) == H264I_AGAIN)
			failed = write_packets(enc);
		failed |= s < 0 || write_packets(enc);
	}
	/* H264I_MEM_HOST, the default: each frame was copied before h264i_send_frame returned. */
	free(pixels);
	failed |= !pixels || h264i_flush(enc) != H264I_OK || write_packets(enc) || fflush(stdout);
	if (failed)
		fprintf(stderr, "encode_yuv: %s\n", h264i_last_error(enc));
	h264i_close(&enc);
	return failed != 0;
}
