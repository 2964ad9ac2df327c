/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

const struct gpu_test *const gpu_tests[GPU_TESTS] = {
    [GPU_TEST_SDC] = &gpu_test_sdc,           [GPU_TEST_MEMORY] = &gpu_test_memory,
    [GPU_TEST_COMPUTE] = &gpu_test_compute,   [GPU_TEST_LINKS] = &gpu_test_links,
    [GPU_TEST_TRAINING] = &gpu_test_training, [GPU_TEST_POWER] = &gpu_test_power,
};
