/* A user's program: built by `make installcheck` with the installed headers and the flags of
 * pkg-config for h264intra only, it encodes one grey picture. */
#include <h264intra/h264intra.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	static uint8_t pixels[64 * 48 * 3 / 2];
	char msg[256];
	h264i_options o;
	h264i_encoder *enc;
	h264i_packet pkt;
	h264i_frame frame;
	size_t bytes = 0;

	memset(pixels, 128, sizeof(pixels));
	h264i_frame_init(&frame);
	h264i_packet_init(&pkt);
	frame.plane[0] = pixels;
	frame.plane[1] = pixels + 64 * 48;
	frame.plane[2] = frame.plane[1] + 32 * 24;
	frame.pitch_bytes[0] = 64;
	frame.pitch_bytes[1] = frame.pitch_bytes[2] = 32;

	h264i_options_init(&o);
	o.width = 64;
	o.height = 48;
	o.backend = H264I_BACKEND_CPU;
	if (h264i_open(&enc, &o, msg, sizeof(msg)) != H264I_OK) {
		fprintf(stderr, "h264i_open: %s\n", msg);
		return 1;
	}
	if (h264i_send_frame(enc, &frame) == H264I_OK && h264i_flush(enc) == H264I_OK)
		while (h264i_receive_packet(enc, &pkt) == H264I_OK)
			bytes += pkt.data_bytes;
	h264i_close(&enc);
	printf("h264intra %s: %zu bytes\n", h264i_version(), bytes);
	return bytes > 0 ? 0 : 1;
}
