# What `cmake --install` puts where, and the Debian package that `cpack -G DEB` makes of it. Paths follow GNUInstallDirs.
install(TARGETS elementd elementd-exporter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(EL_SHARE ${CMAKE_INSTALL_DATADIR}/elementd)
set(EL_UNITS lib/systemd/system)  # systemd looks there whatever the prefix's lib directory is called

# el_install_files(DESTINATION GLOB...): the files below deploy/ that match; nothing when there is none
function(el_install_files destination)
  set(found)
  foreach(pattern IN LISTS ARGN)
    file(GLOB matches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    list(APPEND found ${matches})
  endforeach()
  if(found)
    install(FILES ${found} DESTINATION ${destination})
  endif()
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
el_install_files(${EL_SHARE}/nms deploy/nms/*)
el_install_files(${EL_SHARE}/kubernetes deploy/kubernetes/*.yaml)
el_install_files(${EL_SHARE}/examples deploy/*.yaml deploy/examples/* deploy/snmp/*.conf deploy/snmp/*.yml
                 deploy/snmp/*.example)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/snmp/check_element DESTINATION lib/nagios/plugins)
el_install_files(${CMAKE_INSTALL_DATADIR}/snmp/mibs mibs/*.txt mibs/*.mib)
el_install_files(${CMAKE_INSTALL_DOCDIR} README.md deploy/docs/*.md)
foreach(section IN ITEMS 1 5 8)
  el_install_files(${CMAKE_INSTALL_MANDIR}/man${section} deploy/man/*.${section})
endforeach()
# Manual pages of the commands and of the settings are what the program says about itself.
find_program(PYTHON3 python3)
if(PYTHON3)
  install(CODE "execute_process(COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/deploy/man/make.py ${CMAKE_BINARY_DIR}/elementd ${CMAKE_BINARY_DIR}/man
                                COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 FILES_MATCHING PATTERN *.5)
endif()
if(EXISTS ${CMAKE_SOURCE_DIR}/deploy/elementd.yaml)
  install(FILES ${CMAKE_SOURCE_DIR}/deploy/elementd.yaml DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/elementd)
endif()

include(${CMAKE_SOURCE_DIR}/deploy/package/package.cmake)
