/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, as tools write them. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "redact_private.h"

static int byte_at(const struct pass *pass, size_t at)
{
    return at < pass->in.length ? (unsigned char)pass->in.bytes[at] : '\0';
}

/* This machine, nobody, everybody, and masks name nobody. */
static bool is_nobody(const unsigned char *quad)
{
    return quad[0] == 127 || quad[0] == 255 || (quad[0] == 0 && quad[1] == 0 && quad[2] == 0);
}

static const char *ipv4_text(struct redactor *redactor, const unsigned char *quad)
{
    char name[INET_ADDRSTRLEN];
    unsigned long long n;

    snprintf(name, sizeof name, "%u.%u.%u.%u", quad[0], quad[1], quad[2], quad[3]);
    if (is_nobody(quad))
        return arena_strdup(redactor->arena, name);
    n = (unsigned long long)redact_number(redactor, REDACT_IPV4, name);
    return arena_printf(redactor->arena, "198.%llu.%llu.%llu", 18 + (n >> 16) % 200, n >> 8 & 255, n & 255);
}

/* Four numbers and the dots between; the length, or 0. zeros: a number begins with a zero that says nothing. */
static size_t quad_length(const struct pass *pass, unsigned char quad[4], bool *ret_zeros)
{
    size_t at = pass->at;

    *ret_zeros = false;
    for (int i = 0; i < 4; i++) {
        unsigned value = 0, digits = 0;

        if (i > 0 && byte_at(pass, at++) != '.')
            return 0;
        if (byte_at(pass, at) == '0' && isdigit(byte_at(pass, at + 1)))
            *ret_zeros = true;
        while (isdigit(byte_at(pass, at)) && digits < 4) {
            value = value * 10 + (unsigned)(byte_at(pass, at++) - '0');
            digits++;
        }
        if (digits == 0 || digits > 3 || value > 255)
            return 0;
        quad[i] = (unsigned char)value;
    }
    return at - pass->at;
}

static const char *list_name(struct redactor *redactor, const char *name)
{
    struct in_addr address;

    return inet_pton(AF_INET, name, &address) == 1 ? ipv4_text(redactor, (const unsigned char *)&address)
                                                   : name;
}

static bool is_list_name(struct redactor *redactor, const char *name)
{
    struct in_addr address;

    (void)redactor;
    return inet_pton(AF_INET, name, &address) == 1;
}

/* "10.0.0.[1-128]" */
static bool take_list(struct pass *pass)
{
    size_t at = pass->at, brackets = 0;
    const char *by;

    while (byte_at(pass, at) != '\0' && strchr("0123456789.[", byte_at(pass, at)) != NULL) {
        if (byte_at(pass, at) == '[') {
            brackets++;
            while (byte_at(pass, at + 1) != '\0' && strchr("0123456789,-", byte_at(pass, at + 1)) != NULL)
                at++;
            if (byte_at(pass, ++at) != ']')
                return false;
        }
        at++;
    }
    by = brackets > 0 ? redact_fold(pass, at - pass->at, list_name, is_list_name) : NULL;
    if (by != NULL)
        redact_replace(pass, at - pass->at, by);
    return by != NULL;
}

static bool take_ipv4(struct pass *pass)
{
    int before = pass->at > 0 ? byte_at(pass, pass->at - 1) : '\0';
    unsigned char quad[4];
    size_t length;
    bool zeros;

    if (isdigit(before) || (before == '.' && pass->at > 1 && isdigit(byte_at(pass, pass->at - 2))))
        return false;
    if (take_list(pass))
        return true;
    length = quad_length(pass, quad, &zeros);
    /* 96.00.74.00.01 is the version of a VBIOS; 10.0.0.1.443 an address and its port. */
    if (length == 0 || isalnum(byte_at(pass, pass->at + length)) ||
        (zeros && byte_at(pass, pass->at + length) == '.' && isdigit(byte_at(pass, pass->at + length + 1))))
        return false;
    redact_replace(pass, length, ipv4_text(pass->redactor, quad));
    return true;
}

static bool is_hex_or(int byte, const char *others)
{
    return isxdigit(byte) || (byte != '\0' && strchr(others, byte) != NULL);
}

enum { MAC_DIGITS = 12, GUID_DIGITS = 16, NODE_BITS = 0xffffff };

