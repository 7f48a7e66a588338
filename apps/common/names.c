#include "apps/common/names.h"
#include "libsched/core/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The identity of the file that a path refers to. */
typedef struct file_identity {
	char *name;             /* after following links; NULL: a standard stream */
	const char *base;       /* its last component */
	int exists, has_folder; /* `file` and `folder` are set */
	struct stat file, folder;
} file_identity;

static void find_folder(file_identity *p)
{
	char *slash = strrchr(p->name, '/');

	p->base = slash ? slash + 1 : p->name;
	if (!slash || slash == p->name) {
		p->has_folder = stat(slash ? "/" : ".", &p->folder) == 0;
		return;
	}
	*slash = '\0';
	p->has_folder = stat(p->name, &p->folder) == 0;
	*slash = '/';
}

static void identify_stream(file_identity *p, int fd)
{
	memset(p, 0, sizeof(*p));
	p->exists = fstat(fd, &p->file) == 0;
}

/* Sets *p from a path, which may be NULL. *p owns the path. */
static void identify_path(file_identity *p, char *name)
{
	memset(p, 0, sizeof(*p));
	p->name = name;
	if (!name)
		return;
	p->exists = stat(name, &p->file) == 0;
	find_folder(p);
}

static void identify(file_identity *p, const named_file *f)
{
	if (strcmp(f->path, "-") == 0)
		identify_stream(p, f->is_input ? STDIN_FILENO : STDOUT_FILENO);
	else
		identify_path(p, lsched_i_follow_links(f->path));
}

/* Returns 1 if two paths are the same file; `reads`: one of them is an input. A socket may be read
 * and written, because ssh uses one for standard input and output. */
static int is_same_file(const file_identity *a, const file_identity *b, int reads)
{
	const mode_t mode = a->file.st_mode;

	if (a->exists && b->exists)
		return a->file.st_dev == b->file.st_dev && a->file.st_ino == b->file.st_ino &&
		       (reads ? S_ISREG(mode) || S_ISBLK(mode) : !S_ISCHR(mode));
	return a->name && b->name && a->has_folder && b->has_folder &&
	       a->folder.st_dev == b->folder.st_dev && a->folder.st_ino == b->folder.st_ino &&
	       strcmp(a->base, b->base) == 0;
}

/* Returns 1 if b is NAME.part of the output a. */
static int is_part_of(const file_identity *a, const file_identity *b)
{
	file_identity part;
	int is;

	if (!a->name || (a->exists && !S_ISREG(a->file.st_mode)))
		return 0;
	identify_path(&part, lsched_i_part_name(a->name));
	is = part.name && is_same_file(&part, b, 0);
	free(part.name);
	return is;
}

static int report_part(
	const named_file *owner, const named_file *other, char *msg, size_t msg_bytes)
{
	snprintf(msg, msg_bytes,
		"%s '%s' is first written as NAME.part, which is %s '%s'; choose another name",
		owner->option, owner->path, other->option, other->path);
	return -1;
}

static int compare(const named_file *a, const named_file *b, char *msg, size_t msg_bytes)
{
	file_identity pa, pb;
	int bad = 0;

	identify(&pa, a);
	identify(&pb, b);
	if (is_same_file(&pa, &pb, a->is_input || b->is_input) ||
		(!a->is_input && !b->is_input && strcmp(a->path, "-") == 0 &&
			strcmp(b->path, "-") == 0)) {
		bad = -1;
		if (a->is_input || b->is_input)
			snprintf(msg, msg_bytes,
				"%s '%s' would replace the input, %s '%s'; choose another name",
				a->is_input ? b->option : a->option,
				a->is_input ? b->path : a->path,
				a->is_input ? a->option : b->option,
				a->is_input ? a->path : b->path);
		else
			snprintf(msg, msg_bytes, "%s '%s' and %s '%s' both write to one file",
				a->option, a->path, b->option, b->path);
	} else if (!a->is_input && is_part_of(&pa, &pb)) {
		bad = report_part(a, b, msg, msg_bytes);
	} else if (!b->is_input && is_part_of(&pb, &pa)) {
		bad = report_part(b, a, msg, msg_bytes);
	}
	free(pa.name);
	free(pb.name);
	return bad;
}

int names_check(const named_file *files, size_t count, char *msg, size_t msg_bytes)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (files[i].path && files[k].path &&
				!(files[i].is_input && files[k].is_input) &&
				compare(&files[i], &files[k], msg, msg_bytes))
				return -1;
	return 0;
}
