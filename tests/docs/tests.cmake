# Every marked block of every document is run; commands, flags and settings that documents name must exist.
add_test(NAME docs.run COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/docs/run.py ${CMAKE_BINARY_DIR})
set_tests_properties(docs.run PROPERTIES LABELS e2e TIMEOUT 900)
if(NOT TARGET update-golden)
  add_custom_target(update-golden VERBATIM)
endif()
add_custom_command(TARGET update-golden POST_BUILD VERBATIM
  COMMAND sh -c "$<TARGET_FILE:elementd> metrics --markdown >${CMAKE_SOURCE_DIR}/deploy/docs/metrics.md")
