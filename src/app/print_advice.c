/* Advice as text, csv and json. The text has a line for what to do and one for why, then the table
 * of what each cost does; csv has one table for both, so that a script needs to know only one. */
#include "app/print.h"

#include "app/safe.h"
#include "app/workers.h"

#include <math.h>

/* Between commas: nothing where there is no number. */
static void number(FILE *out, double value, const char *none)
{
    char buffer[TEXT_NUMBER_SIZE];
    fputs(isfinite(value) ? number_write(buffer, value) : none, out);
}

static void brief(FILE *out, int width, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    if (isfinite(value))
        text_brief(&text, value);
    else
        text_add(&text, "-");
    fprintf(out, "%*s", width, buffer);
}

static bool has_figures(const struct suggestion *suggestion)
{
    return suggestion->can_apply && suggestion->figures.is_possible;
}

/* ---- text ---- */

static void print_slopes(FILE *out, const struct advice *advice)
{
    uint32_t costs = advice_cost_count(advice);

    fprintf(out, "\nmakespan per unit %-6s", "");
    for (uint32_t c = 0; c < costs; c++)
        fprintf(out, "%10s -%10s +", advice_letter((enum advice_cost)c),
                advice_letter((enum advice_cost)c));
    fputc('\n', out);
    for (uint32_t i = 0; i < advice->stage_count; i++) {
        fprintf(out, "stage %-18u", advice->stages[i].stage);
        for (uint32_t c = 0; c < costs; c++) {
            brief(out, 12, advice->stages[i].slope[c].shorter);
            brief(out, 12, advice->stages[i].slope[c].longer);
        }
        fputc('\n', out);
    }
    fprintf(out, "%-24s", "transfer");
    brief(out, 12, advice->transfer.shorter);
    brief(out, 12, advice->transfer.longer);
    fputc('\n', out);
}

static void print_line(FILE *out, const char *name, const char *words)
{
    fprintf(out, "%-14s ", name);
    safe_print(out, words);
    fputc('\n', out);
}

static void print_text_form(FILE *out, const struct advice *advice)
{
    for (int i = 0; i < ADVICE_KINDS; i++) {
        const struct suggestion *at = &advice->suggestion[i];
        print_line(out, advice_name((enum advice_kind)i), at->what);
        if (at->why[0] != '\0')
            print_line(out, "", at->why);
    }
    print_slopes(out, advice);
}

/* ---- csv ---- */

static void print_csv_form(FILE *out, const struct advice *advice)
{
    fputs("advice,what,applies,value_name,value,makespan,bubble_fraction,peak_memory,shorter,longer,"
          "why\n", out);
    for (int i = 0; i < ADVICE_KINDS; i++) {
        const struct suggestion *at = &advice->suggestion[i];
        bool has = has_figures(at);
        fprintf(out, "%s,", advice_name((enum advice_kind)i));
        safe_csv(out, at->what);
        fprintf(out, ",%s,%s,", at->can_apply ? "true" : "false",
                advice_value_name((enum advice_kind)i));
        number(out, at->value, "");
        const double figures[] = {at->figures.makespan, at->figures.bubble_fraction,
                                  at->figures.peak_memory};
        for (int f = 0; f < 3; f++) {
            fputc(',', out);
            number(out, has ? figures[f] : NAN, "");
        }
        fputs(",,,", out);
        safe_csv(out, at->why);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i <= advice->stage_count; i++) {
        bool is_transfer = i == advice->stage_count;
        for (uint32_t c = 0; c < (is_transfer ? 1 : advice_cost_count(advice)); c++) {
            const struct slope *slope = is_transfer ? &advice->transfer
                                                    : &advice->stages[i].slope[c];
            if (is_transfer)
                fputs("sensitivity,\"transfer\",false,,,,,,", out);
            else
                fprintf(out, "sensitivity,\"%s of stage %u\",false,,,,,,",
                        advice_letter((enum advice_cost)c), advice->stages[i].stage);
            number(out, slope->shorter, "");
            fputc(',', out);
            number(out, slope->longer, "");
            fputs(",\n", out);
        }
    }
}

/* ---- json ---- */

static void json_slope(FILE *out, const char *name, const struct slope *slope)
{
    fprintf(out, "\"%s\":{\"shorter\":", name);
    number(out, slope->shorter, "null");
    fputs(",\"longer\":", out);
    number(out, slope->longer, "null");
    fputc('}', out);
}

static void json_suggestion(FILE *out, const struct suggestion *at, enum advice_kind kind)
{
    fprintf(out, "{\"advice\":\"%s\",\"what\":", advice_name(kind));
    safe_json(out, at->what);
    fputs(",\"why\":", out);
    safe_json(out, at->why);
    fprintf(out, ",\"applies\":%s,\"%s\":", at->can_apply ? "true" : "false",
            advice_value_name(kind));
    number(out, at->value, "null");
    if (has_figures(at)) {
        fputs(",\"gives\":{\"makespan\":", out);
        number(out, at->figures.makespan, "null");
        fputs(",\"bubble_fraction\":", out);
        number(out, at->figures.bubble_fraction, "null");
        fputs(",\"peak_memory\":", out);
        number(out, at->figures.peak_memory, "null");
        fputc('}', out);
    }
    fputc('}', out);
}

static void print_json_form(FILE *out, const struct advice *advice)
{
    static const char *const names[ADVICE_COSTS] = {"forward", "backward", "weight"};

    fputs("{\"makespan\":", out);
    number(out, advice->present.makespan, "null");
    fputs(",\"target\":", out);
    number(out, advice->target, "null");
    fputs(",\"suggestions\":[", out);
    for (int i = 0; i < ADVICE_KINDS; i++) {
        fputs(i > 0 ? "," : "", out);
        json_suggestion(out, &advice->suggestion[i], (enum advice_kind)i);
    }
    fputs("],\"sensitivity\":{\"step\":", out);
    number(out, advice->step, "null");
    fprintf(out, ",\"all_stages\":%s,", advice->has_all_stages ? "true" : "false");
    json_slope(out, "transfer", &advice->transfer);
    fputs(",\"stages\":[", out);
    for (uint32_t i = 0; i < advice->stage_count; i++) {
        fprintf(out, "%s{\"stage\":%u", i > 0 ? "," : "", advice->stages[i].stage);
        for (uint32_t c = 0; c < advice_cost_count(advice); c++) {
            fputc(',', out);
            json_slope(out, names[c], &advice->stages[i].slope[c]);
        }
        fputc('}', out);
    }
    fputs("]}}\n", out);
}

bool print_advice(FILE *out, const struct scenario *scenario, struct outcome *outcome,
                  double target, enum families_form form)
{
    struct advice *advice = advice_make(scenario, outcome, target);

    if (advice == NULL)
        return false;
    for (struct batch *batch; (batch = advice_batch(advice)) != NULL;)
        workers_run(batch, NULL, NULL);
    bool is_done = !advice->is_out_of_memory;
    if (is_done && form == FAMILIES_CSV)
        print_csv_form(out, advice);
    else if (is_done && form == FAMILIES_JSON)
        print_json_form(out, advice);
    else if (is_done)
        print_text_form(out, advice);
    advice_free(&advice);
    return is_done;
}
