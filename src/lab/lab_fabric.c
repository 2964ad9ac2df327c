/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies between the hosts: paths, leaf switches, and their uplinks, which all tests that run now share.
 *
 * Hosts of one scalable unit hang on the same leaf switches. A ring goes from each host of a test to the next one, in
 * the order in which the test has them, and over the uplinks only where that is on another leaf: in the order of the
 * hostfile one host of each leaf sends there, and when hosts of two leaves take turns all do. In an alltoall everybody
 * sends to everybody. A leaf has as many uplinks as hosts, and each host that sends takes the next one, so that the
 * last of them carries nothing before all do.
 *
 * Who sends now is seen by locks: a running test holds one for each host that does on the lab's file `traffic`, at the
 * host's number, so that the kernel forgets it when the test ends.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "lab_private.h"

static bool crosses(const struct lab_host *hosts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (lab_unit(hosts[i].lab, hosts[i].number) != lab_unit(hosts[0].lab, hosts[0].number))
            return true;
    return false;
}

/* Whether the index-th host of the test sends over its leaf's uplinks. */
static bool sends_out(const struct lab_host *hosts, size_t count, size_t index, enum collective collective)
{
    return collective == ALLTOALL ? crosses(hosts, count)
                                  : lab_unit(hosts[0].lab, hosts[index].number) !=
                                        lab_unit(hosts[0].lab, hosts[(index + 1) % count].number);
}

static bool is_in(const struct lab_host *hosts, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++)
        if (hosts[i].number == number)
            return true;
    return false;
}

int lab_send(const struct lab_host *hosts, size_t count, enum collective collective)
{
    cleanup_free char *path = mem_printf("%s/traffic", hosts[0].lab->directory);
    int fd;

    if (!crosses(hosts, count))
        return -1;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    for (size_t i = 0; fd >= 0 && i < count; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = hosts[i].number, .l_len = 1};

        if (!sends_out(hosts, count, i, collective) || fcntl(fd, F_SETLK, &lock) < 0)
            continue; /* another test sends from this host already: it is one sender all the same */
    }
    return fd;
}

/* Hosts of the leaf that send over its uplinks now: our own, and those of other tests. */
static unsigned senders(const struct lab_host *hosts, size_t count, enum collective collective, unsigned leaf,
                        int fd)
{
    const struct lab *lab = hosts[0].lab;
    unsigned sending = 0;

    for (size_t i = 0; i < count; i++)
        sending += lab_unit(hosts[i].lab, hosts[i].number) == leaf && sends_out(hosts, count, i, collective);
    for (unsigned number = (leaf - 1) * lab_leaf_hosts(lab) + 1;
         number <= leaf * lab_leaf_hosts(lab) && number <= lab->hosts; number++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};

        if (!is_in(hosts, count, number) && fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 &&
            lock.l_type != F_UNLCK)
            sending++;
    }
    return sending;
}

static double share_of_paths(const struct lab_host *hosts, size_t count)
{
    const struct lab *lab = hosts[0].lab;
    double share = 1;

    array_each (fault, lab->faults, lab->fault_count)
        if (fault->kind == FAULT_PATH_SLOW && is_in(hosts, count, fault->host) &&
            is_in(hosts, count, fault->other))
            share = fmin(share, fault->number / lab->profile->nic_gb);
    return share;
}

static double share_of_uplinks(const struct lab_host *hosts, size_t count, enum collective collective,
                               unsigned leaf, int fd)
{
    const struct lab *lab = hosts[0].lab;
    unsigned sending = senders(hosts, count, collective, leaf, fd);
    double share = fmin(1, lab_leaf_hosts(lab) / lab->oversubscription / fmax(sending, 1));

    array_each (fault, lab->faults, lab->fault_count)
        if (lab_unit(lab, fault->host) == leaf &&
            (fault->kind == FAULT_LEAF_SLOW ||
             (fault->kind == FAULT_UPLINK_SLOW && sending >= lab_leaf_hosts(lab))))
            share *= 1 - fault->number / 100;
    return share;
}

double lab_spine_share(const struct lab_host *hosts, size_t count)
{
    const struct lab *lab = hosts[0].lab;
    double share = 1;

    for (size_t i = 0; i < lab->fault_count; i++)
        if ((lab->faults[i].kind == FAULT_FABRIC_SLOW_ALL ||
             (lab->faults[i].kind == FAULT_FABRIC_SLOW && count > 2)) &&
            is_in(hosts, count, lab->faults[i].host))
            share *= 1 - lab->faults[i].number / 100;
    return share;
}

double lab_fabric_share(const struct lab_host *hosts, size_t count, enum collective collective, int fd)
{
    double share = share_of_paths(hosts, count) * lab_spine_share(hosts, count);

    for (size_t i = 0; crosses(hosts, count) && i < count; i++)
        share = fmin(share,
                     share_of_uplinks(hosts, count, collective, lab_unit(hosts[i].lab, hosts[i].number), fd));
    return share;
}
