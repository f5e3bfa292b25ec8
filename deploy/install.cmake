# What `cmake --install` puts where. Paths follow GNUInstallDirs.
install(TARGETS elementd elementd-exporter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
