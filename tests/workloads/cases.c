/* Prints the cases of the common test: a workload and the arguments of one execution a line. */
#include <stdio.h>
#include "workloads/table.h"

int main(void)
{
	for (size_t i = 0; wl_types[i]; i++)
		for (const char *const *c = wl_types[i]->cases; *c; c++)
			printf("%s %s\n", wl_types[i]->name, *c);
	return fflush(stdout) == 0 ? 0 : 1;
}
