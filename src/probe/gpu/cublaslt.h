/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt, loaded where it is there, for it is a hundred times larger than the probe. Included by CUDA C++ only, where
   cublasLt.h is. */
#ifndef ASSAY_PROBE_CUBLASLT_H
#define ASSAY_PROBE_CUBLASLT_H

#include <cstdio>

#include <cublasLt.h>
#include <dlfcn.h>

extern "C" {
#include "gpu.h"
}

/* The functions of the library that are used; all there, or it is not. */
struct cublaslt {
    void *handle;
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtDestroy) destroy;
    decltype(&cublasLtGetVersion) version;
    decltype(&cublasLtMatmul) multiply;
    decltype(&cublasLtMatmulAlgoGetHeuristic) ways;
    decltype(&cublasLtMatmulDescCreate) product_create;
    decltype(&cublasLtMatmulDescDestroy) product_destroy;
    decltype(&cublasLtMatmulDescSetAttribute) product_set;
    decltype(&cublasLtMatrixLayoutCreate) layout_create;
    decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
    decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
};

template <typename F> static inline bool find_function(void *handle, const char *name, F *ret_function)
{
    *ret_function = (F)dlsym(handle, name);
    return *ret_function != NULL;
}

static inline bool cublaslt_find(struct cublaslt *lt)
{
    const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};

    for (size_t i = 0; i < sizeof names / sizeof names[0] && lt->handle == NULL; i++)
        lt->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return lt->handle != NULL && find_function(lt->handle, "cublasLtCreate", &lt->create) &&
           find_function(lt->handle, "cublasLtDestroy", &lt->destroy) &&
           find_function(lt->handle, "cublasLtGetVersion", &lt->version) &&
           find_function(lt->handle, "cublasLtMatmul", &lt->multiply) &&
           find_function(lt->handle, "cublasLtMatmulAlgoGetHeuristic", &lt->ways) &&
           find_function(lt->handle, "cublasLtMatmulDescCreate", &lt->product_create) &&
           find_function(lt->handle, "cublasLtMatmulDescDestroy", &lt->product_destroy) &&
           find_function(lt->handle, "cublasLtMatmulDescSetAttribute", &lt->product_set) &&
           find_function(lt->handle, "cublasLtMatrixLayoutCreate", &lt->layout_create) &&
           find_function(lt->handle, "cublasLtMatrixLayoutDestroy", &lt->layout_destroy) &&
           find_function(lt->handle, "cublasLtMatrixLayoutSetAttribute", &lt->layout_set) &&
           find_function(lt->handle, "cublasLtMatmulPreferenceCreate", &lt->preference_create) &&
           find_function(lt->handle, "cublasLtMatmulPreferenceDestroy", &lt->preference_destroy) &&
           find_function(lt->handle, "cublasLtMatmulPreferenceSetAttribute", &lt->preference_set);
}

/* NULL: it is not there. Threads may ask at once. */
static inline const struct cublaslt *cublaslt_load()
{
    static struct cublaslt library;
    static const bool loaded = cublaslt_find(&library);

    return loaded ? &library : NULL;
}

/* "cuBLASLt 13.0.2" */
static inline void cublaslt_name(const struct cublaslt *lt, char ret_name[GPU_NAME_BYTES])
{
    const unsigned long version = (unsigned long)lt->version();

    (void)snprintf(ret_name, GPU_NAME_BYTES, "cuBLASLt %lu.%lu.%lu", version / 10000, version / 100 % 100,
                   version % 100);
}

#endif
