/* The list of a scene's files, their sizes and times. */
#include "apps/greyes/changes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INTERVAL_NS = 200 * 1000 * 1000 };

static uint64_t mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

/* Returns a number that changes with the file, of its size, times and inode; 0: there is none. */
static uint64_t file_stamp(const char *path)
{
	struct stat st;
	uint64_t sum = 1;

	if (stat(path, &st) != 0)
		return 0;
	sum = mix(sum, (uint64_t)st.st_size);
	sum = mix(sum, (uint64_t)st.st_ino);
	sum = mix(sum, (uint64_t)st.st_mtim.tv_sec);
	return mix(sum, (uint64_t)st.st_mtim.tv_nsec);
}

void gr_changes_publish(gr_job *j)
{
	const size_t count = reyes_rib_file_count(j->r);

	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < count; i++) {
		const char *path = reyes_rib_file(j->r, i);
		size_t k = 0;
		gr_file *more;

		while (k < j->file_count && strcmp(j->files[k].path, path) != 0)
			k++;
		if (k < j->file_count)
			continue;
		more = realloc(j->files, (k + 1) * sizeof(*more));
		if (!more)
			break;
		j->files = more;
		more[k].path = strdup(path);
		if (!more[k].path)
			break;
		more[k].stamp = file_stamp(path);
		j->file_count++;
	}
	pthread_mutex_unlock(&j->lock);
}

void gr_changes_stamp(gr_job *j)
{
	pthread_mutex_lock(&j->lock);
	for (size_t k = 0; k < j->file_count; k++)
		j->files[k].stamp = file_stamp(j->files[k].path);
	pthread_mutex_unlock(&j->lock);
}

int gr_changes_check(gr_changes *c, gr_job *j)
{
	const int64_t now = progress_now_ns();
	int is_changed = 0, is_same;
	uint64_t sum = 1;

	if (now < c->next_ns)
		return 0;
	c->next_ns = now + INTERVAL_NS;
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->file_count; i++) {
		const uint64_t stamp = file_stamp(j->files[i].path);

		is_changed |= stamp != j->files[i].stamp;
		sum = mix(sum, stamp);
	}
	pthread_mutex_unlock(&j->lock);
	is_same = sum == c->sum;
	c->sum = sum;
	return is_changed && is_same;
}
