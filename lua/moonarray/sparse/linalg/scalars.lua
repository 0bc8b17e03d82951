--- The scalar arithmetic of a step, where it is too much for operators on arrays. It is a text in Lua that reads and
--- writes s.NAME. On the CPU the text becomes a function of a table. On a GPU it becomes a kernel of one thread that
--- works on an array, so that a step waits for nothing.

local sformat, concat = require("moonarray.text").format, table.concat

return function(ma, system)
  local scalars = {}

  --- The names s.NAME in the text, in the order in which they appear.
  local function names_of(parts)
    local list, at = {}, {}
    for _, part in ipairs(parts) do
      for name in part.text:gmatch("%f[%w]s%.([%a_][%w_]*)") do
        if not at[name] then
          list[#list + 1] = name
          at[name] = #list
        end
      end
    end
    return list, at
  end

  --- The kernel's text of a part. Sizes are the roots of squares that were computed before. `idle` are the values of
  --- factors after the method has ended.
  local function kernel_text(part, at, factors)
    local lines, idle = {}, {}
    for _, name in ipairs(part.sizes) do lines[#lines + 1] = sformat("s.%s = math.sqrt(%s[1])", name, name) end
    lines[#lines + 1] = part.text
    for _, name in ipairs(part.factors) do
      lines[#lines + 1] = sformat("f[%d] = s.%s", factors[name], name)
      if part.idle[name] then idle[#idle + 1] = sformat("f[%d] = %s", factors[name], part.idle[name]) end
    end
    local text = sformat("function(s, f, %s)\nif s.istop == 0 then\n%s\nelse\n%s\nend\nend", concat(part.sizes, ", "),
      concat(lines, "\n"), concat(idle, "\n"))
    return (text:gsub("%f[%w]s%.([%a_][%w_]*)", function(name) return sformat("s[%d]", at[name]) end))
  end

  --- Compiles the scalar arithmetic of a method, in parts. A part has a text, the names of `sizes`, which are 2-norms
  --- of vectors that it reads, and of `factors` of vectors, which it writes. The method ends when s.istop is not 0.
  function scalars.program(name, parts)
    local program = { name = name, parts = parts, run = {} }
    program.names, program.at = names_of(parts)
    for k, part in ipairs(parts) do program.run[k] = assert(loadstring("local s = ...\n" .. part.text, "=" .. name)) end
    return program
  end

  local function kernels_of(program)
    if not program.kernels then
      program.factors, program.kernels = {}, {}
      local count = 0
      for _, part in ipairs(program.parts) do
        for _, name in ipairs(part.factors) do
          count = count + 1
          program.factors[name] = count
        end
      end
      for k, part in ipairs(program.parts) do
        program.kernels[k] = ma.jit.rawkernel(kernel_text(part, program.at, program.factors),
          { name = program.name, check = false })
      end
      program.count = count
    end
    return program.kernels
  end

  --- The scalars of a solution on the CPU. The factors are in the table `of`.
  local function on_host(program, first)
    local state = { of = first }
    function state.length(key, x)
      first[key] = system.norm(x):item()
      return first[key]
    end
    function state.run(k) program.run[k](first) end
    function state.read() return first end
    return state
  end

  --- The same on a GPU, where each factor and each square of a size is an array of one element.
  local function on_device(self, program, first)
    local kernels = kernels_of(program)
    local list, on = {}, { dtype = system.real_of(self.dtype), device = self.device }
    for k, name in ipairs(program.names) do list[k] = first[name] end
    local s = ma.array(list, { dtype = "float64", device = self.device })
    local f = ma.zeros(program.count, on)
    local state, squares, arguments = { of = {} }, {}, {}
    for name, k in pairs(program.factors) do
      state.of[name] = f[{ { k, k } }]
      state.of[name]:fill(first[name])
    end
    for k, part in ipairs(program.parts) do
      arguments[k] = { s, f }
      for j, name in ipairs(part.sizes) do
        squares[name] = squares[name] or ma.zeros(1, on)
        arguments[k][j + 2] = squares[name]
      end
    end
    function state.length(key, x) return squares[key]:assign(system.real(system.inner(self, x, x))) end
    function state.run(k) kernels[k](1, 1, arguments[k]) end
    function state.read()
      local values, now = s:totable(), {}
      for k, name in ipairs(program.names) do now[name] = values[k] end
      return now
    end
    return state
  end

  --- The scalars of a solution, which begin with the values in the table `first`. `.of` has the factors. .length(key,
  --- x) sets a size to the 2-norm of x; it returns the norm on the CPU, and its square on a GPU. .run(k) runs a part.
  --- .read() returns all scalars as numbers, which waits.
  function scalars.begin(self, program, first)
    if self.on_host then return on_host(program, first) end
    return on_device(self, program, first)
  end

  return scalars
end
