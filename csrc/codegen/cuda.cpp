#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/codegen/barrier_text.h>
#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/cuda.h>
#include <selvage/codegen/event_text.h>
#include <selvage/codegen/head_text.h>
#include <selvage/codegen/helpers.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/loop_labels.h>
#include <selvage/codegen/names.h>
#include <selvage/codegen/rank_form.h>
#include <selvage/codegen/shared_quotients.h>
#include <selvage/codegen/signature.h>
#include <selvage/codegen/text_lines.h>
#include <selvage/codegen/text_plan.h>
#include <selvage/codegen/value_text.h>
#include <selvage/kernel/same_kernel.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace selvage {

namespace {

class Writer {
 public:
  // `kernel`: the plan's, or one that differs from it only in the width of its indices.
  Writer(TextPlan& plan, const Kernel& kernel)
      : kernel_(plan.kernel),
        name_(kernel.name),
        forms_(*plan.forms),
        scope_(plan.scope),
        plan_(plan.temporaries),
        arrays_(plan.arrays),
        index_(kernel, forms_, scope_, helpers_),
        index_type_(c_type(index_.type())) {}

  CudaText write() {
    CudaText out;
    out.name = names_.declare_kernel(name_);
    names_.open();
    const BufferText buffers(kernel_, names_, helpers_);
    buffers_ = &buffers;
    KernelParameters parameters = parameters_of(kernel_, buffers, names_, index_);
    out.parameter_types = std::move(parameters.types);
    ValueText values(kernel_, buffers, index_, helpers_, names_);
    values_ = &values;
    EventText events(kernel_, buffers, index_, std::move(parameters.maps));
    events_ = &events;
    for (const std::string& declaration : buffers.declarations()) line(declaration);
    if (kernel_.launch.workspace) open_turns();
    for (const auto& axis : forms_.computed().axes) {
      declare(axis.variable, hardware_index(axis.index));
    }
    write_temporaries(nullptr);
    init_objects();
    write(kernel_.body);
    if (kernel_.launch.workspace) {
      line("__syncthreads();");
      close();
    }
    const auto define = [&](std::string_view definition) {
      if (definition.empty()) return;
      out.text += definition;
      out.definitions.push_back(out.text.size());
    };
    define(kHead);
    if (has_clusters()) define(kCluster);
    if (kernel_.launch.is_cluster) define(kRanks);
    if (values.reads_ranks()) define(kRankReads);
    define(buffers.dynamic_head());
    if (syncs_threads_) define(kSyncThreads);
    if (syncs_members_) define(kSyncMembers);
    for (const std::string& definition : events.head()) define(definition);
    if (elects_) define(kElect);
    if (sets_registers_) define(kSetRegisters);
    if (has_last_block_) define(kLastBlock);
    if (kernel_.checks) define(kRecordFailure);
    for (const std::string& definition : helpers_.definitions()) define(definition);
    out.text += "\n" + signature(kernel_, out.name, parameters.texts);
    for (std::size_t n = std::size_t(std::count(out.text.begin(), out.text.end(), '\n')); n > 0;
         --n) {
      out.origins.emplace_back();
    }
    for (const Buffer* b : lines_.origins()) out.origins.push_back(b == nullptr ? "" : b->name);
    out.text += lines_.text() + "}\n";
    return out;
  }

 private:
  // blockIdx.x, ...; empty for a loop that iterates.
  std::string hardware_index(ParallelType type) const {
    const std::size_t k = is_index(type) ? std::size_t(axis(type)) : 0;
    const bool is_cluster = kernel_.launch.is_cluster;
    if (type == ParallelType::BIDx && is_cluster) return "cluster_number()";
    if (type == ParallelType::TIDz && is_cluster) return "cluster_rank()";
    if (is_block(type)) return block_[k];
    if (is_thread(type)) return std::string("threadIdx.") + "xyz"[k];
    return {};
  }
  // The loop in which a block runs blocks of the grid, one after the other.
  void open_turns() {
    const std::string turn = names_.declare("turn"), type = "(" + index_type_ + ")";
    std::string all, rest = turn;
    for (std::size_t k = 0; k < 3; ++k) {
      const Expr extent = kernel_.launch.grid[k];
      block_[k] = "0";
      if (extent.is_const(1)) continue;
      const std::string n = "(long long)" + inside(index_.write(extent), kPrefix);
      block_[k] = fmt::format("{}({} % ({}))", type, rest, n);
      rest += " / (" + n + ")";
      all += (all.empty() ? "" : " * ") + n;
    }
    if (all.empty()) all = "1";
    open(fmt::format("for (long long {0} = blockIdx.x; {0} < {1}; {0} += gridDim.x)", turn, all));
  }
  bool has_clusters() const { return kernel_.launch.cluster > 1 || kernel_.launch.is_cluster; }

