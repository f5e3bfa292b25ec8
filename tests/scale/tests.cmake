# A large machine for an hour, and a fleet, each beside a real Prometheus.
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage")
  add_test(NAME scale.hold COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/scale/scale.py hold ${CMAKE_BINARY_DIR} --seconds 3600)
  set_tests_properties(scale.hold PROPERTIES LABELS full TIMEOUT 4200 COST 3600)
  add_test(NAME scale.fleet COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/scale/scale.py fleet ${CMAKE_BINARY_DIR})
  set_tests_properties(scale.fleet PROPERTIES LABELS full TIMEOUT 600 RUN_SERIAL ON)
endif()
