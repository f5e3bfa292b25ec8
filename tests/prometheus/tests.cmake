# Rules, dashboards and the real Prometheus.
foreach(part IN ITEMS check alerts runbooks self-test)
  add_test(NAME rules.${part} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/prometheus/rules_test.py ${part})
  set_tests_properties(rules.${part} PROPERTIES LABELS rules TIMEOUT 120)
endforeach()
