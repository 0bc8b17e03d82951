--- Examples of moonarray.plot, wavfile, hdf5 and love, for ma.help and the reference (help/arrays.lua says how they are
--- written): the same for axes and figures. A line that begins with `love` needs LÖVE, one with `hdf5` libhdf5.
local lines = { [[
plot.figure: ma.plot.figure {width = 64, height = 48}
plot.subplots: local fig, axes = ma.plot.subplots(1, 2)
  axes[1]:plot({1, 4, 9})
  return #axes
plot.Figure.subplot: ma.plot.figure():subplot(1, 2, 1):plot({1, 4, 9})
plot.Figure.suptitle: ma.plot.figure():suptitle("Squares")
plot.Figure.to_image: ma.plot.figure({width = 64, height = 48}):to_image().shape[1]
plot.Figure.to_svg: ma.plot.figure({width = 64, height = 48}):to_svg():sub(1, 4)
plot.Figure.to_text: #ma.plot.figure():plot({1, 4, 9}):to_text() > 0
plot.Figure.show: ma.plot.figure():plot({1, 4, 9}):show({columns = 30, rows = 8, style = "ascii"})
plot.line: ma.plot.line({1, 2, 3}, {1, 4, 9}, {title = "Squares"})
plot.scatter: ma.plot.scatter({1, 2, 3}, {1, 4, 9})
plot.bar: ma.plot.bar({"a", "b"}, {1, 2})
plot.hist: ma.plot.hist({1, 2, 2, 5}, 3)
plot.heatmap: ma.plot.heatmap({{1, 2}, {3, 4}})
plot.animation: local name = os.tmpname() .. ".gif"
  local n = ma.plot.animation(name, 2, function(k) return ma.full({4, 4}, k, "uint8") end)
  os.remove(name)
  return n
image.animation image.Animation.add image.Animation.close: local name = os.tmpname() .. ".gif"
  local animation = ma.image.animation(name)
  animation:add(ma.zeros({4, 4}, "uint8"))
  local n = animation:close()
  os.remove(name)
  return n
image.write_animation: local name = os.tmpname() .. ".png"
  local n = ma.image.write_animation(name, ma.zeros({2, 4, 4}, "uint8"))
  os.remove(name)
  return n
plot.Figure.save: local name = os.tmpname() .. ".png"
  ma.plot.figure({width = 64, height = 48}):plot({1, 4, 9}):save(name)
  local pixels = ma.image.read(name)
  os.remove(name)
  return pixels.shape
wavfile.encode wavfile.decode: local rate, samples = ma.wavfile.decode(ma.wavfile.encode(8000, ma.zeros(4, "int16")))
  return rate
wavfile.write wavfile.read: local name = os.tmpname() .. ".wav"
  ma.wavfile.write(name, 8000, ma.zeros(4, "int16"))
  local rate, samples = ma.wavfile.read(name)
  os.remove(name)
  return samples
hdf5 hdf5.write hdf5.list hdf5.read: local name = os.tmpname() .. ".h5"
  ma.hdf5.write(name, {x = ma.ones(2)})
  local sets, x = ma.hdf5.list(name), ma.hdf5.read(name, "x")
  os.remove(name)
  return sets[1].name, x
> x	[1. 1.]
> (2,) float64, cpu
love love.picture: local picture = ma.love.picture(ma.random.random({64, 64}))
  function love.draw() picture:draw(10, 10) end
= It prints nothing: it shows random grey in the window.
love love.view: ma.love.view(love.image.newImageData(64, 64)).shape
> (64, 64, 4)
love love.vertices: local v = ma.love.vertices(mesh)
  v.VertexPosition:iadd(1)
  v:upload()
  return mesh:getVertexAttribute(1, 1)
> 1	1
love love.sound: love.audio.newSource(ma.love.sound(ma.sin(ma.arange(44100) / 16))):play()
> true
]] }

-- A method of axes and of figures: its name and its arguments.
local methods = [[
plot({1, 2, 3}, {1, 4, 9}, "r--o", {label = "squares"})
semilogx({1, 10, 100}, {1, 2, 3})
semilogy({1, 2, 3}, {1, 10, 100})
loglog({1, 10, 100}, {1, 10, 100})
scatter({1, 2, 3}, {1, 4, 9})
fill_between({1, 2, 3}, {1, 4, 9})
axhline(2)
axvline(2)
axis("equal")
grid()
legend("upper right")
text(1, 2, "here")
title("Squares")
xlabel("x")
ylabel("y")
xlim(0, 4)
ylim(0, 10)
xscale("log")
yscale("log")
xticks({1, 2, 3})
yticks({1, 4, 9})
bar({1, 2, 3}, {1, 4, 9})
barh({1, 2, 3}, {1, 4, 9})
hist({1, 2, 2, 5}, 3)
step({1, 2, 3}, {1, 4, 9})
errorbar({1, 2, 3}, {1, 4, 9}, 0.5)
imshow({{1, 2}, {3, 4}})
heatmap({{1, 2}, {3, 4}})
invert_xaxis()
invert_yaxis()
]]
for name, arguments in methods:gmatch("([%w_]+)(%b())") do
  lines[#lines + 1] = ("plot.Axes.%s: ma.plot.figure():subplot(1, 1, 1):%s%s"):format(name, name, arguments)
  lines[#lines + 1] = ("plot.Figure.%s: ma.plot.figure():%s%s"):format(name, name, arguments)
end
for class, made in pairs { Axes = "local axes = ma.plot.figure():subplot(1, 1, 1)",
  Figure = "local axes = ma.plot.figure()" } do
  lines[#lines + 1] = ("plot.%s.colorbar: %s\n  axes:imshow({{1, 2}, {3, 4}})\n  return axes:colorbar()")
    :format(class, made)
end

return table.concat(lines, "\n") .. "\n"
