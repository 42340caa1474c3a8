// A topology as a picture: vertices in layers above the GPUs, or in their grid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/csv.h"
#include "base/number.h"
#include "interconnect/link_load.h"

namespace t3sim {
namespace {

constexpr double kStep = 110, kLayer = 130, kMargin = 70, kTop = 70;

struct Point {
  double x = 0, y = 0;
};

// How many links lie between each vertex and the nearest GPU.
std::vector<std::uint32_t> layers(const Graph& graph) {
  std::vector<std::uint32_t> layer(graph.vertices().size(), ~0U), next;
  for (std::uint32_t g = 0; g < graph.gpus(); ++g) {
    layer[g] = 0;
    next.push_back(g);
  }
  for (std::size_t i = 0; i < next.size(); ++i)
    for (const std::uint32_t link : graph.out(next[i])) {
      const std::uint32_t to = graph.link(link).to;
      if (layer[to] != ~0U) continue;
      layer[to] = layer[next[i]] + 1;
      next.push_back(to);
    }
  return layer;
}

class Layout {
 public:
  Layout(const TopologyConfig& config, const Graph& graph) : graph_(graph), at_(graph.vertices().size()) {
    if (config.kind == TopologyKind::mesh || config.kind == TopologyKind::torus)
      in_grid(config.shape);
    else
      in_layers();
    for (const Point& p : at_) {
      size_.x = std::max(size_.x, p.x + kMargin);
      size_.y = std::max(size_.y, p.y + kMargin);
    }
  }
  const Point& at(std::uint32_t vertex) const { return at_[vertex]; }
  const Point& size() const { return size_; }

 private:
  // Planes of a third dimension side by side; each GPU below its switch.
  void in_grid(const std::array<std::uint32_t, 3>& shape) {
    for (std::uint32_t g = 0; g < graph_.gpus(); ++g) {
      const double x = g % shape[0], y = g / shape[0] % shape[1], z = g / shape[0] / shape[1];
      const Point node{kMargin + (x + z * (shape[0] + 0.5)) * kStep * 1.3, kTop + 20 + y * kStep * 1.2};
      at_[graph_.gpus() + g] = node;
      at_[g] = {node.x + 38, node.y + 42};
    }
  }
  // Each layer in the order of what it is joined to below, spread over the width of the GPUs.
  void in_layers() {
    const auto layer = layers(graph_);
    std::uint32_t top = 0;
    for (const std::uint32_t l : layer) top = l == ~0U ? top : std::max(top, l);
    for (std::uint32_t l = 0; l <= top + 1; ++l) {
      std::vector<std::uint32_t> row;
      for (std::uint32_t v = 0; v < layer.size(); ++v)
        if (layer[v] == l || (l > top && layer[v] == ~0U)) row.push_back(v);
      std::ranges::stable_sort(row, {}, [&](std::uint32_t v) { return below(v, layer); });
      const double width = kStep * std::max(graph_.gpus(), 2U);
      for (std::size_t i = 0; i < row.size(); ++i)
        at_[row[i]] = {kMargin + width * (real(i) + 0.5) / real(row.size()),
                       kTop + 20 + kLayer * (top - std::min(l, top))};
      if (l == 0 && top == 0) in_circle();
    }
  }
  void in_circle() {
    const double radius = std::max(120.0, 30.0 * graph_.gpus());
    for (std::uint32_t g = 0; g < graph_.gpus(); ++g) {
      const double angle = 2 * 3.14159265358979 * g / graph_.gpus();
      at_[g] = {kMargin + radius * (1 + std::sin(angle)), kTop + radius * (1 - std::cos(angle))};
    }
  }
  // Mean place of the neighbours in lower layers.
  double below(std::uint32_t vertex, const std::vector<std::uint32_t>& layer) const {
    double sum = 0, count = 0;
    for (const std::uint32_t link : graph_.out(vertex)) {
      const std::uint32_t to = graph_.link(link).to;
      if (layer[to] >= layer[vertex]) continue;
      sum += at_[to].x;
      ++count;
    }
    return count == 0 ? vertex : sum / count;
  }

