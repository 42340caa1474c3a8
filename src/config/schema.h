// One describe() a struct is its schema: it reads the struct from YAML, writes it back, lists its keys for
// help and finds keys that do not exist.
//
//   struct GpuConfig {
//     std::uint32_t cus = 80;
//     std::uint64_t clock_hz = 1'400 * config::kMHz;
//     ChoiceOrCount<Capacity> capacity = Capacity::paper;
//     std::optional<std::uint64_t> boost_hz;          // optional fields may be absent
//   };
//   inline void describe(config::Visitor& v, GpuConfig& c) {       // in the namespace of the struct
//     v.count("cus", c.cus, {1, 4096}, "compute units");
//     v.frequency("clock", c.clock_hz, {1 * config::kMHz, 10 * config::kGHz}, "clock of CUs and L2");
//     v.choice_or_count("capacity", c.capacity, {{"paper", Capacity::paper}}, {1, 1 << 20}, "entries");
//   }
//
// Rules: describe() visits the same keys in the same order whatever the values are; the defaults are the
// values of a default-constructed struct; limits are inclusive and in base units (bytes, bytes a second,
// picoseconds, hertz). Fields may be any unsigned type (64 bits for units), or a std::optional of it. What
// one key cannot decide alone (tile against LDS) is checked after reading: see Sources::error in config.h.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/visitor.h"

namespace t3sim::config {

class Visitor : public VisitorBase {
 public:
  // The next key has no default, as its value differs from machine to machine: `v.required().count(...)`. What
  // the C++ field begins with is what tests begin with. See Sources::missing().
  Visitor& required() {
    required_ = true;
    return *this;
  }

  // A nested struct with its own describe().
  template <class S>
  void section(std::string_view name, S& s, std::string_view doc) {
    begin_section({name, doc});
    describe(*this, s);
    end_section();
  }

  template <class F>
  void count(std::string_view name, F& field, Limits limits, std::string_view doc) {
    add(name, field, CountCodec{fit<Unwrapped<F>>(limits)}, doc);
  }
  template <class F>
  void real(std::string_view name, F& field, RealLimits limits, std::string_view doc) {
    add(name, field, RealCodec{limits}, doc);
  }
  template <class F>
  void flag(std::string_view name, F& field, std::string_view doc) {
    add(name, field, FlagCodec{}, doc);
  }
  template <class F>
  void text(std::string_view name, F& field, std::string_view doc) {
    add(name, field, TextCodec{}, doc);
  }
  // A std::string that is a file name: relative ones are seen from the file that says them, and made
  // absolute. An empty one stays empty.
  template <class F>
  void path(std::string_view name, F& field, std::string_view doc) {
    add(name, field, TextCodec{Kind::path}, doc);
  }
  template <class F>
  void choice(std::string_view name, F& field, Options<Unwrapped<F>> options, std::string_view doc) {
    add(name, field, ChoiceCodec<Unwrapped<F>>{options}, doc);
  }
  // Of a table that is made elsewhere.
  template <class F>
  void choice(std::string_view name, F& field, std::vector<Option<Unwrapped<F>>> options,
              std::string_view doc) {
    add(name, field, ChoiceCodec<Unwrapped<F>>{std::move(options)}, doc);
  }
  // Of an enum with names_of().
  template <class F>
  requires HasNames<Unwrapped<F>>
  void choice(std::string_view name, F& field, std::string_view doc) {
    choice(name, field, options_of<Unwrapped<F>>(), doc);
  }
  template <class E>
  void choice_or_count(std::string_view name, ChoiceOrCount<E>& field,
                       std::type_identity_t<Options<E>> options, Limits limits, std::string_view doc) {
    add(name, field, ChoiceOrCountCodec<E>{{options}, {limits}}, doc);
  }
  // 128x128x32
  void dimensions(std::string_view name, std::array<std::uint32_t, 3>& field, Limits limits,
                  std::string_view doc) {
    add(name, field, DimensionsCodec{fit<std::uint32_t>(limits)}, doc);
  }

