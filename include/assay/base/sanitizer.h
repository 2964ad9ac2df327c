/* SPDX-License-Identifier: Apache-2.0 */
/* SANITIZES_ADDRESS: 1 where this is built with AddressSanitizer, else 0. gcc and clang say it differently. */
#ifndef ASSAY_SANITIZER_H
#define ASSAY_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZES_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZES_ADDRESS 1
#endif
#endif
#ifndef SANITIZES_ADDRESS
#define SANITIZES_ADDRESS 0
#endif

#endif
