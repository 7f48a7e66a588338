/* Prints the table of the encoder's options for build-aux/options-doc: a line for each, fields
 * separated by tabs. */
#include <h264intra/options.h>

#include <stdio.h>
#include <string.h>

static void print_names(const h264i_option *d)
{
	if (d->type == H264I_OPTION_SWITCH)
		printf(d->preset && strcmp(d->preset, "auto") == 0 ? "auto|on|off" : "");
	for (const h264i_option_name *n = d->names; n && n->name; n++)
		printf("%s%s", n == d->names ? "" : "|", n->name);
}

int main(void)
{
	const h264i_option *d;
	char needs[200];

	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++) {
		h264i_spell_options(&(h264i_spelling){ .prefix = "--", .dash = '-' },
			d->needs ? d->needs : "", needs, sizeof(needs));
		printf("%s\t%c\t%s\t", d->name, d->letter ? d->letter : '-',
			d->value ? d->value : "");
		print_names(d);
		printf("\t%s\t%s\t%s%s%s\t%d\t%d\t%d\n", d->preset ? d->preset : "", needs, d->help,
			d->pair ? "; " : "", d->pair ? d->pair : "", d->execution, d->is_part,
			d->type == H264I_OPTION_NAME);
	}
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
