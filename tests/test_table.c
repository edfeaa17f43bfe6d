/* Schedule tables: text to an order and back. Small tables of our own for every mistake and its
 * place, every slip of the hand in tables that were right, all families there and back, and, where
 * they are at hand, the tables that PyTorch itself has written. */
#include "app/config_table.h"
#include "app/desk.h"
#include "driver.h"
#include "model/edit.h"
#include "model/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- help ---- */

static struct table *parse(const char *text, struct table_error *error)
{
    size_t length = strlen(text);
    char *exact = malloc(length + 1); /* no byte behind it that could be read by mistake */

    assert_non_null(exact);
    memcpy(exact, text, length);
    struct table *table = table_parse(exact, length, "dir/steps.csv", error);
    free(exact);
    return table;
}

static struct table *parse_good(const char *text)
{
    struct table_error error;
    struct table *table = parse(text, &error);

    if (table == NULL)
        fail_msg("%u:%u: %s\n%s", error.row, error.column, error.text, text);
    return table;
}

/* A scenario of this table (its reference is taken over), run and checked by the core's judge. */
static void run(struct outcome *outcome, struct table *table, const char *forward)
{
    struct scenario scenario;
    struct refusal refusal;
    struct report report;

    assert_true(scenario_init(&scenario));
    scenario_set_table(&scenario, table);
    assert_true(scenario_set(&scenario, PARAM_TRANSFER, "0.5", &report));
    assert_true(scenario_set(&scenario, PARAM_FORWARD, forward, &report));
    if (!outcome_run(outcome, &scenario, &refusal))
        fail_msg("%s", refusal.report.text);
    scenario_free(&scenario);
    assert_verified(&outcome->plan);
}

static char *table_text_of(const struct pg_plan *plan)
{
    size_t size = table_write_size(plan);
    char *buffer = malloc(size);
    struct text text;

    assert_non_null(buffer);
    text_init(&text, buffer, size);
    table_write(plan, &text);
    assert_false(text.is_cut);
    return buffer;
}

/* The table written again; it has to be `expected`. */
static void assert_becomes(const char *text, const char *expected)
{
    struct outcome outcome = {.block = NULL};
    struct table *table = parse_good(text);

    table_share(table);
    run(&outcome, table, "1");
    char *text_again = table_text_of(&outcome.plan);
    assert_string_equal(text_again, expected);
    free(text_again);
    outcome_free(&outcome);
    table_release(&table);
}

/* ---- forms ---- */

static void test_forms(void **state)
{
    static const char plain[] = "0F0,0F1,0B0,0B1\r\n1F0,1B0,1F1,1B1\r\n";

    (void)state;
    assert_becomes(plain, plain);
    assert_becomes("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1", plain);
    assert_becomes("\xef\xbb\xbf"
                   "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n\n\r\n",
                   plain);
    assert_becomes(" 0F0 ,, 0F1,  ,\"\",0B0,\"0B1\",\n,1F0,1B0,1F1,\t1B1,,\n", plain);
    assert_becomes("00F0,0F01,0B0,0B1\n1F0,1B0,1F1,1B1\n", plain);
    assert_becomes("0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0RESHARD,"
                   "0REDUCE_GRAD\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n",
                   plain);
}

static void test_kinds(void **state)
{
    static const char split[] = "0F0,1F0,1I0,1W0,0B0\r\n";
    static const char fused[] = "0F0,3F0,(0F1;3B0)OVERLAP_F_B,3F1,0B0,3B1,0B1\r\n"
                                "1F0,2F0,1F1,2B0,2F1,1B0,2B1,1B1\r\n";
    static const char inference[] = "0F0,0F1\r\n1F0,1F1\r\n";
    static const char ragged[] = "0F0,0F1,2F0,2B0,0B0,2F1,2B1,0B1\r\n1F0,1B0,1F1,1B1\r\n";
    struct table *table = parse_good(ragged);

    (void)state;
    assert_becomes(split, split);
    assert_becomes(fused, fused);
    assert_becomes(inference, inference);
    assert_becomes(ragged, ragged);
    assert_int_equal(table->core.devices, 2);
    assert_int_equal(table->core.stages, 3);
    assert_int_equal(table->core.slots, 2);
    assert_int_equal(table->core.micro_batches, 2);
    assert_string_equal(table_name(table), "steps.csv");
    table_release(&table);
}

