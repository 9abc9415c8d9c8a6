# Installs the man pages docs/*.1 and the shell completions that the built program prints.
file(GLOB manuals CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.1")
if(manuals)
  install(FILES ${manuals} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

# install_completion(SHELL FILE FOLDER): FILE is what `dragoman completion SHELL` prints.
function(install_completion shell file folder)
  set(output "${PROJECT_BINARY_DIR}/completion/${file}")
  add_custom_command(TARGET dragoman POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/completion"
    COMMAND dragoman completion ${shell} > "${output}" VERBATIM)
  install(FILES "${output}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endfunction()
if(TARGET dragoman)
  install_completion(bash dragoman bash-completion/completions)
  install_completion(zsh _dragoman zsh/site-functions)
endif()
