/* Each request of RIB in each form that is written: the calls that the reader makes. */
#include "tests/reyes/rib_common.h"

#include "reyes/rib/requests.h"

#include <stdio.h>

struct example {
	const char *text, *calls;
};

#define ONES16   "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
#define MATRIX16 "[ 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ]"
#define BEZIER   "[ 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ]"
#define SPLINE   "[ 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 ]"

static const struct example blocks[] = {
	{ "version 3.03", "" },
	{ "version 3", "" },
	{ "FrameBegin 7 FrameEnd", "FrameBegin 7\nFrameEnd\n" },
	{ "FrameBegin [7] FrameEnd", "FrameBegin 7\nFrameEnd\n" },
	{ "WorldBegin WorldEnd", "WorldBegin\nWorldEnd\n" },
	{ "AttributeBegin AttributeEnd", "AttributeBegin\nAttributeEnd\n" },
	{ "TransformBegin TransformEnd", "TransformBegin\nTransformEnd\n" },
	{ "SolidBegin \"union\" SolidEnd", "SolidBegin \"union\"\nSolidEnd\n" },
	{ "ObjectBegin 3 ObjectEnd ObjectInstance 3",
		"ObjectBegin \"3\"\nObjectEnd\nObjectInstance \"3\"\n" },
	{ "ObjectBegin \"tree\" ObjectEnd ObjectInstance \"tree\"",
		"ObjectBegin \"tree\"\nObjectEnd\nObjectInstance \"tree\"\n" },
	{ "ObjectBegin 3.0 ObjectEnd", "ObjectBegin \"3\"\nObjectEnd\n" },
	{ "MotionBegin [0 1] MotionEnd", "MotionBegin [ 0 1 ]\nMotionEnd\n" },
	{ "MotionBegin 0 .5 1 MotionEnd", "MotionBegin [ 0 0.5 1 ]\nMotionEnd\n" },
	{ "ErrorHandler \"print\"", "ErrorHandler \"print\"\n" },
	{ "Declare \"Kd\" \"uniform float\"", "Declare \"Kd\" \"uniform float\"\n" },
	{ "ArchiveBegin \"a\" Identity ArchiveEnd ReadArchive \"a\"", "Identity\n" },
	{ "ArchiveBegin \"a\" Identity ArchiveEnd "
	  "Procedural \"DelayedReadArchive\" [\"a\"] [-1 1 -1 1 -1 1]",
		"AttributeBegin\nIdentity\nAttributeEnd\n" },
	{ "IfBegin \"0\" Sides 1 ElseIf \"1\" Sides 2 Else Sides 3 IfEnd", "Sides 2\n" },
};

