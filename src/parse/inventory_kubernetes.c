/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl get nodes -o json. Labels are those of Kubernetes itself, NVIDIA's GPU feature discovery and topograph. */
#include "inventory_private.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/model/reading.h"

#define LABEL_PRODUCT "nvidia.com/gpu.product"
#define LABEL_COUNT "nvidia.com/gpu.count"
#define LABEL_LEAF "network.topology.nvidia.com/leaf"
#define LABEL_BLOCK "network.topology.nvidia.com/accelerator"
#define LABEL_ZONE "topology.kubernetes.io/zone"

static const char *label(const struct json *node, const char *key)
{
    return json_string(json_get(json_get(node, "metadata"), "labels"), key, NULL);
}

static const char *internal_address(const struct json *status)
{
    json_each (item, json_get(status, "addresses"))
        if (strcmp(json_string(item, "type", ""), "InternalIP") == 0)
            return json_string(item, "address", NULL);
    return NULL;
}

/* What discovery counted is the hardware; capacity is what is handed out, which slices of time and MIG make more. */
static void count_accelerators(const struct json *source, struct inventory_node *node)
{
    const char *counted = label(source, LABEL_COUNT);
    uint64_t number;

    node->counted = true;
    if (counted != NULL && scan_u64(slice_of(counted), &number) && number <= 4096) {
        node->accelerators = (unsigned)number;
        return;
    }
    json_each (item, json_get(json_get(source, "status"), "capacity")) {
        bool is_gpu = strcmp(item->key, "nvidia.com/gpu") == 0;
        bool is_npu = strncmp(item->key, "huawei.com/Ascend", 17) == 0;

        if ((!is_gpu && !is_npu) || item->type != JSON_STRING || !scan_u64(slice_of(item->string), &number) ||
            number > 4096)
            continue;
        node->mixed |= node->accelerators > 0 && number > 0;
        node->accelerators += (unsigned)number;
    }
}

static const char *trouble_of(struct arena *arena, const struct json *source)
{
    const char *said = json_boolean(json_get(source, "spec"), "unschedulable", false) ? "cordoned" : NULL;

    json_each (item, json_get(json_get(source, "status"), "conditions"))
        if (strcmp(json_string(item, "type", ""), "Ready") == 0 &&
            strcmp(json_string(item, "status", ""), "True") != 0)
            said = arena_printf(arena, "%s%snot Ready: %s", said != NULL ? said : "",
                                said != NULL ? ", " : "", json_string(item, "reason", "no reason told"));
    return said;
}

static void read_node(struct arena *arena, struct inventory *inventory, const struct json *source)
{
    const struct inventory_keys *keys = &inventory->keys;
    const char *name = json_string(json_get(source, "metadata"), "name", NULL);
    struct inventory_node *node;

    if (name == NULL || *name == '\0')
        return;
    node = inventory_node(arena, inventory, name);
    node->address = internal_address(json_get(source, "status"));
    node->product = label(source, LABEL_PRODUCT);
    node->leaf = label(source, LABEL_LEAF);
    node->block = label(source, LABEL_BLOCK);
    node->partition = label(source, LABEL_ZONE);
    node->unit = keys->unit != NULL ? label(source, keys->unit) : NULL;
    node->rack = keys->rack != NULL ? label(source, keys->rack) : NULL;
    node->trouble = trouble_of(arena, source);
    count_accelerators(source, node);
}

int inventory_kubernetes(struct arena *arena, struct inventory *inventory, const char *name,
                         struct slice bytes, struct error *err)
{
    const struct json *root = json_parse(arena, name, bytes.bytes, bytes.length, err);
    size_t before = inventory->nodes.count;

    if (root == NULL)
        return -1;
    if (strcmp(json_string(root, "kind", ""), "Node") == 0)
        read_node(arena, inventory, root);
    json_each (item, json_get(root, "items"))
        if (strcmp(json_string(item, "kind", ""), "Node") == 0)
            read_node(arena, inventory, item);
    if (inventory->nodes.count == before)
        return error_set(err, ERROR_USAGE, "%s: there is no node in it; expected kubectl get nodes -o json",
                         name);
    return 0;
}
