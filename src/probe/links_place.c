/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tool of a rank is reached. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "links.h"

enum {
    FIRST_PORT = 18600,
    PORTS = 10000, /* below those that the kernel gives away by itself */
    GIDS = 256,
};

static bool read_word(const struct links_options *options, const char *of, int index, char *word,
                      size_t bytes)
{
    cleanup_free char *path =
        mem_printf("%s/class/infiniband/%s/ports/1/%s/%d", options->sys, options->hca, of, index);
    cleanup_file FILE *file = fopen(path, "re");

    if (file == NULL || fgets(word, (int)bytes, file) == NULL)
        return false;
    word[strcspn(word, "\n")] = '\0';
    return true;
}

/* An address of IPv4 stands in one of IPv6. */
static bool read_address(const char *gid, char *ret_address, size_t bytes)
{
    struct in6_addr address;

    if (inet_pton(AF_INET6, gid, &address) != 1 || IN6_IS_ADDR_LINKLOCAL(&address) ||
        IN6_IS_ADDR_UNSPECIFIED(&address))
        return false;
    return IN6_IS_ADDR_V4MAPPED(&address)
               ? inet_ntop(AF_INET, &address.s6_addr[12], ret_address, (socklen_t)bytes) != NULL
               : inet_ntop(AF_INET6, &address, ret_address, (socklen_t)bytes) != NULL;
}

struct links_place links_place(const struct links_options *options, int rank)
{
    struct links_place place = {.gid_index = -1, .port = FIRST_PORT + rank % PORTS};
    char gid[64], type[32];

    for (int i = 0; i < GIDS && place.gid_index < 0; i++)
        if (read_word(options, "gids", i, gid, sizeof gid) &&
            read_word(options, "gid_attrs/types", i, type, sizeof type) && strcmp(type, "RoCE v2") == 0 &&
            read_address(gid, place.address, sizeof place.address))
            place.gid_index = i;
    return place;
}

static bool is_address(const char *text)
{
    struct in6_addr address;

    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

void links_place_take(struct links_place *place, int rank)
{
    place->address[sizeof place->address - 1] = '\0';
    if (!is_address(place->address) || place->port != FIRST_PORT + rank % PORTS)
        place->address[0] = '\0';
}