static void test_old_names(void **state)
{
    struct table *old = parse_good("0F0,0B0,0W0,0F1,0BW1\n"),
                 *new = parse_good("0F0,0I0,0W0,0F1,0B1\n");
    struct table_error error;

    (void)state;
    assert_true(old->is_old_naming);
    assert_false(new->is_old_naming);
    assert_true(table_equal(old, new));
    table_release(&old);
    table_release(&new);
    assert_null(parse("0F0,0I0,0W0,0F1,0BW1\n", &error));
    assert_int_equal(error.column, 5);
    assert_non_null(strstr(error.text, "old name"));
}

static void test_lists(void **state)
{
    (void)state;
    assert_becomes("device,stage,micro_batch,kind,start,end\r\n1,1,0,B,3,5\n0,0,0,F,0,1\n"
                   "0,0,0,B,5.5,7.5\n1,1,0,F,1.5,2.5\n",
                   "0F0,0B0\r\n1F0,1B0\r\n");
    assert_becomes("device,stage,micro_batch,kind,start,end,replica,fused\n0,0,0,F,0,1,0,false\n"
                   "0,0,0,B,1,4,0,true\n0,0,1,F,1,4,0,true\n0,0,1,B,4,6,0,\n",
                   "0F0,(0F1;0B0)OVERLAP_F_B,0B1\r\n");
}

/* ---- mistakes ---- */

/* A row of forwards of stages 0 … count-1, the first one of the micro-batch. */
static void write_row(struct text *text, uint32_t count, uint32_t micro_batch)
{
    text_addf(text, "0F%u", micro_batch);
    for (uint32_t s = 1; s < count; s++)
        text_addf(text, ",%uF0", s);
    text_add(text, "\n");
}

/* Numbers that are good by themselves and too large together. */
static void test_too_much(void **state)
{
    struct table_error error;
    char row[1000];
    struct text text;

    (void)state;
    text_init(&text, row, sizeof row);
    write_row(&text, PG_MAX_CHUNKS + 1, 0);
    assert_null(parse(row, &error));
    assert_int_equal(error.row, 1);
    assert_int_equal(error.column, 65);
    assert_string_equal(error.text, "64F0 puts more than 64 stages on device 0");
    text_init(&text, row, sizeof row);
    write_row(&text, PG_MAX_CHUNKS, 0);
    struct table *table = parse_good(row);
    assert_int_equal(table->core.slots, 64);
    table_release(&table);
    /* 17 * 10^6 pairs are more than 2^24 */
    text_init(&text, row, sizeof row);
    write_row(&text, 17, 999999);
    assert_null(parse(row, &error));
    assert_int_equal(error.row, 1);
    assert_int_equal(error.column, 1);
    assert_non_null(strstr(error.text, "0F999999 is of micro-batch 999999, but there are not "
                                       "enough actions for 1000000 micro-batches of 17 stages"));
}

