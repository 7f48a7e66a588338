/* All requests of RIB, one row each: name, signature (args.h), and the call. A new request is one
 * row. In the calls, N(i) is the number i as float, I(i) as int, S(i) the string i, A(i) the array
 * i, P the parameter list, R the renderer; b is the reader and a the arguments. Calls of functions
 * without the prefix reyes_ are those of control.h, geometry.h and archive.h. */
#ifndef REYES_RIB_REQUESTS_H
#define REYES_RIB_REQUESTS_H

#define REYES_I_RIB_BLOCKS(X)                                                        \
	X(version, "1", reyes_i_rib_version(b, a))                                   \
	X(FrameBegin, "1", reyes_i_rib_frame_begin(b, a))                            \
	X(FrameEnd, "", reyes_i_rib_frame_end(b, reyes_frame_end))                   \
	X(WorldBegin, "", reyes_i_rib_world_begin(b))                                \
	X(WorldEnd, "", reyes_i_rib_frame_end(b, reyes_world_end))                   \
	X(AttributeBegin, "", reyes_i_rib_scope_begin(b, reyes_attribute_begin(R)))  \
	X(AttributeEnd, "", reyes_i_rib_scope_end(b, reyes_attribute_end(R)))        \
	X(TransformBegin, "", reyes_transform_begin(R))                              \
	X(TransformEnd, "", reyes_transform_end(R))                                  \
	X(SolidBegin, "s", reyes_i_rib_scope_begin(b, reyes_solid_begin(R, S(0))))   \
	X(SolidEnd, "", reyes_i_rib_scope_end(b, reyes_solid_end(R)))                \
	X(ObjectBegin, "h", reyes_i_rib_scope_begin(b, reyes_object_begin(R, S(0)))) \
	X(ObjectEnd, "", reyes_i_rib_scope_end(b, reyes_object_end(R)))              \
	X(ObjectInstance, "h", reyes_object_instance(R, S(0)))                       \
	X(MotionBegin, "c", reyes_motion_begin(R, A(0).count, A(0).floats))          \
	X(MotionEnd, "", reyes_motion_end(R))                                        \
	X(ErrorHandler, "s", reyes_i_rib_error_handler(b, a))                        \
	X(Declare, "ss", reyes_declare(R, S(0), S(1)))                               \
	X(ReadArchive, "sp", reyes_i_rib_read_archive(b, a))                         \
	X(Procedural, "sS6", reyes_i_rib_procedural(b, a))                           \
	X(ArchiveBegin, "sp", reyes_i_rib_archive_begin(b, a))                       \
	X(ArchiveEnd, "", reyes_i_rib_archive_end(b))                                \
	X(IfBegin, "sp", reyes_i_rib_if_begin(b, a))                                 \
	X(ElseIf, "sp", reyes_i_rib_else_if(b, a))                                   \
	X(Else, "", reyes_i_rib_else(b))                                             \
	X(IfEnd, "", reyes_i_rib_if_end(b))

