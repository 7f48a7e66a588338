/* The state of a RIB reader: the stack of sources and what belongs to it. */
#ifndef REYES_RIB_READER_H
#define REYES_RIB_READER_H

#include "reyes/rib/args.h"
#include "reyes/rib/lex.h"
#include "reyes/rib/link.h"
#include "reyes/rib/pool.h"
#include "reyes/rib/rib.h"
#include "reyes/scene/message_counts.h"

#include <reyes/ri.h>
#include <sys/types.h>

enum {
	REYES_I_RIB_DEPTH_MAX = 64,         /* sources on the stack */
	REYES_I_RIB_ARCHIVES_MAX = 1000000, /* archives and procedurals read in one frame */
	REYES_I_RIB_IFS_MAX = 1000,         /* IfBegin blocks in a source */
	REYES_I_RIB_INLINE_BYTES = 1 << 30, /* all inline archives */
	REYES_I_RIB_MESSAGES = 512,         /* kinds of messages that are counted in a frame */
	REYES_I_RIB_ARCHIVE_BUCKETS = 1024,
	REYES_I_RIB_FILES_MAX = 1000, /* names that reyes_rib_file returns */
	REYES_I_RIB_INDEX = 512,      /* entries of the hash table of requests */
	REYES_I_RIB_PROGRAM_LIMIT_MS = 60000
};

/* A place in a source. */
typedef struct reyes_i_rib_place {
	const char *name;
	uint32_t line;
	uint64_t column;
} reyes_i_rib_place;

/* An archive of ArchiveBegin. Counted references: the reader and the sources that read it. */
typedef struct reyes_i_rib_archive {
	struct reyes_i_rib_archive *next; /* in its bucket */
	unsigned references;
	char *name, *file; /* file: in which it was defined, for messages */
	uint32_t line;     /* of its first byte */
	uint64_t column;
	reyes_i_pool text;
	reyes_i_codes *codes; /* at its beginning */
} reyes_i_rib_archive;

/* An open IfBegin. */
typedef struct reyes_i_rib_if {
	uint32_t line;
	uint64_t column;
	int is_active;  /* the requests of the current branch are executed */
	int was_active; /* those of a branch so far were */
	int is_else;    /* the current branch is Else */
} reyes_i_rib_if;

typedef struct reyes_i_rib_source {
	struct reyes_i_rib_source *below;
	unsigned depth;
	reyes_i_lexer lex;
	char *name;                   /* for messages */
	char *folder;                 /* of the file; NULL: as of the source below */
	reyes_i_rib_archive *archive; /* NULL: not an inline archive */
	pid_t child;                  /* of a program; 0: none */
	reyes_i_rib_place start;      /* of a program: its request, in the source below */
	int closes_attributes;        /* a procedural: AttributeEnd at the end */
	reyes_i_pool ifs;             /* reyes_i_rib_if */
	uint32_t skipped_ifs;         /* open IfBegin in a branch that is not executed */
} reyes_i_rib_source;

/* A value that conditions read: Option and Attribute "user"; also the search paths. */
typedef struct reyes_i_rib_variable {
	uint32_t depth; /* of blocks */
	int is_number;
	double number;
	char *name, *text;
} reyes_i_rib_variable;

/* ErrorHandler: log errors; neither log nor count them; end the frame as options.strict does. */
typedef enum reyes_i_rib_error_style {
	REYES_I_RIB_PRINT,
	REYES_I_RIB_IGNORE,
	REYES_I_RIB_ABORT
} reyes_i_rib_error_style;

struct reyes_i_rib {
	reyes_renderer *r;
	const reyes_options *options;
	reyes_i_rib_source *top;
	reyes_status push_status; /* of the last source that could not be pushed */
	char *folder;             /* of the main file; NULL: none */
	int is_executing;         /* `place` is valid */
	reyes_i_rib_place place;
	char request[REYES_I_NAME_BYTES]; /* the current one, for messages; "": none */
	reyes_i_args args;
	reyes_i_values values;
	reyes_i_message_count counts[REYES_I_RIB_MESSAGES]; /* in this frame */
	uint64_t uncounted; /* messages of kinds that the table has no room for */
	reyes_i_rib_error_style error_style;
	int has_errors;        /* since the last call of reyes_rib_next_frame */
	char first_error[768]; /* with its position */
	int is_frame_ready;    /* the world has ended */
	int is_end;
	int no_memory;          /* an allocation has failed: reading ends */
	char *input;            /* name of the main file, for messages at the end of the input */
	int frame_number;       /* of FrameBegin */
	uint32_t archives_read; /* in this frame */
	uint32_t scope_depth;
	uint32_t world_depth;   /* scope_depth at WorldBegin */
	reyes_i_pool variables; /* reyes_i_rib_variable */
	reyes_i_rib_archive *archives[REYES_I_RIB_ARCHIVE_BUCKETS];
	size_t inline_bytes;
	int is_dynamic_load_reported;
	int is_missing_end_reported; /* of a program */
	uint32_t program_limit_ms;
	uint8_t index[REYES_I_RIB_INDEX];
	const atomic_int *cancelled; /* nonzero: reading ends; NULL: never */
	size_t file_count;
	char *files[REYES_I_RIB_FILES_MAX]; /* that were opened, each once */
};

