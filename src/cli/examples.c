/* SPDX-License-Identifier: Apache-2.0 */
/* What is typed most often, below the options of a command that has many. */
#include <string.h>

#include "cli.h"

static const struct {
    const char *command, *lines;
} rows[] = {
    {"run", "    assay run -H cluster -s smoke                    # a few minutes\n"
            "    assay run -H cluster -s delivery                 # the delivery, two hours\n"
            "    assay run -H cluster -s delivery --hosts node7   # a trial on one host\n"
            "    assay run --resume 4                             # after a cancel\n"},
    {"report", "    assay report 4 -o report.html                 # of run 4\n"
               "    assay report --format text --lang zh          # of the last run\n"},
    {"acceptance", "    assay acceptance create su1 -H cluster -s delivery\n"
                   "    assay acceptance add su1 4\n"
                   "    assay acceptance status su1\n"
                   "    assay acceptance report su1 -o su1.html\n"},
    {"contract", "    assay contract init -H cluster -s delivery -o contract.json\n"
                 "    assay contract show contract.json\n"
                 "    assay run -H cluster -s delivery --contract contract.json\n"},
    {"merge", "    assay merge hall-1.db assay-run-12.tar.zst --db site.db\n"
              "    assay merge vendor.db --signers allowed --db site.db\n"},
    {"links", "    assay links ibdiagnet2.lst ibdiagnet2.fdbs -o flows\n"
              "    assay links ibdiagnet2.lst ibdiagnet2.fdbs --flows measured\n"
              "    assay links plan.csv -o flows                     # Ethernet: node,port,node,port,Gb/s\n"
              "    assay links --spread 32:16 --streams 16           # without files: one leaf\n"},
    {"lab", "    assay lab up 8 --dir /tmp/lab --fault node3:ecc-uncorrected:5\n"
            "    assay run -H /tmp/lab/hostfile -s delivery\n"
            "    assay lab down --dir /tmp/lab\n"},
};

void cli_put_examples(FILE *out, const char *usage)
{
    size_t length = strcspn(usage, " ");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strlen(rows[i].command) == length && strncmp(rows[i].command, usage, length) == 0)
            fprintf(out, "\nexamples:\n%s", rows[i].lines);
}
