/* Shared by all fuzz harnesses: see fuzz.h. */
#include "fuzz.h"

#include "app/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: must be: %s\n", file, line, what);
    abort();
}

/* ---- bytes as numbers ---- */

uint32_t take_byte(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

uint32_t take_up_to(struct bytes *bytes, uint32_t most)
{
    uint32_t value = take_byte(bytes);

    if (most > 255)
        value |= take_byte(bytes) << 8;
    return value % (most + 1);
}

static double take_double(struct bytes *bytes)
{
    uint64_t bits = 0;
    double value;

    for (int i = 0; i < 8; i++)
        bits = bits << 8 | take_byte(bytes);
    memcpy(&value, &bits, sizeof value);
    return value;
}

double take_number(struct bytes *bytes)
{
    static const double rare[] = {0, -0.0, -1, NAN, INFINITY, 5e-324, 1e300, 1.7976931348623157e308};
    uint32_t byte = take_byte(bytes);

    if (byte < 128)
        return byte + 1;
    if (byte < 224)
        return (byte - 127) / 10.0;
    if (byte < 240)
        return ldexp(1 + take_byte(bytes) / 256.0, (int)(byte - 232) * 8);
    if (byte < 248)
        return take_double(bytes);
    return rare[byte - 248];
}

struct block fuzz_block(size_t size)
{
    struct block block;

    must(posix_memalign(&block.memory, 64, size + 8) == 0);
    pg_arena_init(&block.arena, (unsigned char *)block.memory + 8, size);
    block.mark = pg_arena_mark(&block.arena);
    return block;
}

/* ---- what must hold of anything ---- */

void check_text(const char *text)
{
    while (*text != '\0') {
        bool is_invalid;
        uint32_t c = text_decode_strict(&text, &is_invalid);
        must(!is_invalid);
        must(c == '\n' || !text_is_control(c));
    }
}

void check_sentence(const char *text)
{
    must(*text != '\0');
    must(strchr(text, '\n') == NULL);
    check_text(text);
}

bool is_about_equal(double a, double b, double scale)
{
    return a == b || fabs(a - b) <= 1e-9 * scale;
}

/* ---- scenarios ---- */

bool names_foreign_file(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 5 <= size; i++) {
        if (memcmp(data + i, "file:", 5) != 0)
            continue;
        for (size_t j = i + 5; j < size && data[j] != '\n' && data[j] != '\0'; j++)
            if (data[j] == '/')
                return true;
    }
    return false;
}

/* One that has no name in any folder, so that none is left behind; in memory, where that is known. */
const char *fuzz_file(const void *bytes, size_t size)
{
    static char name[40];
    static int file = -1;

#ifdef SYS_memfd_create
    if (file < 0)
        file = (int)syscall(SYS_memfd_create, "fuzz", 0u);
#endif
    if (file < 0) {
        FILE *stream = tmpfile();
        must(stream != NULL);
        file = fileno(stream);
    }
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    must(ftruncate(file, 0) == 0);
    must(pwrite(file, bytes, size, 0) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    return name;
}

double scenario_ops(const struct scenario *scenario)
{
    double slots = scenario->schedule->placement == PG_BIDIRECTIONAL ? 2 : 1;
    return slots * scenario_stages(scenario) * scenario->micro_batches *
           pg_family_ops(scenario->schedule);
}

void check_scenario(const struct scenario *scenario)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;

    if (scenario_ops(scenario) > FUZZ_MOST_JUDGED)
        return;
    if (outcome_run(&outcome, scenario, &refusal)) {
        must(outcome.plan.ops <= FUZZ_MOST_JUDGED);
        check_plan(&outcome.plan);
    } else {
        check_sentence(refusal.report.text);
    }
    outcome_free(&outcome);
}

void check_saving(const struct scenario *scenario)
{
    struct file_error error;
    struct config again;

    if (config_flaw(scenario) != NULL)
        return;
    char *text = config_text(scenario);
    must(text != NULL);
    /* A table is named in the text, and where it lies depends on where the text lies. */
    if (scenario->table == NULL) {
        FILE *stream = fmemopen(text, strlen(text), "r");
        must(stream != NULL);
        must(config_read(stream, "again.ini", &again, &error));
        fclose(stream);
        must(scenario_equal(scenario, &again.scenario));
        char *twice = config_text(&again.scenario);
        must(twice != NULL && strcmp(text, twice) == 0);
        free(twice);
        config_free(&again);
    }
    free(text);
}
