/* Names of keys, as sessions take them. */
#ifndef APP_KEYS_H
#define APP_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Of a character that was typed, control characters included. */
const char *key_of_character(uint32_t character, char *buffer, size_t size);
/* Of the bytes behind an Esc; NULL when no terminal means a key by them. */
const char *key_of_sequence(const char *bytes);

#endif
