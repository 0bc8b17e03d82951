--- What a call of a function of the core means for a function that is differentiated. A function of the library that is
--- written in Lua needs no word: it consists of such calls. There are four words:
---
---   rule        rules.lua or kernels/derivatives.def says what flows back through it
---   composite   it is made of other calls
---   constant    its result does not change with its argument, but by steps
---   none        it has no derivative: a call over an array that is differentiated is an error
---
--- A function that is not listed here and has no rule has none.

local composite = [[
  core.hold core.held keep fuse() stencil core.where_checked core.elementwise
]]

local constant = [[
  argsort core.argsort argpartition argmin argmax nanargmin nanargmax any all count_nonzero nonzero flatnonzero argwhere
  unravel_index ravel_multi_index broadcast_shapes dims same_shape core.device_of core.gap core.is_whole core.search
  core.changes core.way core.histogram core.member core.tally device core.fault_raise empty_like zeros_like ones_like
  promote_types result_type can_cast issubdtype isdtype min_scalar_type iinfo finfo core.flush eval :eval core.elements
  core.ones_later core.repeat_deferred core.shown core.sparse_expand core.sparse_look index synchronize core.describe
  core.is_array core.is_number
]]

return function(core, rules, rows)
  local words = {}
  for name in composite:gmatch "%S+" do words[name] = "composite" end
  for name in constant:gmatch "%S+" do words[name] = "constant" end

  local INDEX = { ["index(a, key)"] = ":index", ["index(a, key, value)"] = "index=", ["index(a, ...)"] = "index()" }

  --- The word of a function of the core, by the name under which it is recorded.
  local function word_of(name)
    if words[name] then return words[name] end
    if rules[name] then return "rule" end
    return core.opcode(name) and "rule" or "none"
  end

  --- The handler of a function: true for one that runs as it is, since its parts are recorded.
  local function find(name, text)
    name = name == ":index" and INDEX[text] or name
    if rules[name] then return rules[name] end
    if words[name] then return true end
    if core.opcode(name) or rows.pairs[name] then return true end
    return rules.none(name)
  end

  return { find = find, word_of = word_of, words = words }
end
