// Reading one tensor of section 1.
#include <selvage/base/names.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/tensor_draft.h>

#include <algorithm>
#include <initializer_list>

namespace selvage {

TensorDraft::TensorDraft(const Entry& tensor, FileContext& context)
    : entry(tensor),
      fusion(std::make_shared<Fusion>()),
      sizes(context.symbols, *fusion, context.errors),
      names(tensor.key, context.symbols, context.errors) {}

namespace {

class TensorReader {
 public:
  TensorReader(TensorDraft& draft, FileContext& context)
      : draft_(draft),
        name_(draft.entry.key),
        node_(draft.entry.value),
        names_(draft.names),
        context_(context),
        errors_(context.errors) {}

  void read() {
    expect_map(node_, name_);
    const bool is_view = node_.find("root") != nullptr || node_.find("view") != nullptr;
    expect_map(node_, name_, is_view ? Form::View : Form::Tensor, &errors_);
    read_words();
    errors_.attempt([&] { read_domains(); });
    read_key(node_, "transforms", errors_, [&](const Node& list) {
      draft_.transforms = read_transforms(list, "transforms", names_, draft_.sizes,
                                          Feeds::Transforms, context_.transforms, errors_);
    });
    if (!errors_.empty()) return;  // what follows would repeat it
    errors_.attempt([&] { read_allocation(); });
    errors_.attempt([&] { read_loop(); });
    read_key(node_, "bind", errors_, [&](const Node& bind) { read_bindings_of_loops(bind); });
    read_key(node_, "read", errors_, [&](const Node& read) { read_reading(read); });
  }

 private:
  void read_words() {
    const auto read = [&](const char* key, auto use) { read_key(node_, key, errors_, use); };
    read("dtype", [&](const Node& type) { draft_.type = as_data_type(type, "dtype"); });
    read("memory", [&](const Node& memory) {
      draft_.memory = Memory(as_one_of(memory, "memory", Form::MemoryWord));
    });
    read("duplicates", [&](const Node& duplicates) {
      as_one_of(duplicates, "duplicates", Form::DuplicatesWord);
      draft_.duplicates = true;
    });
    read("fill", [&](const Node& fill) { draft_.fill = as_integer(fill, "fill"); });
  }

  void check_axes(const Node& list, const std::string& what, std::size_t axes) {
    if (std::int64_t(axes) <= kMostAxes) return;
    refuse("E104", list.place,
           what + " has more than " + std::to_string(kMostAxes) + " iterdomains",
           "merge some of them");
  }

  void read_extents(const Node& map, const std::string& what) {
    if (expect_map(map, what).empty()) {
      refuse("E107", map.place, what + " has no iterdomains", "name one, such as {I0: 15}");
    }
    check_axes(map, what, map.entries.size());
    for (const Entry& axis : map.entries) {
      errors_.attempt([&] {
        draft_.extents.push_back(
            {draft_.sizes.read(axis.value, what + "." + axis.key), axis.value.place});
      });
      errors_.attempt([&] { names_.define(axis.key, axis.place); });
    }
  }

  void read_domains() {
    const Node* root = node_.find("root");
    const Node* view = node_.find("view");
    const Node& logical = require(node_, name_, "logical");
    if (root == nullptr && view == nullptr) {
      read_extents(logical, "logical");
      for (std::size_t k = 0; k < names_.size(); ++k) draft_.logical.push_back(k);
      return;
    }
    draft_.is_view = true;
    read_extents(require(node_, name_, "root"), "root");
    draft_.roots = names_.size();
    draft_.view = read_transforms(require(node_, name_, "view"), "view", names_, draft_.sizes,
                                  Feeds::View, context_.transforms, errors_);
    check_axes(logical, "logical", expect_sequence(logical, "logical").size());
    draft_.logical = read_leaves(logical, "logical", Feeds::View);
  }

  // Names, each once.
  std::vector<std::size_t> read_names(const Node& list, const std::string& what) {
    std::vector<std::size_t> domains;
    std::vector<bool> seen(names_.size(), false);
    for (const Node& item : expect_sequence(list, what)) {
      errors_.attempt([&] {
        const std::size_t d = names_.find(item, what);
        if (seen[d]) {
          refuse("E307", item.place, what + ": " + names_.all()[d].name + " stands there twice",
                 "name it once");
        }
        seen[d] = true;
        domains.push_back(d);
      });
    }
    return domains;
  }

