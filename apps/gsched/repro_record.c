#include "apps/gsched/repro_record.h"

#include "libsched/core/json.h"

#include <errno.h>
#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <string.h>

/* The version of records; it changes with the meaning of their members. */
enum { RECORD_VERSION = 1 };

static void put_table(lsched_i_json *j, const report_table *t)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "caption", t->caption);
	lsched_i_json_line_array(j, "columns");
	for (size_t k = 0; k < t->column_count; k++)
		lsched_i_json_text(j, NULL, t->columns[k]);
	lsched_i_json_close(j);
	lsched_i_json_line_array(j, "rows");
	for (size_t i = 0; i < t->row_count; i++) {
		lsched_i_json_line_array(j, NULL);
		for (size_t k = 0; k < t->column_count; k++)
			lsched_i_json_text(j, NULL, t->cells[i * t->column_count + k]);
		lsched_i_json_close(j);
	}
	lsched_i_json_line_close(j);
	lsched_i_json_line_close(j);
}

static void put_section(lsched_i_json *j, const report_section *s)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "heading", s->heading);
	lsched_i_json_text(j, "source", s->source);
	if (s->claim) {
		lsched_i_json_line(j);
		lsched_i_json_text(j, "claim", s->claim);
		lsched_i_json_text(j, "verdict", report_verdict_name(s->verdict));
		lsched_i_json_text(j, "reason", s->reason);
	}
	if (s->table_count) {
		lsched_i_json_line_array(j, "tables");
		for (size_t i = 0; i < s->table_count; i++)
			put_table(j, &s->tables[i]);
		lsched_i_json_line_close(j);
	}
	lsched_i_json_line_close(j);
}

void record_write(const report_page *page, FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	lsched_i_json_object(&j, NULL);
	lsched_i_json_line(&j);
	lsched_i_json_uint(&j, "gsched_reproduce", RECORD_VERSION);
	lsched_i_json_line_object(&j, "facts");
	for (size_t i = 0; i < page->fact_count; i++)
		lsched_i_json_text(&j, page->facts[i].name, page->facts[i].value);
	lsched_i_json_close(&j);
	lsched_i_json_line_array(&j, "sections");
	for (size_t i = 0; i < page->section_count; i++)
		put_section(&j, &page->sections[i]);
	lsched_i_json_line_close(&j);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j);
}

#ifdef HAVE_JANSSON
/* Returns a copy of a text, or `other`. */
static const char *copy(repro *r, const json_t *o, const char *other)
{
	return json_is_string(o) ? repro_text(r, "%s", json_string_value(o)) : other;
}

static const char *text_of(repro *r, const json_t *o, const char *key)
{
	return copy(r, json_object_get(o, key), NULL);
}

/* Sets n texts to those of an array, and to "" where it has none. */
static void take_texts(repro *r, const json_t *array, const char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		texts[i] = copy(r, json_array_get(array, i), "");
}

static void take_table(repro *r, const json_t *o, report_table *t)
{
	const json_t *rows = json_object_get(o, "rows"), *columns = json_object_get(o, "columns");
	const size_t n = json_array_size(columns);
	const char **texts;

	t->caption = text_of(r, o, "caption");
	t->column_count = n;
	t->row_count = json_array_size(rows);
	texts = repro_alloc(r, (t->row_count + 1) * n * sizeof(*texts));
	t->columns = texts;
	t->cells = texts + n;
	take_texts(r, columns, texts, n);
	for (size_t i = 0; i < t->row_count; i++)
		take_texts(r, json_array_get(rows, i), texts + (i + 1) * n, n);
}

/* Returns whether repro_table() can make a table like this one. */
static int fits(const report_table *t)
{
	for (size_t k = 0; k < t->column_count; k++)
		if (strchr(t->columns[k], '|'))
			return 0;
	return t->column_count <= REPRO_COLUMNS && t->row_count * t->column_count <= REPRO_CELLS;
}

/* A page of comparison has two sections more, and a row of four cells for each claim. */
static int page_fits(const report_page *page)
{
	if (page->section_count == 0 || page->section_count > REPRO_SECTIONS - 2)
		return 0;
	for (size_t i = 0; i < page->section_count; i++) {
		const report_section *s = &page->sections[i];

		if (s->table_count > REPRO_PARTS)
			return 0;
		for (size_t k = 0; k < s->table_count; k++)
			if (!fits(&s->tables[k]))
				return 0;
	}
	return 1;
}

static void take_section(repro *r, const json_t *o, report_section *s)
{
	const json_t *tables = json_object_get(o, "tables");
	const char *verdict = json_string_value(json_object_get(o, "verdict"));
	report_table *t;

	s->heading = copy(r, json_object_get(o, "heading"), "");
	s->source = text_of(r, o, "source");
	s->claim = text_of(r, o, "claim");
	s->reason = text_of(r, o, "reason");
	for (int v = REPORT_NOT_MEASURED; verdict && v <= REPORT_DOES_NOT_HOLD; v++)
		if (strcmp(verdict, report_verdict_name((report_verdict)v)) == 0)
			s->verdict = (report_verdict)v;
	s->table_count = json_array_size(tables);
	s->tables = t = repro_alloc(r, (s->table_count + 1) * sizeof(*t));
	for (size_t i = 0; i < s->table_count; i++)
		take_table(r, json_array_get(tables, i), &t[i]);
}

static void take_page(repro *r, const json_t *o, report_page *page)
{
	json_t *facts = json_object_get(o, "facts"), *value;
	const json_t *sections = json_object_get(o, "sections");
	report_section *s;
	report_fact *f;
	const char *key;

	page->facts = f = repro_alloc(r, (json_object_size(facts) + 1) * sizeof(*f));
	json_object_foreach(facts, key, value) f[page->fact_count++] =
		(report_fact){ repro_text(r, "%s", key), text_of(r, facts, key) };
	page->section_count = json_array_size(sections);
	page->sections = s = repro_alloc(r, (page->section_count + 1) * sizeof(*s));
	for (size_t i = 0; i < page->section_count; i++)
		take_section(r, json_array_get(sections, i), &s[i]);
}

int record_read(repro *r, const char *path, report_page *page)
{
	FILE *f = fopen(path, "rb");
	const int first = f ? ungetc(fgetc(f), f) : EOF, why = errno;
	json_error_t error;
	json_t *o = f ? json_loadf(f, 0, &error) : NULL;
	int bad;

	memset(page, 0, sizeof(*page));
	if (json_integer_value(json_object_get(o, "gsched_reproduce")) == RECORD_VERSION)
		take_page(r, o, page);
	bad = !page_fits(page);
	if (!f || (first == EOF && ferror(f)))
		log_print(r->log, LOG_LEVEL_ERROR, "%s: %s", path, strerror(why));
	else if (!o)
		log_print(r->log, LOG_LEVEL_ERROR, "%s: line %d: %s", path, error.line, error.text);
	else if (bad)
		log_print(r->log, LOG_LEVEL_ERROR,
			"%s: no record of gsched reproduce --json that this program can read",
			path);
	if (f)
		fclose(f);
	json_decref(o);
	return bad ? -1 : 0;
}
#else
int record_read(repro *r, const char *path, report_page *page)
{
	(void)page;
	log_print(r->log, LOG_LEVEL_ERROR,
		"%s: this gsched cannot read records; build it with libjansson", path);
	return -1;
}
#endif
