# Installs the man pages docs/*.1 and the shell completions that the built program prints.
file(GLOB manuals CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.1")
if(manuals)
  install(FILES ${manuals} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

# install_completion(SHELL FILE FOLDER): FILE is what `dragoman completion SHELL` prints.
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
if(TARGET dragoman)
  install_completion(bash dragoman bash-completion/completions)
  install_completion(zsh _dragoman zsh/site-functions)
endif()
