#include "sweep/plot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "base/error.h"
#include "base/number.h"
#include "sweep/files.h"
#include "sweep/plot_rows.h"

namespace t3sim::sweep {
namespace {

constexpr unsigned kPanelWidth = 420, kPanelHeight = 340, kTitleHeight = 40;

// In single quotes gnuplot takes everything as it is; in double quotes it would run what stands between backquotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return out + '\'';
}

class Script {
 public:
  Script(const Table& table, const PlotOptions& options)
      : rows_(table), options_(options), panels_(rows_.panels(rows_.chosen(options), options.panels)) {}

  std::string text() {
    const std::size_t columns = std::min<std::size_t>(panels_.size(), panels_.size() > 4 ? 3 : 2);
    const std::size_t lines = (panels_.size() + columns - 1) / columns;
    std::string body;
    for (std::size_t i = 0; i < panels_.size(); ++i) body += options_.value.empty() ? curves(i) : heat_map(i);
    return fmt::format("# size {}x{}\n", columns * kPanelWidth, lines * kPanelHeight + kTitleHeight) + data_ +
           fmt::format("set multiplot layout {},{} title {} noenhanced\nset grid\n", lines, columns,
                       quoted(options_.title)) +
           body + "unset multiplot\n";
  }

 private:
  void name_axes(const PlotRows::Panel& panel, std::size_t x, std::size_t y, std::string& out) const {
    out += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                       quoted(panel.title), quoted(spoken_column(rows_.column_title(x))),
                       quoted(spoken_column(rows_.column_title(y))));
  }

  std::string curves(std::size_t number) {
    const PlotRows::Panel& panel = panels_[number];
    const std::size_t x = rows_.column(options_.x), y = rows_.column(options_.y);
    const std::size_t by = rows_.column(options_.by.empty() ? "scheme" : options_.by);
    const std::vector<std::string> xs = rows_.values(panel.rows, x);
    std::string out, plots;
    name_axes(panel, x, y, out);
    out += tics("x", xs);
    for (const std::string& series : rows_.values(panel.rows, by)) {
      const std::string name = fmt::format("$d{}", ++blocks_);
      std::vector<std::string> points(xs.size());
      for (const std::size_t row : panel.rows) {
        if (rows_.cell(row, by) != series || rows_.cell(row, y).empty()) continue;
        const auto at = narrow<std::size_t>(std::ranges::find(xs, rows_.cell(row, x)) - xs.begin());
        if (!points[at].empty()) several();
        points[at] = fmt::format("{} {}\n", at, rows_.number(row, y));
      }
      data_ += fmt::format("{} << EOD\n{}EOD\n", name, fmt::join(points, ""));
      plots += fmt::format("{}{} with linespoints lw 2 title {} noenhanced", plots.empty() ? "" : ", ", name,
                           quoted(fmt::format("{} {}", spoken_column(rows_.column_title(by)), series)));
    }
    return out + "set key bmargin center horizontal\nplot " + plots + "\n";
  }

  [[noreturn]] static void several() {
    throw InputError(
        "sweep plot: several rows fall on one place; name further columns with --panels, --only or "
        "--scheme");
  }

  static std::string tics(std::string_view axis, const std::vector<std::string>& values) {
    std::string list;
    for (std::size_t i = 0; i < values.size(); ++i)
      list += fmt::format("{}{} {}", i > 0 ? ", " : "", quoted(values[i]), i);
    return fmt::format("set {0}tics ({1}) noenhanced\nset {0}range [-0.5:{2}.5]\n", axis, list,
                       values.size() - 1);
  }

  std::string heat_map(std::size_t number) {
    const PlotRows::Panel& panel = panels_[number];
    const std::size_t x = rows_.column(options_.x), y = rows_.column(options_.y);
    const std::size_t value = rows_.column(options_.value);
    // The same axes in all panels, so that they can be compared.
    std::vector<std::size_t> all;
    for (const PlotRows::Panel& p : panels_) all.insert(all.end(), p.rows.begin(), p.rows.end());
    const std::vector<std::string> xs = rows_.values(all, x), ys = rows_.values(all, y);
    Grid cells(xs.size(), std::vector<double>(ys.size(), NAN)), line = cells;
    for (const std::size_t row : panel.rows) {
      if (rows_.cell(row, value).empty()) continue;
      const auto i = narrow<std::size_t>(std::ranges::find(xs, rows_.cell(row, x)) - xs.begin());
      const auto j = narrow<std::size_t>(std::ranges::find(ys, rows_.cell(row, y)) - ys.begin());
      if (!std::isnan(cells[i][j])) several();
      cells[i][j] = rows_.number(row, value);
      line[i][j] = line_value(row, cells[i][j]);
    }
    std::string out;
    name_axes(panel, x, y, out);
    out += tics("x", xs) + tics("y", ys) + colours(all, value) + "set key bmargin center horizontal\n";
    return out + heat_plots(cells, line) + "\n";
  }