  void line(const std::string& text) { lines_.line(text); }
  void lines(const std::vector<std::string>& all) {
    for (const std::string& l : all) line(l);
  }
  void open(const std::string& head, const std::string& remark = {}) {
    lines_.open(head, remark);
    names_.open();
    index_.open();
  }
  void close() {
    index_.close();
    names_.close();
    lines_.close();
  }

  void write(const Body& body) {
    std::size_t defined = 0;
    for (const Statement& statement : body) {
      std::visit(overloaded{[&](const Loop& loop) { write(statement, loop); },
                            [&](const Guard& guard) { write(statement, guard); },
                            [&](const Store& store) { computing(store.buffer, store); },
                            [&](const Transfer& transfer) { computing(transfer.to, transfer); },
                            [&](const Barrier& barrier) { write(barrier); },
                            [&](const LastBlock& last) { write(statement, last); },
                            [&](const Leave& leave) { line(loop_labels_.leave(leave)); },
                            [&](const Shuffle& shuffle) { computing(shuffle.to, shuffle); },
                            [&](const Define& define) {
                              declare(define);
                              scope_.enter(statement, define.variable);
                              write_temporaries(&statement);
                              ++defined;
                            },
                            [&](const AsyncCopy& copy) { computing(copy.copy.to, copy); },
                            [&](const Arrive& arrive) { line(events_->arrive(arrive)); },
                            [&](const Wait& wait) { lines(events_->wait(wait)); },
                            [&](const Mma& mma) { lines(events_->multiply(mma)); },
                            [&](const ProxyFence&) { line("fence_for_copies();"); },
                            [&](const Region& region) { write(statement, region); },
                            // Kernels with such statements have been refused before.
                            [](const While&) {}},
                 statement.node);
    }
    for (; defined > 0; --defined) scope_.leave();
  }

  template <class S>
  void computing(BufferId b, const S& statement) {
    lines_.set_origin(&kernel_.buffers[b]);
    write(statement);
    lines_.set_origin(nullptr);
  }

