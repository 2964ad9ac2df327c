/* SPDX-License-Identifier: Apache-2.0 */
#include "pci_address.h"

#include <ctype.h>

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

const char *pci_address(struct arena *arena, struct slice text)
{
    struct slice domain = slice_of("0000"), bus, device, function = slice_of(""), rest;
    char *address;

    rest = slice_trim(text);
    scan_text(&rest, "PCI:");
    if (!take_hex(&rest, 2, 8, &bus) || !scan_text(&rest, ":") || !take_hex(&rest, 2, 2, &device))
        return NULL;
    if (scan_text(&rest, ":")) {
        domain = bus;
        bus = device;
        if (!take_hex(&rest, 2, 2, &device))
            return NULL;
    }
    if (bus.length != 2 || domain.length < 4)
        return NULL;
    if (scan_text(&rest, ".") && !take_hex(&rest, 1, 1, &function))
        return NULL;
    if (rest.length > 0)
        return NULL;
    domain = domain_digits(domain);
    address = arena_printf(arena, "%.*s:%.*s:%.*s%s%.*s", slice_print(domain), slice_print(bus),
                           slice_print(device), function.length > 0 ? "." : "", slice_print(function));
    for (char *byte = address; *byte != '\0'; byte++)
        *byte = (char)tolower((unsigned char)*byte);
    return address;
}
