// The same slices at cycle level and as messages, on small cases; more of them in validation/messages.
#include <gtest/gtest.h>

#include "config/config.h"
#include "tune/agreement.h"
#include "tune/endpoint.h"

namespace t3sim::tune {
namespace {

Config machine(const char* file) {
  Config config;
  config::read(config::load_file(std::string(T3SIM_SOURCE_DIR "/configs/") + file).root, config);
  return config;
}

TEST(Levels, MoveTheSameBytesOverEachLink) {
  const Config h200 = machine("systems/h200.yaml");
  message::EndpointConfig any;
  any.slice_ps = 1'000'000;
  any.rate_Bps = 20'000'000'000;
  for (const char* shape : {"ring", "mesh", "switch"})
    for (const auto& kind : names_of(message::Kind{})) {
      SCOPED_TRACE(std::string(shape) + " " + std::string(kind.name));
      message::Entry entry;
      entry.kind = kind.value;
      entry.bytes = 64 << 10;
      const Agreement a =
          compare_levels(with_topology(h200, shape, 4), any,
                         {message::collective_of(entry, 4, 0), message::ProtocolName::simple, 2});
      EXPECT_EQ(a.links_that_differ, 0u);
      EXPECT_EQ(a.cycle_bytes, a.message_bytes);
    }
}

}  // namespace
}  // namespace t3sim::tune
