/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_sdc [FAULTS [HEALTHY]]: how many random wrong answers are named, and how often anybody is without one. */
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"

int main(int argc, char **argv)
{
    unsigned long faults = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    unsigned long healthy = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    struct fault_counts counts;
    unsigned long accused;

    faults_try(faults, 1000, &counts);
    fprintf(stderr, "%lu random faults, %lu of them changed an answer\n", counts.tried, counts.struck);
    printf("bench sdc wrong_answers_named value=%.6g unit=%% aim=100 met=%s\n",
           100.0 * (double)counts.named / (double)counts.struck,
           counts.named == counts.struck ? "yes" : "no");
    printf("bench sdc others_accused value=%lu unit=faults aim=0 met=%s\n", counts.others,
           counts.others == 0 ? "yes" : "no");
    accused = healthy_rounds(healthy);
    printf("bench sdc healthy_accused_of_%lu value=%lu unit=rounds aim=0 met=%s\n", healthy, accused,
           accused == 0 ? "yes" : "no");
    return counts.named == counts.struck && counts.others == 0 && accused == 0 ? 0 : 1;
}
