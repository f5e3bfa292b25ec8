# What `cmake --install` puts where, and the Debian package that `cpack -G DEB` makes of it. Paths follow GNUInstallDirs.
install(TARGETS elementd elementd-exporter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(EL_SHARE ${CMAKE_INSTALL_DATADIR}/elementd)
set(EL_UNITS lib/systemd/system)  # systemd looks there whatever the prefix's lib directory is called

# el_install_files(DESTINATION GLOB...): the files of the source that match
function(el_install_files destination)
  foreach(pattern IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    if(NOT found)
      message(FATAL_ERROR "nothing to install matches ${pattern}")
    endif()
    install(FILES ${found} DESTINATION ${destination})
  endforeach()
endfunction()

el_install_files(${EL_UNITS} deploy/systemd/*.service deploy/systemd/*.socket)
foreach(slice IN ITEMS system user machine)
  el_install_files(${EL_UNITS}/${slice}.slice.d deploy/systemd/${slice}.slice.d/*.conf)
endforeach()
el_install_files(lib/sysusers.d deploy/systemd/sysusers.d/*.conf)
el_install_files(${EL_SHARE}/profiles deploy/profiles/*.yaml)
el_install_files(${EL_SHARE}/scenarios deploy/scenarios/*.yaml)
el_install_files(${EL_SHARE}/prometheus deploy/prometheus/*.yml)
el_install_files(${EL_SHARE}/prometheus/rules deploy/prometheus/rules/*.yml)
el_install_files(${EL_SHARE}/dashboards dashboards/*.json)
el_install_files(${EL_SHARE}/runbooks deploy/runbooks/*.md)
el_install_files(${EL_SHARE}/kubernetes deploy/kubernetes/*.yaml)
el_install_files(${EL_SHARE}/examples deploy/elementd.yaml deploy/examples/* deploy/snmp/*.conf deploy/snmp/*.yml deploy/snmp/*.example
                 deploy/snmp/README.md)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/snmp/check_element DESTINATION lib/nagios/plugins)
el_install_files(${CMAKE_INSTALL_DATADIR}/snmp/mibs mibs/*.txt)
el_install_files(${CMAKE_INSTALL_DOCDIR} README.md deploy/docs/*.md)
el_install_files(${CMAKE_INSTALL_DOCDIR}/pictures deploy/docs/pictures/*)
# Manual pages hold what the programs say about themselves.
find_program(PYTHON3 python3)
if(PYTHON3)
  install(CODE "execute_process(COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/deploy/man/make.py ${CMAKE_BINARY_DIR}/elementd ${CMAKE_BINARY_DIR}/man
                                COMMAND_ERROR_IS_FATAL ANY)")
  foreach(section IN ITEMS 1 5 8)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN *.${section})
  endforeach()
endif()
el_install_files(${CMAKE_INSTALL_SYSCONFDIR}/elementd deploy/elementd.yaml)

include(${CMAKE_SOURCE_DIR}/deploy/package/package.cmake)
