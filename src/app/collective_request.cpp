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
      "gpus", po::value(&r.gpus)->value_name("N"), "of it: GPUs, instead of the machine's");
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
  if (r.kind.empty()) return;
  config::Node list;
  list.type = config::Node::Type::list;
  list.where = entry.where;
  list.items.push_back(entry);
  config::set_value(root, "message.collectives", list, entry.where);
  config::set_value(root, "gpus.model", scalar("message", "--collective"), entry.where);
  if (!r.gpus.empty()) config::set_value(root, "gpus.count", scalar(r.gpus, "--gpus"), {"--gpus"});
}

}  // namespace t3sim
