# Real SNMP programs on loopback, with private configurations and unprivileged ports.
add_executable(snmp-agent ${CMAKE_CURRENT_LIST_DIR}/agent.c)
target_link_libraries(snmp-agent PRIVATE exporter test_support)
