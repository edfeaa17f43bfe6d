/* Memory for large blocks. See block.c. */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include <stddef.h>

/* Like malloc, to be freed with free. */
void *block_make(size_t size);

#endif
