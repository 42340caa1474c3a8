# cmake --install, and a Debian package by cpack. What the program needs is in it; the files are for people.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests need not be built
install(TARGETS t3sim RUNTIME)
install(DIRECTORY configs sweeps collectives programs DESTINATION ${CMAKE_INSTALL_DATADIR}/t3sim)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(FILES README.md CITATION.cff THIRD-PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# Man page and completion say what the program's help says.
set(generated ${CMAKE_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${generated}/t3sim.1.gz ${generated}/t3sim
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/man-page $<TARGET_FILE:t3sim> > ${generated}/t3sim.1
  COMMAND gzip -9nf ${generated}/t3sim.1
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/bash-completion $<TARGET_FILE:t3sim> > ${generated}/t3sim
  DEPENDS t3sim ${CMAKE_SOURCE_DIR}/scripts/man-page ${CMAKE_SOURCE_DIR}/scripts/bash-completion
          ${CMAKE_SOURCE_DIR}/scripts/help-tree.sh VERBATIM)
if(NOT T3SIM_SANITIZE)
  set(always ALL)
endif()
add_custom_target(t3_installed_help ${always} DEPENDS ${generated}/t3sim.1.gz)
install(FILES ${generated}/t3sim.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/t3sim DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME t3sim)
set(CPACK_PACKAGE_CONTACT "the t3sim authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of overlapped GEMMs and collectives on several GPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, python3-pandas, python3-matplotlib")
include(CPack)

if(NOT T3SIM_SANITIZE)
  add_test(NAME Install.works_from_any_folder
           COMMAND ${CMAKE_SOURCE_DIR}/tests/install/install_test.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(Install.works_from_any_folder PROPERTIES TIMEOUT 300)
endif()
