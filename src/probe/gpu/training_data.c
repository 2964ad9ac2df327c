/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into a training on every GPU: synthetic tokens, and the angles of the rotation. */
#include <math.h>
#include <stdlib.h>

#include "training.h"

enum { TOKENS_UNIT = 65 /* of work_random: none of sdc's */ };

static int by_token(const void *left, const void *right, void *data)
{
    const unsigned a = *(const unsigned *)left, b = *(const unsigned *)right, *tokens = data;

    if (tokens[a] != tokens[b])
        return tokens[a] < tokens[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static unsigned token_at(const struct training_shape *shape, uint64_t seed, unsigned batch, uint32_t place)
{
    return work_random(seed * TRAINING_BATCHES + batch, TOKENS_UNIT, place) % shape->vocab;
}

static void find_rows(struct training_places *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned token = places->tokens[places->places[i]];

        if (i > 0 && token == places->rows[places->row_count - 1])
            continue;
        places->rows[places->row_count] = token;
        places->begins[places->row_count++] = i;
    }
    places->begins[places->row_count] = count;
}

int training_places_make(struct training_places *ret_places, const struct training_shape *shape,
                         uint64_t seed, unsigned batch, struct error *err)
{
    const unsigned count = shape->batch * shape->sequence;
    unsigned *memory = calloc(5 * (size_t)count + 1, sizeof *memory);

    if (memory == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for tokens");
    *ret_places = (struct training_places){.tokens = memory,
                                           .targets = memory + count,
                                           .places = memory + 2 * (size_t)count,
                                           .rows = memory + 3 * (size_t)count,
                                           .begins = memory + 4 * (size_t)count};
    for (unsigned i = 0; i < count; i++) {
        /* A sequence is one token longer than its places: the last is only a target. */
        const uint32_t place = i + i / shape->sequence;

        ret_places->tokens[i] = token_at(shape, seed, batch, place);
        ret_places->targets[i] = token_at(shape, seed, batch, place + 1);
        ret_places->places[i] = i;
    }
    qsort_r(ret_places->places, count, sizeof *ret_places->places, by_token, ret_places->tokens);
    find_rows(ret_places, count);
    return 0;
}

void training_places_free(struct training_places *places)
{
    free(places->tokens);
    *places = (struct training_places){0};
}

/* Sine and cosine of an angle in 0 .. 2 pi, by their series. */
static void turn(double angle, float *ret_pair)
{
    double term = 1, cosine = 0, sine = 0;

    for (unsigned i = 0; i < 48; i++) {
        *(i % 2 == 0 ? &cosine : &sine) += i / 2 % 2 == 0 ? term : -term;
        term *= angle / (i + 1);
    }
    ret_pair[0] = (float)cosine;
    ret_pair[1] = (float)sine;
}

void training_turns(float *ret_turns, const struct training_shape *shape)
{
    const double whole_turn = 6.283185307179586;
    const unsigned half = shape->hidden / shape->heads / 2;
    double step = 500000, frequency = 1; /* of Llama 3; the last pair turns once in so many places */

    /* The half-th root, half a power of two: a square root is rounded alike everywhere, pow is not. */
    for (unsigned i = half; i > 1; i /= 2)
        step = sqrt(step);
    for (unsigned i = 0; i < half; i++, frequency /= step)
        for (unsigned place = 0; place < shape->sequence; place++)
            turn(fmod(place * frequency, whole_turn), ret_turns + 2 * ((size_t)place * half + i));
}
