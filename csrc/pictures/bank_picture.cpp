#include <selvage/base/check.h>
#include <selvage/base/points.h>
#include <selvage/expr/symbols.h>
#include <selvage/pictures/drawn_access.h>
#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture_style.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostBankItems = 1 << 18;
constexpr int kLeft = 60, kBankPitch = 28, kBankCell = 27;
constexpr int kLevel = 16;  // of a stack of threads
constexpr std::size_t kMostLevels = 8;
constexpr std::int64_t kNothing = -1, kSeveral = -2;

// The item in each element of the first lines.
std::optional<std::vector<std::int64_t>> items_of(const TensorReport& tensor,
                                                  std::int64_t elements) {
  const TensorInfo& info = tensor.tensor();
  const auto n = known_extents(tensor.graph(), info.logical);
  const auto items = n ? count_points(*n) : std::nullopt;
  if (!items || *items > kMostBankItems) return std::nullopt;
  std::vector<Expr> indices;
  for (std::size_t i = 0; i < n->size(); ++i) {
    // No name of a user has a blank.
    indices.push_back(tensor.fusion().pool().symbol("item " + std::to_string(i)));
  }
  Expr address;
  try {
    address = address_of(tensor.fusion(), tensor.graph(), tensor.analysis.tensor, indices);
  } catch (const Illegal&) {
    return std::nullopt;  // it follows from the loops, and not from the items
  }
  if (!uses_only(address, indices)) return std::nullopt;
  std::vector<std::int64_t> lie(std::size_t(elements), kNothing);
  Tape tape(std::span(&address, 1), indices);
  std::int64_t item = 0;
  const bool is_done = for_each_point(*n, [&](const auto& at) {
    if (!tape.evaluate(at)) return false;
    const std::int64_t a = tape.root(0);
    if (a >= 0 && a < elements) {
      std::int64_t& there = lie[std::size_t(a)];
      there = there == kNothing ? item : kSeveral;
    }
    ++item;
    return true;
  });
  return is_done ? std::optional(std::move(lie)) : std::nullopt;
}

// 0-3,8
std::string thread_list(const std::vector<std::int64_t>& threads) {
  std::string text;
  for (std::size_t i = 0; i < threads.size();) {
    std::size_t k = i;
    while (k + 1 < threads.size() && threads[k + 1] == threads[k] + 1) ++k;
    text += (text.empty() ? "" : ",") + std::to_string(threads[i]);
    if (k > i) text += (k > i + 1 ? "-" : ",") + std::to_string(threads[k]);
    i = k + 1;
  }
  return text;
}

class BankPicture {
 public:
  BankPicture(const TensorReport& tensor, std::int64_t bytes)
      : tensor_(tensor), element_(size_of(said_type(tensor.tensor()))), bytes_(bytes) {}

  std::optional<Drawing> run() {
    lines_ = ceil_div(bytes_, kLineBytes);
    drawn_lines_ = std::min(lines_, kMostLines);
    const auto items = items_of(tensor_, drawn_lines_ * kLineBytes / element_);
    if (!items) return std::nullopt;
    items_ = *items;
    find_accesses();
    choose_labels();
    int y = 4;
    if (store_) y = draw_stacks(*store_, "store", "store", y, true);
    y = draw_banks(y);
    y = draw_lines(y);
    if (load_) y = draw_stacks(*load_, "load", "load", y + 4, false);
    draw_legend(y);
    return std::move(drawing_);
  }

 private:
  void find_accesses() {
    const auto access = [&](const Schedule& schedule,
                            const TensorAnalysis& a) -> std::optional<DrawnAccess> {
      auto states = PointStates::of(schedule.graph(), tensor_.tensor(), a);
      if (!states) return std::nullopt;
      return first_access(schedule, a, *states, element_);
    };
    store_ = access(*tensor_.schedule, tensor_.analysis);
    if (tensor_.read) load_ = access(*tensor_.reading, *tensor_.read);
  }

  // Items by row and column where that is short, by their numbers otherwise.
  void choose_labels() {
    for (DomainId d : tensor_.tensor().logical) {
      const std::int64_t n = tensor_.graph()[d].extent.value();
      if (n > 1) axes_.push_back(n);
    }
    const auto digits = [](std::int64_t n) { return int(std::to_string(n - 1).size()); };
    by_row_ = axes_.size() == 2 && digits(axes_[0]) + digits(axes_[1]) <= 4;
    std::int64_t items = 1;
    for (std::int64_t n : axes_) items *= n;  // at most kMostBankItems
    is_labelled_ = by_row_ || digits(items) <= 5;
  }
  std::string label(std::int64_t item) const {
    if (item == kNothing) return "";
    if (item == kSeveral) return "*";
    return by_row_ ? fmt::format("{},{}", item / axes_[1], item % axes_[1]) : std::to_string(item);
  }
  std::int64_t last_extent() const { return axes_.empty() ? 1 : axes_.back(); }

