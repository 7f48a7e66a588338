/* Scenes of fly_test.c: every kind of primitive, of light and of shader, motion, named spaces. The
 * folder of their textures is the current one. */
#ifndef TESTS_REYES_FLY_SCENES_H
#define TESTS_REYES_FLY_SCENES_H

typedef struct fly_scene {
	const char *name;
	const char *options; /* before the camera */
	const char *camera;  /* transforms after Projection */
	const char *world;
	int files; /* needs the files of make_files */
} fly_scene;

#define FLY_LIGHTS                                                           \
	"LightSource \"ambientlight\" 1 \"intensity\" [.1]\n"                \
	"LightSource \"distantlight\" 2 \"from\" [1 2 -3] \"to\" [0 0 0]\n"  \
	"LightSource \"pointlight\" 3 \"from\" [2 1 -1] \"intensity\" [3]\n" \
	"LightSource \"spotlight\" 4 \"from\" [-2 2 -2] \"to\" [0 0 0] "     \
	"\"coneangle\" [.5] \"intensity\" [6]\n"

#define FLY_CUBE "[4 4 4 4 4 4] [0 2 3 1 0 1 5 4 1 3 7 5 3 2 6 7 2 0 4 6 4 5 7 6]"
#define FLY_CUBE_POINTS                                                                         \
	"\"P\" [-.7 -.7 -.7 .7 -.7 -.7 -.7 .7 -.7 .7 .7 -.7 -.7 -.7 .7 .7 -.7 .7 -.7 .7 .7 .7 " \
	".7 .7]\n"

