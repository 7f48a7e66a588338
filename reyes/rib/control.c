/* Conditional requests, blocks and options, as far as the reader is concerned. */
#include "reyes/rib/control.h"

#include <reyes/ri.h>

enum { NEWEST_VERSION = 4 };

reyes_status reyes_i_rib_version(struct reyes_i_rib *b, const reyes_i_args *a)
{
	if (!(a->number[0] > 0 && a->number[0] < NEWEST_VERSION))
		reyes_i_rib_report(b, REYES_LEVEL_WARN,
			"version %g is not supported and is read as 3.04", a->number[0]);
	return REYES_OK;
}

reyes_status reyes_i_rib_error_handler(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const char *style = a->string[0];

	b->error_style = strcmp(style, "ignore") == 0  ? REYES_I_RIB_IGNORE
			 : strcmp(style, "abort") == 0 ? REYES_I_RIB_ABORT
						       : REYES_I_RIB_PRINT;
	return reyes_error_handler(b->r, style);
}

reyes_status reyes_i_rib_scope_begin(struct reyes_i_rib *b, reyes_status status)
{
	if (status == REYES_OK)
		reyes_i_rib_scope_push(b);
	return status;
}

reyes_status reyes_i_rib_scope_end(struct reyes_i_rib *b, reyes_status status)
{
	if (status == REYES_OK)
		reyes_i_rib_scope_pop(b);
	return status;
}

reyes_status reyes_i_rib_frame_begin(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const int number = reyes_i_to_int(a->number[0]);

	b->frame_number = number;
	return reyes_i_rib_scope_begin(b, reyes_frame_begin(b->r, number));
}

reyes_status reyes_i_rib_world_begin(struct reyes_i_rib *b)
{
	if (!reyes_i_scene_is_world_open(b->r))
		b->world_depth = b->scope_depth;
	return reyes_i_rib_scope_begin(b, reyes_world_begin(b->r));
}

reyes_status reyes_i_rib_frame_end(struct reyes_i_rib *b, reyes_status (*end)(reyes_renderer *))
{
	const int was_open = reyes_i_scene_is_world_open(b->r);
	const reyes_status status = reyes_i_rib_scope_end(b, end(b->r));

	b->is_frame_ready = was_open && !reyes_i_scene_is_world_open(b->r);
	/* after an error scopes of blocks that ended with the world are open */
	while (b->is_frame_ready && b->scope_depth > b->world_depth)
		reyes_i_rib_scope_pop(b);
	return status;
}

reyes_status reyes_i_rib_option(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_i_rib_keep_variable(b, a->string[0], &a->params);
	return reyes_option(b->r, a->string[0], &a->params);
}

reyes_status reyes_i_rib_attribute(struct reyes_i_rib *b, const reyes_i_args *a)
{
	if (strcmp(a->string[0], "user") == 0)
		reyes_i_rib_keep_variable(b, a->string[0], &a->params);
	return reyes_attribute(b->r, a->string[0], &a->params);
}

/* The innermost IfBegin of the current source, or NULL. */
static reyes_i_rib_if *innermost(const reyes_i_rib_source *s)
{
	const size_t n = s->ifs.bytes / sizeof(reyes_i_rib_if);

	return n ? (reyes_i_rib_if *)(void *)s->ifs.data + n - 1 : NULL;
}

int reyes_i_rib_is_active(const reyes_i_rib_source *s)
{
	const reyes_i_rib_if *open = innermost(s);

	return !open || open->is_active;
}

int reyes_i_rib_skip_request(reyes_i_rib_source *s, const char *name)
{
	if (strcmp(name, "IfBegin") == 0) {
		s->skipped_ifs++;
		return 0;
	}
	if (s->skipped_ifs) {
		s->skipped_ifs -= strcmp(name, "IfEnd") == 0;
		return 0;
	}
	return strcmp(name, "ElseIf") == 0 || strcmp(name, "Else") == 0 ||
	       strcmp(name, "IfEnd") == 0;
}

/* Evaluates the condition of the current request; reports a syntax error. */
static int evaluate(struct reyes_i_rib *b, const char *expression)
{
	const char *problem;
	const int is_true = reyes_i_rib_condition(b, expression, &problem);

	if (problem)
		reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the condition \"%.200s\" is not valid and is false: %s", expression,
			problem);
	return is_true;
}

reyes_status reyes_i_rib_if_begin(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_i_rib_source *s = b->top;
	reyes_i_rib_if open = { .line = b->place.line, .column = b->place.column };

	open.is_active = open.was_active = evaluate(b, a->string[0]);
	if (!reyes_i_pool_append(&s->ifs, &open, sizeof(open), REYES_I_RIB_IFS_MAX * sizeof(open)))
		return REYES_OK;
	/* The block is executed as if it had no condition; its end is an error, too. */
	return reyes_i_rib_report(b, REYES_LEVEL_ERROR, "conditions are nested more than %d deep",
		REYES_I_RIB_IFS_MAX);
}

/* Returns the open condition, or NULL after it has reported that there is none, or that its Else
 * came before. */
static reyes_i_rib_if *next_branch(struct reyes_i_rib *b)
{
	reyes_i_rib_if *open = innermost(b->top);

	if (!open || open->is_else) {
		reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			open ? "it follows Else" : "there is no open IfBegin in this file");
		return NULL;
	}
	return open;
}

reyes_status reyes_i_rib_else_if(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_i_rib_if *open = next_branch(b);

	if (!open)
		return REYES_ERR_SCENE;
	open->is_active = !open->was_active && evaluate(b, a->string[0]);
	open->was_active |= open->is_active;
	return REYES_OK;
}

reyes_status reyes_i_rib_else(struct reyes_i_rib *b)
{
	reyes_i_rib_if *open = next_branch(b);

	if (!open)
		return REYES_ERR_SCENE;
	open->is_active = !open->was_active;
	open->is_else = 1;
	return REYES_OK;
}

reyes_status reyes_i_rib_if_end(struct reyes_i_rib *b)
{
	if (!innermost(b->top))
		return reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "there is no open IfBegin in this file");
	b->top->ifs.bytes -= sizeof(reyes_i_rib_if);
	return REYES_OK;
}
