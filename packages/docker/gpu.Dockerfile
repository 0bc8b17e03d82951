# LuaJIT with moonarray, on an NVIDIA GPU. Not tried: it was written where no Docker ran. The host needs NVIDIA's driver
# and its container toolkit.
#   docker build -f packages/docker/gpu.Dockerfile -t moonarray:gpu .        in the folder of the source
#   docker run --rm -it --gpus all -v "$PWD:/work" moonarray:gpu program.lua
FROM ubuntu:24.04 AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libluajit-5.1-dev luajit make
WORKDIR /moonarray
COPY . .
RUN make -s install PREFIX=/usr/local DESTDIR=/installed

# This image has cuBLAS, cuSOLVER, cuFFT, cuRAND and NVRTC, which a program opens when it first needs them.
FROM nvidia/cuda:13.0.1-runtime-ubuntu24.04
RUN apt-get update && apt-get install -y --no-install-recommends g++ libfftw3-double3 libfftw3-single3 libopenblas0 \
  luajit && rm -rf /var/lib/apt/lists/*
COPY --from=build /installed /
# Compiled kernels outlive the container where this folder is a volume.
ENV MOONARRAY_CACHE_DIR=/var/cache/moonarray
WORKDIR /work
ENTRYPOINT ["luajit"]
