/* Writes packets of the encoder to an MP4 or MOV file, without FFmpeg: one video track of H.264,
 * sounds beside it, and metadata.
 *
 *     h264i_mp4_options_init(&o);
 *     o.width = 1920; o.height = 1080; o.vui = encoder_options.vui;
 *     h264i_headers(enc, &o.headers, &o.headers_bytes);
 *     if (h264i_mp4_open_path(&mp4, &o, "out.mp4", msg, sizeof(msg)) != H264I_OK) ...
 *     for (each packet) h264i_mp4_write(mp4, &packet, 0);
 *     h264i_mp4_finish(mp4);                         (the file is complete if this is OK)
 *     h264i_mp4_close(&mp4);
 *
 * Format: ISO/IEC 14496-12 (boxes) and 14496-15 (sample entry avc1, parameter sets only in avcC),
 * or Apple's QuickTime format. Every sample is a sync sample and decoding order is presentation
 * order, so there is no stss and no ctts. SEI NAL units are kept; access unit delimiters and
 * parameter sets are removed. No dates: the same packets give the same bytes.
 *
 * The file at each moment (H264I_MP4_COMPLETE):
 * 1. Packets are collected for options.fragment_ms, then appended as a movie fragment (moof and
 *    mdat) by write() of the sink. The moof is a free box until one write of 4 bytes makes it valid
 *    (without pwrite() in the sink it is valid at once; readers reject a file that ends within a
 *    moof). A program that is killed leaves a file that plays up to the last fragment written. The
 *    file begins with ftyp, a free box (the reserve) and a moov without samples.
 * 2. h264i_mp4_finish writes the index of all samples, a complete moov, into the reserve, and
 *    after it the header of one mdat that contains all the rest. The box is still free, the file
 *    fragmented. One write of the 16 bytes at the front of that box then makes it the moov. The
 *    samples do not move.
 * 3. If the index is larger than the reserve, copies of the samples that lie where it will be and
 *    the index are first appended. One write of at most 16 bytes at the front makes an mdat of
 *    everything up to that index; then the index is written to the front, too, made valid by one
 *    write of 16 bytes as in 2, and the one at the end is cut off (without truncate() in the sink
 *    it remains, in a free box). The first samples are then at the end of the file. Without read()
 *    the index remains at the end.
 * The order of the writes is that of the sink. flush() is called before and after each write that
 * makes boxes valid; a sink that has to survive a failure of power synchronises there. The file of
 * h264i_mp4_open_path does not: it survives the end of the process, not of the machine.
 * A file that ends before its first fragment is written at once, without fragments.
 *
 * Time: a packet's pts and the duration have the unit time_base_num / time_base_den seconds. The
 * duration of a sample is the difference to the next pts, so variable rates are kept. The first pts
 * need not be 0: a positive one delays the track (by an empty edit, or by the times of fragments).
 * A negative one becomes 0, and all others are moved by the same amount.
 *
 * Limits: 2^26 samples (25 days at 30 a second) unless the file stays fragmented; 2^32 - 1 bytes
 * and ticks a sample. Boxes with 64-bit offsets and durations are used where 32 bits are not
 * enough. Memory: the samples of a fragment, and 8 bytes a sample unless the file stays fragmented.
 *
 * Thread-safety: an h264i_mp4 is used by one thread at a time; different ones by different threads.
 * The library never prints. Ignore SIGPIPE if the path may be a pipe. */
#ifndef H264INTRA_MP4_H
#define H264INTRA_MP4_H

#include <h264intra/h264intra.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_mp4 h264i_mp4; /* opaque */

typedef enum h264i_mp4_brand {
	H264I_MP4_BRAND_MP4 = 0, /* isom, iso5, avc1, mp41 */
	H264I_MP4_BRAND_MOV      /* qt */
} h264i_mp4_brand;

typedef enum h264i_mp4_layout {
	/* Fragments while it is written, one index in front at the end. On a sink without pwrite
	 * the same as H264I_MP4_FRAGMENTED, unless the file ends before its first fragment. */
	H264I_MP4_COMPLETE = 0,
	H264I_MP4_FRAGMENTED, /* fragments, also at the end; nothing is written twice */
	/* All samples stay in memory until h264i_mp4_finish, which writes the file from front to
	 * end without fragments: a killed program leaves nothing. */
	H264I_MP4_BUFFERED
} h264i_mp4_layout;

/* Where the file goes. Offsets are relative to the first byte written. Each function returns 0, or
 * on failure a value of errno, or -1; the error text contains its meaning. They are called from
 * h264i_mp4_write, _finish and, without a failure before, in no other call. */
