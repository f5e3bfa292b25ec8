# cmake -DOUT=F -DCSS=F -DJS=F -P embed.cmake: the assets of the status page as C arrays.
set(text "/* Made by src/exporter/page/embed.cmake. */\n#include \"exporter/page_parts.h\"\n\n")
foreach(asset IN ITEMS CSS JS)
  file(READ ${${asset}} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(TOLOWER ${asset} name)
  string(APPEND text "const char el_page_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