#define REYES_I_RIB_OPTIONS(X)                                                             \
	X(Format, "3", reyes_format(R, I(0), I(1), N(2)))                                  \
	X(FrameAspectRatio, "1", reyes_frame_aspect_ratio(R, N(0)))                        \
	X(ScreenWindow, "4", reyes_screen_window(R, N(0), N(1), N(2), N(3)))               \
	X(CropWindow, "4", reyes_crop_window(R, N(0), N(1), N(2), N(3)))                   \
	X(Projection, "sp", reyes_projection(R, S(0), P))                                  \
	X(Clipping, "2", reyes_clipping(R, N(0), N(1)))                                    \
	X(ClippingPlane, "6", reyes_clipping_plane(R, N(0), N(1), N(2), N(3), N(4), N(5))) \
	X(DepthOfField, "?3", reyes_i_rib_depth_of_field(b, a))                            \
	X(Shutter, "2", reyes_shutter(R, N(0), N(1)))                                      \
	X(PixelVariance, "1", reyes_pixel_variance(R, N(0)))                               \
	X(PixelSamples, "2", reyes_pixel_samples(R, N(0), N(1)))                           \
	X(PixelFilter, "s2", reyes_pixel_filter(R, S(0), N(0), N(1)))                      \
	X(Exposure, "2", reyes_exposure(R, N(0), N(1)))                                    \
	X(Imager, "sp", reyes_imager(R, S(0), P))                                          \
	X(Quantize, "s4", reyes_quantize(R, S(0), I(0), I(1), I(2), N(3)))                 \
	X(Display, "sssp", reyes_display(R, S(0), S(1), S(2), P))                          \
	X(Hider, "sp", reyes_hider(R, S(0), P))                                            \
	X(ColorSamples, "ff", reyes_i_rib_color_samples(b, a))                             \
	X(RelativeDetail, "1", reyes_relative_detail(R, N(0)))                             \
	X(Option, "sp", reyes_i_rib_option(b, a))

#define REYES_I_RIB_ATTRIBUTES(X)                                                     \
	X(Attribute, "sp", reyes_i_rib_attribute(b, a))                               \
	X(Color, "c", reyes_color(R, A(0).floats, A(0).count))                        \
	X(Opacity, "c", reyes_opacity(R, A(0).floats, A(0).count))                    \
	X(TextureCoordinates, "8", reyes_i_rib_texture_coordinates(b, a))             \
	X(LightSource, "shp", reyes_light_source(R, S(0), S(1), P))                   \
	X(AreaLightSource, "shp", reyes_area_light_source(R, S(0), S(1), P))          \
	X(Illuminate, "h1", reyes_illuminate(R, S(0), I(0)))                          \
	X(Surface, "sp", reyes_surface(R, S(0), P))                                   \
	X(Displacement, "sp", reyes_displacement(R, S(0), P))                         \
	X(Atmosphere, "sp", reyes_atmosphere(R, S(0), P))                             \
	X(Interior, "sp", reyes_interior(R, S(0), P))                                 \
	X(Exterior, "sp", reyes_exterior(R, S(0), P))                                 \
	X(Deformation, "sp", reyes_deformation(R, S(0), P))                           \
	X(ShadingRate, "1", reyes_shading_rate(R, N(0)))                              \
	X(ShadingInterpolation, "s", reyes_shading_interpolation(R, S(0)))            \
	X(Matte, "1", reyes_matte(R, I(0)))                                           \
	X(Bound, "6", reyes_i_rib_bound(b, a))                                        \
	X(Detail, "6", reyes_i_rib_detail(b, a))                                      \
	X(DetailRange, "4", reyes_detail_range(R, N(0), N(1), N(2), N(3)))            \
	X(GeometricApproximation, "s1", reyes_geometric_approximation(R, S(0), N(0))) \
	X(GeometricRepresentation, "s", reyes_geometric_representation(R, S(0)))      \
	X(Orientation, "s", reyes_orientation(R, S(0)))                               \
	X(ReverseOrientation, "", reyes_reverse_orientation(R))                       \
	X(Sides, "1", reyes_sides(R, I(0)))                                           \
	X(Identity, "", reyes_identity(R))                                            \
	X(Transform, "M", reyes_i_rib_transform(b, a))                                \
	X(ConcatTransform, "M", reyes_i_rib_concat_transform(b, a))                   \
	X(Perspective, "1", reyes_perspective(R, N(0)))                               \
	X(Translate, "3", reyes_translate(R, N(0), N(1), N(2)))                       \
	X(Rotate, "4", reyes_rotate(R, N(0), N(1), N(2), N(3)))                       \
	X(Scale, "3", reyes_scale(R, N(0), N(1), N(2)))                               \
	X(Skew, "7", reyes_skew(R, N(0), N(1), N(2), N(3), N(4), N(5), N(6)))         \
	X(CoordinateSystem, "s", reyes_coordinate_system(R, S(0)))                    \
	X(ScopedCoordinateSystem, "s", reyes_scoped_coordinate_system(R, S(0)))       \
	X(CoordSysTransform, "s", reyes_coord_sys_transform(R, S(0)))