  // All iterdomains that no transform takes, in any order.
  std::vector<std::size_t> read_leaves(const Node& list, const std::string& what, Feeds feeds) {
    const std::size_t before = errors_.list().size();
    std::vector<std::size_t> named = read_names(list, what);
    if (errors_.list().size() != before) return named;
    const std::vector<std::size_t> leaves = leaves_of({feeds});
    const std::vector<bool> seen = marked(named);
    for (std::size_t k = 0; k < named.size(); ++k) {
      const std::size_t d = named[k];
      if (is_leaf(d, feeds)) continue;
      errors_.attempt([&] {
        refuse(
            "E307", list.items[k].place,
            what + ": " + names_.all()[d].name + " of " + name_ + " is taken by a transform",
            few("name what no transform takes: ", leaves, "name what comes out of that transform"));
      });
    }
    for (std::size_t d : leaves) {
      if (seen[d]) continue;
      refuse("E307", list.place,
             what + ": " + names_.all()[d].name + " of " + name_ + " is missing",
             few("name every iterdomain that no transform takes: ", leaves,
                 "name every iterdomain that no transform takes"));
    }
    return named;
  }

  // few_names of iterdomains. Many are not even listed: each of as many may be refused.
  std::string few(std::string words, const std::vector<std::size_t>& domains,
                  std::string otherwise) const {
    if (domains.empty() || domains.size() > kMostNames) return otherwise;
    return words + joined(domains, [&](std::size_t d) { return names_.all()[d].name; });
  }

  std::vector<bool> marked(const std::vector<std::size_t>& domains) const {
    std::vector<bool> marks(names_.size(), false);
    for (std::size_t d : domains) marks[d] = true;
    return marks;
  }

  bool is_leaf(std::size_t d, Feeds feeds) const {
    return !names_.all()[d].feeds[std::size_t(feeds)];
  }

  // The names that none of these parts uses as input of a transform.
  std::vector<std::size_t> leaves_of(std::initializer_list<Feeds> kinds) const {
    std::vector<std::size_t> leaves;
    for (std::size_t d = 0; d < names_.size(); ++d) {
      const auto is_left = [&](Feeds feeds) { return is_leaf(d, feeds); };
      if (std::all_of(kinds.begin(), kinds.end(), is_left)) leaves.push_back(d);
    }
    return leaves;
  }

  std::vector<FileTransform> all_transforms() const {
    std::vector<FileTransform> all = draft_.view;
    all.insert(all.end(), draft_.transforms.begin(), draft_.transforms.end());
    return all;
  }

  // Every one of `wanted` must follow from the list, and none in two ways.
  void check_follow(const Node& list, const char* code, const std::string& what,
                    const std::vector<std::size_t>& from, const std::vector<std::size_t>& wanted) {
    const Consequences all = consequences(all_transforms(), names_.size(), from);
    const auto fail = [&](std::size_t d, const std::string& how, const std::string& otherwise) {
      refuse(code, list.place,
             what + ": the index of " + names_.all()[d].name + " of " + name_ + how +
                 " from these iterdomains",
             which_follow(wanted, otherwise));
    };
    for (std::size_t d : wanted) {
      if (!all.known[d]) fail(d, " does not follow", "take a set from which all others follow");
    }
    if (all.twice) {
      fail(*all.twice, " follows in two ways", "leave out one that follows from the others");
    }
  }

  // A set from which all of `wanted` follows in one way: what nothing takes, or the logical domain.
  std::string which_follow(const std::vector<std::size_t>& wanted,
                           const std::string& otherwise) const {
    for (const std::vector<std::size_t>& set :
         {leaves_of({Feeds::View, Feeds::Transforms}), draft_.logical}) {
      const Consequences all = consequences(all_transforms(), names_.size(), set);
      const bool follow = std::all_of(wanted.begin(), wanted.end(),
                                      [&](std::size_t d) { return bool(all.known[d]); });
      if (!follow || all.twice) continue;
      return few("all follows from ", set, otherwise);
    }
    return otherwise;
  }

