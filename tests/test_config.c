/* Scenario files: what is read, what is refused and at which line, and that what is written is read
 * back. Much of it is about lines longer than the buffer of inih, which must not be noticed. */
#include "app/config.h"
#include "driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- help ---- */

static bool read_bytes(const char *bytes, size_t count, struct config *config,
                       struct file_error *error)
{
    FILE *stream = count > 0 ? fmemopen((void *)(uintptr_t)bytes, count, "r") : tmpfile();

    assert_non_null(stream);
    memset(error, 0, sizeof *error);
    bool is_good = config_read(stream, "t.ini", config, error);
    fclose(stream);
    return is_good;
}

/* Of a file that has to be good. */
static void read_good(const char *text, struct config *config)
{
    struct file_error error;

    if (!read_bytes(text, strlen(text), config, &error))
        fail_msg("%s: %s in:\n%.2000s", error.where, error.report.text, text);
}

static void assert_error(const struct file_error *error, const char *where, const char *words)
{
    if (strcmp(error->where, where) != 0 || strstr(error->report.text, words) == NULL)
        fail_msg("'%s: %s' is not '%s: …%s…'", error->where, error->report.text, where, words);
    assert_int_equal(error->status, 2);
    for (const char *at = error->report.text; *at != '\0';)
        assert_false(text_is_control(text_decode(&at)));
}

/* Of a file that must be refused at a line, with a sentence that has `words` in it. */
static void assert_bad(const char *text, unsigned line, const char *words)
{
    struct config config;
    struct file_error error;
    char where[32];

    if (read_bytes(text, strlen(text), &config, &error))
        fail_msg("accepted: %.2000s", text);
    snprintf(where, sizeof where, "t.ini:%u", line);
    assert_error(&error, where, words);
}

/* Both files say the same. */
static void assert_same(const char *one, const char *other)
{
    struct config a, b;

    read_good(one, &a);
    read_good(other, &b);
    if (!scenario_equal(&a.scenario, &b.scenario))
        fail_msg("not the same:\n%s\n---\n%s", one, other);
    config_free(&a);
    config_free(&b);
}

static void assert_costs(const struct scenario *scenario, enum param param, uint32_t n,
                         const double *expected)
{
    assert_int_equal(scenario_stages(scenario), n);
    double *spread = calloc(n, sizeof *spread);
    assert_non_null(spread);
    costs_effective(scenario, param, spread);
    for (uint32_t i = 0; i < n; i++)
        if (spread[i] != expected[i])
            fail_msg("stage %u: %g, not %g", i, spread[i], expected[i]);
    free(spread);
}

/* A new text, to be freed, with `from` replaced by `to` everywhere. */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *result = malloc(strlen(text) * (strlen(to) + 1) + 1), *out = result;

    assert_non_null(result);
    while (*text != '\0') {
        bool is_here = strncmp(text, from, strlen(from)) == 0;
        out += sprintf(out, "%.*s", is_here ? (int)strlen(to) : 1, is_here ? to : text);
        text += is_here ? strlen(from) : 1;
    }
    *out = '\0';
    return result;
}

/* ---- what is read ---- */

static const char plain[] = "[scenario]\n"
                            "title = One slow stage\n"
                            "notes = Watch stage 2.\n"
                            "    It is slow.\n"
                            "time = ms\n"
                            "\n"
                            "[pipeline]\n"
                            "schedule = 1f1b\n"
                            "stages = 3\n"
                            "micro_batches = 16\n"
                            "chunks = 1\n"
                            "transfer = 0.125\n"
                            "hold = model\n"
                            "\n"
                            "[costs]\n"
                            "forward = 1, 2,\n"
                            "    3\n"
                            "backward = 2.5\n";

static void every_key_is_read(void **state)
{
    struct config config;

    (void)state;
    read_good(plain, &config);
    const struct scenario *s = &config.scenario;
    assert_string_equal(string_text(s->title), "One slow stage");
    assert_string_equal(string_text(s->notes), "Watch stage 2.\nIt is slow.");
    assert_string_equal(string_text(s->time), "ms");
    assert_string_equal(s->schedule->name, "1f1b");
    assert_int_equal(s->stages, 3);
    assert_int_equal(s->micro_batches, 16);
    assert_int_equal(s->chunks, 1);
    assert_true(s->transfer == 0.125);
    assert_int_equal(s->hold, HOLD_MODEL);
    assert_costs(s, PARAM_FORWARD, 3, (double[]){1, 2, 3});
    assert_costs(s, PARAM_BACKWARD, 3, (double[]){2.5, 2.5, 2.5});
    assert_false(config.has_comments);
    assert_int_equal(config.lines[PARAM_TITLE], 2);
    assert_int_equal(config.lines[PARAM_TIME], 5);
    assert_int_equal(config.lines[PARAM_FORWARD], 16);
    assert_int_equal(config.lines[PARAM_BACKWARD], 18);
    assert_int_equal(config.lines[PARAM_LAYERS], 0);
    config_free(&config);
}

static void layers_are_read(void **state)
{
    struct config config;

    (void)state;
    read_good(
        "[layers]\ncost = 0.2, 3*4/8,\n 4.8/9.6\nsplit = 1,\n 1, 1,\n 2\nbackward_ratio = 3\n",
        &config);
    assert_int_equal(layer_count(&config.scenario), 5);
    assert_int_equal(config.scenario.split, SPLIT_GIVEN);
    assert_true(config.scenario.counts->v[3] == 2);
    assert_true(config.scenario.backward_ratio == 3);
    config_free(&config);
}

static void nothing_at_all_is_the_default(void **state)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "\n\n\r\n",
                                        " \t\n",
                                        "; only this\n",
                                        "# x",
                                        "[costs]",
                                        "[layers]\n",
                                        "[scenario]\n[pipeline]\n",
                                        "\xef\xbb\xbf",
                                        "[scenario]\ntitle =\nnotes =\n"};
    struct scenario fresh;

    (void)state;
    assert_true(scenario_init(&fresh));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct config config;
        read_good(texts[i], &config);
        assert_true(scenario_equal(&config.scenario, &fresh));
        config_free(&config);
    }
    scenario_free(&fresh);
}

