--- Holds derivatives of random programs against differences: luajit scripts/fuzz_grad.lua [programs] [first seed].

package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path

local fuzz = require "spec.grad.grad_fuzz"
local count, first = tonumber(arg[1]) or 2000, tonumber(arg[2]) or 1
local failed = 0

for seed = first, first + count - 1 do
  local ok, why = pcall(fuzz.check, seed, 4 + seed % 12)
  if not ok or why then
    failed = failed + 1
    print(ok and why or ("seed %d: %s"):format(seed, tostring(why)))
    if failed == 10 then break end
  end
end
print(("%d programs, %d failed"):format(count, failed))
os.exit(failed == 0 and 0 or 1)
