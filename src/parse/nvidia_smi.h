/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia-smi prints the same fields in four notations. Each notation's reader takes its text apart into (GPU,
 * path, value); what a path means, in which unit, and what is alarming about it is one table in
 * nvidia_smi_fields.c.
 */
#ifndef ASSAY_NVIDIA_SMI_H
#define ASSAY_NVIDIA_SMI_H

#include "frame.h"

enum smi_notation {
    SMI_TEXT, /* -q: "FB Memory Usage/Total" */
    SMI_XML,  /* -q -x: "fb_memory_usage/total" */
    SMI_CSV,  /* --query-gpu: "memory.total" */
};

enum { SMI_FIELDS_MOST = 128, SMI_GPUS_MOST = 4096 };

/* Sum over the lines of one ECC section; the tool prints parts, the judge wants the whole: of the memory on the chip and of
   that beside it. Of one alone there is no sum. */
struct smi_ecc_sum {
    double number;
    bool sram, dram; /* what was added to it */
};

struct smi_ecc {
    const char *section; /* "volatile" or "aggregate"; NULL when none is open */
    struct smi_ecc_sum corrected, uncorrected;
    bool unknown; /* a part is no count: then there is no sum */
};

struct smi_path {
    const char *path;
    size_t row;
};

struct smi {
    struct reading *reading;
    enum smi_notation notation;     /* set once, before the first field */
    LIST_OF(struct smi_path) paths; /* of this notation, sorted; made with the first field */
    unsigned next;                  /* index for the next GPU of a notation that prints none */
    LIST_OF(unsigned) lost;         /* indexes that an error line named: they leave gaps */
    struct slice failure;           /* the tool itself failed: its line */
    bool no_devices;

    /* of the GPU that is being read */
    const char *subject; /* NULL between GPUs */
    bool seen[SMI_FIELDS_MOST];
    bool faulty; /* "Unknown Error" as a value was told already */
    struct smi_ecc ecc;
    struct slice pid;
    unsigned compute_processes;
    bool processes; /* the list of processes was seen */
};

/* Facts of the whole host: "driver.version". Empty and N/A values are left out. */
void smi_host_fact(struct smi *smi, const char *name, struct slice value);

/* Begins a GPU with the next index, or with the index given. */
void smi_begin_gpu(struct smi *smi);
void smi_begin_gpu_index(struct smi *smi, unsigned index);
void smi_address(struct smi *smi, struct slice address);
/* unit: of the CSV header, or "". */
void smi_field(struct smi *smi, const char *path, struct slice value, struct slice unit);
/* whole: the GPU's block ended by itself, so its sums and counts are known. */
void smi_end_gpu(struct smi *smi, bool whole);
/* The name of a field of the CSV notation. */
bool smi_csv_column(struct slice name);

/* The header of a CSV list; what tells the GPU of a row from others, or "". */
bool smi_csv_header(struct slice line);
struct slice smi_csv_identity(struct arena *arena, struct slice header, struct slice line);

/*
 * The next part of a text that may hold several outputs, from line *from on; *from is moved behind it. *header
 * is "" at first. False when there is none; a text without lines is one part.
 */
bool smi_next_part(struct arena *arena, const struct lines *lines, size_t *from, struct slice *header,
                   struct lines *ret_part);

/* Lines of the tool's own errors, which may stand before, between and after all else. True when it was one.
 */
bool smi_error_line(struct smi *smi, struct slice line);
/* N/A, [N/A], [Not Supported], ...: no value, and no fault. */
bool smi_not_available(struct slice value);
/* "Unknown Error", "ERR!", "GPU is lost", ...: told as a finding. False when it is an ordinary value. */
bool smi_faulty_value(struct smi *smi, const char *what, struct slice value);
void smi_count(struct smi *smi, unsigned count, bool measured);
void smi_compute_processes(struct smi *smi, const char *subject, unsigned count);

/* The readers; each sets the reading's status. */
void smi_read_table(struct smi *smi, const struct lines *lines);
void smi_read_query(struct smi *smi, const struct lines *lines);
void smi_read_list(struct smi *smi, const struct lines *lines);
void smi_read_csv(struct smi *smi, const struct lines *lines);
void smi_read_xml(struct smi *smi, struct slice bytes);
bool smi_looks_like_csv(const struct lines *lines);

#endif
