# moonarray: make, make demo, make test, make test-gpu, make bench, make asan, make lint, make install
CC ?= cc
LUA_INCDIR ?= $(firstword $(wildcard /usr/include/luajit-2.1 /usr/local/include/luajit-2.1 /opt/homebrew/include/luajit-2.1 /usr/include/lua5.1) /usr/include)
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wno-unused-parameter
# No contraction and no -ffast-math anywhere: both devices give the same bits (docs/numerics.md). -fwrapv: integers wrap.
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fwrapv -fno-math-errno -fno-trapping-math -ffp-contract=off \
  -fno-strict-aliasing -fopenmp $(WARN) -I$(LUA_INCDIR) -Isrc -Ibuild $(CFLAGS)
SRC = $(wildcard src/*.c src/cpu/*.c src/cuda/*.c src/bind/*.c)
OBJ = $(SRC:src/%.c=build/%.o)
# Kernel texts that are compiled at run time are embedded as C strings.
TEXT = $(wildcard kernels/*.cuh kernels/*.h)
MODULE = moonarray/core.so

all: $(MODULE)

$(MODULE): $(OBJ)
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $(OBJ) -fopenmp -Wl,-z,nodelete $(LDFLAGS) -ldl -lm -lpthread

build/kernels.inc: $(TEXT) scripts/embed.sh
	@mkdir -p build
	sh scripts/embed.sh $(TEXT) > $@

build/cpu/%.o: ALL_CFLAGS += -O3
build/%.o: src/%.c build/kernels.inc
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d)

clean:
	rm -rf build moonarray

.PHONY: all clean