/* Whatever stands for hardware: a made-up maker (locally administered), and a number. */
static const char *mac_text(struct redactor *redactor, const char *digits)
{
    return arena_printf(redactor->arena, "020000%06llx",
                        (unsigned long long)redact_number(redactor, REDACT_MAC, digits) & NODE_BITS);
}

static const char *guid_text(struct redactor *redactor, const char *digits)
{
    return arena_printf(redactor->arena, "020000fffe%06llx",
                        (unsigned long long)redact_number(redactor, REDACT_GUID, digits) & NODE_BITS);
}

/* Nobody's: zeros, ones, the prefix of link-local addresses, a small number, an address of the kernel. */
static bool is_guid(const char *digits)
{
    return strncmp(digits, "000000", 6) != 0 && strncmp(digits, "ffff", 4) != 0 &&
           strcmp(digits, "fe80000000000000") != 0;
}

static void know_digits(struct redactor *redactor, const char *digits, const char *by)
{
    redact_know_alias(redactor, digits, 0)->hash = by;
    redact_know_alias(redactor, arena_printf(redactor->arena, "0x%s", digits), 0)->hash =
        arena_printf(redactor->arena, "0x%s", by);
}

/* The hex digits from `at` to `end`, without what stands between, in lower case. */
static const char *digits_of(struct pass *pass, size_t at, size_t end)
{
    char *digits = arena_alloc(pass->redactor->arena, end - at + 1);
    size_t count = 0;

    for (; at < end; at++)
        if (isxdigit(byte_at(pass, at)))
            digits[count++] = (char)tolower(byte_at(pass, at));
    digits[count] = '\0';
    return digits;
}

void redactor_know_guid(struct redactor *redactor, const char *guid)
{
    char digits[GUID_DIGITS + 1];
    size_t count = 0;

    for (guid += strncmp(guid, "0x", 2) == 0 ? 2 : 0; *guid != '\0'; guid++) {
        if (isxdigit((unsigned char)*guid) && count < GUID_DIGITS)
            digits[count++] = (char)tolower((unsigned char)*guid);
        else if (strchr(":-", *guid) == NULL)
            return;
    }
    digits[count] = '\0';
    if (count == GUID_DIGITS && is_guid(digits))
        know_digits(redactor, arena_strdup(redactor->arena, digits), guid_text(redactor, digits));
}

/* In groups of `wide` digits, as it stood. */
static const char *grouped(struct arena *arena, const char *digits, size_t wide, char between)
{
    struct text text = {0};
    const char *made;

    text_init(&text, 64);
    for (size_t i = 0; digits[i] != '\0'; i++) {
        if (i > 0 && i % wide == 0)
            text_add(&text, &between, 1);
        text_add(&text, digits + i, 1);
    }
    made = arena_strndup(arena, text.bytes, text.length);
    text_release(&text);
    return made;
}

/* "506b:4b03:00ca:fe01", "50:6b:4b:03:00:ca:fe:01"; vendor, device and their like of PCI are four groups too. */
static bool take_grouped_guid(struct pass *pass, size_t length, size_t wide, char between)
{
    static const char *const vendors[] = {"10de", "15b3", "8086", "1002", "1022",
                                          "14e4", "1000", "144d", "1af4"};
    const char *digits = digits_of(pass, pass->at, pass->at + length);

    for (size_t i = 0; wide == 4 && i < ARRAY_SIZE(vendors); i++)
        if (strncmp(digits, vendors[i], 4) == 0)
            return false;
    if (!is_guid(digits))
        return false;
    redactor_know_guid(pass->redactor, digits);
    redact_replace(pass, length,
                   grouped(pass->redactor->arena, guid_text(pass->redactor, digits), wide, between));
    return true;
}

static size_t count_hex(const struct pass *pass, size_t at)
{
    size_t count = 0;

    while (isxdigit(byte_at(pass, at + count)))
        count++;
    return isalnum(byte_at(pass, at + count)) || byte_at(pass, at + count) == '_' ? 0 : count;
}

