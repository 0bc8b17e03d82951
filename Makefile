# moonarray: make, make demo, make test, make test-gpu, make bench, make asan, make fuzz, make bare, make lint,
# make format, make install
# Linux, or Windows by windows/Makefile. make SYSTEM=Linux tries on another system.
SYSTEM := $(shell uname -s 2>/dev/null)
ifeq ($(SYSTEM),Darwin)
$(error moonarray does not build on macOS, and was never tried there. README.md lists the platforms that it runs on)
endif
CC ?= cc
LUA_INCDIR ?= $(firstword $(wildcard /usr/include/luajit-2.1 /usr/local/include/luajit-2.1 \
  /opt/homebrew/include/luajit-2.1 /usr/include/lua5.1) /usr/include)
LUAJIT ?= luajit
# Where variables are (-g) would take a fifth longer to build: make CFLAGS="-O1 -g" LOOP_CFLAGS= for a debugger.
CFLAGS ?= -O2 -g1
# LuaRocks' own flags ask for nothing else, so the rock has the objects that are built already.
ifeq ($(sort $(CFLAGS)),-O2 -fPIC)
override CFLAGS := -O2 -g1
endif
LIBFLAG ?= -shared
PREFIX ?= /usr/local
INST_LUADIR ?= $(PREFIX)/share/lua/5.1
INST_LIBDIR ?= $(PREFIX)/lib/lua/5.1
# LuaRocks gives the rock's own folder as INST_PREFIX: the C header goes beside its documentation there.
INST_PREFIX ?= $(PREFIX)
INST_INCDIR ?= $(INST_PREFIX)/include
VERSION = $(shell sed -n 's/^.define MOONARRAY_VERSION "\(.*\)"/\1/p' include/moonarray.h)
# For the loops of src/cpu; under a sanitizer -O3 takes minutes and gigabytes for nothing. Where the variables of loops
# are would be a quarter of the work of compiling them, so of debugging information they have lines alone.
LOOP_CFLAGS ?= -O3 $(if $(filter -g%,$(CFLAGS)),-g1)
# For loops of one statement and sorts: gcc makes the same vectors of them at -O1, in half the time. clang does not.
# -fexpensive-optimizations puts vzeroupper behind wide vectors: without it, code for SSE that follows waits at each
# instruction for the upper halves of its registers.
GCC := $(findstring Free Software,$(shell $(CC) --version 2>/dev/null))
PLAIN_CFLAGS ?= $(if $(and $(LOOP_CFLAGS),$(GCC)),-O1 -ftree-vectorize -fexpensive-optimizations)
# gcc for x86 clears and copies structs by an instruction for strings, which takes longer to start than what most of
# them need: by vectors a call on few elements takes a tenth less.
BY_VECTORS = vector_loop:1024:noalign,libcall:-1:noalign
STRING_CFLAGS := $(if $(and $(GCC),$(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null))),\
  -mmemset-strategy=$(BY_VECTORS) -mmemcpy-strategy=$(BY_VECTORS))
# A second build of other flags (make asan) keeps its objects and its module in folders of its own. TUNING=one and
# TUNING=infinite have the numbers of src/tuning.def at their least and their greatest values.
BUILD ?= build$(TUNING:%=-tuning-%)
MODULE_DIR ?= $(if $(TUNING),$(BUILD),.)
WARN = -Wall -Wextra -Wno-unused-parameter
# No contraction and no -ffast-math anywhere: both devices give the same bits (docs/numerics.md). -fwrapv: integers
# wrap. Lua's headers come first: the folder named here is the one that is used, whatever CFLAGS or the compiler's own
# list say.
ALL_CFLAGS = -I$(LUA_INCDIR) -Isrc -I. -I$(BUILD) -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fwrapv \
  -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-strict-aliasing $(STRING_CFLAGS) $(WARN) \
  $(TUNING:%=-DTUNING_%) $(CFLAGS)
SRC := $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c))
# What takes longest comes first, so that no core waits for it at the end.
LONG = $(patsubst %,src/cpu/%.c,sparse/product sort/rows random/random spatial/pairs ndimage/rows \
  ndimage/window_loops sparse/order sort/network)
