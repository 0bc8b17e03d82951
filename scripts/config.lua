-- docs/config.md from src/base/config.def. usage: luajit scripts/config.lua > docs/config.md   (make lint checks that
-- it is current)

local kinds = { STRING = "text", INT = "number", BOOL = "0 or 1", SECRET = "text" }

print [[
# Switches

Environment variables, read once, when the first of them is needed. `make lint` holds this list against `src/base/config.def`, from
which `luajit scripts/config.lua > docs/config.md` makes it. `ma.show_config()` prints what was found with them.

| variable | takes | default | what it does |
|---|---|---|---|]]
for line in io.lines("src/base/config.def") do
  local name, kind, default, doc = line:match('^SWITCH%([%w_]+, *"([%w_]+)", *(%u+), *"(.-)", *"(.*)"%)')
  if name then
    print(("| `MOONARRAY_%s` | %s | %s | %s |"):format(name, kinds[kind], default ~= "" and default or "",
      doc:gsub("|", "\\|")))
  end
end
print [[

`MOONARRAY_DEBUG` and `MOONARRAY_TRACE` write to the standard error stream. `CUDA_PATH` names the CUDA toolkit to take
NVRTC and the other libraries from, and `XDG_CACHE_HOME` the folder that the compiled kernels' folder is in, unless
`MOONARRAY_CACHE_DIR` names it.]]
