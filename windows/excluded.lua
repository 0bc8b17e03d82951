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
  intrinsics_spec = {        -- of the compiler's own mathematics: sin of 1e9, ilogb of NaN, erfc, the sign of modf's zero
    ["of f with the result i give"] = "mingw's ilogb of NaN",
    ["of d with the result i give"] = "mingw's ilogb of NaN",
    ["of f with the result f give"] = "mingw's sin, cos and erfc of floats",
    ["of d with the result d give"] = "mingw's sin, cos, acosh, lgamma and exp10",
  },
  libraries_spec = {
    ["are the one that MOONARRAY_BLAS names"] = "names libm.so.6",
    ["may have 64-bit integers"] = "names a library of this system",
  },
  wavfile_spec = {
    ["is read and written at the place of an open file"] = "reads a pipe's FILE, which the specs' shell has not",
  },
  process_spec = { ["*"] = fork },
}
