/* SPDX-License-Identifier: Apache-2.0 */
/* The lab's tools alone, called as the program is: PROGRAM lab tool NAME ARGUMENT... */
#include <stdio.h>

#include "assay/lab/lab.h"

int main(int argc, char **argv)
{
    if (argc > 3)
        return lab_tool(argv[3], argc - 3, argv + 3);
    fprintf(stderr, "usage: %s lab tool NAME [ARGUMENT...]\n", argv[0]);
    return 64;
}
