/* openh264_decode STREAM.264 > OUT.y4m: decodes a stream of IDR pictures with libopenh264. Every
 * access unit starts with an SPS, as gpuintra writes them, and has one picture. The program ends
 * with 1 after an access unit that the decoder refuses or that has no picture. */
#include <wels/codec_api.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "openh264_decode: %s: %s\n", name, what);
	return 1;
}

/* Returns the whole file, NULL if it cannot be read. The caller frees it. */
static uint8_t *read_file(const char *name, size_t *bytes)
{
	FILE *f = fopen(name, "rb");
	uint8_t *data = NULL;
	long n;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0) {
		*bytes = (size_t)n;
		data = malloc(*bytes);
		if (data && fread(data, 1, *bytes, f) != *bytes) {
			free(data);
			data = NULL;
		}
	}
	fclose(f);
	return data;
}

/* Returns the offset of the first access unit that starts at `from` or later; `bytes` if there is
 * none. */
static size_t next_unit(const uint8_t *data, size_t bytes, size_t from)
{
	for (size_t i = from; i + 4 < bytes; i++)
		if (memcmp(data + i, "\0\0\0\1", 4) == 0 && (data[i + 4] & 31) == NAL_SPS)
			return i;
	return bytes;
}

static void write_plane(const uint8_t *p, int width, int height, int stride)
{
	for (int y = 0; y < height; y++)
		fwrite(p + (ptrdiff_t)y * stride, 1, (size_t)width, stdout);
}

static void write_picture(uint8_t *const plane[3], const SSysMEMBuffer *b, int first)
{
	if (first)
		printf("YUV4MPEG2 W%d H%d C420\n", b->iWidth, b->iHeight);
	printf("FRAME\n");
	write_plane(plane[0], b->iWidth, b->iHeight, b->iStride[0]);
	write_plane(plane[1], b->iWidth / 2, b->iHeight / 2, b->iStride[1]);
	write_plane(plane[2], b->iWidth / 2, b->iHeight / 2, b->iStride[1]);
}

/* libopenh264 holds back a picture of other profiles than Baseline until it knows that none comes
 * before it: `shown` pictures of `sent` were written so far. */
static int decode(ISVCDecoder *dec, const char *name, const uint8_t *data, size_t bytes)
{
	size_t at = next_unit(data, bytes, 0);
	int sent = 0, shown = 0, all = 1;
	char why[80];

	if (at == bytes)
		return fail("no access unit", name);
	while (at < bytes || shown < sent) {
		const size_t end = at < bytes ? next_unit(data, bytes, at + 4) : bytes;
		uint8_t *plane[3] = { NULL, NULL, NULL };
		SBufferInfo info;
		DECODING_STATE state;

		memset(&info, 0, sizeof(info));
		if (at < bytes) {
			state = (*dec)->DecodeFrameNoDelay(
				dec, data + at, (int)(end - at), plane, &info);
			sent++;
		} else {
			(*dec)->SetOption(dec, DECODER_OPTION_END_OF_STREAM, &all);
			state = (*dec)->FlushFrame(dec, plane, &info);
		}
		if (state != dsErrorFree || (at == bytes && info.iBufferStatus != 1)) {
			snprintf(why, sizeof(why), "picture %d: decoding state 0x%x, %s", shown,
				(unsigned)state, info.iBufferStatus == 1 ? "shown" : "not shown");
			return fail(why, name);
		}
		if (info.iBufferStatus == 1 && plane[0])
			write_picture(plane, &info.UsrData.sSystemBuffer, shown++ == 0);
		at = end;
	}
	return 0;
}

int main(int argc, char **argv)
{
	SDecodingParam param;
	ISVCDecoder *dec = NULL;
	uint8_t *data;
	size_t bytes = 0;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: openh264_decode STREAM.264 > OUT.y4m\n");
		return 2;
	}
	data = read_file(argv[1], &bytes);
	if (!data)
		return fail("cannot be read", argv[1]);
	memset(&param, 0, sizeof(param));
	param.uiTargetDqLayer = UINT8_MAX;
	param.eEcActiveIdc = ERROR_CON_DISABLE;
	param.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
	if (WelsCreateDecoder(&dec) || !dec || (*dec)->Initialize(dec, &param)) {
		free(data);
		return fail("libopenh264 does not start", argv[1]);
	}
	rc = decode(dec, argv[1], data, bytes);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = fail("the pictures cannot be written", argv[1]);
	(*dec)->Uninitialize(dec);
	WelsDestroyDecoder(dec);
	free(data);
	return rc;
}
