/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-versions: what MPI, CUDA and NCCL a program really gets on this host, one "NAME VALUE" a line. Which
 * library the loader finds is what mpirun and nccl-tests will use, whatever packages say.
 *
 * Built with what was found when assay was built; a library that it was built without says "not built in".
 * Exit status 0 when everything that is built in answered, else 1.
 */
#include <stdio.h>
#include <string.h>

#ifdef PROBE_WITH_MPI
#include <mpi.h>
#endif
#ifdef PROBE_WITH_CUDA
#include <cuda_runtime_api.h>
#endif
#ifdef PROBE_WITH_NCCL
#include <nccl.h>
#endif

static int print_mpi(void)
{
#ifdef PROBE_WITH_MPI
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int version, subversion, length;

    /* Both may be asked before MPI_Init, so no launcher is needed. */
    if (MPI_Get_version(&version, &subversion) != MPI_SUCCESS ||
        MPI_Get_library_version(library, &length) != MPI_SUCCESS) {
        puts("mpi.version error");
        return -1;
    }
    library[strcspn(library, "\n,")] = '\0';
    printf("mpi.version %d.%d\nmpi.library %s\n", version, subversion, library);
#else
    puts("mpi.version not built in");
#endif
    return 0;
}

static int print_cuda(void)
{
#ifdef PROBE_WITH_CUDA
    int runtime = 0, driver = 0, devices = 0;
    cudaError_t error;

    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        printf("cuda.runtime %d.%d\n", runtime / 1000, runtime % 1000 / 10);
    /* 0: no driver is loaded; the runtime does not call that an error. */
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
        printf("cuda.driver %d.%d\n", driver / 1000, driver % 1000 / 10);
    error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) {
        printf("cuda.devices error %s\n", cudaGetErrorString(error));
        return -1;
    }
    printf("cuda.devices %d\n", devices);
#else
    puts("cuda.runtime not built in");
#endif
    return 0;
}

static int print_nccl(void)
{
#ifdef PROBE_WITH_NCCL
    int version = 0;
    ncclResult_t result = ncclGetVersion(&version);

    if (result != ncclSuccess) {
        printf("nccl.version error %s\n", ncclGetErrorString(result));
        return -1;
    }
    /* From 2.9 on the number has two digits more for the minor version (nccl.h, NCCL_VERSION). */
    if (version >= 10000)
        printf("nccl.version %d.%d.%d\n", version / 10000, version % 10000 / 100, version % 100);
    else
        printf("nccl.version %d.%d.%d\n", version / 1000, version % 1000 / 100, version % 100);
#else
    puts("nccl.version not built in");
#endif
    return 0;
}

int main(void)
{
    int failed = 0;

    failed |= print_mpi() < 0;
    failed |= print_cuda() < 0;
    failed |= print_nccl() < 0;
    return failed;
}