  void write(const Statement& statement, const Loop& loop) {
    switch (loop.parallel) {
      case ParallelType::Serial:
      case ParallelType::Vectorize:
      case ParallelType::Unroll:
      case ParallelType::Unswitch: return write_serial(statement, loop);
      case ParallelType::BIDx:
      case ParallelType::BIDy:
      case ParallelType::BIDz:
      case ParallelType::TIDx:
      case ParallelType::TIDy:
      case ParallelType::TIDz:
        if (!forms_.computed().is_axis(loop.variable)) {
          declare(loop.variable, hardware_index(loop.parallel));
        }
        return write_inside(statement, loop);
      case ParallelType::Bulk: return write_bulk(statement, loop);
      case ParallelType::Multicast: return write_multicast(statement, loop);
      case ParallelType::DIDx:
      case ParallelType::CIDx:
      case ParallelType::Group: break;
    }
    SELVAGE_CHECK(!"a loop that can be written in CUDA");
  }
  void write_serial(const Statement& statement, const Loop& loop) {
    if (runs_once(loop)) {
      declare(loop.variable, "0");
      return write_inside(statement, loop);
    }
    const bool may_share = is_unrolled(loop) && !values_->is_sharing();
    const auto quotients = may_share ? shared_quotients(kernel_, loop) : SharedQuotients{};
    if (quotients.empty()) return write_iterations(statement, loop);
    for (const std::string& l : values_->share(quotients)) line(l);
    write_iterations(statement, loop);
    open("if (!" + values_->is_exact() + ")");
    values_->rerun();
    write_iterations(statement, loop);
    values_->forget();
    close();
  }
  // One copy of all iterations, if there are any.
  void write_bulk(const Statement& statement, const Loop& loop) {
    const auto* copy = loop.body.size() == 1 ? std::get_if<AsyncCopy>(&loop.body[0].node) : nullptr;
    SELVAGE_CHECK(copy != nullptr && copy->is_by_proxy() && !loop.begin.valid());
    const std::string pieces = names_.declare("pieces");
    line("const " + index_type_ + " " + pieces + " = " + index_.write_converted(loop.extent).text +
         ";");
    open("if (0 < " + pieces + ")");
    declare(loop.variable, "0");
    const std::int64_t each = copy->copy.width * size_of(kernel_.buffers[copy->copy.to].type);
    bulk_bytes_ = fmt::format("{} * {}", pieces, each);
    write_inside(statement, loop);
    bulk_bytes_.clear();
    close();
  }
  // A rank of a cluster makes the copies of one iteration, and announces as many for each.
  void write_multicast(const Statement& statement, const Loop& loop) {
    if (!kernel_.launch.is_cluster || !is_one_turn_a_rank(loop)) {
      return write_serial(statement, loop);
    }
    open("");
    declare(loop.variable, "cluster_rank()");
    is_of_own_rank_ = true;
    write_inside(statement, loop);
    is_of_own_rank_ = false;
    close();
  }
  void write_iterations(const Statement& statement, const Loop& loop) {
    const std::string extent = inside(index_.write(loop.extent), info(Op::Lt).precedence + 1);
    const std::string name = names_.declare(loop.variable.name());
    const std::string begin =
        loop.begin.valid() ? index_.write_converted(loop.begin).text : std::string("0");
    if (is_unrolled(loop)) line("#pragma unroll");
    const LoopLabels::Labels labels = loop_labels_.open(loop, name);
    open("for (" + index_type_ + " " + name + " = " + begin + "; " + name + " < " + extent +
         "; ++" + name + ")");
    index_.name(loop.variable, name);
    // The body has a block of its own, so that a jump to its end enters no definition's scope.
    if (!labels.next.empty()) open("");
    write_inside(statement, loop);
    if (!labels.next.empty()) {
      close();
      line(labels.next + ":;");
    }
    loop_labels_.close();
    close();
    if (!labels.behind.empty()) line(labels.behind + ":;");
  }
  void write(const Barrier& barrier) {
    const BarrierText text = barrier_text(kernel_, barrier);
    syncs_threads_ = syncs_threads_ || text.macro == BarrierText::Macro::SyncThreads;
    syncs_members_ = syncs_members_ || text.macro == BarrierText::Macro::SyncMembers;
    line(text.line);
  }
  void write(const Statement& statement, const LastBlock& last) {
    has_last_block_ = true;
    write_under("is_last_block(" + buffers_->pointer(last.counter) + ")", statement, last.body);
  }
  void write(const Statement& statement, const Region& region) {
    open("if (" + member_text(kernel_, region) + ")", region.role);
    set_registers(region.usual_registers, region.registers);
    write_body(statement, region.body);
    set_registers(region.registers, region.usual_registers);
    close();
  }
  void set_registers(std::int64_t from, std::int64_t to) {
    if (from == to) return;
    sets_registers_ = true;
    line(fmt::format("{}_registers({});", to > from ? "more" : "fewer", to));
  }
  // The body of a statement that some threads run.
  void write_under(const std::string& condition, const Statement& statement, const Body& body,
                   const std::string& remark = {}) {
    open("if (" + condition + ")", remark);
    write_body(statement, body);
    close();
  }
  void write_body(const Statement& statement, const Body& body) {
    scope_.enter_body(statement);
    write_temporaries(&statement);
    write(body);
    scope_.leave();
  }
  bool is_unrolled(const Loop& loop) const {
    if (loop.parallel == ParallelType::Unroll || loop.parallel == ParallelType::Vectorize) {
      return true;
    }
    return arrays_.choosers.count(loop.variable.id()) > 0 && loop.extent.is(Op::Const) &&
           (!loop.begin.valid() || loop.begin.is(Op::Const));
  }
  void write_inside(const Statement& statement, const Loop& loop) {
    scope_.enter(statement, loop.variable);
    write_temporaries(&statement);
    write(loop.body);
    scope_.leave();
  }
  // Nested guards with nothing between them become one test.
  void write(const Statement& statement, const Guard& guard) {
    CText condition = guard.elects ? elected(guard.warp) : index_.write(guard.condition);
    scope_.enter_guard(statement, guard.condition);
    int entered = 1;
    const Statement* last = &statement;
    const Body* body = &guard.body;
    std::string remark = guard.remark;
    while (const Statement* next =
               guard.otherwise.empty() ? only_statement(*last, *body) : nullptr) {
      last = next;
      ++entered;
      if (const auto* loop = std::get_if<Loop>(&next->node)) {
        scope_.enter(*next, loop->variable);
        body = &loop->body;
      } else {
        const auto& inner = std::get<Guard>(next->node);
        condition = conjunction(condition, index_.write(inner.condition));
        scope_.enter_guard(*next, inner.condition);
        body = &inner.body;
        remark = inner.remark;
      }
    }
    open("if (" + condition.text + ")", remark);
    write_temporaries(last);
    write(*body);
    for (; entered > 0; --entered) scope_.leave();
    close();
    if (guard.otherwise.empty()) return;
    open("else");
    scope_.enter_otherwise(guard);
    write_temporaries(&guard.otherwise);
    write(guard.otherwise);
    scope_.leave();
    close();
  }
  // That the thread is the one that stands for the first of a warp.
  CText elected(std::int64_t warp) {
    elects_ = true;
    const std::string name = names_.declare("is_elected");
    line("int " + name + ";");
    line("elect_one(" + name + ");");
    CText condition;
    const std::string thread = flat_thread(kernel_);
    const std::string from = warp > 0 ? fmt::format("{} <= {} && ", warp * kWarp, thread) : "";
    condition.text = fmt::format("{}{} < {} && {}", from, thread, (warp + 1) * kWarp, name);
    condition.precedence = info(Op::And).precedence;
    return condition;
  }
  // The only statement in the body of `outer`, if it needs no line of its own; else null.
  const Statement* only_statement(const Statement& outer, const Body& body) const {
    if (body.size() != 1 || plan_.temporaries.count(&outer) > 0) return nullptr;
    const auto* loop = std::get_if<Loop>(&body[0].node);
    const bool is_axis = loop != nullptr && forms_.computed().is_axis(loop->variable);
    const auto* guard = std::get_if<Guard>(&body[0].node);
    const bool is_test = guard != nullptr && guard->otherwise.empty() && !guard->elects;
    return is_axis || is_test ? &body[0] : nullptr;
  }
  void write(const Store& store) {
    const Buffer& buffer = kernel_.buffers[store.buffer];
    const ValueText::Written value = values_->write(store.value, buffer.type);
    for (const std::string& l : value.lines) line(l);
    const std::string to = element(store.buffer, store.address);
    if (store.atomic) {
      SELVAGE_CHECK(buffer.memory != Memory::Local);
      line(helpers_.use_atomic(*store.atomic, buffer.type) + "(&" + to + ", " + value.value.text +
           ");");
    } else {
      line(to + " = " + value.value.text + ";");
    }
  }
  std::string element(BufferId b, Expr address) {
    return buffers_->element(b, index_.write_converted(address).text);
  }

