#include "h264intra/bitstream/hrd.h"

enum { RATE_SHIFT = 6, SIZE_SHIFT = 4, SCALE_MAX = 15, SEI_WORDS = 8 };

h264i_hrd h264i_i_hrd_round(uint64_t rate, uint64_t size)
{
	return (h264i_hrd){ rate >> RATE_SHIFT << RATE_SHIFT, size >> SIZE_SHIFT << SIZE_SHIFT };
}

/* The largest scale that leaves no remainder. */
static uint32_t scale_of(uint64_t value)
{
	uint32_t scale = 0;

	while (scale < SCALE_MAX && value && !(value >> scale & 1))
		scale++;
	return scale;
}

void h264i_i_hrd_put(h264i_bits *out, const h264i_hrd *h)
{
	uint64_t rate = h->rate >> RATE_SHIFT, size = h->size >> SIZE_SHIFT;
	uint32_t rate_scale = scale_of(rate), size_scale = scale_of(size);

	h264i_bits_ue(out, 0); /* cpb_cnt_minus1 */
	h264i_bits_put(out, rate_scale, 4);
	h264i_bits_put(out, size_scale, 4);
	h264i_bits_ue(out, (uint32_t)(rate >> rate_scale) - 1); /* bit_rate_value_minus1 */
	h264i_bits_ue(out, (uint32_t)(size >> size_scale) - 1); /* cpb_size_value_minus1 */
	h264i_bits_put(out, 0, 1);                              /* cbr_flag */
	h264i_bits_put(out, H264I_HRD_DELAY_BITS - 1, 5);       /* initial_cpb_removal_delay */
	h264i_bits_put(out, H264I_HRD_DELAY_BITS - 1, 5);       /* cpb_removal_delay */
	h264i_bits_put(out, H264I_HRD_DELAY_BITS - 1, 5);       /* dpb_output_delay */
	h264i_bits_put(out, 0, 5);                              /* time_offset_length */
}

/* Type and size of a message; both are below 255. */
static void put_head(h264i_bits *out, uint32_t type, uint32_t bytes)
{
	h264i_bits_put(out, type, 8);
	h264i_bits_put(out, bytes, 8);
}

int h264i_i_hrd_sei_append(h264i_buf *out, uint32_t delay, uint32_t full, uint32_t removal)
{
	uint32_t word[SEI_WORDS];
	uint8_t bytes[4 * SEI_WORDS];
	h264i_bits b;
	size_t n;

	h264i_bits_init(&b, word, 1, SEI_WORDS);
	put_head(&b, 0, 7);   /* buffering_period */
	h264i_bits_ue(&b, 0); /* seq_parameter_set_id */
	h264i_bits_put(&b, delay, H264I_HRD_DELAY_BITS);
	h264i_bits_put(&b, full - delay, H264I_HRD_DELAY_BITS); /* .._delay_offset */
	h264i_bits_trailing(&b);                                /* a payload ends like that, too */
	put_head(&b, 1, 6);                                     /* pic_timing */
	h264i_bits_put(&b, removal, H264I_HRD_DELAY_BITS);
	h264i_bits_put(&b, 0, H264I_HRD_DELAY_BITS); /* dpb_output_delay */
	h264i_bits_trailing(&b);
	n = (size_t)(h264i_bits_position(&b) / 8);
	h264i_bits_flush(&b);
	h264i_i_bits_to_bytes(bytes, word, n);
	return h264i_i_buf_nal(out, 1, H264I_NAL_SEI, bytes, n);
}
