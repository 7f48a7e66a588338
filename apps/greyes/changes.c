/* Looks at sizes and times of a scene's files. */
#include "apps/greyes/changes.h"

#include <sys/stat.h>

enum { INTERVAL_NS = 200 * 1000 * 1000 };

static uint64_t mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

uint64_t gr_file_stamp(const char *path)
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
		const uint64_t stamp = gr_file_stamp(j->files[i].path);

		is_changed |= stamp != j->files[i].stamp;
		sum = mix(sum, stamp);
	}
	pthread_mutex_unlock(&j->lock);
	is_same = sum == c->sum;
	c->sum = sum;
	return is_changed && is_same;
}