  int cell_height() const { return element_ < kWordBytes ? 26 : 20; }
  int x_of(std::int64_t bank) const { return kLeft + int(bank) * kBankPitch; }

  int draw_banks(int y) {
    drawing_.text(kLeft - 8, y + 12, "bank", TextStyle::Small, Anchor::End, "strong");
    for (int bank = 0; bank < kBanks; ++bank) {
      drawing_.text(x_of(bank) + kBankCell / 2, y + 12, std::to_string(bank), TextStyle::Small,
                    Anchor::Middle, "muted");
    }
    return y + 18;
  }

  int draw_lines(int y) {
    for (std::int64_t line = 0; line < drawn_lines_; ++line) {
      const int top = y + int(line) * cell_height();
      drawing_.text(kLeft - 8, top + cell_height() / 2 + 4, std::to_string(line * kLineBytes),
                    TextStyle::Small, Anchor::End, "muted");
      for (int bank = 0; bank < kBanks; ++bank) draw_word(line * kBanks + bank, x_of(bank), top);
    }
    outline(store_, "store", y, 1);
    outline(load_, "load", y, 2);
    y += int(drawn_lines_) * cell_height();
    if (drawn_lines_ < lines_) {
      drawing_.note(kLeft, y + 14,
                    fmt::format("{} of {} lines of {} bytes", drawn_lines_, lines_, kLineBytes));
      y += 20;
    }
    return y;
  }

  void draw_word(std::int64_t word, int x, int y) {
    const std::int64_t begin = word * kWordBytes / element_;
    const std::int64_t per_word = std::max<std::int64_t>(1, kWordBytes / element_);
    const std::int64_t first = items_[std::size_t(begin)];
    const bool is_second_half = word * kWordBytes % element_ != 0;
    bool is_empty = true;
    for (std::int64_t i = 0; i < per_word; ++i) {
      is_empty = is_empty && items_[std::size_t(begin + i)] == kNothing;
    }
    const std::int64_t shown = std::max<std::int64_t>(first, 0);
    const std::string classes =
        is_empty
            ? "cell empty"
            : fmt::format("cell shade shade-{}", shown % last_extent() * kShades / last_extent());
    drawing_.rect(x, y, kBankCell, cell_height() - 1, classes);
    if (is_empty || !is_labelled_ || is_second_half) return;
    const auto put = [&](int base, const std::string& text) {
      const TextStyle style = columns_of(text) > 4 ? TextStyle::Micro : TextStyle::Tiny;
      drawing_.text(x + kBankCell / 2, y + base, text, style, Anchor::Middle);
    };
    if (per_word == 1) {
      put(13, label(first));
      return;
    }
    put(11, label(first));
    put(22, second_label(begin, per_word));
  }
  // Of a word with several items: the other one, or how many follow.
  std::string second_label(std::int64_t begin, std::int64_t per_word) const {
    const auto item = [&](std::int64_t i) { return items_[std::size_t(begin + i)]; };
    if (per_word == 2) return label(item(1));
    for (std::int64_t i = 1; i < per_word; ++i) {
      if (item(i) != item(0) + i) return "\xE2\x80\xA6";
    }
    return fmt::format("+{}", per_word - 1);
  }

  void outline(const std::optional<DrawnAccess>& access, const char* classes, int y, int inset) {
    if (!access) return;
    for (const auto& bank : access->banks) {
      for (const DrawnAccess::Word& word : bank) {
        const std::int64_t line = word.number / kBanks;
        if (line >= drawn_lines_) continue;
        drawing_.rect(x_of(word.number % kBanks) + inset - 1,
                      y + int(line) * cell_height() + inset - 1, kBankCell - 2 * inset + 2,
                      cell_height() + 1 - 2 * inset, std::string(classes) + " outline", {}, 2);
      }
    }
  }

