# install_completion(SHELL FILE FOLDER)
#
# Installs FILE, what the built `dragoman completion SHELL` prints, into FOLDER of the data folder.
function(install_completion shell file folder)
  set(output "${PROJECT_BINARY_DIR}/completion/${file}")
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/completion\")
    execute_process(COMMAND \"${PROJECT_BINARY_DIR}/dragoman\" completion ${shell}
                    OUTPUT_FILE \"${output}\" RESULT_VARIABLE result)
    if(result)
      message(FATAL_ERROR \"dragoman completion ${shell} failed: \${result}\")
    endif()")
  install(FILES "${output}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endfunction()

install_completion(bash dragoman bash-completion/completions)
install_completion(zsh _dragoman zsh/site-functions)
