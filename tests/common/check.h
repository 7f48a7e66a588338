/* An assertion with a message, which CUnit's own do not have. */
#ifndef TESTS_COMMON_CHECK_H
#define TESTS_COMMON_CHECK_H

/* Fails the test, prints the place and a message (printf), and returns from the function. */
#define CHECK(cond, ...)                                                              \
	do {                                                                          \
		if (!test_check((cond) != 0, #cond, __FILE__, __LINE__, __VA_ARGS__)) \
			return;                                                       \
	} while (0)

/* Records an assertion of the current test; after a failure prints file, line, expression and
 * message on standard error. Returns ok. */
int test_check(int ok, const char *expression, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
