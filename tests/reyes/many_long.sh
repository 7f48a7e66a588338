#!/bin/sh
# Pictures of SCENE_PRIMITIVES (three million) primitives. For `make check-long`.
: "${TEST_BUILDDIR:?}"
SCENE_PRIMITIVES=${SCENE_PRIMITIVES:-3000000}
TEST_TIME_LIMIT_S=${TEST_TIME_LIMIT_S:-600}
export SCENE_PRIMITIVES TEST_TIME_LIMIT_S
exec "$TEST_BUILDDIR/tests/reyes/render_many_test"
