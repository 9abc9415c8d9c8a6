# SPDX-License-Identifier: Apache-2.0
# install_text(FILE FOLDER argument...)
#
# Installs FILE, what the built `dragoman argument...` prints, into FOLDER below the prefix.
function(install_text file folder)
  set(output "${PROJECT_BINARY_DIR}/texts/${file}")
  list(JOIN ARGN " " arguments)
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/texts\")
    execute_process(COMMAND \"${PROJECT_BINARY_DIR}/dragoman\" ${arguments}
                    OUTPUT_FILE \"${output}\" RESULT_VARIABLE result)
    if(result)
      message(FATAL_ERROR \"dragoman ${arguments} failed: \${result}\")
    endif()")
  install(FILES "${output}" DESTINATION "${folder}")
endfunction()

install_text(dragoman "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" completion bash)
install_text(_dragoman "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" completion zsh)
install_text(dragoman.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" completion fish)
install_text(dragoman.1 "${CMAKE_INSTALL_MANDIR}/man1" manual)
foreach(command inspect convert codegen diff run verify ops cache)
  install_text(dragoman-${command}.1 "${CMAKE_INSTALL_MANDIR}/man1" manual ${command})
endforeach()
