/* SPDX-License-Identifier: Apache-2.0 */
/* The platforms that the lab can be. */
#include <string.h>

#include "lab_private.h"

static const struct lab_profile *const generations[] = {profiles_hopper, profiles_ampere, profiles_blackwell,
                                                        profiles_volta};

#define GENERATIONS (ARRAY_SIZE(generations))

const struct lab_profile *lab_profile_find(const char *name)
{
    for (size_t i = 0; i < GENERATIONS; i++)
        for (const struct lab_profile *profile = generations[i]; profile->name != NULL; profile++)
            if (strcmp(profile->name, name) == 0)
                return profile;
    return NULL;
}

struct did_you_mean lab_profile_meant(const char *name)
{
    const char *names[64];
    size_t count = 0;

    for (size_t i = 0; i < GENERATIONS; i++)
        for (const struct lab_profile *profile = generations[i]; profile->name != NULL && count < 64;
             profile++)
            names[count++] = profile->name;
    return did_you_mean(name, names, count);
}

static void tell(struct text *out, const struct lab_profile *profile)
{
    if (profile->npus)
        text_printf(out, "%-13s 8 x Ascend 910B3\n", profile->name);
    else
        text_printf(out, "%-13s %u x %s, %u NVLinks of %s GB/s, %u x %u Gb/s, driver %s, DCGM %s\n",
                    profile->name, profile->gpus, profile->gpu_name, profile->links, profile->link_rate,
                    profile->hcas, profile->hca_rate, profile->driver, profile->dcgm);
}

void lab_profiles(struct text *out)
{
    for (size_t i = 0; i < GENERATIONS; i++)
        for (const struct lab_profile *profile = generations[i]; profile->name != NULL; profile++)
            tell(out, profile);
}
