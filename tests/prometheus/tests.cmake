# Rules, dashboards and the real Prometheus.
foreach(part IN ITEMS check alerts runbooks self-test)
  add_test(NAME rules.${part} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/prometheus/rules_test.py ${part})
  set_tests_properties(rules.${part} PROPERTIES LABELS rules TIMEOUT 120)
endforeach()
add_test(NAME dashboards.made COMMAND python3 ${CMAKE_SOURCE_DIR}/dashboards/make.py --check)
set_tests_properties(dashboards.made PROPERTIES LABELS rules)
# Needs npm and its registry; skipped without.
add_test(NAME dashboards.schema COMMAND ${CMAKE_SOURCE_DIR}/tests/prometheus/schema.sh ${CMAKE_BINARY_DIR}/schema)
set_tests_properties(dashboards.schema PROPERTIES LABELS "rules;full" TIMEOUT 300 SKIP_RETURN_CODE 77)
add_test(NAME rules.names COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/prometheus/names.py)
add_test(NAME rules.names.can_fail COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/prometheus/names.py --self-test)
set_tests_properties(rules.names rules.names.can_fail PROPERTIES LABELS lint)