  using Grid = std::vector<std::vector<double>>;

  double line_value(std::size_t row, double value) const {
    if (!options_.has_line || options_.versus.empty()) return value;
    const std::optional<std::size_t> other = rows_.counterpart(row, options_);
    const std::size_t time = rows_.column("time_us");
    return other ? rows_.number(*other, time) / rows_.number(row, time) : NAN;
  }

  std::string colours(const std::vector<std::size_t>& all, std::size_t value) const {
    double low = INFINITY, high = -INFINITY;
    for (const std::size_t row : all) {
      if (rows_.cell(row, value).empty()) continue;
      low = std::min(low, rows_.number(row, value));
      high = std::max(high, rows_.number(row, value));
    }
    if (!(high > low)) high = low + 1;
    return fmt::format(
        "set cbrange [{}:{}]\nset palette defined (0 '#ffffe5', 0.5 '#78c679', 1 '#006837')\n"
        "set cblabel {} noenhanced\n",
        low, high, quoted(spoken_column(rows_.column_title(value))));
  }

  std::string heat_plots(const Grid& cells, const Grid& line) {
    std::string boxes, edges;
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < cells[i].size(); ++j) {
        if (std::isnan(cells[i][j])) continue;
        const auto x = real(i), y = real(j);
        boxes += fmt::format("{} {} {}\n", i, j, cells[i][j]);
        if (i + 1 < cells.size())
          edges += edge(line[i][j], line[i + 1][j], x + 0.5, y - 0.5, x + 0.5, y + 0.5);
        if (j + 1 < cells[i].size())
          edges += edge(line[i][j], line[i][j + 1], x - 0.5, y + 0.5, x + 0.5, y + 0.5);
      }
    const std::string name = fmt::format("$d{}", ++blocks_);
    data_ += fmt::format("{} << EOD\n{}EOD\n", name, boxes);
    std::string plots = fmt::format(
        "plot {0} using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor palette fillstyle solid noborder "
        "notitle, "
        "{0} using 1:2:(sprintf('%.2f', $3)) with labels font ',8' notitle",
        name);
    if (edges.empty()) return plots;
    data_ += fmt::format("{}l << EOD\n{}EOD\n", name, edges);
    return plots + fmt::format(", {}l with lines lw 4 lc rgb '#b2182b' title {} noenhanced", name,
                               quoted(options_.line_title));
  }

  // Between two cells of which one reaches the line's value and the other does not.
  std::string edge(double a, double b, double x1, double y1, double x2, double y2) const {
    if (!options_.has_line || std::isnan(a) || std::isnan(b)) return "";
    if ((a >= options_.line) == (b >= options_.line)) return "";
    return fmt::format("{} {}\n{} {}\n\n", x1, y1, x2, y2);
  }

  PlotRows rows_;
  const PlotOptions& options_;
  std::vector<PlotRows::Panel> panels_;
  std::string data_;
  unsigned blocks_ = 0;
};

// "1260x720" of the script's first line, as "1260,720".
std::string size_of(const std::string& script) {
  std::string size = script.substr(7, script.find('\n') - 7);
  std::ranges::replace(size, 'x', ',');
  return size;
}

bool run_gnuplot(const std::string& script) {
  std::FILE* gnuplot = ::popen("gnuplot -", "w");
  if (!gnuplot) throw std::runtime_error("gnuplot cannot be started");
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  return ::pclose(gnuplot) == 0 && written;
}

}  // namespace

std::string plot_script(const Table& table, const PlotOptions& options) {
  return Script(table, options).text();
}

void draw(const std::string& script, const std::string& name) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    throw InputError("sweep plot: gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
  for (const auto& [suffix, terminal] :
       {std::pair{".svg", "svg noenhanced background 'white'"}, std::pair{".png", "pngcairo noenhanced"}}) {
    const std::string path = name + suffix, partial = partial_name(path);
    const bool fresh = !read_file(path).has_value();
    if (fresh) write_whole(path, "");  // says at once whether it can be written
    const bool drawn =
        run_gnuplot(fmt::format("set terminal {} size {} font 'sans,10'\nset output {}\n{}set output\n",
                                terminal, size_of(script), quoted(partial), script));
    if (!drawn) {
      ::unlink(partial.c_str());
      if (fresh) ::unlink(path.c_str());
      throw std::runtime_error("gnuplot failed");
    }
    put_in_place(partial, path);
  }
}

}  // namespace t3sim::sweep
