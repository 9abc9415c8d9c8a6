# SPDX-License-Identifier: Apache-2.0
# libdragoman: all layers in one shared library, which shows what the headers of dragoman/ declare,
# those headers with all that they include, and the package that find_package(dragoman) finds.

# dragoman_header_closure(RESULT header...): the headers and all that they include, by their paths
# from the root.
function(dragoman_header_closure result)
  set(closure "")
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left header)
    if(header IN_LIST closure)
      continue()
    endif()
    list(APPEND closure "${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND left ${includes})
  endwhile()
  list(SORT closure)
  set(${result} "${closure}" PARENT_SCOPE)
endfunction()

# dragoman_export_map(FILE header...): a version script that exports the members of the classes, and
# the functions, that the headers name. In its patterns ? stands for a space, [^…] for what follows
# the name of a function: linkers take no other characters there.
function(dragoman_export_map output)
  set(patterns "dragoman::operator*")
  foreach(header IN LISTS ARGN)
    file(READ "${PROJECT_SOURCE_DIR}/${header}" text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REPLACE "[[nodiscard]] " "" text "${text}")
    string(REGEX MATCHALL "(class|struct) [A-Z][A-Za-z0-9]*" classes "${text}")
    # At the begin of a line: those of the namespace.
    string(REGEX MATCHALL "\n[a-zA-Z][^\n(]*[A-Za-z0-9][(]" functions "${text}")
    list(TRANSFORM classes REPLACE ".* " "")
    list(TRANSFORM functions REPLACE ".*[^A-Za-z0-9]([A-Za-z0-9]+)[(]" "\\1")
    foreach(name IN LISTS classes)
      list(APPEND patterns "dragoman::${name}::*" "dragoman::${name}?dragoman::${name}::*")
    endforeach()
    foreach(name IN LISTS functions)
      list(APPEND patterns "dragoman::${name}[^a-zA-Z0-9_:]*")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES patterns)
  list(SORT patterns)
  list(JOIN patterns ";\n      " text)
  file(CONFIGURE OUTPUT "${output}" CONTENT
       "{\n  global:\n    extern \"C++\" {\n      ${text};\n    };\n  local: *;\n};\n" @ONLY)
endfunction()

file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/dragoman/*.h")
dragoman_header_closure(library_headers ${public_headers})
set(export_map "${PROJECT_BINARY_DIR}/libdragoman.map")
dragoman_export_map("${export_map}" ${library_headers})

add_library(libdragoman SHARED)
foreach(layer runtime runtime_fast support ir ops compare analysis interpreter lowering rewrite resize
        messages proto onnx_import container_import tvm_import relax_import relay_import torch_import
        tensorflow_import export codegen layout page driver)
  target_sources(libdragoman PRIVATE $<TARGET_OBJECTS:dragoman_${layer}>)
endforeach()
target_link_libraries(libdragoman PRIVATE DNNL::dnnl Threads::Threads fmt::fmt libzip::zip
  xxHash::xxhash OpenSSL::Crypto protobuf::libprotobuf ${DRAGOMAN_BROTLI} ${DRAGOMAN_IMAGE_LIBRARIES})
# The functions of clang++'s sanitizers are in the program.
target_link_options(libdragoman PRIVATE "LINKER:--version-script=${export_map}"
  $<$<NOT:$<BOOL:${DRAGOMAN_SANITIZE}>>:LINKER:-z,defs>)
set_target_properties(libdragoman PROPERTIES
  OUTPUT_NAME dragoman LINKER_LANGUAGE CXX LINK_DEPENDS "${export_map}"
  VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

install(TARGETS libdragoman COMPONENT library)
# Headers include one another by their paths from the root.
foreach(header IN LISTS library_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  string(REGEX REPLACE "^dragoman$" "." folder "${folder}")
  install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dragoman/${folder}"
    COMPONENT library)
endforeach()

include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/dragoman")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dragomanConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/dragomanConfig.cmake" INSTALL_DESTINATION "${package_folder}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dragomanConfig.cmake"
  "${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake"
  DESTINATION "${package_folder}" COMPONENT library)
