// SPDX-License-Identifier: Apache-2.0
#include "source/host_code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "source/declarations.h"
#include "source/include_scan.h"
#include "source/tokens.h"

namespace ww::source {
namespace {

using namespace std::string_view_literals;

const std::set<std::string_view> kHostHeaders{
    // containers, streams, threads and the like of the C++ library; all of them allocate or call the system
    "vector"sv, "string"sv, "iostream"sv, "fstream"sv, "sstream"sv, "iomanip"sv, "ios"sv, "istream"sv, "ostream"sv, "map"sv, "set"sv,
    "unordered_map"sv, "unordered_set"sv, "list"sv, "deque"sv, "queue"sv, "stack"sv, "forward_list"sv, "chrono"sv, "thread"sv, "mutex"sv,
    "future"sv, "condition_variable"sv, "random"sv, "memory"sv, "stdexcept"sv, "exception"sv, "system_error"sv, "filesystem"sv, "regex"sv,
    "locale"sv, "ctime"sv, "csignal"sv, "time.h"sv, "signal.h"sv, "errno.h"sv, "cerrno"sv, "cstdarg"sv,
    "ctype.h"sv, "cctype"sv, "iterator"sv, "numeric"sv, "valarray"sv, "string_view"sv, "variant"sv, "any"sv, "typeinfo"sv, "typeindex"sv,
    // POSIX and OpenMP
    "unistd.h"sv, "pthread.h"sv, "dlfcn.h"sv, "fcntl.h"sv, "getopt.h"sv, "omp.h"sv, "mpi.h"sv, "windows.h"sv, "Windows.h"sv, "malloc.h"sv,
    // CUDA's host side
    "cublas.h"sv, "cublas_v2.h"sv, "cublasLt.h"sv, "cublasXt.h"sv, "cufft.h"sv, "cufftXt.h"sv, "curand.h"sv, "cusparse.h"sv, "cusolverDn.h"sv,
    "cusolverSp.h"sv, "cudnn.h"sv, "cuda.h"sv, "cudaTypedefs.h"sv, "nvrtc.h"sv, "nvml.h"sv, "nccl.h"sv, "cupti.h"sv, "npp.h"sv, "cuda_profiler_api.h"sv,
    "cudaProfiler.h"sv, "nvToolsExt.h"sv, "nvtx3/nvToolsExt.h"sv, "nvtx3/nvtx3.hpp"sv};

/// Folders of headers that only the host can use.
constexpr std::string_view kHostFolders[] = {"sys/", "thrust/", "boost/", "gtest/", "gmock/", "benchmark/", "torch/", "ATen/", "c10/", "pybind11/",
                                             "opencv2/", "Eigen/", "spdlog/", "nvbench/", "GL/", "GLFW/"};

/// Functions of the runtime's host side begin like this: cudaMalloc, cublasSgemm.
bool isHostCall(std::string_view word) {
    for (const std::string_view prefix : {"cuda"sv, "cublas"sv, "cufft"sv, "curand"sv, "cusparse"sv, "cudnn"sv}) {
        if (word.starts_with(prefix) && word.size() > prefix.size() && std::isupper(static_cast<unsigned char>(word[prefix.size()])) != 0) return true;
    }
    return false;
}

class Separator {
public:
    Separator(const Tokens& tokens, const std::function<bool(std::string_view)>& leaveOut)
        : m_tokens(tokens), m_declarations(scopeDeclarations(tokens)), m_leaveOut(leaveOut) {
        for (const Directive& directive : tokens.directives) {
            if (directive.keyword == "define" && directive.firstToken < directive.endToken) m_macros[tokens.at(directive.firstToken)].push_back(&directive);
        }
        for (const ScopeDeclaration& one : m_declarations) {
            if (one.device) m_deviceNames.insert(one.names.begin(), one.names.end());
        }
        m_out.text = std::string(tokens.text);
    }

