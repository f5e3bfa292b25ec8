# Style and script of the status page become part of the exporter.
set(page_dir ${CMAKE_CURRENT_LIST_DIR})
set(page_assets ${CMAKE_CURRENT_BINARY_DIR}/page_assets.c)
add_custom_command(OUTPUT ${page_assets}
  COMMAND ${CMAKE_COMMAND} -DOUT=${page_assets} -DCSS=${page_dir}/page.css -DJS=${page_dir}/page.js -P ${page_dir}/embed.cmake
  DEPENDS ${page_dir}/embed.cmake ${page_dir}/page.css ${page_dir}/page.js)
target_sources(exporter PRIVATE ${page_assets})