  // The element is shuffled as it lies in memory; a type narrower than int is promoted to int.
  void write(const Shuffle& s) {
    line(element(s.to, s.to_address) + " = __shfl_xor_sync(0xffffffffu, " +
         element(s.from, s.from_address) + ", " + std::to_string(s.mask) + ");");
  }

  void write(const Transfer& transfer) {
    const Buffer& from = kernel_.buffers[transfer.from];
    if (from.is_read_once) {
      const std::string bits(c_bits_type(transfer.width * size_of(from.type)));
      const std::string whole = buffers_->whole(transfer.to, transfer.width);
      const std::string to = whole.empty() ? place(transfer.to, transfer.to_address) : "&" + whole;
      return line("*(" + bits + "*)" + to + " = __ldcs((const " + bits + "*)" +
                  place(transfer.from, transfer.from_address) + ");");
    }
    line(elements(transfer.to, transfer.to_address, transfer.width, "") + " = " +
         elements(transfer.from, transfer.from_address, transfer.width, "const ") + ";");
  }
  // Thread 0 of a block makes its barrier objects ready before any other thread goes on.
  void init_objects() {
    const std::vector<std::string> lines = events_->objects();
    if (lines.empty()) return;
    open(std::string("if (threadIdx.x == 0 && threadIdx.y == 0") +
         (kernel_.launch.is_cluster ? ")" : " && threadIdx.z == 0)"));
    this->lines(lines);
    close();
    line(events_->meet());
  }
  void write(const AsyncCopy& copy) { lines(events_->copy(copy, bulk_bytes_, is_of_own_rank_)); }
  // `width` elements as one access: *(float_x4*)(y + t0), or lanes that have the vector type.
  std::string elements(BufferId id, Expr address, std::int64_t width, const char* qualifier) {
    if (const std::string whole = buffers_->whole(id, width); !whole.empty()) return whole;
    const Buffer& buffer = kernel_.buffers[id];
    helpers_.use_vector(buffer.type, width);
    return "*(" + std::string(qualifier) + Helpers::vector_type(buffer.type, width) + "*)" +
           place(id, address);
  }
  std::string place(BufferId id, Expr address) {
    return buffers_->place(id, index_.write_converted(address));
  }

