/* The commands --print and --first: boards as text, JSON or a picture. */
#include "apps/gqueens/commands.h"
#include "apps/common/stop.h"
#include "apps/gqueens/output.h"
#include "apps/gqueens/picture.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct shown {
	const gq_options *o;
	FILE *text, *json;    /* output of boards; NULL: none */
	lsched_i_json writer; /* to json */
	picture *picture;
	uint64_t boards, most; /* most: boards until the end of this N, 0: all */
	int failed;
} shown;

static void put_columns(FILE *f, uint32_t n, const uint32_t *cols)
{
	for (uint32_t row = 0; row < n; row++)
		fprintf(f, "%s%" PRIu32, row ? " " : "", cols[row]);
}

static void put_json(lsched_i_json *j, uint32_t n, const uint32_t *cols)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_uint(j, "n", n);
	lsched_i_json_array(j, "columns");
	for (uint32_t row = 0; row < n; row++)
		lsched_i_json_uint(j, NULL, cols[row]);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
}

static void put_board(FILE *f, uint32_t n, const uint32_t *cols)
{
	char line[2 * NQ_MAX_N];

	for (uint32_t row = 0; row < n; row++) {
		for (uint32_t col = 0; col < n; col++) {
			line[2 * col] = col == cols[row] ? 'Q' : '.';
			line[2 * col + 1] = col + 1 < n ? ' ' : '\n';
		}
		fwrite(line, 1, (size_t)2 * n, f);
	}
}

/* nq_board_fn */
static int show_board(void *opaque, uint32_t n, const uint32_t *cols)
{
	shown *s = opaque;

	if (s->o->unique && !nq_board_leads_class(n, s->o->given, s->o->given_count, cols))
		return stop_signal();
	if (s->json)
		put_json(&s->writer, n, cols);
	if (s->text && s->o->mode == GQ_FIRST) {
		put_columns(s->text, n, cols);
		fputc('\n', s->text);
	} else if (s->text) {
		if (s->boards)
			fputc('\n', s->text);
		put_board(s->text, n, cols);
	}
	if (s->picture)
		picture_add(s->picture, cols);
	s->boards++;
	s->failed = (s->text && ferror(s->text)) || (s->json && s->writer.failed);
	return s->failed || stop_signal() || s->boards == s->most;
}

/* Neighbouring queens a knight's move apart, if neither 2 nor 3 divides n; otherwise no solution
 * exists (Polya 1918). */
static nq_status first_on_torus(uint32_t n, uint32_t *cols)
{
	if (n % 2 == 0 || n % 3 == 0)
		return NQ_ERR_UNSUPPORTED;
	for (uint32_t row = 0; row < n; row++)
		cols[row] = (uint32_t)((uint64_t)2 * row % n);
	return NQ_OK;
}

static nq_status show_first(shown *s, uint32_t n)
{
	uint32_t *cols = malloc((size_t)n * sizeof(*cols));
	nq_status st = NQ_ERR_NOMEM;

	if (cols)
		st = s->o->toroidal ? first_on_torus(n, cols) : nq_first(n, cols);
	if (st == NQ_OK)
		show_board(s, n, cols);
	free(cols);
	return st;
}

static int show_n(shown *s, uint32_t n, logger *log)
{
	const gq_options *o = s->o;
	const uint64_t before = s->boards;
	const uint64_t most = o->mode == GQ_FIRST ? 1 : o->print_most;
	nq_status st;

	s->most = most ? before + most : 0;
	if (o->mode == GQ_FIRST && !o->given_count)
		st = show_first(s, n);
	else
		st = nq_boards(n, o->toroidal, o->given, o->given_count, 0, show_board, s,
			stop_flag(), NULL);
	if (st == NQ_CANCELLED)
		return CLI_EXIT_FAILED; /* by a signal; main() sets the exit code */
	if (st != NQ_OK && st != NQ_ERR_UNSUPPORTED) {
		log_print(log, LOG_LEVEL_ERROR, "%" PRIu32 " queens: %s", n, nq_strstatus(st));
		return CLI_EXIT_FAILED;
	}
	if (s->boards > before || stop_signal() || s->failed)
		return CLI_EXIT_OK;
	log_print(log, o->mode == GQ_FIRST ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
		"%" PRIu32 " queens: there is no such board", n);
	return o->mode == GQ_FIRST ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

static int show_all(shown *s, logger *log)
{
	int code = CLI_EXIT_OK;

	for (size_t i = 0; i < s->o->n_count && !s->failed && !stop_signal(); i++) {
		const int one = show_n(s, s->o->n[i], log);

		code = one > code ? one : code;
	}
	return code;
}

/* Opened before the search, so that an unwritable file is an early error. */
static int open_files(shown *s, outfile *json, outfile *svg, logger *log)
{
	const gq_options *o = s->o;

	if (o->svg) {
		s->picture = picture_new(o->n[0]);
		if (!s->picture) {
			log_print(log, LOG_LEVEL_ERROR, "out of memory");
			return -1;
		}
	}
	if (o->json_path && outfile_open_log(json, o->json_path, o->overwrite, log))
		return -1;
	if (o->svg && outfile_open_log(svg, o->svg, o->overwrite, log)) {
		char why[OUTFILE_WHY_BYTES];

		(void)outfile_close(json, 0, why);
		return -1;
	}
	s->json = json->to;
	if (s->json != stdout && !o->svg)
		s->text = stdout;
	return 0;
}

/* A picture of an unfinished search is discarded, so that it does not replace a complete one. */
static int close_picture(const shown *s, outfile *svg, int keep, logger *log)
{
	char why[OUTFILE_WHY_BYTES];
	int bad = 0;

	if (keep && picture_write(s->picture, svg->to)) {
		log_print(log, LOG_LEVEL_ERROR, "%s: out of memory", s->o->svg);
		bad = -1;
	}
	if (svg->to == stdout)
		return bad;
	if (keep && !bad)
		return output_close(svg, NULL, log);
	(void)outfile_close(svg, 0, why);
	return bad;
}

int gq_command_show(const gq_options *o, logger *log)
{
	outfile json = { 0 }, svg = { 0 };
	shown s = { .o = o };
	int code = CLI_EXIT_FAILED;

	if (open_files(&s, &json, &svg, log) == 0) {
		if (s.json)
			output_json_begin(&s.writer, s.json, "boards");
		code = show_all(&s, log);
		if (s.json)
			output_json_end(&s.writer);
		if (s.picture &&
			close_picture(&s, &svg, code == CLI_EXIT_OK && !stop_signal(), log))
			code = CLI_EXIT_FAILED;
		if (json.to != stdout && output_close(&json, NULL, log))
			code = CLI_EXIT_FAILED;
		if (output_close_stdout(NULL, log))
			code = CLI_EXIT_FAILED;
	}
	picture_free(s.picture);
	return code;
}