static const struct example options[] = {
	{ "Format 640 480 1", "Format 640 480 1\n" },
	{ "Format [640 480 -1]", "Format 640 480 -1\n" },
	{ "FrameAspectRatio 1.5", "FrameAspectRatio 1.5\n" },
	{ "ScreenWindow -1 1 -.5 .5", "ScreenWindow -1 1 -0.5 0.5\n" },
	{ "ScreenWindow [-1 1 -.5 .5]", "ScreenWindow -1 1 -0.5 0.5\n" },
	{ "CropWindow 0 .25 0 1", "CropWindow 0 0.25 0 1\n" },
	{ "CropWindow [0 .25 0 1]", "CropWindow 0 0.25 0 1\n" },
	{ "Projection \"perspective\" \"fov\" 30", "Projection \"perspective\" \"fov\" [ 30 ]\n" },
	{ "Projection \"perspective\" \"fov\" [30]",
		"Projection \"perspective\" \"fov\" [ 30 ]\n" },
	{ "Projection \"orthographic\"", "Projection \"orthographic\"\n" },
	{ "Clipping 0.5 1e3", "Clipping 0.5 1000\n" },
	{ "Clipping [0.5 1e3]", "Clipping 0.5 1000\n" },
	{ "ClippingPlane 1 2 3 0 0 1", "ClippingPlane 1 2 3 0 0 1\n" },
	{ "DepthOfField 4 1 10", "DepthOfField 4 1 10\n" },
	{ "DepthOfField", "DepthOfField 9.99999968e+37 1 1\n" },
	{ "Shutter 0 1", "Shutter 0 1\n" },
	{ "Shutter [0 1]", "Shutter 0 1\n" },
	{ "PixelVariance .01", "PixelVariance 0.00999999978\n" },
	{ "PixelSamples 2 3", "PixelSamples 2 3\n" },
	{ "PixelFilter \"gaussian\" 2 2", "PixelFilter \"gaussian\" 2 2\n" },
	{ "Exposure 1 2.5", "Exposure 1 2.5\n" },
	{ "Imager \"background\" \"color bg\" [1 0 0]",
		"Imager \"background\" \"color bg\" [ 1 0 0 ]\n" },
	{ "Quantize \"rgba\" 255 0 255 .5", "Quantize \"rgba\" 255 0 255 0.5\n" },
	{ "Display \"a.tif\" \"file\" \"rgba\"", "Display \"a.tif\" \"file\" \"rgba\"\n" },
	{ "Display \"+a.exr\" \"exr\" \"z\" \"string filter\" \"min\" \"quantize\" [0 0 0 0]",
		"Display \"+a.exr\" \"exr\" \"z\" \"string filter\" [ \"min\" ] \"quantize\" [ 0 0 "
		"0 0 ]\n" },
	{ "Hider \"hidden\" \"jitter\" [1]", "Hider \"hidden\" \"jitter\" [ 1 ]\n" },
	{ "ColorSamples [.5 .5 .5] [1 1 1]", "ColorSamples [ 0.5 0.5 0.5 ] [ 1 1 1 ]\n" },
	{ "RelativeDetail 0.5", "RelativeDetail 0.5\n" },
	{ "Option \"limits\" \"bucketsize\" [16 16]",
		"Option \"limits\" \"bucketsize\" [ 16 16 ]\n" },
	{ "Option \"searchpath\" \"string shader\" [\"a:b\"]",
		"Option \"searchpath\" \"string shader\" [ \"a:b\" ]\n" },
};

