// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "source/source_model.h"

namespace ww::source {

Result<SourceModel> loadPython(const std::filesystem::path& path) {
    WW_TRY(bytes, readFile(path));
    auto decoded = decodeText(bytes);
    if (!decoded) return fail(decoded.error().code, decoded.error().message, path.string());
    WW_TRY(model, parsePython(std::move(decoded->text), path));
    model.format = decoded->format;
    model.conversions = std::move(decoded->notes);
    return std::move(model);
}

Result<SourceModel> load(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
    if (extension == ".cu" || extension == ".cuh") return loadCuda(path);
    if (extension == ".py") return loadPython(path);
    return fail(ErrorCode::Unsupported,
                (extension.empty() ? std::string("a file without extension") : "\"" + extension + "\"") +
                    " is no kernel source that can be read: give CUDA C++ (.cu, .cuh) or Triton (.py)",
                path.string());
}

}  // namespace ww::source
