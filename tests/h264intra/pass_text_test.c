/* The text between two passes: what is written is read again, and nothing else is read. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <h264intra/h264intra.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 3, DETAIL = 52, W = 352, H = 288 };

static h264i_packet packet_of(uint32_t n)
{
	static uint32_t detail[PICTURES][DETAIL];
	h264i_packet p;

	h264i_packet_init(&p);
	p.detail = detail[n];
	p.detail_count = DETAIL;
	p.qp = n == 1 ? 51 : (int)n;
	p.data_bytes = n == 1 ? UINT32_MAX : 1 + n;
	p.time_ns = n == 1 ? (uint64_t)1 << 58 : n;
	for (uint32_t i = 0; i < DETAIL; i++)
		detail[n][i] = n == 1 ? UINT32_MAX : i * n;
	return p;
}

/* Returns a log of PICTURES, which the caller frees. */
static char *log_text(void)
{
	char *text = malloc((PICTURES + 2) * H264I_PASS_LINE_BYTES);
	size_t n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	n = h264i_pass_write_size(text, W, H);
	for (uint32_t i = 0; i < PICTURES; i++) {
		h264i_packet p = packet_of(i);
		size_t bytes = h264i_pass_write_picture(text + n, &p);

		CU_ASSERT_EQUAL(bytes, strlen(text + n));
		n += bytes;
	}
	n += h264i_pass_write_end(text + n, PICTURES);
	CU_ASSERT_EQUAL(n, strlen(text));
	return text;
}

/* Returns 0 and the pictures, or 1 and a message. */
static int refused(const char *text, uint32_t width, h264i_pass_picture **p, size_t *n, char *msg)
{
	h264i_status s = h264i_pass_read(text, width, H, p, n, msg, 300);

	if (s != H264I_OK)
		CU_ASSERT_TRUE(s == H264I_ERR_ARG && !*p && !*n && *msg);
	return s != H264I_OK;
}

static void test_round_trip(void)
{
	char *text = log_text(), msg[300] = "";
	h264i_pass_picture *p;
	size_t n;

	CU_ASSERT_FALSE_FATAL(refused(text, W, &p, &n, msg));
	CU_ASSERT_EQUAL_FATAL(n, PICTURES);
	for (uint32_t i = 0; i < PICTURES; i++) {
		h264i_packet want = packet_of(i);

		CU_ASSERT_EQUAL(p[i].qp, want.qp);
		CU_ASSERT_EQUAL(p[i].bytes, want.data_bytes);
		CU_ASSERT_EQUAL(p[i].detail_count, DETAIL);
		CU_ASSERT_EQUAL(memcmp(p[i].detail, want.detail, 4 * DETAIL), 0);
		CU_ASSERT_EQUAL(p[i].time_ns, want.time_ns);
	}
	h264i_pass_free(p);
	CU_ASSERT_TRUE(refused(text, W - 1, &p, &n, msg));
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "not with 'gpuintra pass 1, 351x288'"));
	CU_ASSERT_TRUE(refused("gpuintra pass 1, 352x288\r\n", W, &p, &n, msg));
	CU_ASSERT_STRING_EQUAL(msg, "line 1 does not end with a newline (LF) alone");
	CU_ASSERT_TRUE(refused("gpuintra pass 1, 352x288", W, &p, &n, msg));
	CU_ASSERT_STRING_EQUAL(msg, "line 1 does not end with a newline (LF) alone");
	CU_ASSERT_TRUE(refused("gpu\033[2J", W, &p, &n, msg));
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "begins with 'gpu', not with"));
	CU_ASSERT_TRUE(refused("gpuintra pass 1, 352x28", W, &p, &n, msg));
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "begins with 'gpuintra pass 1, 352x28', not with"));
	CU_ASSERT_EQUAL(h264i_pass_read(NULL, W, H, &p, &n, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_pass_read("", W, H, &p, &n, NULL, 0), H264I_ERR_ARG);
	free(text);
}

/* A log that ends early, has another byte, or has more behind its end. Changes of a digit may be
 * another log of this size. */
static void test_damage(void)
{
	char *text = log_text(), msg[300] = "";
	const size_t bytes = strlen(text);
	h264i_pass_picture *p;
	size_t n;

	for (size_t i = 0; i < bytes; i++) {
		const char was = text[i];

		text[i] = '\0';
		CU_ASSERT_TRUE(refused(text, W, &p, &n, msg));
		for (const char *c = " \n-x\r"; *c; c++) {
			text[i] = *c;
			CU_ASSERT_EQUAL(refused(text, W, &p, &n, msg), *c != was);
			h264i_pass_free(p);
		}
		text[i] = was;
	}
	strcpy(text + bytes, "\n");
	CU_ASSERT_TRUE(refused(text, W, &p, &n, msg));
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "line 5 is wrong or missing"));
	free(text);
}

