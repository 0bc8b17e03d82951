--- What a stranger can send to the store of ranks (src/distributed/wire.h): sockets by the FFI, the messages, and
--- HMAC-SHA256 in Lua, which does not ask the library that the store asks.

local bit = require "bit"
local ffi = require "ffi"

local wire = {}

ffi.cdef [[
  struct wire_address { uint16_t family, port; uint32_t host; uint8_t zero[8]; };
  struct wire_poll { int fd; short events, revents; };
  struct wire_limit { unsigned long now, most; };
  int socket(int family, int type, int protocol);
  int connect(int fd, const void *address, unsigned size);
  int bind(int fd, const void *address, unsigned size);
  int listen(int fd, int backlog);
  int accept(int fd, void *address, void *size);
  long send(int fd, const void *bytes, size_t n, int flags);
  long recv(int fd, void *bytes, size_t n, int flags);
  int close(int fd);
  int poll(struct wire_poll *list, unsigned long n, int milliseconds);
  int getrlimit(int what, struct wire_limit *limit);
  int setrlimit(int what, const struct wire_limit *limit);

  struct wire_hello { uint64_t magic; int32_t rank, size; uint8_t nonce[32]; };
  struct wire_challenge { uint64_t magic; uint8_t nonce[32]; };
  struct wire_verdict { uint64_t code; uint8_t proof[32]; };
  struct wire_request { uint64_t key, number; double limit; int32_t index, size; int64_t nbytes; };
  struct wire_reply { uint64_t key, number; int64_t failed, nbytes; };
  struct wire_proved { char prover[16]; int32_t rank, size; uint8_t nonces[64]; };
]]

local C = ffi.C
local AF_INET, SOCK_STREAM, POLLIN, NOSIGNAL, NOFILE = 2, 0x80001, 1, 0x4000, 7           -- closed in programs

wire.HELLO, wire.CHALLENGE = 0x6d6173746f726532ULL, 0x6d6173746f726533ULL

-- ==== SHA-256 and HMAC ====

