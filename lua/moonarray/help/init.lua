--- ma.help: what a function does. The rest of this folder is loaded when it is first asked.
--# devices

return function(ma, core)
  local show

  --> help: ma.help "linalg.svd"
  core.def("help(what?: any)",
    "Prints what a function does, with an example, and every other function whose name contains "
    .. "the text; for other words, such as \"blur an image\", functions and pages about them. what: a name as "
    .. "\"linalg.svd\", \"a:reshape\", \"stream:record\" or \"linalg\", or a function, a method, an object or a module "
    .. "itself.", function() end)

  -- In place of what core.def made, which would take a module for a table of options.
  rawset(ma, "help", function(what)
    show = show or require "moonarray.help.show" (ma, core)
    print(show(what))
  end)
end