typedef struct h264i_mp4_sink {
	size_t struct_bytes; /* set by h264i_mp4_sink_init */
	void *opaque;
	int (*write)(void *opaque, const void *data, size_t bytes); /* appends all bytes */
	/* The others may be NULL. Writes over bytes that were appended before: */
	int (*pwrite)(void *opaque, uint64_t offset, const void *data, size_t bytes);
	int (*read)(void *opaque, uint64_t offset, void *data, size_t bytes); /* all bytes */
	int (*truncate)(void *opaque, uint64_t bytes);                        /* new size */
	int (*flush)(void *opaque); /* after a fragment, and see above */
} h264i_mp4_sink;

static inline void h264i_mp4_sink_init(h264i_mp4_sink *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

typedef struct h264i_mp4_options {
	size_t struct_bytes; /* set by h264i_mp4_options_init */
	h264i_mp4_brand brand;
	h264i_mp4_layout layout;
	/* Luma samples of the decoded pictures (h264i_packet.width, height), 1..65,535. */
	uint32_t width, height;
	const uint8_t *headers; /* SPS and PPS of h264i_headers; read until the open returns */
	size_t headers_bytes;
	/* Colour (box colr, if one of its values is specified), aspect (pasp, and the display size
	 * in tkhd) and rate (see below) for the container. */
	h264i_vui vui;
	/* Unit of pts and durations in seconds. Default 0/0: one frame, vui.fps_den / vui.fps_num,
	 * so that pts counts frames. */
	uint32_t time_base_num, time_base_den;
	/* Ticks a second in the file, 1..2^32 - 1; times are rounded to ticks. 0: time_base_den, or
	 * a multiple of at least 1,000, with which all times are exact. Default 0 */
	uint32_t timescale;
	/* A fragment ends when it has lasted fragment_ms, has fragment_frames samples (0: no limit)
	 * or 64 MiB, whichever comes first. fragment_ms 0: 500. Default 0, 0. It is written with
	 * the packet that follows, whose pts ends the last sample. H264I_MP4_COMPLETE: where
	 * frames_expected last longer than two fragments, the first ones have 1, 2, 4 ... samples,
	 * so that a program that is killed early leaves a file that plays. */
	uint32_t fragment_ms, fragment_frames;
	/* H264I_MP4_COMPLETE: size of the reserve in bytes, at most 256 MiB; 0: enough for
	 * frames_expected samples, with read() in the sink at most 1 MiB, enough for 80,000; if
	 * frames_expected is 0, 64 KiB, enough for 12,000 samples of a constant rate in fragments
	 * of 15. Default 0, 0 */
	uint32_t frames_expected;
	uint32_t reserve_bytes;
	/* 1: transformation matrix of tkhd for rotation, as in h264i_source_info: a b u c d v x y w
	 * in 16.16, u v w in 2.30. Default 0 */
	int has_display_matrix;
	int32_t display_matrix[9];
} h264i_mp4_options;

static inline void h264i_mp4_options_init(h264i_mp4_options *o)
{
	memset(o, 0, sizeof(*o));
	o->struct_bytes = sizeof(*o);
	o->vui.full_range = o->vui.chroma_loc = -1;
	o->vui.primaries = o->vui.transfer = o->vui.matrix = 2;
}

/* Opens a writer. Options and sink are copied; what sink.opaque points to has to exist until
 * h264i_mp4_close. Nothing is written yet. On success the caller owns *out and closes it with
 * h264i_mp4_close; on failure *out is NULL and msg (msg_bytes, always terminated; may be NULL) has
 * the reason. Returns ERR_ARG, ERR_LIMIT, ERR_NOMEM, or ERR_UNSUPPORTED for an SPS that is neither
 * Baseline, Main nor High with 8-bit 4:2:0. */
h264i_status h264i_mp4_open(h264i_mp4 **out, const h264i_mp4_options *o, const h264i_mp4_sink *sink,
	char *msg, size_t msg_bytes);

/* The same with the file `path`, which is created or truncated. A path that is no regular file
 * (pipe, device) is a sink without pwrite. Also returns ERR_IO. */
h264i_status h264i_mp4_open_path(
	h264i_mp4 **out, const h264i_mp4_options *o, const char *path, char *msg, size_t msg_bytes);

/* The same with a file in memory, for h264i_mp4_data. H264I_MP4_COMPLETE acts as
 * H264I_MP4_BUFFERED. */
h264i_status h264i_mp4_open_memory(
	h264i_mp4 **out, const h264i_mp4_options *o, char *msg, size_t msg_bytes);

/* Adds a sample. Of the packet, data, data_bytes, headers_bytes and pts are read, and nothing after
 * the return. pts increases from packet to packet. `duration` is used for the last sample only; 0:
 * that of the sample before, or one frame of options.vui, or 1/25 s. ERR_ARG and ERR_LIMIT leave
 * the file as it was; after ERR_IO and ERR_NOMEM this function and h264i_mp4_finish return that
 * status at each call. */
h264i_status h264i_mp4_write(h264i_mp4 *mp4, const h264i_packet *packet, int64_t duration);

/* Writes the last fragment, and the complete index as the layout demands. A second call has no
 * effect. Without a packet: ERR_STATE, and nothing is written (h264i_mp4_close removes the empty
 * file of h264i_mp4_open_path). If it fails, the file plays with all fragments written. */
h264i_status h264i_mp4_finish(h264i_mp4 *mp4);

/* The bytes of h264i_mp4_open_memory after h264i_mp4_finish, or of the fragments so far. Valid
 * until the next call with mp4. ERR_STATE for another sink. */
h264i_status h264i_mp4_data(h264i_mp4 *mp4, const uint8_t **data, size_t *data_bytes);

/* For live and adaptive streams: H264I_MP4_FRAGMENTED, or H264I_MP4_COMPLETE with a sink that has
 * pwrite. ERR_STATE for other files and after h264i_mp4_finish. Fragments end by fragment_ms, too,
 * unless that is longer. The bytes that
 * h264i_mp4_write_header writes are the initialisation segment of Media Source Extensions and of
 * HLS, those of each h264i_mp4_end_fragment a media segment:
 *
 *     h264i_mp4_write_header(mp4);
 *     for (each group of packets) { for (each packet) h264i_mp4_write(mp4, &packet, 0);
 *                                   h264i_mp4_end_fragment(mp4, 1); } */

/* Writes ftyp and moov (H264I_MP4_COMPLETE: with the reserve between them) now and not with the
 * first fragment. Tracks, and with H264I_MP4_FRAGMENTED metadata, are added before. No effect if
 * the header is written. */
h264i_status h264i_mp4_write_header(h264i_mp4 *mp4);

/* Writes all samples of the video so far, and the sounds that begin before their end, as a
 * fragment. `duration`: of the last sample, in the unit of pts; 0: as in h264i_mp4_write. The next
 * pts may differ from the end of that sample. No effect without such samples. ERR_ARG for a
 * duration that is negative or outside of what the timescale allows. */
h264i_status h264i_mp4_end_fragment(h264i_mp4 *mp4, int64_t duration);

/* Sounds. A file of a video with AAC:
 *
 *     h264i_mp4_track_init(&track);
 *     track.codec = H264I_MP4_AAC; track.rate = 48000; track.channels = 2; track.priming = 1024;
 *     track.config = config; track.config_bytes = 2;
 *     h264i_mp4_add_track(mp4, &track);                    (before the first packet)
 *     h264i_mp4_write_track(mp4, 0, packet, packet_bytes, -1024, 1024);
 *
 * Sounds and video are interleaved in chunks of fragment_ms: a sound is in the fragment of the
 * video of its time. What is given before the video of its time waits in memory, what is given
 * later gets fragments of its own (H264I_MP4_BUFFERED: the order of the calls has no effect). So
 * give sound up to the end of a fragment before the packet that ends the fragment. */
enum { H264I_MP4_SOUNDS_MAX = 16 };

typedef enum h264i_mp4_codec {
	H264I_MP4_AAC = 0, /* raw data blocks; config: AudioSpecificConfig. MP4 and MOV */
	/* Packets of 48,000 Hz; config: OpusHead (RFC 7845), or NULL: made of channels, 1 or 2, and
	 * priming. MP4 only */
	H264I_MP4_OPUS,
	/* Frames; config: STREAMINFO, 34 bytes, or the beginning of a file ("fLaC"). NULL: the data
	 * are PCM as below, at any rate, which the library codes in frames of 4,096 samples; the
	 * last frame is written by h264i_mp4_finish. MP4 only, where FFmpeg and browsers play it */
	H264I_MP4_FLAC,
	/* Signed 16-bit little-endian interleaved samples, of at most 8 channels in the order of
	 * WAVE files and 65,535 Hz; sowt in MOV, ipcm in MP4 (ISO/IEC 23003-5), which FFmpeg before
	 * 6.1 and browsers, in fragments, do not decode: prefer H264I_MP4_FLAC */
	H264I_MP4_PCM
} h264i_mp4_codec;

typedef struct h264i_mp4_track {
	size_t struct_bytes; /* set by h264i_mp4_track_init */
	h264i_mp4_codec codec;
	uint32_t rate, channels; /* 1..655,350 samples a second, 1..255; rate is the timescale */
	const uint8_t *config;   /* of the decoder; read until h264i_mp4_add_track returns */
	size_t config_bytes;
	/* Samples at the beginning that the decoder makes and that are not heard, at most 65,535:
	 * the edit list omits them. Opus: 0: the pre-skip of config. PCM: 0. Default 0 */
	uint32_t priming;
	char language[4]; /* ISO 639-2, as "eng"; "" is unspecified. Default "" */
} h264i_mp4_track;

static inline void h264i_mp4_track_init(h264i_mp4_track *t)
{
	memset(t, 0, sizeof(*t));
	t->struct_bytes = sizeof(*t);
}

/* Adds a sound. Numbers begin at 0, in the order of the calls; the first sound plays, the others
 * are alternatives. Call it before the header and the first packet, else ERR_STATE. ERR_ARG for a
 * member out of range and a config that contradicts it, ERR_LIMIT for more than
 * H264I_MP4_SOUNDS_MAX, ERR_UNSUPPORTED for a codec that MOV does not have, ERR_NOMEM. */
h264i_status h264i_mp4_add_track(h264i_mp4 *mp4, const h264i_mp4_track *track);

/* Adds a packet to a sound, at most 16 MiB, or of PCM any number of samples, at most 1 GiB. Nothing
 * of `data` is read after the return. pts and duration count samples (1 / rate seconds), priming
 * samples included: a sound that is heard from time 0 on begins with pts -priming. A packet lasts
 * until the next one begins, the last one for its `duration`, at least 1. PCM continues without
 * gaps, and its duration is the number of samples or 0. A sound begins at 0 of the file or later;
 * if the first pts of the video is negative, which moves all times, write that packet before.
 * Errors as h264i_mp4_write. */
h264i_status h264i_mp4_write_track(h264i_mp4 *mp4, uint32_t track, const void *data, size_t bytes,
	int64_t pts, int64_t duration);

/* Metadata. Texts are UTF-8 and are copied. With H264I_MP4_FRAGMENTED, or without pwrite() in the
 * sink, call these before the header, else until h264i_mp4_finish; ERR_STATE later. ERR_ARG for bad
 * text, ERR_LIMIT, ERR_NOMEM. */

/* Sets a tag: a key of QuickTime's handler "mdta" in moov/meta, as FFmpeg's -movflags
 * use_metadata_tags and ComfyUI write it; QuickTime shows keys like com.apple.quicktime.title. A
 * key has 1..1,024 bytes and is set once; all tags together have at most 64 MiB. */
h264i_status h264i_mp4_set_tag(h264i_mp4 *mp4, const char *key, const char *value);

/* Sets the cover picture, a PNG or JPEG file of at most 64 MiB: "covr" in udta/meta. */
h264i_status h264i_mp4_set_cover(h264i_mp4 *mp4, const void *data, size_t bytes);

/* Adds a chapter that begins at `start` of the file, in the unit of the video's pts, and after the
 * chapter before; title: at most 255 bytes. At most 255 chapters. They are in udta/chpl, which
 * FFmpeg and VLC read. QuickTime needs a track of text, which cannot be in a stream's header. */
h264i_status h264i_mp4_add_chapter(h264i_mp4 *mp4, int64_t start, const char *title);

/* Size of the file so far, in bytes; 0 for NULL. */
uint64_t h264i_mp4_bytes(const h264i_mp4 *mp4);

/* Number of samples that a reader of the file finds: those of the fragments written, and all after
 * h264i_mp4_finish. 0 for NULL. */
uint64_t h264i_mp4_frames(const h264i_mp4 *mp4);

/* The error of the last call that returned a status, one sentence; "" if it succeeded. After ERR_IO
 * or ERR_NOMEM it remains. Owned by mp4. */
const char *h264i_mp4_last_error(const h264i_mp4 *mp4);

/* Frees everything and sets *mp4 to NULL. Without h264i_mp4_finish the samples of the last fragment
 * are lost, and the file stays fragmented. NULL is allowed. */
void h264i_mp4_close(h264i_mp4 **mp4);

/* For other writers of this form of H.264 (ISO/IEC 14496-15), avc1: */

/* Writes the AVCDecoderConfigurationRecord (avcC) of the parameter sets of h264i_headers, as far as
 * `room` bytes allow. Returns its size, 0 if the headers are none, or without memory.
 * Thread-safe. */
size_t h264i_mp4_avcc(const uint8_t *headers, size_t headers_bytes, uint8_t *record, size_t room);

/* Replaces each start code of a packet, all of which have 4 bytes, by the length of the NAL unit
 * behind it. ERR_ARG for other bytes, which are then in part replaced. Thread-safe. */
h264i_status h264i_mp4_lengths(uint8_t *packet, size_t packet_bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
