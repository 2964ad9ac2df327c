/* SPDX-License-Identifier: Apache-2.0 */
/* Links out of what was told, from one end or both, and the fabric out of links. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cabling.h"

struct builder {
    struct fabric_cabling *cabling;
    const struct fabric_cabling_options *options;
    struct fabric *fabric;
    struct fabric_remarks *remarks;
    size_t one_sided; /* links of which the other end has no file */
    struct error *err;
};

static const char *name_of(const struct builder *builder, uint32_t port)
{
    const struct cabled_port *at = &builder->cabling->ports.items[port];

    return arena_printf(builder->cabling->arena, "%s %s", builder->cabling->nodes.items[at->node].name,
                        at->name);
}

static bool is_named(const struct fabric_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (cabling_same_name(slice_of(names->items[i]), slice_of(name)))
            return true;
    return false;
}

/* --- who is who --- */

static int know_names(const struct builder *builder, const struct fabric_names *names, const char *option)
{
    for (size_t i = 0; i < names->count; i++)
        if (cabling_find_node(builder->cabling, slice_of(names->items[i])) == FABRIC_NONE)
            return error_set(builder->err, ERROR_USAGE, "%s: no cable is told of '%s'", option,
                             names->items[i]);
    return 0;
}

static int tell_switches(const struct builder *builder)
{
    const struct fabric_cabling_options *options = builder->options;

    if (know_names(builder, &options->switches, "--switches") < 0 ||
        know_names(builder, &options->hosts, "--hosts") < 0 ||
        know_names(builder, &options->without, "--without") < 0)
        return -1;
    for (size_t i = 0; i < builder->cabling->nodes.count; i++) {
        struct cabled_node *node = &builder->cabling->nodes.items[i];

        node->is_switch = options->switches.count > 0             ? is_named(&options->switches, node->name)
                          : is_named(&options->hosts, node->name) ? false
                                                                  : node->is_second || node->is_forwarder;
        if (node->is_second && !node->is_switch && !is_named(&options->without, node->name))
            return error_set(
                builder->err, ERROR_USAGE, "'%s' stands second in a line of the plan, as switches do, and %s",
                node->name, options->switches.count > 0 ? "--switches does not name it" : "--hosts names it");
    }
    return 0;
}

/* --- which port the other end is --- */

static bool is_mac(const char *text)
{
    unsigned bytes = 0;

    for (; strspn(text, "0123456789abcdefABCDEF") == 2; text++) {
        bytes++;
        text += 2;
        if (*text != ':')
            break;
    }
    return bytes == 6 && *text == '\0';
}

/* What a file of flows can hold: "node1 eth2 > node2 eth2". */
static bool is_fit(const char *name)
{
    return name[0] != '\0' && strpbrk(name, " \t#:>,") == NULL;
}

/* As the node calls it; of a port that is known by its address, as it is described. */
static const char *told_name(const struct builder *builder, const struct cabled_row *row)
{
    char *address;

    if (!is_mac(row->port))
        return row->port;
    if (row->alias != NULL && is_fit(row->alias))
        return row->alias;
    address = arena_strdup(builder->cabling->arena, row->port);
    for (char *at = address; *at != '\0'; at++)
        *at = *at == ':' ? '-' : *at;
    return address;
}

/* The port in which the other end tells of this one; FABRIC_NONE. */
static uint32_t told_back(const struct builder *builder, const struct cabled_row *row, uint32_t far)
{
    const struct fabric_cabling *cabling = builder->cabling;
    const struct cabled_port *near = &cabling->ports.items[row->near];

    for (size_t i = 0; i < cabling->nodes.items[far].row_count; i++) {
        const struct cabled_row *other = &cabling->rows.items[cabling->nodes.items[far].first_row + i];

        if (cabling_find_node(cabling, slice_of(other->node)) == near->node &&
            (strcmp(other->port, near->name) == 0 ||
             (other->alias != NULL && strcmp(other->alias, near->name) == 0)))
            return other->near;
    }
    return FABRIC_NONE;
}

