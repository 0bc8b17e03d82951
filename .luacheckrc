std = "luajit"
max_line_length = 160
self = false
cache = false
files["spec"] = { std = "+busted" }
