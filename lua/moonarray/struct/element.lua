--- Arrays of structs in functions of ma.fuse and ma.stencil: `u.x` stands for the element of a field there, and in a
--- stencil `u.x(0, 1)`. The core (src/bind/kernel/structs.c) asks for what stands in for an argument, and each run for
--- the arrays of the fields that the function reads.

local sformat = require("moonarray.text").format

return function(core)
  local structs, held = core.structs, core.held

  local StandIn = { __metatable = "struct of an element" }

  local function refuse(self, text) core.fail(held(self).name, text) end

  function StandIn.__index(self, name)
    local s = held(self)
    local field = s.struct.by[name]
    if not field then
      refuse(self, sformat("no field '%s' of %s", tostring(name), structs.text(s.struct)))
    elseif #field.shape > 0 then
      refuse(self, sformat("the field '%s' is an array; wanted a number, or a rawkernel", name))
    end
    if not s.made[name] then
      local view = core.field(s.rows, field.dtype, field.offset, field.shape)
      s.made[name] = s.element(view, { place = s.place, name = name })
      if s.readers then s.readers[s.made[name]] = true end
    end
    if s.changes then return s.made[name]() end
    return s.made[name]
  end

  function StandIn.__newindex(self, name)
    refuse(self, sformat("'%s' of a struct is set; return the value, and store it behind the call: units.%s = f(units)",
      tostring(name), tostring(name)))
  end

  function StandIn.__call(self) refuse(self, "a call of a struct; wanted one of a field, such as u.x(0)") end

  for metamethod in ("add sub mul div mod pow unm concat lt le len"):gmatch "%a+" do
    StandIn["__" .. metamethod] = function(a, b)
      local s = type(a) == "userdata" and held(a)
      refuse(s and s.made and a or b, "a struct in an operation; wanted one of its fields, such as u.x")
    end
  end

  --- The first field of an array of structs that is no array in C, and a number for its struct. `s`: what it holds.
  function core.struct_model(s)
    for _, field in ipairs(s.struct.fields) do
      if #field.shape == 0 then return core.field(s.bytes, field.dtype, field.offset, field.shape), s.struct.number end
    end
    core.fail(nil, sformat("structs %s, which have no field that is a number", structs.text(s.struct)))
  end

  --- The same for an array of structs itself; nil for another value.
  function core.model_of_structs(object)
    local s = type(object) == "userdata" and held(object)
    return s and s.bytes and core.struct_model(s)
  end

  function core.struct_field(object, name)
    local s = held(object)
    local field = s.struct.by[name]
    return core.field(s.bytes, field.dtype, field.offset, field.shape)
  end

  --- What stands in for argument `place` in a function that is recorded for ma.`name`, or that runs in its plain form:
  --- element(view) makes the element of a field then, or if `changes` a function that gives the present one.
  function core.struct_standin(object, place, name, element, changes)
    local s = held(object)
    local model = core.struct_model(s)
    return core.hold(StandIn, { struct = s.struct, rows = s.bytes, place = place, name = name, made = {},
      dtype = model.dtype, element = element or core.struct_element, changes = changes })
  end

  --- The dtype of the first field of a stand-in, or nil. `readers`: a set that gets what is called for elements.
  function core.struct_dtype(value, readers)
    local s = type(value) == "userdata" and held(value)
    if not s or not s.made then return nil end
    s.readers = readers
    return s.dtype
  end
end