/* Numbers beyond their range; random digits, of which whatever is read is in range. */
static void test_ranges(void)
{
	static const char *const bad[] = { "52 9", "18446744073709551616 9", "5 0", "5 4294967296",
		"5 99999999999999999999999" };
	char *text = log_text(), msg[300];
	const size_t head = strcspn(text, "\n") + 1, bytes = strlen(text);
	h264i_pass_picture *p;
	size_t n;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[H264I_PASS_LINE_BYTES];
		int at = snprintf(line, sizeof(line), "%.*s%s", (int)head, text, bad[i]);

		for (int k = 0; k < DETAIL + 1; k++)
			at += snprintf(line + at, sizeof(line) - (size_t)at, " 1");
		snprintf(line + at, sizeof(line) - (size_t)at, "\nend 1\n");
		CU_ASSERT_TRUE(refused(line, W, &p, &n, msg));
		CU_ASSERT_PTR_NOT_NULL(strstr(msg, "line 2"));
	}
	for (int i = 0; i < 20000; i++) {
		const size_t at = head + rng_below((uint32_t)(bytes - head));
		const char was = text[at];

		text[at] = (char)('0' + rng_below(10));
		if (!refused(text, W, &p, &n, msg))
			for (size_t k = 0; k < n; k++)
				CU_ASSERT_TRUE(p[k].qp >= 0 && p[k].qp <= 51 && p[k].bytes >= 1 &&
					       p[k].bytes <= UINT32_MAX);
		h264i_pass_free(p);
		text[at] = was;
	}
	free(text);
}

/* Writes a file of these bytes. */
static void write_file(const char *path, const char *text, size_t bytes)
{
	FILE *f = fopen(path, "wb");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(fwrite(text, 1, bytes, f), bytes);
	CU_ASSERT_EQUAL(fclose(f), 0);
}

/* Logs of files: short and of several blocks, and what is no log. */
static void test_files(void)
{
	static const char path[] = "pass_text_test.log";
	enum { MANY = 1000 };
	char *text = log_text(), msg[300], *many = malloc(MANY * H264I_PASS_LINE_BYTES);
	h264i_packet packet = packet_of(1);
	h264i_pass_picture *p;
	size_t n, bytes;

	CU_ASSERT_PTR_NOT_NULL_FATAL(many);
	write_file(path, text, strlen(text));
	CU_ASSERT_EQUAL(h264i_pass_read_file(path, W, H, &p, &n, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_TRUE(n == PICTURES && p[1].bytes == packet.data_bytes);
	h264i_pass_free(p);

	bytes = h264i_pass_write_size(many, W, H);
	for (int i = 0; i < MANY; i++)
		bytes += h264i_pass_write_picture(many + bytes, &packet);
	bytes += h264i_pass_write_end(many + bytes, MANY);
	write_file(path, many, bytes);
	CU_ASSERT_EQUAL(h264i_pass_read_file(path, W, H, &p, &n, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_TRUE(n == MANY && p[MANY - 1].bytes == packet.data_bytes);
	h264i_pass_free(p);
	many[bytes / 2] = '\0';
	write_file(path, many, bytes);
	CU_ASSERT_EQUAL(h264i_pass_read_file(path, W, H, &p, &n, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_TRUE(!p && !n && strstr(msg, "is wrong or missing"));

	remove(path);
	errno = 0;
	CU_ASSERT_EQUAL(h264i_pass_read_file(path, W, H, &p, &n, msg, sizeof(msg)), H264I_ERR_IO);
	CU_ASSERT_TRUE(errno == ENOENT && !p && !n && !strcmp(msg, strerror(ENOENT)));
	CU_ASSERT_EQUAL(h264i_pass_read_file("/", W, H, &p, &n, msg, sizeof(msg)), H264I_ERR_IO);
	CU_ASSERT_TRUE(errno == EISDIR && !strcmp(msg, strerror(EISDIR)));
	CU_ASSERT_EQUAL(h264i_pass_read_file("/dev/zero", W, H, &p, &n, NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_pass_read_file(NULL, W, H, &p, &n, NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_pass_read_file("/", W, H, NULL, &n, NULL, 0), H264I_ERR_ARG);
	free(text);
	free(many);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a log that is written is read", test_round_trip },
		{ "a damaged log is refused", test_damage },
		{ "no number is out of range", test_ranges },
		{ "a file is read as far as it can be a log", test_files },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("log of two passes", tests);
}
