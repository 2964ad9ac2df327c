/* SPDX-License-Identifier: Apache-2.0 */
/* `assay lab` as a program of its own, so that these tests need nothing but the lab. */
#include <stdio.h>
#include <string.h>

int command_lab(int argc, char **argv);

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "lab") == 0)
        return command_lab(argc - 1, argv + 1);
    fprintf(stderr, "usage: lab-alone lab ...\n");
    return 64;
}
