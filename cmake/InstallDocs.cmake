# Man pages (docs/*.1) and shell completions (scripts/completion/dragoman.{bash,fish}, _dragoman).
file(GLOB manuals CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.1")
if(manuals)
  install(FILES ${manuals} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

# install_completion(FILE DESTINATION NAME): installs the file when it exists.
function(install_completion file destination name)
  set(source "${PROJECT_SOURCE_DIR}/scripts/completion/${file}")
  if(EXISTS "${source}")
    install(FILES "${source}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${destination}" RENAME "${name}")
  endif()
endfunction()
install_completion(dragoman.bash bash-completion/completions dragoman)
install_completion(dragoman.fish fish/vendor_completions.d dragoman.fish)
install_completion(_dragoman zsh/site-functions _dragoman)