static void test_errors(void **state)
{
#define LIST "device,stage,micro_batch,kind,start,end"
    static const struct {
        const char *text;
        uint32_t row, column;
        const char *part;
    } cases[] = {
        {"", 0, 0, "empty"},
        {"\n\n", 0, 0, "no action"},
        {",,\n", 0, 0, "no action"},
        {"0UNSHARD\n", 0, 0, "no action"},
        {"0F0,0X0\n", 1, 2, "no known type"},
        {"0F0,0f0\n", 1, 2, "no known type"},
        {"0F0,F0\n", 1, 2, "'F0' is no action"},
        {"0F0,-1F0\n", 1, 2, "is no action"},
        {"0F0,0B\n", 1, 2, "no micro-batch"},
        {"0F0,0SEND_F\n", 1, 2, "no micro-batch"},
        {"0F0,0B0xyz\n", 1, 2, "goes on with 'xyz'"},
        {"0F0,0 B0\n", 1, 2, "no known type"},
        {"0F0,0UNSHARD1\n", 1, 2, "has a micro-batch"},
        {"0F0,0OVERLAP_F_B0\n", 1, 2, "no known type"},
        {"0F0;0B0\n", 1, 1, "goes on with ';0B0'"},
        {"0F0,\"0B0\n", 1, 2, "quote"},
        {"0F0,(0F1;0B0)\n", 1, 2, "is no pair"},
        {"0F0,(0F1;0B0)OVERLAP\n", 1, 2, "is no pair"},
        {"0F0,(0F1;0B0)OVERLAP_F_Bx\n", 1, 2, "is no pair"},
        {"0F0,(0F1)OVERLAP_F_B\n", 1, 2, "is no pair"},
        {"0F0,(0B0;0F1)OVERLAP_F_B\n", 1, 2, "is no pair"},
        {"0F0,(0F1;0B0;0B0)OVERLAP_F_B\n", 1, 2, "goes on with ';0B0'"},
        {"0F0,(0F1;0B0\n", 1, 2, "is no pair"},
        {"300000F0\n", 1, 1, "stage that is too large"},
        {"0F1000000\n", 1, 1, "micro-batch that is too large"},
        {"0F99999999999999999999\n", 1, 1, "micro-batch that is too large"},
        {"0F0,0B0\n0F1,0B1\n", 2, 1, "one device"},
        {"0F0,0B0\n2F0,2B0\n", 2, 1, "stage 1 has no action"},
        {"0F0,0B0\n\n1F0,1B0\n", 2, 1, "nothing to do"},
        {"0F0,0B0\n\"\"\n1F0,1B0\n", 2, 1, "nothing to do"},
        {"0F0,0B0\n1F0,1B0\n,\n1F1\n", 4, 1, "one device"},
        {"0F0,0F0,0B0\n", 1, 2, "twice: first in row 1, cell 1"},
        {"0F0,0B0,0I0\n", 1, 3, "beside 0B0 (row 1, cell 2)"},
        {"0F0,0F1,0B0,0B1,0W0\n", 1, 5, "beside 0B0 (row 1, cell 3)"},
        {"0F0,0F1,0B0\n", 1, 2, "0B1 is missing beside 0F1"},
        {"0F0,0B0,0B1\n", 1, 3, "0F1 is missing beside 0B1"},
        {"0F0,0I0\n", 1, 2, "0W0 is missing"},
        {"0F0,0F1,0I0,0W0,0W1\n", 1, 5, "0I1 is missing"},
        {"0F0,0B0\n1F0,1B0,0F1\n", 2, 3, "one device"},
        {"0F0,0B0,0F2,0B2\n", 1, 1, "0F1 is missing"},
        {"0F0,0F1,0B0,0B1\n1F0,1F9,1B0,1B1\n", 2, 2, "1F9 is of micro-batch 9, which most"},
        {"1F0,0F0,0F1,0B0,0B1\n1F1,1B0,1B1\n", 1, 1, "1F0 is on device 0, but 1F1 (row 2, cell 1)"},
        {"0F0,0F1,0B0,0BW1\n", 1, 4, "0BW1 has the old name"},
        {"0B0,0F0\n", 1, 1, "0B0 stands before 0F0 (cell 2)"},
        {"0F0,0W0,0I0\n", 1, 2, "0W0 stands before 0I0"},
        {"(0F0;0B0)OVERLAP_F_B\n", 1, 1, "0B0 stands before 0F0"},
        {"0F0,0B0,1SEND_F0\n", 1, 3, "no stage"},
        {"0F0,0B0,0SEND_F0\n", 1, 3, "no partner"},
        {"0F0,0SEND_F0,0B0\n1F0,1B0\n", 1, 2, "1RECV_F0 is missing on device 1"},
        {"0SEND_F0,0F0,0B0\n1RECV_F0,1F0,1B0\n", 1, 1, "before 0F0"},
        {"0F0,0SEND_F0,0B0\n1F0,1RECV_F0,1B0\n", 2, 1, "before 1RECV_F0"},
        {"0F0,0SEND_F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0\n", 1, 3, "twice"},
        {"0F0,0B0\n1F0,1B0,0SEND_F0\n", 2, 3, "one device"},
        {"0F0,0F1,0B0,0B1\n1F0,1F1,1B1,1B0\n0UNSHARD\n", 3, 1, "nothing to do"},
        {"0F0,1F0,1F1,0F1,0B0,0B1,1B0,1B1\n", 1, 3, "never ends"},
        {"0F0,0F1,0B0,0B1\n1F1,1B1,1F0,1B0,2B0\n2F0\n", 3, 1, "one device"},
        {LIST "\n", 0, 0, "no action"},
        {LIST "\n0,0,0,F,0,1\n0,0,0,B,1\n", 3, 5, "ends at cell 5"},
        {LIST "\n0,0,0,F,0,1,7\n", 2, 7, "the header has 6"},
        {LIST "\n0,0,0,F,0,1\n0,0,0,Q,1,2\n", 3, 4, "no kind"},
        {LIST "\n0,0,0,F,x,1\n", 2, 5, "no time"},
        {LIST "\n0,0,0.5,F,0,1\n", 2, 3, "no number"},
        {LIST "\n5000,0,0,F,0,1\n", 2, 1, "no device"},
        {LIST "\n1,0,0,F,0,1\n", 1, 1, "nothing to do"},
        {LIST ",replica\n0,0,0,F,0,1,1\n", 2, 7, "another replica"},
        {"device,stage\n0,0\n", 1, 1, "is no action"},
    };
    struct table_error error;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table *table = parse(cases[i].text, &error);
        if (table != NULL)
            fail_msg("taken: %s", cases[i].text);
        if (error.row != cases[i].row || error.column != cases[i].column ||
            strstr(error.text, cases[i].part) == NULL)
            fail_msg("%s\n%u:%u: %s\nis not %u:%u: %s", cases[i].text, error.row, error.column,
                     error.text, cases[i].row, cases[i].column, cases[i].part);
    }
    assert_null(table_parse("0F0\n0\0F", 7, "x", &error));
    assert_int_equal(error.row, 2);
}

