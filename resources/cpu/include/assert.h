// SPDX-License-Identifier: Apache-2.0
// No include guard: assert follows NDEBUG at each inclusion.
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) (__builtin_expect(!!(condition), 1) ? static_cast<void>(0) : WW_FAIL(WwAssertion, #condition))
#endif
