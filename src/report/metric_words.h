/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics in plain words, for who negotiates a contract and has never run their tests. */
#ifndef ASSAY_REPORT_METRIC_WORDS_H
#define ASSAY_REPORT_METRIC_WORDS_H

#include "language.h"

/* "copies between two GPUs of a host, one way" of "p2p.unidirectional.enabled"; "" of a metric that nobody has words for. */
const char *metric_words(enum report_language language, const char *metric);

#endif