/* ---- slips of the hand ---- */

#define MOST_CELLS 200

struct sheet {
    char cell[8][MOST_CELLS][32];
    uint32_t count[8], rows;
};

static void sheet_read(struct sheet *sheet, const char *text)
{
    *sheet = (struct sheet){.rows = 0};
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, ",\r\n");
        char *cell = sheet->cell[sheet->rows][sheet->count[sheet->rows]++];
        assert_true(length < 32 && sheet->rows < 8);
        memcpy(cell, at, length);
        cell[length] = '\0';
        at += length;
        if (*at == ',') {
            at++;
            continue;
        }
        at += strspn(at, "\r\n");
        sheet->rows++;
    }
}

static void insert_cell(struct sheet *sheet, uint32_t row, uint32_t at, const char *cell)
{
    memmove(sheet->cell[row][at + 1], sheet->cell[row][at],
            (sheet->count[row]++ - at) * sizeof sheet->cell[0][0]);
    strcpy(sheet->cell[row][at], cell);
}

static void remove_cell(struct sheet *sheet, uint32_t row, uint32_t at)
{
    memmove(sheet->cell[row][at], sheet->cell[row][at + 1],
            (--sheet->count[row] - at) * sizeof sheet->cell[0][0]);
}

/* Does the message name the action, or one of a pair? */
static bool is_named_in(const char *message, const char *cell)
{
    char name[32];
    bool is_pair = cell[0] == '(';

    strcpy(name, is_pair ? cell + 1 : cell);
    name[strcspn(name, ";")] = '\0';
    if (strstr(message, name) != NULL)
        return true;
    if (!is_pair)
        return false;
    strcpy(name, strchr(cell, ';') + 1);
    name[strcspn(name, ")")] = '\0';
    return strstr(message, name) != NULL;
}

