/* 4 x 4 matrices in double precision: row vectors, p' = p M, row i and column j at [4 i + j]. All
 * transforms of a scene are affine: the last column is 0 0 0 1. */
#ifndef REYES_SCENE_MATRIX_H
#define REYES_SCENE_MATRIX_H

void reyes_i_matrix_identity(double m[16]);
/* out = a b: a is applied first. out may be a or b. */
void reyes_i_matrix_multiply(double out[16], const double a[16], const double b[16]);
/* Determinant of the linear part. */
double reyes_i_matrix_determinant(const double m[16]);
/* Inverts an affine matrix. Returns 0, and the identity, if it has no finite inverse. */
int reyes_i_matrix_invert(double out[16], const double m[16]);
/* Nonzero if all elements are finite. */
int reyes_i_matrix_finite(const double m[16]);
/* The largest factor by which the linear part stretches a vector (its spectral norm). */
double reyes_i_matrix_stretch(const double m[16]);

void reyes_i_matrix_point(double out[3], const double m[16], const float p[3]);
void reyes_i_matrix_vector(double out[3], const double m[16], const float v[3]);
void reyes_i_matrix_to_float(float out[16], const double m[16]);

/* Matrices of the requests, angles in degrees. They return 0, and the identity, if the request
 * determines no transform: a rotation about a zero axis, a skew of parallel axes. */
void reyes_i_matrix_translate(double m[16], float dx, float dy, float dz);
void reyes_i_matrix_scale(double m[16], float sx, float sy, float sz);
int reyes_i_matrix_rotate(double m[16], double degrees, const float axis[3]);
int reyes_i_matrix_skew(double m[16], double degrees, const float d1[3], const float d2[3]);

#endif
