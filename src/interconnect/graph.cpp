#include "interconnect/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {

std::string_view to_string(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "gpu";
    case VertexKind::switched:
      return "switch";
    case VertexKind::card:
      return "card";
    case VertexKind::memory:
      return "memory";
    case VertexKind::wire:
      return "wire";
  }
  return "";
}

Graph::Graph(std::uint32_t gpus) : gpus_(gpus) {
  for (std::uint32_t g = 0; g < gpus; ++g) add(Vertex{fmt::format("gpu{}", g), VertexKind::gpu});
}

std::uint32_t Graph::add(Vertex vertex) {
  vertices_.push_back(std::move(vertex));
  out_.emplace_back();
  in_.emplace_back();
  return narrow<std::uint32_t>(vertices_.size() - 1);
}

std::uint32_t Graph::add(const GraphLink& link) {
  const auto number = narrow<std::uint32_t>(links_.size());
  links_.push_back(link);
  out_[link.from].push_back(number);
  in_[link.to].push_back(number);
  return number;
}

void Graph::join(GraphLink link) {
  add(link);
  std::swap(link.from, link.to);
  add(link);
}

std::string Graph::name(std::uint32_t link) const {
  return vertices_[links_[link].from].name + '>' + vertices_[links_[link].to].name;
}

std::uint32_t Graph::channels(std::uint32_t link) const {
  return links_[link].channels == kByDestination ? gpus_ : links_[link].channels;
}

std::uint32_t Graph::find(std::string_view name) const {
  return narrow<std::uint32_t>(std::ranges::find(vertices_, name, &Vertex::name) - vertices_.begin());
}

}  // namespace t3sim
