# dragoman_library(NAME FOLDERS dir... [LINKS lib...] [EXCLUDE file...] [SOURCES file...]
#                  [OPTIONS flag...] [STANDARD 17|20])
#
# A static library of every .cc under the folders and of SOURCES. One of headers alone only passes
# on what it links.
function(dragoman_library name)
  cmake_parse_arguments(ARG "" "STANDARD" "FOLDERS;LINKS;EXCLUDE;SOURCES;OPTIONS" ${ARGN})
  if(NOT ARG_STANDARD)
    set(ARG_STANDARD 20)
  endif()
  list(TRANSFORM ARG_FOLDERS PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM ARG_FOLDERS APPEND "/*.cc")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARG_FOLDERS})
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/${file}")
  endforeach()
  list(APPEND sources ${ARG_SOURCES})

  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  dragoman_compile_settings(${name} ${scope} ${ARG_STANDARD})
  target_link_libraries(${name} ${scope} ${ARG_LINKS})
endfunction()
