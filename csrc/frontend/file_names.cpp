#include <selvage/base/names.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/file_names.h>
#include <selvage/frontend/schedule_file.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kLongestBase = 50;  // of a name, so that there is room for marks

// A name that could stand in a file: made of letters and digits, not too long.
std::string sound(const std::string& name) {
  std::string base;
  for (char c : name) {
    const bool is_fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    base += is_fine ? c : '_';
  }
  if (is_identifier(base) && base.starts_with("__")) base = "x" + base;
  return is_identifier(base) ? base : "x" + base;
}

template <class IsTaken>
std::string free_name(const std::string& wanted, IsTaken is_taken) {
  if (!check_name(wanted, {}) && !is_taken(wanted)) return wanted;
  std::string name = sound(wanted).substr(0, kLongestBase);
  for (std::size_t k = 2; check_name(name, {}) || is_taken(name); ++k) {
    // Marks while they are few, then numbers.
    name = k < 6 ? name + "_" : sound(wanted).substr(0, kLongestBase) + "_" + std::to_string(k);
  }
  return name;
}

}  // namespace

void refuse_writing(const std::string& what, const std::string& help) {
  refuse<BadInput>("E590", what, help);
}

std::string quoted(const std::string& text) {
  const bool is_plain =
      is_identifier(text) ||
      (!text.empty() && text.size() < 19 &&
       text.find_first_not_of("0123456789", text[0] == '-') == std::string::npos && text != "-");
  return is_plain ? text : "\"" + text + "\"";
}

std::string expression_text(Expr e, const std::string& what) {
  const std::size_t most = std::size_t(kLongestExpression);
  if (text_length(e, most) > most) {
    refuse_writing(what + " is too long for a file", "name its parts by sizes");
  }
  return quoted(to_string(e));
}

FileNames::FileNames(const Fusion& fusion, const Schedule& schedule) : schedule_(schedule) {
  for (Expr n : fusion.sizes()) {
    const std::string name(n.name());
    sizes_.insert(name);
    if (name.find("_stride_") == std::string::npos && check_name(name, {})) {
      refuse_writing("the size " + name + " has a name that a file cannot have",
                     "call it otherwise");
    }
  }
  const Fusion& all = schedule.fusion();
  std::set<std::string> taken = sizes_;
  // Names that may stay are not given to others.
  for (std::size_t k = 0; k < all.size(); ++k) taken.insert(all[TensorId(k)].name);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string& own = all[TensorId(k)].name;
    const bool stays = !check_name(own, {}) && !sizes_.contains(own);
    tensors_.push_back(
        stays ? own : free_name(own, [&](const std::string& n) { return taken.contains(n); }));
    taken.insert(tensors_.back());
  }
}

std::string FileNames::name(TensorId t, DomainId d, Domains& domains) const {
  const auto is_taken = [&](const std::string& name) {
    if (sizes_.contains(name)) return true;
    return std::any_of(domains.begin(), domains.end(),
                       [&](const auto& other) { return other.second == name; });
  };
  return domains[d] = free_name(schedule_.name(t, d), is_taken);
}

}  // namespace selvage
