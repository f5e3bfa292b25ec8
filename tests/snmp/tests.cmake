# Real SNMP programs on loopback, with private configurations and unprivileged ports.
add_executable(snmp-agent ${CMAKE_CURRENT_LIST_DIR}/agent.c)
target_link_libraries(snmp-agent PRIVATE exporter test_support)
add_executable(snmp-columns ${CMAKE_CURRENT_LIST_DIR}/columns.c)
target_link_libraries(snmp-columns PRIVATE exporter)

add_test(NAME snmp.mib COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_mib.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(snmp.mib PROPERTIES LABELS snmp TIMEOUT 60)
add_test(NAME snmp.agent COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_agent.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(snmp.agent PROPERTIES LABELS snmp TIMEOUT 120)
add_test(NAME snmp.notify COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_notify.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(snmp.notify PROPERTIES LABELS snmp TIMEOUT 120)
add_test(NAME snmp.kit COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_kit.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(snmp.kit PROPERTIES LABELS snmp TIMEOUT 120)