  template <class F>
  void size(std::string_view name, F& field, Limits limits, std::string_view doc) {
    quantity(name, field, {Kind::size, kSize, limits}, doc);
  }
  // `auto`, which is 0, or a size.
  void size_or_auto(std::string_view name, std::uint64_t& field, Limits limits, std::string_view doc) {
    add(name, field, QuantityOrAutoCodec{{Kind::size, kSize, limits}}, doc);
  }
  template <class F>
  void bandwidth(std::string_view name, F& field, Limits limits, std::string_view doc) {
    quantity(name, field, {Kind::bandwidth, kBandwidth, limits}, doc);
  }
  template <class F>
  void time(std::string_view name, F& field, Limits limits, std::string_view doc) {
    quantity(name, field, {Kind::time, kTime, limits}, doc);
  }
  template <class F>
  void frequency(std::string_view name, F& field, Limits limits, std::string_view doc) {
    quantity(name, field, {Kind::frequency, kFrequency, limits}, doc);
  }

  // Lists. A list in a file replaces the default as a whole.
  template <std::unsigned_integral T>
  void counts(std::string_view name, std::vector<T>& field, Limits limits, std::string_view doc) {
    add_list(name, field, CountCodec{fit<T>(limits)}, doc);
  }
  void texts(std::string_view name, std::vector<std::string>& field, std::string_view doc) {
    add_list(name, field, TextCodec{}, doc);
  }
  // Numbers under free keys: `parameters: {rows: 512}`.
  void counts(std::string_view name, std::map<std::string, std::uint64_t>& field, Limits limits,
              std::string_view doc) {
    NamedField values(field, CountCodec{fit<std::uint64_t>(limits)});
    named({name, doc}, values);
  }
  template <class E>
  void choices(std::string_view name, std::vector<E>& field, std::type_identity_t<Options<E>> options,
               std::string_view doc) {
    add_list(name, field, ChoiceCodec<E>{options}, doc);
  }
  template <HasNames E>
  void choices(std::string_view name, std::vector<E>& field, std::string_view doc) {
    add_list(name, field, ChoiceCodec<E>{options_of<E>()}, doc);
  }

  // Structs under free keys, numbers within limits or texts: `overrides: {3: {clock: 1.1 GHz}}`.
  template <std::unsigned_integral K, class S>
  void map(std::string_view name, std::map<K, S>& field, Limits keys, std::string_view doc) {
    MapField<K, S, CountCodec> elements(field, CountCodec{fit<K>(keys)});
    collection({name, doc}, elements);
  }
  template <class S>
  void map(std::string_view name, std::map<std::string, S>& field, std::string_view doc) {
    MapField<std::string, S, TextCodec> elements(field, TextCodec{});
    collection({name, doc}, elements);
  }
  // A list of structs: `links: [{from: 0, to: 1}]`.
  template <class S>
  void sections(std::string_view name, std::vector<S>& field, std::string_view doc) {
    VectorField<S> elements(field);
    collection({name, doc}, elements);
  }

 private:
  template <HasNames E>
  static std::vector<Option<E>> options_of() {
    const auto names = names_of(E{});
    return {names.begin(), names.end()};
  }
  template <class F, class Codec>
  void add(std::string_view name, F& field, Codec codec, std::string_view doc) {
    ScalarField<F, Codec> value(field, std::move(codec));
    scalar({name, doc, std::exchange(required_, false)}, value);
  }
  template <class F, class Codec>
  void add_list(std::string_view name, F& field, Codec codec, std::string_view doc) {
    ListField<F, Codec> values(field, std::move(codec));
    list({name, doc, std::exchange(required_, false)}, values);
  }
  template <class F>
  void quantity(std::string_view name, F& field, QuantityCodec codec, std::string_view doc) {
    static_assert(std::is_same_v<Unwrapped<F>, std::uint64_t>, "values with units are 64-bit base units");
    add(name, field, codec, doc);
  }

  bool required_ = false;
};

}  // namespace t3sim::config