/* What it calls the port, what it says of it, and at last what the other end says, in this order. */
static uint32_t far_port(const struct builder *builder, const struct cabled_row *row)
{
    struct fabric_cabling *cabling = builder->cabling;
    uint32_t node = cabling_node(cabling, slice_of(row->node)), port;

    if (cabling->nodes.items[node].file == NULL)
        return cabling_port(cabling, node, slice_of(told_name(builder, row)));
    port = cabling_find_port(cabling, node, slice_of(row->port));
    if (port == FABRIC_NONE && row->alias != NULL)
        port = cabling_find_port(cabling, node, slice_of(row->alias));
    if (port == FABRIC_NONE)
        port = told_back(builder, row, node);
    return port != FABRIC_NONE ? port : cabling_port(cabling, node, slice_of(told_name(builder, row)));
}

/* --- links --- */

static int refuse_second(const struct builder *builder, const struct cabled_row *row, uint32_t far)
{
    const struct cabled_port *ports = builder->cabling->ports.items;
    uint32_t taken = ports[row->near].far != FABRIC_NONE ? row->near : far;

    return error_set(
        builder->err, ERROR_USAGE,
        "%s: a link between %s and %s, but %s tells of one between %s and %s; a port has one link",
        row->where, name_of(builder, row->near), name_of(builder, far), ports[taken].where,
        name_of(builder, taken), name_of(builder, ports[taken].far));
}

static void remark_one_side(struct builder *builder, const struct cabled_row *row, uint32_t far)
{
    const struct fabric_cabling *cabling = builder->cabling;
    const char *file = cabling->nodes.items[cabling->ports.items[far].node].file;

    if (row->both || cabling->ports.items[far].told)
        return;
    if (file == NULL)
        builder->one_sided++;
    else
        *list_push(cabling->arena, &builder->remarks->items) =
            arena_printf(cabling->arena, "%s: a link to %s, of which %s tells nothing", row->where,
                         name_of(builder, far), file);
}

static int join_row(struct builder *builder, const struct cabled_row *row)
{
    uint32_t far = far_port(builder, row);
    struct cabled_port *ports = builder->cabling->ports.items;

    if (ports[row->near].far == far && ports[far].far == row->near && !row->both)
        return 0; /* the other end has told of it */
    if (ports[row->near].node == ports[far].node)
        return error_set(builder->err, ERROR_USAGE, "%s: a link between %s and %s, of the same node",
                         row->where, name_of(builder, row->near), name_of(builder, far));
    if (ports[row->near].far != FABRIC_NONE || ports[far].far != FABRIC_NONE)
        return refuse_second(builder, row, far);
    ports[row->near].far = far;
    ports[far].far = row->near;
    ports[row->near].gbits = ports[far].gbits = row->gbits;
    ports[row->near].where = ports[far].where = row->where;
    remark_one_side(builder, row, far);
    return 0;
}

static int join_rows(struct builder *builder)
{
    for (size_t i = 0; i < builder->cabling->rows.count; i++)
        if (join_row(builder, &builder->cabling->rows.items[i]) < 0)
            return -1;
    return 0;
}

/* --- the fabric --- */

static uint64_t guid_of(const struct fabric *fabric, const char *name)
{
    uint64_t guid = 1469598103934665603u;
    uint32_t node;

    for (const char *at = name; *at != '\0'; at++)
        guid = (guid ^ (unsigned char)*at) * 1099511628211u;
    while ((node = fabric_find_node(fabric, guid)) != FABRIC_NONE &&
           strcmp(fabric->nodes.items[node].name, name) != 0)
        guid++;
    return guid;
}

