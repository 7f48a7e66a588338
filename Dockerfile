# gpuintra in a container, with NVIDIA's CUDA images: the devel image compiles the packages of
# debian/ with the CUDA profile, the runtime image has FFmpeg's libraries and gpuintra. This file was
# not run where it was written, a machine without a container engine; docs/install.md has the
# commands. The host needs the NVIDIA driver and the NVIDIA Container Toolkit.
ARG CUDA=13.0.1
ARG SYSTEM=ubuntu24.04

FROM nvidia/cuda:${CUDA}-devel-${SYSTEM} AS build
# The compute capabilities of the GPUs: 80 is the A100, 90 the H100 and H200.
ARG CUDA_ARCH="80 90"
ENV DEBIAN_FRONTEND=noninteractive
WORKDIR /src/gputasks
# The build dependencies are those of debian/control, so that a change elsewhere does not install
# them again.
COPY debian debian
RUN apt-get update && apt-get build-dep -y --no-install-recommends \
	-P nocheck,pkg.gputasks.cuda . && rm -rf /var/lib/apt/lists/*
COPY . .
RUN CUDA_HOME=/usr/local/cuda CUDA_ARCH="$CUDA_ARCH" DEB_BUILD_OPTIONS=nocheck \
	dpkg-buildpackage -us -uc -b -Pnocheck,pkg.gputasks.cuda

FROM nvidia/cuda:${CUDA}-runtime-${SYSTEM}
ENV DEBIAN_FRONTEND=noninteractive
# Kernels need the driver's part "compute", --hwdec (NVDEC) the part "video".
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility,video
COPY --from=build /src/gpuintra_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/gpuintra_*.deb && \
	rm -rf /tmp/gpuintra_*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["gpuintra"]
CMD ["--help"]
