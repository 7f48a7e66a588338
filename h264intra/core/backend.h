/* State of an encoder, and the interface of a backend. core/frames.c has the queue of frames; a
 * backend (cpu/backend_cpu.c, cuda/backend_cuda.cu) encodes groups of them. */
#ifndef H264INTRA_CORE_BACKEND_H
#define H264INTRA_CORE_BACKEND_H

#include "h264intra/bitstream/level.h"
#include "h264intra/bitstream/params.h"
#include "h264intra/core/planes.h"
#include "h264intra/core/tools.h"
#include "h264intra/core/work.h"
#include "h264intra/rate/rate.h"
#include "h264intra/rgb/rgb.h"
#include "h264intra/transform/aq.h"
#include <h264intra/h264intra.h>
#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define H264I_MESSAGE_BYTES 512

/* A stream of those that share the encoder. After h264i_restart_substream another one has its
 * number, and it exists until its last picture was received. */
typedef struct h264i_substream {
	struct h264i_substream *next; /* of those that have ended */
	uint32_t number;
	uint32_t in_flight; /* pictures sent and not received */
	uint64_t sent;
	h264i_clock clock;
	h264i_rate rate; /* if the encoder is `controlled` */
	/* With options.hrd: bits in the decoder's buffer after the last packet, 8 bits of
	 * fraction, and 1 for the first one of a stream. */
	uint64_t hrd_level;
	int hrd_first;
	h264i_level_meter meter;
} h264i_substream;

typedef struct h264i_slot {
	h264i_frame frame; /* as sent; its planes are valid until its release */
	int release_due;   /* 1: the caller's release function has to be called */
	h264i_substream *stream;
	uint64_t index;  /* in its stream */
	uint64_t number; /* among all frames sent */
	int qp;          /* of its slices */
	h264i_rate_time time;
	uint64_t time_ns; /* since the first picture */
	h264i_rate_tried tried;
	h264i_detail detail;
	uint8_t *packet; /* headers and slices; owned by the backend */
	size_t packet_bytes;
	/* With options.recon: the decoded picture, padded to macroblocks, in host memory. */
	uint8_t *recon[3];
	size_t recon_pitch[3];
	uint64_t sse[3]; /* with options.sse */
	h264i_buf sei;   /* NAL unit of frame.sei; empty if there is none */
} h264i_slot;

typedef enum h264i_group_state {
	H264I_GROUP_FILLING, /* accepts frames; empty at first */
	H264I_GROUP_RUNNING,
	H264I_GROUP_DRAINING, /* has packets to receive */
	H264I_GROUP_FAILED    /* has no packets, nor have the groups after it */
} h264i_group_state;

/* Frames that are encoded together. */
typedef struct h264i_group {
	h264i_group_state state;
	uint32_t capacity; /* in frames; capacities differ by one at most */
	uint32_t frames, received;
	uint64_t first_ns; /* time at which its first frame was sent */
	h264i_slot *slot;  /* [capacity] */
	void *backend;
} h264i_group;

typedef struct h264i_backend_ops {
	/* Allocates enc->be and the backend part of each group. */
	h264i_status (*open)(h264i_encoder *enc);
	/* Waits for running work and frees what open allocated, also after an open that failed. */
	void (*close)(h264i_encoder *enc);
	/* Copies the frame of slot i, or starts to copy it. After a failure its planes are not
	 * read. */
	h264i_status (*upload)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	/* Sets the detail of the slots, for rate control. */
	h264i_status (*detail)(h264i_encoder *enc, h264i_group *g);
	/* Starts encoding g->frames frames with the QPs of their slots; also again, after
	 * finish. */
	h264i_status (*start)(h264i_encoder *enc, h264i_group *g);
	/* Waits until the planes of slot i are not read any more, in a group whose start
	 * failed. */
	void (*wait_input)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	int (*done)(h264i_encoder *enc, h264i_group *g);
	/* Waits for the group; sets packet, packet_bytes and, according to options.recon and
	 * options.sse, recon and sse of the slots; adds to enc->stats and enc->counts. */
	h264i_status (*finish)(h264i_encoder *enc, h264i_group *g);
	/* Ends the work of started groups early, as far as that is possible. From any thread. */
	void (*cancel)(h264i_encoder *enc);
	/* Returns 1 if the input planes of slot i are not read any more. */
	int (*input_free)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	/* Writes at most `capacity` runs with timelines; returns their number. */
	size_t (*runs)(h264i_encoder *enc, lsched_run **runs, size_t capacity);
	/* Allocates memory that begins with a h264i_host_head whose release is set; or NULL. */
	void *(*host_alloc)(h264i_encoder *enc, size_t bytes);
} h264i_backend_ops;

