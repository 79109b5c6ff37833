/* What the glue of several stacks shares: seeded random bytes, and numbers of options. */
#ifndef GLUE_H
#define GLUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ackclock_stack.h"

/* Fills `out` with the next bytes of splitmix64, whose state is `*random`. */
static inline void draw_bytes(uint64_t *random, void *out, size_t length) {
    for (size_t i = 0; i < length; i += 8) {
        uint64_t z = *random += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z ^= z >> 31;
        memcpy((uint8_t *)out + i, &z, length - i < 8 ? length - i : 8);
    }
}

/* Returns whether `option` has this key. */
static inline bool is(const ackclock_option *option, const char *key) { return !strcmp(option->key, key); }

/* Returns the number in an option, or 0, which is a value for none of them, if it is no number. */
static inline uint64_t number(const ackclock_option *option) {
    char *rest;
    uint64_t value = strtoull(option->value, &rest, 10);
    return *rest || *option->value == '-' ? 0 : value;
}

/* Says in `error` that the stack does not take an option. */
static inline void refuse(const ackclock_option *option, char *error, size_t size) {
    snprintf(error, size, "%s = %s is unknown or out of range", option->key, option->value);
}

#endif
