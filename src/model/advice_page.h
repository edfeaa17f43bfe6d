/* The page of advice as it is shown: what would help the present state, and where the cursor is. It
 * stands while suggestions are applied and undone; what it says is then found anew. */
#ifndef MODEL_ADVICE_PAGE_H
#define MODEL_ADVICE_PAGE_H

#include "model/advice.h"

struct advice_page {
    struct advice *advice; /* NULL: the page is closed */
    uint32_t cursor;       /* a suggestion, or ADVICE_KINDS + a row of its stages */
    double target;
};

#endif
