/* SPDX-License-Identifier: Apache-2.0 */
#include "imex.h"

#include <arpa/inet.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"
#include "assay/reasons/check.h"

#define READY "READY"

enum { LONGEST_LIST = 1 << 16 };

struct node {
    struct slice address, state;
};

struct domain {
    LIST_OF(struct node) nodes;
    struct slice state; /* empty: it is not there */
    size_t own;         /* the host's node; as many as there are nodes: it is none of them */
    size_t connected;   /* of the nodes that are ready those that it is connected with, without itself */
};

/* As IPv6 where it is one: the same address is written in many ways. */
struct address {
    int family; /* 0: it is no address */
    unsigned char bytes[sizeof(struct in6_addr)];
};

static struct address address_of(struct slice word)
{
    struct address address = {0};
    char text[INET6_ADDRSTRLEN];

    if (word.length >= sizeof text)
        return address;
    memcpy(text, word.bytes, word.length);
    text[word.length] = '\0';
    if (inet_pton(AF_INET, text, address.bytes) == 1)
        address.family = AF_INET;
    else if (inet_pton(AF_INET6, text, address.bytes) == 1)
        address.family = AF_INET6;
    return address;
}

static bool has_address(struct slice words, const struct address *address)
{
    struct slice word;

    while (scan_word(&words, &word)) {
        struct address one = address_of(word);

        if (one.family == address->family && memcmp(one.bytes, address->bytes, sizeof one.bytes) == 0)
            return true;
    }
    return false;
}

/* `hostname -I` leaves out what is good on one link alone: fe80::/10. */
static bool is_comparable(const struct address *address)
{
    return address->family != 0 && (address->family != AF_INET6 || address->bytes[0] != 0xfe);
}

/* " - 172.31.48.81    - READY                - Version: 570.172", behind its number. */
static void read_node(struct arena *arena, struct domain *domain, struct slice line)
{
    struct slice dash, address, state;

    if (scan_word(&line, &dash) && scan_word(&line, &address) && scan_word(&line, &dash) &&
        scan_word(&line, &state))
        *list_push(arena, &domain->nodes) = (struct node){address, state};
}

static bool is_ready(const struct domain *domain, size_t node)
{
    return node < domain->nodes.count && slice_equal(domain->nodes.items[node].state, READY);
}

static size_t count_ready(const struct domain *domain)
{
    size_t ready = 0;

    for (size_t i = 0; i < domain->nodes.count; i++)
        ready += is_ready(domain, i);
    return ready;
}

/* The host's own row of the table: whom it reaches. */
static void read_row(struct domain *domain, struct slice cells)
{
    struct slice cell;

    for (size_t to = 0; scan_word(&cells, &cell); to++)
        domain->connected += to != domain->own && is_ready(domain, to) && slice_equal(cell, "C");
}

static size_t find_own(const struct domain *domain, struct slice addresses)
{
    size_t own = 0;

    while (own < domain->nodes.count) {
        struct address node = address_of(domain->nodes.items[own].address);

        if (is_comparable(&node) && has_address(addresses, &node))
            return own;
        own++;
    }
    return own;
}

/* Both sides have told all, and the host is none of the nodes. */
static bool lacks_own(const struct domain *domain, struct slice addresses)
{
    if (domain->own < domain->nodes.count || domain->nodes.count == 0 || slice_trim(addresses).length == 0)
        return false;
    for (size_t i = 0; i < domain->nodes.count; i++) {
        struct address node = address_of(domain->nodes.items[i].address);

        if (!is_comparable(&node))
            return false;
    }
    return true;
}

static struct domain read_table(struct arena *arena, struct slice addresses, struct slice printed)
{
    struct domain domain = {.state = slice_of("")};
    struct slice line, word;
    bool in_table = false;
    uint64_t number;