/* Every change is refused with a word of what was changed, or is another order that runs. */
static void judge(const struct sheet *sheet, const struct table *original, const char *one,
                  const char *other)
{
    static char text[8 * MOST_CELLS * 33];
    struct table_error error;
    size_t length = 0;

    for (uint32_t r = 0; r < sheet->rows; r++)
        for (uint32_t c = 0; c < sheet->count[r] || c == 0; c++)
            length +=
                (size_t)sprintf(text + length, "%s%s", c < sheet->count[r] ? sheet->cell[r][c] : "",
                                c + 1 < sheet->count[r] ? "," : "\n");
    struct table *table = parse(text, &error);
    if (table != NULL) {
        struct outcome outcome = {.block = NULL};
        bool is_of_links = strchr(one, '_') != NULL || strchr(other, '_') != NULL;
        if (!is_of_links && table_equal(table, original))
            fail_msg("%s, %s: the same order\n%s", one, other, text);
        assert_false(table->is_old_naming);
        run(&outcome, table, "1.25");
        outcome_free(&outcome);
        return;
    }
    bool is_named = is_named_in(error.text, one) || is_named_in(error.text, other) ||
                    strstr(error.text, "never ends") != NULL;
    assert_true(error.row > 0);
    if (!is_named)
        fail_msg("%s, %s: %u:%u: %s\n%s", one, other, error.row, error.column, error.text, text);
}

static void slip(const struct sheet *good, const struct table *original, uint32_t r, uint32_t c)
{
    static struct sheet bad;
    const char *cell = good->cell[r][c];
    char changed[32];

    bad = *good;
    remove_cell(&bad, r, c);
    judge(&bad, original, cell, cell);
    for (uint32_t to = 0; to < good->rows; to++) {
        for (uint32_t at = 0; at <= good->count[to]; at++) {
            bad = *good;
            insert_cell(&bad, to, at, cell);
            judge(&bad, original, cell, cell);
        }
        for (uint32_t at = 0; at <= good->count[to] && to != r; at++) {
            bad = *good;
            remove_cell(&bad, r, c);
            insert_cell(&bad, to, at, cell);
            judge(&bad, original, cell, cell);
        }
    }
    for (uint32_t to = c + 1; to < good->count[r]; to++) {
        bad = *good;
        strcpy(bad.cell[r][c], good->cell[r][to]);
        strcpy(bad.cell[r][to], cell);
        judge(&bad, original, cell, good->cell[r][to]);
    }
    for (const char *kind = "FBIW"; *kind != '\0' && cell[0] != '(' && strchr(cell, '_') == NULL;
         kind++) {
        size_t at = strcspn(cell, "FBIW");
        if (cell[at] == *kind)
            continue;
        bad = *good;
        strcpy(changed, cell);
        changed[at] = *kind;
        strcpy(bad.cell[r][c], changed);
        judge(&bad, original, cell, changed);
    }
}

static char *export(const char *family, uint32_t devices, uint32_t chunks, uint32_t micro_batches,
                    struct outcome *outcome)
{
    struct scenario scenario;
    struct refusal refusal;
    char *text = NULL;

    assert_true(scenario_init(&scenario));
    scenario.schedule = pg_family_find(family);
    scenario.stages = devices;
    scenario.chunks = chunks;
    scenario.micro_batches = micro_batches;
    if (counts_legal(&scenario) && outcome_run(outcome, &scenario, &refusal))
        text = table_text_of(&outcome->plan);
    scenario_free(&scenario);
    return text;
}

static void slip_all(const char *text)
{
    static struct sheet good;
    struct table *original = parse_good(text);

    sheet_read(&good, text);
    for (uint32_t r = 0; r < good.rows; r++)
        for (uint32_t c = 0; c < good.count[r]; c++)
            slip(&good, original, r, c);
    table_release(&original);
}

