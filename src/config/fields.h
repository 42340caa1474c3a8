// Fields of described structs behind the interfaces of visitor.h: details of schema.h.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/number.h"
#include "config/visitor.h"

namespace t3sim::config {

template <class F>
struct UnwrapOptional {
  using type = F;
};
template <class T>
struct UnwrapOptional<std::optional<T>> {
  using type = T;
};
template <class F>
using Unwrapped = typename UnwrapOptional<F>::type;
template <class F>
inline constexpr bool kIsOptional = !std::is_same_v<F, Unwrapped<F>>;

// Limits that also fit the field's type, so that no value is cut off when it is stored.
template <class T>
Limits fit(Limits limits) {
  static_assert(std::unsigned_integral<T> && !std::is_same_v<T, bool>, "counts are unsigned integers");
  limits.max = std::min<std::uint64_t>(limits.max, std::numeric_limits<T>::max());
  return limits;
}

template <class T, class V>
T stored(V&& value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(value);
  else
    return std::forward<V>(value);
}

template <class F, class Codec>
class ScalarField final : public Scalar {
 public:
  ScalarField(F& field, Codec codec) : field_(field), codec_(std::move(codec)) {}
  Kind kind() const override { return codec_.kind(); }
  std::string allowed() const override { return codec_.allowed(); }
  bool present() const override {
    if constexpr (kIsOptional<F>) return field_.has_value();
    return true;
  }
  void parse(std::string_view text) override { field_ = stored<Unwrapped<F>>(codec_.parse(text)); }
  std::string format() const override {
    if constexpr (kIsOptional<F>)
      return field_ ? codec_.format(*field_) : std::string();
    else
      return codec_.format(field_);
  }

 private:
  F& field_;
  Codec codec_;
};

template <class F, class Codec>
class ListField final : public ScalarList {
 public:
  ListField(F& field, Codec codec) : field_(field), codec_(std::move(codec)) {}
  Kind kind() const override { return codec_.kind(); }
  std::string allowed() const override { return codec_.allowed(); }
  void clear() override { field_.clear(); }
  void append(std::string_view text) override {
    field_.push_back(stored<typename F::value_type>(codec_.parse(text)));
  }
  std::vector<std::string> format() const override {
    std::vector<std::string> texts;
    for (const auto& value : field_) texts.push_back(codec_.format(value));
    return texts;
  }

 private:
  F& field_;
  Codec codec_;
};

template <class Codec>
class NamedField final : public NamedScalars {
 public:
  NamedField(std::map<std::string, std::uint64_t>& field, Codec codec)
      : field_(field), codec_(std::move(codec)) {}
  Kind kind() const override { return codec_.kind(); }
  std::string allowed() const override { return codec_.allowed(); }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, value] : field_) all.push_back(name);
    return all;
  }
  void parse(const std::string& name, std::string_view text) override { field_[name] = codec_.parse(text); }
  std::string format(const std::string& name) const override { return codec_.format(field_.at(name)); }

 private:
  std::map<std::string, std::uint64_t>& field_;
  Codec codec_;
};

template <class K, class S, class KeyCodec>
class MapField final : public Collection {
 public:
  MapField(std::map<K, S>& field, KeyCodec codec) : field_(field), codec_(std::move(codec)) {}
  bool is_list() const override { return false; }
  std::string allowed_keys() const override { return codec_.allowed(); }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [key, value] : field_) all.push_back(codec_.format(key));
    return all;
  }
  void clear() override { field_.clear(); }
  void element(Visitor& visitor, std::string_view name) override {
    describe(visitor, field_[stored<K>(codec_.parse(name))]);
  }
  void sample(Visitor& visitor) override {
    S fresh{};
    describe(visitor, fresh);
  }

 private:
  std::map<K, S>& field_;
  KeyCodec codec_;
};

template <class S>
class VectorField final : public Collection {
 public:
  explicit VectorField(std::vector<S>& field) : field_(field) {}
  bool is_list() const override { return true; }
  std::string allowed_keys() const override { return "a list"; }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < field_.size(); ++i) all.push_back(std::to_string(i));
    return all;
  }
  void clear() override { field_.clear(); }
  void element(Visitor& visitor, std::string_view name) override {
    const auto index = narrow<std::size_t>(parse_whole(name));
    if (index >= field_.size()) field_.resize(index + 1);
    describe(visitor, field_[index]);
  }
  void sample(Visitor& visitor) override {
    S fresh{};
    describe(visitor, fresh);
  }

 private:
  std::vector<S>& field_;
};

}  // namespace t3sim::config
