/* Orders that feed the pipeline from both ends: DualPipe, its V-shaped cut DualPipeV, and Chimera.
 *
 * DualPipe (DeepSeek-AI 2024, arXiv 2412.19437) keeps two replicas of the model, one in each
 * direction; DualPipeV has the second half of one model come back down the same devices. Both run
 * the same eight phases, seen from a device's distance to the end where its first chain begins, and
 * fuse a forward of one chain with a backward of the other. Chimera (Li and Hoefler 2021, arXiv
 * 2107.06925) merges two 1F1B pipelines of P/2 micro-batches each. */
#include "core/internal.h"

/* The two chains of a device by role: `own` begins near it, `other` ends near it. */
struct dual {
    struct pg_writer *out;
    uint32_t slot[2]; /* of own, of other */
    uint32_t forward[2], backward[2];
};

enum { OWN, OTHER };

static void forward(struct dual *dual, int chain)
{
    put(dual->out, PG_FORWARD, dual->slot[chain], dual->forward[chain]++);
}

static void backward(struct dual *dual, int chain, bool is_split)
{
    put(dual->out, is_split ? PG_INPUT_GRAD : PG_BACKWARD, dual->slot[chain],
        dual->backward[chain]++);
}

static void both(struct dual *dual, int forward_chain, int backward_chain)
{
    put_pair(dual->out, dual->slot[forward_chain], dual->forward[forward_chain]++,
             dual->slot[backward_chain], dual->backward[backward_chain]++);
}

/* `depth`: devices from one turn to the other; `place`: this device's distance from the beginning of
 * its own chain; `steady`: pairs of fused operations; the device at the turn cannot fuse its first. */
static void emit_dual(struct dual *dual, uint32_t depth, uint32_t place, uint32_t steady)
{
    uint32_t behind = depth - 1 - place;

    for (uint32_t i = 0; i < 2 * behind; i++)
        forward(dual, OWN);
    for (uint32_t i = 0; i < place + 1; i++) {
        forward(dual, OWN);
        forward(dual, OTHER);
    }
    for (uint32_t i = 0; i < behind; i++) {
        backward(dual, OTHER, true);
        put_weight(dual->out);
        forward(dual, OTHER);
    }
    for (uint32_t i = 0; i < steady; i++) {
        if (i == 0 && behind == 0) {
            forward(dual, OWN);
            backward(dual, OTHER, false);
        } else {
            both(dual, OWN, OTHER);
        }
        both(dual, OTHER, OWN);
    }
    for (uint32_t i = 0; i < behind; i++) {
        backward(dual, OTHER, false);
        both(dual, OTHER, OWN);
    }
    /* Half-way the backwards begin to be split, so that the last gradients leave early. */
    for (uint32_t i = 0; i < place + 1; i++) {
        uint32_t half = (place + 1) / 2;
        backward(dual, OTHER, i > half || (i == half && place % 2 == 1));
        backward(dual, OWN, i >= half);
    }
    for (uint32_t i = 0; i < behind; i++) {
        put_weight(dual->out);
        backward(dual, OWN, true);
    }
    for (uint32_t i = 0; i < place + 1; i++)
        put_weight(dual->out);
}

void emit_dualpipev(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    struct dual dual = {.out = out, .slot = {0, 1}};

    emit_dual(&dual, problem->devices, device,
              problem->micro_batches - 2 * problem->devices + device + 1);
}

void emit_dualpipe(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t p = problem->devices;
    bool is_upper = device >= p / 2;
    uint32_t place = is_upper ? p - 1 - device : device;
    struct dual dual = {.out = out, .slot = {is_upper, !is_upper}};

    emit_dual(&dual, p / 2, place, problem->micro_batches / 2 - p + place + 1);
}

void emit_chimera(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t p = problem->devices;
    bool is_upper = device >= p / 2;
    uint32_t alone = is_upper ? device - p / 2 + 1 : p / 2 - device;
    uint32_t shared = p / 2 - alone;
    struct dual dual = {.out = out, .slot = {is_upper, !is_upper}};

    for (uint32_t unit = 0; unit < problem->micro_batches / p; unit++) {
        for (uint32_t i = 0; i < alone; i++) {
            if (unit > 0)
                backward(&dual, OWN, false);
            forward(&dual, OWN);
        }
        for (uint32_t i = 0; i < shared; i++) {
            forward(&dual, OTHER);
            forward(&dual, OWN);
        }
        for (uint32_t i = 0; i < alone; i++) {
            forward(&dual, OTHER);
            backward(&dual, OTHER, false);
        }
        for (uint32_t i = 0; i < shared; i++) {
            backward(&dual, OWN, false);
            backward(&dual, OTHER, false);
        }
    }
    for (uint32_t i = 0; i < alone; i++)
        backward(&dual, OWN, false);
}