static void lines_end_and_files_begin_in_many_ways(void **state)
{
    char *crlf = replaced(plain, "\n", "\r\n"), bom[sizeof plain + 3], unended[sizeof plain];
    char *comments = replaced(plain, "\n", " ; x = [y]\n"),
         *whole = replaced(plain, "\n", "\n#c\n;d\n");
    char *spaced = replaced(plain, " = ", "\t=  "), *tight = replaced(plain, " = ", "=");
    char *colon = replaced(plain, " = ", ": "), *tails = replaced(plain, "\n", " \t\n");

    (void)state;
    snprintf(bom, sizeof bom, "\xef\xbb\xbf%s", plain);
    memcpy(unended, plain, sizeof plain);
    unended[sizeof plain - 2] = '\0';
    assert_same(plain, crlf);
    assert_same(plain, bom);
    assert_same(plain, unended);
    assert_same(plain, comments);
    assert_same(plain, whole);
    assert_same(plain, spaced);
    assert_same(plain, tight);
    assert_same(plain, colon);
    assert_same(plain, tails);
    free(crlf);
    free(comments);
    free(whole);
    free(spaced);
    free(tight);
    free(colon);
    free(tails);
}

static void comments_are_seen(void **state)
{
    static const char *const with[] = {"; x\n",
                                       "#\n",
                                       "  ; x",
                                       "[costs] ; x\n",
                                       "[costs]\nforward = 1 ;x",
                                       "[costs]\nforward = 1,\n  2,;\n",
                                       "[costs]\nforward = 1\n   # indented\n"};
    static const char *const without[] = {"[scenario]\ntitle = a;b # c\n", "\n", plain};
    struct config config;

    (void)state;
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        if (i == 5) /* "2,;" is no comment and no number either */
            continue;
        read_good(with[i], &config);
        assert_true(config.has_comments);
        config_free(&config);
    }
    assert_bad(with[5], 3, "';'");
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        read_good(without[i], &config);
        assert_false(config.has_comments);
        config_free(&config);
    }
}

static void lists_go_on_over_lines(void **state)
{
    (void)state;
    assert_same("[costs]\nforward = 1, 2, 3, 4\n",
                "[costs]\nforward =\n  1, 2,\n\t3\n\n ; c\n 4\n");
    assert_same("[costs]\nforward = 1, 2, 3, 4\n", "[costs]\nforward = 1\n 2\n 3\n 4\n");
    assert_same("[costs]\nforward = 1, 2, 3, 4\n",
                "[costs]\nforward = 1\n ,2\n ,3 ; x\n , 4 ; y\n");
    assert_same("[layers]\ncost = 1, 9*2/3\n", "[layers]\ncost = 1,\n      9*2/3\n");
    assert_same("[layers]\nsplit = 1, 3*2\ncost = 7*1", "[layers]\ncost = 7*1\nsplit = 1\n\n  3*2");
    assert_same("[layers]\ncost = 9*1\nsplit = uniform\n",
                "[layers]\ncost =\n 9*1\nsplit =\n  uniform\n");
    assert_same("[pipeline]\nstages = 2\n\n[costs]\nforward = 1,2", "[costs]\nforward = 1\n  2\n"
                                                                    "[pipeline]\n  stages = 2");
}

static void notes_keep_their_lines(void **state)
{
    struct config config;

    (void)state;
    read_good(
        "[scenario]\nnotes =\n\n   First, x = 2: [y]\n ; not this\n\n\n   Last.;#\n\n[costs]\n",
        &config);
    assert_string_equal(string_text(config.scenario.notes), "First, x = 2: [y]\n\n\nLast.;#");
    config_free(&config);
    read_good("[scenario]\nnotes = a\n   b ; c\n   # d\n   e\n", &config);
    assert_string_equal(string_text(config.scenario.notes), "a\nb\ne");
    config_free(&config);
    assert_bad("[scenario]\nnotes = a\n  b\n  [costs]\nforward = 1\n", 4, "notes of line 2");
}

static void texts_are_made_printable(void **state)
{
    struct config config;
    const char text[] = "[scenario]\ntitle = \033[31m\xff\xc3\xa4\x01 \xc2\x9b\xe2\x80\xae\n"
                        "notes = a\r\r\n  b\rc\n";

    (void)state;
    read_good(text, &config);
    assert_string_equal(
        string_text(config.scenario.title),
        "\xef\xbf\xbd[31m\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(string_text(config.scenario.notes), "a\nb\xef\xbf\xbd"
                                                            "c");
    config_free(&config);
}

/* ---- long lines ---- */

/* Texts of every length around one, two and three buffers, of whatever inih could stumble over at
 * their seams: blanks, signs of comments, keys and sections, and the mark that is put there. */
static void long_texts_are_whole(void **state)
{
    static const char signs[] = "  \t;;##==::[]\x01\x01,é\xff"
                                "abc";
    uint64_t dice = 11;

    (void)state;
    for (uint32_t length = 1, step = rounds(50) < 50 ? 50 : 1; length < 700; length += step) {
        for (int way = 0; way < 6; way++) {
            char title[800], text[2000], expected[3000];
            struct text printable;
            struct config config;
            for (uint32_t i = 0; i < length; i++)
                title[i] = way == 0 ? 'x' : way == 1 ? ' ' : signs[roll(&dice, sizeof signs - 1)];
            title[0] = title[length - 1] = 'x'; /* blanks at the ends are taken off */
            for (uint32_t i = 1; i < length; i++)
                if (title[i] == ';' && (title[i - 1] == ' ' || title[i - 1] == '\t'))
                    title[i] = '=';
            title[length] = '\0';
            snprintf(text, sizeof text, "[scenario]\ntitle = %s\ntime = s\nnotes = a\n  %s\n",
                     title, title);
            read_good(text, &config);
            text_init(&printable, expected, sizeof expected);
            text_printable(&printable, title);
            assert_string_equal(string_text(config.scenario.title), expected);
            assert_string_equal(string_text(config.scenario.time), "s");
            assert_string_equal(string_text(config.scenario.notes) + 2, expected);
            assert_int_equal(config.lines[PARAM_TIME], 3);
            config_free(&config);
        }
    }
}

/* A list in one line, and a mistake in the line after it. */
static void long_lists_are_whole(void **state)
{
    static const uint32_t counts[] = {1,  2,  25, 40, 41, 42, 43,  44,
                                      45, 46, 47, 48, 49, 50, 128, 4096};
    static char text[80000];

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int way = 0; way < 4; way++) {
            struct config config;
            struct text out;
            double expected[4096];
            text_init(&out, text, sizeof text);
            text_addf(&out, "[pipeline]\nstages = %u\n[costs]\nforward%*s=", counts[i], way, "");
            for (uint32_t k = 0; k < counts[i]; k++) {
                char number[16];
                snprintf(number, sizeof number, way == 2 ? "%u.%03u000" : "%u.%03u", 1 + k / 1000,
                         k % 1000);
                expected[k] = strtod(number, NULL);
                text_addf(&out, "%s%s%s", k > 0 ? "," : "", way < 2 ? " " : "", number);
            }
            text_add(&out, "\n");
            read_good(text, &config);
            assert_costs(&config.scenario, PARAM_FORWARD, counts[i], expected);
            assert_int_equal(config.lines[PARAM_FORWARD], 4);
            config_free(&config);
            text_add(&out, "bad = 1\n");
            assert_false(out.is_cut);
            assert_bad(text, 5, "'bad' is no key of [costs]");
        }
    }
}

