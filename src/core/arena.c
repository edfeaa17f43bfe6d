/* Memory from a block that the caller owns.
 *
 * A plan is many arrays that live and die together, so they come from one block by moving a mark.
 * Pieces are aligned to cache lines; the sizes that callers compute beforehand rely on
 * pg_arena_take never using more than count*item rounded up to 64 bytes. */
#include "core/pg.h"

#define ALIGNMENT 64u

void pg_arena_init(struct pg_arena *arena, void *block, size_t size)
{
    size_t skew = (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;

    arena->base = block;
    arena->size = size;
    arena->used = skew < size ? skew : size;
}

void *pg_arena_take(struct pg_arena *arena, size_t count, size_t item)
{
    size_t room = arena->size - arena->used;
    size_t bytes = count * item;

    if (item != 0 && count > room / item)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > room)
        return NULL;
    void *piece = arena->base + arena->used;
    arena->used += bytes;
    return piece;
}

size_t pg_arena_mark(const struct pg_arena *arena)
{
    return arena->used;
}

void pg_arena_reset(struct pg_arena *arena, size_t mark)
{
    arena->used = mark;
}