SRC := $(filter $(SRC),$(LONG)) $(filter-out $(LONG),$(SRC))
# The loops of operations are printed from kernels/ops.def, a file for each kind of dtypes and instruction set.
kinds_of = $(foreach kind,$(1),$(foreach target,base avx2 avx512,map/loops_$(kind)_$(target)))
LOOPS = $(patsubst %,$(BUILD)/cpu/%.c,$(call kinds_of,int float complex cast) map/loops_special map/loops_fused)
PLAIN = $(call kinds_of,int float complex)
# Those of reductions, from files that share what they define: the order counts.
MONOIDS = $(patsubst %,src/cpu/reduce/%.loops,monoid moments columns)
PRINTED = $(BUILD)/cpu/reduce/monoid_loops.c $(LOOPS)
OBJ = $(PRINTED:.c=.o) $(SRC:src/%.c=$(BUILD)/%.o)
# What no tuned number is in is the same in each such build: it is taken from build, so a plain make comes first.
ifdef TUNING
UNTUNED := $(PRINTED:$(BUILD)/%.c=build/%.o) $(SRC:src/%.c=build/%.o)
TUNED := $(filter $(UNTUNED:.o=.d),$(shell grep -l tuning.def -r build --include=*.d))
OBJ := $(TUNED:build/%.d=$(BUILD)/%.o) $(filter-out $(TUNED:.d=.o),$(UNTUNED))
endif
# Kernel texts that are compiled at run time are embedded as C strings; a text's parts lie in a folder of its name.
TEXT_PARTS = $(wildcard kernels/scalar/*.h kernels/random/draws/*.h)
TEXT = $(filter-out $(TEXT_PARTS),$(wildcard kernels/*.cuh kernels/*.h kernels/*/*.cuh kernels/*/*.h))
MODULE = $(MODULE_DIR)/moonarray/core.so
LUA_FILES = $(wildcard lua/moonarray/*.lua lua/moonarray/*/*.lua lua/moonarray/*/*/*.lua)
# What is made from the definitions of the functions is not tracked: files of the library, the editors' file and
# docs/reference.
DESCRIBED = $(addprefix lua/moonarray/,meta.lua names.lua parts.lua help/examples.lua help/classes.lua help/words.lua)
DEFINED_IN = $(filter-out $(DESCRIBED),$(LUA_FILES)) $(wildcard src/bind/*/*.c kernels/*.def src/base/dtype.def \
  scripts/definitions.lua scripts/definitions/*.lua scripts/meta.lua scripts/reference.lua scripts/reference/*.lua \
  scripts/describe scripts/files.lua scripts/site/*.lua spec/golden/examples.txt docs/*.md docs/words.txt)

# A call without -j, as LuaRocks makes it, works on all cores; -j1 does not.
ifeq ($(MAKELEVEL)$(filter-out all install,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

all: $(MODULE) $(BUILD)/described

$(MODULE): $(OBJ)
	@mkdir -p $(@D)
	$(progressed)$(CC) $(LIBFLAG) -o $@ $(OBJ) -Wl,-z,nodelete $(LDFLAGS) -ldl -lm -lpthread

MADE = $(DESCRIBED) docs/reference/README.md
$(BUILD)/described: $(DEFINED_IN) $(if $(filter-out $(wildcard $(MADE)),$(MADE)),always)
	@mkdir -p $(BUILD)
	@LUA="$(LUA)" LUAJIT="$(LUAJIT)" sh scripts/describe
	@touch $@

$(BUILD)/kernels.inc: $(TEXT) $(TEXT_PARTS) scripts/embed.sh
	@mkdir -p $(BUILD)
	sh scripts/embed.sh $(TEXT) > $@

# Its name says the kind and the instruction set: loops_float_avx2.c.
loops: $(PRINTED)
$(LOOPS): $(BUILD)/cpu/map/loops_%.c: scripts/loops.awk kernels/ops.def kernels/special.def \
  $(wildcard src/cpu/map/*.loops)
	@mkdir -p $(@D)
	@awk -v kind=$(firstword $(subst _, ,$*)) -v target=$(or $(word 2,$(subst _, ,$*)),base) -f scripts/loops.awk \
	  kernels/ops.def kernels/special.def \
	  $(wildcard src/cpu/map/$(subst fused,special,$(firstword $(subst _, ,$*))).loops) > $@.new && mv $@.new $@

$(BUILD)/cpu/reduce/monoid_loops.c: scripts/monoids.awk $(MONOIDS)
	@mkdir -p $(@D)
	@awk -f scripts/monoids.awk $(MONOIDS) > $@.new && mv $@.new $@

# A quiet build (-s) says which share of its work is done: on a terminal in one line, else in one of twenty. What is to
# be compiled is asked of a make that only says what it would do, when the first file is compiled. The files that take
# longest are half of a build, so each counts as twenty.
LETTERS := $(filter-out -%,$(firstword $(MAKEFLAGS)))
LARGE = $(PRINTED:.c=.o) $(LONG:src/%.c=$(BUILD)/%.o)
TWENTY := x x x x x x x x x x x x x x x x x x x x
work_of = $(foreach file,$(1),$(if $(filter $(file),$(LARGE)),$(TWENTY),x))
say_progress = $(eval SAID := $(shell sh scripts/progress $(words $(1)) $(words $(WORK)) $(words $(PLAN)) $(SAID)))
ifneq ($(and $(findstring s,$(LETTERS)),$(if $(findstring n,$(LETTERS)),,yes)),)
progress = $(if $(PLAN),,$(eval PLAN := $(shell MAKEFLAGS= $(MAKE) -n $(MAKEOVERRIDES) $(MAKECMDGOALS) 2>/dev/null | \
  sed -n 's/.* -c -o \([^ ]*\) .*/\1/p'))$(eval WORK := $(call \
  work_of,$(PLAN))))$(call say_progress,$(DONE))$(eval DONE += $(call work_of,$@))
progressed = $(if $(PLAN),$(call say_progress,$(WORK)))
endif

# Changed flags build everything anew. The + lets a make that only says what it would do look at them too.
$(BUILD)/flags: export FLAGS = $(CFLAGS)
$(BUILD)/flags: export OTHER_FLAGS = $(STRING_CFLAGS) $(LOOP_CFLAGS) $(PLAIN_CFLAGS)
$(BUILD)/flags: always
	+@mkdir -p $(BUILD)
	+@printf '%s\n' "$$FLAGS" "$$OTHER_FLAGS" | cmp -s - $@ || printf '%s\n' "$$FLAGS" "$$OTHER_FLAGS" > $@

$(BUILD)/cpu/%.o: ALL_CFLAGS += $(LOOP_CFLAGS)
# Loops of a few instructions take twice as long where they lie across 64 bytes.
$(BUILD)/cpu/reduce/monoid_loops.o: ALL_CFLAGS += $(if $(LOOP_CFLAGS),-falign-loops=32)
# It copies rows of any length, of which those flags would take what is beside whole vectors byte by byte.
$(BUILD)/cpu/reduce/monoid_loops.o: STRING_CFLAGS =
# Elements that come from all over memory are slower in vectors of the processor than one by one.
$(BUILD)/cpu/sparse/vector.o: ALL_CFLAGS += -fno-tree-vectorize
$(PLAIN:%=$(BUILD)/cpu/%.o): ALL_CFLAGS += $(PLAIN_CFLAGS)
# Its loops have one to four turns.
$(BUILD)/cpu/map/small.o: ALL_CFLAGS += $(if $(LOOP_CFLAGS),-O2 -fno-tree-vectorize)
# Looks at each position of a sparse matrix, and paths between all nodes.
$(BUILD)/ops/factors/run.o $(BUILD)/ops/csgraph/paths.o: ALL_CFLAGS += $(LOOP_CFLAGS)
# What is done once for a file, a library or a kernel that is compiled, or beside a GPU's long work.
SELDOM = bind/device bind/files bundle compile distributed system cuda/distributed cuda/library cuda/linalg \
  cuda/ndimage cuda/sparse cuda/spatial
$(SELDOM:%=$(BUILD)/%/%.o): ALL_CFLAGS += $(if $(filter -O2,$(CFLAGS)),-O1)
$(PRINTED:.c=.o): %.o: %.c $(BUILD)/kernels.inc $(BUILD)/flags
	$(progress)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: src/%.c $(BUILD)/kernels.inc $(BUILD)/flags
	@mkdir -p $(@D)
	$(progress)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d)