  const Graph& graph_;
  std::vector<Point> at_;
  Point size_;
};

// From light grey over orange to red.
std::string colour(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  const auto mix = [&](double a, double b, double c) {
    return narrow<int>(std::lround(s < 0.5 ? a + (b - a) * 2 * s : b + (c - b) * (2 * s - 1)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(200, 245, 190), mix(205, 166, 18), mix(210, 35, 60));
}

const char* fill(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "#1f3b57";
    case VertexKind::card:
      return "#6b4a8c";
    case VertexKind::memory:
      return "#2e6b4f";
    default:
      return "#5a6470";
  }
}

class Drawing {
 public:
  Drawing(const Graph& graph, const Layout& layout, const LinkLoads& loads)
      : graph_(graph), layout_(layout), loads_(loads) {}

  std::string svg(std::string_view title) {
    const double width = std::max(layout_.size().x, 640.0), height = layout_.size().y + 20;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#fff\"/>\n",
        width, height);
    const Fullest full = fullest(graph_, loads_);
    add("<text x=\"16\" y=\"26\" font-size=\"16\">{}</text>\n", escaped(title));
    add("<text x=\"16\" y=\"46\">fullest link: {}, busy {:.1f} % of the time. Colour: grey 0 %, orange 50 %, "
        "red "
        "100 %.</text>\n",
        escaped(full.name), 100 * full.share);
    for (std::uint32_t l = 0; l < graph_.links().size(); ++l) link(l);
    for (std::uint32_t v = 0; v < graph_.vertices().size(); ++v) vertex(v);
    return std::move(text_) + "</svg>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text)
      out += c == '<'   ? std::string("&lt;")
             : c == '>' ? std::string("&gt;")
             : c == '&' ? std::string("&amp;")
                        : std::string(1, c);
    return out;
  }
  // There and back side by side.
  void link(std::uint32_t l) {
    const Point a = layout_.at(graph_.link(l).from), b = layout_.at(graph_.link(l).to);
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1.0);
    const double dx = -(b.y - a.y) / length * 3, dy = (b.x - a.x) / length * 3;
    const double share = loads_.share(loads_.links[l]);
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\">"
        "<title>{}: {} bytes, busy {:.1f} %</title></line>\n",
        a.x + dx, a.y + dy, b.x + dx, b.y + dy, colour(share), 1.5 + 3 * std::min(share, 1.0),
        escaped(graph_.name(l)), loads_.links[l].bytes, 100 * share);
  }
  void vertex(std::uint32_t v) {
    const Vertex& vertex = graph_.vertex(v);
    const Point p = layout_.at(v);
    const double width = std::max(44.0, 8.0 * real(vertex.name.size()) + 12);
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"24\" rx=\"{}\" fill=\"{}\">{}</rect>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#fff\">{}</text>\n",
        p.x - width / 2, p.y - 12, width, vertex.kind == VertexKind::gpu ? 3 : 12, fill(vertex.kind), busy(v),
        p.x, p.y + 4, escaped(vertex.name));
  }

  // Of a card or memory that has a rate.
  std::string busy(std::uint32_t v) const {
    if (v >= loads_.vertices.size() || graph_.vertex(v).rate_Bps == 0) return {};
    const LinkLoad& load = loads_.vertices[v];
    return fmt::format("<title>{}: {} bytes, busy {:.1f} %</title>", escaped(graph_.vertex(v).name),
                       load.bytes, 100 * loads_.share(load));
  }

  const Graph& graph_;
  const Layout& layout_;
  const LinkLoads& loads_;
  std::string text_;
};

}  // namespace

void LinkLoads::add(const LinkLoads& other) {
  const auto add_all = [](std::vector<LinkLoad>& to, const std::vector<LinkLoad>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i].bytes += from[i].bytes;
      to[i].busy += from[i].busy;
    }
  };
  add_all(links, other.links);
  add_all(vertices, other.vertices);
  time += other.time;
}

Fullest fullest(const Graph& graph, const LinkLoads& loads) {
  const auto link = std::ranges::max_element(loads.links, {}, &LinkLoad::busy);
  const auto vertex = std::ranges::max_element(loads.vertices, {}, &LinkLoad::busy);
  if (vertex != loads.vertices.end() && vertex->busy > link->busy)
    return {graph.vertex(narrow<std::uint32_t>(vertex - loads.vertices.begin())).name, loads.share(*vertex)};
  return {graph.name(narrow<std::uint32_t>(link - loads.links.begin())), loads.share(*link)};
}

std::string picture(const TopologyConfig& config, const Topology& topology, const LinkLoads& loads,
                    std::string_view title) {
  const Layout layout(config, topology.graph);
  return Drawing(topology.graph, layout, loads).svg(title);
}

std::string links_csv(const Topology& topology, const LinkLoads& loads, const TimeBase& time,
                      std::string_view scheme, bool head) {
  std::string text = head ? "scheme,link,from,to,GBps,bytes,busy_us,busy_share\n" : "";
  for (std::uint32_t l = 0; l < topology.graph.links().size(); ++l) {
    const GraphLink& link = topology.graph.link(l);
    text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(scheme), csv_field(topology.graph.name(l)),
                        csv_field(topology.graph.vertex(link.from).name),
                        csv_field(topology.graph.vertex(link.to).name), real(link.bandwidth_Bps) / 1e9,
                        loads.links[l].bytes, time.to_us(loads.links[l].busy), loads.share(loads.links[l]));
  }
  return text;
}

}  // namespace t3sim
