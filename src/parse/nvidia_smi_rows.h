/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind nvidia_smi_fields.c. A new field is one row. */
#ifndef ASSAY_NVIDIA_SMI_ROWS_H
#define ASSAY_NVIDIA_SMI_ROWS_H

#include "nvidia_smi.h"

enum smi_kind {
    SMI_IDENTITY, /* a fact when there is one */
    SMI_STATE,    /* a fact; "N/A" is one too: the device has no such thing */
    SMI_SWITCH,   /* a state whose On and Off are told as Enabled and Disabled */
    SMI_NUMBER,
};

struct smi_row {
    const char *name;
    enum smi_kind kind;
    const char *unit;
    const char
        *paths[3]; /* by notation; alternatives with '|' between them; the first that has a value wins */
};

/* A value that speaks against the device. */
struct smi_alarm {
    const char *name, *value, *code;
    enum severity severity;
    const struct reason *what;
};

extern const struct smi_row smi_rows[];
extern const size_t smi_row_count;
extern const struct smi_alarm smi_alarms[];
extern const size_t smi_alarm_count;

#endif
