// A C++17 program on libnqueens: a number of 128 bits is read and written.
#include <nqueens/nqueens.h>
#include <string>

int main()
{
	const std::string digits = "123456789012345678901234567890";
	nq_count count;
	char text[NQ_COUNT_TEXT_BYTES];

	const bool parsed = nq_count_parse(digits.c_str(), &count) == NQ_OK;

	return parsed && digits == nq_count_text(count, text) ? 0 : 1;
}