#define REYES_I_RIB_GEOMETRY(X)                                                                   \
	X(Polygon, "p", reyes_polygon(R, P))                                                      \
	X(GeneralPolygon, "ip", reyes_general_polygon(R, A(0).count, A(0).ints, P))               \
	X(PointsPolygons, "iip",                                                                  \
		reyes_points_polygons(R, A(0).count, A(0).ints, A(1).count, A(1).ints, P))        \
	X(PointsGeneralPolygons, "iiip",                                                          \
		reyes_points_general_polygons(R, A(0).count, A(0).ints, A(1).count, A(1).ints,    \
			A(2).count, A(2).ints, P))                                                \
	X(Basis, "m1m1", reyes_i_rib_basis(b, a))                                                 \
	X(Patch, "sp", reyes_patch(R, S(0), P))                                                   \
	X(PatchMesh, "s1s1sp", reyes_patch_mesh(R, S(0), I(0), S(1), I(1), S(2), P))              \
	X(NuPatch, "2f22f2p", reyes_i_rib_nu_patch(b, a))                                         \
	X(TrimCurve, "iifffifff", reyes_i_rib_trim_curve(b, a))                                   \
	X(SubdivisionMesh, "sii(Siif)p", reyes_i_rib_subdivision_mesh(b, a))                      \
	X(Sphere, "4p", reyes_sphere(R, N(0), N(1), N(2), N(3), P))                               \
	X(Cone, "3p", reyes_cone(R, N(0), N(1), N(2), P))                                         \
	X(Cylinder, "4p", reyes_cylinder(R, N(0), N(1), N(2), N(3), P))                           \
	X(Hyperboloid, "7p", reyes_i_rib_hyperboloid(b, a))                                       \
	X(Paraboloid, "4p", reyes_paraboloid(R, N(0), N(1), N(2), N(3), P))                       \
	X(Disk, "3p", reyes_disk(R, N(0), N(1), N(2), P))                                         \
	X(Torus, "5p", reyes_torus(R, N(0), N(1), N(2), N(3), N(4), P))                           \
	X(Points, "p", reyes_i_rib_points(b, a))                                                  \
	X(Curves, "sisp", reyes_curves(R, S(0), A(0).count, A(0).ints, S(1), P))                  \
	X(Blobby, "1if(S)p",                                                                      \
		reyes_blobby(R, I(0), A(0).count, A(0).ints, A(1).count, A(1).floats, A(2).count, \
			A(2).strings, P))                                                         \
	X(Geometry, "sp", reyes_geometry(R, S(0), P))                                             \
	X(MakeTexture, "sssss2p",                                                                 \
		reyes_make_texture(R, S(0), S(1), S(2), S(3), S(4), N(0), N(1), P))               \
	X(MakeLatLongEnvironment, "sss2p",                                                        \
		reyes_make_lat_long_environment(R, S(0), S(1), S(2), N(0), N(1), P))              \
	X(MakeCubeFaceEnvironment, "sssssss1s2p",                                                 \
		reyes_make_cube_face_environment(R, a->string, S(6), N(0), S(7), N(1), N(2), P))  \
	X(MakeBump, "sssss2p", reyes_make_bump(R, S(0), S(1), S(2), S(3), S(4), N(0), N(1), P))   \
	X(MakeShadow, "ssp", reyes_make_shadow(R, S(0), S(1), P))

#define REYES_I_RIB_REQUESTS(X)   \
	REYES_I_RIB_BLOCKS(X)     \
	REYES_I_RIB_OPTIONS(X)    \
	REYES_I_RIB_ATTRIBUTES(X) \
	REYES_I_RIB_GEOMETRY(X)

#endif
