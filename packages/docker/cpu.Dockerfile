# LuaJIT with moonarray, on the CPU. Not tried: it was written where no Docker ran.
#   docker build -f packages/docker/cpu.Dockerfile -t moonarray:cpu .        in the folder of the source
#   docker run --rm -it -v "$PWD:/work" moonarray:cpu program.lua
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libluajit-5.1-dev luajit make
WORKDIR /moonarray
COPY . .
RUN make -s install PREFIX=/usr/local DESTDIR=/installed

FROM debian:12-slim
# g++ is for kernels of one's own in C++; without them it may be left out.
RUN apt-get update && apt-get install -y --no-install-recommends g++ libfftw3-double3 libfftw3-single3 libopenblas0 \
  luajit && rm -rf /var/lib/apt/lists/*
COPY --from=build /installed /
WORKDIR /work
ENTRYPOINT ["luajit"]
