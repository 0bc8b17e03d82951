--- ma.love: arrays in games of LÖVE: views of its Data, canvases as arrays, pictures and vertices out of arrays.

return function(ma, core)
  --- A module of LÖVE, such as "graphics".
  local function module(name, which)
    local love = rawget(_G, "love")
    if type(love) == "table" and love[which] then return love[which] end
    core.fail(name, type(love) == "table"
      and ("love." .. which .. " is not loaded; wanted it (t.modules in conf.lua turns modules off, and a thread " ..
        "loads them by require \"love." .. which .. "\")")
      or "there is no LÖVE here; wanted a program that LÖVE 11 runs, with its global 'love'")
  end

  for _, part in ipairs { "views", "pictures", "canvases" } do require("moonarray.love." .. part)(ma, core, module) end
end
