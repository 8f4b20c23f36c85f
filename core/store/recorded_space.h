// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/trial_status.h"
#include "space/search_space.h"

namespace ww::store {

/// One measured configuration. Times and costs are in the file's own unit, which differs between files: compare within one.
struct RecordedTrial {
    space::Configuration configuration;
    TrialStatus status = TrialStatus::Ok;
    std::string failure;                ///< the file's own class name of a failure, "RuntimeFailedConfig"; empty: it ran
    std::optional<double> time;         ///< mean; set exactly where status is Ok
    std::vector<double> times;          ///< single measurements; may be empty
    std::optional<double> compileTime, verificationTime, benchmarkTime, frameworkTime;
    std::optional<double> registers, sharedBytes;
    bool operator==(const RecordedTrial&) const = default;
};

/// A space that somebody measured exhaustively: what it answers for each of its configurations. An immutable value.
class RecordedSpace {
public:
    /// A Kernel Tuner cache file, plain or gzipped. The last braces may be missing, as after an aborted run.
    /// Errors: those of readFile; ParseError (not gzip after all, damaged JSON); InvalidSpec naming the key or entry.
    [[nodiscard]] static Result<RecordedSpace> read(const std::filesystem::path& path);
    /// `name` (a file name) becomes the context of errors.
    [[nodiscard]] static Result<RecordedSpace> parse(std::string_view text, const std::string& name);

    [[nodiscard]] const std::string& kernel() const noexcept { return m_kernel; }
    [[nodiscard]] const std::string& device() const noexcept { return m_device; }
    /// The parameters and domains. The file does not tell the conditions, so this holds more than what was measured.
    [[nodiscard]] const space::SearchSpace& space() const noexcept { return m_space; }
    [[nodiscard]] const std::vector<RecordedTrial>& trials() const noexcept { return m_trials; }  ///< in the file's order
    [[nodiscard]] const RecordedTrial* find(const space::Configuration& configuration) const;
    [[nodiscard]] std::optional<double> bestTime() const noexcept;  ///< nullopt where everything failed

private:
    explicit RecordedSpace(space::SearchSpace space) : m_space(std::move(space)) {}

    std::string m_kernel, m_device;
    space::SearchSpace m_space;
    std::vector<RecordedTrial> m_trials;
    std::unordered_map<space::Configuration, std::size_t, space::ConfigurationHash> m_index;
};

}  // namespace ww::store
