"""Tables of records of presets.py, stages.py, python_compare.py and share_gpu.py, as Markdown.

bench/figures.py writes them into docs/figures.md."""
from figures_tables import rate, table, text


def tensors(record):
    """A tensor to a file, by the Python module and by what programs use now."""
    rows = []
    for r in record["results"]:
        if "ms" in r:
            rows.append([r["name"], "%.1f" % r["ms"], rate(1000 * record["frames"] / r["ms"]),
                         "%.2f" % (r["bytes"] / 1e6)])
        else:
            rows.append([r["name"], "", "", r["left_out"]])
    return ["## Tensor of %s to a file on %s" % (record["size"], record["device"]), ""] + text(
        "%d frames, %s, in the memory of the GPU; version %s, PyTorch %s" % (
            record["frames"], record["dtype"], record["gpuintra"], record["torch"]),
        "(`bench/python_compare.py`). gpuintra at QP %d, libx264 at CRF %d after a copy to pinned"
        % (record["qp"], record["crf"]),
        "memory, JPEG at quality %d: not of equal quality. Milliseconds, medians of %d runs;"
        % (record["quality"], record["repeat"]),
        "*encoder kept*: clips after the first. *MB*: the file."
    ) + table(["to a file by", "ms", "frames/s", "MB"], rows)


def sharing(record):
    """The encoder and a model on one GPU."""
    alone = record["products_per_s_alone"]
    rows = [[r["options"], rate(r["frames_per_s_alone"]), rate(r["frames_per_s"]),
             rate(r["products_per_s"]), "%.0f %%" % (100 * r["products_per_s"] / alone)]
            for r in record["rows"]]
    return ["## Encoder beside a model on %s" % record["device"], ""] + text(
        "1080p frames in device memory and a loop of 8192 x 8192 x 8192 bfloat16 matrix products",
        "of PyTorch, %.0f products/s when alone (`bench/share_gpu.py`); version %s." % (
            alone, record["version"])
    ) + table(["encoder", "frames/s alone", "with the products", "products/s", "of those alone"],
              rows)


def scans(record):
    """Urgent scans beside a path tracer: jobs, stream priorities, green contexts."""
    def times(r):
        return ["%.1f" % r[key] for key in ("own_us", "p50", "p90", "p99", "max")]

    rows = [[r["name"]] + times(r) + ["%d of %d" % (r["late"], r["scans"]),
             "%.0f" % (r["paths"] / r["alone_s"]), "%.0f" % (r["paths"] / r["beside_s"]),
             "%.1f %%" % (100 * r["alone_s"] / r["beside_s"]),
             "%.1f %%" % (100 * r["alone_s"] / r["beside_s"] *
                          (1 + r["more_paths"] / r["paths"]))]
            for r in record["scan_rows"]]
    return ["## Urgent scans on %s" % record["device"], ""] + text(
        "Scans of %d rays, one each millisecond, beside a picture in the background; both trace"
        % record["rays"],
        "with the same functions (`bench/ray_bench.cu`, [jobs.md](jobs.md)). Microseconds from the",
        "post or launch to the end of the wait: the median without the picture, and percentiles",
        "beside it; scans after %d us; M paths/s of the picture, and of it and the previews."
        % record["deadline_us"],
        "Commit %s, %s." % (record["commit"], record["date"]) if "commit" in record else "",
    ) + table(["method", "alone", "50 %", "90 %", "99 %", "latest", "late", "M paths/s alone",
               "beside the scans", "of it", "with previews"], rows)


def streams(record):
    """Many streams of one size by substreams of one encoder, and by an encoder for each."""
    rows = [[r["streams"], r["encoders"], r["preset"], "%.2f" % r["latency_ms"]["median"],
             "%.2f" % r["latency_ms"]["p99"], "%.2f" % r["latency_ms"]["max"],
             rate(r["frames_per_s"])] for r in record["stream_rows"]]
    first = record["stream_rows"][0]
    return ["## Many streams on %s" % record["device"], ""] + text(
        "Pictures of %dx%d, one of each stream %d times a second (`bench/streams_bench`):" % (
            first["width"], first["height"], first["fps"]),
        "milliseconds from the first send of a round to its last packet, and pictures a second",
        "without a rate. Commit %s, %s." % (record["commit"], record["date"]),
    ) + table(["streams", "encoders", "preset", "median", "99 %", "longest", "pictures/s"], rows)


