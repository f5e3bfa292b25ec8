add_test(NAME package.deb COMMAND ${CMAKE_SOURCE_DIR}/tests/package/deb.sh ${CMAKE_BINARY_DIR}/package)
set_tests_properties(package.deb PROPERTIES LABELS package TIMEOUT 600)
# Needs npm and its registry; skipped without.
add_test(NAME package.kubernetes COMMAND ${CMAKE_SOURCE_DIR}/tests/package/kubernetes.sh ${CMAKE_BINARY_DIR}/kubernetes)
set_tests_properties(package.kubernetes PROPERTIES LABELS "package;full" TIMEOUT 300 SKIP_RETURN_CODE 77)
