# The exporter as a process: over loopback, with real clients.
set(parts exposition staleness late service tls unasked auth prometheus)
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage") # what those take is not ours
  list(APPEND parts memory)
endif()
foreach(part IN LISTS parts)
  add_test(NAME http.${part} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/http_test.py ${CMAKE_BINARY_DIR} ${part})
  set_tests_properties(http.${part} PROPERTIES LABELS http TIMEOUT 120)
endforeach()
add_test(NAME http.misbehave COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/misbehave.py ${CMAKE_BINARY_DIR})
set_tests_properties(http.misbehave PROPERTIES LABELS http TIMEOUT 600 RUN_SERIAL ON)
add_test(NAME http.page COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/page_test.py ${CMAKE_BINARY_DIR})
set_tests_properties(http.page PROPERTIES LABELS http TIMEOUT 180 SKIP_RETURN_CODE 77)
