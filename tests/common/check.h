/* An assertion with a message, which CUnit's own do not have. */
#ifndef TESTS_COMMON_CHECK_H
#define TESTS_COMMON_CHECK_H

/* Fails the test, prints the place and a message (printf), and returns from the function. The
 * arguments of the message are evaluated after the condition. */
#define CHECK(cond, ...)                                                           \
	do {                                                                       \
		const int check_ok = (cond) != 0;                                  \
                                                                                   \
		if (!test_check(check_ok, #cond, __FILE__, __LINE__, __VA_ARGS__)) \
			return;                                                    \
	} while (0)

/* Records an assertion of the current test; after a failure prints file, line, expression and
 * message on standard error. Returns ok. */
int test_check(int ok, const char *expression, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
