#!/bin/sh
# The kernel that docs/kernel.md writes out is what the preprocessor makes of
# workloads/wavefront/wavefront_cuda.cu: each block of code after the marker there, without comments
# and white space, is a part of the preprocessor's output. Needs no CUDA. CC: the compiler.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/kernel_text_test.tmp

fail()
{
	echo "FAIL: $1"
	exit 1
}

# Functions of standard input, one a line, without comments and white space.
squeeze()
{
	sed 's://.*::; s:/\*[^*]*\*/::g' | tr -d ' \t\n' |
		sed 's/static__/\n&/g'
}

rm -rf "$work"
mkdir -p "$work/include" || exit 1
: >"$work/include/cuda_runtime.h"
: >"$work/include/stddef.h" # NULL stays NULL
# The device's text, as C, so that no C++ compiler is needed.
${CC:-cc} -E -P -x c -D__CUDACC__ -D__CUDA_ARCH__=900 -D__cplusplus=201703L \
	-I"$top/libsched/include" -I"$top" -I"$work/include" \
	"$top/workloads/wavefront/wavefront_cuda.cu" \
	>"$work/expanded" 2>"$work/messages" || fail "the preprocessor: $(head -3 "$work/messages")"
squeeze <"$work/expanded" >"$work/made"
awk '/^<!-- kernel text:/ { on = 1; next }
	on && /^```c$/ { code = 1; next }
	code && /^```$/ { exit }
	code' "$top/docs/kernel.md" >"$work/text"
squeeze <"$work/text" | grep . >"$work/written"
[ "$(wc -l <"$work/written")" -eq 5 ] || fail "docs/kernel.md does not have the five functions"
count=0
while read -r line; do
	count=$((count + 1))
	grep -qF -- "$line" "$work/made" ||
		fail "function $count of docs/kernel.md is not what the preprocessor makes: $line"
done <"$work/written"
rm -rf "$work"
echo "$count functions are as the preprocessor makes them"
