/* Times of pictures, see clock.h. */
#include "h264intra/rate/clock.h"

__extension__ typedef unsigned __int128 wide;

h264i_rate_time h264i_i_clock_nominal(const h264i_clock *c)
{
	/* Rounded up, so that 1 / span is not above the rate. */
	const uint64_t span = (((uint64_t)c->fps_den << 32) + c->fps_num - 1) / c->fps_num;

	return (h264i_rate_time){ 1, 2, span < H264I_SPAN_MAX ? span : H264I_SPAN_MAX };
}

/* Sets the time of the picture at `diff` units after the first one. Products have at most 126
 * bits. */
static void set_time(h264i_clock *c, uint64_t diff)
{
	/* in 1 / (fps_num * unit_den) of a second */
	const wide time = (wide)diff * c->unit_num * c->fps_num;
	const wide frame = (wide)c->fps_den * c->unit_den, unit = (wide)c->unit_num * c->fps_num;
	const uint64_t n = (uint64_t)((time + frame / 2) / frame);
	const wide at = n * frame;

	c->frame = n;
	c->on_grid = (at > time ? at - time : time - at) <= unit;
	c->at = c->on_grid ? (uint64_t)(((wide)n * c->fps_den << 32) / c->fps_num)
			   : (uint64_t)(((wide)diff * c->unit_num << 32) / c->unit_den);
}

/* The tick nearest to the picture's time, but behind `before`. */
static uint64_t tick_of(const h264i_clock *c, uint64_t before)
{
	const wide one = (wide)c->fps_den << 32;
	const uint64_t tick = (uint64_t)(((wide)c->at * c->fps_num * 4 + one) / (2 * one));

	return tick > before ? tick : before + 1;
}

static uint32_t limited(uint64_t v)
{
	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

h264i_rate_time h264i_i_clock_next(h264i_clock *c, int64_t timestamp)
{
	const h264i_clock before = *c;
	h264i_rate_time t = { 0, 0, 0 };
	uint64_t diff;

	if (!c->started) {
		c->started = c->on_grid = 1;
		c->frame = c->tick = c->at = 0;
		c->first = c->last = timestamp;
		return h264i_i_clock_nominal(c);
	}
	if (timestamp > c->last)
		c->last = timestamp;
	diff = (uint64_t)c->last - (uint64_t)c->first;
	set_time(c, diff < (uint64_t)1 << 62 ? diff : (uint64_t)1 << 62);
	c->tick = tick_of(c, before.tick);
	if (c->at > before.at)
		t.span = c->at - before.at;
	if (t.span > H264I_SPAN_MAX)
		t.span = H264I_SPAN_MAX;
	else if (c->on_grid && before.on_grid)
		t.frames = limited(c->frame - before.frame);
	t.ticks = limited(c->tick - before.tick);
	return t;
}

uint64_t h264i_i_clock_ns(const h264i_clock *c)
{
	return (uint64_t)(((wide)c->at * 1000000000 + ((uint64_t)1 << 31)) >> 32);
}
