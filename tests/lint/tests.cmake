# The rules of the house. Each check has a twin that breaks the rule on purpose and expects to be told.
foreach(check IN ITEMS layers libraries clocks words sizes symbols links)
  add_test(NAME lint.${check} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/lint/house.py ${check} --build ${CMAKE_BINARY_DIR})
  add_test(NAME lint.${check}.can_fail COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/lint/house.py ${check} --self-test)
  set_tests_properties(lint.${check} lint.${check}.can_fail PROPERTIES LABELS lint TIMEOUT 60)
endforeach()

# format: rewrites. format-check: says what it would rewrite. lint: the checks above, and nothing else.
file(GLOB_RECURSE formatted CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.[ch] ${CMAKE_SOURCE_DIR}/tests/*.[ch])
add_custom_target(format COMMAND clang-format -i ${formatted} VERBATIM)
add_custom_target(format-check COMMAND clang-format --dry-run --Werror ${formatted} VERBATIM)
add_custom_target(lint COMMAND ${CMAKE_CTEST_COMMAND} -L lint --output-on-failure
                  DEPENDS elementd elementd-exporter VERBATIM)

# lint-static: slow, part of tests/run --full.
file(GLOB_RECURSE linted CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)
add_custom_target(clang-tidy COMMAND clang-tidy --quiet -p ${CMAKE_BINARY_DIR} ${linted} VERBATIM)
add_custom_target(cppcheck
  COMMAND cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr
          --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches
          --suppressions-list=${CMAKE_SOURCE_DIR}/tests/lint/cppcheck.txt -D_GNU_SOURCE -DEL_VERSION="0"
          -I${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src VERBATIM)

# update-golden: writes what tests compare with anew, from what is built now. Look at the difference before you commit it.
if(NOT TARGET update-golden) # a tier before this one may have begun it
  add_custom_target(update-golden VERBATIM)
endif()

# coverage: lines reached by the tests, with the preset of that name.
if(CMAKE_C_FLAGS MATCHES "--coverage")
  add_custom_target(coverage
    COMMAND ${CMAKE_CTEST_COMMAND} -L "unit|fuzz" --output-on-failure
    COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/lint/coverage.py ${CMAKE_BINARY_DIR} VERBATIM)
endif()