static const fly_scene fly_scenes[] = {
	{ "quadrics", "", "Translate 0 0 4\nRotate 20 1 .5 0\n",
		FLY_LIGHTS
		"Surface \"plastic\"\nColor .9 .5 .3\n"
		"TransformBegin Translate -1 .8 0 Sphere .4 -.3 .4 300 TransformEnd\n"
		"TransformBegin Translate 0 .8 0 Rotate 70 1 0 0 Cone .7 .4 360 TransformEnd\n"
		"TransformBegin Translate 1 .8 0 Rotate 50 1 1 0 Cylinder .3 -.3 .3 270 "
		"TransformEnd\n"
		"TransformBegin Translate -1 -.2 0 Hyperboloid .4 0 -.3 -.2 .3 .4 360 "
		"TransformEnd\n"
		"TransformBegin Translate 0 -.2 0 Rotate -60 1 0 0 Paraboloid .4 0 .5 360 "
		"TransformEnd\n"
		"TransformBegin Translate 1 -.2 0 Rotate 30 1 0 0 Disk 0 .4 300 TransformEnd\n"
		"TransformBegin Translate 0 -1 0 Rotate 60 1 0 0 Scale 2 1 1 "
		"Torus .3 .12 0 360 360 TransformEnd\n",
		0 },
	{ "polygons with user normals", "", "Translate 0 0 4\n",
		FLY_LIGHTS
		"Surface \"matte\"\n"
		"Polygon \"P\" [-1 -1 0  0 -1 .3  .2 .2 .4  -.8 .4 0] "
		"\"N\" [0 0 1  .5 0 1  .5 .5 1  0 .5 1] \"Cs\" [1 0 0 0 1 0 0 0 1 1 1 1]\n"
		"GeneralPolygon [4 3] \"P\" [.2 -.8 0 1.2 -.8 0 1.2 .4 .5 .2 .4 .5 "
		".5 -.5 .125 .9 -.5 .125 .7 0 .33]\n"
		"Scale 1 .5 1\nPointsPolygons [3 3] [0 1 2 1 3 2] \"P\" [-1 1 0 1 1 .5 -1 2.4 .5 1 "
		"2.4 1] \"vertex normal N\" [0 .3 1 .3 0 1 0 0 1 .2 .2 1] "
		"\"uniform color Cs\" [1 .5 0 0 .5 1]\n",
		0 },
	{ "patches", "", "Translate 0 0 4\nRotate 30 0 1 0\n",
		FLY_LIGHTS
		"Surface \"plastic\"\n"
		"Patch \"bilinear\" \"P\" [-1.2 -1 0 -.2 -1 .4 -1.2 0 .3 -.1 .1 -.3]\n"
		"Basis \"b-spline\" 1 \"b-spline\" 1\nColor .2 .6 1\n"
		"PatchMesh \"bicubic\" 5 \"nonperiodic\" 4 \"nonperiodic\" \"P\" [-1 0 0 -.5 0 .3 "
		"0 "
		"0 0 .5 0 -.3 1 0 0 -1 .4 .2 -.5 .4 0 0 .4 .5 .5 .4 .3 1 .4 0 -1 .8 0 -.5 .8 .3 0 "
		".8 .4 .5 .8 0 1 .8 .2 -1 1.2 0 -.5 1.2 0 0 1.2 .3 .5 1.2 -.2 1 1.2 0]\n"
		"Color 1 .4 .2\nPatch \"bilinear\" \"Pw\" [.1 -1 0 1 2.4 -2 0 2 .1 -.1 .4 1 3 -.3 "
		"-.9 3]\n",
		0 },
	{ "a rational B-spline surface", "", "Translate 0 0 4\nRotate 25 1 1 0\n",
		FLY_LIGHTS
		"Surface \"plastic\"\nTranslate -.6 -.6 0\nScale 1.2 1.2 1\n"
		"NuPatch 3 3 [0 0 0 1 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"Pw\" [1 0 0 1 .7071 .7071 0 "
		".7071 0 1 0 1 1 0 1 1 .7071 .7071 .7071 .7071 0 1 1 1]\n",
		0 },
	{ "subdivision surfaces", "", "Translate 0 0 4\nRotate 30 1 .4 .2\n",
		FLY_LIGHTS
		"Surface \"plastic\"\nColor .5 .8 .4\n"
		"SubdivisionMesh \"catmull-clark\" " FLY_CUBE
		" [\"crease\"] [5 1] [0 1 3 2 0] [2.5] " FLY_CUBE_POINTS
		"Translate -1 .9 0\nScale .4 .4 .4\nSubdivisionMesh \"catmull-clark\" " FLY_CUBE
		" [] [] [] [] " FLY_CUBE_POINTS,
		0 },
	{ "curves and points", "", "Translate 0 0 4\nRotate 10 0 1 0\n",
		FLY_LIGHTS
		"Surface \"plastic\"\nBasis \"bezier\" 3 \"bezier\" 3\n"
		"Curves \"cubic\" [4 4] \"nonperiodic\" \"P\" [-1 -1 0 -.5 -.2 .5 0 -.8 -.5 .4 .3 "
		"0 "
		"-1 -.6 0 -.5 .4 .5 0 0 -.5 .4 .9 0] \"width\" [.1 .3 .2 .1]\n"
		"Curves \"cubic\" [4] \"nonperiodic\" \"P\" [1 -1 0 .5 -.5 .3 1 .2 -.3 .9 1 0] "
		"\"constantwidth\" [.3] \"varying normal N\" [0 0 -1 1 0 -.4]\n"
		"Curves \"linear\" [3] \"nonperiodic\" \"P\" [-1 .6 0 -.4 1 0 .2 .7 .4] "
		"\"constantwidth\" [.1]\n"
		"Points \"P\" [-.8 .3 0 -.3 .3 .4 .1 .5 -.4] \"varying float width\" [.3 .2 .25]\n",
		0 },
	{ "a shadow map", "", "Translate 0 0 4\nRotate -30 1 0 0\n",
		"LightSource \"shadowspot\" 1 \"from\" [0 3 0] \"to\" [0 0 0] \"coneangle\" [.7] "
		"\"intensity\" [12] \"string shadowname\" [\"light.shd\"]\n"
		"LightSource \"ambientlight\" 2 \"intensity\" [.1]\n"
		"Surface \"matte\"\nPolygon \"P\" [-2 -.6 -2 2 -.6 -2 2 -.6 2 -2 -.6 2]\n"
		"Color 1 .3 .2\nSphere .5 -.5 .5 360\n",
		1 },
	{ "displacement and a texture", "Attribute \"displacementbound\" \"sphere\" [.2]\n",
		"Translate 0 0 4\nRotate 15 1 0 0\n",
		FLY_LIGHTS
		"Surface \"paintedplastic\" \"string texturename\" [\"image.tex\"]\n"
		"Translate -.6 0 0\nSphere .5 -.5 .5 360\n"
		"Displacement \"bumpy\" \"Km\" [.1] \"string texturename\" [\"image.tex\"]\n"
		"Translate 1.2 0 0\nSphere .5 -.5 .5 360\n",
		1 },
	{ "mirrors", "", "Translate 0 0 4\nRotate 25 1 .5 0\n",
		"Surface \"shinymetal\" \"Kr\" [.8] \"string texturename\" [\"image.env\"]\n"
		"Translate -.6 0 0\nSphere .5 -.5 .5 360\n"
		"Surface \"shinymetal\" \"Kr\" [.8] \"string texturename\" [\"image.tex\"]\n"
		"Translate 1.2 0 0\nSphere .5 -.5 .5 360\n",
		1 },
	{ "motion of shapes, of transforms and of the camera", "Shutter 0 1\nDepthOfField 4 .5 4\n",
		"MotionBegin [0 1] Translate 0 0 4 Translate .2 .1 3.8 MotionEnd\n",
		FLY_LIGHTS
		"Surface \"plastic\"\nTransformBegin MotionBegin [0 .4 1] Translate -.8 0 0 "
		"Translate -.6 .2 0 Translate -.3 0 -.3 MotionEnd Sphere .4 -.4 .4 360 "
		"TransformEnd\n"
		"TransformBegin Translate .8 .6 0 MotionBegin [0 1] Rotate 0 1 0 1 Rotate 50 1 0 1 "
		"MotionEnd Torus .3 .1 0 360 360 TransformEnd\n"
		"MotionBegin [0 1] Patch \"bilinear\" \"P\" [-.2 -1 0 .8 -1 0 -.2 0 0 .8 0 0] "
		"Patch \"bilinear\" \"P\" [-.2 -1 0 1 -1 .3 0 .2 0 .8 .1 .3] MotionEnd\n"
		"MotionBegin [0 1] Points \"P\" [-1 -.8 0 -.7 -1 0] \"constantwidth\" [.2] "
		"Points \"P\" [-.9 -.8 0 -.7 -.9 0] \"constantwidth\" [.2] MotionEnd\n",
		0 },
	{ "transparency, solids, fog", "", "Translate 0 0 4\n",
		"Atmosphere \"fog\" \"distance\" [12] \"background\" [.2 .3 .4]\n" FLY_LIGHTS
		"Surface \"plastic\"\nTransformBegin Translate -.7 0 0 SolidBegin \"difference\" "
		"SolidBegin \"primitive\" Sphere .6 -.6 .6 360 SolidEnd SolidBegin \"primitive\" "
		"Translate .3 0 -.3 Sphere .5 -.5 .5 360 SolidEnd SolidEnd TransformEnd\n"
		"Opacity .5 .5 .5\nColor 1 .5 0\nTranslate .6 0 0\nSphere .5 -.5 .5 360\n"
		"Color 0 .5 1\nTranslate .1 .3 -.5\nPolygon \"P\" [-1 -1 0 .5 -1 0 .5 .4 0 -1 .4 "
		"0]\n",
		0 },
	{ "instances, mirrored and in named spaces", "", "Translate 0 0 4\nRotate 30 0 0 1\n",
		FLY_LIGHTS
		"ObjectBegin \"o\"\nSphere .3 -.3 .3 360\nTranslate .5 0 0\n"
		"Polygon \"P\" [-.2 -.2 0 .2 -.2 0 .2 .2 .2 -.2 .2 .2]\nObjectEnd\n"
		"Surface \"matte\"\nTransformBegin Translate -.8 -.5 0 CoordinateSystem \"mine\" "
		"TransformEnd\n"
		"TransformBegin CoordSysTransform \"mine\" ObjectInstance \"o\" TransformEnd\n"
		"TransformBegin Translate .2 .5 0 Scale -1 1.2 .8 ObjectInstance \"o\" "
		"TransformEnd\nReverseOrientation\nSides 1\nTranslate .6 -.5 0\n"
		"Sphere .3 -.3 .3 360\n",
		0 },
	{ "what is fixed to the camera", "", "Translate 0 0 4\nRotate 30 1 0 0\n",
		"Surface \"matte\"\n"
		"TransformBegin Scale 1 .4 .7 Sphere .8 -.8 .8 360 TransformEnd\n"
		"TransformBegin CoordSysTransform \"camera\"\nColor 1 0 0\n"
		"Polygon \"P\" [-.5 -.5 2 -.2 -.5 2 -.2 -.2 2.2 -.5 -.2 2] "
		"\"N\" [0 0 1 0 .3 1 .5 .2 1 .3 0 1]\nTransformEnd\n"
		"CoordSysTransform \"hand\"\nColor 0 1 0\nSphere .1 -.1 .1 360\n",
		0 },
	{ "area lights and other shaders' lights", "", "Translate 0 0 4\nRotate 40 1 1 0\n",
		"LightSource \"uberlight\" 9 \"string lighttype\" [\"omni\"] \"point from\" [3 2 "
		"-1]\n"
		"AttributeBegin\nAreaLightSource \"arealight\" 1 \"intensity\" [4]\n"
		"Translate 1.2 1 -1\nRotate 20 1 1 0\nPolygon \"P\" [-.2 0 -.2 .4 0 -.2 .4 0 .2 "
		"-.2 "
		"0 .2]\nAttributeEnd\nIlluminate 1 1\nSurface \"matte\"\nSphere .6 -.6 .6 360\n",
		0 },
	{ "an area light that precedes the world",
		"AreaLightSource \"arealight\" 1 \"intensity\" [4]\n",
		"Translate 0 0 4\nRotate 40 1 1 0\n",
		"TransformBegin\nTranslate 1.2 1 -1\nRotate 20 1 1 0\n"
		"Polygon \"P\" [-.2 0 -.2 .4 0 -.2 .4 0 .2 -.2 0 .2]\nTransformEnd\n"
		"AreaLightSource \"null\" 1\nSurface \"matte\"\nScale 1 1 .5\nSphere .6 -.6 .6 "
		"360\n",
		0 },
	{ "an orthographic camera", "ScreenWindow -1.5 1.5 -1.5 1.5\nProjection \"orthographic\"\n",
		"Translate 0 0 4\nRotate 30 1 1 0\n",
		FLY_LIGHTS "Surface \"plastic\"\nTorus .7 .3 0 360 300\n"
			   "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-1 -1 0 1 1 0] "
			   "\"constantwidth\" [.1]\n",
		0 },
};

enum { FLY_SCENES = sizeof(fly_scenes) / sizeof(fly_scenes[0]) };

#endif
