/* SPDX-License-Identifier: Apache-2.0 */
/* The lab's tools alone, called as the program is. */
#include <stdio.h>

#include "assay/lab/lab.h"

int main(int argc, char **argv)
{
    if (argc > 2)
        return lab_tool(argc - 2, argv + 2);
    fprintf(stderr, "usage: %s " LAB_TOOL_WORD " FILE [ARGUMENT...]\n", argv[0]);
    return 64;
}
