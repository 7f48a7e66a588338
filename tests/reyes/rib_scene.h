/* A small scene with each kind of argument, for suites that damage or encode it. */
#ifndef TESTS_REYES_RIB_SCENE_H
#define TESTS_REYES_RIB_SCENE_H

static const char rib_scene[] =
	"##RenderMan RIB-Structure 1.1\n"
	"version 3.03\n"
	"Option \"searchpath\" \"archive\" [\"a:b:@:&\"]\n"
	"Declare \"tint\" \"uniform color\"\n"
	"Display \"out.tif\" \"file\" \"rgba\" \"quantize\" [0 255 0 255]\n"
	"Format 320 240 1\n"
	"Projection \"perspective\" \"fov\" [37.5]\n"
	"FrameBegin 1\n"
	"WorldBegin\n"
	"LightSource \"distantlight\" \"key\\n1\" \"from\" [1 2 -3.25e-2] \"intensity\" .5\n"
	"AttributeBegin # a comment\n"
	"\tSurface \"plastic\" \"Kd\" 0.7 \"uniform string map\" [\"a.tex\" \"b.tex\"]\n"
	"\tConcatTransform [1 0 0 0  0 1 0 0  0 0 1 0  .5 -1e3 123456789 1]\n"
	"\tSphere 1 -1 1 360 \"Cs\" [1 0 0]\n"
	"\tPointsPolygons [3 4] [0 1 2 0 2 3 70000] \"P\" [0 0 0 1 0 0 1 1 0 0 1 -0.125]\n"
	"\tBasis \"bezier\" 3 [-1 3 -3 1 3 -6 3 0 -3 3 0 0 1 0 0 0] 3\n"
	"\tSubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"crease\"] [2 1] [0 1] [2.5] "
	"\"P\" [0]\n"
	"AttributeEnd\n"
	"ArchiveBegin \"leaf\"\n"
	"\tIfBegin \"$Frame == 1 && defined(user:x) == 0\"\n"
	"\t\tCurves \"linear\" [2] \"nonperiodic\" \"P\" [0 0 0 1 1 1] \"width\" [.1 .2]\n"
	"\tElse\n"
	"\t\tPoints \"P\" [0 0 0]\n"
	"\tIfEnd\n"
	"ArchiveEnd\n"
	"ReadArchive \"leaf\"\n"
	"Procedural \"DelayedReadArchive\" [\"leaf\"] [0 1 0 1 0 1]\n"
	"WorldEnd\n"
	"FrameEnd\n";

#endif
