// SPDX-License-Identifier: Apache-2.0
#include "store/recorded_space.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/json.h"

namespace ww::store {

namespace {

/// Far above any recorded space; keeps a hostile file from filling the memory.
constexpr std::size_t kMaxUnpackedBytes = std::size_t{2} << 30;

/// Kernel Tuner's class names of failures.
constexpr std::array<std::pair<std::string_view, TrialStatus>, 3> kFailures{{{"CompilationFailedConfig", TrialStatus::CompileError},
                                                                            {"RuntimeFailedConfig", TrialStatus::RuntimeError},
                                                                            {"InvalidConfig", TrialStatus::ResourceError}}};

bool isGzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

Result<std::string> unpack(std::string_view packed, const std::string& name) {
    z_stream stream{};
    // 16: expect gzip's header and check its sum.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return fail(ErrorCode::Internal, "zlib cannot start", name);
    const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string text;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        const std::size_t done = text.size();
        if (done > kMaxUnpackedBytes) return fail(ErrorCode::Unreadable, "the file unpacks to more than 2 GiB; it is no recorded space", name);
        text.resize(done + (std::size_t{1} << 20));
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
        stream.avail_out = static_cast<uInt>(text.size() - done);
        status = inflate(&stream, Z_NO_FLUSH);
        text.resize(text.size() - stream.avail_out);
        if (status != Z_OK && status != Z_STREAM_END)
            return fail(ErrorCode::ParseError, "the gzip data is cut off or damaged; fetch the file again", name);
    }
    return text;
}

/// An aborted run leaves "... }," without the braces of `cache` and of the document.
Result<Json> parseUnfinished(std::string_view text, const std::string& name) {
    auto whole = parseJson(text, name);
    if (whole) return whole;
    const auto last = text.find_last_not_of(", \t\r\n");
    if (last == std::string_view::npos) return whole;
    const std::string kept(text.substr(0, last + 1));
    for (const char* missing : {"}", "}}"}) {
        if (auto completed = parseJson(kept + missing, name)) return completed;
    }
    return whole;
}

space::Scale scaleOf(const std::vector<space::Value>& values) {
    const auto all = [&](auto&& holds) { return std::ranges::all_of(values, holds); };
    if (all([](const space::Value& v) { return v.isBool(); })) return space::Scale::Boolean;
    if (!all([](const space::Value& v) { return v.isNumber(); })) return space::Scale::Categorical;
    const bool powers = all([](const space::Value& v) { return v.isInt() && v.asInt() > 0 && std::has_single_bit(static_cast<std::uint64_t>(v.asInt())); });
    return powers && values.size() >= 3 ? space::Scale::Log2 : space::Scale::Ordinal;
}

Result<space::SearchSpace> readSpace(const Json& document, const std::string& name) {
    const Json* keys = member(document, "tune_params_keys");
    const Json* domains = member(document, "tune_params");
    if (keys == nullptr || !keys->is_array() || domains == nullptr || !domains->is_object())
        return fail(ErrorCode::InvalidSpec, "tune_params_keys or tune_params is missing; this is no Kernel Tuner cache file", name);
    std::vector<space::Parameter> parameters;
    for (const Json& key : *keys) {
        const Json* values = key.is_string() ? member(*domains, key.get<std::string>()) : nullptr;
        if (values == nullptr || !values->is_array() || values->empty())
            return fail(ErrorCode::InvalidSpec, "tune_params gives no values for " + key.dump(), name);
        space::Parameter parameter;
        parameter.name = key.get<std::string>();
        for (const Json& value : *values) parameter.values.push_back(space::Value::fromJson(value));
        parameter.scale = scaleOf(parameter.values);
        parameters.push_back(std::move(parameter));
    }
    return space::SearchSpace::create(std::move(parameters), {}, {});
}

std::optional<double> number(const Json& entry, std::string_view key) {
    const Json* value = member(entry, key);
    return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

Result<void> readOutcome(const Json& entry, RecordedTrial& trial) {
    const Json* time = member(entry, "time");
    if (time != nullptr && time->is_string()) {
        trial.failure = time->get<std::string>();
        const auto known = std::ranges::find(kFailures, std::string_view(trial.failure), &decltype(kFailures)::value_type::first);
        trial.status = known != kFailures.end() ? known->second : TrialStatus::RuntimeError;
        return {};
    }
    if (time == nullptr || !time->is_number()) return fail(ErrorCode::InvalidSpec, "its \"time\" is neither a number nor the name of a failure");
    trial.time = time->get<double>();
    if (const Json* times = member(entry, "times"); times != nullptr && times->is_array()) {
        for (const Json& one : *times)
            if (one.is_number()) trial.times.push_back(one.get<double>());
    }
    return {};
}

Result<RecordedTrial> readTrial(const Json& entry, const space::SearchSpace& space) {
    RecordedTrial trial;
    for (const auto& parameter : space.parameters()) {
        const Json* value = member(entry, parameter.name);
        if (value == nullptr) return fail(ErrorCode::InvalidSpec, "it has no value for " + parameter.name);
        const auto index = parameter.indexOf(space::Value::fromJson(*value));
        if (!index) return fail(ErrorCode::InvalidSpec, parameter.name + " = " + value->dump() + " is not among the values in tune_params");
        trial.configuration.index.push_back(static_cast<std::uint16_t>(*index));
    }
    WW_CHECK(readOutcome(entry, trial));
    trial.compileTime = number(entry, "compile_time");
    trial.verificationTime = number(entry, "verification_time");
    trial.benchmarkTime = number(entry, "benchmark_time");
    trial.frameworkTime = number(entry, "framework_time");
    trial.registers = number(entry, "regs");
    trial.sharedBytes = number(entry, "shared_bytes");
    return trial;
}

std::string textOr(const Json& document, std::string_view key) {
    const Json* value = member(document, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

Result<RecordedSpace> RecordedSpace::read(const std::filesystem::path& path) {
    WW_TRY(bytes, readFile(path));
    if (!isGzip(bytes)) return parse(bytes, path.string());
    WW_TRY(text, unpack(bytes, path.string()));
    return parse(text, path.string());
}

Result<RecordedSpace> RecordedSpace::parse(std::string_view text, const std::string& name) {
    WW_TRY(document, parseUnfinished(text, name));
    WW_TRY(space, readSpace(document, name));
    RecordedSpace recorded(std::move(space));
    recorded.m_kernel = textOr(document, "kernel_name");
    recorded.m_device = textOr(document, "device_name");
    const Json* cache = member(document, "cache");
    if (cache == nullptr || !cache->is_object()) return fail(ErrorCode::InvalidSpec, "the object \"cache\" with the measured configurations is missing", name);
    for (const auto& [key, entry] : cache->items()) {
        auto trial = readTrial(entry, recorded.m_space);
        if (!trial) return fail(trial.error().code, "entry \"" + key + "\": " + trial.error().message, name);
        if (!recorded.m_index.emplace(trial->configuration, recorded.m_trials.size()).second)
            return fail(ErrorCode::InvalidSpec, "entry \"" + key + "\" is there twice", name);
        recorded.m_trials.push_back(std::move(*trial));
    }
    return recorded;
}

const RecordedTrial* RecordedSpace::find(const space::Configuration& configuration) const {
    const auto found = m_index.find(configuration);
    return found == m_index.end() ? nullptr : &m_trials[found->second];
}

std::optional<double> RecordedSpace::bestTime() const noexcept {
    std::optional<double> best;
    for (const auto& trial : m_trials)
        if (trial.time && (!best || *trial.time < *best)) best = trial.time;
    return best;
}

}  // namespace ww::store
