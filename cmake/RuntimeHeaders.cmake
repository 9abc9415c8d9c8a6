# SPDX-License-Identifier: Apache-2.0
# Every header of runtime/ compiles on its own as C++17: one generated source a header, compiled
# without code as part of the build.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/runtime/*.h")
set(header_sources "")
foreach(header IN LISTS headers)
  set(source "${PROJECT_BINARY_DIR}/generated/headers/${header}.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
  list(APPEND header_sources "${source}")
endforeach()
add_library(dragoman_runtime_headers OBJECT ${header_sources})
dragoman_compile_settings(dragoman_runtime_headers PRIVATE 17)
target_compile_options(dragoman_runtime_headers PRIVATE -O0 -g0)
target_link_libraries(dragoman_runtime_headers PRIVATE DNNL::dnnl)
