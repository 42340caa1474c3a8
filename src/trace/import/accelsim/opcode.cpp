#include "trace/import/accelsim/opcode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace t3sim::accelsim {
namespace {

struct KnownOpcode {
  std::string_view name;
  OpKind kind;
  std::uint32_t lane_flops = 0;
};

// Sorted by name. What is not here is `other`: it costs an issue slot.
constexpr std::array kKnown{
    KnownOpcode{"ATOM", OpKind::reduction},
    KnownOpcode{"ATOMG", OpKind::reduction},
    KnownOpcode{"ATOMS", OpKind::shared},
    KnownOpcode{"BAR", OpKind::barrier},
    KnownOpcode{"BFE", OpKind::integer},
    KnownOpcode{"BFI", OpKind::integer},
    KnownOpcode{"BGMMA", OpKind::tensor},
    KnownOpcode{"BMMA", OpKind::tensor},
    KnownOpcode{"BMSK", OpKind::integer},
    KnownOpcode{"BREV", OpKind::sfu},
    KnownOpcode{"DADD", OpKind::fp64, 1},
    KnownOpcode{"DEPBAR", OpKind::wait_async},
    KnownOpcode{"DFMA", OpKind::fp64, 2},
    KnownOpcode{"DMMA", OpKind::tensor},
    KnownOpcode{"DMUL", OpKind::fp64, 1},
    KnownOpcode{"DSETP", OpKind::fp64},
    KnownOpcode{"EXIT", OpKind::exit},
    KnownOpcode{"F2F", OpKind::fp32},
    KnownOpcode{"F2FP", OpKind::fp32},
    KnownOpcode{"F2I", OpKind::fp32},
    KnownOpcode{"FADD", OpKind::fp32, 1},
    KnownOpcode{"FCHK", OpKind::fp32},
    KnownOpcode{"FFMA", OpKind::fp32, 2},
    KnownOpcode{"FLO", OpKind::sfu},
    KnownOpcode{"FMNMX", OpKind::fp32, 1},
    KnownOpcode{"FMUL", OpKind::fp32, 1},
    KnownOpcode{"FSEL", OpKind::fp32},
    KnownOpcode{"FSETP", OpKind::fp32},
    KnownOpcode{"HADD2", OpKind::half, 2},
    KnownOpcode{"HFMA2", OpKind::half, 4},
    KnownOpcode{"HGMMA", OpKind::tensor},
    KnownOpcode{"HMMA", OpKind::tensor},
    KnownOpcode{"HMUL2", OpKind::half, 2},
    KnownOpcode{"HSETP2", OpKind::half},
    KnownOpcode{"I2F", OpKind::fp32},
    KnownOpcode{"IABS", OpKind::integer},
    KnownOpcode{"IADD", OpKind::integer},
    KnownOpcode{"IADD3", OpKind::integer},
    KnownOpcode{"IDP", OpKind::integer},
    KnownOpcode{"IGMMA", OpKind::tensor},
    KnownOpcode{"IMAD", OpKind::integer},
    KnownOpcode{"IMMA", OpKind::tensor},
    KnownOpcode{"IMNMX", OpKind::integer},
    KnownOpcode{"ISETP", OpKind::integer},
    KnownOpcode{"LD", OpKind::generic_load},
    KnownOpcode{"LDG", OpKind::load},
    KnownOpcode{"LDGDEPBAR", OpKind::commit_async},
    KnownOpcode{"LDGSTS", OpKind::copy_async},
    KnownOpcode{"LDL", OpKind::local},
    KnownOpcode{"LDS", OpKind::shared},
    KnownOpcode{"LDSM", OpKind::shared},
    KnownOpcode{"LEA", OpKind::integer},
    KnownOpcode{"LOP3", OpKind::integer},
    KnownOpcode{"MOV", OpKind::integer},
    KnownOpcode{"MUFU", OpKind::sfu, 1},
    KnownOpcode{"POPC", OpKind::sfu},
    KnownOpcode{"PRMT", OpKind::integer},
    KnownOpcode{"QGMMA", OpKind::tensor},
    KnownOpcode{"RED", OpKind::reduction},
    KnownOpcode{"SEL", OpKind::integer},
    KnownOpcode{"SHF", OpKind::integer},
    KnownOpcode{"SHFL", OpKind::shared},
    KnownOpcode{"ST", OpKind::generic_store},
    KnownOpcode{"STG", OpKind::store},
    KnownOpcode{"STL", OpKind::local},
    KnownOpcode{"STS", OpKind::shared},
    KnownOpcode{"UBLKCP", OpKind::unsupported},
    KnownOpcode{"UBLKRED", OpKind::unsupported},
    KnownOpcode{"UTMALDG", OpKind::unsupported},
    KnownOpcode{"UTMAREDG", OpKind::unsupported},
    KnownOpcode{"UTMASTG", OpKind::unsupported},
};
constexpr auto kByName = [](const KnownOpcode& a, const KnownOpcode& b) { return a.name < b.name; };
static_assert(std::is_sorted(kKnown.begin(), kKnown.end(), kByName));

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// f(part) for the parts between the dots, until it returns true.
template <class F>
void for_each_part(std::string_view name, F&& f) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (f(name.substr(0, dot)) || dot == name.npos) return;
    name.remove_prefix(dot + 1);
  }
}