static void test_slips(void **state)
{
    static const struct {
        const char *family;
        uint32_t devices, chunks, micro_batches;
    } cases[] = {{"1f1b", 3, 1, 4},        {"interleaved", 2, 2, 4}, {"zbv", 2, 2, 3},
                 {"zb1p", 2, 1, 4},        {"dualpipev", 2, 2, 4},   {"gpipe", 2, 1, 2},
                 {"forward-only", 3, 1, 3}};
    struct outcome outcome = {.block = NULL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = export(cases[i].family, cases[i].devices, cases[i].chunks,
                            cases[i].micro_batches, &outcome);
        assert_non_null(text);
        slip_all(text);
        free(text);
    }
    outcome_free(&outcome);
    slip_all("0F0,0F1,2F0,2B0,0B0,2F1,2B1,0B1\n1F0,1B0,1F1,1B1\n");
    slip_all("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
             "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n");
}

/* ---- all families ---- */

static void test_families(void **state)
{
    uint32_t count, tables = 0;
    const struct pg_family *families = pg_families(&count);
    struct outcome outcome = {.block = NULL}, again = {.block = NULL};

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 1; p <= 6 && families[i].placement != PG_BIDIRECTIONAL; p++)
            for (uint32_t v = 1; v <= (families[i].fixed_chunks ? 1 : 3); v++)
                for (uint32_t m = 1; m <= 12; m++) {
                    char *first = export(families[i].name, p, v, m, &outcome);
                    if (first == NULL)
                        continue;
                    run(&again, parse_good(first), "1");
                    char *second = table_text_of(&again.plan);
                    assert_string_equal(first, second);
                    assert_int_equal(outcome.plan.ops, again.plan.ops);
                    tables++;
                    free(first);
                    free(second);
                }
    assert_true(tables > 1000);
    outcome_free(&outcome);
    outcome_free(&again);
}

/* ---- the core ---- */

static void test_core(void **state)
{
    static const double one = 1;
    pg_code good[] = {0, (uint32_t)PG_BACKWARD << PG_CODE_ROW_SHIFT};
    uint32_t devices[] = {0};
    struct pg_table_run runs[] = {{good, 2}};
    struct pg_table table = {1, 1, 1, 1, false, devices, runs};
    struct pg_problem problem = {.family = pg_table_family(&table),
                                 .devices = 1,
                                 .chunks = 1,
                                 .micro_batches = 1,
                                 .forward = {&one, 1},
                                 .backward = {&one, 1},
                                 .fused = 1,
                                 .table = &table};
    pg_code bad[] = {1, 1u << 22, PG_CODE_FUSED_FIRST, PG_CODE_FUSED_SECOND};
    struct pg_arena arena;
    struct pg_plan plan;
    struct pg_fault fault;
    static char block[8192];

    (void)state;
    assert_true(pg_plan_size(&problem) > 0 && pg_plan_size(&problem) < sizeof block);
    pg_arena_init(&arena, block, sizeof block);
    assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pg_code codes[] = {0, bad[i]};
        runs[0].code = codes;
        pg_arena_init(&arena, block, sizeof block);
        size_t unused = arena.used;
        assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_E_PLACE);
        assert_int_equal(fault.index, 1);
        assert_int_equal(arena.used, unused);
    }
    pg_code turned[] = {good[1], good[0]};
    runs[0].code = turned;
    pg_arena_init(&arena, block, sizeof block);
    assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_E_DEADLOCK);
    assert_int_equal(fault.device, 0);
    assert_int_equal(fault.index, 0);
    assert_int_equal(fault.kind, PG_BACKWARD);
    devices[0] = 7;
    assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_E_PLACE);
    problem.table = NULL;
    assert_int_equal(pg_problem_check(&problem, &fault), PG_E_RULE);
    assert_null(pg_family_find("table"));
}

/* ---- scenarios ---- */

static const char steps[] = "0F0,0F1,2F0,2B0,0B0,2F1,2B1,0B1\n1F0,1B0,1F1,1B1\n";

