/* A page that compares the records of two machines. */
#include "apps/gsched/repro_record.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number that a cell begins with, as xml_number() and units write it, or 0. */
static double number_of(const char *cell)
{
	static const char units[] = "kMGT";
	char *end;
	double v = cell ? strtod(cell, &end) : 0;

	if (!cell || end == cell)
		return 0;
	for (const char *u = *end ? strchr(units, *end) : NULL; u && u >= units; u--)
		v *= 1000;
	return v;
}

/* "0.27 / 0.31 (1.15)"; a text that both have, once. */
static void put_pair(repro *r, repro_cells *c, const char *a, const char *b)
{
	const double x = number_of(a), y = number_of(b);

	if (a && b && strcmp(a, b) == 0)
		repro_cell(r, c, "%s", a);
	else if (x > 0 && y > 0)
		repro_cell(r, c, "%s / %s (%.3g)", a, b, y / x);
	else
		repro_cell(r, c, "%s / %s", a && *a ? a : "-", b && *b ? b : "-");
}

static size_t find_text(const char *const *texts, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && strcmp(texts[i], text) != 0)
		i++;
	return i;
}

/* The first row of `t` from `from` on that begins with this cell; row_count: none. */
static size_t find_row(const report_table *t, size_t from, const char *cell)
{
	while (from < t->row_count && strcmp(t->cells[from * t->column_count], cell) != 0)
		from++;
	return from;
}

/* Rows belong together that begin with the same cell, in their order. */
static void pair_tables(repro *r, report_section *s, const report_table *a, const report_table *b)
{
	const char *columns = "";
	repro_cells *c;
	size_t next = 0;

	for (size_t k = 0; k < a->column_count; k++)
		columns = repro_text(r, "%s%s%s", columns, k ? "|" : "", a->columns[k]);
	c = repro_table(r, s, a->caption, columns);
	for (size_t i = 0; i < a->row_count; i++) {
		const char *const *row = a->cells + i * a->column_count;
		const size_t at = find_row(b, next, row[0]);
		const char *const *other =
			at < b->row_count ? b->cells + at * b->column_count : NULL;

		if (other)
			next = at + 1;
		repro_cell(r, c, "%s", row[0]);
		for (size_t k = 1; k < a->column_count; k++) {
			const size_t column = find_text(b->columns, b->column_count, a->columns[k]);

			put_pair(r, c, row[k],
				other && column < b->column_count ? other[column] : NULL);
		}
	}
}

static const report_section *find_section(const report_page *page, const report_section *like)
{
	for (size_t i = 0; i < page->section_count; i++) {
		const report_section *s = &page->sections[i];

		if (strcmp(s->heading, like->heading) == 0 && !s->source == !like->source &&
			(!s->source || strcmp(s->source, like->source) == 0))
			return s;
	}
	return NULL;
}

static const char *verdict_of(const report_section *s)
{
	return s && s->claim ? report_verdict_name(s->verdict) : "-";
}

/* Adds the table of all claims. */
static void compare_verdicts(repro *r, const report_page both[2])
{
	report_section *s = repro_section(r, "Verdicts", NULL);
	repro_cells *c = repro_table(r, s, NULL, "section|claim|A|B");
	size_t same = 0, other = 0;

	for (size_t m = 0; m < 2; m++)
		for (size_t i = 0; i < both[m].section_count; i++) {
			const report_section *own = &both[m].sections[i];
			const report_section *peer = find_section(&both[!m], own);

			if (!own->claim || (m && peer))
				continue;
			repro_cell(r, c, "%s", own->heading);
			repro_cell(r, c, "%s", own->claim);
			repro_cell(r, c, "%s", verdict_of(m ? peer : own));
			repro_cell(r, c, "%s", verdict_of(m ? own : peer));
			if (peer && peer->claim && peer->verdict == own->verdict)
				same++;
			else
				other++;
		}
	s->text = repro_text(r, "%zu verdicts are the same, %zu differ.", same, other);
}

static void compare_facts(repro *r, const report_page both[2], const char *const names[2])
{
	report_section *s = repro_section(r, "Machines", NULL);
	repro_cells *c = repro_table(r, s, NULL, "|A|B");

	repro_cell(r, c, "record");
	for (size_t m = 0; m < 2; m++)
		repro_cell(r, c, "%s", names[m]);
	for (size_t i = 0; i < both[0].fact_count; i++) {
		const report_fact *f = &both[0].facts[i];
		const char *other = NULL;

		for (size_t k = 0; k < both[1].fact_count; k++)
			if (strcmp(both[1].facts[k].name, f->name) == 0)
				other = both[1].facts[k].value;
		repro_cell(r, c, "%s", f->name);
		repro_cell(r, c, "%s", f->value ? f->value : "");
		repro_cell(r, c, "%s", other ? other : "");
	}
}

void repro_compare(repro *r, const report_page both[2], const char *const names[2])
{
	compare_facts(r, both, names);
	compare_verdicts(r, both);
	for (size_t i = 0; i < both[0].section_count; i++) {
		const report_section *a = &both[0].sections[i], *b = find_section(&both[1], a);
		report_section *s;

		if (!b || !a->table_count || !b->table_count)
			continue;
		s = repro_section(r, a->heading, a->source);
		if (a->claim)
			s->text = repro_text(r, "%s\n\nA: %s. %s\n\nB: %s. %s", a->claim,
				verdict_of(a), a->reason ? a->reason : "", verdict_of(b),
				b->reason ? b->reason : "");
		for (size_t k = 0; k < a->table_count && k < b->table_count; k++)
			if (a->tables[k].column_count && b->tables[k].column_count)
				pair_tables(r, s, &a->tables[k], &b->tables[k]);
	}
}
