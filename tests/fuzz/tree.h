/* A machine's text tree in memory, under the calls with which one is read: the linker puts them in place of the
 * system's (tests.cmake). In the form of tests/fixtures/machines:
 *
 *   path = text           a file (\n is a newline; one is added at the end unless the text is empty)
 *   path -> target        a symlink
 *   path -                removed, with all below
 *
 * Paths are followed as they stand: whoever reads a recorded tree resolves its symlinks first. */
#pragma once

#include <stddef.h>

#define TREE_ROOT "/in memory" /* opens it */

void tree_clear(void);
/* A line of such a file, without its end. Lines that say none of the above, or one too many, change nothing. */
void tree_apply(const char *line, size_t n);