/* Header of memory of h264i_host_alloc, H264I_HOST_HEAD_BYTES long, so that the memory can be freed
 * without the encoder. The backend uses the rest of the header. */
typedef struct h264i_host_head {
	void (*release)(struct h264i_host_head *head);
} h264i_host_head;

enum { H264I_HOST_HEAD_BYTES = 4096 };

extern const h264i_backend_ops h264i_i_backend_cpu;
/* Returns NULL if not built in (cuda/none.c). */
const h264i_backend_ops *h264i_i_backend_cuda(void);

struct h264i_encoder {
	h264i_options o;
	h264i_geom geom;
	h264i_qparams by_qp[H264I_QPS];
	h264i_aq aq;
	int controlled; /* 1: rate control chooses the QPs of pictures */
	int needs_detail;
	h264i_substream **substream; /* [options.substreams] */
	h264i_substream *ended;      /* streams before these that have pictures in flight */
	int qp_varies; /* 1: macroblocks or pictures may have other QPs than options.qp */
	h264i_params params;
	h264i_buf headers;        /* SPS and PPS */
	h264i_buf packet_headers; /* of each packet: headers, with options.aud after a delimiter */
	h264i_buf assembled;      /* the packet received last, if SEI was inserted */
	h264i_rgb_matrix rgb;
	const h264i_backend_ops *ops;
	lsched_ctx *sched; /* of the first device */
	uint32_t devices;  /* that share the frames; 1 for the CPU */
	void *be;          /* state of the backend */
	uint32_t group_count;
	h264i_group *group;
	uint32_t fill, drain; /* groups being filled and received from */
	uint64_t sent;
	uint64_t due; /* h264i_drain: h264i_receive_packet waits for frames before this one */
	/* A pause of the input starts here: the last time at which send accepted a frame or
	 * returned AGAIN, or receive returned a packet. */
	uint64_t pause_from_ns;
	uint64_t gap_ns; /* pause before the last frame */
	int flushed;
	h264i_status failed; /* not OK: no more frames are accepted */
	char failure[H264I_MESSAGE_BYTES];
	uint32_t cancelled; /* 1: by h264i_cancel in any thread, accessed by __atomic functions */
	h264i_stats stats;
	h264i_tool_counts counts;
	h264i_level_meter meter; /* of streams that were replaced */
	uint64_t idle_ns, busy_ns;
	uint64_t qp_sum; /* of the packets received */
	char message[H264I_MESSAGE_BYTES];
};

/* Records the error of a call. Returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
h264i_status
h264i_i_fail(h264i_encoder *enc, h264i_status s, const char *fmt, ...);

/* Whether the encoder was cancelled. */
int h264i_i_is_cancelled(const h264i_encoder *enc);

/* Records that for the call; the log gets no message of what the caller requested. Returns
 * H264I_ERR_CANCELLED. */
h264i_status h264i_i_cancelled(h264i_encoder *enc);

/* Maps a status of libsched. */
h264i_status h264i_i_status_of_sched(lsched_status st);

/* Adds a picture's macroblocks to the counts `times` times: 1, or -1 before it is coded again. */
void h264i_i_count_tools(
	h264i_tool_counts *n, const h264i_mb *mb, uint32_t mbs, int gray, int times);

/* core/options.c. Checks and copies the options, chooses the level and writes the headers. */
h264i_status h264i_i_set_options(h264i_encoder *enc, const h264i_options *o);

/* The scaling matrices; NULL: flat ones. */
static inline const h264i_weights *h264i_i_weights_of(const h264i_encoder *enc)
{
	return enc->params.scaling == H264I_SCALING_FLAT ? NULL : &enc->params.weights;
}

/* idr_pic_id, which differs between consecutive pictures of a stream (clause 7.4.3). */
static inline uint32_t h264i_i_idr_pic_id(const h264i_encoder *enc, const h264i_slot *slot)
{
	return (uint32_t)((enc->o.first_index + slot->index) & 1);
}

/* core/substreams.c */
h264i_status h264i_i_substreams_open(h264i_encoder *enc);
void h264i_i_substreams_close(h264i_encoder *enc);
/* Begins a new stream in each; nothing is in flight. */
void h264i_i_substreams_restart(h264i_encoder *enc);
/* Begins a new stream in substream k. Returns OK or ERR_NOMEM. */
h264i_status h264i_i_substream_replace(h264i_encoder *enc, uint32_t k);
/* After the last use of a picture's stream. */
void h264i_i_substream_received(h264i_encoder *enc, h264i_substream *s);
/* Whether the plan of its next picture would need the size of one that is in flight. */
int h264i_i_substream_is_full(const h264i_substream *s);
/* The worst of all streams. */
void h264i_i_substreams_meter(const h264i_encoder *enc, h264i_level_meter *sum);

