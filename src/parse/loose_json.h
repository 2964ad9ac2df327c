/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as tools write it, somewhere in other text. It is not quite JSON: fio 2.x fills its percentiles up with
 * several members "0.00", options given twice stand twice, iperf3 tells its buffers once a stream, a mean of nothing is
 * a bare nan, Slurm's "no value" is a number that no double holds. So the text is first made strict: the echo of fio's
 * options is emptied, such members are numbered, a number of more digits than a double has is rounded, and what is none
 * becomes null. A closed object is whole whatever follows it; of one that is not closed nothing is read.
 */
#ifndef ASSAY_PARSE_LOOSE_JSON_H
#define ASSAY_PARSE_LOOSE_JSON_H

#include "assay/base/json.h"
#include "assay/model/reading.h"
#include "lines.h"

struct loose_object {
    size_t start, length;
};
struct loose_objects {
    LIST_OF(struct loose_object) list;
};

/* The closed objects of bytes that lie in no other closed one, in their order. */
void loose_objects_find(struct arena *arena, struct slice bytes, struct loose_objects *ret_objects);
/* The lines again as one text; the tail too: what is closed by a brace is whole without an end of line. */
struct slice lines_join(struct arena *arena, const struct lines *lines);
/* Whether the line is the first of a document: "{", "[{", `{"version"`; not "[root@node ~]#" and not "[1,0]". */
bool json_begins(struct slice line);
/*
 * The document that begins with the first line that a brace or a bracket of JSON begins, to the end but for prompts,
 * without what stands before its lines (lines.h); empty when there is none. It may be bytes themselves.
 */
struct slice json_document(struct arena *arena, struct slice bytes);
/* Length of the object or array that text begins with, up to what closes it; 0 when it does not end. */
size_t json_length(struct slice text);
/* Whether the object has a number of that name. */
bool loose_number(const struct json *object, const char *key, double *ret_number);
/* One object, or any JSON that is strict already. NULL: it is none, which the reading then lacks. */
const struct json *loose_json_read(struct reading *reading, const char *name, struct slice object);
const struct json *json_read(struct reading *reading, const char *name, struct slice text);

#endif
