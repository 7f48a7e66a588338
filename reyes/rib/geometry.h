/* Requests whose arguments have to agree with each other, or have to be converted. */
#ifndef REYES_RIB_GEOMETRY_H
#define REYES_RIB_GEOMETRY_H

#include "reyes/rib/reader.h"

reyes_status reyes_i_rib_depth_of_field(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_color_samples(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_texture_coordinates(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_bound(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_detail(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_transform(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_concat_transform(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_hyperboloid(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_basis(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_nu_patch(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_trim_curve(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_subdivision_mesh(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_points(struct reyes_i_rib *b, const reyes_i_args *a);

#endif
