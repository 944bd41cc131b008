#include <selvage/pictures/picture_style.h>

#include <fmt/format.h>

namespace selvage {

namespace {

struct Palette {
  const char *paper, *text, *muted, *line, *rule, *blue, *green, *purple, *vermilion, *orange;
};
constexpr Palette kLight = {"#ffffff", "#1f2328", "#59636e", "#818b98", "#d1d9e0",
                            "#0072b2", "#00795a", "#a04f84", "#c04a00", "#a66a00"};
constexpr Palette kDark = {"#0d1117", "#e6edf3", "#9198a1", "#7d8590", "#3d444d",
                           "#56b4e9", "#2fc595", "#d989b8", "#ff8a4c", "#f0b429"};

std::string rule(const char* classes, const std::string& declarations) {
  std::string out;
  for (std::string_view rest = classes; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out += (out.empty() ? ".selvage " : ",.selvage ") + std::string(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out + "{" + declarations + "}\n";
}

std::string stroked(const char* classes, const char* color) {
  return rule(classes, fmt::format("stroke:{}", color));
}
std::string filled(const char* classes, const char* color) {
  return rule(classes, fmt::format("fill:{}", color));
}
std::string both(const char* classes, const char* color) {
  return rule(classes, fmt::format("fill:{0};stroke:{0}", color));
}

std::string colors(const Palette& p) {
  return fmt::format(".selvage{{color:{}}}\n", p.text) + filled(".muted", p.muted) +
         both(".box,.joint,.empty", p.line) + stroked(".wire", p.line) +
         stroked(".valid,.repeated,.hole,.shade,.grid", p.rule) + stroked(".roof", p.green) +
         filled(".valid,.shade", p.blue) + stroked(".again", p.blue) +
         both(".logical,.store", p.blue) + both(".loop", p.green) +
         both(".allocation,.read", p.purple) + both(".load", p.orange) +
         stroked(".checked,.hatch", p.vermilion) + both(".conflict", p.vermilion) +
         stroked("text.halo", p.paper) + filled(".dot", p.vermilion) +
         filled(".warning", p.vermilion) + both(".slot-0,.slot-4", p.blue) +
         both(".slot-1,.slot-5", p.orange) + both(".slot-2,.slot-6", p.green) +
         both(".slot-3,.slot-7", p.purple);
}

// The styles that do not depend on the scheme.
std::string shapes() {
  constexpr const char* kMono =
      "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
  constexpr const char* kSans =
      "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";
  std::string out = rule("text", "fill:currentColor");
  const auto face = [&](const char* name, const char* weight, int size, const char* family) {
    out += rule(name, fmt::format("font:{} {}px {}", weight, size, family));
  };
  face(".title", "600", 17, kSans);
  face(".heading", "600", 13, kSans);
  face(".note", "400", 12, kSans);
  face(".label", "400", 12, kMono);
  face(".small", "400", 10, kMono);
  face(".tiny", "400", 9, kMono);
  face(".micro", "400", 8, kMono);
  out += rule(".middle", "text-anchor:middle") + rule(".end", "text-anchor:end") +
         rule(".strong", "font-weight:600") + rule(".wire,.hatch", "fill:none") +
         rule(".box", "fill-opacity:.07;stroke-width:1.2") + rule(".joint", "fill-opacity:0") +
         rule(".logical,.allocation,.loop,.read", "fill-opacity:.16;stroke-width:1.6") +
         rule(".loop", "stroke-width:2.2") +
         rule(".checked", "fill:none;stroke-width:1.6;stroke-dasharray:4 3") +
         rule(".wire", "stroke-width:1.2") + rule(".valid", "fill-opacity:.2") +
         rule(".repeated", "fill:url(#selvage-again)") + rule(".again", "stroke-opacity:.45") +
         rule(".valid.dense", "fill-opacity:.55") +
         rule("text.halo", "stroke-width:3;stroke-linejoin:round;paint-order:stroke") +
         rule(".hatch", "stroke-width:1.3;stroke-opacity:.75") +
         rule(".empty", "fill-opacity:.1;stroke-opacity:.4;stroke-dasharray:2 2") +
         rule(".store,.load", "fill-opacity:.2;stroke-width:2") +
         rule(".load", "stroke-dasharray:4 2") + rule(".outline", "fill-opacity:0") +
         rule(".solid", "fill-opacity:.8") + rule(".grid", "stroke-width:1") +
         rule(".roof", "stroke-width:2") + rule(".dashed", "stroke-dasharray:7 4") +
         rule(".conflict", "fill-opacity:.32;stroke-width:2") +
         rule(".slot", "fill-opacity:.24;stroke-width:1.4") +
         rule(".slot-4,.slot-5,.slot-6,.slot-7", "fill-opacity:.6;stroke-dasharray:3 2") +
         rule(".wait",
              "fill:none;stroke:currentColor;stroke-width:1.2;marker-end:url(#selvage-head)") +
         rule(".release", "stroke-dasharray:4 2") + rule(".head", "fill:currentColor");
  for (int k = 0; k < kHolePatterns; ++k) {
    out += rule(fmt::format(".hole-{}", k).c_str(), fmt::format("fill:url(#selvage-hole-{})", k));
  }
  for (int k = 0; k < kShades; ++k) {
    out += rule(fmt::format(".shade-{}", k).c_str(), fmt::format("fill-opacity:.{:02}", 4 + 7 * k));
  }
  return out;
}

std::string hatching() {
  constexpr const char* kLines[kHolePatterns] = {
      R"(<path class="hatch" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/>)",
      R"(<path class="hatch" d="M-1 -1L7 7M-1 5L1 7M5 -1L7 1"/>)",
      R"(<path class="hatch" d="M0 3L6 3"/>)",
      R"(<circle class="dot" cx="3" cy="3" r="1.2"/>)",
  };
  std::string out = "<defs>\n";
  for (int k = 0; k < kHolePatterns; ++k) {
    out += fmt::format(
        R"(<pattern id="selvage-hole-{}" width="6" height="6" patternUnits="userSpaceOnUse">{}</pattern>)"
        "\n",
        k, kLines[k]);
  }
  out += R"(<pattern id="selvage-again" width="4" height="4" patternUnits="userSpaceOnUse">)"
         R"(<path class="again" d="M1 0L1 4"/></pattern>)"
         "\n";
  out +=
      R"(<marker id="selvage-head" markerWidth="7" markerHeight="6" refX="6.5" refY="3")"
      R"( markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0L7 3L0 6Z"/></marker>)"
      "\n";
  return out + "</defs>\n";
}

}  // namespace

std::string picture_style() {
  return "<style>\n" + shapes() + colors(kLight) + "@media (prefers-color-scheme:dark){\n" +
         colors(kDark) + "}\n</style>\n" + hatching();
}

}  // namespace selvage