static void test_scenario(void **state)
{
    struct scenario a, b;
    struct report report;
    struct refusal refusal;

    (void)state;
    memset(&b, 0, sizeof b);
    assert_true(scenario_init(&a));
    scenario_set_table(&a, parse_good(steps));
    scenario_copy(&b, &a);
    assert_true(scenario_equal(&a, &b));
    assert_ptr_equal(a.table, b.table);
    assert_int_equal(scenario_stages(&a), 3);
    assert_int_equal(scenario_chunks(&a), 2);
    assert_false(scenario_set(&a, PARAM_STAGES, "3", &report));
    assert_non_null(strstr(report.text, "the table steps.csv fixes P=2"));
    assert_true(scenario_set(&a, PARAM_STAGES, "2", &report));
    assert_false(edit_chunks(&a, 3, &refusal));
    assert_false(scenario_set(&a, PARAM_SCHEDULE, "file:x.csv", &report));
    assert_true(scenario_set(&a, PARAM_FORWARD, "1,2,3", &report));
    assert_true(edit_schedule(&a, pg_family_find("gpipe"), &refusal));
    assert_null(a.table);
    assert_int_equal(a.forward->n, 2); /* stages 0 and 2 were on device 0 */
    assert_true(a.forward->v[0] == 4 && a.forward->v[1] == 2);
    assert_false(scenario_equal(&a, &b));
    scenario_free(&a);
    scenario_free(&b);
}

static void test_session(void **state)
{
    struct session *session = session_make();
    struct scenario scenario;
    struct refusal refusal;
    struct snapshot snapshot;

    (void)state;
    assert_non_null(session);
    assert_true(scenario_init(&scenario));
    scenario_set_table(&scenario, parse_good(steps));
    assert_true(
        session_load(session, &scenario, &(struct origin){"steps.csv", NULL, false}, &refusal));
    static const enum command fixed[] = {COMMAND_STAGES_MORE, COMMAND_MICRO_LESS,
                                         COMMAND_CHUNKS_MORE};
    static const char *const says[] = {"the table fixes P=2", "the table fixes M=2",
                                       "the table fixes V=2"};
    for (int i = 0; i < 3; i++) {
        session_apply(session, fixed[i]);
        session_snapshot(session, &snapshot);
        assert_true(snapshot.is_error);
        assert_non_null(strstr(snapshot.message, says[i]));
    }
    for (enum command c = COMMAND_SCHEDULE_PREVIOUS; c <= COMMAND_SCHEDULE_NEXT; c++) {
        session_apply(session, c);
        session_snapshot(session, &snapshot);
        assert_null(snapshot.scenario->table);
        assert_false(snapshot.scenario->schedule->is_table);
        session_key(session, "u");
        session_snapshot(session, &snapshot);
        assert_ptr_equal(snapshot.scenario->table, scenario.table);
        assert_true(scenario_equal(snapshot.scenario, &scenario));
    }
    scenario_free(&scenario);
    session_free(session);
}

/* ---- files ---- */

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void read_ini(const char *text, const char *where, const char *says)
{
    struct config config;
    struct file_error error;

    put_file("sub/s.ini", text);
    bool is_good = config_read_file("sub/s.ini", &config, &error);
    if (is_good) {
        assert_null(says);
        assert_non_null(config.scenario.table);
        assert_int_equal(config.scenario.micro_batches, 2);
        config_free(&config);
    } else if (says == NULL || strcmp(error.where, where) != 0 ||
               strstr(error.report.text, says) == NULL) {
        fail_msg("%s: %s", error.where, error.report.text);
    }
}

