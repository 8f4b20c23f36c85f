// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <string>

#include "base/result.h"

namespace ww::profile {

/// CUPTI, opened at run time. All members are set once open() succeeded. The host calls work without a GPU and without a driver.
struct CuptiLibrary {
#define WW_CUPTI_CALLS(X)                                                                                                      \
    X(cuptiGetResultString) X(cuptiGetVersion) X(cuptiProfilerInitialize) X(cuptiProfilerDeviceSupported)                      \
    X(cuptiProfilerGetCounterAvailability) X(cuptiDeviceGetChipName)                                                           \
    X(cuptiProfilerHostInitialize) X(cuptiProfilerHostDeinitialize) X(cuptiProfilerHostGetSupportedChips)                      \
    X(cuptiProfilerHostConfigAddMetrics) X(cuptiProfilerHostGetConfigImageSize) X(cuptiProfilerHostGetConfigImage)             \
    X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues)                                                 \
    X(cuptiRangeProfilerEnable) X(cuptiRangeProfilerDisable) X(cuptiRangeProfilerSetConfig) X(cuptiRangeProfilerStart)         \
    X(cuptiRangeProfilerStop) X(cuptiRangeProfilerDecodeData) X(cuptiRangeProfilerGetCounterDataSize)                          \
    X(cuptiRangeProfilerCounterDataImageInitialize) X(cuptiRangeProfilerGetCounterDataInfo)                                    \
    X(cuptiActivityRegisterCallbacks) X(cuptiActivityEnable) X(cuptiActivityDisable) X(cuptiActivityFlushAll)                  \
    X(cuptiActivityGetNextRecord)
#define WW_CUPTI_MEMBER(name) decltype(&::name) name##_ = nullptr;
    WW_CUPTI_CALLS(WW_CUPTI_MEMBER)
#undef WW_CUPTI_MEMBER

    std::string path;           ///< of the library that was opened, or its name where the loader found it
    std::uint32_t version = 0;  ///< CUPTI's API version

    /// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"
    [[nodiscard]] std::string describe(CUptiResult result) const;
    /// An Error that names the call and CUPTI's own words. Privileges and unsupported set-ups are EnvironmentMissing, with the remedy.
    [[nodiscard]] Result<void> check(CUptiResult result, const char* call) const;

    /// Looks in the toolkits that compile::toolkitFolders() knows, then where the loader looks; once per process, thread-safe.
    /// Errors: EnvironmentMissing, with what to install.
    [[nodiscard]] static Result<const CuptiLibrary*> open();
};

/// A parameter block of CUPTI's: zeroed, with its size filled in.
#define WW_CUPTI_PARAMS(type, name) \
    type name{};                    \
    name.structSize = type##_STRUCT_SIZE

}  // namespace ww::profile