/* core/groups.c. Chooses the number of groups and of frames in each, and allocates them. */
h264i_status h264i_i_groups_open(h264i_encoder *enc);
/* Releases all input frames and frees the groups. */
void h264i_i_groups_close(h264i_encoder *enc);
/* Starts the group being filled; the next group is filled then. A failure is kept in
 * enc->failed. */
h264i_status h264i_i_group_start(h264i_encoder *enc);
/* Starts the group being filled if it has a frame. */
h264i_status h264i_i_group_start_rest(h264i_encoder *enc);
/* Low latency: starts the partial group if its waiting time has reached options.latency_ms. Call it
 * when no group is being encoded. */
h264i_status h264i_i_group_start_partial(h264i_encoder *enc);
/* After a cancel: waits for running groups, releases all frames and empties the groups. */
h264i_status h264i_i_groups_drop(h264i_encoder *enc);
/* Waits for a running group, whose packets can then be received. */
h264i_status h264i_i_group_finish(h264i_encoder *enc, h264i_group *g);
/* Releases input frames that are not read any more. */
void h264i_i_release_inputs(h264i_encoder *enc);

/* core/control.c. Checks the options of rate control. */
h264i_status h264i_i_control_check(h264i_encoder *enc);
/* The buffer that the options limit pictures by, as options.hrd signals it. */
h264i_hrd h264i_i_control_hrd(const h264i_options *o);
/* Settings of rate control according to the options. */
void h264i_i_control_settings(const h264i_encoder *enc, h264i_rate_settings *s);
/* Whether frames have times: timestamps, or a frame rate. */
int h264i_i_control_timed(const h264i_encoder *enc);
/* A clock of timestamps in this unit at the options' rate. */
h264i_clock h264i_i_control_clock(const h264i_options *o, uint32_t unit_num, uint32_t unit_den);
/* Sets enc->controlled and needs_detail, and options.rate_delay if it is 0. */
void h264i_i_control_decide(h264i_encoder *enc);
/* Opens the clock and rate control of a stream, which is zeroed. Returns 0, or -1 without
 * memory. */
int h264i_i_control_open(const h264i_encoder *enc, h264i_substream *stream);
/* Sets the QPs and caps of a group that is to be started. */
h264i_status h264i_i_control_plan(h264i_encoder *enc, h264i_group *g);
/* Raises the QPs of pictures beyond their caps. Returns 1 if the group has to be coded again. */
int h264i_i_control_again(h264i_encoder *enc, h264i_group *g);
/* Begins a new stream: times, and with options.hrd the buffer of the SEI. */
void h264i_i_control_start(h264i_substream *stream);
/* Appends the SEI of the next packet of its stream, that of a slot. Returns OK or ERR_NOMEM. */
h264i_status h264i_i_control_hrd_sei(h264i_encoder *enc, const h264i_slot *slot, h264i_buf *out);
/* Removes that packet from the buffer. */
void h264i_i_control_hrd_remove(h264i_substream *stream, size_t bytes);
/* Records the sizes of a finished group. */
void h264i_i_control_done(h264i_encoder *enc, const h264i_group *g);
/* Warns once, at the end of a stream, if the highest QP does not reach the bit rate. */
void h264i_i_control_end(const h264i_encoder *enc, h264i_substream *stream);

/* core/packet.c. Fills in the packet of a slot; its memory is the encoder's. Returns OK or
 * ERR_NOMEM. */
h264i_status h264i_i_packet_fill(h264i_encoder *enc, const h264i_slot *slot, h264i_packet *pkt);

/* core/frames.c. Begins a call that needs a stream. Returns H264I_OK unless the encoder is NULL,
 * was cancelled, has failed or was flushed. */
h264i_status h264i_i_enter(h264i_encoder *enc);
/* Converts a frame in host memory (h264i_i_is_converted) to NV12. Returns OK or
 * ERR_NOMEM. */
h264i_status h264i_i_to_nv12(h264i_encoder *enc, const h264i_frame *f, uint8_t *y, size_t y_pitch,
	uint8_t *c, size_t c_pitch);

/* core/sei.c. Writes the SEI messages of a frame to out, which becomes empty if there are none.
 * Returns OK, ERR_ARG or ERR_NOMEM. */
h264i_status h264i_i_sei_put(h264i_encoder *enc, h264i_buf *out, const h264i_frame *f);

/* Context of the wavefront for a group. */
h264i_wave_ctx h264i_i_wave_ctx_of(
	const h264i_encoder *enc, const h264i_picture *pic, uint32_t frames);

#ifdef __cplusplus
}
#endif
#endif
