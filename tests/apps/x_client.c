/* x_client DISPLAY COMMAND...: a client of an X server for the tests of windows, without libX11. It
 * acts on the largest window on the screen. DISPLAY is a number, ":99".
 *
 *   wait TEXT     waits until the window's title contains TEXT (60 s), and prints the title; a "$"
 *                 at the end of TEXT stands for the end of the title
 *   shot FILE     writes the window's pixels as 8-bit RGB without a header; prints width and height
 *   key C         presses and releases the key of a character, or "Escape"
 *   move X Y      moves the mouse to a place in the window
 *   drag X Y      moves it with the first button pressed
 *   wheel up|down turns the wheel by one step
 *
 * Exit code 1 and a message after a failure. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "tests/common/seconds.h"

enum { KEY_PRESS = 2, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION };
enum { HEAD_BYTES = 32, WAIT_S = 60, WM_NAME = 39, VIEWABLE = 2 };
enum { SHIFT = 0xffe1, ESCAPE = 0xff1b };

static int fd;
static uint32_t root, window;
static uint8_t key_min, key_max, xtest;

static _Noreturn void fail(const char *why)
{
	fprintf(stderr, "x_client: %s\n", why);
	exit(1);
}

static void get(void *to, size_t bytes)
{
	for (char *at = to; bytes;) {
		const ssize_t n = read(fd, at, bytes);

		if (n <= 0)
			fail("the X server has closed the connection");
		at += n;
		bytes -= (size_t)n;
	}
}

static void put(const void *from, size_t bytes)
{
	if (write(fd, from, bytes) != (ssize_t)bytes)
		fail("the X server cannot be written to");
}

static uint16_t u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t u32(const uint8_t *at)
{
	return u16(at) | (uint32_t)u16(at + 2) << 16;
}

/* Reads a reply; events are skipped. Returns what follows the head, malloc'd. Returns NULL after an
 * error of the server, such as a window that was closed. */
static uint8_t *reply(uint8_t head[HEAD_BYTES])
{
	uint8_t *more;

	do
		get(head, HEAD_BYTES);
	while (head[0] > 1);
	if (head[0] == 0)
		return NULL;
	more = malloc((size_t)u32(head + 4) * 4 + 1);
	if (!more)
		fail("out of memory");
	get(more, (size_t)u32(head + 4) * 4);
	more[(size_t)u32(head + 4) * 4] = 0;
	return more;
}

