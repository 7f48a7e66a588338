// A C++17 program on libh264intra: opens an encoder on CPU threads and reads the stream's headers.
#include <h264intra/h264intra.h>
#include <cstdio>
#include <memory>

namespace
{
struct closer {
	void operator()(h264i_encoder *enc) const
	{
		h264i_close(&enc);
	}
};
} // namespace

int main()
{
	h264i_options o;
	h264i_encoder *opened = nullptr;
	char msg[256] = "";

	h264i_options_init(&o);
	o.width = 64;
	o.height = 48;
	o.backend = H264I_BACKEND_CPU;
	const h264i_status status = h264i_open(&opened, &o, msg, sizeof(msg));
	const std::unique_ptr<h264i_encoder, closer> enc(opened);

	std::printf("h264intra %s: %s\n", h264i_version(), h264i_strstatus(status));
	return status == H264I_OK && enc ? 0 : 1;
}
