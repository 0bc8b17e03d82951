--- Tests that are not run under Wine, by spec and name, with the reason. "*": the whole file.

local fork = "forks"
return {
  binding_spec = {
    ["exports one symbol"] = "reads ELF; windows_spec reads the DLL",
    ["loads in a coroutine that dies"] = "runs this system's lua5.1",
  },
  cache_spec = {
    ["MOONARRAY_DUMP writes through no link"] = "makes links and a FIFO",
  },
  embed_spec = { ["*"] = "builds a C host for this system" },
  process_spec = { ["*"] = fork },
}
