/* Catmull-Clark rules with creases: E. Catmull and J. Clark 1978; T. DeRose, M. Kass, T. Truong
 * 1998, section 3 and appendix B. Sharpness of a finite value falls by 1 with each level; in the
 * level in which it ends the sharp and the smooth rule are mixed. */
#include <string.h>
#include "reyes/geom/subdiv_local.h"

#define NONE REYES_I_NONE

static uint8_t rule_of(double vertex_sharp, uint32_t sharp_edges)
{
	if (vertex_sharp > 0 || sharp_edges > 2)
		return REYES_I_CORNER;
	return sharp_edges == 2 ? REYES_I_CREASE : REYES_I_SMOOTH;
}

static void add_sum(double *sum, const double *values, uint32_t channels)
{
	uint32_t c;

	for (c = 0; c < channels; c++)
		sum[c] += values[c];
}

/* Counts one edge at a corner of the central face. */
static void survey_edge(reyes_i_survey *s, double sharp, uint32_t end)
{
	s->edges++;
	if (sharp <= 0)
		return;
	if (s->sharp < 2)
		s->ends[s->sharp] = end;
	s->sharp++;
	if (sharp > 1) {
		if (s->child_sharp < 2)
			s->child_ends[s->child_sharp] = end;
		s->child_sharp++;
	} else {
		s->fading += sharp;
		s->fading_count++;
	}
	s->semi_sharp |= sharp < REYES_I_EXTREME;
}

static void survey_rules(reyes_i_survey *s, double sharp)
{
	s->rule = rule_of(sharp, s->sharp);
	s->child_rule = rule_of(sharp > 1 ? sharp : 0, s->child_sharp);
	if (sharp > 0 && sharp <= 1) {
		s->fading += sharp;
		s->fading_count++;
	}
	s->semi_sharp |= sharp > 0 && sharp < REYES_I_EXTREME;
}

void reyes_i_local_survey(reyes_i_local *a, uint32_t channels)
{
	uint32_t n = a->face_first[1], e, f, c, k;

	memset(a->survey, 0, n * sizeof(*a->survey));
	memset(a->edge_sum, 0, (size_t)n * channels * sizeof(double));
	for (e = 0; e < a->edge_count; e++)
		for (k = 0; k < 2; k++) {
			uint32_t at = a->center[a->edge_vertex[e][k]];
			uint32_t other = a->edge_vertex[e][1 - k];

			if (at == NONE)
				continue;
			survey_edge(&a->survey[at], a->edge_sharp[e], other);
			add_sum(a->edge_sum + (size_t)at * channels,
				a->values + (size_t)other * channels, channels);
		}
	for (f = 0; f < a->face_count; f++)
		for (c = a->face_first[f]; c < a->face_first[f + 1]; c++) {
			uint32_t at = a->center[a->corner_vertex[c]];

			if (at == NONE)
				continue;
			a->survey[at].faces++;
			a->survey[at].other_faces |= a->face_first[f + 1] - a->face_first[f] != 4;
		}
	for (c = 0; c < n; c++)
		survey_rules(&a->survey[c], a->vertex_sharp[a->corner_vertex[c]]);
}

static void make_face_points(reyes_i_local *a, uint32_t channels)
{
	uint32_t f, c, k;

	memset(a->face_point, 0, (size_t)a->face_count * channels * sizeof(double));
	for (f = 0; f < a->face_count; f++) {
		double *p = a->face_point + (size_t)f * channels;
		uint32_t n = a->face_first[f + 1] - a->face_first[f];

		for (c = a->face_first[f]; c < a->face_first[f + 1]; c++)
			add_sum(p, a->values + (size_t)a->corner_vertex[c] * channels, channels);
		for (k = 0; k < channels; k++)
			p[k] /= n;
	}
}

/* Computes the points of the edges at corners of the central face. */
static void make_edge_points(reyes_i_local *a, uint32_t channels)
{
	uint32_t e, k;

	for (e = 0; e < a->edge_count; e++) {
		const double *p = a->values + (size_t)a->edge_vertex[e][0] * channels;
		const double *q = a->values + (size_t)a->edge_vertex[e][1] * channels;
		double *out = a->edge_point + (size_t)e * channels, sharp = a->edge_sharp[e];
		const double *f, *g;

		if (a->center[a->edge_vertex[e][0]] == NONE &&
			a->center[a->edge_vertex[e][1]] == NONE)
			continue;
		for (k = 0; k < channels; k++)
			out[k] = (p[k] + q[k]) / 2;
		if (sharp >= 1 || a->edge_face[e][1] == NONE)
			continue;
		f = a->face_point + (size_t)a->edge_face[e][0] * channels;
		g = a->face_point + (size_t)a->edge_face[e][1] * channels;
		for (k = 0; k < channels; k++) {
			double smooth = ((p[k] + q[k]) + (f[k] + g[k])) / 4;

			out[k] = sharp > 0 ? smooth + sharp * (out[k] - smooth) : smooth;
		}
	}
}

/* Writes a channel of the vertex point by one rule. */
static double vertex_value(const reyes_i_local *a, uint32_t corner, uint8_t rule,
	const uint32_t ends[2], uint32_t channels, uint32_t channel)
{
	const reyes_i_survey *s = &a->survey[corner];
	double v = a->values[(size_t)a->corner_vertex[corner] * channels + channel], n = s->edges;

	if (rule == REYES_I_CORNER)
		return v;
	if (rule == REYES_I_CREASE)
		return (a->values[(size_t)ends[0] * channels + channel] +
			       a->values[(size_t)ends[1] * channels + channel] + 6 * v) /
		       8;
	return (n - 2) / n * v + a->edge_sum[(size_t)corner * channels + channel] / (n * n) +
	       a->face_sum[(size_t)corner * channels + channel] / (n * s->faces);
}

static void make_vertex_points(reyes_i_local *a, uint32_t channels)
{
	uint32_t n = a->face_first[1], f, c, k;

	memset(a->face_sum, 0, (size_t)n * channels * sizeof(double));
	for (f = 0; f < a->face_count; f++)
		for (c = a->face_first[f]; c < a->face_first[f + 1]; c++) {
			uint32_t at = a->center[a->corner_vertex[c]];

			if (at != NONE)
				add_sum(a->face_sum + (size_t)at * channels,
					a->face_point + (size_t)f * channels, channels);
		}
	for (c = 0; c < n; c++) {
		const reyes_i_survey *s = &a->survey[c];
		double weight = s->fading_count ? s->fading / s->fading_count : 0;

		for (k = 0; k < channels; k++) {
			double x = vertex_value(a, c, s->rule, s->ends, channels, k);

			if (s->rule != s->child_rule)
				x = weight * x + (1 - weight) * vertex_value(a, c, s->child_rule,
									s->child_ends, channels, k);
			a->vertex_point[(size_t)c * channels + k] = x;
		}
	}
}

void reyes_i_local_refine(reyes_i_local *a, uint32_t channels)
{
	make_face_points(a, channels);
	make_edge_points(a, channels);
	make_vertex_points(a, channels);
}
