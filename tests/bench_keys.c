#include "bench.h"
void bench_keys(const struct bench *bench) { (void)bench; }