static void connect_to(const char *display)
{
	static const uint8_t hello[12] = { 'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	uint8_t head[8], *setup;
	size_t bytes;

	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/.X11-unix/X%.20s", display + 1);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		fail("there is no X server");
	put(hello, sizeof(hello));
	get(head, sizeof(head));
	bytes = (size_t)u16(head + 6) * 4;
	setup = malloc(bytes);
	if (head[0] != 1 || !setup || bytes < 40)
		fail("the X server refuses the connection");
	get(setup, bytes);
	key_min = setup[26];
	key_max = setup[27];
	/* The first screen follows the vendor's name and the formats. */
	root = u32(setup + 32 + (u16(setup + 16) + 3) / 4 * 4 + 8 * setup[21]);
	free(setup);
}

/* Sends a request of 8 bytes with one argument and reads its reply. */
static uint8_t *query(uint8_t opcode, uint32_t argument, uint8_t head[HEAD_BYTES])
{
	const uint8_t r[8] = { opcode, 0, 2, 0, (uint8_t)argument, (uint8_t)(argument >> 8),
		(uint8_t)(argument >> 16), (uint8_t)(argument >> 24) };

	put(r, sizeof(r));
	return reply(head);
}

static void get_size(uint32_t id, uint32_t size[2])
{
	uint8_t head[HEAD_BYTES], *more = query(14, id, head); /* GetGeometry */

	size[0] = more ? u16(head + 16) : 0;
	size[1] = more ? u16(head + 18) : 0;
	free(more);
}

/* Selects the largest visible window. Returns 0 if there is none. */
static int find_window(void)
{
	uint8_t head[HEAD_BYTES], *children = query(15, root, head); /* QueryTree */
	const unsigned count = children ? u16(head + 16) : 0;
	uint32_t best = 0, size[2];

	window = 0;
	for (unsigned i = 0; i < count; i++) {
		const uint32_t id = u32(children + 4 * (size_t)i);
		uint8_t *more = query(3, id, head); /* GetWindowAttributes */

		if (more && head[26] == VIEWABLE) {
			get_size(id, size);
			if (size[0] * size[1] > best) {
				best = size[0] * size[1];
				window = id;
			}
		}
		free(more);
	}
	free(children);
	return window != 0;
}

/* Copies the title of the window. */
static void get_title(char *title, size_t bytes)
{
	uint32_t r[6] = { 20 | 6 << 16, window, WM_NAME, 0, 0, 256 }; /* GetProperty */
	uint8_t head[HEAD_BYTES], *more;

	put(r, sizeof(r));
	more = reply(head);
	snprintf(title, bytes, "%s", more ? (char *)more : "");
	free(more);
}

/* Whether the title contains the text; a final "$" stands for the title's end. */
static int matches(const char *title, const char *text)
{
	const size_t n = strlen(text), length = strlen(title);

	if (n == 0 || text[n - 1] != '$')
		return strstr(title, text) != NULL;
	return length >= n - 1 && strncmp(title + length - (n - 1), text, n - 1) == 0;
}

static void wait_for(const char *text)
{
	const struct timespec pause = { 0, 20000000 };
	const time_t until = test_seconds() + WAIT_S;
	char title[1100] = "";

	do {
		if (find_window())
			get_title(title, sizeof(title));
		if (*title && matches(title, text)) {
			puts(title);
			return;
		}
		nanosleep(&pause, NULL);
	} while (test_seconds() < until);
	fprintf(stderr, "x_client: the title is \"%s\"\n", title);
	fail("the title has not changed in time");
}

static void shoot(const char *path)
{
	uint32_t size[2], r[5] = { 73 | 2 << 8 | 5 << 16, window, 0, 0, 0xffffffff };
	uint8_t head[HEAD_BYTES], *pixels;
	FILE *f = fopen(path, "wb");

	get_size(window, size);
	r[3] = size[0] | size[1] << 16;
	put(r, sizeof(r)); /* GetImage */
	pixels = reply(head);
	if (!f || !pixels || (size_t)u32(head + 4) < (size_t)size[0] * size[1])
		fail("the window's pixels cannot be read");
	for (size_t i = 0; i < (size_t)size[0] * size[1]; i++)
		for (int k = 2; k >= 0; k--)
			fputc(pixels[4 * i + (size_t)k], f);
	printf("%u %u\n", size[0], size[1]);
	if (fclose(f) != 0)
		fail("the file cannot be written");
	free(pixels);
}

static void find_xtest(void)
{
	const uint8_t r[16] = { 98, 0, 4, 0, 5, 0, 0, 0, 'X', 'T', 'E', 'S', 'T', 0, 0, 0 };
	uint8_t head[HEAD_BYTES];

	put(r, sizeof(r)); /* QueryExtension */
	free(reply(head));
	if (!head[8])
		fail("the X server has no extension XTEST");
	xtest = head[9];
}

static void fake(uint8_t type, uint8_t detail, int x, int y)
{
	uint8_t r[36] = { xtest, 2, 9, 0, type, detail };

	r[24] = (uint8_t)x;
	r[25] = (uint8_t)(x >> 8);
	r[26] = (uint8_t)y;
	r[27] = (uint8_t)(y >> 8);
	put(r, sizeof(r)); /* FakeInput */
}

/* The code of a key, and whether it needs the shift key. */
static uint8_t find_key(uint32_t symbol, int *shift)
{
	const uint32_t count = (uint32_t)(key_max - key_min + 1);
	const uint32_t r[2] = { 101 | 2 << 16, (uint32_t)key_min | count << 8 };
	uint8_t head[HEAD_BYTES], *map, code = 0;

	put(r, sizeof(r)); /* GetKeyboardMapping */
	map = reply(head);
	for (uint32_t i = 0; map && i < count && !code; i++)
		for (uint32_t k = 0; k < 2 && k < head[1] && !code; k++)
			if (u32(map + 4 * ((size_t)i * head[1] + k)) == symbol) {
				code = (uint8_t)(key_min + i);
				*shift = k == 1;
			}
	free(map);
	if (!code)
		fail("the keyboard lacks this key");
	return code;
}

static void press(const char *name)
{
	const uint32_t focus[3] = { 42 | 3 << 16, window, 0 }; /* SetInputFocus */
	int shift = 0, none;
	uint8_t code, shift_code = find_key(SHIFT, &none);

	code = find_key(strcmp(name, "Escape") == 0 ? ESCAPE : (uint8_t)name[0], &shift);
	put(focus, sizeof(focus));
	if (shift)
		fake(KEY_PRESS, shift_code, 0, 0);
	fake(KEY_PRESS, code, 0, 0);
	fake(KEY_RELEASE, code, 0, 0);
	if (shift)
		fake(KEY_RELEASE, shift_code, 0, 0);
}

/* Place of the window on the screen. */
static void get_place(int place[2])
{
	uint8_t head[HEAD_BYTES], *more = query(14, window, head); /* GetGeometry */

	place[0] = more ? (int16_t)u16(head + 12) : 0;
	place[1] = more ? (int16_t)u16(head + 14) : 0;
	free(more);
}

static void move(char **at, int drag)
{
	int place[2];

	get_place(place);
	if (drag)
		fake(BUTTON_PRESS, 1, 0, 0);
	fake(MOTION, 0, place[0] + atoi(at[0]), place[1] + atoi(at[1]));
	if (drag)
		fake(BUTTON_RELEASE, 1, 0, 0);
}

int main(int argc, char **argv)
{
	const char *command = argc > 3 ? argv[2] : "";
	uint8_t head[HEAD_BYTES];

	if (argc < 4)
		fail("a command is missing");
	connect_to(argv[1]);
	find_xtest();
	if (strcmp(command, "wait") != 0 && !find_window())
		fail("there is no window");
	if (strcmp(command, "wait") == 0) {
		wait_for(argv[3]);
	} else if (strcmp(command, "shot") == 0) {
		shoot(argv[3]);
	} else if (strcmp(command, "key") == 0) {
		press(argv[3]);
	} else if (strcmp(command, "wheel") == 0) {
		const uint8_t button = strcmp(argv[3], "up") == 0 ? 4 : 5;

		fake(BUTTON_PRESS, button, 0, 0);
		fake(BUTTON_RELEASE, button, 0, 0);
	} else if (argc > 4 && (strcmp(command, "move") == 0 || strcmp(command, "drag") == 0)) {
		move(argv + 3, command[0] == 'd');
	} else {
		fail("the command is unknown");
	}
	/* A reply comes after everything before it has been executed. */
	free(query(14, root, head));
	close(fd);
	return 0;
}
