/* Pointers to the values of a request: the parser stores offsets while the pools grow. */
#include "reyes/rib/args.h"

static reyes_i_array resolve_array(const reyes_i_values *v, const struct reyes_i_slot *s)
{
	reyes_i_array array = { .count = s->count };

	if (s->count && s->type == 'S')
		array.strings = (const char *const *)(const void *)(v->strings.data + s->first);
	else if (s->count && s->type == 'i')
		array.ints = (const int32_t *)(const void *)(v->numbers.data + s->first);
	else if (s->count)
		array.floats = (const float *)(const void *)(v->numbers.data + s->first);
	return array;
}

int reyes_i_args_resolve(reyes_i_args *a, reyes_i_values *v)
{
	const size_t strings = v->strings.bytes / sizeof(size_t);
	const size_t params = v->lists.bytes / sizeof(struct reyes_i_slot);
	const char *const texts = (const char *)v->texts.data;
	reyes_param *list;

	_Static_assert(sizeof(const char *) == sizeof(size_t), "replaced in place");
	for (size_t i = 0; i < strings; i++) {
		unsigned char *const at = v->strings.data + i * sizeof(size_t);
		const char *text;
		size_t offset;

		memcpy(&offset, at, sizeof(offset));
		text = texts + offset;
		memcpy(at, &text, sizeof(text));
	}
	for (unsigned i = 0; i < a->string_count; i++)
		a->string[i] = v->string_at[i] == SIZE_MAX ? NULL : texts + v->string_at[i];
	for (unsigned i = 0; i < a->array_count; i++)
		a->array[i] = resolve_array(v, &v->array_at[i]);
	if (reyes_i_pool_reserve(&v->params, params * sizeof(*list), SIZE_MAX))
		return -1;
	list = (reyes_param *)(void *)v->params.data;
	for (size_t i = 0; i < params; i++) {
		const struct reyes_i_slot *const s =
			(const struct reyes_i_slot *)(const void *)v->lists.data + i;
		const reyes_i_array array = resolve_array(v, s);

		list[i].token = texts + s->token;
		list[i].count = array.count;
		list[i].floats = array.floats;
		list[i].strings = array.strings;
	}
	a->params.count = params;
	a->params.list = list;
	return 0;
}
