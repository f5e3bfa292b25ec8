# Speed: tests/speed/run prints the table; the test compares instruction counts with a recorded baseline.
add_executable(speed_cost ${CMAKE_SOURCE_DIR}/tests/speed/cost.c)
target_link_libraries(speed_cost PRIVATE exporter test_support)
add_executable(speed_floor_http ${CMAKE_SOURCE_DIR}/tests/speed/floor_http.c)
target_link_libraries(speed_floor_http PRIVATE PkgConfig::LIBMICROHTTPD)
if(CMAKE_BUILD_TYPE MATCHES "^(RelWithDebInfo|Release)$" AND NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage")
  add_test(NAME bench.instructions COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/speed/instructions.py ${CMAKE_BINARY_DIR})
  set_tests_properties(bench.instructions PROPERTIES LABELS bench TIMEOUT 300)
endif()