    while (scan_line(&printed, &line)) {
        line = slice_trim(line);
        if (scan_text(&line, "Node #") && scan_digits(&line, &number)) {
            read_node(arena, &domain, line);
        } else if (scan_text(&line, "Domain State:")) {
            domain.state = slice_trim(line);
        } else if (slice_starts(line, "Nodes From")) {
            in_table = true;
            domain.own = find_own(&domain, addresses);
        } else if (in_table && scan_word(&line, &word) && scan_u64(word, &number) && number == domain.own) {
            read_row(&domain, line);
        }
    }
    domain.own = find_own(&domain, addresses);
    return domain;
}

static void say_domain(struct reading *out, const struct domain *domain)
{
    if (slice_equal(domain->state, "UP"))
        reading_fact(out, "imex.domain", "", domain->state);
    else
        reading_fact_said(out, "imex.domain", "",
                          reason(out->arena, imex_domain_partly,
                                 arena_printf(out->arena, "%.*s", slice_print(domain->state)),
                                 (unsigned)count_ready(domain), (unsigned)domain->nodes.count));
}

static void say_node(struct reading *out, const struct domain *domain)
{
    size_t ready = count_ready(domain), others = ready - (ready > 0);

    if (!is_ready(domain, domain->own))
        reading_fact(out, "imex.node", "", domain->nodes.items[domain->own].state);
    else if (slice_equal(domain->state, "DOWN"))
        reading_fact_said(out, "imex.node", "", REASON(imex_ready_in_domain_that_is_down));
    else if (2 * domain->connected < others)
        reading_fact_said(
            out, "imex.node", "",
            reason(out->arena, imex_ready_but_apart, (unsigned)domain->connected, (unsigned)others));
    else
        reading_fact(out, "imex.node", "", slice_of(READY));
}

/* "10.0.0.1, 10.0.0.2"; "10.0.0.1 ... 10.0.0.18: 18 nodes (3fe1a2b4)". Of a table without nodes or without its end nobody knows
   which it has: each tray may be in a domain of its own. */
static void say_nodes(struct reading *out, const struct domain *domain)
{
    enum { SHOWN = 3, HASH_DIGITS = 8 };
    cleanup_text struct text all = {0};
    char sha256[SHA256_HEX_SIZE];
    const struct slice *first, *last;

    if (domain->nodes.count == 0 || domain->state.length == 0) {
        reading_unread(out, "imex.nodes", "", REASON(imex_nodes_not_shown));
        return;
    }
    first = &domain->nodes.items[0].address;
    last = &domain->nodes.items[domain->nodes.count - 1].address;
    text_init(&all, LONGEST_LIST);
    for (size_t i = 0; i < domain->nodes.count; i++)
        text_printf(&all, "%s%.*s", i > 0 ? ", " : "", slice_print(domain->nodes.items[i].address));
    sha256_hex(all.bytes, all.length, sha256);
    if (domain->nodes.count <= SHOWN)
        reading_fact(out, "imex.nodes", "", (struct slice){all.bytes, all.length});
    else
        reading_fact_said(
            out, "imex.nodes", "",
            reason(out->arena, imex_nodes,
                   arena_printf(out->arena, "%.*s ... %.*s", slice_print(*first), slice_print(*last)),
                   (unsigned)domain->nodes.count, arena_printf(out->arena, "%.*s", HASH_DIGITS, sha256)));
}

void imex_read(struct reading *out, struct slice addresses, struct slice printed)
{
    struct domain domain = read_table(out->arena, addresses, printed);
    bool ended = domain.state.length > 0, absent = ended && lacks_own(&domain, addresses),
         told = ended && domain.own < domain.nodes.count &&
                !slice_equal(domain.nodes.items[domain.own].state, "UNAVAILABLE");

    say_nodes(out, &domain);
    if (told)
        say_node(out, &domain);
    else if (absent)
        reading_fact_said(out, "imex.node", "",
                          reason(out->arena, imex_lists_not_the_host, (unsigned)domain.nodes.count,
                                 arena_printf(out->arena, "%.*s", slice_print(slice_trim(addresses)))));
    else
        reading_fact(out, "imex.node", "", slice_of(IMEX_NOT_TOLD));
    if (told || absent)
        say_domain(out, &domain);
    else
        reading_fact(out, "imex.domain", "", slice_of(IMEX_NOT_TOLD));
}