static const struct example attributes[] = {
	{ "Attribute \"identifier\" \"name\" \"x\"",
		"Attribute \"identifier\" \"name\" [ \"x\" ]\n" },
	{ "Attribute \"a\" \"b\" [] \"c\" [\"d\" \"e\"]",
		"Attribute \"a\" \"b\" [ ] \"c\" [ \"d\" \"e\" ]\n" },
	{ "Color 1 0 .5", "Color [ 1 0 0.5 ]\n" },
	{ "Color [1 0 .5]", "Color [ 1 0 0.5 ]\n" },
	{ "Color [.25]", "Color [ 0.25 ]\n" },
	{ "Opacity 1 1 1", "Opacity [ 1 1 1 ]\n" },
	{ "Opacity [1 1 1]", "Opacity [ 1 1 1 ]\n" },
	{ "TextureCoordinates 0 0 1 0 0 1 1 1", "TextureCoordinates [ 0 0 1 0 0 1 1 1 ]\n" },
	{ "TextureCoordinates [0 0 1 0 0 1 1 1]", "TextureCoordinates [ 0 0 1 0 0 1 1 1 ]\n" },
	{ "LightSource \"ambientlight\" 1 \"intensity\" .5",
		"LightSource \"ambientlight\" \"1\" \"intensity\" [ 0.5 ]\n" },
	{ "LightSource \"pointlight\" \"key\" \"from\" [1 2 3]",
		"LightSource \"pointlight\" \"key\" \"from\" [ 1 2 3 ]\n" },
	{ "AreaLightSource \"finite\" 2", "AreaLightSource \"finite\" \"2\"\n" },
	{ "Illuminate 1 0", "Illuminate \"1\" 0\n" },
	{ "Illuminate \"key\" 1", "Illuminate \"key\" 1\n" },
	{ "Surface \"matte\"", "Surface \"matte\"\n" },
	{ "Surface \"plastic\" \"Kd\" .5 \"uniform color c\" [1 2 3] \"name\" \"t.tex\"",
		"Surface \"plastic\" \"Kd\" [ 0.5 ] \"uniform color c\" [ 1 2 3 ] \"name\" [ "
		"\"t.tex\" ]\n" },
	{ "Displacement \"bumpy\"", "Displacement \"bumpy\"\n" },
	{ "Atmosphere \"fog\" \"distance\" 3", "Atmosphere \"fog\" \"distance\" [ 3 ]\n" },
	{ "Interior \"a\"", "Interior \"a\"\n" },
	{ "Exterior \"a\"", "Exterior \"a\"\n" },
	{ "Deformation \"a\"", "Deformation \"a\"\n" },
	{ "ShadingRate 4", "ShadingRate 4\n" },
	{ "ShadingRate [4]", "ShadingRate 4\n" },
	{ "ShadingInterpolation \"smooth\"", "ShadingInterpolation \"smooth\"\n" },
	{ "Matte 1", "Matte 1\n" },
	{ "Bound 0 1 2 3 4 5", "Bound [ 0 1 2 3 4 5 ]\n" },
	{ "Bound [0 1 2 3 4 5]", "Bound [ 0 1 2 3 4 5 ]\n" },
	{ "Detail [0 1 2 3 4 5]", "Detail [ 0 1 2 3 4 5 ]\n" },
	{ "DetailRange 0 10 20 1e38", "DetailRange 0 10 20 9.99999968e+37\n" },
	{ "DetailRange [0 10 20 30]", "DetailRange 0 10 20 30\n" },
	{ "GeometricApproximation \"flatness\" 2.5", "GeometricApproximation \"flatness\" 2.5\n" },
	{ "GeometricRepresentation \"smooth\"", "GeometricRepresentation \"smooth\"\n" },
	{ "Orientation \"rh\"", "Orientation \"rh\"\n" },
	{ "ReverseOrientation", "ReverseOrientation\n" },
	{ "Sides 2", "Sides 2\n" },
	{ "Identity", "Identity\n" },
	{ "Transform [" ONES16 "]", "Transform " MATRIX16 "\n" },
	{ "Transform " ONES16, "Transform " MATRIX16 "\n" },
	{ "ConcatTransform [" ONES16 "]", "ConcatTransform " MATRIX16 "\n" },
	{ "Perspective 40", "Perspective 40\n" },
	{ "Translate 1 2 3", "Translate 1 2 3\n" },
	{ "Translate [1 2 3]", "Translate 1 2 3\n" },
	{ "Rotate 90 1 0 0", "Rotate 90 1 0 0\n" },
	{ "Rotate 90 [1 0 0]", "Rotate 90 1 0 0\n" },
	{ "Scale 1 1 -1", "Scale 1 1 -1\n" },
	{ "Skew 45 0 1 0 1 0 0", "Skew 45 0 1 0 1 0 0\n" },
	{ "Skew [45 0 1 0 1 0 0]", "Skew 45 0 1 0 1 0 0\n" },
	{ "Skew 45 [0 1 0] [1 0 0]", "Skew 45 0 1 0 1 0 0\n" },
	{ "CoordinateSystem \"a\"", "CoordinateSystem \"a\"\n" },
	{ "ScopedCoordinateSystem \"a\"", "ScopedCoordinateSystem \"a\"\n" },
	{ "CoordSysTransform \"a\"", "CoordSysTransform \"a\"\n" },
};

