#include "apps/common/report.h"

#include <string.h>

const char *report_verdict_name(report_verdict v)
{
	return v == REPORT_HOLDS           ? "holds"
	       : v == REPORT_DOES_NOT_HOLD ? "does not hold"
					   : "not measured";
}

/* Returns the class name of the style sheet below. The page never uses the colours without the
 * words. */
static const char *verdict_class(report_verdict v)
{
	return v == REPORT_HOLDS ? "holds" : v == REPORT_DOES_NOT_HOLD ? "not" : "none";
}

static const char *const style[] = {
	":root{color-scheme:light}\n",
	"body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem 4rem;background:#fff;color:#222;"
	"font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,Helvetica,Arial,sans-serif}\n",
	"h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 1rem}\n",
	"h2{font-size:1.35rem;line-height:1.25;margin:3.2rem 0 .2rem;padding-top:1rem;"
	"border-top:1px solid #ddd}\n",
	"p{max-width:48rem;margin:.6rem 0}\n",
	".source{color:#5a5a5a;margin:0 0 .8rem}\n",
	"figure{margin:1rem 0;overflow-x:auto}\nfigure svg{max-width:100%;height:auto}\n",
	".wide{overflow-x:auto}\n",
	"table{border-collapse:collapse;margin:1rem 0;font-size:.92rem;"
	"font-variant-numeric:tabular-nums}\n",
	"caption{text-align:left;color:#5a5a5a;padding-bottom:.3rem}\n",
	"th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;"
	"border-bottom:1px solid #e6e6e6}\n",
	"thead th{border-bottom:2px solid #999}\n",
	".n{text-align:right}\n",
	".claim{border-left:4px solid #888;padding:.4rem 1rem;margin:1rem 0;background:#f6f6f6}\n",
	".claim.holds{border-color:#009e73}\n.claim.not{border-color:#d55e00}\n",
	".verdict{font-weight:600;white-space:nowrap}\n",
	".verdict.holds{color:#00694d}\n.verdict.not{color:#a84300}\n.verdict.none{color:#5a5a5a}"
	"\n",
	"a{color:#005a8e}\n",
	"@media print{h2{break-after:avoid}figure,table,.claim{break-inside:avoid}}\n",
};

/* Writes a text as paragraphs, separated by empty lines. */
static void put_paragraphs(xml_out *x, const char *text)
{
	while (text && *text) {
		const char *end = strstr(text, "\n\n");
		const size_t n = end ? (size_t)(end - text) : strlen(text);
		char piece[512];

		xml_put(x, "<p>");
		for (size_t at = 0;
			at <
			n;) { /* pieces of whole UTF-8 characters, because each piece is checked */
			size_t bytes = n - at < sizeof(piece) ? n - at : sizeof(piece) - 1;

			if (bytes < n - at)
				while (bytes > 1 &&
					((unsigned char)text[at + bytes] & 0xc0) == 0x80)
					bytes--;
			memcpy(piece, text + at, bytes);
			piece[bytes] = '\0';
			xml_put_text(x, piece);
			at += bytes;
		}
		xml_put(x, "</p>\n");
		text += n + strspn(text + n, "\n");
	}
}

/* Returns 1 for a number with or without a unit: "12", "-0.5", "1.2k", "98 %". */
static int is_number(const char *cell)
{
	const char *s = cell;
	size_t digits;

	if (!s)
		return 0;
	s += *s == '-' || *s == '+' || *s == '<' || *s == '>';
	digits = strspn(s, "0123456789.,");
	if (digits == 0 || strcspn(s, "0123456789") >= digits)
		return 0;
	s += digits;
	if (*s == 'e' && strspn(s + 1, "+-0123456789"))
		s += 1 + strspn(s + 1, "+-0123456789");
	s += *s == ' ';
	return strspn(s, "kMGTx%") == strlen(s);
}

static void put_table(xml_out *x, const report_table *t)
{
	xml_put(x, "<div class=\"wide\"><table>\n");
	if (t->caption) {
		xml_put(x, "<caption>");
		xml_put_text(x, t->caption);
		xml_put(x, "</caption>\n");
	}
	xml_put(x, "<thead><tr>");
	for (size_t k = 0; k < t->column_count; k++) {
		/* A heading is aligned as the first cell below it. */
		const char *first = t->row_count ? t->cells[k] : NULL;

		xml_put(x, "<th scope=\"col\"%s>", is_number(first) ? " class=\"n\"" : "");
		xml_put_text(x, t->columns[k]);
		xml_put(x, "</th>");
	}
	xml_put(x, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < t->row_count; i++) {
		xml_put(x, "<tr>");
		for (size_t k = 0; k < t->column_count; k++) {
			const char *cell = t->cells[i * t->column_count + k];

			xml_put(x, "<td%s>", is_number(cell) ? " class=\"n\"" : "");
			xml_put_text(x, cell);
			xml_put(x, "</td>");
		}
		xml_put(x, "</tr>\n");
	}
	xml_put(x, "</tbody></table></div>\n");
}

static void put_verdict(xml_out *x, report_verdict v)
{
	xml_put(x, "<span class=\"verdict %s\">%s</span>", verdict_class(v),
		report_verdict_name(v));
}

