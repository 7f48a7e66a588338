#!/usr/bin/env python3
"""Write the lines of code of the workloads to docs/workloads.md, between two marker comments, and
to apps/gsched/repro_lines.h, for the page of gsched reproduce.

    bench/lines.py              write both tables
    bench/lines.py --check      fail if a table differs from the sources
    bench/lines.py --top DIR    read and write DIR instead of this source tree; before --check

A line of code has more than a comment. The text of the tasks is what the sources of the CPU and the
CUDA program include, within workloads/ and collide/. The program without libsched is plain_cuda.cu,
with the radix sort of workloads/common/ where it calls it. It shares the files of the tasks whose
functions or types it names, and those that they name in turn. Options, checks and input are not
counted."""
import os
import re
import sys

PAGE = os.path.join("docs", "workloads.md")
HEADER = os.path.join("apps", "gsched", "repro_lines.h")
HEADER_TEXT = """/* Lines of code of the workloads: written by bench/lines.py, do not edit. */
#ifndef APPS_GSCHED_REPRO_LINES_H
#define APPS_GSCHED_REPRO_LINES_H

/* The text of the tasks, those of it in the program without libsched, too, that program's own. */
static const struct {
	const char *name;
	unsigned tasks, shared, plain;
} repro_code_lines[] = {
%s};
#endif
"""
BEGIN = "<!-- lines of code: written by bench/lines.py, do not edit -->"
END = "<!-- end of the lines of code -->"
# Name, folder of the program without libsched, programs: NAME.c and NAME_cuda.cu each.
WORKLOADS = (("sort", "sort", ("workloads/sort/sort4", "workloads/sort/sort8")),
             ("octree", "octree", ("workloads/octree/octree",)),
             ("bvh", "bvh", ("collide/bvh/bvh", "workloads/bvh/obb")),
             ("collide", "collide", ("collide/pairs/pairs", "collide/pairs/contacts")),
             ("fourrow, without the solver", "fourrow", ("workloads/fourrow/plies",)),
             ("lod", "lod", ("workloads/lod/lod",)),
             ("trace", "trace", ("workloads/trace/trace", "workloads/trace/patch")),
             ("hull", "hull", ("workloads/hull/hull",)),
             ("x3d", "x3d", ("workloads/x3d/x3d",)))
# Comments, strings and characters of C; only comments are replaced.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:workloads|collide)/[^"]+)"', re.M)
RADIX = "workloads/common/radix.cuh"
# Functions and types that a file defines: "LSCHED_FN int name(", "} name;".
DEFINED = re.compile(r"^(?:LSCHED_\w+|static)\b[^;({]*?(\w+)\(|^} (\w+);", re.M)
NAME = re.compile(r"\w+")


def read(top, name):
    with open(os.path.join(top, name), encoding="utf-8") as file:
        return file.read()


def code(text):
    """The text without comments; their line breaks stay."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]+", " ", m[0]) if m[0][0] == "/" else m[0], text)


def lines(top, names):
    return sum(1 for name in names for line in code(read(top, name)).split("\n") if line.strip())


def closure(top, names):
    """The files and what they include."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += INCLUDE.findall(code(read(top, name)))
    return found


def named(top, text, names):
    """The files of which the text names a function or a type, and the files that they name."""
    found, left = set(), [text]
    defined = {n: {a or b for a, b in DEFINED.findall(code(read(top, n)))} for n in names}
    while left:
        words = set(NAME.findall(code(left.pop())))
        for name in names:
            if name not in found and words & defined[name]:
                found.add(name)
                left.append(read(top, name))
    return found


def row(top, folder, programs):
    at = "workloads/%s/" % folder
    tasks = closure(top, [p + end for p in programs for end in (".c", "_cuda.cu")])
    plain = read(top, at + "plain_cuda.cu")
    shared = closure(top, [at + "plain_cuda.cu"]) & tasks
    own = [at + "plain_cuda.cu"] + [RADIX] * bool(re.search(r"\bradix_sort\b", code(plain)))
    return lines(top, tasks), lines(top, named(top, plain, sorted(shared))), lines(top, own)


def page(old, rows):
    """The page with the table between its markers."""
    head = ["| workload | text of the tasks | of it in the program without libsched, too | "
            "that program's own |", "|---|---|---|---|"]
    table = "\n".join(head + ["| %s | %d | %d | %d |" % r for r in rows])
    return "%s%s\n%s\n%s%s" % (old.split(BEGIN)[0], BEGIN, table, END, old.split(END)[1])


def header(rows):
    return HEADER_TEXT % "".join('\t{ "%s", %d, %d, %d },\n' % r for r in rows)


def main(arguments):
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    if arguments == ["--help"]:
        print(__doc__)
        return 0
    if arguments[:1] == ["--top"] and len(arguments) > 1:
        top, arguments = arguments[1], arguments[2:]
    if arguments not in ([], ["--check"]):
        print("lines: wrong arguments %s; see --help" % arguments, file=sys.stderr)
        return 2
    old = read(top, PAGE)
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        print("lines: %s must have each marker once" % PAGE, file=sys.stderr)
        return 1
    rows = [(name,) + row(top, folder, programs) for name, folder, programs in WORKLOADS]
    differs = 0
    for name, new in ((PAGE, page(old, rows)), (HEADER, header(rows))):
        if os.path.exists(os.path.join(top, name)) and read(top, name) == new:
            continue
        differs = 1
        if arguments:
            print("lines: %s differs from workloads/; run bench/lines.py" % name, file=sys.stderr)
            continue
        with open(os.path.join(top, name), "w", encoding="utf-8") as file:
            file.write(new)
    return differs if arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
