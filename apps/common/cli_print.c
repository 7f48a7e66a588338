/* Help and completion script, from the table of options. */
#include "apps/common/cli.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 80, HELP_COLUMN = 26 };

/* Returns the letter of an option, or 0 if an earlier option of the table has the same one. */
static char letter_of(const cli_program *p, const cli_opt *o)
{
	for (const cli_opt *first = p->opts; first != o && first->name; first++)
		if (first->letter == o->letter)
			return 0;
	return o->letter;
}

/* Prints "  -q, --qp N". Returns the number of columns. */
static size_t print_names(const cli_program *p, const cli_opt *o, FILE *f)
{
	const char letter = letter_of(p, o);
	int n = letter ? fprintf(f, "  -%c, --%s", letter, o->name)
		       : fprintf(f, "      --%s", o->name);

	if (o->type == 0 && o->metavar)
		n += fprintf(f, "[=%s]", o->metavar);
	else if (o->metavar)
		n += fprintf(f, o->type == CLI_OPTIONAL ? " [%s]" : " %s", o->metavar);
	else if (o->type == CLI_SWITCH)
		n += fprintf(f, " on|off");
	else if (o->type == CLI_CHOICE)
		n += fprintf(f, " %s", o->choices);
	return n < 0 ? 0 : (size_t)n;
}

static void print_wrapped(const char *text, size_t column, FILE *f)
{
	while (*text) {
		size_t word = strcspn(text, " ");

		if (column + 1 + word > COLUMNS) {
			fprintf(f, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			fputc(' ', f);
			column++;
		}
		fwrite(text, 1, word, f);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
}

static void print_option(const cli_program *p, const cli_opt *o, FILE *f)
{
	char text[512];
	size_t column = print_names(p, o, f);

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", o->help, o->negative ? "; --no-" : "",
		o->negative ? o->name : "", o->negative ? ": " : "", o->negative ? o->negative : "",
		o->preset ? " [" : "", o->preset ? o->preset : "", o->preset ? "]" : "");
	if (column + 2 > HELP_COLUMN)
		fprintf(f, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(f, "%*s", (int)(HELP_COLUMN - column), "");
	print_wrapped(text, HELP_COLUMN, f);
	fputc('\n', f);
}

void cli_print_help(const cli_program *p, FILE *f)
{
	const char *group = NULL, *head = "Options";

	fprintf(f, "Usage: %s %s\n%s\n", p->name, p->synopsis, p->summary);
	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : p->opts; o->name; o++) {
			head = o->group ? o->group : head;
			if (!group || strcmp(group, head) != 0)
				fprintf(f, "\n%s\n", head);
			group = head;
			print_option(p, o, f);
		}
	if (p->epilogue)
		fprintf(f, "\n%s\n", p->epilogue);
}

/* Prints one branch of the script's case: completes the value of an option. */
static void print_case(const cli_program *p, const cli_opt *o, FILE *f)
{
	const char letter = letter_of(p, o);

	if (letter)
		fprintf(f, "\t--%s | -%c)\n", o->name, letter);
	else
		fprintf(f, "\t--%s)\n", o->name);
	if (o->type == CLI_LIST) {
		/* completes the word behind the last comma and keeps the words before it */
		fputs("\t\tmapfile -t COMPREPLY < <(compgen -P "
		      "\"$(sed -n 's/[^,]*$//p' <<<\"$word\")\" -W '",
			f);
		for (const char *c = o->complete ? "" : o->choices; *c; c++)
			fputc(*c == '|' ? ' ' : *c, f);
		if (o->complete)
			fprintf(f, "'\"$(%s 2>/dev/null)\"'", o->complete);
		fputs("' -- \"${word##*,}\")\n", f);
	} else if (o->type == CLI_CHOICE || o->type == CLI_SWITCH) {
		fputs("\t\tmapfile -t COMPREPLY < <(compgen -W '", f);
		for (const char *c = o->type == CLI_CHOICE ? o->choices : "on|off"; *c; c++)
			fputc(*c == '|' ? ' ' : *c, f);
		fputs("' -- \"$word\")\n", f);
	} else if (o->type == CLI_FILE) {
		fputs("\t\tmapfile -t COMPREPLY < <(compgen -f", f);
		if (o->complete)
			fprintf(f, " -W \"$(%s 2>/dev/null)\"", o->complete);
		fputs(" -- \"$word\")\n\t\tcompopt -o filenames\n", f);
	} else if (o->complete) {
		fprintf(f,
			"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(%s 2>/dev/null)\" -- "
			"\"$word\")\n",
			o->complete);
	}
	fputs("\t\treturn\n\t\t;;\n", f);
}

/* Prints the function that completes the options of one program or command. */
static void print_function(const cli_program *p, FILE *f)
{
	fputs("_", f);
	for (const char *c = p->name; *c; c++)
		fputc(*c == ' ' ? '_' : *c, f);
	fprintf(f, "()\n{\n\tlocal word=${COMP_WORDS[COMP_CWORD]} "
		   "before=${COMP_WORDS[COMP_CWORD-1]}\n");
	/* bash passes "--qp=2" as the three words "--qp", "=", "2". */
	fputs("\tif [[ $word == = ]]; then\n\t\tword=\n"
	      "\telif [[ $before == = ]]; then\n\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\tcase $before in\n",
		f);
	for (const cli_opt *o = p->opts; o->name; o++)
		if (o->type != CLI_FLAG && o->type != CLI_OPTIONAL)
			print_case(p, o, f);
	fputs("\tesac\n\tmapfile -t COMPREPLY < <(compgen -W '", f);
	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : p->opts; o->name; o++)
			fprintf(f, "%s--%s%s%s", o == p->opts ? "" : " ", o->name,
				o->negative ? " --no-" : "", o->negative ? o->name : "");
	fputs("' -- \"$word\")\n}", f);
}

