#include "bench.h"
void bench_frame(const struct bench *bench) { (void)bench; }