# ==== C units: spec/unit/NAME.c is a program of its own over the core, without Lua ====
UNIT = $(patsubst spec/unit/%.c,$(BUILD)/unit/%,$(wildcard spec/unit/*.c))

units: $(UNIT)

# NVIDIA's headers include each other by <>; their folder comes last, for one unit alone.
$(BUILD)/unit/cuda_headers: private ALL_CFLAGS += -idirafter $(or $(CUDA_PATH),/usr/local/cuda)/include

$(BUILD)/unit/%: spec/unit/%.c $(filter-out $(BUILD)/bind/%,$(OBJ))
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) -ldl -lm -lpthread

# ==== A pretended GPU: the driver and NVRTC over the machine's C++ compiler, to run kernels where there is no GPU ====
PRETEND = $(addprefix $(BUILD)/pretend/,libcuda.so.1 libnvrtc.so.13 libcudss.so.1 libnccl.so.2)
PRETEND_ENV = CUDA_PATH= LD_LIBRARY_PATH=$(BUILD)/pretend MOONARRAY_CACHE_DIR=$(BUILD)/pretend/cache \
  MOONARRAY_DEVICE=cuda MOONARRAY_CUDA_LIBRARIES=0

pretend: $(PRETEND)

$(BUILD)/pretend/libcuda.so.1: spec/pretend/driver.c spec/pretend/module.c spec/pretend/gl.c spec/pretend/external.c \
  spec/pretend/texture.c spec/pretend/delay.c spec/pretend/pool.c spec/pretend/compile.c spec/pretend/graph.c
$(BUILD)/pretend/libnvrtc.so.13: spec/pretend/nvrtc.c spec/pretend/compile.c
$(BUILD)/pretend/libcudss.so.1: spec/pretend/cudss.c src/cuda/library/cudss.def src/cuda/library/cudss.h
$(BUILD)/pretend/libnccl.so.2: spec/pretend/nccl.c src/cuda/distributed/nccl.def
$(PRETEND): $(wildcard spec/pretend/*.h) kernels/cpu/cpu_cuda_texture.h src/cuda/driver/symbols.def
	@mkdir -p $(@D) && rm -rf $(@D)/cache $(@D)/floor-cache
	$(CC) $(ALL_CFLAGS) -shared -DPRETEND_FOLDER='"$(CURDIR)/spec/pretend"' -o $@ $(filter %.c,$^) -ldl

# Slow: a kernel takes half a second to compile. make test-pretend SPEC=spec/ops/reduce_spec.lua runs a spec on it too.
test-pretend: setup
	@$(BUILD_NOW) all units pretend
	@$(PRETEND_ENV) $(BUILD)/unit/cuda_map 40
	@$(if $(SPEC),$(PRETEND_ENV) sh scripts/test $(SPEC))

# Examples with the driver alone, after a run with NVRTC: without a GPU on the pretended one, in a namespace without
# toolkit, wheels and compilers. Then with the floor set alone; for a real GPU, make kernels KERNEL_ARCHS= makes it
# before. Three minutes, and ten more where the cache is empty.
test-bare-gpu: setup
	@$(BUILD_NOW) all pretend
	@MOONARRAY_SPEC_LONG=1 SECONDS_EACH=1500 sh scripts/test spec/device/bare_gpu_spec.lua

# ==== Kernels that come compiled: the base set, a bundle for each architecture; the floor set (docs/bundles.md) ====
# They are recorded on the pretended GPU, where nothing runs, and compiled by the NVRTC that is found. Only texts that
# are new, or of another NVRTC, are compiled: build/kernels/images has the others.
KERNEL_ARCHS = 75 80 90 100 120
BASE = $(KERNEL_ARCHS:%=$(BUILD)/kernels/base-%.mab)
FLOOR = $(BUILD)/kernels/floor.mab
KERNELS_ENV = LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="$(MODULE_DIR)/?.so;;"

kernels: setup
	@$(BUILD_NOW) all pretend
	@$(BUILD_NOW) $(BASE) $(FLOOR)

$(BUILD)/kernels/base.rec $(BUILD)/kernels/floor.rec: $(BUILD)/kernels/%.rec: $(MODULE) $(BUILD)/described \
  $(PRETEND) kernels/ops.def kernels/special.def kernels/reduce/reduce.def scripts/kernels/list.lua \
  scripts/kernels/record.lua
	@mkdir -p $(@D) && rm -rf $@.cache $@.new
	@$(KERNELS_ENV) $(PRETEND_ENV) PRETEND_IDLE=1 MOONARRAY_CACHE_DIR=$@.cache MOONARRAY_BUNDLE=record:$@.new \
	  $(LUAJIT) scripts/kernels/record.lua $* >/dev/null
	@rm -rf $@.cache && mv $@.new $@

# Which NVRTC compiles for each card. The file changes with them, and so the sets are made anew.
KERNELS_NVRTC = $(BUILD)/kernels/nvrtc
$(KERNELS_NVRTC): always $(MODULE) $(BUILD)/described
	@mkdir -p $(@D)
	@$(KERNELS_ENV) MOONARRAY_DEVICE=cpu $(LUAJIT) scripts/kernels/compiler.lua $@ $(KERNEL_ARCHS)

$(BASE): $(BUILD)/kernels/base-%.mab: $(BUILD)/kernels/base.rec $(KERNELS_NVRTC) scripts/kernels/build.lua
	@$(KERNELS_ENV) MOONARRAY_DEVICE=cpu $(LUAJIT) scripts/kernels/build.lua $< $* $@ $(@D)/images 10000000

$(FLOOR): $(BUILD)/kernels/floor.rec $(KERNELS_NVRTC) scripts/kernels/build.lua
	@$(KERNELS_ENV) MOONARRAY_DEVICE=cpu $(LUAJIT) scripts/kernels/build.lua $< floor $@ $(@D)/images 5000000

# Beside the module that make install put there; KERNEL_ARCHS=90 takes one file.
kernels-install: kernels
	@mkdir -p "$(DESTDIR)$(INST_LIBDIR)/moonarray/kernels"
	install -m 644 $(BASE) $(FLOOR) "$(DESTDIR)$(INST_LIBDIR)/moonarray/kernels"

# What players get has the floor set. Where no NVRTC is to compile it, a line says so, and that which is there is taken.
FLOOR_NOW = if $(KERNELS_ENV) MOONARRAY_DEVICE=cpu $(LUAJIT) scripts/kernels/compiler.lua; then \
  $(BUILD_NOW) pretend && $(BUILD_NOW) $(FLOOR); fi

# The base set as a rock of data, which luarocks puts beside the module of the same tree.
kernels-rock: kernels
	@mkdir -p dist && BASE="$(BASE)" sh scripts/kernels/rock dist

# ==== What a user or a machine of ours calls ====
# scripts/setup may just have installed Lua's headers, so what follows it is a make of its own, on all cores.
BUILD_NOW = $(MAKE) --no-print-directory -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))
# A unit that does not build fails alone: scripts/test says so.
UNITS_NOW = $(BUILD_NOW) -k
test test-tuning asan tsan fuzz test-compiler: SETUP = test
setup:
	@sh scripts/setup $(SETUP)
	@[ -f $(MODULE) ] || echo "building, which takes some minutes"

demo: setup
	@$(BUILD_NOW) all
	@LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./?.so;;" $(LUAJIT) examples/quickstart.lua

test: setup
	@$(BUILD_NOW) all
	-@$(UNITS_NOW) $(if $(SPEC),,units) pretend
	@sh scripts/test $(SPEC)

# Sparse matrices of 10^6 rows, on the default device.
test-sparse-large: setup
	@$(BUILD_NOW) all
	@LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./?.so;;" $(LUAJIT) spec/sparse/large_sparse.lua

# The whole suite on the GPU, then compute-sanitizer over the specs that are short enough.
test-gpu:
	@$(BUILD_NOW) all
	-@$(UNITS_NOW) $(if $(SPEC),,units)
	@MOONARRAY_DEVICE=cuda sh scripts/test $(SPEC)
	$(if $(SPEC),,@MOONARRAY_DEVICE=cuda sh scripts/sanitize)

# All specs on the GPU without NVRTC, with the kernels of the base set and the floor set alone (docs/testing.md).
# KERNEL_ARCHS=90 makes the base set for one compute capability, KERNEL_ARCHS= takes the floor set alone.
test-gpu-floor: kernels
	@rm -rf $(BUILD)/floor && mkdir -p $(BUILD)/floor/moonarray/kernels
	@cp $(MODULE) $(BUILD)/floor/moonarray && cp $(BASE) $(FLOOR) $(BUILD)/floor/moonarray/kernels
	@MODULE_DIR=$(BUILD)/floor MOONARRAY_CACHE_DIR=$(BUILD)/floor/cache MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=cuda \
	  UNITS=0 sh scripts/test $(SPEC)

.PHONY: test-gpu-floor test-pretend-floor

# The same for some specs on the pretended GPU, which has the floor set alone: make test-pretend-floor SPEC=sort_spec
test-pretend-floor: setup
	@$(BUILD_NOW) all pretend
	@FLOOR_SPECS="$(SPEC)" SECONDS_EACH=3600 sh scripts/test floor_suite_spec

# The games of examples/love in LÖVE, on a screen of Xvfb.
test-love: setup
	@$(BUILD_NOW) all pretend
	@sh scripts/test spec/love/games_spec.lua spec/love/archive_spec.lua spec/love/canvas_spec.lua \
	  spec/love/shared_spec.lua

# The site and its search in a browser without a window, Chromium. Not a part of make test.
test-site: setup
	@$(BUILD_NOW) all
	@sh scripts/test spec/site/browser_spec.lua

# The kernel for Jupyter, with examples/notebook.ipynb. Not a part of make test.
test-notebook: SETUP = test notebook
test-notebook: setup
	@$(BUILD_NOW) all
	@sh scripts/test spec/notebook/kernel_spec.lua

# Files that are read by libraries of the system: JPEG and HDF5.
test-formats: SETUP = test formats
test-formats: setup
	@$(BUILD_NOW) all
	@sh scripts/test spec/formats/jpeg_spec.lua spec/formats/hdf5_spec.lua spec/files/writers_spec.lua

# Ranks under mpirun, of Open MPI and of MPICH, and on two GPUs where there are some. Not a part of make test.
test-distributed: SETUP = test distributed
test-distributed: setup
	@$(BUILD_NOW) all
	@sh scripts/test $(sort $(wildcard spec/distributed/*_spec.lua))

# Collectives and sharded heat on GPUS GPUs by NCCL, beside its own all_reduce and, where it is there, PyTorch's.
GPUS = 2
bench-distributed: setup
	@$(BUILD_NOW) all
	@sh scripts/gpus $(GPUS) bench/programs/distributed.lua
	@if python3 -c "import torch" 2>/dev/null; then sh scripts/gpus $(GPUS) bench/programs/distributed_torch.py; fi

# What lua-language-server says of the examples and of lua/ (scripts/editors). Not a part of make test.
check-editors:
	@sh scripts/editors

# What C programs find the header by, and the example with SDL2 and OpenGL.
test-embed: setup
	@$(BUILD_NOW) all
	@sh scripts/test spec/embed/engine_spec.lua

# moonarray in the folder of a game of LÖVE: make game GAME=folder, and RECORD=file for a bundle of its kernels
game:
	@$(BUILD_NOW) all
	@$(FLOOR_NOW)
	@MODULE_DIR="$(MODULE_DIR)" BUILD="$(BUILD)" LUAJIT="$(LUAJIT)" sh scripts/game "$(GAME)" $(if $(RECORD),"$(RECORD)")

# Deferred operators held against ones evaluated at once, over 100,000 random programs:
# make fuzz-fusion PROGRAMS=N SEED=FIRST FUZZ_JOBS=N; FORMS=general: without fused and exact kernels (docs/testing.md)
PROGRAMS ?= 100000
SEED ?= 1
fuzz-fusion:
	@$(BUILD_NOW) all
	@LUA_CPATH="$(MODULE_DIR)/?.so;;" FUZZ_FORMS=$(FORMS) FUZZ_JOBS=$(or $(FUZZ_JOBS),$(shell nproc || echo 2)) \
	  $(LUAJIT) scripts/fuzz_fusion.lua $(PROGRAMS) $(SEED)

# Functions of elements held against their plain form and bare Lua, over 20,000 random programs:
# make fuzz-elements PROGRAMS=N SEED=FIRST FUZZ_JOBS=N FUZZ_KERNELS=N
fuzz-elements:
	@$(BUILD_NOW) all
	@LUA_CPATH="$(MODULE_DIR)/?.so;;" FUZZ_JOBS=$(or $(FUZZ_JOBS),$(shell nproc 2>/dev/null || echo 2)) \
	  FUZZ_KERNELS=$(or $(FUZZ_KERNELS),200) $(LUAJIT) scripts/fuzz_elements.lua \
	  $(if $(filter command,$(firstword $(origin PROGRAMS))),$(PROGRAMS),20000) $(SEED)

# Derivatives of random programs held against differences: make fuzz-grad PROGRAMS=N SEED=FIRST
fuzz-grad:
	@$(BUILD_NOW) all
	@LUA_CPATH="$(MODULE_DIR)/?.so;;" $(LUAJIT) scripts/fuzz_grad.lua \
	  $(if $(filter command,$(firstword $(origin PROGRAMS))),$(PROGRAMS),2000) $(SEED)

# Every kernel's text through NVRTC and the CPU's compiler, of which make test takes a sample. Half an hour.
test-kernels: setup
	@$(BUILD_NOW) all units
	@for unit in nvrtc_map nvrtc_gather nvrtc_special; do $(BUILD)/unit/$$unit all || exit 1; done
	@$(BUILD)/unit/emulate 1 everything

# Changes made on purpose, one at a time, each of which a spec must notice: make mutate MUTATE="file.c --table"
mutate:
	@LUAJIT="$(LUAJIT)" $(LUAJIT) scripts/mutate.lua $(MUTATE)

# Random calls of everything public, under AddressSanitizer and UBSan: make fuzz CALLS=N SEED=N
CALLS ?= 100000
fuzz: setup
	@FUZZ_CALLS=$(CALLS) SEED=$(SEED) $(MAKE) --no-print-directory asan SPEC=spec/errors/fuzz_spec.lua

# More random calls than make test has, against SciPy and mpmath: make audit AUDIT=special CALLS=1000 SEED=N. CALLS is
# what the script of spec/golden/audit takes: for special, points of each function.
AUDIT ?= special
audit: setup
	@$(BUILD_NOW) all
	@PYTHON="$(PYTHON)" sh scripts/audit $(AUDIT) $(if $(filter command,$(origin CALLS)),$(CALLS),1000) $(SEED)

# The README's commands on a machine that has nothing yet.
bare:
	@sh scripts/bare

# Debian's packages, of debian/, built and held against lintian there.
bare-deb:
	@sh scripts/bare --deb

# Comments stay as they are: clang-format would wrap them without their stars.
format:
	@sh scripts/setup lint
	@program=$$(sh scripts/clang14 clang-format); \
	[ -n "$$program" ] || { echo "make format: no clang-format 14" >&2; exit 1; }; \
	git ls-files '*.c' '*.h' '*.cuh' | xargs $$program -i

lint:
	@sh scripts/setup lint
	@sh scripts/lint

# Of lint what takes no build, for the files that changed: a commit hook.
quick:
	@sh scripts/lint --quick

# NumPy's and SciPy's values for the specs, packed: make golden GOLDEN="ufunc reduce"
golden:
	@sh scripts/golden $(GOLDEN)

# What is made from tables and from examples: the pages of switches and of coverage, what examples print.
meta:
	@$(BUILD_NOW) all
	@$(LUAJIT) scripts/config.lua | cmp -s - docs/config.md || \
	  { $(LUAJIT) scripts/config.lua > docs/config.md && echo "wrote docs/config.md"; }
	@MODULE_DIR="$(MODULE_DIR)" $(LUAJIT) scripts/coverage.lua
	@MOONARRAY_DEVICE=cpu MODULE_DIR="$(MODULE_DIR)" $(LUAJIT) scripts/reference.lua --results

# docs/reference: a page a module, from the functions' definitions and examples. make makes it too.
reference: $(BUILD)/described

# A site of docs/ with search, which needs no network: build/site/index.html.
docs: $(BUILD)/described
	@$(LUAJIT) scripts/site.lua

# docs/coverage.md: which of CuPy's names are here. make meta makes it too.
coverage:
	@$(BUILD_NOW) all
	@MODULE_DIR="$(MODULE_DIR)" $(LUAJIT) scripts/coverage.lua

# The suite on a module built with AddressSanitizer and UndefinedBehaviorSanitizer, and the same with ThreadSanitizer.
SAN_FLAGS = -O1 -g -fno-omit-frame-pointer
# asan-module and tsan-module build the module alone.
ASAN_BUILD = $(BUILD_NOW) BUILD=build-asan MODULE_DIR=build-asan LOOP_CFLAGS= \
  CFLAGS="$(SAN_FLAGS) -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
  LDFLAGS="-fsanitize=address,undefined"
TSAN_BUILD = $(BUILD_NOW) BUILD=build-tsan MODULE_DIR=build-tsan LOOP_CFLAGS= \
  CFLAGS="$(SAN_FLAGS) -fsanitize=thread" LDFLAGS="-fsanitize=thread"
asan-module:
	@$(ASAN_BUILD) all

tsan-module:
	@$(TSAN_BUILD) all

asan: setup
	@$(ASAN_BUILD) units all
	@BUILD=build-asan MODULE_DIR=build-asan SANITIZER=asan sh scripts/test $(SPEC)

tsan: setup
	@$(TSAN_BUILD) units all
	@BUILD=build-tsan MODULE_DIR=build-tsan SANITIZER=tsan sh scripts/test $(SPEC)

# The specs of what is tuned, with all numbers of src/tuning.def at their least values and at their greatest.
TUNED_SPECS = ops reduce scan sort faster_sort picks index fft linalg sparse sparse_made ndimage_filters \
  ndimage_interpolation ndimage_measure ndimage_morphology ndimage_distance random stencil fuse \
  fusion_fuzz fusion_order pending_reduce names signal_filter sparse_matrix
TUNINGS = one infinite
test-tuning: setup
	@$(BUILD_NOW) all
	@for tuning in $(TUNINGS); do \
	  $(BUILD_NOW) TUNING=$$tuning build-tuning-$$tuning/moonarray/core.so && \
	  BUILD=build-tuning-$$tuning MODULE_DIR=build-tuning-$$tuning sh scripts/test \
	    $(or $(SPEC),$(TUNED_SPECS:%=%_spec)) || exit 1; done

# For Windows x64, by mingw-w64 into build-windows; the specs under Wine (docs/windows.md). Not a part of make test.
windows: $(BUILD)/described
	@sh scripts/setup windows
	+@$(BUILD_NOW) $(BUILD)/kernels.inc loops
	+@$(BUILD_NOW) -f windows/Makefile

test-windows: windows
	@sh scripts/setup test wine
	+@$(BUILD_NOW) -f windows/Makefile tests
	@sh windows/libraries build-windows/compiler
	@sh windows/test $(SPEC)

# The specs on the module as another compiler builds it, with -Werror: make test-compiler COMPILER=gcc-11. User kernels
# on the CPU are compiled by that compiler's C++ too, where it is installed.
COMPILER ?= clang
COMPILER_CXX = $(shell command -v $(patsubst gcc%,g++%,$(patsubst clang%,clang++%,$(COMPILER))))
test-compiler: setup
	@$(BUILD_NOW) BUILD=build-$(COMPILER) MODULE_DIR=build-$(COMPILER) CC=$(COMPILER) CFLAGS="-O2 -Werror" all
	@BUILD=build-$(COMPILER) MODULE_DIR=build-$(COMPILER) CC=$(COMPILER) \
	  $(if $(COMPILER_CXX),CXX=$(COMPILER_CXX)) MOONARRAY_CACHE_DIR="$(CURDIR)/build-$(COMPILER)" \
	  sh scripts/test $(or $(SPEC),$(shell sh scripts/specs))

# Linux on ARM, musl, and glibc 2.28 and later, by zig cc (scripts/zig). Not a part of make test.
ZIG_BUILD = $(BUILD_NOW) BUILD=build-$(1) MODULE_DIR=build-$(1) CC="$(CURDIR)/build/zig/zig cc -target $(2)" \
  CFLAGS="-O2 -Werror" LOOP_CFLAGS=
zig-aarch64:
	@sh scripts/zig
	+@$(call ZIG_BUILD,aarch64,aarch64-linux-gnu.2.28) all

# make test-aarch64 SPEC="spec/ops/ops_spec.lua spec/ops/reduce_spec.lua" runs some of the specs
# OpenBLAS's threads wait for each other by spinning, which qemu makes slow.
test-aarch64: zig-aarch64
	@sh scripts/zig aarch64
	@MODULE_DIR=build-aarch64 BUILD=build-aarch64 LUAJIT="$(CURDIR)/build/zig/luajit-aarch64" SECONDS_EACH=3600 \
	  OPENBLAS_NUM_THREADS=1 \
	  CC="$(CURDIR)/build/zig/cc-aarch64" CXX="$(CURDIR)/build/zig/c++-aarch64" \
	  MOONARRAY_CACHE_DIR="$(CURDIR)/build-aarch64" sh scripts/test \
	  $(or $(SPEC),$(shell sh scripts/specs))

zig-musl:
	@sh scripts/zig
	+@$(call ZIG_BUILD,musl,x86_64-linux-musl) all

test-musl: zig-musl
	@sh scripts/setup test
	@sh scripts/zig musl
	@MODULE_DIR=build-musl BUILD=build-musl LUAJIT="$(CURDIR)/build/zig/luajit-musl" \
	  CC="$(CURDIR)/build/zig/cc-musl" CXX="$(CURDIR)/build/zig/c++-musl" \
	  MOONARRAY_CACHE_DIR="$(CURDIR)/build-musl" sh scripts/test \
	  $(or $(SPEC),$(shell sh scripts/specs))

# Fails if the module asks for a symbol that glibc 2.28 does not have.
zig-glibc228:
	@sh scripts/zig
	+@$(call ZIG_BUILD,glibc228,x86_64-linux-gnu.2.28) all
	@sh scripts/glibc 2.28 build-glibc228/moonarray/core.so

test-glibc228: zig-glibc228
	@sh scripts/setup test
	@MODULE_DIR=build-glibc228 BUILD=build-glibc228 sh scripts/test $(or $(SPEC),$(shell sh scripts/specs))

# Ours beside the peers' scripts, where their packages are installed: make bench PEERS=DIR BENCH="--only PATTERN"
bench:
	@$(BUILD_NOW) all
	@LUA_PATH="./lua/?.lua;./lua/?/init.lua;./?.lua;;" LUA_CPATH="./?.so;;" LUAJIT="$(LUAJIT)" \
	  $(LUAJIT) bench/bench.lua $(if $(PEERS),--peers "$(PEERS)") $(BENCH)

# FLOOR_FILE is a floor set that goes along; scripts/dist names one for the binary rocks.
install: $(MODULE) $(BUILD)/described
	@mkdir -p "$(DESTDIR)$(INST_LIBDIR)/moonarray"
	install -m 755 $(MODULE) "$(DESTDIR)$(INST_LIBDIR)/moonarray/core.so"
	@[ -z "$(FLOOR_FILE)" ] || \
	  install -D -m 644 "$(FLOOR_FILE)" "$(DESTDIR)$(INST_LIBDIR)/moonarray/kernels/floor.mab"
	@mkdir -p "$(DESTDIR)$(INST_INCDIR)"
	install -m 644 include/moonarray.h "$(DESTDIR)$(INST_INCDIR)/moonarray.h"
	@mkdir -p "$(DESTDIR)$(INST_PREFIX)/share/pkgconfig" "$(DESTDIR)$(INST_PREFIX)/share/cmake/moonarray"
	sed "s/@VERSION@/$(VERSION)/" include/moonarray.pc.in > "$(DESTDIR)$(INST_PREFIX)/share/pkgconfig/moonarray.pc"
	install -m 644 include/cmake/*.cmake "$(DESTDIR)$(INST_PREFIX)/share/cmake/moonarray"
	@for file in $(patsubst lua/%,%,$(filter-out $(DESCRIBED),$(LUA_FILES)) $(DESCRIBED)); do \
	  mkdir -p "$(DESTDIR)$(INST_LUADIR)/$$(dirname $$file)" && \
	  install -m 644 "lua/$$file" "$(DESTDIR)$(INST_LUADIR)/$$file" || exit 1; done

# The files of a release, in dist/ (scripts/dist).
dist:
	+@$(BUILD_NOW) all
	@$(FLOOR_NOW)
	@MODULE_DIR="$(MODULE_DIR)" BUILD="$(BUILD)" CFLAGS="$(CFLAGS)" sh scripts/dist

# For each platform; test-dist unpacks and loads what is in dist/, by qemu and Wine where they are.
dist-all:
	+@$(BUILD_NOW) zig-glibc228
	+@$(BUILD_NOW) zig-aarch64
	+@$(BUILD_NOW) windows
	+@$(BUILD_NOW) dist

test-dist: dist
	@sh scripts/test spec/dist/dist_spec.sh

# All that publishing a release takes, without publishing: lint, the files for each platform, which are unpacked and
# loaded, and what scripts/release says of them. ADDRESS=https://host.example/moonarray tries one in place of that of
# scripts/address (docs/releasing.md).
release-check:
	@sh scripts/setup release
	@[ -n "$(ADDRESS)" ] || [ -s scripts/address ] || sh scripts/release
	+@$(BUILD_NOW) lint
	+@$(BUILD_NOW) dist-all
	@sh scripts/test spec/dist/dist_spec.sh
	@sh scripts/release $(ADDRESS)

# Everything that install puts there, and the folders that are empty then.
uninstall:
	rm -f "$(DESTDIR)$(INST_LIBDIR)/moonarray/core.so" "$(DESTDIR)$(INST_INCDIR)/moonarray.h" \
	  "$(DESTDIR)$(INST_PREFIX)/share/pkgconfig/moonarray.pc"
	rm -rf "$(DESTDIR)$(INST_LUADIR)/moonarray" "$(DESTDIR)$(INST_PREFIX)/share/cmake/moonarray" \
	  "$(DESTDIR)$(INST_LIBDIR)/moonarray/kernels"
	@rmdir "$(DESTDIR)$(INST_LIBDIR)/moonarray" 2>/dev/null || :

clean:
	rm -rf build build-* moonarray

.PHONY: all loops units pretend test-pretend test-bare-gpu test-kernels setup demo test test-gpu test-love \
  test-formats test-distributed bench-distributed test-sparse-large test-compiler check-editors test-embed game \
  kernels kernels-install kernels-rock bench fuzz-fusion fuzz-elements fuzz-grad mutate fuzz bare bare-deb lint quick \
  format golden audit meta reference docs test-site coverage asan tsan asan-module tsan-module windows test-windows \
  zig-aarch64 test-aarch64 zig-musl test-musl zig-glibc228 test-glibc228 install uninstall dist dist-all test-dist \
  test-tuning test-notebook release-check \
  always clean
