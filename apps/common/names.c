#include "apps/common/names.h"
#include "h264intra/io/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a name stands for. */
typedef struct place {
	char *name;            /* behind links; NULL: a standard stream */
	const char *base;      /* its last component */
	int there, has_folder; /* which of the two below are known */
	struct stat file, folder;
} place;

static void find_folder(place *p)
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

static void find_standard(place *p, int fd)
{
	memset(p, 0, sizeof(*p));
	p->there = fstat(fd, &p->file) == 0;
}

/* Takes over `name`, which may be NULL. */
static void find_named(place *p, char *name)
{
	memset(p, 0, sizeof(*p));
	p->name = name;
	if (!name)
		return;
	p->there = stat(name, &p->file) == 0;
	find_folder(p);
}

static void find(place *p, const named_file *f)
{
	if (strcmp(f->path, "-") == 0)
		find_standard(p, f->is_input ? STDIN_FILENO : STDOUT_FILENO);
	else
		find_named(p, h264i_i_part_target(f->path));
}

/* Does not depend on the order. A socket may be read and written (standard input and output
 * under ssh). */
static int same(const place *a, const place *b, int reads)
{
	const mode_t mode = a->file.st_mode;

	if (a->there && b->there)
		return a->file.st_dev == b->file.st_dev && a->file.st_ino == b->file.st_ino &&
		       (reads ? S_ISREG(mode) || S_ISBLK(mode) : !S_ISCHR(mode));
	return a->name && b->name && a->has_folder && b->has_folder &&
	       a->folder.st_dev == b->folder.st_dev && a->folder.st_ino == b->folder.st_ino &&
	       strcmp(a->base, b->base) == 0;
}

/* 1: NAME.part of a, an output, is b. */
static int part_is(const place *a, const place *b)
{
	place part;
	int is;

	if (!a->name || (a->there && !S_ISREG(a->file.st_mode)))
		return 0;
	find_named(&part, h264i_i_part_name(a->name));
	is = part.name && same(&part, b, 0);
	free(part.name);
	return is;
}

static int complain_part(
	const named_file *owner, const named_file *other, char *msg, size_t msg_bytes)
{
	snprintf(msg, msg_bytes,
		"%s '%s' is first written as NAME.part, which is %s '%s'; choose another name",
		owner->option, owner->path, other->option, other->path);
	return -1;
}

static int compare(const named_file *a, const named_file *b, char *msg, size_t msg_bytes)
{
	place pa, pb;
	int bad = 0;

	find(&pa, a);
	find(&pb, b);
	if (same(&pa, &pb, a->is_input || b->is_input) ||
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
	} else if (!a->is_input && part_is(&pa, &pb)) {
		bad = complain_part(a, b, msg, msg_bytes);
	} else if (!b->is_input && part_is(&pb, &pa)) {
		bad = complain_part(b, a, msg, msg_bytes);
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
