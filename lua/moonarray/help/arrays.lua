--- Examples of the functions of moonarray itself that make, shape, join and index arrays, for ma.help and the
--- reference. A line is an example: `NAME(arguments)` is the call of moonarray.NAME, `NAME ...: code` an expression or
--- statements for the names before the colon, whose results are shown; lines that begin with spaces go on, and names
--- go on behind a backslash. A line `= words` says what to see of an example that prints nothing, and lines `> text`
--- what one prints that does not run everywhere.
--- scripts/reference.lua runs them, and spec/docs/reference_spec.lua.
return [[
zeros({2, 3})
zeros_like(ma.range(1, 3))
ones({2, 2}, "int32")
ones_like(ma.range(1, 3))
full({2, 2}, 7)
full_like(ma.range(1, 3), 9)
empty: ma.empty({2, 3}).shape[2]
empty_like: ma.empty_like(ma.ones(3, "int8")).dtype
eye(3)
identity(2, "int64")
arange(2, 10, 3)
range(2, 8, 3)
linspace(0, 1, 5)
logspace(0, 3, 4)
geomspace(1, 8, 4)
array({{1, 2}, {3, 4}}, "float32")
asarray({1, 2, 3}, "int64")
asanyarray({1, 2, 3})
asarray_chkfinite({1, 2, 3})
ascontiguousarray: ma.ascontiguousarray(ma.ones({2, 3}).T).is_contiguous
asfortranarray: ma.asfortranarray(ma.ones({2, 3})).strides[1]
require: ma.require({1, 2}, "float32", "C")
copy(ma.range(1, 3))
frombuffer("\1\2\3", 3, "uint8")
fromffi: local ffi = require "ffi"
  return ma.fromffi(ffi.new("struct { double x, y; }[2]", {{1, 2}, {3, 4}}), "x", {device = "cpu"})
fromfunction(function(i, j) return i * 10 + j end, {2, 3})
fromiter: ma.fromiter(ma.range(1, 3):each(), "float64")
fromstring("1 2 3", "float64", {sep = " "})
fromfile: local name = os.tmpname()
  ma.range(1, 3):tofile(name)
  local a = ma.fromfile(name, "int64")
  os.remove(name)
  return a
meshgrid({1, 2}, {3, 4, 5})
mgrid({1, 2}, {1, 3})
ogrid({1, 2}, {1, 3})
r_({1, 2}, 5, {7})
c_({1, 2}, {3, 4})
ix_({1, 3}, {2, 4})
index: ma.range(10, 50, 10)[ma.index {1, 3, 5}]
indices({2, 3})
tri(3)
tril({{1, 2}, {3, 4}})
triu({{1, 2}, {3, 4}})
diag({1, 2, 3})
diagflat({{1, 2}, {3, 4}})
diagonal(ma.array {{1, 2}, {3, 4}})
diag_indices(3)
diag_indices_from(ma.ones({2, 2}))
tril_indices(2)
tril_indices_from(ma.ones({2, 2}))
triu_indices(2)
triu_indices_from(ma.ones({2, 2}))
mask_indices(2, ma.triu)
vander({1, 2, 3}, 3)
bartlett(5)
blackman(5)
hamming(5)
hanning(5)
kaiser(5, 14)
reshape(ma.range(1, 6), {2, 3})
ravel({{1, 2}, {3, 4}})
flatten({{1, 2}, {3, 4}})
transpose({{1, 2, 3}, {4, 5, 6}})
permute_dims: ma.permute_dims(ma.ones({2, 3, 4}), {3, 1, 2}).shape[1]
matrix_transpose({{1, 2}, {3, 4}})
swapaxes({{1, 2}, {3, 4}}, 1, 2)
moveaxis: ma.moveaxis(ma.ones({2, 3, 4}), 1, 3).shape[3]
rollaxis: ma.rollaxis(ma.ones({2, 3, 4}), 3).shape[1]
expand_dims({1, 2}, 1)
squeeze(ma.ones({1, 3}))
atleast_1d(5)
atleast_2d({1, 2})
atleast_3d: ma.atleast_3d({1, 2}).ndim
broadcast_to({1, 2}, {2, 2})
broadcast_arrays({1, 2}, {{3}, {4}})
broadcast_shapes: ma.broadcast_shapes({2, 1}, {3})[2]
concatenate({{1, 2}, {3}})
concat({{1, 2}, {3}})
stack({{1, 2}, {3, 4}})
hstack({{1, 2}, {3}})
vstack({{1, 2}, {3, 4}})
dstack({{1, 2}, {3, 4}})
row_stack({{1, 2}, {3, 4}})
column_stack({{1, 2}, {3, 4}})
block({{ma.ones({2, 2}), ma.zeros({2, 1})}})
split: unpack(ma.split(ma.range(1, 4), 2))
array_split: unpack(ma.array_split(ma.range(1, 5), 2))
hsplit: unpack(ma.hsplit(ma.range(1, 4), 2))
vsplit: unpack(ma.vsplit({{1, 2}, {3, 4}}, 2))
dsplit: #ma.dsplit(ma.ones({2, 2, 4}), 2)
unstack({{1, 2}, {3, 4}})
tile({1, 2}, 2)
repeat_({1, 2}, 2)
flip({1, 2, 3})
fliplr({{1, 2}, {3, 4}})
flipud({{1, 2}, {3, 4}})
roll({1, 2, 3}, 1)
rot90({{1, 2}, {3, 4}})
resize({1, 2, 3}, {2, 2})
append({1, 2}, {3})
insert({1, 2, 3}, 2, 9)
delete({1, 2, 3}, 2)
trim_zeros({0, 0, 1, 2, 0})
pad({1, 2}, 1)
shape: ma.shape({{1, 2, 3}})[2]
size({{1, 2, 3}})
ndim({{1, 2, 3}})
dims: ma.ones({2, 3}):dims()
lib.stride_tricks.as_strided(ma.range(1, 4), {3, 2}, {8, 8})
lib.stride_tricks.sliding_window_view(ma.range(1, 4), 2)
take(ma.array {10, 20, 30}, {1, 3})
take_along_axis(ma.array {{3, 1}, {2, 4}}, {{2}, {1}}, 2)
put: ma.array({1, 2, 3}):put({1, 3}, {7, 9})
put_along_axis: local a = ma.zeros({2, 2})
  ma.put_along_axis(a, {{2}, {1}}, 5, 2)
  return a
putmask: local a = ma.range(1, 4)
  ma.putmask(a, a:gt(2), 0)
  return a
place: local a = ma.range(1, 4)
  ma.place(a, a:gt(2), {8, 9})
  return a
copyto: local a = ma.zeros(2)
  ma.copyto(a, {1, 2})
  return a
fill_diagonal: local a = ma.zeros({2, 2})
  ma.fill_diagonal(a, 3)
  return a
extract(ma.array {true, false, true}, {1, 2, 3})
compress({true, false, true}, {1, 2, 3})
choose({1, 2, 1}, {{1, 2, 3}, {10, 20, 30}})
select({ma.array {true, false}}, {{1, 2}}, 9)
where(ma.array {true, false}, {1, 2}, {10, 20})
piecewise: ma.piecewise(ma.array {-1, 2}, {ma.array {true, false}}, {function(x) return -x end, 0})
nonzero({0, 3, 4})
flatnonzero({0, 3, 4})
argwhere({0, 3, 4})
count_nonzero({0, 3, 4})
ravel_multi_index({{1, 2}, {2, 3}}, {2, 3})
unravel_index({2, 6}, {2, 3})
each: local sum = 0
  for v in ma.range(1, 3):each() do sum = sum + v end
  return sum
rows: local n = 0
  for _, row in ma.ones({2, 3}):rows() do n = n + row.size end
  return n
blocks: local list = {}
  for lo, hi in ma.blocks(5, 2) do list[#list + 1] = lo .. "-" .. hi end
  return table.concat(list, " ")
fill: ma.zeros(2):fill(4)
assign: ma.zeros(2):assign({1, 2})
iadd: ma.ones(2):iadd(3)
isub: ma.ones(2):isub(3)
imul: ma.full(2, 2):imul(3)
idiv: ma.full(2, 3):idiv(2)
ipow: ma.full(2, 3):ipow(2)
iadd_at: ma.zeros(3):iadd_at(ma.index {1, 1, 3}, 1)
scatter_add: ma.zeros(3):scatter_add(ma.index {1, 1, 3}, {1, 2, 3})
scatter_max: ma.zeros(3):scatter_max(ma.index {1, 1, 3}, {1, 2, 3})
scatter_min: ma.ones(3):scatter_min(ma.index {1, 1, 3}, {1, 2, -3})
item: ma.array({7}):item()
totable: ma.range(1, 3):totable()[2]
tolist: ma.range(1, 3):tolist()[2]
astype(ma.array {1.7, 2.2}, "int32")
view: ma.array({1, 2}, "float32"):view("int32")
byteswap: ma.array({1}, "int16"):byteswap()
to(ma.array {1, 2}, "cpu")
to_device(ma.array {1, 2}, "cpu")
get: ma.ones(2):get()
get_async: ma.ones(2):get_async():get()
set_async: ma.zeros(2):set_async(ma.numpy.ones(2))
asnumpy({1, 2})
free: local a = ma.ones(2)
  a:free()
  return a
keep: local kept
  ma.scope(function() kept = ma.keep(ma.ones(2)) end)
  return kept
scope: ma.scope(function() return ma.ones(2) + 1 end)
eval: ma.eval(ma.ones(2) + 1)
iterate: ma.iterate(3, function(x) return x * 2 end, ma.ones(2))
map: pcall(ma.map, ma.ones(2), print)
same_shape(ma.ones(2), ma.zeros(2))
dumps: #ma.ones(2):dumps()
loads: ma.loads(ma.ones(2):dumps())
save load: local name = os.tmpname() .. ".npy"
  ma.save(name, ma.range(1, 3))
  local a = ma.load(name)
  os.remove(name)
  return a
savez savez_compressed: local name = os.tmpname() .. ".npz"
  ma.savez(name, {x = ma.ones(2), y = ma.zeros(2)})
  local x = ma.load(name).x
  os.remove(name)
  return x
savetxt loadtxt: local name = os.tmpname()
  ma.savetxt(name, {{1, 2}, {3, 4}})
  local a = ma.loadtxt(name)
  os.remove(name)
  return a
genfromtxt: local name = os.tmpname()
  local file = io.open(name, "w")
  file:write("1,2\n3,\n")
  file:close()
  local a = ma.genfromtxt(name, {delimiter = ","})
  os.remove(name)
  return a
loadt7: local name = os.tmpname()
  local file = io.open(name, "w")
  file:write("1\n42\n")
  file:close()
  local number = ma.loadt7(name)
  os.remove(name)
  return number
tofile: local name = os.tmpname()
  ma.range(1, 3):tofile(name)
  local file = io.open(name, "rb")
  print(#file:read("*a"))
  file:close()
  os.remove(name)
tobytes: #ma.ones(2):tobytes()
export import: ma.import(ma.export(ma.ones(2)))
revoke: ma.revoke(ma.export(ma.ones(2)))
to_dlpack from_dlpack :dlpack: ma.from_dlpack(ma.ones(2):to_dlpack())
:data: ma.ones(2, {device = "cpu"}):data()[1]
:ptr: type(ma.ones(2):ptr())
:eval: (ma.ones(2) + 1):eval()
:compress: ma.range(1, 3):compress {true, false, true}
:copy: ma.range(1, 3):copy()
:sort: ma.array({3, 1, 2}):sort()
:partition: ma.array({3, 1, 2}):partition(1)(1)
array2string({1, 2.5})
array_str({1, 2.5})
array_repr({1, 2.5})
format_float_positional(0.1)
format_float_scientific(0.1)
base_repr(10, 2)
binary_repr(10)
set_printoptions: ma.set_printoptions {precision = 3}
  print(ma.array {math.pi})
  ma.set_printoptions {precision = 8}
get_printoptions: ma.get_printoptions().precision
printoptions: ma.printoptions({precision = 2}, function() return tostring(ma.array {1 / 3}) end)
]]