static const struct example geometry[] = {
	{ "Polygon \"P\" [0 0 0 1 0 0 1 1 0]", "Polygon \"P\" [ 0 0 0 1 0 0 1 1 0 ]\n" },
	{ "GeneralPolygon [3 3] \"P\" [1]", "GeneralPolygon [ 3 3 ] \"P\" [ 1 ]\n" },
	{ "GeneralPolygon 3 \"P\" [1]", "GeneralPolygon [ 3 ] \"P\" [ 1 ]\n" },
	{ "PointsPolygons [3] [0 1 2] \"P\" [1]", "PointsPolygons [ 3 ] [ 0 1 2 ] \"P\" [ 1 ]\n" },
	{ "PointsPolygons [3.0] [0 1e0 16777217] \"P\" [1]",
		"PointsPolygons [ 3 ] [ 0 1 16777217 ] \"P\" [ 1 ]\n" },
	{ "PointsGeneralPolygons [1 2] [3 4 3] [0 1 2] \"P\" [1]",
		"PointsGeneralPolygons [ 1 2 ] [ 3 4 3 ] [ 0 1 2 ] \"P\" [ 1 ]\n" },
	{ "Basis \"bezier\" 3 \"b-spline\" 1", "Basis " BEZIER " 3 " SPLINE " 1\n" },
	{ "Basis [" ONES16 "] 3 \"bezier\" 3", "Basis " MATRIX16 " 3 " BEZIER " 3\n" },
	{ "Basis \"bezier\" 3 [" ONES16 "] 1", "Basis " BEZIER " 3 " MATRIX16 " 1\n" },
	{ "Patch \"bilinear\" \"P\" [1 2]", "Patch \"bilinear\" \"P\" [ 1 2 ]\n" },
	{ "PatchMesh \"bicubic\" 7 \"nonperiodic\" 4 \"periodic\" \"Pz\" [1 2]",
		"PatchMesh \"bicubic\" 7 \"nonperiodic\" 4 \"periodic\" \"Pz\" [ 1 2 ]\n" },
	{ "NuPatch 3 3 [0 0 0 1 1 1] 0 1 2 2 [0 0 1 1] 0 .5 \"Pw\" [1]",
		"NuPatch 3 3 [ 0 0 0 1 1 1 ] 0 1 2 2 [ 0 0 1 1 ] 0 0.5 \"Pw\" [ 1 ]\n" },
	{ "TrimCurve [1 1] [2 3] [0 0 1 1 0 0 0 1 1 1] [0 0] [1 1] [2 3] [0 1 0 1 2] "
	  "[5 6 7 8 9] [1 1 1 1 1]",
		"TrimCurve [ 1 1 ] [ 2 3 ] [ 0 0 1 1 0 0 0 1 1 1 ] [ 0 0 ] [ 1 1 ] [ 2 3 ] "
		"[ 0 1 0 1 2 ] [ 5 6 7 8 9 ] [ 1 1 1 1 1 ]\n" },
	{ "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] \"P\" [1]",
		"SubdivisionMesh \"catmull-clark\" [ 4 ] [ 0 1 2 3 ] [ ] [ ] [ ] [ ] \"P\" [ 1 "
		"]\n" },
	{ "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"crease\" \"interpolateboundary\"] "
	  "[2 1 0 0] [0 1] [2.5] \"P\" [1]",
		"SubdivisionMesh \"catmull-clark\" [ 4 ] [ 0 1 2 3 ] "
		"[ \"crease\" \"interpolateboundary\" ] [ 2 1 0 0 ] [ 0 1 ] [ 2.5 ] \"P\" [ 1 "
		"]\n" },
	{ "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [] [] [] [] \"P\" [1]",
		"SubdivisionMesh \"catmull-clark\" [ 4 ] [ 0 1 2 3 ] [ ] [ ] [ ] [ ] \"P\" [ 1 "
		"]\n" },
	{ "Sphere 1 -1 1 360", "Sphere 1 -1 1 360\n" },
	{ "Sphere [1 -1 1 360]", "Sphere 1 -1 1 360\n" },
	{ "Sphere 1 -1 1 360 \"Cs\" [1 0 0]", "Sphere 1 -1 1 360 \"Cs\" [ 1 0 0 ]\n" },
	{ "Cone 2 1 360", "Cone 2 1 360\n" },
	{ "Cone [2 1 360]", "Cone 2 1 360\n" },
	{ "Cylinder 1 0 2 180", "Cylinder 1 0 2 180\n" },
	{ "Cylinder [1 0 2 180]", "Cylinder 1 0 2 180\n" },
	{ "Hyperboloid 1 2 3 4 5 6 360", "Hyperboloid [ 1 2 3 ] [ 4 5 6 ] 360\n" },
	{ "Hyperboloid [1 2 3 4 5 6 360]", "Hyperboloid [ 1 2 3 ] [ 4 5 6 ] 360\n" },
	{ "Hyperboloid [1 2 3] [4 5 6] 360", "Hyperboloid [ 1 2 3 ] [ 4 5 6 ] 360\n" },
	{ "Paraboloid 1 0 2 360", "Paraboloid 1 0 2 360\n" },
	{ "Disk 0 1 360", "Disk 0 1 360\n" },
	{ "Disk [0 1 360]", "Disk 0 1 360\n" },
	{ "Torus 2 1 0 360 360", "Torus 2 1 0 360 360\n" },
	{ "Torus [2 1 0 360 360]", "Torus 2 1 0 360 360\n" },
	{ "Points \"P\" [0 0 0 1 1 1] \"constantwidth\" [.5]",
		"Points \"P\" [ 0 0 0 1 1 1 ] \"constantwidth\" [ 0.5 ]\n" },
	{ "Curves \"cubic\" [4 7] \"nonperiodic\" \"P\" [1]",
		"Curves \"cubic\" [ 4 7 ] \"nonperiodic\" \"P\" [ 1 ]\n" },
	{ "Blobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] [\"\"]",
		"Blobby 1 [ 1001 0 ] " MATRIX16 " [ \"\" ]\n" },
	{ "Blobby 1 [1001 0] [2] \"Cs\" [1 0 0]",
		"Blobby 1 [ 1001 0 ] [ 2 ] [ ] \"Cs\" [ 1 0 0 ]\n" },
	{ "Geometry \"teapot\"", "Geometry \"teapot\"\n" },
	{ "MakeTexture \"a\" \"b\" \"black\" \"periodic\" \"gaussian\" 2 3",
		"MakeTexture \"a\" \"b\" \"black\" \"periodic\" \"gaussian\" 2 3\n" },
	{ "MakeBump \"a\" \"b\" \"black\" \"periodic\" \"gaussian\" 2 3",
		"MakeBump \"a\" \"b\" \"black\" \"periodic\" \"gaussian\" 2 3\n" },
	{ "MakeLatLongEnvironment \"a\" \"b\" \"box\" 1 2",
		"MakeLatLongEnvironment \"a\" \"b\" \"box\" 1 2\n" },
	{ "MakeCubeFaceEnvironment \"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"t\" 90 \"box\" 1 2",
		"MakeCubeFaceEnvironment \"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"t\" 90 \"box\" 1 "
		"2\n" },
	{ "MakeShadow \"z\" \"shd\" \"a\" 1", "MakeShadow \"z\" \"shd\" \"a\" [ 1 ]\n" },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void check_examples(const struct example *list, size_t count)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < count; i++) {
		const int frames = read_text(&r, list[i].text);

		CHECK(frames >= 0 && r.errors == 0 && r.warnings == 0, "%s: %s", list[i].text,
			log_of(&r));
		CHECK(strcmp(calls_of(&r), list[i].calls) == 0, "%s: %s", list[i].text,
			calls_of(&r));
		CHECK(r.ends_of_input == 1, "%d ends", r.ends_of_input);
	}
	record_free(&r);
}

