/* SPDX-License-Identifier: Apache-2.0 */
#include "boot_options.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/model/reading.h"

static bool starts_with_one(struct slice word, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (slice_starts(word, *prefixes))
            return true;
    return false;
}

bool boot_option_is_shared(struct slice word)
{
    static const char *const own[] = {
        "BOOT_IMAGE=",    "BOOTIF=",   "initrd=",  "root=",      "resume=",
        "rd.lvm.",        "rd.luks.",  "rd.md.",   "rd.iscsi.",  "ip=",
        "ifname=",        "hostname=", "nfsroot=", "boot=UUID=", "systemd.machine_id=",
        "nvme_core.host", NULL};

    return !starts_with_one(word, own);
}

bool boot_option_is_of_pci(struct slice word)
{
    static const char *const of_pci[] = {"pci=", "pcie_", "pci_", "vfio", NULL};

    return slice_contains(word, "iommu") || starts_with_one(word, of_pci);
}

const char *boot_options(struct arena *arena, struct slice command_line, bool (*wanted)(struct slice word))
{
    LIST_OF(const char *) words = {0};
    const char *text = "";
    struct slice word;

    if (slice_ends(command_line, "\n"))
        command_line.length--;
    while (scan_word(&command_line, &word))
        if (wanted(word))
            *list_push(arena, &words) = utf8_clean(arena, word);
    if (words.count == 0)
        return "none";
    qsort(words.items, words.count, sizeof *words.items, text_compare);
    for (size_t i = 0; i < words.count; i++)
        if (i == 0 || strcmp(words.items[i - 1], words.items[i]) != 0)
            text = arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", words.items[i]);
    return text;
}
