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
    endif()" COMPONENT program)
  install(FILES "${output}" DESTINATION "${folder}" COMPONENT program)
endfunction()

install_text(dragoman "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" completion bash)
install_text(_dragoman "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" completion zsh)
install_text(dragoman.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" completion fish)
# The manual pages: that of the program, and those of the commands that it names.
install(CODE "
  set(folder \"${PROJECT_BINARY_DIR}/texts/man1\")
  file(REMOVE_RECURSE \"\${folder}\")
  file(MAKE_DIRECTORY \"\${folder}\")
  function(write_manual file)
    execute_process(COMMAND \"${PROJECT_BINARY_DIR}/dragoman\" manual \${ARGN}
                    OUTPUT_FILE \"\${folder}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  write_manual(dragoman.1)
  file(STRINGS \"\${folder}/dragoman.1\" references REGEX \"dragoman.*-inspect\")
  string(REGEX MATCHALL \"-[a-z]+\" commands \"\${references}\")
  foreach(command IN LISTS commands)
    string(SUBSTRING \"\${command}\" 1 -1 command)
    write_manual(dragoman-\${command}.1 \${command})
  endforeach()" COMPONENT program)
install(DIRECTORY "${PROJECT_BINARY_DIR}/texts/man1/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
  COMPONENT program)
