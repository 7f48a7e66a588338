/* Arithmetic of 128-bit counts; names of enumerators. */
#include <string.h>
#include <nqueens/nqueens.h>
#include "nqueens/core/error.h"

__extension__ typedef unsigned __int128 wide;

static wide wide_of(nq_count a)
{
	return (wide)a.hi << 64 | a.lo;
}

static nq_count count_of(wide a)
{
	nq_count r = { (uint64_t)a, (uint64_t)(a >> 64) };

	return r;
}

nq_count nq_count_of(uint64_t value)
{
	return count_of(value);
}

nq_count nq_count_add(nq_count a, nq_count b)
{
	return count_of(wide_of(a) + wide_of(b));
}

nq_count nq_count_mul(nq_count a, uint64_t factor)
{
	return count_of(wide_of(a) * factor);
}

nq_count nq_count_div(nq_count a, uint64_t divisor, uint64_t *rest)
{
	if (rest)
		*rest = divisor ? (uint64_t)(wide_of(a) % divisor) : 0;
	return count_of(divisor ? wide_of(a) / divisor : 0);
}

int nq_count_cmp(nq_count a, nq_count b)
{
	return wide_of(a) < wide_of(b) ? -1 : wide_of(a) > wide_of(b);
}

double nq_count_double(nq_count a)
{
	return (double)a.hi * 18446744073709551616.0 + (double)a.lo;
}

char *nq_count_text(nq_count a, char *text)
{
	char digits[NQ_COUNT_TEXT_BYTES];
	wide rest = wide_of(a);
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest);
	for (size_t i = 0; i < n; i++)
		text[i] = digits[n - 1 - i];
	text[n] = '\0';
	return text;
}

nq_status nq_count_parse(const char *text, nq_count *out)
{
	const wide most = ~(wide)0;
	wide sum = 0;

	if (out)
		*out = nq_count_of(0);
	if (!out || !text)
		return nq_i_fail(NQ_ERR_ARG, "nq_count_parse: text or out is NULL");
	if (!*text)
		return nq_i_fail(NQ_ERR_ARG, "'' is not a number");
	for (const char *at = text; *at; at++) {
		const wide digit = (wide)(*at - '0');

		if (*at < '0' || *at > '9' || sum > (most - digit) / 10)
			return nq_i_fail(
				NQ_ERR_ARG, "'%s' is not a number of up to 128 bits", text);
		sum = sum * 10 + digit;
	}
	*out = count_of(sum);
	return NQ_OK;
}

const char *nq_strstatus(nq_status status)
{
	switch (status) {
#define NQ_X(name, number, text) \
	case NQ_##name:          \
		return text;
		NQ_STATUSES(NQ_X)
#undef NQ_X
	}
	return "unknown status";
}

static const char *const method_names[] = { "auto", "tasks", "backtrack", "join" };
static const char *const backend_names[] = { "auto", "cpu", "cuda" };
static const char *const simd_names[] = { "auto", "scalar", "avx2", "avx512" };

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int find(const char *const *table, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(table[i], name) == 0)
			return (int)i;
	return -1;
}

const char *nq_method_name(nq_method m)
{
	return (unsigned)m < COUNT(method_names) ? method_names[m] : NULL;
}

const char *nq_simd_name(nq_simd s)
{
	return (unsigned)s < COUNT(simd_names) ? simd_names[s] : NULL;
}

const char *nq_backend_name(nq_backend b)
{
	return (unsigned)b < COUNT(backend_names) ? backend_names[b] : NULL;
}

int nq_backend_parse(const char *name, nq_backend *out)
{
	const int i = find(backend_names, COUNT(backend_names), name);

	if (i >= 0)
		*out = (nq_backend)i;
	return i >= 0 ? 0 : -1;
}

int nq_method_parse(const char *name, nq_method *out)
{
	const int i = find(method_names, COUNT(method_names), name);

	if (i >= 0)
		*out = (nq_method)i;
	return i >= 0 ? 0 : -1;
}

int nq_simd_parse(const char *name, nq_simd *out)
{
	const int i = find(simd_names, COUNT(simd_names), name);

	if (i >= 0)
		*out = (nq_simd)i;
	return i >= 0 ? 0 : -1;
}
