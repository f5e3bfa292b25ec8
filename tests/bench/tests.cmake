# tests/bench: the comparison of laws, and a short run of it that must stay sound.
file(GLOB governors_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/rivals/*.c)
list(APPEND governors_sources ${CMAKE_CURRENT_LIST_DIR}/governors.c ${CMAKE_CURRENT_LIST_DIR}/trial.c ${CMAKE_CURRENT_LIST_DIR}/plant.c)
add_executable(governors ${governors_sources})
target_include_directories(governors PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(governors PRIVATE governor)
add_test(NAME bench.governors COMMAND governors --seeds 9 --hours 0.5 --json)
set_tests_properties(bench.governors PROPERTIES LABELS bench TIMEOUT 120)
# Failing air that no sensor tells is reported where it fails, and nowhere else.
add_test(NAME bench.air COMMAND sh -c "$<TARGET_FILE:governors> --seeds 18 --first 3001 --hours 1 --json | jq -e '.laws[0] | .air_false == 0 and .air_plants > 0 and .air_reported == .air_plants and .air_reported_s_worst <= 120'")
set_tests_properties(bench.air PROPERTIES LABELS bench TIMEOUT 300)
