# SPDX-License-Identifier: Apache-2.0
# Debian packages, which `cpack -G DEB` makes in a build folder: dragoman, and libdragoman-dev with
# the shared library and its headers. scripts/deb.sh builds all that they hold, and calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dragoman)
set(CPACK_PACKAGE_VENDOR "The Dragoman Authors")
set(CPACK_PACKAGE_CONTACT "The Dragoman Authors <dragoman@packages.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian/compress_manuals.cmake")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dragoman)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "cmake, g++, libdnnl-dev")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"Converts models between ONNX, TorchScript, torch.export, TensorFlow, TVM Relax
and TVM Relay, compares their graphs, and generates C++ programs that call
oneDNN. Compiling these needs the packages that are recommended.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdragoman-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"Reads, rewrites, compares and writes models of ONNX, TorchScript,
torch.export, TensorFlow, TVM Relax and TVM Relay. The package holds the shared
library, its headers, and what find_package(dragoman) of CMake finds.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")

# What Debian's policy asks of each package: a copyright file and a changelog, compressed.
string(TIMESTAMP packaging_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(folder "${PROJECT_BINARY_DIR}/debian/${package}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in" "${folder}/changelog" @ONLY)
  install(CODE "execute_process(COMMAND gzip -9nkf \"${folder}/changelog\"
                                COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  install(FILES "${folder}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}"
    COMPONENT ${component})
  install(FILES cmake/debian/copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}"
    COMPONENT ${component})
endforeach()

include(CPack)
