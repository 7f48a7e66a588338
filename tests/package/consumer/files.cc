// A C++17 program on libh264intra_io: its messages, and those of FFmpeg below it.
#include <h264intra/sink.h>
#include <h264intra/source.h>
#include <cstdio>
#include <string>

int main()
{
	h264i_source_options o;

	h264i_source_options_init(&o);
	std::printf("h264intra_io %s, with h264intra %s\n", h264i_io_version(), h264i_version());
	return std::string(h264i_io_strstatus(H264I_IO_OK)).empty() ? 1 : 0;
}
