/* The bytes of streams: a hash of the stream for each picture, QP and option is stored here, so
 * that no change alters the bytes unnoticed. A change that is meant to alter them stores new
 * hashes: H264I_BYTES_SHOW=1 tests/h264intra/bytes_test prints the tables. */
#include <inttypes.h>
#include <stdio.h>
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

enum { QPS = 6 };
static const int qps[QPS] = { 0, 10, 22, 27, 37, 51 };

/* FNV-1a with 64 bits. */
static uint64_t hash(const uint8_t *data, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ data[i]) * 0x100000001b3u;
	return h;
}

typedef struct {
	const char *name;
	h264i_options (*options)(void);
	uint64_t hash[TEST_PATTERNS][QPS];
} stored;

static h264i_options baseline(void)
{
	return test_cpu_options(0, 0);
}

static h264i_options sliced(void)
{
	h264i_options o = test_cpu_options(0, 0);

	o.slices = 4;
	o.deblock = 0;
	return o;
}

/* Half of the modes. */
static h264i_options restricted(void)
{
	h264i_options o = test_cpu_options(0, 0);

	o.disable_modes = 0x1aaaa;
	return o;
}

/* High profile with Intra8x8, CAVLC. */
static h264i_options high_cavlc(void)
{
	h264i_options o = test_cpu_options(0, 0);

	o.profile = H264I_PROFILE_HIGH;
	o.cabac = 0;
	o.transform8x8 = 1;
	return o;
}

/* By rate and distortion, with CAVLC and with CABAC. */
static h264i_options decided_cavlc(void)
{
	h264i_options o = high_cavlc();

	o.rd = 2;
	o.trellis = 1;
	return o;
}

static h264i_options decided_cabac(void)
{
	h264i_options o = decided_cavlc();

	o.cabac = 1;
	return o;
}

