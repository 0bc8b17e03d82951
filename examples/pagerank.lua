-- Ranks the nodes of a directed graph by PageRank: how often a walk comes by that follows an edge of its node with
-- probability d, and else begins anew anywhere.
-- usage: luajit examples/pagerank.lua [EDGES] [d]
-- EDGES: a text with an edge a line, two names with a space between; # begins a comment. The program is the same on a
-- GPU and on the CPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local sparse = ma.sparse

local path = arg and arg[1] or "examples/pagerank_edges.txt"
local d = tonumber(arg and arg[2]) or 0.85

-- Names become numbers in the order in which they come.
local names, number, from, to = {}, {}, {}, {}
local function node(name)
  if not number[name] then
    names[#names + 1] = name
    number[name] = #names
  end
  return number[name]
end
for line in io.lines(path) do
  local a, b = line:gsub("#.*", ""):match("(%S+)%s+(%S+)")
  if a then from[#from + 1], to[#to + 1] = node(a), node(b) end
end
local n = #names

-- Column j of P has the probabilities of the steps from node j. An edge that comes twice counts twice.
local out = ma.zeros(n)
from, to = ma.array(from, "int64"), ma.array(to, "int64")
out:iadd_at(from, 1)
local P = sparse.coo_matrix({ 1 / out:take(from), { to, from } }, { shape = { n, n } }):tocsr()
local ends = out:eq(0)                            -- a walk that comes to a node without edges begins anew

local rank = ma.full(n, 1 / n)
local steps, change = 0, 1
while change > 1e-10 and steps < 1000 do
  local stuck = (rank * ends):sum()
  local next_rank = d * (P:matmul(rank) + stuck / n) + (1 - d) / n
  change = ma.abs(next_rank - rank):sum():item()
  rank, steps = next_rank, steps + 1
end

-- The same as a system of equations, whose matrix is not symmetric. Its columns have one sum, for which bicgstab, that
-- begins with equal numbers, breaks down.
local stop = ma.where(ends, d / n, 0)
local A = sparse.linalg.LinearOperator({ n, n }, function(x)
  return x - d * P:matmul(x) - (stop * x):sum()
end, { dtype = "float64" })
local solved, info = sparse.linalg.gmres(A, ma.full(n, (1 - d) / n), { rtol = 1e-12 })
assert(info == 0, "gmres did not converge")

local parts = sparse.csgraph.connected_components(P, { connection = "strong", return_labels = false })
print(("%d nodes, %d edges, %d strong components; %d steps"):format(n, from.size, parts, steps))
print(("sum %.6f, largest difference from the equations' solution %.0e"):format(rank:sum():item(),
  ma.abs(rank - solved):max():item()))
local order = ma.argsort(-rank):totable()
for place = 1, math.min(10, n) do
  local v = tonumber(order[place])
  print(("%2d  %-12s %.4f"):format(place, names[v], rank(v)))
end
