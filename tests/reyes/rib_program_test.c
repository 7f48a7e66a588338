/* Procedural "RunProgram": programs are off by default, get their argument, are bounded in time,
 * and leave neither processes nor descriptors. */
#define _GNU_SOURCE
#include "tests/reyes/rib_common.h"
#include "tests/reyes/rib_folder.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

static unsigned count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Writes an executable script "p" and a scene that runs it with two words. */
static int make_program(const char *script)
{
	char text[2000];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	if (folder_text("p", text) || chmod(folder_path("p"), 0700))
		return -1;
	return folder_text("p.rib", "Sides 1\n"
				    "Procedural \"RunProgram\" [\"p a 'b;c' $X\" \"1 ring\"] "
				    "[-1 1 -1 1 -1 1]\nSides 3");
}

/* Reads p.rib; returns the number of frames, or -1 also if a process or descriptor is left. */
static int run(reyes_renderer *r, uint32_t limit_ms)
{
	const unsigned before = count_descriptors();
	int frames;

	record_clear(r);
	if (reyes_rib_open(r, folder_path("p.rib")) != REYES_OK)
		return -1;
	reyes_i_rib_set_program_limit(r->rib, limit_ms);
	frames = read_frames(r);
	if (count_descriptors() != before || waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		return -1;
	return frames;
}

static void programs_are_not_executed_without_permission(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(!make_program("echo Sides 2; touch $0.ran"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.warnings == 1 && !r.errors, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "--allow-programs"), "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\nSides 3\n") == 0, "%s", calls_of(&r));
	CHECK(access(folder_path("p.ran"), F_OK) != 0, "%s", folder);
	record_free(&r);
}

static void the_program_gets_detail_and_argument_on_its_standard_input(void)
{
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	CHECK(!make_program("read a b\necho \"Surface \\\"$a|$b\\\" Surface \\\"$1|$2|$3\\\"\""),
		"%s", folder);
	CHECK(run(&r, 60000) == 0 && !r.errors, "%s", log_of(&r));
	/* The words are separated by blanks; no shell reads them. */
	CHECK(strcmp(calls_of(&r), "Sides 1\nAttributeBegin\nSurface \"262144|1 ring\"\n"
				   "Surface \"a|'b;c'|$X\"\nAttributeEnd\nSides 3\n") == 0,
		"%s", calls_of(&r));
	record_free(&r);
}

static void the_byte_0377_ends_the_output(void)
{
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	CHECK(!make_program("printf 'Sides 2 \\377 Sides 9'; exec sleep 1000"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\nAttributeBegin\nSides 2\nAttributeEnd\nSides 3\n") ==
			0,
		"%s", calls_of(&r));
	record_free(&r);
}

static void a_program_that_does_not_end_is_ended_after_its_time_limit(void)
{
	static const char *const scripts[] = { "while :; do :; done",
		"while :; do echo Sides 2; done", "sleep 1000 & echo Sides 2; wait",
		"printf 'Color [1 '; exec sleep 1000" };
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	r.is_silent = 1;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		CHECK(!make_program(scripts[i]), "%s", folder);
		CHECK(run(&r, 200) == 0, "%s", scripts[i]);
		CHECK(r.errors >= 1 && !r.unplaced && r.blocks == 0, "%s: %u", scripts[i],
			r.errors);
	}
	record_free(&r);
}

static void output_without_the_byte_0377_is_a_warning_once(void)
{
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	CHECK(!make_program("echo Sides 2"), "%s", folder);
	CHECK(!folder_text("p.rib", "Procedural \"RunProgram\" [\"p\" \"\"] 0 0 0 0 0 0\n"
				    "Procedural \"RunProgram\" [\"p\" \"\"] 0 0 0 0 0 0\n"
				    "WorldBegin WorldEnd\n"
				    "Procedural \"RunProgram\" [\"p\" \"\"] 0 0 0 0 0 0\n"),
		"%s", folder);
	CHECK(run(&r, 60000) == 1 && r.warnings == 1 && !r.errors, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "p.rib:1:1: Procedural: the output of the program \"p\" may be "),
		"%s", log_of(&r));
	/* Output behind the byte, which nothing reads, is no defect. */
	CHECK(!make_program("printf 'Sides 2\\377'; while :; do echo Sides 9; done"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && !r.warnings && !r.errors, "%s", log_of(&r));
	record_free(&r);
}

static void programs_that_fail_are_errors(void)
{
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	/* Without output, and without reading the input. */
	CHECK(!make_program("exit 3"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1 && !r.warnings, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "p.rib:2:1: Procedural: the program \"p a 'b;c' $X\" has failed "
				 "with exit status 3\n"),
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\nAttributeBegin\nAttributeEnd\nSides 3\n") == 0, "%s",
		calls_of(&r));
	/* The status counts after complete output, too. */
	CHECK(!make_program("printf 'Sides 2\\377'; exit 1"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "exit status 1\n"), "%s", log_of(&r));
	CHECK(!make_program("kill -TERM $$"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "p.rib:2:1: Procedural: the program \"p a 'b;c' $X\" was ended by "
				 "signal 15 ("),
		"%s", log_of(&r));
	CHECK(!make_program("echo 'Sides 2 Sphere 1'"), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "error p a 'b;c' $X:2:1: Sphere: expected number 2 of 4"), "%s",
		log_of(&r));
	CHECK(!chmod(folder_path("p"), 0600), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1, "%s", log_of(&r));
	/* qemu-user makes a fork of a vfork, so that the error of the exec does not come back */
	CHECK(getenv("TEST_EMULATED") ||
			strstr(log_of(&r), "cannot be started: it is not executable"),
		"%s", log_of(&r));
	CHECK(!remove(folder_path("p")), "%s", folder);
	CHECK(run(&r, 60000) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(getenv("TEST_EMULATED") ||
			strstr(log_of(&r), "cannot be started: it is in no folder"),
		"%s", log_of(&r));
	CHECK(read_text(&r, "Procedural \"RunProgram\" [\" \" \"\"] 0 0 0 0 0 0") == 0 &&
			r.errors == 1,
		"%s", log_of(&r));
	record_free(&r);
}

static void a_renderer_that_is_closed_ends_its_program(void)
{
	const unsigned before = count_descriptors();
	reyes_renderer r;

	record_init(&r);
	r.options.allow_programs = 1;
	CHECK(!make_program("echo WorldBegin WorldEnd; exec sleep 1000"), "%s", folder);
	CHECK(reyes_rib_open(&r, folder_path("p.rib")) == REYES_OK, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_OK, "%s", log_of(&r));
	record_free(&r);
	CHECK(count_descriptors() == before, "%u", count_descriptors());
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "%d", errno);
}

static CU_TestInfo tests[] = {
	{ "programs are not executed without permission",
		programs_are_not_executed_without_permission },
	{ "the program gets detail and argument on its standard input",
		the_program_gets_detail_and_argument_on_its_standard_input },
	{ "the byte 0377 ends the output", the_byte_0377_ends_the_output },
	{ "a program that does not end is ended after its time limit",
		a_program_that_does_not_end_is_ended_after_its_time_limit },
	{ "output without the byte 0377 is a warning once",
		output_without_the_byte_0377_is_a_warning_once },
	{ "programs that fail are errors", programs_that_fail_are_errors },
	{ "a renderer that is closed ends its program",
		a_renderer_that_is_closed_ends_its_program },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "RIB programs",
					  .pInitFunc = folder_open,
					  .pCleanupFunc = folder_close,
					  .pTests = tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