static void put_facts(xml_out *x, const report_page *page)
{
	if (page->fact_count == 0)
		return;
	xml_put(x, "<div class=\"wide\"><table class=\"facts\">\n<tbody>\n");
	for (size_t i = 0; i < page->fact_count; i++) {
		xml_put(x, "<tr><th scope=\"row\">");
		xml_put_text(x, page->facts[i].name);
		xml_put(x, "</th><td>");
		xml_put_text(x, page->facts[i].value);
		xml_put(x, "</td></tr>\n");
	}
	xml_put(x, "</tbody></table></div>\n");
}

/* Writes the number of claims with each verdict, and a table with one row per section. */
static void put_summary(xml_out *x, const report_page *page)
{
	static const report_verdict order[] = { REPORT_HOLDS, REPORT_DOES_NOT_HOLD,
		REPORT_NOT_MEASURED };
	size_t count[3] = { 0, 0, 0 }, claims = 0;

	for (size_t i = 0; i < page->section_count; i++)
		for (size_t k = 0; page->sections[i].claim && k < 3; k++) {
			count[k] += page->sections[i].verdict == order[k];
			claims += k == 0;
		}
	if (claims) {
		xml_put(x, "<p id=\"verdicts\">Of %zu claim%s, ", claims, claims == 1 ? "" : "s");
		for (size_t k = 0; k < 3; k++)
			xml_put(x, "%zu <span class=\"verdict %s\">%s</span>%s", count[k],
				verdict_class(order[k]),
				order[k] == REPORT_HOLDS && count[k] != 1           ? "hold"
				: order[k] == REPORT_DOES_NOT_HOLD && count[k] != 1 ? "do not hold"
				: order[k] == REPORT_NOT_MEASURED && count[k] == 1
					? "was not measured"
				: order[k] == REPORT_NOT_MEASURED ? "were not measured"
								  : report_verdict_name(order[k]),
				k == 0   ? ", "
				: k == 1 ? ", and "
					 : " on this machine.");
		xml_put(x, "</p>\n");
	}
	xml_put(x, "<div class=\"wide\"><table class=\"summary\">\n<thead><tr><th scope=\"col\">"
		   "Section</th><th scope=\"col\">Source</th><th scope=\"col\">Claim</th>"
		   "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < page->section_count; i++) {
		const report_section *s = &page->sections[i];

		xml_put(x, "<tr><td><a href=\"#s%zu\">", i + 1);
		xml_put_text(x, s->heading);
		xml_put(x, "</a></td><td>");
		xml_put_text(x, s->source);
		xml_put(x, "</td><td>");
		xml_put_text(x, s->claim);
		xml_put(x, "</td><td>");
		if (s->claim)
			put_verdict(x, s->verdict);
		xml_put(x, "</td></tr>\n");
	}
	xml_put(x, "</tbody></table></div>\n");
}

static void put_section(xml_out *x, const report_section *s, size_t number)
{
	xml_put(x, "<section id=\"s%zu\">\n<h2>%zu. ", number, number);
	xml_put_text(x, s->heading);
	xml_put(x, "</h2>\n");
	if (s->source) {
		xml_put(x, "<p class=\"source\">");
		xml_put_text(x, s->source);
		xml_put(x, "</p>\n");
	}
	put_paragraphs(x, s->text);
	for (size_t i = 0; i < s->svg_count; i++)
		if (s->svgs[i]) {
			xml_put(x, "<figure>\n");
			xml_put_raw(x, s->svgs[i], strlen(s->svgs[i]));
			xml_put(x, "</figure>\n");
		}
	if (s->claim) {
		xml_put(x, "<div class=\"claim %s\">\n<p><strong>Claim:</strong> ",
			verdict_class(s->verdict));
		xml_put_text(x, s->claim);
		xml_put(x, "</p>\n<p><strong>On this machine:</strong> ");
		put_verdict(x, s->verdict);
		if (s->reason) {
			xml_put(x, ". ");
			xml_put_text(x, s->reason);
		}
		xml_put(x, "</p>\n");
		put_paragraphs(x, s->explanation);
		xml_put(x, "</div>\n");
	}
	for (size_t i = 0; i < s->table_count; i++)
		put_table(x, &s->tables[i]);
	xml_put(x, "</section>\n");
}

int report_write(const report_page *page, xml_write_fn write, void *opaque)
{
	xml_out x;

	if (!page || !write)
		return -1;
	xml_begin(&x, write, opaque);
	xml_put(&x, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		    "<title>");
	xml_put_text(&x, page->title);
	xml_put(&x, "</title>\n<style>\n");
	for (size_t i = 0; i < sizeof(style) / sizeof(style[0]); i++)
		xml_put_raw(&x, style[i], strlen(style[i]));
	xml_put(&x, "</style>\n</head>\n<body>\n<h1>");
	xml_put_text(&x, page->title);
	xml_put(&x, "</h1>\n");
	put_paragraphs(&x, page->intro);
	put_facts(&x, page);
	if (page->section_count)
		put_summary(&x, page);
	for (size_t i = 0; i < page->section_count; i++)
		put_section(&x, &page->sections[i], i + 1);
	xml_put(&x, "</body>\n</html>\n");
	return xml_end(&x);
}
