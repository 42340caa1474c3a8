#include "app/collective_request.h"

#include "base/error.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

config::Node scalar(const std::string& text, const std::string& option) {
  config::Node node;
  node.type = config::Node::Type::scalar;
  node.where = {option};
  node.scalar = text;
  return node;
}

}  // namespace

void add_options(CollectiveRequest& r, po::options_description& options) {
  options.add_options()("collective", po::value(&r.kind)->value_name("KIND"),
                        "run this collective as messages (docs/messages.md): all-reduce, all-gather, ...")(
      "bytes", po::value(&r.bytes)->value_name("SIZE"), "of it: the full array on each GPU, e.g. 64MiB")(
      "algorithm", po::value(&r.algorithm)->value_name("NAME"), "of it: ring, tree, direct, pairwise, ...")(
      "protocol", po::value(&r.protocol)->value_name("NAME"), "of it: Simple, LL or LL128")(
      "channels", po::value(&r.channels)->value_name("N"), "of it: thread blocks")(
      "gpus", po::value(&r.gpus)->value_name("N"), "of it: GPUs, instead of the machine's")(
      "backend", po::value(&r.backend)->value_name("NAME"),
      "of it: a library by name or file, which chooses all of these, or auto (docs/backends.md)")(
      "table", po::value(&r.table)->value_name("FILE"), "of --backend auto: that of t3sim tune backends");
}

config::Node graph_of(const CollectiveRequest& r) {
  const auto map = [](const std::string& option) {
    config::Node node;
    node.type = config::Node::Type::map;
    node.where = {option};
    return node;
  };
  config::Node operation = map("--collective"), root = map("--collective"), list;
  const auto say = [](config::Node& node, const std::string& key, const std::string& text,
                      const char* option) {
    if (!text.empty()) node.entries.push_back({key, {option}, scalar(text, option)});
  };
  say(operation, "name", r.kind, "--collective");
  say(operation, "collective", r.kind, "--collective");
  say(operation, "bytes", r.bytes, "--bytes");
  say(operation, "algorithm", r.algorithm, "--algorithm");
  say(operation, "protocol", r.protocol, "--protocol");
  say(operation, "channels", r.channels, "--channels");
  say(operation, "backend", r.backend, "--backend");
  list.type = config::Node::Type::list;
  list.where = operation.where;
  list.items.push_back(std::move(operation));
  say(root, "name", r.kind + " by " + r.backend, "--backend");
  say(root, "table", r.table, "--table");
  root.entries.push_back({"operations", {"--collective"}, std::move(list)});
  return root;
}

void apply(const CollectiveRequest& r, const std::string& command, config::Node& root) {
  struct Said {
    const char* key;
    const std::string& text;
    const char* option;
  };
  const Said all[]{{"kind", r.kind, "--collective"},
                   {"bytes", r.bytes, "--bytes"},
                   {"algorithm", r.algorithm, "--algorithm"},
                   {"protocol", r.protocol, "--protocol"},
                   {"channels", r.channels, "--channels"}};
  config::Node entry;
  entry.type = config::Node::Type::map;
  entry.where = {"--collective"};
  for (const Said& said : all)
    if (!said.text.empty()) {
      if (r.kind.empty()) throw InputError(command + ": " + said.option + " needs --collective");
      entry.entries.push_back({said.key, {said.option}, scalar(said.text, said.option)});
    }
  if (r.kind.empty() && !r.gpus.empty()) throw InputError(command + ": --gpus needs --collective");
  if (r.kind.empty() && !r.backend.empty()) throw InputError(command + ": --backend needs --collective");
  if (r.table.empty() != (r.backend != "auto"))
    throw InputError(command +
                     (r.table.empty() ? ": --backend auto needs --table" : ": --table needs --backend auto"));
  if (r.kind.empty()) return;
  if (!r.backend.empty()) {
    config::set_value(root, "gpus.model", scalar("message", "--collective"), {"--collective"});
    if (!r.gpus.empty()) config::set_value(root, "gpus.count", scalar(r.gpus, "--gpus"), {"--gpus"});
    return;
  }
  config::Node list;
  list.type = config::Node::Type::list;
  list.where = entry.where;
  list.items.push_back(entry);
  config::set_value(root, "message.collectives", list, entry.where);
  config::set_value(root, "gpus.model", scalar("message", "--collective"), entry.where);
  if (!r.gpus.empty()) config::set_value(root, "gpus.count", scalar(r.gpus, "--gpus"), {"--gpus"});
}

}  // namespace t3sim