/* Between brackets and quotes of ibnetdiscover: "S-506b...", "[1](506b...)"; before a port: "0x506b.../1". */
static bool is_guid_place(const struct pass *pass, size_t digits_at)
{
    const char *bytes = pass->in.bytes;
    size_t at = pass->at, end = digits_at + GUID_DIGITS;

    if (at >= 3 && bytes[at - 3] == '"' && strchr("SHR", bytes[at - 2]) != NULL && bytes[at - 1] == '-')
        return true;
    if (at >= 2 && bytes[at - 2] == ']' && bytes[at - 1] == '(')
        return true;
    return digits_at > at && byte_at(pass, end) == '/' && isdigit(byte_at(pass, end + 1));
}

/* Digits without anything between, where words before say what they are. */
static bool take_bare(struct pass *pass)
{
    size_t at = pass->at + (byte_at(pass, pass->at) == '0' && byte_at(pass, pass->at + 1) == 'x' ? 2 : 0);
    size_t count = count_hex(pass, at);
    const char *digits, *by;

    if (count == GUID_DIGITS && (pass->at < pass->guid_end || is_guid_place(pass, at))) {
        digits = digits_of(pass, at, at + count);
        if (!is_guid(digits))
            return false;
        by = guid_text(pass->redactor, digits);
    } else if (count == MAC_DIGITS && at == pass->at && pass->at < pass->mac_end) {
        digits = digits_of(pass, at, at + count);
        if (strspn(digits, "0123456789") == MAC_DIGITS || strspn(digits, "f") == MAC_DIGITS)
            return false;
        by = mac_text(pass->redactor, digits);
    } else {
        return false;
    }
    know_digits(pass->redactor, digits, by);
    redact_replace(pass, at - pass->at + count,
                   at > pass->at ? arena_printf(pass->redactor->arena, "0x%s", by) : by);
    return true;
}

/* "enx506b4bcafe01", as udev names what has no other name. */
static bool take_interface(struct pass *pass)
{
    const char *digits;

    if (byte_at(pass, pass->at + 1) != 'n' || byte_at(pass, pass->at + 2) != 'x' ||
        !redact_begins(pass, pass->at) || count_hex(pass, pass->at + 3) != MAC_DIGITS)
        return false;
    digits = digits_of(pass, pass->at + 3, pass->at + 3 + MAC_DIGITS);
    redact_replace(pass, 3 + MAC_DIGITS,
                   arena_printf(pass->redactor->arena, "enx%s", mac_text(pass->redactor, digits)));
    return true;
}

static void put_mac(struct pass *pass, size_t length, char between)
{
    char name[64], by[32];
    size_t end = 0;
    unsigned n;

    for (size_t i = 0; i < length && end < sizeof name - 2; i++)
        if (isxdigit(byte_at(pass, pass->at + i)))
            name[end++] = (char)tolower(byte_at(pass, pass->at + i));
    name[end] = '\0';
    n = (unsigned)redact_number(pass->redactor, REDACT_MAC, name);
    if (strlen(name) == MAC_DIGITS && strspn(name, "0") < MAC_DIGITS)
        know_digits(pass->redactor, arena_strdup(pass->redactor->arena, name),
                    mac_text(pass->redactor, name));
    snprintf(by, sizeof by, "02%c00%c00%c%02x%c%02x%c%02x", between, between, between, n >> 16 & 255, between,
             n >> 8 & 255, between, n & 255);
    redact_replace(pass, length, by);
}

/* Nothing but zeros, or but ones: of no card. */
static bool is_nobodys(const struct pass *pass, size_t end)
{
    size_t zeros = 0, ones = 0, digits = 0;

    for (size_t at = pass->at; at < end; at++) {
        digits += isxdigit(byte_at(pass, at)) != 0;
        zeros += byte_at(pass, at) == '0';
        ones += tolower(byte_at(pass, at)) == 'f';
    }
    return zeros == digits || ones == digits;
}