  void read_loop() {
    const Node* list = node_.find("loop");
    if (list == nullptr) {
      if (draft_.is_view) require(node_, name_ + ", a view", "loop");
      draft_.loop = leaves_of({Feeds::Transforms});
      return;
    }
    if (!draft_.is_view) {
      draft_.loop = read_leaves(*list, "loop", Feeds::Transforms);
      return;
    }
    draft_.loop = read_names(*list, "loop");
    std::vector<std::size_t> everything(names_.size());
    for (std::size_t d = 0; d < everything.size(); ++d) everything[d] = d;
    check_follow(*list, "E307", "loop", draft_.loop, everything);
  }

  void read_allocation() {
    draft_.allocation = draft_.logical;
    if (const Node* list = node_.find("allocation")) {
      draft_.allocation = read_names(*list, "allocation");
      check_axes(*list, "allocation", draft_.allocation.size());
      check_follow(*list, "E308", "allocation", draft_.allocation, draft_.logical);
    }
    draft_.layout = read_layout(node_, draft_.allocation.size(), draft_.sizes, errors_);
    draft_.layout.place = draft_.entry.place;
  }

  void read_bindings_of_loops(const Node& bind) {
    draft_.bindings = read_bindings(bind, names_, errors_);
    const std::vector<bool> is_loop = marked(draft_.loop);
    for (const FileBinding& b : draft_.bindings) {
      if (is_loop[b.domain]) continue;
      errors_.attempt([&] {
        refuse("E313", b.place, "bind: " + names_.all()[b.domain].name + " is no loop of " + name_,
               few("its loops are ", draft_.loop, "bind one of its loops"));
      });
    }
  }

  void read_reading(const Node& read) {
    if (draft_.memory != Memory::Shared) {
      refuse("E313", read.place, "read: " + name_ + " is not in shared memory",
             "write memory: shared, or leave read out");
    }
    expect_map(read, "read", Form::Reading, &errors_);
    TensorDraft::Reading reading;
    reading.place = read.place;
    if (const Node* guard = read.find("guard")) reading.is_guarded = as_bool(*guard, "read.guard");
    if (const Node* reduce = read.find("reduce")) {
      reading.reduction = Reduction(as_one_of(*reduce, "read.reduce", Form::ReduceWord));
    }
    const std::size_t own = names_.size();
    if (const Node* list = read.find("transforms")) {
      reading.transforms = read_transforms(*list, "read.transforms", names_, draft_.sizes,
                                           Feeds::Read, context_.transforms, errors_);
    }
    if (const Node* list = read.find("loop")) {
      reading.place = list->place;
      reading.loop = read_names(*list, "read.loop");
    } else {
      // The leaves of the logical domain under these transforms.
      for (std::size_t d : draft_.logical) {
        if (is_leaf(d, Feeds::Read)) reading.loop.push_back(d);
      }
      for (std::size_t d = own; d < names_.size(); ++d) {
        if (is_leaf(d, Feeds::Read)) reading.loop.push_back(d);
      }
    }
    check_reading(reading);
    if (const Node* bind = read.find("bind")) {
      const std::vector<bool> is_loop = marked(reading.loop);
      for (const FileBinding& b : read_bindings(*bind, names_, errors_)) {
        if (!is_loop[b.domain]) {
          refuse(
              "E313", b.place,
              "read.bind: " + names_.all()[b.domain].name + " is no loop that reads " + name_,
              few("the loops that read it are ", reading.loop, "bind an iterdomain of read.loop"));
        }
        reading.bindings.push_back(b);
      }
    }
    draft_.reading = std::move(reading);
  }

  // Refuses loops that do not determine the items that they read (E307).
  void check_reading(const TensorDraft::Reading& reading) {
    std::vector<FileTransform> all = all_transforms();
    all.insert(all.end(), reading.transforms.begin(), reading.transforms.end());
    const Consequences follow = consequences(all, names_.size(), reading.loop);
    for (std::size_t d : draft_.logical) {
      if (follow.known[d]) continue;
      refuse("E307", reading.place,
             "read: the index of " + names_.all()[d].name + " of " + name_ +
                 " does not follow from the loops that read it",
             few("write read.loop: all of the logical domain follows from ", draft_.logical,
                 "write read.loop: iterdomains from which all of the logical domain follows"));
    }
  }

  TensorDraft& draft_;
  const std::string& name_;
  const Node& node_;
  DomainNames& names_;
  FileContext& context_;
  Diagnostics& errors_;
};

}  // namespace

void read_draft(TensorDraft& draft, FileContext& context) { TensorReader(draft, context).read(); }

}  // namespace selvage