  // The threads of each bank; the first word next to the lines.
  int draw_stacks(const DrawnAccess& access, const char* classes, const char* name, int y,
                  bool is_above) {
    const std::size_t ways = access.ways();
    const std::size_t levels = std::min(ways, kMostLevels);
    const int height = std::max(int(levels) * kLevel, 28);
    const int name_y = is_above ? y + height - 16 : y + 12;
    drawing_.text(kLeft - 8, name_y, name, TextStyle::Small, Anchor::End, "strong");
    drawing_.text(kLeft - 8, name_y + 13, ways > 1 ? fmt::format("{} ways", ways) : "1 way",
                  TextStyle::Small, Anchor::End, ways > 1 ? "warning strong" : "muted");
    for (int bank = 0; bank < kBanks; ++bank) {
      const auto& words = access.banks[std::size_t(bank)];
      const bool is_cut = words.size() > kMostLevels;
      for (std::size_t k = 0; k < std::min(words.size(), kMostLevels); ++k) {
        const int top = is_above ? y + height - int(k + 1) * kLevel : y + int(k) * kLevel;
        const bool is_rest = is_cut && k + 1 == kMostLevels;
        std::string text = thread_list(words[k].threads);
        std::string title = fmt::format("bank {}, word {}: {} {}", bank, words[k].number,
                                        words[k].threads.size() == 1 ? "thread" : "threads", text);
        if (is_rest) {
          text = fmt::format("+{}", words.size() - k);
          title = fmt::format("bank {}: {} more words", bank, words.size() - k);
        } else if (columns_of(text) > 5) {
          text = fmt::format("{}\xC3\x97", words[k].threads.size());
        }
        drawing_.rect(x_of(bank), top, kBankCell, kLevel - 2,
                      words.size() > 1 ? std::string("conflict") : std::string(classes), title, 2);
        drawing_.text(x_of(bank) + kBankCell / 2, top + 10, text,
                      columns_of(text) > 4 ? TextStyle::Micro : TextStyle::Tiny, Anchor::Middle);
      }
    }
    drawing_.cover(x_of(kBanks), y + height);
    return y + height + 4;
  }

  void draw_legend(int y) {
    y += 20;
    int x = 0;
    const auto entry = [&](const std::string& classes, const std::string& inside,
                           const std::string& what) {
      const int width = 36 + text_width(what, TextStyle::Note) + 18;
      if (x > 0 && x + width > x_of(kBanks)) x = 0, y += 24;
      drawing_.rect(x, y - 13, 28, 18, classes, {}, 2);
      drawing_.text(x + 14, y, inside, TextStyle::Tiny, Anchor::Middle);
      drawing_.note(x + 36, y, what);
      x += width;
    };
    if (is_labelled_) {
      entry("cell shade shade-3", by_row_ ? "3,5" : "7",
            by_row_ ? "row and column of the item, shaded by column"
                    : "number of the item, shaded by its last index");
    } else {
      entry("cell shade shade-3", "", "items, shaded by their last index");
    }
    if (std::any_of(items_.begin(), items_.end(), [](std::int64_t i) { return i == kNothing; })) {
      entry("cell empty", "", "no item");
    }
    const auto access = [&](const std::optional<DrawnAccess>& a, const char* classes,
                            const char* what) {
      if (!a) return;
      const std::string phase = a->phases == 1 ? ""
                                               : fmt::format(", threads 0 to {}: 1 of {} phases",
                                                             kWarp / a->phases - 1, a->phases);
      entry(classes, "0", fmt::format("{} of the first warp{}: thread", what, phase));
    };
    access(store_, "store", tensor_.reading == nullptr ? "first store (and load)" : "first store");
    access(load_, "load", "first load");
    if ((store_ && store_->ways() > 1) || (load_ && load_->ways() > 1)) {
      entry("conflict", "0", "words of one bank: one after the other");
    }
  }

  const TensorReport& tensor_;
  int element_;
  std::int64_t bytes_, lines_ = 0, drawn_lines_ = 0;
  std::vector<std::int64_t> items_;  // by element of the drawn lines
  std::optional<DrawnAccess> store_, load_;
  std::vector<std::int64_t> axes_;  // extents of the logical domain, those of 1 left out
  bool by_row_ = false, is_labelled_ = false;
  Drawing drawing_;
};

}  // namespace

std::optional<Drawing> bank_picture(const TensorReport& tensor) {
  const TensorInfo& info = tensor.tensor();
  if (info.memory != Memory::Shared) return std::nullopt;
  const Expr elements = tensor.analysis.elements;
  if (!elements.is(Op::Const)) return std::nullopt;
  for (DomainId d : info.logical) {
    if (!tensor.graph()[d].extent.is(Op::Const)) return std::nullopt;
  }
  const auto bytes = checked_mul(elements.value(), size_of(said_type(info)));
  if (!bytes || *bytes <= 0) return std::nullopt;
  return BankPicture(tensor, *bytes).run();
}

}  // namespace selvage
