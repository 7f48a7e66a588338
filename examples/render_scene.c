/* render_scene PICTURE [SCENE.rib]: renders the first frame of a scene, on the GPU if one is
 * usable, and writes PICTURE (.png, .tif or .exr, as the library is built). Without SCENE.rib it
 * defines a scene by calls: a red ball on a floor. */
#include <reyes/ri.h>

#include <stdio.h>

static void print_message(void *user, reyes_level level, const char *message)
{
	(void)user;
	if (level <= REYES_LEVEL_WARN)
		fprintf(stderr, "render_scene: %s\n", message);
}

/* Defines the scene. The camera looks along z, y is up. Returns nonzero if a call fails; the
 * renderer has logged the reason. */
static int define_scene(reyes_renderer *r)
{
	static const float fov = 40, dim = 0.1f, bright = 0.9f;
	static const float from[] = { -2, 4, -3 }, to[] = { 0, 0, 0 };
	static const float red[] = { 0.8f, 0.1f, 0.1f }, grey[] = { 0.5f, 0.5f, 0.5f };
	static const float corners[] = { -4, -1, -2, -4, -1, 6, 4, -1, 6, 4, -1, -2 };
	const reyes_param lens = { "fov", &fov, NULL, 1 };
	const reyes_param ambient = { "intensity", &dim, NULL, 1 };
	const reyes_param sun[] = { { "intensity", &bright, NULL, 1 }, { "from", from, NULL, 3 },
		{ "to", to, NULL, 3 } };
	const reyes_param plane = { "P", corners, NULL, 12 };
	int failed = 0;

	failed |= reyes_format(r, 320, 240, 1);
	failed |= reyes_pixel_samples(r, 4, 4);
	failed |= reyes_exposure(r, 1, 1.8f);
	failed |= reyes_projection(r, "perspective", &(reyes_params){ 1, &lens });
	failed |= reyes_translate(r, 0, 0, 5);
	failed |= reyes_rotate(r, -20, 1, 0, 0);
	failed |= reyes_world_begin(r);
	failed |= reyes_light_source(r, "ambientlight", "1", &(reyes_params){ 1, &ambient });
	failed |= reyes_light_source(r, "distantlight", "2", &(reyes_params){ 3, sun });
	failed |= reyes_attribute_begin(r);
	failed |= reyes_color(r, red, 3);
	failed |= reyes_surface(r, "plastic", NULL);
	failed |= reyes_sphere(r, 1, -1, 1, 360, NULL);
	failed |= reyes_attribute_end(r);
	failed |= reyes_color(r, grey, 3);
	failed |= reyes_surface(r, "matte", NULL);
	failed |= reyes_polygon(r, &(reyes_params){ 1, &plane });
	failed |= reyes_world_end(r);
	return failed;
}

/* Reads the first frame of a file. Returns nonzero on failure. */
static int read_scene(reyes_renderer *r, const char *path)
{
	reyes_status s = reyes_rib_open(r, path);

	if (s == REYES_OK)
		s = reyes_rib_next_frame(r);
	if (s == REYES_END)
		fprintf(stderr, "render_scene: %s has no frame\n", path);
	else if (s != REYES_OK)
		fprintf(stderr, "render_scene: %s\n", reyes_last_error(r));
	return s != REYES_OK;
}

int main(int argc, char **argv)
{
	reyes_renderer *r;
	reyes_options o;
	reyes_image image;
	char why[256];
	int failed;

	if ((argc != 2 && argc != 3) || reyes_check_picture_name(argv[1]) != REYES_OK) {
		fprintf(stderr,
			"usage: render_scene PICTURE [SCENE.rib]\n"
			"PICTURE is a file whose format is in the library: .png, .tif, .exr\n");
		return 2;
	}
	reyes_options_init(&o);
	o.log = print_message;
	if (reyes_open(&r, &o, why, sizeof(why)) != REYES_OK) {
		fprintf(stderr, "render_scene: %s\n", why);
		return 1;
	}
	failed = argc == 3 ? read_scene(r, argv[2]) : define_scene(r);
	reyes_image_init(&image);
	if (!failed && (reyes_render(r, &image) != REYES_OK ||
			       reyes_write_display(r, REYES_NO_DISPLAY, argv[1]) != REYES_OK)) {
		fprintf(stderr, "render_scene: %s\n", reyes_last_error(r));
		failed = 1;
	}
	reyes_close(&r);
	return failed != 0;
}
