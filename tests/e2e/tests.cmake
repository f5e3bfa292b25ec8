# The built programs as a user runs them. Each file is one test; all of them use free ports and private directories.
find_program(E2E_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
foreach(name IN ITEMS run_simulated mistakes governs kills signals settings plain_user faults recorded prometheus)
  add_test(NAME e2e.${name} COMMAND ${E2E_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/${name}.py ${CMAKE_BINARY_DIR})
  set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 300)
endforeach()
add_test(NAME e2e.units COMMAND ${CMAKE_CURRENT_LIST_DIR}/units.sh)
set_tests_properties(e2e.units PROPERTIES LABELS e2e TIMEOUT 60 SKIP_RETURN_CODE 77)