local band, bnot, bxor, ror, rshift, tobit = bit.band, bit.bnot, bit.bxor, bit.ror, bit.rshift, bit.tobit
local K, START = {}, {}
do
  local function fraction(x) return tobit(math.floor((x % 1) * 2 ^ 32)) end
  local n = 2
  while #K < 64 do
    local prime = true
    for d = 2, math.floor(math.sqrt(n)) do prime = prime and n % d ~= 0 end
    if prime then
      if #START < 8 then START[#START + 1] = fraction(math.sqrt(n)) end
      local root = n ^ (1 / 3)
      K[#K + 1] = fraction(root - (root ^ 3 - n) / (3 * root ^ 2))
    end
    n = n + 1
  end
end

local function word(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  return bit.bor(bit.lshift(a, 24), bit.lshift(b, 16), bit.lshift(c, 8), d)
end

local function block(state, text, at)
  local w = {}
  for k = 1, 16 do w[k] = word(text, at + 4 * (k - 1)) end
  for k = 17, 64 do
    local x, y = w[k - 15], w[k - 2]
    w[k] = tobit(w[k - 16] + w[k - 7] + bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
      + bxor(ror(y, 17), ror(y, 19), rshift(y, 10)))
  end
  local a, b, c, d, e, f, g, h = unpack(state)
  for k = 1, 64 do
    local one = tobit(h + bxor(ror(e, 6), ror(e, 11), ror(e, 25)) + bxor(band(e, f), band(bnot(e), g)) + K[k] + w[k])
    local two = tobit(bxor(ror(a, 2), ror(a, 13), ror(a, 22)) + bxor(band(a, b), band(a, c), band(b, c)))
    a, b, c, d, e, f, g, h = tobit(one + two), a, b, c, tobit(d + one), e, f, g
  end
  for k, v in ipairs { a, b, c, d, e, f, g, h } do state[k] = tobit(state[k] + v) end
end

local function big_endian(v)
  return string.char(band(rshift(v, 24), 255), band(rshift(v, 16), 255), band(rshift(v, 8), 255), band(v, 255))
end

function wire.sha256(text)
  local padded = text .. "\128" .. ("\0"):rep((55 - #text) % 64) .. "\0\0\0\0" .. big_endian(#text * 8)
  local state, out = { unpack(START) }, {}
  for at = 1, #padded, 64 do block(state, padded, at) end
  for k = 1, 8 do out[k] = big_endian(state[k]) end
  return table.concat(out)
end

function wire.hmac(key, text)
  if #key > 64 then key = wire.sha256(key) end
  key = key .. ("\0"):rep(64 - #key)
  local function mixed(with) return (key:gsub(".", function(c) return string.char(bxor(c:byte(), with)) end)) end
  return wire.sha256(mixed(0x5c) .. wire.sha256(mixed(0x36) .. text))
end

function wire.hex(bytes) return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

-- ==== Sockets ====

local function address(port)
  local a = ffi.new("struct wire_address")
  a.family = AF_INET
  a.port = bit.bor(bit.lshift(band(port, 255), 8), rshift(port, 8))
  a.host = 0x0100007f                        -- 127.0.0.1 as a machine of little end has it
  return a
end

--- Lets this process have n sockets and files, or as many as it may.
function wire.room(n)
  local limit = ffi.new("struct wire_limit")
  C.getrlimit(NOFILE, limit)
  limit.now = math.max(tonumber(limit.now), math.min(n, tonumber(limit.most)))
  C.setrlimit(NOFILE, limit)
  return tonumber(limit.now)
end

--- Connects to a port of this machine, for which it waits up to ten seconds.
function wire.connect(port)
  local a, begun = address(port), os.time()
  repeat
    local fd = C.socket(AF_INET, SOCK_STREAM, 0)
    assert(fd >= 0, "no socket")
    if C.connect(fd, a, ffi.sizeof(a)) == 0 then return fd end
    C.close(fd)
    C.poll(nil, 0, 20)
  until os.time() - begun > 10
  error("nobody listens at port " .. port)
end

--- Listens at a port; wire.accept gives who connects.
function wire.listen(port)
  local fd, a = C.socket(AF_INET, SOCK_STREAM, 0), address(port)
  assert(C.bind(fd, a, ffi.sizeof(a)) == 0 and C.listen(fd, 16) == 0, "the port is used")
  return fd
end

--- Whether something can be read within so many seconds; the end of a connection can.
function wire.is_ready(fd, seconds)
  local list = ffi.new("struct wire_poll[1]", { { fd = fd, events = POLLIN } })
  return C.poll(list, 1, seconds * 1000) > 0
end

function wire.accept(fd, seconds)
  assert(wire.is_ready(fd, seconds or 10), "nobody came")
  return C.accept(fd, nil, nil)
end

function wire.close(fd) C.close(fd) end

--- Text or structs; false: the connection is over.
function wire.send(fd, ...)
  for _, what in ipairs { ... } do
    local text = type(what) == "string" and what or ffi.string(what, ffi.sizeof(what))
    if C.send(fd, text, #text, NOSIGNAL) ~= #text then return false end
  end
  return true
end

--- The next n bytes, or what came before the connection's end or before the time was over.
function wire.receive(fd, n, seconds)
  local room, parts = ffi.new("uint8_t[?]", n), {}
  while n > 0 and wire.is_ready(fd, seconds or 10) do
    local got = tonumber(C.recv(fd, room, n, 0))
    if got <= 0 then break end
    parts[#parts + 1] = ffi.string(room, got)
    n = n - got
  end
  return table.concat(parts)
end

--- Whether the other end has closed the connection, or does so within the time, whatever it sent before.
function wire.is_over(fd, seconds)
  local bytes = ffi.new("uint8_t[64]")
  while wire.is_ready(fd, seconds or 10) do
    if tonumber(C.recv(fd, bytes, 64, 0)) <= 0 then return true end
  end
  return false
end

-- ==== Messages ====

function wire.new(name, fields) return ffi.new("struct wire_" .. name, fields or {}) end

function wire.read(fd, name, seconds)
  local made = wire.new(name)
  local bytes = wire.receive(fd, ffi.sizeof(made), seconds)
  if #bytes < ffi.sizeof(made) then return nil end
  ffi.copy(made, bytes, #bytes)
  return made
end

function wire.bytes(array, n) return ffi.string(array, n or ffi.sizeof(array)) end

--- Ranks as they follow a request.
function wire.members(list) return ffi.string(ffi.new("int32_t[?]", #list, list), 4 * #list) end

--- The proof of "rank" or of "store".
function wire.proof(prover, secret, hello, challenge)
  if secret == "" then return ("\0"):rep(32) end
  local text = wire.new("proved", { rank = hello.rank, size = hello.size })
  ffi.copy(text.prover, "moonarray " .. prover)
  ffi.copy(text.nonces, hello.nonce, 32)
  ffi.copy(text.nonces + 32, challenge.nonce, 32)
  return wire.hmac(secret, ffi.string(text, ffi.sizeof(text)))
end

--- Comes as a rank: the socket, the verdict's code (0: welcome), and whether the store has proved that it knows it.
function wire.greet(port, rank, size, secret)
  local fd, hello = wire.connect(port), wire.new("hello", { magic = wire.HELLO, rank = rank, size = size })
  for k = 0, 31 do hello.nonce[k] = math.random(0, 255) end
  wire.send(fd, hello)
  local challenge = assert(wire.read(fd, "challenge"), "no challenge")
  assert(challenge.magic == wire.CHALLENGE)
  wire.send(fd, wire.proof("rank", secret or "", hello, challenge))
  local verdict = assert(wire.read(fd, "verdict"), "no verdict")
  local proof = wire.bytes(verdict.proof, 32)
  return fd, tonumber(verdict.code), secret and proof == wire.proof("store", secret, hello, challenge)
end

return wire
