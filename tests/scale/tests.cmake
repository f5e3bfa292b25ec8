# A large machine and a fleet beside a real Prometheus; minutes each, an hour as `scale.py hold build/release --seconds 3600`.
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage")
  foreach(what IN ITEMS hold fleet)
    add_test(NAME scale.${what} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/scale/scale.py ${what} ${CMAKE_BINARY_DIR})
    set_tests_properties(scale.${what} PROPERTIES LABELS full TIMEOUT 600 RUN_SERIAL ON)
  endforeach()
endif()
