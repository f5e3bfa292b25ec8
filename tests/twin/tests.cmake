# Closed-loop scenarios: each file in scenarios/ is a machine, a schedule and limits on what comes of it, over many seeds. A
# failing one names the figures and the seeds; run it again with `elementd simulate --scenario FILE --seed S --seeds 1 --plot x.svg`.
file(GLOB twin_scenarios CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/scenarios/*.yaml)
foreach(scenario IN LISTS twin_scenarios)
  get_filename_component(name ${scenario} NAME_WE)
  add_test(NAME twin.${name} COMMAND elementd simulate --scenario ${scenario} --profiles ${CMAKE_SOURCE_DIR}/deploy/profiles)
  set_tests_properties(twin.${name} PROPERTIES LABELS twin TIMEOUT 120)
endforeach()
file(GLOB twin_checks CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.sh)
foreach(check IN LISTS twin_checks)
  get_filename_component(name ${check} NAME_WE)
  add_test(NAME twin.${name} COMMAND bash ${check} $<TARGET_FILE:elementd> ${CMAKE_SOURCE_DIR})
  set_tests_properties(twin.${name} PROPERTIES LABELS twin TIMEOUT 600)
endforeach()
