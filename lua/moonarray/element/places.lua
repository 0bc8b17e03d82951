--- The places of a function that draw random numbers, and the turns of the loops around them. A place has a draw of
--- the generator, of which each turn takes other words. The turn is the number of the loop's repetition, from 0; with a
--- loop around it, it is the turn of that one times a factor, plus the repetition. All forms of a function count so,
--- whether an element was there or not.

local COUNT = 2 ^ 26                     -- different turns: kernels/random/element.h multiplies them by 64, in 32 bits
local places = { FACTOR = 41475559 }     -- odd, and near the golden section of that, so that few loops meet

--- The turn of a loop's repetition, in a turn of the loops around it.
function places.within(around, repetition) return (around * places.FACTOR + repetition) % COUNT end

-- Where the function is that runs over its syntax tree: the calls that led there, and the turn.
local at, turn, count = nil, 0, 0

function places.here() return at, turn end

--- Goes where `here` was; returns what follows.
function places.back(to, in_turn, ...)
  at, turn = to, in_turn
  return ...
end

--- Calls f, which a node calls; nil: it may be called more than once, and each call has places of its own.
function places.call(node, f, ...)
  local before = at
  node = node or {}
  if not at[node] then
    count = count + 1
    at[node] = { number = count }
  end
  at = at[node]
  return places.back(before, turn, f(...))
end

--- Begins a function that is run. What it draws has places of its own, unless it runs again.
function places.begin() at = at or { number = 0 } end

--- Where the function draws: the number of the place, from 1, and the turn.
function places.of_draw() return at.number, turn end

return places
