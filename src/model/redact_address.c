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
    if (length == 0 || isdigit(byte_at(pass, pass->at + length)) ||
        (zeros && byte_at(pass, pass->at + length) == '.' && isdigit(byte_at(pass, pass->at + length + 1))))
        return false;
    redact_replace(pass, length, ipv4_text(pass->redactor, quad));
    return true;
}

static bool is_hex_or(int byte, const char *others)
{
    return isxdigit(byte) || (byte != '\0' && strchr(others, byte) != NULL);
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
    snprintf(by, sizeof by, "02%c00%c00%c%02x%c%02x%c%02x", between, between, between, n >> 16 & 255, between,
             n >> 8 & 255, between, n & 255);
    redact_replace(pass, length, by);
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
    if (isalnum(byte_at(pass, at)) || (wide == 2 ? groups != 6 && groups != 20 : groups != 3))
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

bool redact_address(struct pass *pass)
{
    int byte = byte_at(pass, pass->at), before = pass->at > 0 ? byte_at(pass, pass->at - 1) : '\0';

    if (!isxdigit(byte) && byte != ':')
        return false;
    if (before != ':' && redact_begins(pass, pass->at) &&
        ((isxdigit(byte) && take_mac(pass)) || take_ipv6(pass)))
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
