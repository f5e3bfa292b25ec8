add_test(NAME package.deb COMMAND ${CMAKE_SOURCE_DIR}/tests/package/deb.sh ${CMAKE_BINARY_DIR}/package)
set_tests_properties(package.deb PROPERTIES LABELS package TIMEOUT 600)
