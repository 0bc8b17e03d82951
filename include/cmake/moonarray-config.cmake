# find_package(moonarray) gives the target moonarray::moonarray: the folder of moonarray.h. There is nothing to link.
# The header includes Lua's headers, which the program has from the Lua or LuaJIT that it embeds.
find_path(moonarray_INCLUDE_DIR moonarray.h
  PATHS "${CMAKE_CURRENT_LIST_DIR}/../../../include" "${CMAKE_CURRENT_LIST_DIR}/.." NO_DEFAULT_PATH)
if(NOT moonarray_INCLUDE_DIR)
  set(moonarray_FOUND FALSE)
  set(moonarray_NOT_FOUND_MESSAGE "moonarray.h is not where make install puts it")
elseif(NOT TARGET moonarray::moonarray)
  add_library(moonarray::moonarray INTERFACE IMPORTED)
  set_target_properties(moonarray::moonarray PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${moonarray_INCLUDE_DIR}")
endif()