static void blocks_and_archives_are_read_in_each_form(void)
{
	check_examples(blocks, COUNT(blocks));
}

static void options_are_read_in_each_form(void)
{
	check_examples(options, COUNT(options));
}

static void attributes_and_transformations_are_read_in_each_form(void)
{
	check_examples(attributes, COUNT(attributes));
}

static void geometry_and_textures_are_read_in_each_form(void)
{
	check_examples(geometry, COUNT(geometry));
}

/* Whether an example has the request as a word. */
static int has_example(const struct example *list, size_t count, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < count; i++)
		for (const char *at = list[i].text; (at = strstr(at, name)) != NULL; at += n)
			if ((at == list[i].text || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
				return 1;
	return 0;
}

static void each_row_of_the_table_has_an_example(void)
{
	static const char *const names[] = {
#define NAME(name, signature, call) #name,
		REYES_I_RIB_REQUESTS(NAME)
#undef NAME
	};

	for (size_t i = 0; i < COUNT(names); i++)
		CHECK(has_example(blocks, COUNT(blocks), names[i]) ||
				has_example(options, COUNT(options), names[i]) ||
				has_example(attributes, COUNT(attributes), names[i]) ||
				has_example(geometry, COUNT(geometry), names[i]),
			"%s", names[i]);
}

static void requests_that_follow_each_other_need_no_line_ends(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "Color[1 0 0]Sphere 1-1 1 360") == 0 && r.errors == 1, "%s",
		log_of(&r));
	CHECK(read_text(&r, "Color[1 0 0]Sides 2Sides 1") == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(read_text(&r, "Color[1 0 0]Surface\"matte\"\"Kd\"[1]#x\nSides 1") == 0 && !r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Color [ 1 0 0 ]\nSurface \"matte\" \"Kd\" [ 1 ]\nSides 1\n") ==
			0,
		"%s", calls_of(&r));
	record_free(&r);
}