    DeviceText run() {
        keep();
        for (std::size_t i = 0; i < m_declarations.size(); ++i) {
            const ScopeDeclaration& one = m_declarations[i];
            if (!m_kept[i]) {
                setAside(one, label(one));
            } else if (one.kind == DeclarationKind::Class) {
                members(one);
            }
        }
        headers();
        std::sort(m_out.setAside.begin(), m_out.setAside.end(), [](const SetAside& a, const SetAside& b) { return a.range.begin < b.range.begin; });
        return std::move(m_out);
    }

private:
    /// Closes the set of what device code needs: its declarations, and all that these mention.
    void keep() {
        m_kept.assign(m_declarations.size(), false);
        for (bool grown = true; grown;) {
            grown = false;
            for (std::size_t i = 0; i < m_declarations.size(); ++i) {
                if (m_kept[i] || !needed(m_declarations[i])) continue;
                m_kept[i] = grown = true;
                mention(m_declarations[i].first, m_declarations[i].last + 1);
            }
        }
    }

    bool anyOf(const ScopeDeclaration& one, const std::set<std::string_view>& names) const {
        return std::any_of(one.names.begin(), one.names.end(), [&](std::string_view name) { return names.contains(name); });
    }

    bool contains(const ScopeDeclaration& one, const auto& wanted) const {
        for (std::size_t i = one.first; i <= one.last; ++i) {
            if (m_tokens.list[i].directive < 0 && wanted(m_tokens.at(i))) return true;
        }
        return false;
    }

    bool launches(const ScopeDeclaration& one) const {
        for (std::size_t i = one.first; i < one.last; ++i) {
            if (m_tokens.at(i) == "<<" && m_tokens.at(i + 1) == "<" && m_tokens.list[i].end == m_tokens.list[i + 1].begin) return true;
        }
        return false;
    }

    bool needed(const ScopeDeclaration& one) {
        if (one.host) return false;
        if (one.device) return true;
        switch (one.kind) {
            case DeclarationKind::Standing: return standing(one);
            case DeclarationKind::Class: return anyOf(one, m_mentioned);
            case DeclarationKind::Variable: {
                // nvcc gives device code no variables of the host but constants; a plain number that shares a name does no harm.
                if (!anyOf(one, m_mentioned)) return false;
                return one.constant || !contains(one, [](std::string_view word) { return word == "(" || word == "::" || word == "<"; });
            }
            case DeclarationKind::Other: return anyOf(one, m_mentioned) && (one.constant || !contains(one, isHostCall));
            case DeclarationKind::Function: break;
        }
        if (one.constant) return anyOf(one, m_mentioned) || one.names.contains("operator");
        if (!anyOf(one, m_called) || anyOf(one, m_deviceNames) || launches(one) || contains(one, isHostCall)) return false;
        m_out.undecorated.push_back(label(one));
        return true;
    }

    bool standing(const ScopeDeclaration& one) const {
        if (m_tokens.at(one.first) != "using") return !(m_tokens.at(one.first) == "template" && !anyOf(one, m_mentioned) && !mentionsDeviceName(one));
        // `using namespace std;` is fine everywhere; the namespace of a header that goes would be unknown.
        const std::string_view root = m_tokens.at(one.first + 2);
        return root == "std" ? one.last == one.first + 3 : root != "thrust" || m_mentioned.contains(root);
    }

    bool mentionsDeviceName(const ScopeDeclaration& one) const {
        return contains(one, [this](std::string_view word) { return m_deviceNames.contains(word); });
    }

    void mention(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            const Token& token = m_tokens.list[i];
            if (token.kind != TokenKind::Identifier) continue;
            const std::string_view before = i > 0 ? m_tokens.at(i - 1) : std::string_view{};
            if (before == "." || before == "->") continue;
            const std::string_view word = m_tokens.of(token);
            const std::string_view next = m_tokens.at(i + 1);
            if (next == "(" || next == "<") m_called.insert(word);
            if (!m_mentioned.insert(word).second) continue;
            const auto macros = m_macros.find(word);
            if (macros == m_macros.end()) continue;
            for (const Directive* macro : macros->second) mention(macro->firstToken + 1, macro->endToken);
        }
    }

    /// Functions of a class that stays: those for the host alone would not compile.
    void members(const ScopeDeclaration& type) {
        for (const ScopeDeclaration& one : memberDeclarations(m_tokens, type)) {
            if (one.kind != DeclarationKind::Function || one.device || one.isVirtual || one.constant) continue;
            const bool special = one.names.contains("operator") || anyOf(one, type.names);
            const bool host = one.host || launches(one) || contains(one, isHostCall);
            if (host && !special) setAside(one, label(one));
        }
    }

