/* Batches: figures against closed forms, gaps with their reason, stopping, and the same results to
 * the last bit whether one hand did the runs or many. */
#include "app/workers.h"
#include "driver.h"
#include "model/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 200u

/* P 4, F 1, B 2 and M from 1 to VALUES for each of some families, one after another. */
static const char *const names[] = {"gpipe", "1f1b", "zb1p", "zbv", "dualpipev"};
enum { NAMES = sizeof names / sizeof names[0] };

static struct batch *make(void)
{
    struct batch *batch = batch_make(VALUES * NAMES + 1);
    struct scenario scenario = fresh_scenario(), copy;
    struct refusal refusal;

    assert_non_null(batch);
    memset(&copy, 0, sizeof copy);
    for (uint32_t m = 1; m <= VALUES; m++) {
        for (int n = 0; n < NAMES; n++) {
            scenario_copy(&copy, &scenario);
            assert_true(edit_schedule(&copy, pg_family_find(names[n]), &refusal));
            copy.micro_batches = m;
            batch_add(batch, &copy);
        }
    }
    batch_add_impossible(batch, &scenario, "not today");
    scenario_free(&copy);
    scenario_free(&scenario);
    return batch;
}

static void assert_same(const struct figures *a, const struct figures *b)
{
    assert_int_equal(a->is_possible, b->is_possible);
    assert_int_equal(a->is_over_limit, b->is_over_limit);
    assert_string_equal(a->reason, b->reason);
    /* The numbers lie one behind the other, without a hole. */
    assert_memory_equal(&a->makespan, &b->makespan,
                        offsetof(struct figures, reason) - offsetof(struct figures, makespan));
}

static void figures_are_those_of_closed_forms(void **state)
{
    struct batch *batch = make();

    (void)state;
    assert_int_equal(batch_done(batch), 1);
    assert_null(batch_figures(batch, 0));
    run_batch(batch);
    assert_int_equal(batch_done(batch), batch->count);
    for (uint32_t m = 1; m <= VALUES; m++) {
        for (uint32_t n = 0; n < 2; n++) { /* gpipe and 1f1b */
            const struct figures *figures = batch_figures(batch, (m - 1) * NAMES + n);
            assert_true(figures->is_possible);
            assert_true(figures->makespan == 3.0 * (m + 3));
            assert_true(figures->floor == 3.0 * m);
            assert_true(fabs(figures->bubble_fraction - 3.0 / (m + 3)) < 1e-12);
            assert_true(fabs(figures->idle_over_ideal - 3.0 / m) < 1e-12);
            assert_true(fabs(figures->utilization - (double)m / (m + 3)) < 1e-12);
            assert_true(fabs(figures->throughput - m / (3.0 * (m + 3))) < 1e-12);
            assert_true(figures->peak_stash == (n == 0 || m < 4 ? m : 4));
        }
    }
    batch_release(&batch);
    assert_null(batch);
}

static void what_cannot_be_has_its_reason(void **state)
{
    struct batch *batch = make();

    (void)state;
    run_batch(batch);
    for (uint32_t m = 1; m <= VALUES; m++) { /* dualpipev needs M of at least 2P */
        const struct figures *figures = batch_figures(batch, (m - 1) * NAMES + 4);
        assert_int_equal(figures->is_possible, m >= 8);
        assert_int_equal(strstr(figures->reason, "dualpipev: needs M at least 2P = 8") != NULL, m < 8);
    }
    assert_string_equal(batch_figures(batch, batch->count - 1)->reason, "not today");
    batch_release(&batch);
}

static void a_stop_keeps_what_is_done(void **state)
{
    struct batch *batch = make();
    struct outcome scratch = {.block = NULL};

    (void)state;
    for (int i = 0; i < 7; i++)
        assert_true(batch_run_next(batch, &scratch));
    assert_true(batch_is_open(batch));
    batch_stop(batch);
    assert_false(batch_run_next(batch, &scratch));
    assert_false(batch_is_open(batch));
    assert_int_equal(batch_done(batch), 8);
    assert_true(batch_figures(batch, 6) != NULL && batch_figures(batch, 7) == NULL);
    outcome_free(&scratch);
    batch_release(&batch);
}

/* Nobody needs the cores for that: threads of one core change places as well. */
static void many_hands_give_the_same(void **state)
{
    struct batch *one = make(), *many = make();

    (void)state;
    run_batch(one);
    workers_run(many, NULL, NULL);
    assert_int_equal(batch_done(many), many->count);
    for (uint32_t i = 0; i < one->count; i++)
        assert_same(batch_figures(one, i), batch_figures(many, i));
    batch_release(&one);
    batch_release(&many);
}

static void followed_batches_take_turns(void **state)
{
    struct workers *workers = workers_make();
    struct batch *first = make(), *second = make();

    (void)state;
    assert_non_null(workers);
    assert_false(workers_are_busy(workers));
    workers_follow(workers, first);
    assert_true(workers_are_busy(workers));
    workers_follow(workers, second); /* before the first is through */
    assert_true(batch_is_stopped(first));
    batch_release(&first);           /* the workers still hold it */
    for (int i = 0; workers_are_busy(workers) && i < 1000; i++) {
        workers_follow(workers, second);
        workers_wait(workers, 100);
    }
    assert_false(workers_are_busy(workers));
    assert_int_equal(batch_done(second), second->count);
    workers_follow(workers, second); /* nothing is left to be done */
    assert_false(workers_are_busy(workers));
    batch_release(&second);

    second = make();
    workers_follow(workers, second);
    batch_stop(second);
    for (int i = 0; workers_are_busy(workers) && i < 1000; i++)
        workers_wait(workers, 100);
    assert_false(workers_are_busy(workers));
    batch_release(&second);

    second = make();
    workers_follow(workers, second);
    workers_free(workers); /* in the middle of it */
    assert_int_equal(second->refs, 1);
    batch_release(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_closed_forms),
        cmocka_unit_test(what_cannot_be_has_its_reason),
        cmocka_unit_test(a_stop_keeps_what_is_done),
        cmocka_unit_test(many_hands_give_the_same),
        cmocka_unit_test(followed_batches_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