static void strings_have_the_escape_sequences_of_the_specification(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "Surface \"a\\n\\t\\\\\\\"\\101\\7z\\q\\\n\\\r\nb\"") == 0 && !r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Surface \"a\\012\\011\\134\\042A\\007zqb\"\n") == 0, "%s",
		calls_of(&r));
	/* Bytes of 0200 and more are no tokens in a string. */
	CHECK(read_text(&r, "Surface \"\xc3\xa4\"") == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Surface \"\xc3\xa4\"\n") == 0, "%s", calls_of(&r));
	record_free(&r);
}

static void comments_and_structure_hints_are_skipped(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "##RenderMan RIB-Structure 1.1\n#Sides 3\nSides #x \" [\n 2 # end") ==
				0 &&
			!r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 2\n") == 0, "%s", calls_of(&r));
	record_free(&r);
}

static void frames_are_read_one_by_one(void)
{
	static const char text[] = "FrameBegin 1 WorldBegin Sides 1 WorldEnd FrameEnd "
				   "FrameBegin 2 WorldBegin WorldEnd FrameEnd";
	reyes_renderer r;

	record_init(&r);
	CHECK(reyes_rib_next_frame(&r) == REYES_ERR_STATE, "%s", r.error);
	CHECK(reyes_rib_open_memory(&r, "t.rib", text, strlen(text)) == REYES_OK, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_OK, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "FrameBegin 1\nWorldBegin\nSides 1\nWorldEnd\n") == 0, "%s",
		calls_of(&r));
	CHECK(reyes_rib_next_frame(&r) == REYES_OK, "%s", log_of(&r));
	CHECK(reyes_rib_next_frame(&r) == REYES_END && reyes_rib_next_frame(&r) == REYES_END, "%s",
		log_of(&r));
	CHECK(r.ends_of_input == 1, "%d", r.ends_of_input);
	CHECK(strcmp(calls_of(&r), "FrameBegin 1\nWorldBegin\nSides 1\nWorldEnd\nFrameEnd\n"
				   "FrameBegin 2\nWorldBegin\nWorldEnd\nFrameEnd\n") == 0,
		"%s", calls_of(&r));
	record_free(&r);
}

static CU_TestInfo tests[] = {
	{ "blocks and archives are read in each form", blocks_and_archives_are_read_in_each_form },
	{ "options are read in each form", options_are_read_in_each_form },
	{ "attributes and transformations are read in each form",
		attributes_and_transformations_are_read_in_each_form },
	{ "geometry and textures are read in each form",
		geometry_and_textures_are_read_in_each_form },
	{ "each row of the table has an example", each_row_of_the_table_has_an_example },
	{ "requests that follow each other need no line ends",
		requests_that_follow_each_other_need_no_line_ends },
	{ "strings have the escape sequences of the specification",
		strings_have_the_escape_sequences_of_the_specification },
	{ "comments and structure hints are skipped", comments_and_structure_hints_are_skipped },
	{ "frames are read one by one", frames_are_read_one_by_one },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "RIB requests", .pTests = tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