/* The same at every possible offset to the buffer, the value itself being at the seam. */
static void seams_change_no_number(void **state)
{
    (void)state;
    for (int blanks = 0; blanks < 420; blanks++) {
        char text[3000];
        struct config config;
        snprintf(text, sizeof text, "[pipeline]\nstages=%*s12\ntransfer = %*s\n", blanks, "",
                 blanks + 7, "1234.5");
        read_good(text, &config);
        assert_int_equal(config.scenario.stages, 12);
        assert_true(config.scenario.transfer == 1234.5);
        config_free(&config);
        snprintf(text, sizeof text,
                 "[pipeline]\nstages = 2\n[costs]\nforward = %*s,%*s12345.678\n"
                 "backward = 1, ;%*s, 3\n  2%*s; x\n",
                 blanks + 3, "2e3", blanks, "", blanks, "", blanks + 1, "");
        read_good(text, &config);
        assert_costs(&config.scenario, PARAM_FORWARD, 2, (double[]){2000, 12345.678});
        assert_costs(&config.scenario, PARAM_BACKWARD, 2, (double[]){1, 2});
        config_free(&config);
    }
}

/* Comments as long as lines can be, with things in them that are none. */
static void long_comments_are_nothing(void **state)
{
    static char text[140000];
    struct config config;

    (void)state;
    for (int length = 150; length < 450; length++) {
        snprintf(text, sizeof text,
                 "; %*s = 1, [x] stages = 9\n[pipeline] ;%*s[costs]\nstages = 2\n", length, "",
                 length, "");
        read_good(text, &config);
        assert_int_equal(config.scenario.stages, 2);
        assert_int_equal(config.lines[PARAM_STAGES], 3);
        config_free(&config);
    }
}

static void a_line_has_64_kib(void **state)
{
    static char text[65536 + 100];
    struct config config;
    int length = snprintf(text, sizeof text, "[scenario]\ntitle = ");

    (void)state;
    memset(text + length, 'x', 65536 - 8);
    strcpy(text + length + 65536 - 8, "\ntime = s\n");
    read_good(text, &config);
    assert_int_equal(strlen(string_text(config.scenario.title)), 65536 - 8);
    assert_int_equal(config.lines[PARAM_TIME], 3);
    config_free(&config);
    strcpy(text + length + 65536 - 8, "\r\nbad\r\n");
    assert_bad(text, 3, "'bad'");
    strcpy(text + length + 65536 - 8, "x\ntime = s\n");
    assert_bad(text, 2, "longer than 64 KiB");
    text[0] = ';';
    memset(text + 1, ' ', 65536);
    strcpy(text + 65537, "\n");
    assert_bad(text, 1, "longer than 64 KiB");
    strcpy(text + 65536, "\nx");
    assert_bad(text, 2, "'x'");
}

static void a_file_has_16_mib(void **state)
{
    const size_t most = (size_t)16 << 20;
    char *text = malloc(most + 2);
    struct config config;
    struct file_error error;

    (void)state;
    assert_non_null(text);
    memset(text, '\n', most + 1);
    memcpy(text + most - 20, "[pipeline]\nstages=3\n", 20);
    assert_true(read_bytes(text, most, &config, &error));
    assert_int_equal(config.scenario.stages, 3);
    assert_int_equal(config.lines[PARAM_STAGES], most - 20 + 2);
    config_free(&config);
    assert_false(read_bytes(text, most + 1, &config, &error));
    assert_error(&error, "t.ini", "16 MiB");
    free(text);
}

/* ---- what is refused, and where ---- */

