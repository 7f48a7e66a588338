/* The names of elements and attributes with a kind, from X3D 3.3. `height` is no list of floats:
 * pages with scenes have a height of "400px". */
#include "workloads/x3d/host.h"
#include "workloads/x3d/lexer.h"

#include <stdio.h>
#include <string.h>

static const struct {
	uint32_t kind;
	const char *names;
} lists[] = {
	{ X3D_FLOATS,
		"point vector color translation rotation scale scaleOrientation center bboxCenter "
		"bboxSize diffuseColor emissiveColor specularColor ambientIntensity shininess "
		"transparency position orientation centerOfRotation fieldOfView direction location "
		"intensity attenuation radius beamWidth cutOffAngle key keyValue size bottomRadius "
		"spine crossSection creaseAngle xSpacing zSpacing skyColor skyAngle groundColor "
		"groundAngle avatarSize speed visibilityLimit visibilityRange cycleInterval weight "
		"knot controlPoint range axisOfRotation texCoord matrix lineSegments startAngle "
		"endAngle innerRadius outerRadius mass force gravity" },
	{ X3D_INTS, "coordIndex colorIndex normalIndex texCoordIndex index fanCount stripCount "
		    "vertexCount image whichChoice xDimension zDimension uDimension vDimension" },
	{ X3D_GROUP, "X3D Scene Group StaticGroup Switch LOD Inline Anchor Collision" },
	{ X3D_TRANSFORM, "Transform MatrixTransform Billboard" },
	{ X3D_SHAPE, "Shape" },
	{ X3D_GEOMETRY,
		"IndexedFaceSet IndexedLineSet IndexedTriangleSet IndexedTriangleStripSet "
		"IndexedTriangleFanSet IndexedQuadSet TriangleSet TriangleStripSet TriangleFanSet "
		"QuadSet LineSet PointSet Box Sphere Cone Cylinder ElevationGrid Extrusion Text" },
	{ X3D_LIST, "Coordinate CoordinateDouble Color ColorRGBA Normal Tangent TextureCoordinate "
		    "PositionInterpolator OrientationInterpolator ScalarInterpolator "
		    "CoordinateInterpolator ColorInterpolator NormalInterpolator" },
	{ X3D_APPEARANCE, "Appearance Material TwoSidedMaterial ImageTexture PixelTexture "
			  "MovieTexture TextureTransform LineProperties FillProperties" },
	{ X3D_VIEW, "Viewpoint OrthoViewpoint NavigationInfo Background Fog DirectionalLight "
		    "PointLight SpotLight" },
};

void x3d_make_names(x3d_name names[X3D_NAMES])
{
	memset(names, 0, X3D_NAMES * sizeof(*names));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *at = lists[i].names;

		while (*at) {
			const size_t n = strcspn(at, " ");
			uint32_t k = x3d_hash((const uint8_t *)at, (uint32_t)n);

			while (names[k % X3D_NAMES].kind)
				k++;
			memcpy(names[k % X3D_NAMES].name, at, n);
			names[k % X3D_NAMES].kind = lists[i].kind;
			at += n + (at[n] == ' ');
		}
	}
}

#define ERROR_ROW(name, text, kind) { text, kind },
static const struct {
	const char *text;
	uint32_t kind;
} errors[] = { { "nothing", X3D_XML }, X3D_ERRORS(ERROR_ROW) };

uint32_t x3d_error_class(uint32_t error)
{
	return errors[error].kind;
}

int x3d_say(const char *name, const uint8_t *s, uint32_t at, uint32_t error, char *msg, size_t n)
{
	uint32_t line = 1;

	for (uint32_t k = 0; k < at; k++)
		line += s[k] == '\n';
	return wl_fail(msg, n, "%s: byte %u, line %u: %s", name, at, line, errors[error].text);
}
