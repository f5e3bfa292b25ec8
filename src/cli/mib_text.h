/* mibs/ELEMENT-MIB.txt, put into the program when it is built (src/embed.cmake). */
#pragma once

extern const char el_mib_text[];