static void mistakes_have_their_line(void **state)
{
    static const struct {
        unsigned line;
        const char *words, *text;
    } cases[] = {
        /* sections */
        {1, "[cost] is no section: there are [scenario], [pipeline], [costs], [layers], [stage N]",
         "[cost]\n"},
        {3, "[Costs] is no section", "\n; c\n[Costs]\n"},
        {1, "[] is no section", "[]\n"},
        {1, "[ costs ] is no section", "[ costs ]\n"},
        {2, "[costs] is there twice: first in line 1", "[costs]\n[costs]\n"},
        {4, "[costs] is there twice", "[costs]\nforward = 1\n[pipeline]\n[costs]\n"},
        {2, "needs a ']'", "[costs]\n[pipeline\nstages = 4\n"},
        {1, "needs a ']'", "[costs ; ]\n"},
        {1, "nothing may follow the ']'", "[costs] x\n"},
        {1, "nothing may follow the ']'", "[costs]]\n"},
        /* keys */
        {1, "before the first [section]", "stages = 4\n[pipeline]\n"},
        {1, "'hello': neither", "hello\n"},
        {3, "'stages': neither", "[pipeline]\n\nstages\nmicro_batches = 4\n"},
        {2, "'stages': neither", "[pipeline]\nstages ; = 4\n"},
        {2, "no key before the '='", "[pipeline]\n=5\n"},
        {2, "no key before the '='", "[pipeline]\n = 5\n"},
        {2, "no key before the '='", "[pipeline]\n= 5\n  a=b\n  =\n"},
        {2, "'stage' is no key of [pipeline]: it has schedule, stages,", "[pipeline]\nstage = 4\n"},
        {2, "(stages belongs into [pipeline])", "[costs]\nstages = 4\n"},
        {2, "'Stages' is no key", "[pipeline]\nStages = 4\n"},
        {2, "'cost' is no key", "[costs]\ncost = 4\n"},
        {2, "is no key of [pipeline]", "[pipeline]\n\xff\033[m = 4\n"},
        {4, "stages is there twice: first in line 2",
         "[pipeline]\nstages = 4\nchunks = 1\nstages = 4\n"},
        {3, "stages is there twice", "[pipeline]\nstages = 4\nstages = x\n"},
        /* values */
        {2, "stages is '': a value is needed", "[pipeline]\nstages =\n"},
        {2, "stages is '': a value is needed", "[pipeline]\nstages = ; four\nchunks = 0\n"},
        {2, "forward is '': a value is needed", "[costs]\nforward =\n\nbackward = 1\n"},
        {2, "stages is '0'", "[pipeline]\nstages = 0\n"},
        {2, "stages is '4097'", "[pipeline]\nstages = 4097\n"},
        {2, "chunks is '65'", "[pipeline]\nchunks = 65\n"},
        {2, "micro_batches is '1000001'", "[pipeline]\nmicro_batches = 1000001\n"},
        {2, "micro_batches is '4 # four'", "[pipeline]\nmicro_batches = 4 # four\n"},
        {2, "transfer is '-1'", "[pipeline]\ntransfer = -1\n"},
        {2, "transfer is 'nan'", "[pipeline]\ntransfer = nan\n"},
        {2, "transfer is '1,5'", "[pipeline]\ntransfer = 1,5\n"},
        {2, "schedule is 'pipedream'", "[pipeline]\nschedule = pipedream\n"},
        {2, "hold is 'all'", "[pipeline]\nhold = all\n"},
        {2, "forward is '0'", "[costs]\nforward = 0\n"},
        {2, "backward_ratio is '0'", "[layers]\nbackward_ratio = 0\n"},
        {2, "split is 'even'", "[layers]\nsplit = even\n"},
        {2, "F, F/B or N*F/B, with", "[layers]\ncost = 3*\n"},
        {2, "notes is '; x': a line must not", "[scenario]\nnotes =; x\n"},
        {2, "notes is '# x': a line must not", "[scenario]\nnotes = # x\n"},
        /* lists of several lines: where the value stands */
        {2, "forward, value 1, is 'x'", "[costs]\nforward = x,\n  2, 3, 4\n"},
        {3, "forward, value 3, is 'x'", "[costs]\nforward = 1, 2,\n  x,\n  4\n"},
        {6, "forward, value 4, is '-4'",
         "[costs]\nforward = 1, 2,\n\n  3 ; three\n  ; four\n  -4\n"},
        {4, "forward, value 1, is 'x'", "[costs]\nforward =\n\n  x, 2, 3, 4\n"},
        {4, "forward, value 4, is ''", "[costs]\nforward = 1,\n  2,\n  3,\n"},
        {3, "forward, value 2, is ''", "[costs]\nforward = 1,\n  ,2,\n  3, x\n"},
        {4, "layer cost, value 4, is 'y'", "[layers]\ncost = 3*1,\n  3*2\n  2/3, y\n"},
        {3, "number of layers is '66000'", "[layers]\ncost = 60000*1,\n  6000*2,\n  7\n"},
        {4, "split is", "[layers]\nsplit = 1,\n  2\n  0\n"},
        {3, "split is", "[layers]\nsplit = balanced\n  2\n"},
        /* the first mistake counts */
        {2, "stages is 'x'", "[pipeline]\nstages = x\nstages = 4\n[nonsense]\n"},
        {2, "forward, value 2, is 'x'", "[costs]\nforward = 1, x\n  [pipeline]\n"},
        {2, "stages is 'x'", "[pipeline]\nstages = x\n  4\n"},
        /* indented lines */
        {3, "goes on with stages of line 2", "[pipeline]\nstages = 4\n  8\n"},
        {3, "goes on with stages of line 2", "[pipeline]\nstages = 4\n  micro_batches = 8\n"},
        {4, "goes on with title of line 2", "[scenario]\ntitle = a\n\n\tb\n"},
        {3, "goes on with forward of line 2", "[costs]\nforward = 1\n  backward = 2\n"},
        {4, "goes on with forward of line 2", "[costs]\nforward = 1,\n  2\n  [pipeline]\n"},
        {3, "goes on with split of line 2", "[layers]\nsplit = uniform\n  [x]\n"},
        {3, "goes on with schedule of line 2", "[pipeline]\nschedule = gpipe\n  [costs]\n"},
        /* carriage returns */
        {1, "carriage return inside a comment", "; mac\r[pipeline]\rstages = 4\r"},
        {1, "nothing may follow", "[pipeline]\rstages = 4\r"},
        {1, "carriage return inside a comment", "[pipeline] ; x\rstages = 5\r\n"},
        /* stages */
        {1, "needs the number of a stage", "[stage]\n"},
        {1, "needs the number of a stage", "[stage x]\n"},
        {1, "needs the number of a stage", "[stage -1]\n"},
        {1, "needs the number of a stage", "[stage 1.0]\n"},
        {1, "[stage1] is no section", "[stage1]\n"},
        {1, "there is no stage 4: of 4 stages the last is stage 3", "[stage 4]\n"},
        {3, "there is no stage 7",
         "[stage 3]\nforward = 1\n[stage 7]\n[pipeline]\nstages = 7\n[stage 9]\n"},
        {1, "there is no stage 3", "[stage 3]\n[pipeline]\nstages = 3\n"},
        {1, "there is no stage 99999999999999999999", "[stage  99999999999999999999]\n"},
        {1, "at most 262144", "[stage 262144]\n"},
        {3, "[stage 2] is there twice: first in line 1", "[stage 2]\n[stage 1]\n[stage 2]\n"},
        {2, "[stage 02] is there twice", "[stage 2]\n[stage 02]\n"},
        {3, "forward is there twice: first in line 2", "[stage 2]\nforward = 1\nforward = 2\n"},
        {2, "'stages' is no key of [stage N]: it has forward, backward", "[stage 2]\nstages = 1\n"},
        {2, "forward is '0'", "[stage 2]\nforward = 0\n"},
        {2, "forward is ''", "[stage 2]\nforward =\n"},
        {2, "forward has 2 values: one is needed", "[stage 2]\nforward = 1, 2\n"},
        {2, "forward has 2 values: one is needed", "[stage 2]\nforward = 1\n  2\n"},
        /* layers beside costs per stage, in any order: the later of the two */
        {3, "forward cannot stand beside [layers] (line 1)", "[layers]\n[costs]\nforward = 1\n"},
        {4, "backward cannot stand beside [layers]",
         "[layers]\ncost = 4*1\n[costs]\nbackward = 1\n"},
        {3, "[layers] cannot stand beside [costs] forward (line 2)",
         "[costs]\nforward = 1\n[layers]\n"},
        {4, "[layers] cannot stand beside [costs] backward (line 2)",
         "[costs]\nbackward = 1\n\n[layers]\ncost = 4*1\n"},
        {2, "[stage 0] cannot stand beside [layers] (line 1)", "[layers]\n[stage 0]\n"},
        {2, "[layers] cannot stand beside [stage N] (line 1)", "[stage 0]\n[layers]\n"},
        {3, "[layers] cannot stand beside [stage N] (line 1)", "[stage 3]\n\n[layers]\n"},
        /* what only the whole shows */
        {4, "forward has 3 values: 1 or 4", "[pipeline]\nstages = 4\n[costs]\nforward = 1, 2, 3\n"},
        {2, "forward has 3 values: 1 or 4",
         "[costs]\nforward = 1,\n  2,\n  3\n[pipeline]\nstages = 4\n"},
        {3, "backward has 5 values", "[costs]\nforward = 1,2,3,4\nbackward = 1,2,3,4,5\n"},
        {2, "forward has 3 values", "[costs]\nforward = 1,2,3\n[stage 2]\nforward = 4\n"},
        {2, "split is for layers, but [layers] has no cost", "[layers]\nsplit = uniform\n"},
        {2, "backward_ratio is for layers", "[layers]\nbackward_ratio = 2\n[pipeline]\n"},
        {2, "3 layers cannot fill 4 stages", "[layers]\ncost = 3*1\nsplit = uniform\n"},
        {3, "split has 3 counts", "[layers]\ncost = 4*1\nsplit = 1,1,2\n"},
        {2, "split adds up to 5", "[layers]\nsplit = 1,1,1,2\ncost = 4*1\n"},
        {2, "forward of stage 3 is 0", "[layers]\ncost = 1,1,1,0\nsplit = uniform\n"},
        {3, "16777216", "[pipeline]\nstages = 4096\nmicro_batches = 1e6\n[costs]\nforward = 1\n"},
        {3, "16777216",
         "[pipeline]\nmicro_batches = 1e6\nstages = 9\n[costs]\nforward = 1\n[stage 3]\n; x\n"
         "forward = 3\n[scenario]\ntitle = x\n"},
        {5, "more than a number can hold",
         "[pipeline]\nstages = 1\nmicro_batches = 1e6\n[layers]\ncost = 65536*1e300\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *crlf = replaced(cases[i].text, "\n", "\r\n");
        assert_bad(cases[i].text, cases[i].line, cases[i].words);
        assert_bad(crlf, cases[i].line, cases[i].words);
        free(crlf);
    }
}

/* A long line before it changes nothing about where a mistake is. */
static void mistakes_behind_long_lines(void **state)
{
    static const char *const keys[] = {"[scenario]\ntitle = %*sx\n[pipeline]\nstages = x\n",
                                       "[scenario]\nnotes = %*sx\n[pipeline]\nstages = x\n",
                                       "; %*s\n\n[pipeline]\nstages = x\n",
                                       "[costs]\nforward =%*s1\n[pipeline]\nstages = x\n"};

    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        for (int length = 150; length < 420; length++) {
            char text[1000];
            const char *gap = strstr(keys[k], "%*s");
            snprintf(text, sizeof text, "%.*s%*s%s", (int)(gap - keys[k]), keys[k], length, "",
                     gap + 3);
            assert_bad(text, 4, "stages is 'x'");
        }
    }
    for (int length = 100; length < 420; length++) {
        char text[1000], key[500];
        memset(key, 'k', (size_t)length);
        key[length] = '\0';
        snprintf(text, sizeof text, "[pipeline]\n%s = 1\nstages = 0\n", key);
        assert_bad(text, 2, "kkk");
        snprintf(text, sizeof text, "[%s]\nstages = 0\n", key);
        assert_bad(text, 1, "kkk");
    }
}

