#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/threads/builder.h>

#include <algorithm>
#include <cctype>

namespace selvage {

namespace {

bool is_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_letter);
}

}  // namespace

// ---- elements ----

ThreadElement::operator ThreadValue() const {
  const ThreadArray& a = builder_.program_.arrays[array_];
  return {builder_, builder_.program_.values.read(a.type, array_, subscripts_)};
}

void ThreadElement::operator=(const ThreadValue& value) const {
  builder_.add(Assign{array_, subscripts_, builder_.node(value)});
}

void ThreadElement::update(Function f, const ThreadValue& value) const {
  *this = apply(f, {ThreadValue(*this), value});
}
void ThreadElement::operator+=(const ThreadValue& value) const { update(Function::Add, value); }
void ThreadElement::operator-=(const ThreadValue& value) const { update(Function::Sub, value); }
void ThreadElement::operator*=(const ThreadValue& value) const { update(Function::Mul, value); }

Expr ArrayRef::as_expr(std::int64_t n) const { return builder_->program_.pool->constant(n); }

ThreadElement ArrayRef::at(std::vector<Expr> subscripts) const {
  const ThreadArray& a = builder_->program_.arrays[array_];
  if (subscripts.size() != a.shape.size()) {
    refuse<BadInput>("E503",
                     a.name + " has rank " + std::to_string(a.shape.size()) + " and stands with " +
                         std::to_string(subscripts.size()) + " subscripts",
                     "give one subscript for each axis");
  }
  return {*builder_, array_, std::move(subscripts)};
}

ThreadValue apply(Function f, const std::vector<ThreadValue>& operands) {
  ThreadBuilder* builder = nullptr;
  for (const ThreadValue& v : operands) {
    if (v.builder() != nullptr) builder = v.builder();
  }
  SELVAGE_CHECK(builder != nullptr);
  std::vector<ValueId> nodes;
  for (const ThreadValue& v : operands) nodes.push_back(builder->node(v));
  return {*builder, builder->program_.values.apply(f, std::move(nodes))};
}

// ---- the builder ----

ValueId ThreadBuilder::node(const ThreadValue& value) {
  ValueGraph& values = program_.values;
  if (const auto* n = std::get_if<std::int64_t>(&value.value())) return values.whole(*n);
  if (const auto* x = std::get_if<double>(&value.value())) {
    return values.constant(DataType::Float, *x, true);
  }
  if (const auto* e = std::get_if<Expr>(&value.value())) return values.index(*e);
  SELVAGE_CHECK(value.builder() == this);
  return std::get<ValueId>(value.value());
}

void ThreadBuilder::check_new(const std::string& name) {
  if (!is_name(name)) {
    refuse<BadInput>("E201", "'" + name + "' is no name",
                     "use letters, digits and _, a letter first");
  }
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
    refuse<BadInput>("E204", "the name " + name + " is taken", "give it another name");
  }
  names_.push_back(name);
}

Expr ThreadBuilder::symbol(const std::string& name, std::int64_t min,
                           std::optional<std::int64_t> max) {
  check_new(name);
  const Expr symbol = program_.pool->symbol(name);
  program_.symbols.push_back(symbol);
  program_.facts.bound(symbol, program_.pool->constant(min),
                       max ? program_.pool->constant(*max) : Expr());
  return symbol;
}

ThreadIndex ThreadBuilder::index(const std::string& name, std::int64_t extent) {
  check_new(name);
  return {program_.pool->symbol(name), extent};
}

ArrayRef ThreadBuilder::array(const std::string& name, std::vector<std::int64_t> shape,
                              DataType type, Memory memory) {
  check_new(name);
  ThreadArray array{.name = name, .type = type, .memory = memory, .shape = {}};
  for (std::int64_t n : shape) {
    if (n < 1) {
      refuse<BadInput>("E305", "the extent " + std::to_string(n) + " of " + name + " is below 1",
                       "write a number of 1 or more");
    }
    array.shape.push_back(program_.pool->constant(n));
  }
  program_.arrays.push_back(std::move(array));
  return {*this, std::uint32_t(program_.arrays.size() - 1)};
}

ThreadBody ThreadBuilder::inside_of(const Inside& inside) {
  ThreadBody body;
  ThreadBody* around = std::exchange(body_, &body);
  inside();
  body_ = around;
  return body;
}

void ThreadBuilder::parallel(std::vector<LevelSpec> levels, const Inside& inside) {
  InnerParallel node{.levels = {}, .body = inside_of(inside)};
  for (LevelSpec& spec : levels) {
    ParallelLevel& level = node.levels.emplace_back();
    level.kind = spec.kind;
    for (const ThreadIndex& i : spec.indices) level.indices.push_back({i.symbol, i.extent});
  }
  add(std::move(node));
}

void ThreadBuilder::inthreads(Expr when, bool is_async, const Inside& inside) {
  add(InThreads{
      .when = when, .text = to_string(when), .is_async = is_async, .body = inside_of(inside)});
}

void ThreadBuilder::loop(const ThreadIndex& index, Expr condition, const Inside& inside) {
  add(SerialFor{.index = index.symbol,
                .extent = program_.pool->constant(index.extent),
                .label = std::string(index.symbol.name()),
                .condition = condition,
                .text = condition.valid() ? to_string(condition) : "",
                .body = inside_of(inside)});
}

void ThreadBuilder::together(const Inside& inside) { add(DoTogether{inside_of(inside)}); }

ThreadProgram ThreadBuilder::take() {
  ThreadBody& body = program_.outermost.body;
  if (body.size() == 1) {
    if (auto* only = std::get_if<InnerParallel>(&body[0].node)) {
      InnerParallel outermost = std::move(*only);
      program_.outermost = std::move(outermost);
    }
  }
  return std::move(program_);
}

}  // namespace selvage
