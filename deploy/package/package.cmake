# The Debian package. Build with -DCMAKE_INSTALL_PREFIX=/usr, then `cpack -G DEB`; deploy/package/build does both.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME elementd)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The elementd authors <elementd@example.org>")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://example.org/elementd")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "monitor and govern multi-drive NVMe add-in cards")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"elementd reads the health, temperatures, links and wear of NVMe drives,
especially of several behind one PCIe switch on one card, keeps them inside
their thermal and power envelope by a closed loop that gives away as little
throughput as it can, and serves it all to Prometheus and SNMP.
.
The part with device rights has no network; the exporter runs as its own user
without any capability. A simulated card lets it be tried without hardware.")
set(CPACK_PACKAGE_FILE_NAME elementd_${PROJECT_VERSION}_package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "init-system-helpers (>= 1.54), procps, systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3:any") # the monitoring plugin
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "prometheus, snmpd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(scripts ${CMAKE_SOURCE_DIR}/deploy/package)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm ${scripts}/conffiles)

# Debian wants a copyright, a compressed changelog and compressed man pages.
set(EL_PACKAGED ${CMAKE_BINARY_DIR}/packaged)
find_program(GZIP_PROGRAM gzip REQUIRED)
execute_process(COMMAND ${CMAKE_COMMAND} -E make_directory ${EL_PACKAGED})
execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${scripts}/changelog OUTPUT_FILE ${EL_PACKAGED}/changelog.Debian.gz)
option(EL_DEB "lay out for a Debian package: /etc, copyright, changelog" OFF)
if(EL_DEB)
  install(FILES ${scripts}/copyright DESTINATION share/doc/elementd)
  install(FILES ${EL_PACKAGED}/changelog.Debian.gz DESTINATION share/doc/elementd)
  install(FILES ${scripts}/lintian-overrides DESTINATION share/lintian/overrides RENAME elementd)
endif()
if(EL_DEB)
  install(CODE "execute_process(COMMAND sh -c \"find \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man -name '*.[158]' -exec ${GZIP_PROGRAM} -9nf {} +\")")
endif()
include(CPack)