static void a_nul_byte_has_its_line(void **state)
{
    const char text[] = "[pipeline]\nstages = 4\n#\n";
    struct config config;
    struct file_error error;

    (void)state;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        char bytes[sizeof text], where[32];
        unsigned line = 1;
        memcpy(bytes, text, sizeof text);
        for (size_t i = 0; i < at; i++)
            line += text[i] == '\n';
        if (text[at] == '\n') /* replacing it joins two lines */
            bytes[at] = '\0';
        bytes[at] = '\0';
        assert_false(read_bytes(bytes, sizeof text - 1, &config, &error));
        snprintf(where, sizeof where, "t.ini:%u", line);
        assert_error(&error, where, "NUL byte");
    }
    assert_false(read_bytes("\xff\xfe[\0c\0]\0", 8, &config, &error)); /* UTF-16 */
    assert_error(&error, "t.ini:1", "NUL byte");
    assert_false(read_bytes("", 1, &config, &error)); /* nothing before it to be shown */
    assert_string_equal(error.report.text, "there is a NUL byte: this is not a text file");
}

/* ---- [stage N] ---- */

static void a_stage_overrides_one_cost(void **state)
{
    struct config config;

    (void)state;
    read_good("[stage 2]\nforward = 2.5\n[costs]\nforward = 1\nbackward = 1, 2, 3, 4\n"
              "[stage 0]\nbackward = 7 ; x\nforward = 9\n[stage 3]\n",
              &config);
    assert_costs(&config.scenario, PARAM_FORWARD, 4, (double[]){9, 1, 2.5, 1});
    assert_costs(&config.scenario, PARAM_BACKWARD, 4, (double[]){7, 2, 3, 4});
    assert_int_equal(config.lines[PARAM_FORWARD], 4);
    config_free(&config);
    read_good("[stage 1]\nforward = 3\n", &config);
    assert_costs(&config.scenario, PARAM_FORWARD, 4, (double[]){1, 3, 1, 1});
    assert_costs(&config.scenario, PARAM_BACKWARD, 4, (double[]){2, 2, 2, 2});
    assert_int_equal(config.lines[PARAM_FORWARD], 2);
    assert_int_equal(config.lines[PARAM_BACKWARD], 0);
    config_free(&config);
}

/* With V chunks the entries are virtual stages, and a device's cost is shared by its chunks. */
static void a_stage_may_be_virtual(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        const struct pg_family *family = &families[i];
        struct pg_problem problem = {
            .family = family, .devices = 4, .chunks = 2, .micro_batches = 8};
        char text[300];
        struct config config;
        if (!family->can(&problem))
            continue;
        uint32_t chunks = pg_problem_chunks(&problem), stages = 4 * chunks;
        snprintf(text, sizeof text,
                 "[pipeline]\nschedule = %s\nstages = 4\nmicro_batches = 8\n"
                 "chunks = 2\n[costs]\nforward = 4\n[stage %u]\nforward = 7\n",
                 family->name, stages - 1);
        read_good(text, &config);
        double *expected = calloc(stages, sizeof *expected);
        assert_non_null(expected);
        for (uint32_t s = 0; s < stages; s++)
            expected[s] = s == stages - 1 ? 7 : 4.0 / chunks;
        assert_costs(&config.scenario, PARAM_FORWARD, stages, expected);
        free(expected);
        config_free(&config);
        snprintf(text, sizeof text,
                 "[pipeline]\nschedule = %s\nstages = 4\nmicro_batches = 8\n"
                 "chunks = 2\n[stage %u]\nforward = 7\n",
                 family->name, stages);
        assert_bad(text, 6, "there is no stage");
    }
}

