# The version is that of the header. Before 1.0 a change of the second number may change the interface of Lua; that of C
# only grows.
set(moonarray_here "${CMAKE_CURRENT_LIST_DIR}/../../../include/moonarray.h")
if(NOT EXISTS "${moonarray_here}")
  set(moonarray_here "${CMAKE_CURRENT_LIST_DIR}/../moonarray.h")
endif()
file(STRINGS "${moonarray_here}" moonarray_line REGEX "define MOONARRAY_VERSION \"")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" PACKAGE_VERSION "${moonarray_line}")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