// Bytes a lane accesses, by the first part that is a number of bits (128, 64, U16, S8); 4 without one.
std::uint32_t access_bytes(std::string_view name) {
  std::uint32_t bytes = 4;
  for_each_part(name, [&](std::string_view part) {
    if (part.starts_with('U') || part.starts_with('S')) part.remove_prefix(1);
    const std::optional<std::uint32_t> bits = number(part);
    if (bits && *bits >= 8 && *bits <= 128) bytes = *bits / 8;
    return bits.has_value();
  });
  return bytes;
}

struct TensorShape {
  std::string_view name;
  std::uint32_t flops;  // of a warp instruction
};
// 16816 is a product of 16 x 8 x 16, and so on. 884 is Volta's: each step is a part of the products of 8 x 8
// x 4 of the warp's four quads, of which 16 make 16 x 16 x 16.
constexpr std::array kTensorShapes{
    TensorShape{"884", 512},    TensorShape{"1684", 1024},   TensorShape{"1688", 2048},
    TensorShape{"16816", 4096}, TensorShape{"16832", 8192},  TensorShape{"8816", 2048},
    TensorShape{"8832", 4096},  TensorShape{"88128", 16384}, TensorShape{"168256", 65536},
};

// MxNxK of a group of four warps (Hopper).
std::uint32_t warp_group_flops(std::string_view part) {
  const std::size_t first = part.find('x'), second = part.rfind('x');
  if (first == part.npos || second == first) return 0;
  const auto m = number(part.substr(0, first)), n = number(part.substr(first + 1, second - first - 1)),
             k = number(part.substr(second + 1));
  return m && n && k && *m <= 64 && *n <= 256 && *k <= 256 ? 2 * *m * *n * *k / 4 : 0;
}

std::uint32_t tensor_flops(std::string_view name) {
  std::uint32_t flops = 0;
  for_each_part(name, [&](std::string_view part) {
    const auto shape = std::find_if(kTensorShapes.begin(), kTensorShapes.end(),
                                    [&](const TensorShape& s) { return s.name == part; });
    flops = shape != kTensorShapes.end() ? shape->flops : warp_group_flops(part);
    return flops != 0;
  });
  // With FP16 sums an 884 product has two steps instead of four.
  return name.starts_with("HMMA.884.F16") ? 2 * flops : flops;
}

// FP16 FLOPs that take as long: 8-bit types run at twice the rate, TF32 at half, single bits at eight times,
// FP64 at a sixteenth.
std::uint32_t tensor_work(std::string_view name, std::uint32_t flops) {
  if (name.starts_with("I") || name.starts_with("Q")) return flops / 2;
  if (name.starts_with("B")) return flops / 8;
  if (name.starts_with("D")) return flops * 16;
  return name.find("TF32") != name.npos ? flops * 2 : flops;
}

}  // namespace

Opcode parse_opcode(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('.'));
  const auto known =
      std::lower_bound(kKnown.begin(), kKnown.end(), KnownOpcode{base, OpKind::other}, kByName);
  Opcode opcode;
  opcode.width_bytes = access_bytes(name);
  if (known == kKnown.end() || known->name != base) return opcode;
  opcode.kind = known->kind;
  if (base == "LDSM") opcode.width_bytes = 16;  // each lane names a row of a matrix
  opcode.lane_flops = known->lane_flops;
  if (opcode.kind == OpKind::tensor) {
    opcode.warp_flops = tensor_flops(name);
    opcode.tensor_work = tensor_work(name, opcode.warp_flops);
  }
  return opcode;
}

}  // namespace t3sim::accelsim