static void every_stage_can_have_its_section(void **state)
{
    static char text[200000];
    struct text out;
    struct config config;
    double forward[4096], backward[4096];

    (void)state;
    text_init(&out, text, sizeof text);
    text_add(&out, "[pipeline]\nstages = 4096\n");
    for (uint32_t s = 0; s < 4096; s++) {
        forward[s] = 4096 - s;
        backward[s] = s + 1;
        text_addf(&out, "[stage %u]\nforward=%.0f\nbackward=%.0f\n", s, forward[s], backward[s]);
    }
    assert_false(out.is_cut);
    read_good(text, &config);
    assert_costs(&config.scenario, PARAM_FORWARD, 4096, forward);
    assert_costs(&config.scenario, PARAM_BACKWARD, 4096, backward);
    config_free(&config);
}

/* ---- files ---- */

/* Runs `test` as nobody, whom permissions concern. */
static void as_nobody(void (*test)(const char *), const char *path)
{
    fflush(NULL);
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(0); /* then it cannot be tested here */
        test(path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void check_unreadable(const char *path)
{
    struct config config;
    struct file_error error;

    if (config_read_file(path, &config, &error) || error.status != 1 ||
        strstr(error.report.text, strerror(EACCES)) == NULL)
        _exit(1);
}

static void files_that_cannot_be_read(void **state)
{
    char folder[] = "/tmp/test_config.XXXXXX", path[64];
    struct config config;
    struct file_error error;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_false(config_read_file(folder, &config, &error));
    assert_string_equal(error.where, folder);
    assert_string_equal(error.report.text, "is a directory");
    assert_int_equal(error.status, 1);

    snprintf(path, sizeof path, "%s/none.ini", folder);
    assert_false(config_read_file(path, &config, &error));
    assert_string_equal(error.where, path);
    assert_non_null(strstr(error.report.text, strerror(ENOENT)));
    assert_int_equal(error.status, 1);

    snprintf(path, sizeof path, "%s/secret.ini", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[pipeline]\nstages = 5\n", file);
    fflush(file);
    assert_false(config_read(file, "open for writing", &config, &error)); /* a read error */
    assert_string_equal(error.where, "open for writing");
    assert_non_null(strstr(error.report.text, strerror(EBADF)));
    assert_int_equal(error.status, 1);
    fclose(file);
    assert_true(config_read_file(path, &config, &error));
    assert_int_equal(config.scenario.stages, 5);
    config_free(&config);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(path, 0), 0);
    as_nobody(check_unreadable, path);
    unlink(path);
    rmdir(folder);
}

static void standard_input_is_a_file_too(void **state)
{
    struct config config;
    struct file_error error;
    int ends[2], old = dup(STDIN_FILENO);

    (void)state;
    for (int round = 0; round < 2; round++) {
        const char *text = round == 0 ? "[pipeline]\nstages = 7\n" : "\n[pipeline\n";
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
        close(ends[1]);
        assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
        close(ends[0]);
        clearerr(stdin);
        bool is_good = config_read_file("-", &config, &error);
        assert_int_equal(is_good, round == 0);
        if (is_good) {
            assert_int_equal(config.scenario.stages, 7);
            config_free(&config);
        }
    }
    assert_error(&error, "-:2", "needs a ']'");
    assert_true(dup2(old, STDIN_FILENO) >= 0);
    close(old);
}

static void names_are_shown_safely(void **state)
{
    char name[6000];
    struct config config;
    struct file_error error;
    FILE *stream = fmemopen((void *)(uintptr_t) "[x]", 3, "r");

    (void)state;
    assert_false(config_read(stream, "evil\033[2J.ini", &config, &error));
    assert_string_equal(error.where, "evil\xef\xbf\xbd[2J.ini:1");
    rewind(stream);
    for (size_t i = 0; i < sizeof name - 10; i += 3)
        memcpy(name + i, "漢", 3);
    strcpy(name + sizeof name - 10, "漢.ini");
    assert_false(config_read(stream, name, &config, &error));
    size_t length = strlen(error.where);
    assert_true(length > 100 && length < sizeof error.where - 1);
    assert_string_equal(error.where + length - 9, "漢.ini:1");
    assert_memory_equal(error.where, "…漢", strlen("…漢"));
    rewind(stream);
    memset(name, '\033', 5000);
    assert_false(config_read(stream, name, &config, &error));
    assert_string_equal(error.where + strlen(error.where) - 2, ":1");
    fclose(stream);
}

/* ---- what is written ---- */

static void assert_text(const char *given, const char *expected)
{
    struct config config;

    read_good(given, &config);
    char *text = config_text(&config.scenario);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    config_free(&config);
}

static void what_is_default_is_left_out(void **state)
{
    (void)state;
    assert_text("", "[pipeline]\nschedule      = gpipe\nstages        = 4\nmicro_batches = 8\n\n"
                    "[costs]\nforward  = 1\nbackward = 2\n");
    assert_text(plain,
                "[scenario]\ntitle = One slow stage\nnotes = Watch stage 2.\n    It is slow.\n"
                "time  = ms\n\n"
                "[pipeline]\nschedule      = 1f1b\nstages        = 3\nmicro_batches = 16\n"
                "transfer      = 0.125\nhold          = model\n\n"
                "[costs]\nforward  = 1, 2, 3\nbackward = 2.5\n");
    assert_text("[layers]\ncost = 1, 2, 2, 2, 3/4, 5\n[pipeline]\nchunks = 3\nhold = stage\n",
                "[pipeline]\nschedule      = gpipe\nstages        = 4\nmicro_batches = 8\n"
                "chunks        = 3\n\n"
                "[layers]\ncost           = 1, 3*2, 3/4, 5\nsplit          = balanced\n"
                "backward_ratio = 2\n");
    assert_text("[scenario]\nnotes = a\n\n  b = c\n",
                "[scenario]\nnotes = a\n\n    b = c\n\n"
                "[pipeline]\nschedule      = gpipe\nstages        = 4\nmicro_batches = 8\n\n"
                "[costs]\nforward  = 1\nbackward = 2\n");
    assert_text("[costs]\nforward = 3,3,3,3\n[stage 1]\nbackward = 9\n",
                "[pipeline]\nschedule      = gpipe\nstages        = 4\nmicro_batches = 8\n\n"
                "[costs]\nforward  = 3\nbackward = 2, 9, 2, 2\n");
}

/* The costs of all stages as the core gets them. */
static double *effective(const struct scenario *scenario, enum param param)
{
    double *costs = calloc(scenario_stages(scenario), sizeof *costs);

    assert_non_null(costs);
    costs_effective(scenario, param, costs);
    return costs;
}

/* Written and read, a scenario is the same to the last bit, and so is what it is written as. */
static void assert_comes_back(const struct scenario *scenario)
{
    struct config config;
    char *first = config_text(scenario);

    assert_non_null(first);
    read_good(first, &config);
    assert_false(config.has_comments);
    char *second = config_text(&config.scenario);
    assert_non_null(second);
    assert_string_equal(first, second);
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        if (param_info(p)->kind != PARAM_KIND_COSTS)
            continue;
        double *a = effective(scenario, p), *b = effective(&config.scenario, p);
        if (scenario->layers == NULL)
            assert_memory_equal(a, b, scenario_stages(scenario) * sizeof *a);
        free(a);
        free(b);
    }
    /* Apart from lists of equal values, which come back as one, and from what says nothing without
     * layers, or beside them. */
    struct scenario copy = {.stages = 0};
    scenario_copy(&copy, scenario);
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        struct list **mine = scenario_costs(&copy, p), **its = scenario_costs(&config.scenario, p);
        if (mine != NULL && *its != NULL && ((*its)->n == 1 || copy.layers != NULL)) {
            (*its)->refs++;
            list_put(mine, *its);
        }
    }
    if (copy.layers == NULL) {
        set(&copy, PARAM_SPLIT, param_info(PARAM_SPLIT)->fallback);
        set(&copy, PARAM_RATIO, param_info(PARAM_RATIO)->fallback);
    }
    assert_true(scenario_equal(&copy, &config.scenario));
    scenario_free(&copy);
    free(first);
    free(second);
    config_free(&config);
}