def by_api(record):
    """The encoder's presets and libx264 by their APIs, frames in memory to packets in memory."""
    rows = [[r["clip"], str(r["qp"]), str(r["slices"]), r["encoder"],
             "%.0f" % r["kbit_per_frame"], rate(r["frames_per_s"])] for r in record["api_runs"]]
    return ["## Presets on %s" % record["device"], ""] + text(
        "1080p clips by the APIs of both encoders, from frames in memory to packets in memory,",
        "start-up apart (`bench/presets.py`); x264 has %d thread%s; version %s, %s. The QP is the"
        % (record["threads"], "s" if record["threads"] > 1 else "", record["version"],
           record["date"]),
        "same, the quality is not: BD-rates compare it ([presets](h264intra.md#presets)).",
    ) + table(["clip", "QP", "slices", "encoder", "kbit a frame", "frames/s"], rows) + alone(
        record) + rated(record)


def alone(record):
    """The latency of one frame, for records that have it."""
    runs = record.get("alone_runs", [])
    if not runs:
        return []
    return ["", "### One frame alone", ""] + text(
        "Latency of a frame, from its send to its packet, with one frame in flight: the median of",
        "60 frames in 4 slices at QP 27, in milliseconds; preset of gpuintra and options."
    ) + table(["clip", "size", "encoder", "ms"],
              [[r["clip"], r["size"], r["encoder"], "%.2f" % r["latency_ms"]] for r in runs])


def rated(record):
    """The speed at a bit rate, for records that have it."""
    runs = record.get("rated_runs", [])
    if not runs:
        return []
    return ["", "### At a bit rate", ""] + text(
        "60 Mbit/s at 60 frames/s, 1,000 kbit a frame, one slice; *delay*: how many frames later a",
        "size changes the QP (`rate_delay`)."
    ) + table(["clip", "preset", "delay", "kbit a frame", "frames/s"],
              [[r["clip"], r["encoder"], str(r["rate_delay"]), "%.0f" % r["kbit_per_frame"],
                rate(r["frames_per_s"])] for r in runs])


def nearest(kernel):
    """The resource of which a kernel uses the largest part, alone on the device."""
    use, name = max((kernel[key], name) for key, name in (
        ("issue", "issue slots"), ("alu", "ALU"), ("l1", "L1"), ("l2", "L2"), ("dram", "DRAM")))
    return "%s %.0f %%" % (name, use)


def stages(record):
    """The kernels of the encoder in throughput mode, and how near each is to a bound."""
    whole = [[r["preset"], rate(r["frames_per_s"]), "%.0f" % (1e6 / r["frames_per_s"]),
              "%.0f" % r["us_per_frame_apart"], rate(r["instructions_per_macroblock"]),
              "%.0f %%" % r["issue"], rate(r["memory_mib"])] for r in record["stages"]]
    rows = [[r["preset"], "`%s`" % k["kernel"], "%.1f" % k["us_per_frame"],
             "%.1f %%" % (100 * k["share"]), rate(k["instructions_per_macroblock"]), nearest(k),
             "%.0f %%" % k["issue"], "%.0f %%" % k["occupancy"], "%d" % k["registers"]]
            for r in record["stages"] for k in r["kernels"] if k["share"] >= 0.02]
    return ["## Stages of the encoder on %s" % record["device"], ""] + text(
        "One clip of %s at QP 27 in one slice, %d frames in flight (`bench/stages.py`); version"
        % (record["size"], record["stages"][0]["frames_in_flight"]),
        "%s, %s. *Apart*: the kernels one after another, as Nsight Compute runs them. *Issue" % (
            record["version"], record["date"]),
        "slots*: the part in use at that many frames per second, from the instructions of a frame",
        "and the clock of %d MHz. Memory: that of the device while the encoder runs." %
        max(r["clock_mhz"] for r in record["stages"])
    ) + table(["preset", "frames/s", "us a frame", "apart, us", "instructions a macroblock",
               "issue slots", "memory, MiB"], whole) + text(
        "Kernels of 2 %% of the time and more, %d frames, each kernel alone on the device. *Used"
        % record["ncu_frames"],
        "most*: how near a kernel is to the nearest bound."
    ) + table(["preset", "kernel", "us a frame", "share", "instructions a macroblock", "used most",
               "issue slots", "occupancy", "registers"], rows)
