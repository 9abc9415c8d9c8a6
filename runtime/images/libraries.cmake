# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What images are decoded by, of that which is installed. Sets DRAGOMAN_IMAGE_FORMATS and, in the
# same order, DRAGOMAN_IMAGE_FOLDERS of headers and DRAGOMAN_IMAGE_LIBRARIES. Sources know a format
# by the macro DRAGOMAN_RT_<format>; without it, its images are refused.
set(DRAGOMAN_IMAGE_FORMATS "")
set(DRAGOMAN_IMAGE_FOLDERS "")
set(DRAGOMAN_IMAGE_LIBRARIES "")
macro(dragoman_image_library format header library)
  find_path(DRAGOMAN_${format}_FOLDER ${header} PATH_SUFFIXES ${ARGN})
  find_library(DRAGOMAN_${format}_LIBRARY ${library})
  mark_as_advanced(DRAGOMAN_${format}_FOLDER DRAGOMAN_${format}_LIBRARY)
  if(DRAGOMAN_${format}_FOLDER AND DRAGOMAN_${format}_LIBRARY)
    list(APPEND DRAGOMAN_IMAGE_FORMATS ${format})
    list(APPEND DRAGOMAN_IMAGE_FOLDERS "${DRAGOMAN_${format}_FOLDER}")
    list(APPEND DRAGOMAN_IMAGE_LIBRARIES "${DRAGOMAN_${format}_LIBRARY}")
  endif()
endmacro()
dragoman_image_library(JPEG jpeglib.h jpeg)
dragoman_image_library(JPEG2000 openjpeg.h openjp2
  openjpeg-2.5 openjpeg-2.4 openjpeg-2.3 openjpeg-2.2 openjpeg-2.1)
dragoman_image_library(PNG png.h png)
dragoman_image_library(TIFF tiffio.h tiff)
dragoman_image_library(WEBP webp/decode.h webp)
# dragoman_link_image_libraries(TARGET): the target compiles runtime/images.
function(dragoman_link_image_libraries target)
  foreach(format IN LISTS DRAGOMAN_IMAGE_FORMATS)
    target_compile_definitions(${target} PRIVATE DRAGOMAN_RT_${format})
  endforeach()
  target_include_directories(${target} PRIVATE ${DRAGOMAN_IMAGE_FOLDERS})
  target_link_libraries(${target} PRIVATE ${DRAGOMAN_IMAGE_LIBRARIES})
endfunction()