static double random_cost(uint64_t *dice)
{
    switch (roll(dice, 4)) {
    case 0:
        return 1 + roll(dice, 9);
    case 1:
        return (1 + roll(dice, 1000)) / 10.0;
    case 2:
        return ldexp(1 + roll(dice, 1u << 30), -(int)roll(dice, 60));
    default:
        return ldexp(1.0 + roll(dice, 1u << 30) / 3.0, (int)roll(dice, 1000) - 600);
    }
}

static void set_random(struct scenario *scenario, enum param param, uint64_t *dice)
{
    static const char *const texts[] = {"a", "With: ü = 漢", "#1 [x];-)?", "x\xff\033 y",
                                        "a\n\nb  = c\n=d"};
    const struct param_info *info = param_info(param);
    char value[TEXT_NUMBER_SIZE];

    switch (info->kind) {
    case PARAM_KIND_COUNT:
        if (info->most <= 64)
            set(scenario, param, number_write(value, 1 + roll(dice, 4)));
        return;
    case PARAM_KIND_NUMBER:
        set(scenario, param, number_write(value, random_cost(dice)));
        return;
    case PARAM_KIND_HOLD:
        set(scenario, param, roll(dice, 2) ? "stage" : "model");
        return;
    case PARAM_KIND_TEXT:
        set(scenario, param, texts[param == PARAM_NOTES ? 3 + roll(dice, 2) : roll(dice, 4)]);
        return;
    default:
        return;
    }
}

/* A list of 1, P or S values, or of layers; now and then of equal ones. */
static void set_random_list(struct scenario *scenario, enum param param, uint64_t *dice)
{
    uint32_t stages = scenario_stages(scenario), way = roll(dice, 3);
    uint32_t n = way == 0 ? 1 : way == 1 ? scenario->stages : stages;
    bool is_layers = param == PARAM_LAYERS, is_same = roll(dice, 4) == 0;
    size_t size = 4096 * 3 * TEXT_NUMBER_SIZE;
    char *value = malloc(size), number[TEXT_NUMBER_SIZE];
    struct text text;
    double cost = random_cost(dice);

    if (is_layers)
        n = stages + roll(dice, stages);
    text_init(&text, value, size);
    for (uint32_t i = 0; i < n; i++) {
        cost = is_same ? cost : random_cost(dice);
        text_addf(&text, "%s%s", i > 0 ? "," : "", number_write(number, cost));
        if (is_layers && roll(dice, 2))
            text_addf(&text, "/%s", number_write(number, random_cost(dice)));
    }
    assert_false(text.is_cut);
    set(scenario, param, value);
    free(value);
}

static void random_scenarios_come_back(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    uint64_t dice = 21;

    (void)state;
    for (uint32_t round = 0; round < rounds(1500); round++) {
        struct scenario scenario;
        struct refusal refusal;
        char number[TEXT_NUMBER_SIZE];
        assert_true(scenario_init(&scenario));
        for (enum param p = 0; p < PARAM_COUNT; p++)
            if (roll(&dice, 2))
                set_random(&scenario, p, &dice);
        scenario.schedule = &families[roll(&dice, count)];
        set(&scenario, PARAM_STAGES,
            number_write(number, round % 50 == 0 ? 300 : 1 + roll(&dice, 20)));
        set(&scenario, PARAM_MICRO_BATCHES, number_write(number, 1 + roll(&dice, 100)));
        bool has_layers = roll(&dice, 3) == 0;
        for (enum param p = 0; p < PARAM_COUNT; p++)
            if (scenario_costs(&scenario, p) != NULL && !has_layers && roll(&dice, 4) > 0)
                set_random_list(&scenario, p, &dice);
        if (has_layers) {
            set_random_list(&scenario, PARAM_LAYERS, &dice);
            set(&scenario, PARAM_SPLIT, roll(&dice, 2) ? "uniform" : "balanced");
        }
        if (scenario_check(&scenario, &refusal))
            assert_comes_back(&scenario);
        scenario_free(&scenario);
    }
}

static void long_lists_are_wrapped(void **state)
{
    static char value[4096 * 30];
    uint64_t dice = 8;
    struct scenario scenario;
    struct text out;
    char number[TEXT_NUMBER_SIZE];

    (void)state;
    assert_true(scenario_init(&scenario));
    text_init(&out, value, sizeof value);
    for (int i = 0; i < 4096; i++)
        text_addf(&out, "%s%s", i > 0 ? "," : "",
                  number_write(number, 1e-300 * (1 + roll(&dice, 1u << 30)) / 3));
    assert_false(out.is_cut);
    set(&scenario, PARAM_STAGES, "4096");
    set(&scenario, PARAM_FORWARD, value);
    char *text = config_text(&scenario);
    for (const char *line = text, *next; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        /* Other readers of INI files take lines of 198 bytes; and no line is left half empty. */
        bool is_list_end = strncmp(next + 1, "backward", 8) == 0;
        if (line[0] == ' ') {
            assert_true(next - line <= 96 && (next - line > 60 || is_list_end));
            assert_true(strspn(line, " ") == 4);
        }
        assert_true(next - line < 190 && next[-1] != ' ');
    }
    free(text);
    assert_comes_back(&scenario);
    scenario_free(&scenario);
}