    std::string label(const ScopeDeclaration& one) const {
        std::string name;
        for (std::size_t i = one.first; i <= one.last; ++i) {
            const std::string_view next = m_tokens.at(i + 1);
            if (one.names.contains(m_tokens.at(i)) && next != "<" && next != "::") name = m_tokens.at(i);
            if (!name.empty()) break;
        }
        return one.kind == DeclarationKind::Function && name != "main" ? name + "()" : name;
    }

    void setAside(const ScopeDeclaration& one, std::string what) {
        const bool kernel = contains(one, [](std::string_view word) { return word == "__global__"; });
        if (kernel) return;  // brackets that do not match: a kernel must not go with the host code before it
        const Token& first = m_tokens.list[one.first];
        const Token& last = m_tokens.list[one.last];
        blank(first.begin, last.end);
        m_out.setAside.push_back({{first.begin, last.end}, first.line, last.line, std::move(what)});
    }

    /// Blanks [begin, end) but line ends and the directives that decide what the compiler sees.
    void blank(std::size_t begin, std::size_t end) {
        auto directive = std::lower_bound(m_tokens.directives.begin(), m_tokens.directives.end(), begin,
                                          [](const Directive& one, std::size_t at) { return one.begin < at; });
        for (; directive != m_tokens.directives.end() && directive->begin < end; ++directive) {
            blankText(begin, directive->begin);
            const bool stays = directive->keyword != "pragma" && directive->keyword != "include" && directive->keyword != "error";
            if (!stays) blankText(directive->begin, directive->end);
            begin = directive->end;
        }
        blankText(begin, end);
    }

    void blankText(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            char& c = m_out.text[i];
            if (c != '\n' && c != '\r') c = ' ';
        }
    }

    void headers() {
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword != "include") continue;
            const auto written = includedName(m_tokens, directive);
            if (!written || m_out.text[directive.begin] == ' ') continue;
            const std::string_view name = written->substr(1, written->size() - 2);
            const bool thrust = name.starts_with("thrust/") && m_mentioned.contains("thrust");
            if ((!isHostHeader(name) || thrust) && !m_leaveOut(*written)) continue;
            blankText(directive.begin, directive.end);
            m_out.setAside.push_back({{directive.begin, directive.end}, directive.line, directive.line, "#include " + std::string(*written)});
        }
    }

    const Tokens& m_tokens;
    std::vector<ScopeDeclaration> m_declarations;
    const std::function<bool(std::string_view)>& m_leaveOut;
    std::map<std::string_view, std::vector<const Directive*>> m_macros;
    std::set<std::string_view> m_deviceNames;
    std::set<std::string_view> m_mentioned;
    std::set<std::string_view> m_called;
    std::vector<bool> m_kept;
    DeviceText m_out;
};

}  // namespace

std::string DeviceText::note() const {
    if (setAside.empty()) return {};
    constexpr std::size_t kMostNamed = 8;
    std::string lines;
    std::string names;
    for (std::size_t i = 0; i < setAside.size(); ++i) {
        if (i == kMostNamed) {
            lines += ", ...";
            names += ", ...";
            break;
        }
        const SetAside& one = setAside[i];
        const std::string_view comma = i == 0 ? "" : ", ";
        lines += std::string(comma) + std::to_string(one.firstLine) + (one.lastLine > one.firstLine ? "-" + std::to_string(one.lastLine) : "");
        names += std::string(comma) + one.what;
    }
    const bool several = setAside.size() > 1 || setAside.front().firstLine != setAside.front().lastLine;
    return std::string(several ? "lines " : "line ") + lines + " (" + names + (several ? ") are" : ") is") +
           " host code and not given to the device compiler; the file stays as it is";
}

DeviceText separateHostCode(std::string_view text, const std::function<bool(std::string_view)>& leaveOut) {
    const Tokens tokens = lex(text);
    return Separator(tokens, leaveOut).run();
}

bool isHostHeader(std::string_view name) {
    if (kHostHeaders.contains(name)) return true;
    return std::any_of(std::begin(kHostFolders), std::end(kHostFolders), [name](std::string_view folder) { return name.starts_with(folder); });
}

}  // namespace ww::source