static int add_end(const struct builder *builder, uint32_t port, const char *where)
{
    struct fabric_cabling *cabling = builder->cabling;
    struct cabled_port *at = &cabling->ports.items[port];
    struct cabled_node *node = &cabling->nodes.items[at->node];
    struct fabric *fabric = builder->fabric;
    const char *name =
        node->is_switch ? node->name : arena_printf(fabric->arena, "%s %s", node->name, at->name);
    uint32_t added;

    if (!is_fit(node->name) || !is_fit(at->name))
        return error_set(
            builder->err, ERROR_USAGE,
            "%s: '%s' and '%s': expected the name of a node and of a port, without blanks, #, :, > "
            "and commas",
            where, node->name, at->name);
    if (node->links >= UINT16_MAX)
        return error_set(builder->err, ERROR_USAGE, "%s: %s has too many ports", where, node->name);
    added = fabric_add_node(fabric, node->is_switch ? FABRIC_SWITCH : FABRIC_ADAPTER, guid_of(fabric, name),
                            name);
    at->port = fabric_add_port(fabric, added, node->is_switch ? ++node->links : 1);
    fabric->ports.items[at->port].name = at->name;
    return 0;
}

static int add_link(const struct builder *builder, uint32_t port)
{
    struct fabric_cabling *cabling = builder->cabling;
    const struct cabled_port *near = &cabling->ports.items[port], *far = &cabling->ports.items[near->far];
    bool switches[2] = {cabling->nodes.items[near->node].is_switch,
                        cabling->nodes.items[far->node].is_switch};
    double gbits = near->gbits > 0              ? near->gbits
                   : switches[0] && switches[1] ? builder->options->switch_gbits
                                                : builder->options->host_gbits;

    if (!switches[0] && !switches[1])
        return error_set(
            builder->err, ERROR_USAGE,
            "%s: a link between %s and %s, and neither is known to be a switch: name all switches by "
            "--switches",
            near->where, name_of(builder, port), name_of(builder, near->far));
    if (gbits <= 0)
        return error_set(
            builder->err, ERROR_USAGE,
            "%s: the rate of the link is not told: give it by --gbits HOSTS[:SWITCHES], such as 400:800",
            near->where);
    if (add_end(builder, port, near->where) < 0 || add_end(builder, near->far, near->where) < 0)
        return -1;
    fabric_join(builder->fabric, near->port, far->port, gbits);
    return 0;
}

static bool is_left_out(const struct builder *builder, uint32_t port)
{
    const struct fabric_cabling *cabling = builder->cabling;

    return is_named(&builder->options->without, cabling->nodes.items[cabling->ports.items[port].node].name);
}

static int add_links(const struct builder *builder)
{
    const struct fabric_cabling *cabling = builder->cabling;

    for (uint32_t port = 0; port < cabling->ports.count; port++) {
        uint32_t far = cabling->ports.items[port].far;

        if (far != FABRIC_NONE && far > port && !is_left_out(builder, port) && !is_left_out(builder, far) &&
            add_link(builder, port) < 0)
            return -1;
    }
    for (size_t i = 0; i < builder->fabric->nodes.count; i++)
        if (builder->fabric->nodes.items[i].kind == FABRIC_ADAPTER)
            return 0;
    return error_set(
        builder->err, ERROR_USAGE,
        "of no node is known that it is a host: by LLDP each bridges or routes, which hosts with containers "
        "do too; name the switches by --switches, or the hosts by --hosts");
}

static void remark_all(struct builder *builder)
{
    const struct fabric_cabling *cabling = builder->cabling;
    struct fabric_remarks *remarks = builder->remarks;

    if (builder->one_sided > 0)
        *list_push(cabling->arena, &remarks->items) = arena_printf(
            cabling->arena, "%zu links are told by one end only: of the other node there is no file",
            builder->one_sided);
    remarks->left_out = cabling->nameless.count;
    list_each (where, cabling->nameless)
        *list_push(cabling->arena, &remarks->items) = arena_printf(
            cabling->arena, "%s: a neighbour without a system name: its link is left out", *where);
}

int fabric_cabling_build(struct fabric_cabling *cabling, const struct fabric_cabling_options *options,
                         struct fabric *fabric, struct fabric_remarks *ret_remarks, struct error *err)
{
    struct builder builder = {
        .cabling = cabling, .options = options, .fabric = fabric, .remarks = ret_remarks, .err = err};

    *ret_remarks = (struct fabric_remarks){0};
    if (join_rows(&builder) < 0 || tell_switches(&builder) < 0 || add_links(&builder) < 0)
        return -1;
    remark_all(&builder);
    return 0;
}
