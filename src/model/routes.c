/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/routes.h"

const size_t *routes_of(struct routes *routes, const struct shape *shape)
{
    struct route *route;

    /* Steps of one shape stand together. */
    for (size_t i = routes->items.count; i > 0; i--)
        if (routes->items.items[i - 1].shape == shape)
            return routes->items.items[i - 1].places;
    route = list_push(routes->arena, &routes->items);
    *route = (struct route){shape, arena_array(routes->arena, size_t, shape->slot_count + 1)};
    for (size_t i = 0; i < shape->slot_count; i++)
        route->places[i] = routes->place_of(routes->context, shape, &shape->slots[i]);
    return route->places;
}
