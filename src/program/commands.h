// The commands of one GPU's host, from text, in the order in which it issues them.
//
// With `streams: {name: commands}` that is stream by stream, as written; with `commands:` it is the order of the
// list, in which each command says `on: stream`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/evaluate.h"
#include "program/loops.h"
#include "program/views.h"

namespace t3sim::program {

class CommandReader {
 public:
  static constexpr std::size_t kMostCommands = 1'000'000;  // of a GPU

  CommandReader(const Context& context, const Setting& setting)
      : c_(context), setting_(setting), loops_(context.scope), outer_names_(context.scope.size()) {}

  // Throws InputError.
  GpuCommands read(const ProgramText& text);

 private:
  using Node = config::Node;

  void declare_stream(const std::string& name, const config::Location& where);
  void read_streams(const Node& streams);
  // A list of commands, or one.
  void items(const Node& node);
  void item(const Node& node);
  void command(const config::Location& where, const std::string& key, const Node& value, const Node* name);
  void add(Action action, std::string name, const config::Location& where, bool of_host = false);

  Action action(const std::string& key, const Node& value, std::string& name);
  Copy copy(const Node& node, const std::string& key) const;  // key: copy or put
  Collective collective(const Node& node) const;
  WaitSignal wait(const Node& node) const;
  Action sync(const Node& node, std::string& name) const;
  Record record(const Node& node);
  WaitEvent wait_event(const Node& node) const;
  std::string launch_name(const Launch& launch) const;
  std::string collective_name(const Collective& collective) const;

  // "peer[2]" of NAME[expression].
  std::string full_name(const Piece& piece) const;
  std::uint32_t stream(const Piece& piece) const;
  // The last recorded so far.
  std::optional<std::uint32_t> event(const std::string& name) const;

  Context c_;
  const Setting& setting_;
  Loops loops_;
  std::size_t outer_names_;
  GpuCommands commands_;
  std::map<std::string, std::uint32_t> streams_, events_;  // by name
  std::map<std::string, std::uint32_t> recordings_;
  std::optional<std::uint32_t> stream_;  // on which commands are
  bool by_stream_ = false;
  std::uint32_t barriers_ = 0;
};

}  // namespace t3sim::program
