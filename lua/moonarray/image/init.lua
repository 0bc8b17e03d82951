--- ma.image: pictures as arrays of (height, width) or (height, width, channels), with 1 to 4 channels: grey, grey and
--- alpha, RGB, RGBA.

return function(ma, core)
  for _, part in ipairs { "files", "colours", "show", "animation" } do require("moonarray.image." .. part)(ma, core) end
end
