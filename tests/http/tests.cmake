# The exporter as a process: over loopback, with real clients.
foreach(part IN ITEMS exposition staleness late service tls auth prometheus memory)
  add_test(NAME http.${part} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/http_test.py ${CMAKE_BINARY_DIR} ${part})
  set_tests_properties(http.${part} PROPERTIES LABELS http TIMEOUT 120)
endforeach()
add_test(NAME http.misbehave COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/misbehave.py ${CMAKE_BINARY_DIR})
set_tests_properties(http.misbehave PROPERTIES LABELS http TIMEOUT 600 RUN_SERIAL ON)
add_test(NAME http.page COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/page_test.py ${CMAKE_BINARY_DIR})
set_tests_properties(http.page PROPERTIES LABELS http TIMEOUT 180 SKIP_RETURN_CODE 77)
