# SPDX-License-Identifier: Apache-2.0
# dragoman_proto_library(NAME FOLDER dir)
#
# Generates every .proto under dir with protoc into the build folder. Headers are included by their
# path from the root, "proto/onnx/onnx.pb.h". Generated code is compiled without warnings.
function(dragoman_proto_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "" ${ARGN})
  set(root "${PROJECT_BINARY_DIR}/generated")
  file(GLOB_RECURSE protos CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.proto")
  file(MAKE_DIRECTORY "${root}")
  list(TRANSFORM protos PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE inputs)
  foreach(proto IN LISTS protos)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    add_custom_command(
      OUTPUT "${root}/${stem}.pb.cc" "${root}/${stem}.pb.h"
      COMMAND protobuf::protoc "--proto_path=${PROJECT_SOURCE_DIR}" "--cpp_out=${root}" "${proto}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      DEPENDS ${inputs}
      COMMENT "protoc ${proto}" VERBATIM)
    list(APPEND generated "${root}/${stem}.pb.cc" "${root}/${stem}.pb.h")
  endforeach()
  add_library(${name} STATIC ${generated})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  target_compile_options(${name} PRIVATE -w ${DRAGOMAN_ONCE_FLAGS})
  target_include_directories(${name} SYSTEM PUBLIC "${root}")
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()