  void declare(const Define& define) {
    if (!define.read) {
      return declare(define.variable, index_.write_converted(define.value).text);
    }
    // C converts the value to the type of the variable, which holds it as promised.
    const ValueText::Written number = values_->write(*define.read, index_.type());
    for (const std::string& l : number.lines) line(l);
    declare(define.variable, number.value.text);
  }
  // Writes const int variable = value; unless it is never mentioned, or visible with this value.
  void declare(Expr variable, const std::string& value) {
    if (plan_.mentioned.count(variable.id()) == 0) return;
    if (const std::string* visible = index_.find(variable)) {
      if (values_of_names_[*visible] == value) return;
    }
    const std::string name = names_.declare(variable.name());
    line("const " + index_type_ + " " + name + " = " + value + ";");
    index_.name(variable, name);
    values_of_names_[name] = value;
  }
  void write_temporaries(Scope::Place at) {
    const auto it = plan_.temporaries.find(at);
    if (it == plan_.temporaries.end()) return;
    for (Expr e : it->second) {
      if (index_.find(e) != nullptr) continue;
      const std::string value = index_.write_form(e).text;
      const std::string name = names_.declare("t" + std::to_string(temporaries_++));
      line("const " + index_type_ + " " + name + " = " + value + ";");
      index_.name(e, name);
    }
  }

  const Kernel& kernel_;
  const std::string& name_;
  std::array<std::string, 3> block_ = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
  Names names_;
  Helpers helpers_;
  const Forms& forms_;
  Scope& scope_;
  const Plan& plan_;
  const LocalArrays& arrays_;
  IndexText index_;
  std::string index_type_;
  const BufferText* buffers_ = nullptr;
  ValueText* values_ = nullptr;
  EventText* events_ = nullptr;
  TextLines lines_;
  LoopLabels loop_labels_;
  std::string bulk_bytes_;       // of the copy that a loop bound to Bulk is
  bool is_of_own_rank_ = false;  // the iteration of a loop bound to Multicast
  bool syncs_threads_ = false, syncs_members_ = false;  // by macros
  bool has_last_block_ = false, elects_ = false, sets_registers_ = false;
  int temporaries_ = 0;
  std::unordered_map<std::string, std::string> values_of_names_;
};

}  // namespace

CudaText cuda(const Kernel& kernel) { return std::move(cuda(std::span(&kernel, 1))[0]); }

std::vector<CudaText> cuda(std::span<const Kernel> variants) {
  std::vector<CudaText> texts;
  std::deque<Kernel> of_ranks;
  std::optional<TextPlan> plan;
  for (const Kernel& variant : variants) {
    const Kernel& kernel =
        variant.launch.is_cluster ? of_ranks.emplace_back(rank_form(variant)) : variant;
    const bool is_planned = plan && differ_in_width_alone(plan->kernel, kernel);
    if (!is_planned) {
      check_is_emitted(kernel);
      plan.emplace(kernel);
    }
    texts.push_back(Writer(*plan, kernel).write());
  }
  return texts;
}

}  // namespace selvage
