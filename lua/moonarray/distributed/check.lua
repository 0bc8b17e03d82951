--- The checking mode of ma.distributed, MOONARRAY_CHECK_COLLECTIVES=1: before a call the ranks compare what they pass.

local sformat = require("moonarray.text").format
local RECORD = 480          -- bytes that each rank gives to the others

return function(ma, core, shared)
  local fail = core.fail

  --- Whether the mode is on; read at the first call.
  local on
  local function is_on()
    if on == nil then
      local value = os.getenv "MOONARRAY_CHECK_COLLECTIVES"
      on = value ~= nil and value ~= "" and value ~= "0"
    end
    return on
  end

  local function shape_text(a)
    local shape = {}
    for d = 1, a.ndim do shape[d] = sformat("%d", a.shape[d]) end
    return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
  end

  --- What has to be the same everywhere, as text, and the place of the call in the program.
  local function record(name, about, array)
    local what = name .. (array and sformat(" of %s %s", array.dtype, shape_text(array)) or "") .. about
    local where = core.distributed_where():gsub(":%s*$", "")
    return (sformat("%s\n%s", what:sub(1, 320), where:sub(1, 140)) .. ("\n"):rep(RECORD)):sub(1, RECORD)
  end

  local function parts(text)
    local what, where = text:match "^([^\n]*)\n([^\n]*)"
    return what, where == "" and "?" or where
  end

  local function differ(name, here, mine, rank, theirs)
    local what, where = parts(mine)
    local other, there = parts(theirs)
    fail(name, sformat("rank %d calls %s at %s, and rank %d calls %s at %s; wanted the same call everywhere", here,
      what, where, rank, other, there))
  end

  --- Compares the call of all ranks of a group. `about`: further arguments that must agree, as text.
  function shared.check(name, group, array, about, limit)
    if group.size == 1 or group.is_local or not is_on() then return end
    local mine = record(name, about or "", array)
    local mine_what = parts(mine)
    for k, theirs in ipairs(core.distributed_share(name, group.number, mine, limit)) do
      if parts(theirs) ~= mine_what then differ(name, group.ranks[group.rank + 1], mine, group.ranks[k], theirs) end
    end
  end

  --- What is sent and what is received, for send, recv and sendrecv: the receiver compares dtype and number.
  local HEADER_TAG = 16384

  local function header(name, array)
    local text = record("", sformat("%s of %d elements", array.dtype, array.size))
    return ma.frombuffer(text .. (name .. "\n"):rep(RECORD):sub(1, 64), "uint8", { device = "cpu" }):copy()
  end

  --- `from` goes to rank `dst` and `to` is to come from rank `src`; a rank of -1 is nobody.
  function shared.check_pair(name, group, from, dst, to, src, tag, limit)
    if group.size == 1 or group.is_local or not is_on() then return end
    local out = from and dst >= 0 and header(name, from) or nil
    local got = to and src >= 0 and ma.zeros(RECORD + 64, { dtype = "uint8", device = "cpu" }) or nil
    local kind = out and got and "sendrecv" or out and "send" or got and "recv"
    if not kind then return end
    core.distributed_wait(name, core.distributed_begin(name, group.number, kind, nil, out, got, out and dst or -1,
      got and src or -1, tag + HEADER_TAG, nil, nil, limit))
    if not got then return end
    local text = got:tobytes()
    local theirs, there = parts(text)
    local mine, here = parts(header(name, to):tobytes())
    if theirs ~= mine then
      fail(name, sformat("rank %d wants %s at %s, and rank %d gives %s at %s; wanted the same dtype and number",
        group.ranks[group.rank + 1], mine, here, group.ranks[src + 1], theirs, there))
    end
  end
end
