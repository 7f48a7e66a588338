// A C++17 program on libreyes: renders a disk that calls define, and checks a pixel on it and one
// beside it.
#include <reyes/ri.h>
#include <cmath>
#include <cstdio>
#include <memory>

namespace
{
struct closer {
	void operator()(reyes_renderer *r) const
	{
		reyes_close(&r);
	}
};

bool near(const float *pixel, float red, float alpha)
{
	return std::fabs(pixel[0] - red) < 1e-4f && std::fabs(pixel[3] - alpha) < 1e-4f;
}
} // namespace

int main()
{
	const float color[] = { 0.5f, 0.25f, 1.0f };
	reyes_options o;
	reyes_renderer *opened = nullptr;
	reyes_image image;
	char msg[256] = "";

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	const reyes_status status = reyes_open(&opened, &o, msg, sizeof(msg));
	const std::unique_ptr<reyes_renderer, closer> r(opened);
	std::printf("reyes %d: %s\n", REYES_VERSION_MAJOR, reyes_strstatus(status));
	if (status != REYES_OK)
		return 1;

	reyes_image_init(&image);
	if (reyes_format(r.get(), 16, 16, 1) != REYES_OK || reyes_world_begin(r.get()) ||
		reyes_surface(r.get(), "constant", nullptr) || reyes_color(r.get(), color, 3) ||
		reyes_disk(r.get(), 1, 0.5f, 360, nullptr) || reyes_world_end(r.get()) ||
		reyes_render(r.get(), &image)) {
		std::printf("%s\n", reyes_last_error(r.get()));
		return 1;
	}
	return near(image.rgba + 4 * (8 * 16 + 8), 0.5f, 1) && near(image.rgba, 0, 0) ? 0 : 1;
}
