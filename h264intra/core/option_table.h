/* The table of options: what is public of each (<h264intra/options.h>), the member of h264i_options
 * that it sets, and how. */
#ifndef H264INTRA_CORE_OPTION_TABLE_H
#define H264INTRA_CORE_OPTION_TABLE_H

#include <h264intra/options.h>

/* In the order of the table. */
typedef enum h264i_opt {
	H264I_OPT_PRESET,
	H264I_OPT_TUNE,
	H264I_OPT_PROFILE,
	H264I_OPT_LEVEL,
	H264I_OPT_QP,
	H264I_OPT_CRF,
	H264I_OPT_BITRATE,
	H264I_OPT_VBV_MAXRATE,
	H264I_OPT_VBV_BUFSIZE,
	H264I_OPT_VBV_INIT,
	H264I_OPT_NAL_HRD,
	H264I_OPT_FRAME_SIZE_MAX,
	H264I_OPT_RATE_DELAY,
	H264I_OPT_SLICES,
	H264I_OPT_DEBLOCK,
	H264I_OPT_DEBLOCK_ALPHA,
	H264I_OPT_DEBLOCK_BETA,
	H264I_OPT_CHROMA_QP_OFFSET,
	H264I_OPT_CR_QP_OFFSET,
	H264I_OPT_OUTPUT_CSP,
	H264I_OPT_AUD,
	H264I_OPT_CQM,
	H264I_OPT_CABAC,
	H264I_OPT_8X8DCT,
	H264I_OPT_RD,
	H264I_OPT_TRELLIS,
	H264I_OPT_AQ_MODE,
	H264I_OPT_AQ_STRENGTH,
	H264I_OPT_DISABLE_MODES,
	H264I_OPT_SCHED,
	H264I_OPT_BACKEND,
	H264I_OPT_DEVICE,
	H264I_OPT_THREADS,
	H264I_OPT_GPU_WORKERS,
	H264I_OPT_SM_LIMIT,
	H264I_OPT_STREAM_PRIORITY,
	H264I_OPT_FRAMES_IN_FLIGHT,
	H264I_OPT_LATENCY,
	H264I_OPT_COUNT
} h264i_opt;

/* What options need: text of h264i_option.needs, and key of the condition in option_rules.c. */
#define H264I_NEEDS_BUFFER      "{vbv-bufsize}"
#define H264I_NEEDS_BUFFER_RATE "{bitrate}, or {crf} with {vbv-maxrate}"
#define H264I_NEEDS_RATE        "{bitrate} or {vbv-bufsize}"
#define H264I_NEEDS_AQ          "{aq-mode} 1 or 2, or a {tune} that sets it"
#define H264I_NEEDS_MAIN        "{profile} main or high"
#define H264I_NEEDS_HIGH        "{profile} high"
#define H264I_NEEDS_CUDA        "{backend} auto or cuda"
#define H264I_NEEDS_CPU         "{backend} auto or cpu"

typedef enum h264i_store { H264I_STORE_INT, H264I_STORE_UINT, H264I_STORE_REAL } h264i_store;

typedef struct h264i_option_row {
	h264i_option o;
	const char *member; /* its name */
	size_t offset;
	h264i_store store;
	/* Sets the option in place of a plain store; NULL: a plain store. Returns 0, H264I_ERR_*
	 * with msg, whose pointer and size are never NULL and 0. */
	h264i_status (*set)(h264i_options *o, const char *value, char *msg, size_t msg_bytes);
	/* 1: `o.needs` also holds for a member that is not the default without h264i_set_option */
	int always_needs;
	int in_range; /* 1: a member outside min..max and the names is an error */
} h264i_option_row;

extern const h264i_option_row h264i_i_option_rows[H264I_OPT_COUNT];
extern const h264i_option_name h264i_i_preset_names[], h264i_i_tune_names[];

/* The value of the member that a row sets. */
double h264i_i_option_value(const h264i_option_row *r, const h264i_options *o);

/* Setters of rows, in option_set.c. */
h264i_status h264i_i_set_preset(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_tune(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_crf(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_bitrate(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_deblock(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_chroma(h264i_options *o, const char *v, char *msg, size_t msg_bytes);
h264i_status h264i_i_set_cqm(h264i_options *o, const char *v, char *msg, size_t msg_bytes);

/* option_rules.c. As h264i_check_options, of a struct of this version. Returns 0, or -1 with
 * msg. */
int h264i_i_check_rules(
	const h264i_options *o, const h264i_spelling *s, char *msg, size_t msg_bytes);
#endif
