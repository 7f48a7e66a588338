#!/bin/sh
# encode_yuv gives a stream of as many pictures as it was given, and a reason when it cannot.
prog=$TEST_BUILDDIR/examples/encode_yuv
out=encode_yuv_check.264
trap 'rm -f "$out"' EXIT

fail()
{
	echo "FAIL: $1"
	exit 1
}

# Three pictures of 64x48, and half a picture more that is not encoded.
head -c 16128 /dev/zero | "$prog" 64 48 > "$out" || fail "encode_yuv ends with $?"
pictures=$(od -An -v -tx1 "$out" | tr -d ' \n' | grep -o '0000000167' | wc -l)
[ "$pictures" -eq 3 ] || fail "$pictures pictures instead of 3"
"$prog" 63 48 < /dev/null > /dev/null 2>&1
[ $? -eq 2 ] || fail "an odd width is not refused"
"$prog" > /dev/null 2>&1
[ $? -eq 2 ] || fail "missing arguments are not refused"
if [ -e /dev/full ]; then
	head -c 16128 /dev/zero | "$prog" 64 48 > /dev/full 2>/dev/null
	[ $? -eq 1 ] || fail "a full disk goes unnoticed"
fi
echo "3 pictures"