void cli_print_completion(const cli_program *p, FILE *f)
{
	fprintf(f, "# Completion of %s for bash; made by: %s --help=completion\n", p->name,
		p->name);
	print_function(p, f);
	fprintf(f, " && complete %s-F _%s %s\n", p->files ? "-o default " : "", p->name, p->name);
}

static const char *command_word(const cli_program *command)
{
	return strrchr(command->name, ' ') + 1;
}

int cli_find_command(const cli_program *const *commands, const char *word)
{
	for (int i = 0; commands[i]; i++)
		if (strcmp(command_word(commands[i]), word) == 0)
			return i;
	return -1;
}

void cli_print_commands(const cli_program *about, const cli_program *const *commands, FILE *f)
{
	/* COMMAND, or what the members of a group are */
	const int word = (int)strcspn(about->synopsis, " ");

	fprintf(f, "Usage: %s %s\n%s\n\n%c", about->name, about->synopsis, about->summary,
		about->synopsis[0]);
	for (int i = 1; i < word; i++)
		fputc(tolower((unsigned char)about->synopsis[i]), f);
	fputs("s\n", f);
	for (int i = 0; commands[i]; i++) {
		int n = fprintf(f, "  %s", command_word(commands[i]));

		fprintf(f, "%*s", n < HELP_COLUMN / 2 ? HELP_COLUMN / 2 - n : 1, "");
		fprintf(f, "%.*s\n", (int)strcspn(commands[i]->summary, "\n"),
			commands[i]->summary);
	}
	fprintf(f,
		"\n%s %.*s --help lists its options.\n"
		"%.*s --help=completion prints a completion script for bash.\n",
		about->name, word, about->synopsis, (int)strcspn(about->name, " "), about->name);
	if (about->epilogue)
		fprintf(f, "\n%s\n", about->epilogue);
}

/* Prints the function that completes the name of a command at word `at` of the line, and calls the
 * function of the command behind it. */
static void print_dispatch(
	const char *name, const cli_program *const *commands, int at, const char *more, FILE *f)
{
	fputs("_", f);
	for (const char *c = name; *c; c++)
		fputc(*c == ' ' ? '_' : *c, f);
	fprintf(f, "()\n{\n\tif ((COMP_CWORD == %d)); then\n", at);
	fputs("\t\tmapfile -t COMPREPLY < <(compgen -W '", f);
	for (int i = 0; commands[i]; i++)
		fprintf(f, "%s ", command_word(commands[i]));
	fprintf(f, "%s' -- \"${COMP_WORDS[%d]}\")\n\t\treturn\n\tfi\n", more, at);
	fprintf(f, "\tcase ${COMP_WORDS[%d]} in\n", at);
	for (int i = 0; commands[i]; i++) {
		fprintf(f, "\t%s)\n\t\t_", command_word(commands[i]));
		for (const char *c = commands[i]->name; *c; c++)
			fputc(*c == ' ' ? '_' : *c, f);
		fputs("\n\t\t;;\n", f);
	}
	fputs("\tesac\n}", f);
}

/* Prints the functions of the commands that have options: a command of two lists once. */
static void print_functions(const cli_program *const *commands, FILE *f)
{
	for (int i = 0; commands[i]; i++) {
		if (!commands[i]->opts)
			continue;
		print_function(commands[i], f);
		fputs("\n", f);
	}
}

void cli_print_commands_completion(const cli_program *about, const cli_program *const *commands,
	const cli_program *group, const cli_program *const *members, FILE *f)
{
	fprintf(f, "# Completion of %s for bash; made by: %s --help=completion\n", about->name,
		about->name);
	print_functions(commands, f);
	for (int i = 0; group && members[i]; i++) {
		const cli_program *one[2] = { members[i], NULL };

		if (strncmp(members[i]->name, group->name, strlen(group->name)) == 0)
			print_functions(one, f);
	}
	if (group) {
		print_dispatch(group->name, members, 2, "--help", f);
		fputs("\n", f);
	}
	print_dispatch(about->name, commands, 1, "--help --version", f);
	fprintf(f, " && complete -F _%s %s\n", about->name, about->name);
}
