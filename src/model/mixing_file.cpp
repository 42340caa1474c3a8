// Mixes of backends as files (model/mixing.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <sstream>

#include "base/error.h"
#include "config/config.h"
#include "model/mixing.h"

namespace t3sim::model {
namespace {

struct MixBackend {
  message::Progress progress = message::Progress::stream;
};
void describe(config::Visitor& v, MixBackend& b) {
  v.choice("progress", b.progress, "who waits: its stream, or the host");
}
struct MixRank {
  std::vector<std::string> statements;
};
void describe(config::Visitor& v, MixRank& r) {
  v.texts("do", r.statements,
          "in order: all-reduce BACKEND ARRAY, wait ARRAY, add ARRAY ARRAY (the first += the second)");
}
struct MixFile {
  std::string name = "unnamed";
  std::map<std::string, MixBackend> backends;
  std::vector<MixRank> ranks;
};
void describe(config::Visitor& v, MixFile& f) {
  v.text("name", f.name, "for people");
  v.map("backends", f.backends, "by names of their own");
  v.sections("ranks", f.ranks, "what each rank does");
}

// Throws std::invalid_argument.
Statement statement_of(const std::string& text) {
  std::istringstream words(text);
  std::string verb, first, second, more;
  words >> verb >> first >> second;
  const bool both = !second.empty() && !(words >> more);
  if (verb == "all-reduce" && both) return {Statement::What::call, first, second, {}};
  if (verb == "add" && both) return {Statement::What::add, {}, first, second};
  if (verb == "wait" && !first.empty() && second.empty()) return {Statement::What::wait, {}, first, {}};
  throw std::invalid_argument(
      fmt::format("\"{}\"; allowed: all-reduce BACKEND ARRAY, wait ARRAY, add ARRAY ARRAY", text));
}

}  // namespace

Mix read_mix(const std::string& path) {
  MixFile file;
  const config::Sources sources = config::read(config::load_file(path).root, file);
  Mix mix;
  mix.name = file.name;
  for (const auto& [name, backend] : file.backends) mix.backends[name] = backend.progress;
  for (std::size_t r = 0; r < file.ranks.size(); ++r) {
    mix.ranks.emplace_back();
    for (std::size_t i = 0; i < file.ranks[r].statements.size(); ++i) {
      const std::string key = fmt::format("ranks.{}.do", r);
      try {
        mix.ranks[r].push_back(statement_of(file.ranks[r].statements[i]));
      } catch (const std::invalid_argument& e) {
        throw sources.error(key, e.what());
      }
      const Statement& s = mix.ranks[r].back();
      if (s.what == Statement::What::call && !mix.backends.contains(s.backend))
        throw sources.error(key, fmt::format("there is no backend \"{}\"; there are: {}", s.backend,
                                             fmt::join(std::views::keys(mix.backends), ", ")));
    }
  }
  if (mix.ranks.size() < 2) throw sources.error("ranks", "two at least");
  return mix;
}

}  // namespace t3sim::model
