# Scenarios in a QEMU guest with a real kernel. Without QEMU they are skipped; the default ones take 235 s of processors,
# some two and a half minutes of two quiet cores, the rest is labelled full.
add_executable(lab_probe ${CMAKE_CURRENT_LIST_DIR}/probe.c)
target_link_libraries(lab_probe PRIVATE device)

function(el_lab scenario)
  add_test(NAME lab.${scenario} COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/run.py ${scenario})
  set_tests_properties(lab.${scenario} PROPERTIES LABELS "lab;${ARGN}" TIMEOUT 400 SKIP_RETURN_CODE 77
                       ENVIRONMENT "EL_BUILD=${CMAKE_BINARY_DIR}")
endfunction()

el_lab(topology)
el_lab(hotplug)
el_lab(iocost)
el_lab(board)
el_lab(links)
el_lab(multipath)
el_lab(capture)
el_lab(power_cap)
el_lab(swap)
el_lab(functions full)
el_lab(events)
el_lab(hang full)
el_lab(dies full)
el_lab(closed_loop)
el_lab(arrays full)

# Drives that QEMU does not have, under the unmodified libnvme.
add_library(lab_answer MODULE ${CMAKE_CURRENT_LIST_DIR}/mock/answer.c)
target_link_libraries(lab_answer PRIVATE ${CMAKE_DL_LIBS})
add_library(lab_stamp MODULE ${CMAKE_CURRENT_LIST_DIR}/stamp.c)
target_link_libraries(lab_stamp PRIVATE ${CMAKE_DL_LIBS})
add_test(NAME lab.mock COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/mock/run.py ${CMAKE_BINARY_DIR})
set_tests_properties(lab.mock PROPERTIES LABELS lab TIMEOUT 300 SKIP_RETURN_CODE 77)
el_lab(cost full)
# What is counted is what users run: the release build.
add_test(NAME lab.release_build WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
         COMMAND sh -c "cmake --preset release && cmake --build --preset release --target elementd lab_probe lab_stamp")
set_tests_properties(lab.release_build PROPERTIES LABELS "lab;full" TIMEOUT 1800 FIXTURES_SETUP release_build)
el_lab(polling full)
set_tests_properties(lab.polling PROPERTIES TIMEOUT 1800)
el_lab(latency full)
set_tests_properties(lab.latency PROPERTIES TIMEOUT 1200  # an emulated second takes several where others are at work
                     FIXTURES_REQUIRED release_build ENVIRONMENT "EL_BUILD=${CMAKE_SOURCE_DIR}/build/release")
el_lab(stacks full)
el_lab(systemd full)  # needs mmdebstrap and root too
set_tests_properties(lab.systemd PROPERTIES TIMEOUT 1800)
