add_test(NAME package.deb COMMAND ${CMAKE_SOURCE_DIR}/tests/package/deb.sh ${CMAKE_BINARY_DIR}/package)
set_tests_properties(package.deb PROPERTIES LABELS package TIMEOUT 600)
# Needs npm and its registry; skipped without.
add_test(NAME package.kubernetes COMMAND ${CMAKE_SOURCE_DIR}/tests/package/kubernetes.sh ${CMAKE_BINARY_DIR}/kubernetes)
set_tests_properties(package.kubernetes PROPERTIES LABELS "package;full" TIMEOUT 300 SKIP_RETURN_CODE 77)
# Needs root, mmdebstrap and Debian's archive; skipped without.
add_test(NAME package.install COMMAND ${CMAKE_SOURCE_DIR}/tests/package/install.sh ${CMAKE_BINARY_DIR}/install)
set_tests_properties(package.install PROPERTIES LABELS "package;full" TIMEOUT 900 SKIP_RETURN_CODE 77)
# The same needs. Each line of the Containerfile without a container engine.
add_test(NAME package.container COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/package/container.py ${CMAKE_BINARY_DIR}/container)
set_tests_properties(package.container PROPERTIES LABELS "package;full" TIMEOUT 3600 SKIP_RETURN_CODE 77)