/* ---- messages.c ---- */

/* Logs a message about the current request, at most a few times for each request and format in a
 * frame; an error also counts for options.strict. Returns REYES_ERR_SCENE for an error, else
 * REYES_OK. */
reyes_status reyes_i_rib_report(struct reyes_i_rib *b, reyes_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs the counts of the messages that were not logged, and clears them. */
void reyes_i_rib_flush_messages(struct reyes_i_rib *b);
/* Sets the place of messages to the current token of x. */
void reyes_i_rib_set_place(struct reyes_i_rib *b, const reyes_i_rib_source *s);

/* ---- source.c ---- */

/* Pushes a source that reads fd (taken over) or memory, if the depth and the number of archives
 * permit. On failure the message is reported, NULL returned, and push_status is the status. `name`
 * is copied. */
reyes_i_rib_source *reyes_i_rib_push_fd(
	struct reyes_i_rib *b, const char *name, int fd, int is_shared_fd, int64_t deadline_ms);
reyes_i_rib_source *reyes_i_rib_push_memory(struct reyes_i_rib *b, const char *name,
	const void *data, size_t bytes, uint32_t line, uint64_t column);
/* Ends the topmost source: reports what is open and how it ended; executes AttributeEnd after a
 * procedural. */
reyes_status reyes_i_rib_pop(struct reyes_i_rib *b);
/* Frees all sources without messages. */
void reyes_i_rib_drop_sources(struct reyes_i_rib *b);
/* Opens a regular file; the main one may also be a pipe or a device. Returns -1 and errno. */
int reyes_i_rib_open_file(const char *path, int is_main);
/* Adds a name to those of reyes_rib_file. */
void reyes_i_rib_record_file(struct reyes_i_rib *b, const char *path);
/* Returns the folder of a path, malloc'd; "." if it has none. NULL without memory. */
char *reyes_i_rib_folder_of(const char *path);

/* ---- variables.c ---- */

/* Records Option or Attribute `name` if conditions or the search for files use it. */
void reyes_i_rib_keep_variable(struct reyes_i_rib *b, const char *name, const reyes_params *p);
void reyes_i_rib_scope_push(struct reyes_i_rib *b);
/* Forgets the values of the innermost scope. */
void reyes_i_rib_scope_pop(struct reyes_i_rib *b);
/* Returns NULL if there is none. */
const reyes_i_rib_variable *reyes_i_rib_find_variable(
	const struct reyes_i_rib *b, const char *name);
void reyes_i_rib_free_variables(struct reyes_i_rib *b);
/* Finds the file `name` in the search path "archive" or "procedural", the folder of the current
 * source, that of the main file, and the current one. Returns its path, malloc'd, or NULL. */
char *reyes_i_rib_find_file(struct reyes_i_rib *b, const char *kind, const char *name);

/* ---- condition.c ---- */

/* Evaluates the expression of a conditional request: 1 or 0; on a syntax error 0, and *problem is
 * a static sentence. */
int reyes_i_rib_condition(
	const struct reyes_i_rib *b, const char *expression, const char **problem);

/* ---- program.c ---- */

/* Starts a program; its standard input has `line`. Returns the descriptor of its output, or -1 and
 * a static sentence. */
int reyes_i_rib_start_program(
	char *const *arguments, const char *line, pid_t *child, const char **problem);
/* Ends a program of which nothing more is read: waits for it a short time, then kills it. Returns
 * nonzero if it has ended by itself; *status is then that of waitpid(). status may be NULL. */
int reyes_i_rib_end_program(pid_t child, int *status);

/* ---- rib.c ---- */

/* Reads and executes the next request, or ends a source. */
reyes_status reyes_i_rib_step(struct reyes_i_rib *b);

#endif
