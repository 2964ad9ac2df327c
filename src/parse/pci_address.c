/* SPDX-License-Identifier: Apache-2.0 */
#include "pci_address.h"

#include <ctype.h>
#include <stdio.h>

/* Takes hex digits up to the separator; false when there are fewer than least or more than most. */
static bool take_hex(struct slice *rest, size_t least, size_t most, struct slice *ret_digits)
{
    size_t used = 0;

    while (used < rest->length && isxdigit((unsigned char)rest->bytes[used]))
        used++;
    if (used < least || used > most)
        return false;
    *ret_digits = (struct slice){rest->bytes, used};
    *rest = slice_from(*rest, used);
    return true;
}

static struct slice domain_digits(struct slice domain)
{
    while (domain.length > 4 && domain.bytes[0] == '0')
        domain = slice_from(domain, 1);
    return domain;
}

bool pci_address_put(char *bytes, size_t size, struct slice text)
{
    struct slice domain = slice_of("0000"), bus, device, function = slice_of(""), rest;

    rest = slice_trim(text);
    scan_text(&rest, "PCI:");
    if (!take_hex(&rest, 2, 8, &bus) || !scan_text(&rest, ":") || !take_hex(&rest, 2, 2, &device))
        return false;
    if (scan_text(&rest, ":")) {
        domain = bus;
        bus = device;
        if (!take_hex(&rest, 2, 2, &device))
            return false;
    }
    if (bus.length != 2 || domain.length < 4)
        return false;
    if (scan_text(&rest, ".") && !take_hex(&rest, 1, 1, &function))
        return false;
    if (rest.length > 0)
        return false;
    domain = domain_digits(domain);
    snprintf(bytes, size, "%.*s:%.*s:%.*s%s%.*s", slice_print(domain), slice_print(bus), slice_print(device),
             function.length > 0 ? "." : "", slice_print(function));
    for (char *byte = bytes; *byte != '\0'; byte++)
        *byte = (char)tolower((unsigned char)*byte);
    return true;
}

const char *pci_address(struct arena *arena, struct slice text)
{
    char address[PCI_ADDRESS_BYTES];

    return pci_address_put(address, sizeof address, text) ? arena_strdup(arena, address) : NULL;
}