static void test_files(void **state)
{
    char folder[] = "/tmp/table-XXXXXX", old[4096];
    struct scenario scenario;
    struct config config;
    struct file_error error;
    struct cli cli = {.action = ACTION_RUN};
    struct opened opened;
    struct outcome outcome = {.block = NULL};

    (void)state;
    assert_non_null(getcwd(old, sizeof old));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(system("mkdir sub"), 0);
    put_file("steps.csv", steps);
    put_file("sub/near.csv", steps);
    put_file("sub/bad.csv", "0F0,0B0x\n");
    read_ini("[pipeline]\nschedule = file:../steps.csv\n", NULL, NULL);
    read_ini("[pipeline]\nschedule = file:near.csv\nstages = 2\n[costs]\nforward = 1,2,3\n", NULL,
             NULL);
    read_ini("[pipeline]\nstages = 3\nschedule = file:near.csv\n", "sub/s.ini:2",
             "stages is 3: the table near.csv fixes P=2");
    read_ini("[pipeline]\nschedule = file:near.csv\nchunks = 1\n", "sub/s.ini:3", "fixes V=2");
    read_ini("[pipeline]\nschedule = file:none.csv\n", "sub/s.ini:2", "no such file");
    read_ini("[pipeline]\nschedule = file:bad.csv\n", "sub/bad.csv:1:2", "goes on with 'x'");

    assert_true(desk_open(&cli, "steps.csv", &opened, &outcome, &error));
    assert_string_equal(opened.name, "steps.csv");
    assert_string_equal(opened.path, "");
    char *ini = config_text_for(&opened.scenario, "sub/out.ini");
    assert_non_null(strstr(ini, "schedule = file:../steps.csv\n"));
    put_file("sub/out.ini", ini);
    free(ini);
    assert_true(config_read_file("sub/out.ini", &config, &error));
    assert_true(scenario_equal(&config.scenario, &opened.scenario));
    memset(&scenario, 0, sizeof scenario);
    scenario_copy(&scenario, &config.scenario);
    ini = config_text_for(&scenario, "out.ini");
    assert_non_null(strstr(ini, "schedule = file:steps.csv\n"));
    free(ini);
    scenario_free(&scenario);
    config_free(&config);
    opened_free(&opened);

    cli.values[PARAM_MICRO_BATCHES] = "3";
    assert_false(desk_open(&cli, "steps.csv", &opened, &outcome, &error));
    assert_string_equal(error.where, "--micro-batches");
    cli.values[PARAM_MICRO_BATCHES] = NULL;
    cli.values[PARAM_SCHEDULE] = "gpipe";
    assert_false(desk_open(&cli, "steps.csv", &opened, &outcome, &error));
    assert_string_equal(error.where, "--schedule");
    assert_true(desk_open(&cli, "sub/out.ini", &opened, &outcome, &error));
    assert_null(opened.scenario.table);
    opened_free(&opened);
    outcome_free(&outcome);
    assert_int_equal(chdir(old), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- PyTorch's own ---- */

static void test_real(void **state)
{
    const char *golden = getenv("PIPEGANTT_GOLDEN"), *source = getenv("SRCDIR");
    char command[4200], path[4096];
    int count = 0;

    (void)state;
    if (golden != NULL)
        snprintf(command, sizeof command, "find '%s/pytorch_csv' -name '*.csv' 2>/dev/null",
                 golden);
    else
        snprintf(command, sizeof command,
                 "find '%s/../shared/golden/pytorch_csv' -name '*.csv' 2>/dev/null",
                 source != NULL ? source : ".");
    FILE *list = popen(command, "r");
    assert_non_null(list);
    while (fgets(path, sizeof path, list) != NULL) {
        struct file_error error;
        struct outcome outcome = {.block = NULL}, again = {.block = NULL};
        path[strcspn(path, "\n")] = '\0';
        struct table *table = table_file_open(path, false, &error);
        if (table == NULL)
            fail_msg("%s: %s", error.where, error.report.text);
        assert_true(table->is_old_naming == (strstr(path, "old_naming") != NULL));
        run(&outcome, table, "1");
        char *first = table_text_of(&outcome.plan);
        run(&again, parse_good(first), "1");
        char *second = table_text_of(&again.plan);
        assert_string_equal(first, second);
        free(first);
        free(second);
        outcome_free(&outcome);
        outcome_free(&again);
        count++;
    }
    pclose(list);
    if (count == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_old_names), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_slips),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_families),  cmocka_unit_test(test_core),
        cmocka_unit_test(test_scenario),  cmocka_unit_test(test_session),
        cmocka_unit_test(test_files),     cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
