std = "luajit"
max_line_length = 120
max_string_line_length = false          -- texts of kernels and of other programs
self = false
cache = false
files["lua"] = { std = "lua51" }              -- README: the library loads under plain Lua
files["spec"] = { std = "+busted" }
files["examples/love"] = { globals = { "love" } }
files["spec/love"] = { std = "+busted", globals = { "love" } }
