/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <string.h>

static enum transport_kind transport_of(const struct host *host)
{
    static const struct {
        const char *name;
        enum transport_kind kind;
    } kinds[] = {{"ssh", TRANSPORT_SSH},
                 {"openssh", TRANSPORT_OPENSSH},
                 {"local", TRANSPORT_LOCAL},
                 {"slurm", TRANSPORT_SLURM}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].name, host->transport) == 0)
            return kinds[i].kind;
    return TRANSPORT_AUTO;
}

struct remote_target target_of(const struct host *host)
{
    return (struct remote_target){.name = host->name,
                                  .address = host->address,
                                  .port = host->port,
                                  .user = host->user,
                                  .identity = host->identity,
                                  .jump = host->jump,
                                  .jump_identity = host->identity,
                                  .jump_known_hosts = host->known_hosts,
                                  .known_hosts = host->known_hosts,
                                  .transport = transport_of(host),
                                  .become_root = host->become_root};
}
