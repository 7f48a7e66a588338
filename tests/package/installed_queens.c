/* A user's program on libnqueens: built by `make installcheck` with the installed files only. */
#include <nqueens/nqueens.h>

int main(void)
{
	nq_count total;

	return nq_solve(8, NULL, &total, NULL) == NQ_OK && total.lo == 92 ? 0 : 1;
}
