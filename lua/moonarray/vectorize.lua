--- ma.vectorize: an elementwise operation from a Lua function of scalars, for arguments of any types.
--# functions

return function(ma, core)
  local jit = ma.jit and core.jit        -- reading ma.jit loads both

  local options_of = { name = true, constants = true, captures = true, list = "name, constants and captures" }

  --> vectorize: ma.vectorize(function(x) return x > 1 and x or 0 end)(ma.array {1, 2, 3})
  --> = vectorized | ma.vectorize(function(x) return x + 1 end) | Called with arrays, which broadcast.
  --> . cached_code: string | the CUDA C++ of the last call
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> vectorized:captures: next(vectorized:captures()) == nil
  --> + call(...): array
  --> :prepare(...: any) -> preparation | Has what a call with these arguments needs compiled, without waiting.
  --> vectorized:prepare: ma.await(vectorized:prepare(ma.ones(2))) == vectorized
  core.def("vectorize(fn: function|string, name?: string, constants?: table; plain?: boolean, "
    .. "captures?: string[]) -> vectorized",
    "An elementwise operation from a Lua function of scalars, or from its source, compiled once for each " ..
      "combination of dtypes. plain = true calls the function for each element instead, as Lua, for a debugger. " ..
      "captures lists the names that the function may take from outside; another one is an error.",
    function(fn, name, constants, plain, captures)
      local function translated()
        local options = jit.check_options("vectorize", { name = name, constants = constants, captures = captures },
          options_of)
        local operation = jit.read("vectorize", fn, options)
        operation.shown = name or operation.tree.name or "function"
        operation.check = true
        operation.kernel_name = "vectorize_" .. operation.shown
        operation.label = ("vectorized function '%s'"):format(operation.shown)
        if #operation.tree.params == 0 then
          core.fail("vectorize", "a function without parameters; wanted one of at least one scalar")
        end
        return jit.elements.new(operation)
      end
      local own = jit.language.devices[fn] and fn.fn or fn
      if core.wants_plain(plain) and type(own) == "function" then
        local shown = name or "vectorize"
        return core.plain.beside_kernel(core.plain.vectorize(own, shown), shown, plain, translated)
      end
      if plain then core.fail("vectorize", "plain of a text; wanted a Lua function") end
      return translated()
    end)
end
