/* Memory for what may be many megabytes. The first touch of a page costs more than all arithmetic on
 * what it holds, so large blocks ask the system for large pages, where it has any. Small ones do not:
 * they would waste most of one, and the system might stop to make room for it. */
#include "model/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

#ifdef MADV_HUGEPAGE
#define ASK_FOR_LARGE_PAGES(block, size) ((void)madvise(block, size, MADV_HUGEPAGE))
#else
#define ASK_FOR_LARGE_PAGES(block, size) ((void)(block))
#endif

void *block_make(size_t size)
{
    if (size < 2 * LARGE_PAGE || size > SIZE_MAX - LARGE_PAGE)
        return malloc(size);
    size_t whole = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *block = aligned_alloc(LARGE_PAGE, whole);
    if (block != NULL)
        ASK_FOR_LARGE_PAGES(block, whole);
    return block;
}
