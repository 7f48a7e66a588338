/* Inside of an encoder, and what a backend provides. core/frames.c keeps the queue of frames; a
 * backend (cpu/backend_cpu.c, cuda/backend_cuda.cu) encodes groups of them. */
#ifndef H264INTRA_CORE_BACKEND_H
#define H264INTRA_CORE_BACKEND_H

#include "h264intra/bitstream/level.h"
#include "h264intra/bitstream/params.h"
#include "h264intra/core/work.h"
#include <h264intra/h264intra.h>
#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define H264I_MESSAGE_BYTES 512

typedef struct h264i_slot {
	h264i_frame frame; /* as sent; planes are valid until released */
	int release_due;   /* the caller's release function was not called yet */
	uint64_t index;
	uint8_t *packet; /* headers and slices; belongs to the backend */
	size_t packet_bytes;
	/* With options.recon: the decoded picture, padded to macroblocks, in host memory. */
	uint8_t *recon[3];
	size_t recon_pitch[3];
	uint64_t sse[3]; /* with options.sse */
} h264i_slot;

typedef enum h264i_group_state {
	H264I_GROUP_FILLING, /* takes frames; empty at first */
	H264I_GROUP_RUNNING,
	H264I_GROUP_DRAINING, /* packets wait to be received */
	H264I_GROUP_FAILED    /* has no packets, and none come after it */
} h264i_group_state;

/* Frames that are encoded together. */
typedef struct h264i_group {
	h264i_group_state state;
	uint32_t capacity; /* frames that it takes; groups differ by one at most */
	uint32_t frames, received;
	uint64_t first_ns; /* when its first frame was sent */
	h264i_slot *slot;  /* [capacity] */
	void *backend;
} h264i_group;

typedef struct h264i_mode_counts {
	uint64_t type[3], i4_mode[9], i16_mode[4], chroma_mode[4];
} h264i_mode_counts;

typedef struct h264i_backend_ops {
	/* Allocates enc->be and all groups' backend parts. */
	h264i_status (*open)(h264i_encoder *enc);
	/* Frees whatever open made, in any half-made state; waits for running work. */
	void (*close)(h264i_encoder *enc);
	/* Takes slot i's frame: copies it or starts to. After a failure nothing reads its
	 * planes. */
	h264i_status (*upload)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	/* Starts encoding g->frames frames. */
	h264i_status (*start)(h264i_encoder *enc, h264i_group *g);
	/* Waits until slot i's planes are not read any more, in a group that could not be
	 * started. */
	void (*wait_input)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	int (*done)(h264i_encoder *enc, h264i_group *g);
	/* Waits; fills packet, packet_bytes and, as options.recon and options.sse say, recon and sse
	 * of the slots; adds to enc->stats and enc->counts. */
	h264i_status (*finish)(h264i_encoder *enc, h264i_group *g);
	/* Nonzero when slot i's input planes are no longer read. */
	int (*input_free)(h264i_encoder *enc, h264i_group *g, uint32_t i);
	/* Runs that recorded timelines; returns their number. */
	size_t (*runs)(h264i_encoder *enc, lsched_run **runs, size_t room);
	/* Memory that begins with a h264i_host_head whose release is set, or NULL. */
	void *(*host_alloc)(h264i_encoder *enc, size_t bytes);
} h264i_backend_ops;

/* In front of memory of h264i_host_alloc, in H264I_HOST_HEAD_BYTES: how to free it without the
 * encoder. The room behind this is the backend's. */
typedef struct h264i_host_head {
	void (*release)(struct h264i_host_head *head);
} h264i_host_head;

enum { H264I_HOST_HEAD_BYTES = 4096 };

extern const h264i_backend_ops h264i_backend_cpu;
/* NULL pointer to it when not built in (cuda/none.c). */
const h264i_backend_ops *h264i_backend_cuda(void);

struct h264i_encoder {
	h264i_options o;
	h264i_geom geom;
	h264i_qparams q;
	h264i_params params;
	h264i_buf headers; /* SPS and PPS */
	const h264i_backend_ops *ops;
	lsched_ctx *sched;
	void *be; /* the backend's own */
	uint32_t group_count;
	h264i_group *group;
	uint32_t fill, drain; /* groups being filled and received from */
	uint64_t sent;
	uint64_t due;     /* frames before this one are waited for: h264i_drain */
	uint64_t sent_ns; /* when the last frame was sent */
	uint64_t held_ns; /* when a call last kept the caller from sending: no room, or a packet */
	uint64_t gap_ns;  /* the pause of the input before the last frame, since both of these */
	int flushed;
	h264i_status failed; /* not OK: no frame is taken any more */
	char failure[H264I_MESSAGE_BYTES];
	h264i_stats stats;
	h264i_mode_counts counts;
	h264i_level_meter meter;
	uint64_t idle_ns, busy_ns;
	char message[H264I_MESSAGE_BYTES];
};

/* Records why a call failed and returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
h264i_status
h264i_fail(h264i_encoder *enc, h264i_status s, const char *fmt, ...);

/* What a failure of libsched is to our caller. */
h264i_status h264i_status_of_sched(lsched_status st);

/* Adds a picture's macroblocks to the counts. */
void h264i_count_modes(h264i_mode_counts *n, const h264i_mb *mb, uint32_t mbs);

/* core/options.c. Takes the options over, chooses the level and writes the headers. */
h264i_status h264i_i_set_options(h264i_encoder *enc, const h264i_options *o);

/* core/groups.c. Chooses the number of groups and of frames in each, and allocates them. */
h264i_status h264i_i_groups_open(h264i_encoder *enc);
/* Calls release for all frames whose memory the caller does not have back, and frees the groups. */
void h264i_i_groups_close(h264i_encoder *enc);
/* Starts the group being filled, and makes the next one that. A failure stays in enc->failed. */
h264i_status h264i_i_group_start(h264i_encoder *enc);
/* The same if it has frames and the input pauses (options.latency_ms). Only with no work under
 * way. */
h264i_status h264i_i_group_start_late(h264i_encoder *enc);
/* Waits for a running group and makes its packets. */
h264i_status h264i_i_group_finish(h264i_encoder *enc, h264i_group *g);
/* Gives planes that are not read any more back to the caller. */
void h264i_i_release_inputs(h264i_encoder *enc);
uint64_t h264i_i_now_ns(void);

/* core/packet.c. The packet of a slot, in the encoder's memory. */
void h264i_i_packet_fill(const h264i_encoder *enc, const h264i_slot *slot, h264i_packet *pkt);

/* The wavefront's context for a group, with the encoder's constants. */
h264i_wave_ctx h264i_wave_ctx_of(
	const h264i_encoder *enc, const h264i_picture *pic, uint32_t frames);

#ifdef __cplusplus
}
#endif
#endif