static void long_texts_come_back(void **state)
{
    static char value[65536];
    struct scenario scenario;

    (void)state;
    assert_true(scenario_init(&scenario));
    memset(value, 'x', 65528);
    set(&scenario, PARAM_TITLE, value);
    set(&scenario, PARAM_NOTES, value);
    assert_comes_back(&scenario);
    for (size_t i = 50; i < 65528; i += 50 + i % 400)
        value[i] = i % 3 == 0 ? '\n' : ' ';
    set(&scenario, PARAM_NOTES, value);
    assert_comes_back(&scenario);
    scenario_free(&scenario);
}

/* The scenarios that come with the program, every one. */
static void shipped_scenarios_come_back(void **state)
{
    const char *root = getenv("SRCDIR");
    char folder[PATH_MAX], path[2 * PATH_MAX];
    unsigned seen = 0;

    (void)state;
    snprintf(folder, sizeof folder, "%s/assets/scenarios", root == NULL ? "." : root);
    DIR *stream = opendir(folder);
    if (stream == NULL)
        skip();
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        size_t length = strlen(entry->d_name);
        struct config config;
        struct file_error error;
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ini") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!config_read_file(path, &config, &error))
            fail_msg("%s: %s", error.where, error.report.text);
        assert_comes_back(&config.scenario);
        config_free(&config);
        seen++;
    }
    closedir(stream);
    assert_true(seen >= 10);
}

/* ---- anything ---- */

/* Files nobody wrote: damaged ones must be read or refused at one of their lines. */
static size_t damage(char *bytes, size_t count, size_t room, uint64_t *dice)
{
    static const char *const pieces[] = {
        "\n",
        "\r",
        "\n\n",
        " ",
        "\t",
        ",",
        "=",
        ";",
        " ; ",
        "#",
        "[",
        "]",
        "[costs]\n",
        "[stage 1]\n",
        "[layers]\n",
        "forward = 2\n",
        "\n  ",
        "\n  2, 3",
        "1e3",
        "-",
        "0",
        "nan",
        "\xff",
        "\xef\xbb\xbf",
        "\x01",
        "*",
        "/",
        "title",
        "stages = 3\n",
        "9999999999",
        "        ",
        "uniform",
    };
    uint32_t changes = 1 + roll(dice, 4);

    for (uint32_t i = 0; i < changes; i++) {
        size_t at = roll(dice, (uint32_t)count + 1), length = roll(dice, 30);
        const char *piece = pieces[roll(dice, sizeof pieces / sizeof pieces[0])];
        switch (roll(dice, 4)) {
        case 0: /* cut something out */
            length = at + length > count ? count - at : length;
            memmove(bytes + at, bytes + at + length, count - at - length);
            count -= length;
            break;
        case 1: /* put something in */
            length = strlen(piece);
            if (count + length > room)
                break;
            memmove(bytes + at + length, bytes + at, count - at);
            memcpy(bytes + at, piece, length);
            count += length;
            break;
        case 2: /* say something twice */
            length = at + length > count ? count - at : length;
            if (count + length > room)
                break;
            memmove(bytes + at + length, bytes + at, count - at);
            count += length;
            break;
        default:
            if (at < count)
                bytes[at] = (char)roll(dice, 256);
        }
    }
    return count;
}

static void assert_placed(const struct file_error *error, const char *bytes, size_t count)
{
    unsigned lines = 1;
    char *end;

    for (size_t i = 0; i < count; i++)
        lines += bytes[i] == '\n';
    assert_int_equal(error->status, 2);
    assert_memory_equal(error->where, "t.ini:", 6);
    unsigned long line = strtoul(error->where + 6, &end, 10);
    assert_true(*end == '\0' && line >= 1 && line <= lines);
    assert_true(strlen(error->report.text) > 10);
    for (const char *at = error->report.text; *at != '\0';)
        assert_false(text_is_control(text_decode(&at)));
}

static void damaged_files_are_read_or_refused(void **state)
{
    static const char layered[] =
        "[scenario]\nnotes = a\n   b\n\n   c\n[layers]\ncost = 0.2, 8*4/8,\n"
        "   4.8/9\nsplit = 3, 3, 2*2\nbackward_ratio = 2\n[pipeline]\n"
        "stages=4\n";
    static const char staged[] = "\xef\xbb\xbf[pipeline]\r\nstages = 5 ; five\r\n\r\n[stage 2]\r\n"
                                 "forward = 2.5\r\n[costs]\r\nforward = 1, 2, 3,\r\n  4, 5\r\n"
                                 "[stage 4]\r\nbackward = 1e3\r\nforward = 0.1";
    const char *const texts[] = {plain, layered, staged};
    uint64_t dice = 99;
    unsigned good = 0, total = rounds(60000);

    (void)state;
    for (unsigned i = 0; i < total; i++) {
        const char *text = texts[i % 3];
        size_t room = strlen(text) + 200;
        char *bytes = malloc(room);
        struct config config;
        struct file_error error;
        assert_non_null(bytes);
        memcpy(bytes, text, strlen(text));
        size_t count = damage(bytes, strlen(text), room, &dice);
        if (read_bytes(bytes, count, &config, &error)) {
            good++;
            assert_comes_back(&config.scenario);
            config_free(&config);
        } else {
            assert_placed(&error, bytes, count);
        }
        free(bytes);
    }
    assert_true(good > total / 50 && good < total / 2); /* neither half of the test is idle */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(layers_are_read),
        cmocka_unit_test(nothing_at_all_is_the_default),
        cmocka_unit_test(lines_end_and_files_begin_in_many_ways),
        cmocka_unit_test(comments_are_seen),
        cmocka_unit_test(lists_go_on_over_lines),
        cmocka_unit_test(notes_keep_their_lines),
        cmocka_unit_test(texts_are_made_printable),
        cmocka_unit_test(long_texts_are_whole),
        cmocka_unit_test(long_lists_are_whole),
        cmocka_unit_test(seams_change_no_number),
        cmocka_unit_test(long_comments_are_nothing),
        cmocka_unit_test(a_line_has_64_kib),
        cmocka_unit_test(a_file_has_16_mib),
        cmocka_unit_test(mistakes_have_their_line),
        cmocka_unit_test(mistakes_behind_long_lines),
        cmocka_unit_test(a_nul_byte_has_its_line),
        cmocka_unit_test(a_stage_overrides_one_cost),
        cmocka_unit_test(a_stage_may_be_virtual),
        cmocka_unit_test(every_stage_can_have_its_section),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(standard_input_is_a_file_too),
        cmocka_unit_test(names_are_shown_safely),
        cmocka_unit_test(what_is_default_is_left_out),
        cmocka_unit_test(random_scenarios_come_back),
        cmocka_unit_test(long_lists_are_wrapped),
        cmocka_unit_test(long_texts_come_back),
        cmocka_unit_test(shipped_scenarios_come_back),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
