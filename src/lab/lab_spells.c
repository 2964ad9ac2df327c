/* SPDX-License-Identifier: Apache-2.0 */
/* What comes and goes, by the count of a host's tests across hosts: so that two runs of a lab see the same. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "lab_private.h"

enum { PERIOD = 12, FIRST = 4, SLOW = 2 };

bool lab_in_spell(uint64_t test)
{
    return test % PERIOD >= FIRST && test % PERIOD < FIRST + SLOW;
}

uint64_t lab_tests(const struct lab_host *host)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/tests", host->lab->directory, host->name);
    cleanup_text struct text text = {0};
    uint64_t count = 0;

    text_init(&text, 4096);
    if (!file_exists(path) || file_read(path, &text, NULL) < 0 || !scan_u64(slice_of(text.bytes), &count))
        return 0;
    return count;
}

uint64_t lab_count_test(const struct lab_host *host)
{
    cleanup_free char *path = mem_printf("%s/hosts/%s/tests", host->lab->directory, host->name);
    cleanup_free char *text = NULL;
    uint64_t count = lab_tests(host);

    text = mem_printf("%" PRIu64, count + 1);
    if (file_write(path, text, strlen(text), 0644, NULL) < 0)
        fprintf(stderr, "lab: cannot write %s\n", path);
    return count;
}
