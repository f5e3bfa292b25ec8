# tests/bench: the comparison of laws, and a short run of it that must stay sound.
file(GLOB governors_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/rivals/*.c)
list(APPEND governors_sources ${CMAKE_CURRENT_LIST_DIR}/governors.c ${CMAKE_CURRENT_LIST_DIR}/trial.c ${CMAKE_CURRENT_LIST_DIR}/plant.c)
add_executable(governors ${governors_sources})
target_include_directories(governors PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(governors PRIVATE governor)
add_test(NAME bench.governors COMMAND governors --seeds 9 --hours 0.5 --json)
set_tests_properties(bench.governors PROPERTIES LABELS bench TIMEOUT 120)
