// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace ww {

/// Wraps an Error so that `return fail(...)` converts to any Result<T>.
struct Unexpected {
    Error error;
};

/// `return fail(ErrorCode::NotFound, "no kernel named ...", "gemm.cu");`
[[nodiscard]] inline Unexpected fail(ErrorCode code, std::string message, std::string context = {},
                                     std::source_location where = std::source_location::current()) {
    return Unexpected{Error{code, std::move(message), std::move(context), where}};
}

[[nodiscard]] inline Unexpected fail(Error error) {
    return Unexpected{std::move(error)};
}

/// A value or an Error, with the interface of std::expected<T, Error> (which nvcc 13 and g++ 12 do not have in full).
template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Unexpected failure) : m_state(std::in_place_index<1>, std::move(failure.error)) {}
    template <typename U>
        requires(std::convertible_to<U &&, T> && !std::same_as<std::remove_cvref_t<U>, T> &&
                 !std::same_as<std::remove_cvref_t<U>, Result> && !std::same_as<std::remove_cvref_t<U>, Unexpected>)
    Result(U&& value) : m_state(std::in_place_index<0>, std::forward<U>(value)) {}

    [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() & { assert(has_value()); return *std::get_if<0>(&m_state); }
    [[nodiscard]] const T& value() const& { assert(has_value()); return *std::get_if<0>(&m_state); }
    [[nodiscard]] T&& value() && { assert(has_value()); return std::move(*std::get_if<0>(&m_state)); }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }

    [[nodiscard]] Error& error() & { assert(!has_value()); return *std::get_if<1>(&m_state); }
    [[nodiscard]] const Error& error() const& { assert(!has_value()); return *std::get_if<1>(&m_state); }
    [[nodiscard]] Error&& error() && { assert(!has_value()); return std::move(*std::get_if<1>(&m_state)); }

    template <typename U>
    [[nodiscard]] T value_or(U&& fallback) const& {
        return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
    }

    template <typename F>
    [[nodiscard]] auto and_then(F&& next) && -> std::invoke_result_t<F, T&&> {
        if (!has_value()) return Unexpected{std::move(*this).error()};
        return std::invoke(std::forward<F>(next), std::move(*this).value());
    }

    template <typename F>
    [[nodiscard]] auto transform(F&& change) && -> Result<std::invoke_result_t<F, T&&>> {
        if (!has_value()) return Unexpected{std::move(*this).error()};
        return std::invoke(std::forward<F>(change), std::move(*this).value());
    }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(Unexpected failure) : m_error(std::in_place_index<1>, std::move(failure.error)) {}

    [[nodiscard]] bool has_value() const noexcept { return m_error.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    void value() const { assert(has_value()); }

    [[nodiscard]] const Error& error() const& { assert(!has_value()); return *std::get_if<1>(&m_error); }
    [[nodiscard]] Error&& error() && { assert(!has_value()); return std::move(*std::get_if<1>(&m_error)); }

private:
    std::variant<std::monostate, Error> m_error;
};

/// Binds the value of a Result expression to a new variable, or returns its Error from the enclosing function.
/// `WW_TRY(spec, spec::load(path));`
#define WW_TRY(name, expression)                                                          \
    auto name##Result_ = (expression);                                                    \
    if (!name##Result_) return ::ww::Unexpected{std::move(name##Result_).error()};        \
    auto& name = *name##Result_

/// Returns the Error of a Result expression from the enclosing function, if it has one.
#define WW_CHECK(expression)                                                              \
    do {                                                                                  \
        if (auto checked_ = (expression); !checked_) return ::ww::Unexpected{std::move(checked_).error()}; \
    } while (false)

}  // namespace ww
