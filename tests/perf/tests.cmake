# Figures of speed, each with a bound far enough away that a busy machine does not fail it.
add_executable(perf_tick ${CMAKE_CURRENT_LIST_DIR}/tick.c)
target_link_libraries(perf_tick PRIVATE control)
target_compile_definitions(perf_tick PRIVATE EL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage") # what those take is not ours
  foreach(drives IN ITEMS 8 1024)
    add_test(NAME perf.tick.${drives} COMMAND perf_tick ${drives})
    set_tests_properties(perf.tick.${drives} PROPERTIES LABELS perf TIMEOUT 120 RUN_SERIAL ON)
  endforeach()
endif()
