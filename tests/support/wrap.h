/* WRAP(type, name, arguments): a function that the linker puts in the place of the system's `name` (--wrap=name); the
 * original is __real_name. */
#pragma once

#define WRAP(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)
