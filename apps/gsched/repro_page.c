/* The sections of the report: verdicts, charts and tables. */
#include "apps/gsched/repro.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The pictures and tables of a section. */
typedef struct section_parts {
	const char *svgs[REPRO_PARTS];
	report_table tables[REPRO_PARTS];
} section_parts;

report_section *repro_section(repro *r, const char *heading, const char *source)
{
	report_section *s;

	if (!r->sections)
		r->sections = repro_alloc(r, REPRO_SECTIONS * sizeof(*r->sections));
	if (!r->parts)
		r->parts = repro_alloc(r, REPRO_SECTIONS * sizeof(*r->parts));
	if (r->section_count == REPRO_SECTIONS)
		r->section_count--; /* replaces the last one; a test detects the missing section */
	s = &r->sections[r->section_count++];
	memset(s, 0, sizeof(*s));
	s->heading = heading;
	s->source = source;
	return s;
}

report_section *repro_claim(repro *r, const char *heading, const char *claim)
{
	const char *source = r->section_count ? r->sections[r->section_count - 1].source : NULL;
	report_section *s = repro_section(r, heading, source);

	s->claim = claim;
	return s;
}

void repro_judge(repro *r, report_section *s, const char *claim, int measured, int holds,
	const char *explanation, const char *reason, ...)
{
	va_list args;

	va_start(args, reason);
	s->reason = repro_vtext(r, reason, args);
	va_end(args);
	if (!measured && strstr(s->reason, "nan"))
		s->reason = "not all of it was measured";
	s->claim = claim;
	/* tiny loads are as long as the noise of a clock */
	if (!measured || r->scale == REPRO_TINY)
		s->verdict = REPORT_NOT_MEASURED;
	else
		s->verdict = holds ? REPORT_HOLDS : REPORT_DOES_NOT_HOLD;
	if (s->verdict == REPORT_DOES_NOT_HOLD)
		s->explanation = explanation;
}

static section_parts *parts_of(const repro *r, const report_section *s)
{
	return &r->parts[s - r->sections];
}

void repro_svg(repro *r, report_section *s, const xml_buffer *svg)
{
	section_parts *parts = parts_of(r, s);

	s->svgs = parts->svgs;
	if (svg->text && s->svg_count < REPRO_PARTS)
		parts->svgs[s->svg_count++] = repro_text(r, "%s", svg->text);
}

void repro_chart(repro *r, report_section *s, const chart *c)
{
	xml_buffer svg = { 0 };

	if (chart_write(c, xml_buffer_write, &svg) == 0)
		repro_svg(r, s, &svg);
	free(svg.text);
}

repro_cells *repro_table(repro *r, report_section *s, const char *caption, const char *columns)
{
	const char **names = repro_alloc(r, REPRO_COLUMNS * sizeof(*names));
	repro_cells *c = repro_alloc(r, sizeof(*c));
	section_parts *parts = parts_of(r, s);

	s->tables = parts->tables;
	c->table =
		&parts->tables[s->table_count < REPRO_PARTS ? s->table_count++ : REPRO_PARTS - 1];
	c->cells = repro_alloc(r, REPRO_CELLS * sizeof(*c->cells));
	c->table->caption = caption;
	c->table->columns = names;
	c->table->cells = c->cells;
	while (c->table->column_count < REPRO_COLUMNS) {
		const size_t n = strcspn(columns, "|");

		names[c->table->column_count++] = repro_text(r, "%.*s", (int)n, columns);
		if (!columns[n])
			break;
		columns += n + 1;
	}
	return c;
}

void repro_cell(repro *r, repro_cells *c, const char *format, ...)
{
	va_list args;

	if (c->count == REPRO_CELLS)
		return;
	va_start(args, format);
	c->cells[c->count] = repro_vtext(r, format, args);
	va_end(args);
	if (strcmp(c->cells[c->count] + strspn(c->cells[c->count], "+-"), "nan") == 0)
		c->cells[c->count] = "-";
	c->count++;
	c->table->row_count = c->count / c->table->column_count;
}

static void number_cell(repro *r, repro_cells *t, double v)
{
	char text[XML_NUMBER_BYTES];

	if (isfinite(v))
		repro_cell(r, t, "%s", xml_number(text, v));
	else
		repro_cell(r, t, "-");
}

void repro_grid_table(repro *r, report_section *s, const repro_grid *g, const char *caption)
{
	const char *columns = g->x_label;
	repro_cells *t;

	for (size_t l = 0; l < g->lines; l++)
		columns = repro_text(r, "%s|%s", columns, g->names[l]);
	t = repro_table(r, s, repro_text(r, "%s: %s", caption, g->y_label), columns);
	for (size_t p = 0; p < g->points; p++) {
		number_cell(r, t, g->x[p]);
		for (size_t l = 0; l < g->lines; l++)
			number_cell(r, t, g->y[l][p]);
	}
}

void repro_grid_show(repro *r, report_section *s, const repro_grid *g, const char *title)
{
	chart_series lines[REPRO_LINES] = { { 0 } };
	chart c = { .title = title, .series = lines, .series_count = g->lines };

	c.x.label = g->x_label;
	c.x.scale = g->x_scale;
	c.x.ticks = g->x;
	c.x.tick_count = g->points;
	c.y.label = g->y_label;
	c.y.scale = g->y_scale;
	for (size_t l = 0; l < g->lines; l++) {
		lines[l].name = g->names[l];
		lines[l].x = g->x;
		lines[l].y = g->y[l];
		lines[l].count = g->points;
	}
	repro_chart(r, s, &c);
	repro_grid_table(r, s, g, title);
}