/* Pairs of hex digits: 6 of Ethernet, 20 of IP over InfiniBand; or three groups of four. */
static bool take_mac(struct pass *pass)
{
    int between = byte_at(pass, pass->at + 2);
    size_t groups = 0, at = pass->at, wide = between == ':' || between == '-' ? 2 : 4;

    if (wide == 4)
        between = '.';
    for (;;) {
        for (size_t i = 0; i < wide; i++)
            if (!isxdigit(byte_at(pass, at++)))
                return false;
        groups++;
        if (byte_at(pass, at) != between || !isxdigit(byte_at(pass, at + 1)))
            break;
        at++;
    }
    if (isalnum(byte_at(pass, at)))
        return false;
    if (wide == 2 && groups == GUID_DIGITS / 2)
        return take_grouped_guid(pass, at - pass->at, wide, (char)between);
    if (wide == 2 ? groups != 6 && groups != 20 : groups != 3)
        return false;
    if (is_nobodys(pass, at))
        return false;
    put_mac(pass, at - pass->at, wide == 4 ? ':' : (char)between);
    return true;
}

static bool put_ipv6(struct pass *pass, size_t length, const char *text)
{
    unsigned char address[sizeof(struct in6_addr)];
    char name[INET6_ADDRSTRLEN];
    struct in6_addr parsed;

    if (inet_pton(AF_INET6, text, &parsed) != 1)
        return false;
    memcpy(address, &parsed, sizeof address);
    if (memcmp(address, &in6addr_loopback, 15) == 0 && address[15] <= 1)
        return false;
    inet_ntop(AF_INET6, &parsed, name, sizeof name);
    redact_replace(pass, length,
                   arena_printf(pass->redactor->arena, "2001:db8::%llx",
                                (unsigned long long)redact_number(pass->redactor, REDACT_IPV6, name)));
    return true;
}

/* The longest run of hex digits and colons that is an address. */
static bool take_ipv6(struct pass *pass)
{
    char text[INET6_ADDRSTRLEN + 1];
    size_t length = 0, colons = 0;

    while (is_hex_or(byte_at(pass, pass->at + length), ":.") && length < sizeof text - 1) {
        text[length] = (char)byte_at(pass, pass->at + length);
        colons += text[length++] == ':';
    }
    if (colons < 2 || is_hex_or(byte_at(pass, pass->at + length), ":"))
        return false;
    while (length > 2 && (text[length - 1] == '.' || (text[length - 1] == ':' && text[length - 2] != ':')))
        length--;
    text[length] = '\0';
    if (isalnum(byte_at(pass, pass->at + length)))
        return false;
    return put_ipv6(pass, length, text);
}

static bool take_quads(struct pass *pass)
{
    enum { LENGTH = 19, WIDE = 4 };

    for (size_t i = 0; i < LENGTH; i++)
        if (i % (WIDE + 1) == WIDE ? byte_at(pass, pass->at + i) != ':'
                                   : !isxdigit(byte_at(pass, pass->at + i)))
            return false;
    if (is_hex_or(byte_at(pass, pass->at + LENGTH), ":") || isalnum(byte_at(pass, pass->at + LENGTH)))
        return false;
    return take_grouped_guid(pass, LENGTH, WIDE, ':');
}

bool redact_address(struct pass *pass)
{
    int byte = byte_at(pass, pass->at), before = pass->at > 0 ? byte_at(pass, pass->at - 1) : '\0';

    if (!isxdigit(byte) && byte != ':')
        return false;
    if (before != ':' && redact_begins(pass, pass->at) &&
        ((isxdigit(byte) && (take_mac(pass) || take_quads(pass) || take_bare(pass))) || take_ipv6(pass)))
        return true;
    if (byte == 'e' && take_interface(pass))
        return true;
    return isdigit(byte) && take_ipv4(pass);
}

bool redact_know_address(struct redactor *redactor, const char *text)
{
    unsigned char quad[4];
    struct in6_addr wide;
    long long n;

    if (inet_pton(AF_INET6, text, &wide) == 1)
        return true;
    if (inet_pton(AF_INET, text, quad) != 1)
        return false;
    if (is_nobody(quad))
        return true;
    n = redact_number(redactor, REDACT_IPV4, text);
    redact_know_alias(redactor,
                      arena_printf(redactor->arena, "%u-%u-%u-%u", quad[0], quad[1], quad[2], quad[3]), n);
    redact_know_alias(
        redactor, arena_printf(redactor->arena, "%02x%02x%02x%02x", quad[0], quad[1], quad[2], quad[3]), n);
    redact_know_alias(
        redactor, arena_printf(redactor->arena, "%02x%02x%02x%02x", quad[3], quad[2], quad[1], quad[0]), n);
    return true;
}