/* clang-format off */
static const stored tables[] = {
	{ "baseline", baseline, {
		{ 0x0f14dfb490bde720, 0xe254fad88751a55c, 0x68530f576c368009,
		  0x8b12775e87d67ca7, 0x122d78a1540b7dce, 0x39a2ecb1d881ee61 },
		{ 0xf5b93452202ae23f, 0x40649c4cf73a1d19, 0x81e17c475b31def2,
		  0x598c0378b23e706b, 0x9c281db79fa9ef0a, 0x3053bf6c06ad71ce },
		{ 0x4057576acc4b1b53, 0xd645769b5c547641, 0x73d399ccb4b71af4,
		  0xfffdfe25f0e8b82d, 0x52efc9762d632635, 0x7a86b47059afd74a },
		{ 0xb7a866699455508f, 0x08300174be4cf94c, 0xb9dc4e3a2fbac94e,
		  0x53cc4351d4c8bcdf, 0xe7939b612d911991, 0x61ae109246c6b411 },
	} },
	{ "sliced", sliced, {
		{ 0x97c034847af6e6fa, 0x7e86b4d7f08bbabb, 0x1c462dc88ada1e74,
		  0x25058b0011b0ab4a, 0x956c122d23324496, 0x74cce02b9dd2f572 },
		{ 0xd2b32a4f2a3f41cd, 0xa1bb0d1a4d18dcce, 0x298c47cd38432573,
		  0x7f8c7030c3d787c1, 0xcbeab5696d288059, 0xe43ccfdeaca282df },
		{ 0xd7d9f005d02945a3, 0x8bc700bf57746b73, 0xb7ca25c30c6ec011,
		  0x3696d1b73c500dca, 0xc0e3ce32732c8587, 0x16356323eeb783f7 },
		{ 0x30f4f4ad593ab85c, 0xf9065394235d8ec0, 0x59e47e3cc42995b3,
		  0xea214ca0b8bb01f8, 0xc1c91f69331d5170, 0x349b48481cb5fcd4 },
	} },
	{ "restricted", restricted, {
		{ 0x63fcea8d73d2ea8a, 0x0fbc2b7b58c4a0b8, 0x7a7c2754c961a86d,
		  0x5f7e7e3881cd4b86, 0x760ba25b21373a23, 0x249ddbbc56b449be },
		{ 0xc5a5e09c2e0a7d2b, 0x2312489a1f574765, 0x1b405369f6a20eb5,
		  0x5d9434fc0b6250ff, 0xcca83d37b05885c9, 0xc8e2be9327ec0afb },
		{ 0xb3c0d9540c264797, 0x2dbefaf0976809a1, 0xb2b59674b47a7d27,
		  0xa69a26d0e1d17856, 0x0272680015e4f53f, 0x6cca60f4d7722546 },
		{ 0xa56f18d0b8ed9e4a, 0x6feb7014ee4c729d, 0x9c41c77623d8f319,
		  0xa11c86986684fa8e, 0x13a06417663fd3bd, 0x8f1eece647270195 },
	} },
	{ "High CAVLC", high_cavlc, {
		{ 0xb02eb3f6bbfddab6, 0xa1208ed42a2a6c75, 0x67762c99b320226f,
		  0x74af40b82432af50, 0xde9d0bc798b73dd5, 0x02401aa6d6c9f425 },
		{ 0xd066856a906ba599, 0x62ade91c31808ee9, 0x741dd11e4b9d0ab1,
		  0x0f49eadddd493d0d, 0xf94aec066e6e7d1b, 0x80b74fc2b319bce9 },
		{ 0x81818ee9af06d1e5, 0xca03ab5bd40aea59, 0xecd2765a78e9dc14,
		  0x3769d122228f43e7, 0xb8d62141d7a56c4b, 0x5e0deeafb00a4413 },
		{ 0x8e57e97942b7d8da, 0x000952fb5ef16cc5, 0x3b54b0edbee2cccb,
		  0x81404f7338b0f789, 0xe45c00d979794b93, 0x6ae1737955fb824b },
	} },
	{ "CAVLC by rate and distortion", decided_cavlc, {
		{ 0x7b031c934180f784, 0xdbb03882039fa728, 0xe1a4ed871ea2e40f,
		  0x5122eb7af88ee9c0, 0x5c5ec0d4465feb4c, 0xf7e64299c1b7d1a7 },
		{ 0x9fbdb9a53866c46c, 0xa9a2bfc2de9c95b4, 0xdb6ffe334d0ad777,
		  0xf47d3bd9ca66247d, 0xdac1895102e0defa, 0x0614edcc2debdfd5 },
		{ 0x0a8a4b844109d7df, 0xbc55cc8b12beefcb, 0xdef1bb0751c9494f,
		  0xa67c74b3b7d501a2, 0x38ed1e34a4a02c39, 0x69e89ea590116d4e },
		{ 0x78abef5d60a49b9f, 0xbd304efcfba02924, 0x91329827571c8f05,
		  0x9587738882d2b89d, 0x7f590db782ecf4c2, 0x96983205c6e1fe96 },
	} },
	{ "CABAC by rate and distortion", decided_cabac, {
		{ 0x182f2e50e02688e8, 0xac8350e1985baca8, 0xc2c3d3eafebedc44,
		  0xa38c5c52dd8560b5, 0x262fc0c4f42a2aaf, 0x17c9549d46e49d60 },
		{ 0xc13abc4f4190548a, 0x1b251b07d60cf075, 0xa0984a8935e04cb7,
		  0xb82ce01f75fe0e3f, 0xa0a1a8ff26e68a06, 0x196a6d864bf47660 },
		{ 0x4f6c07fcd3eb633b, 0x7746c0861a385c47, 0x453a0498e93a9095,
		  0x8ef9130349d4ffae, 0xaf3d6b26db22f1b5, 0x6062185ae99def10 },
		{ 0x82c32c9d2e0c498f, 0xd677c006c069c983, 0x2df4304ba0b397c9,
		  0x47c627404e8b1573, 0x396c41157e27c5cb, 0x18f277042f79055f },
	} },
};
/* clang-format on */

static uint64_t encode(h264i_options o, int pattern, int qp)
{
	test_video v = test_video_make(178, 98, 2, pattern);
	test_stream s = { 0 };
	uint64_t h = 0;

	o.qp = qp;
	if (v.pixels && test_encode(&v, o, &s) == H264I_OK)
		h = hash(s.data, s.bytes);
	free(v.pixels);
	free(s.data);
	return h;
}

static void test_bytes(void)
{
	int show = getenv("H264I_BYTES_SHOW") != NULL;

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		if (show)
			printf("\n\t{ \"%s\", {", tables[t].name);
		for (int p = 0; p < TEST_PATTERNS; p++) {
			for (int i = 0; i < QPS; i++) {
				uint64_t h = encode(tables[t].options(), p, qps[i]);

				if (show)
					printf("%s0x%016" PRIx64 ",%s", i % 3 ? " " : "\n\t\t", h,
						i == QPS - 1 ? "\n" : "");
				else if (h != tables[t].hash[p][i])
					printf("\n  %s, pattern %d, QP %d: other bytes\n",
						tables[t].name, p, qps[i]);
				if (!show)
					CU_ASSERT_EQUAL(h, tables[t].hash[p][i]);
			}
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "streams have the stored bytes", test_bytes },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("bytes", tests);
}
