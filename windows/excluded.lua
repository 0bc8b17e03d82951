--- Tests that are not run under Wine, by spec and name, with the reason. "*": the whole file.

return {
  binding_spec = {
    ["exports one symbol"] = "reads ELF; windows_spec reads the DLL",
    ["loads in a coroutine that dies"] = "runs this system's lua5.1",
  },
  cache_spec = {
    ["MOONARRAY_DUMP writes through no link"] = "makes links and a FIFO",
  },
  dlpack_python_spec = { ["*"] = "loads the module into this system's Python, which loads no DLL" },
  docs_spec = {
    ["have links that lead somewhere"] = "opens folders as files, which Windows refuses; the links are the same there",
  },
  embed_spec = {
    ["serves a host that embeds Lua"] = "builds a program of this system, which loads no DLL",
    ["the C interface"] = "builds a library of this system",
  },
  intrinsics_spec = {        -- of the compiler's mathematics: sin of 1e9, erfc, the sign of modf's zero
    ["of f with the result f give"] = "mingw's sin, cos and erfc of floats",
    ["of d with the result d give"] = "mingw's sin, cos, acosh, lgamma and exp10",
  },
  kernel_faults_spec = {
    ["a thread has half a megabyte of locals"] = "132 KiB here; windows_spec has them",
    ["while a kernel is made is said as such"] = "preloads a library of this system",
    ["gives the same bits by gcc and by clang"] = "sanitizers, which mingw-w64 has not",
  },
  libraries_spec = {
    ["that are missing are named"] = "hides this system's libraries; windows_spec has the messages",
    ["are the one that MOONARRAY_BLAS names"] = "names libm.so.6",
    ["may have 64-bit integers"] = "names a library of this system",
  },
  wavfile_spec = {
    ["is read and written at the place of an open file"] = "reads a pipe's FILE; a pipe is a table here (busted.lua)",
  },
  profiler_spec = {
    ["sleeps until Ctrl-C"] = "sends a signal",
    ["are told to a profiler"] = "builds a shared object of this system",
    ["shows itself on a terminal"] = "has a terminal of this system",
  },
  output_spec = {
    ["stays: permissions, owner and group"] = "modes and owners, which Windows has not",
    ["is the umask's for a new one"] = "a umask, which Windows has not",
    ["stays, and its target is replaced"] = "links of this system, which Wine shows as what they lead to",
    ["to nothing yet gets its target"] = "links of this system, which Wine shows as what they lead to",
    ["/dev/stdout, as a pipe and as a file"] = "a path that Windows has not",
    ["on a disk without room for both"] = "a mount that Wine's server, which opens files, stands outside of",
  },
  process_spec = {
    ["opens and closes the module's library as it likes"] = "calls dlopen",
    ["a forked child"] = "forks",
  },
}
