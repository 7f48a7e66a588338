/* 4 x 4 matrices in double precision. */
#include <math.h>
#include <string.h>
#include "reyes/scene/matrix.h"

static const double pi = 3.14159265358979323846;

void reyes_i_matrix_identity(double m[16])
{
	int i;

	for (i = 0; i < 16; i++)
		m[i] = i % 5 == 0 ? 1 : 0;
}

void reyes_i_matrix_multiply(double out[16], const double a[16], const double b[16])
{
	double m[16];
	int i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < 4; j++)
			m[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] +
				       a[4 * i + 2] * b[8 + j] + a[4 * i + 3] * b[12 + j];
	}
	memcpy(out, m, sizeof(m));
}

double reyes_i_matrix_determinant(const double m[16])
{
	return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
	       m[2] * (m[4] * m[9] - m[5] * m[8]);
}

int reyes_i_matrix_finite(const double m[16])
{
	int i;

	for (i = 0; i < 16; i++) {
		if (!isfinite(m[i]))
			return 0;
	}
	return 1;
}

int reyes_i_matrix_invert(double out[16], const double m[16])
{
	const double d = reyes_i_matrix_determinant(m);
	double n[16];
	int i, j;

	reyes_i_matrix_identity(n);
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			const int i1 = (j + 1) % 3, i2 = (j + 2) % 3;
			const int j1 = (i + 1) % 3, j2 = (i + 2) % 3;

			n[4 * i + j] = (m[4 * i1 + j1] * m[4 * i2 + j2] -
					       m[4 * i1 + j2] * m[4 * i2 + j1]) /
				       d;
		}
	}
	for (j = 0; j < 3; j++)
		n[12 + j] = -(m[12] * n[j] + m[13] * n[4 + j] + m[14] * n[8 + j]);
	if (!reyes_i_matrix_finite(n)) {
		reyes_i_matrix_identity(out);
		return 0;
	}
	memcpy(out, n, sizeof(n));
	return 1;
}

double reyes_i_matrix_stretch(const double m[16])
{
	/* The largest eigenvalue of the symmetric matrix S = A A^T, by the trigonometric solution
	 * of its characteristic polynomial. */
	double s[3][3], q, p, r, x = 0, off;
	int i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++)
			s[i][j] = m[4 * i] * m[4 * j] + m[4 * i + 1] * m[4 * j + 1] +
				  m[4 * i + 2] * m[4 * j + 2];
	}
	q = (s[0][0] + s[1][1] + s[2][2]) / 3;
	off = s[0][1] * s[0][1] + s[0][2] * s[0][2] + s[1][2] * s[1][2];
	for (i = 0; i < 3; i++)
		x += (s[i][i] - q) * (s[i][i] - q);
	p = sqrt((x + 2 * off) / 6);
	if (p <= 1e-12 * q || !isfinite(p))
		return sqrt(q);
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++)
			s[i][j] = (s[i][j] - (i == j ? q : 0)) / p;
	}
	r = (s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[2][1]) -
		    s[0][1] * (s[1][0] * s[2][2] - s[1][2] * s[2][0]) +
		    s[0][2] * (s[1][0] * s[2][1] - s[1][1] * s[2][0])) /
	    2;
	r = r < -1 ? -1 : r > 1 ? 1 : r;
	return sqrt(q + 2 * p * cos(acos(r) / 3));
}

void reyes_i_matrix_point(double out[3], const double m[16], const float p[3])
{
	int j;

	for (j = 0; j < 3; j++)
		out[j] = p[0] * m[j] + p[1] * m[4 + j] + p[2] * m[8 + j] + m[12 + j];
}

void reyes_i_matrix_vector(double out[3], const double m[16], const float v[3])
{
	int j;

	for (j = 0; j < 3; j++)
		out[j] = v[0] * m[j] + v[1] * m[4 + j] + v[2] * m[8 + j];
}

void reyes_i_matrix_to_float(float out[16], const double m[16])
{
	int i;

	for (i = 0; i < 16; i++)
		out[i] = (float)m[i];
}

void reyes_i_matrix_translate(double m[16], float dx, float dy, float dz)
{
	reyes_i_matrix_identity(m);
	m[12] = dx;
	m[13] = dy;
	m[14] = dz;
}

void reyes_i_matrix_scale(double m[16], float sx, float sy, float sz)
{
	reyes_i_matrix_identity(m);
	m[0] = sx;
	m[5] = sy;
	m[10] = sz;
}

/* Writes v as a unit vector; returns 0 if it has no direction. */
static int normalize(double out[3], const float v[3])
{
	const double length = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
	int i;

	if (!(length > 0) || !isfinite(length))
		return 0;
	for (i = 0; i < 3; i++)
		out[i] = v[i] / length;
	return 1;
}

int reyes_i_matrix_rotate(double m[16], double degrees, const float axis[3])
{
	const double c = cos(degrees * pi / 180), s = sin(degrees * pi / 180);
	double a[3];
	int i, j;

	reyes_i_matrix_identity(m);
	if (!normalize(a, axis))
		return 0;
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++)
			m[4 * i + j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j];
		m[4 * i + (i + 1) % 3] += s * a[(i + 2) % 3];
		m[4 * i + (i + 2) % 3] -= s * a[(i + 1) % 3];
	}
	return 1;
}

int reyes_i_matrix_skew(double m[16], double degrees, const float d1[3], const float d2[3])
{
	/* Points move along d2 in proportion to their distance from the plane that contains d2 and
	 * is perpendicular to the plane of d1 and d2, so that d1 turns by the angle to d2. */
	const double pull = degrees * pi / 180;
	double a[3], b[3], up[3], dot = 0, length = 0, angle, factor;
	int i, j;

	reyes_i_matrix_identity(m);
	if (!normalize(a, d1) || !normalize(b, d2))
		return 0;
	for (i = 0; i < 3; i++)
		dot += a[i] * b[i];
	for (i = 0; i < 3; i++) {
		up[i] = a[i] - dot * b[i];
		length += up[i] * up[i];
	}
	length = sqrt(length);
	angle = atan2(length, dot); /* between d1 and d2 */
	if (length < 1e-9 || fabs(pull) >= pi || sin(angle - pull) <= 1e-9)
		return 0;
	/* d1 = dot b + length up becomes parallel to cos(angle - pull) b + sin(angle - pull) up. */
	factor = cos(angle - pull) / sin(angle - pull) - dot / length;
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++)
			m[4 * i + j] += factor * (up[i] / length) * b[j];
	}
	return 1;
}
