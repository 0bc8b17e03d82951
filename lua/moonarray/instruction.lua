--- Instructions of LuaJIT's bytecode by their names, where LuaJIT's jit.util and jit.vmdef are there.

local found_bit, bit = pcall(require, "bit")
local found_util, util = pcall(require, "jit.util")
local found_names, names = pcall(require, "jit.vmdef")

local instruction = { available = found_bit and found_util and found_names }

-- How an instruction uses an operand, by the numbers of LuaJIT's lj_bc.h.
instruction.DST, instruction.BASE, instruction.VAR, instruction.JUMP = 1, 2, 3, 13

--- The instruction at `pc` of a function or a prototype: `op`, its operands a, b and d, and their modes. `to`: where a
--- jump leads.
function instruction.decode(fn, pc)
  local word, mode = util.funcbc(fn, pc)
  local at, modes = 6 * bit.band(word, 0xff), { bit.band(mode, 7), bit.band(bit.rshift(mode, 3), 15),
    bit.band(bit.rshift(mode, 7), 15) }
  local i = { op = names.bcnames:sub(at + 1, at + 6):match "^%S+", a = bit.band(bit.rshift(word, 8), 0xff),
    b = bit.rshift(word, 24), d = bit.rshift(word, 16), mode_a = modes[1], mode_b = modes[2], mode_d = modes[3] }
  if i.mode_b ~= 0 then i.d = i.d % 256 end            -- an instruction with three operands
  if i.mode_d == instruction.JUMP then i.to = pc + i.d - 0x7fff end
  return i
end

return instruction
