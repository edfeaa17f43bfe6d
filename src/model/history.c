/* The past and the future of a session: whole states, newest last.
 *
 * States share the lists of their scenarios, so keeping thousands is cheap; a bound on what they
 * could hold alone keeps the rare large ones in check by dropping the oldest. Lists are counted as if
 * none were shared. A table is never edited and outlasts many changes, so states that follow each
 * other and have the same one count it once: else a large table would leave a few steps of undo. */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STATES 10000u
#define MOST_BYTES ((size_t)64 << 20)

static void file_release(struct file **file)
{
    if (*file != NULL && --(*file)->refs == 0) {
        scenario_free(&(*file)->saved);
        string_release(&(*file)->name);
        string_release(&(*file)->path);
        free(*file);
    }
    *file = NULL;
}

void pin_release(struct pin **pin)
{
    if (*pin != NULL && --(*pin)->refs == 0) {
        scenario_free(&(*pin)->scenario);
        table_release(&(*pin)->table);
        file_release(&(*pin)->file);
        free(*pin);
    }
    *pin = NULL;
}

void state_free(struct state *state)
{
    scenario_free(&state->scenario);
    table_release(&state->table);
    file_release(&state->file);
    pin_release(&state->pin);
}

void state_copy(struct state *to, const struct state *from)
{
    struct state copy = *from;

    memset(&copy.scenario, 0, sizeof copy.scenario);
    scenario_copy(&copy.scenario, &from->scenario);
    table_share(copy.table);
    copy.file->refs++;
    if (copy.pin != NULL)
        copy.pin->refs++;
    *to = copy;
}

static size_t list_bytes(const struct list *list)
{
    return list == NULL ? 0 : list->n * sizeof list->v[0];
}

static size_t state_bytes(const struct state *state)
{
    const struct scenario *s = &state->scenario;
    return sizeof *state + list_bytes(s->forward) + list_bytes(s->backward) +
           list_bytes(s->weight) + list_bytes(s->activation) + list_bytes(s->weight_activation) +
           list_bytes(s->layers) + list_bytes(s->counts);
}

/* What the bound counts for a state of the past: the first of those that share a table has it. */
static size_t bytes_at(const struct history *history, size_t at)
{
    const struct table *table = history->past[at].table;
    bool is_first = table != NULL && (at == 0 || history->past[at - 1].table != table);

    return state_bytes(&history->past[at]) + (is_first ? table_bytes(table) : 0);
}

/* Room for one more. */
static bool reserve(struct state **states, size_t count, size_t *room)
{
    if (count < *room)
        return true;
    size_t larger = *room == 0 ? 64 : *room * 2;
    struct state *moved = realloc(*states, larger * sizeof *moved);
    if (moved == NULL)
        return false;
    *states = moved;
    *room = larger;
    return true;
}

static bool add(struct state **states, size_t *count, size_t *room, const struct state *state)
{
    if (!reserve(states, *count, room))
        return false;
    (*states)[(*count)++] = *state;
    return true;
}

bool history_reserve(struct history *history)
{
    return reserve(&history->past, history->past_count, &history->past_room);
}

/* Of two at least. */
static void drop_oldest(struct history *history)
{
    history->bytes -= bytes_at(history, 0) + bytes_at(history, 1);
    state_free(&history->past[0]);
    history->past_count--;
    memmove(history->past, history->past + 1, history->past_count * sizeof history->past[0]);
    history->bytes += bytes_at(history, 0); /* it may have become the one that has the table */
}

static void forget_future(struct history *history)
{
    while (history->future_count > 0)
        state_free(&history->future[--history->future_count]);
}

static bool remember(struct history *history, const struct state *state)
{
    if (!add(&history->past, &history->past_count, &history->past_room, state))
        return false;
    history->past[history->past_count - 1].was_unsaved = state_is_unsaved(state);
    history->bytes += bytes_at(history, history->past_count - 1);
    while (history->past_count > 1 &&
           (history->past_count > MOST_STATES || history->bytes > MOST_BYTES))
        drop_oldest(history);
    return true;
}

bool history_push(struct history *history, const struct state *state)
{
    struct state copy;

    history->moves++;
    state_copy(&copy, state);
    if (!remember(history, &copy)) {
        state_free(&copy);
        return false;
    }
    forget_future(history);
    return true;
}

bool history_undo(struct history *history, struct state *state)
{
    if (history->past_count == 0)
        return false;
    struct state back = history->past[history->past_count - 1];
    if (!add(&history->future, &history->future_count, &history->future_room, state))
        return false;
    history->bytes -= bytes_at(history, history->past_count - 1);
    history->past_count--;
    history->moves++;
    *state = back;
    return true;
}

bool history_redo(struct history *history, struct state *state)
{
    if (history->future_count == 0)
        return false;
    struct state next = history->future[history->future_count - 1];
    if (!remember(history, state))
        return false;
    history->future_count--;
    history->moves++;
    *state = next;
    return true;
}

void history_free(struct history *history)
{
    forget_future(history);
    while (history->past_count > 0)
        state_free(&history->past[--history->past_count]);
    free(history->past);
    free(history->future);
    memset(history, 0, sizeof *history);
}
