/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File systems on which WAL is not safe: its index is shared memory, and that does not reach across hosts.
 * FUSE stands for all that may lie behind it (sshfs, DAOS, virtiofs); where it was local after all, the
 * rollback journal is only slower.
 */
#include <stddef.h>

#include "store_private.h"

static const struct {
    unsigned long magic;
    const char *name;
} network[] = {
    {0x6969, "NFS"},
    {0x517b, "SMB"},
    {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x65735546, "FUSE"},
    {0x00c36400, "Ceph"},
    {0x5346414f, "AFS"},
    {0x01021997, "9P"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
    {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"},
    {0x73757245, "Coda"},
    {0xbacbacbc, "VMware HGFS"},
    {0x564c, "NCP"},
    {0x61636673, "ACFS"},
    {0x786f4256, "VirtualBox"},
};

const char *network_file_system(unsigned long magic)
{
    for (size_t i = 0; i < ARRAY_SIZE(network); i++)
        if (network[i].magic == magic)
            return network[i].name;
    return NULL;
}
