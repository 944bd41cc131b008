#include <tools/schedule_inspect/terminal.h>

#include <iostream>
#include <string>

#include <unistd.h>

#if SELVAGE_HAVE_LIBEDIT
#include <histedit.h>
#endif

namespace selvage {

namespace {

class StreamCommands : public CommandSource {
 public:
  StreamCommands(std::istream& in, std::ostream& out, bool echoes)
      : in_(in), out_(out), echoes_(echoes) {}

  std::optional<std::string> next(const std::string& prompt) override {
    out_ << prompt << std::flush;
    std::string line;
    if (!std::getline(in_, line)) {
      out_ << '\n';
      return std::nullopt;
    }
    if (echoes_) out_ << line << '\n';
    return line;
  }

 private:
  std::istream& in_;
  std::ostream& out_;
  bool echoes_;
};

#if SELVAGE_HAVE_LIBEDIT
// libedit asks for the prompt by a function without an argument of ours.
std::string shown_prompt;
char* prompt_of(EditLine* /*editor*/) { return shown_prompt.data(); }

class TerminalCommands : public CommandSource {
 public:
  TerminalCommands()
      : editor_(el_init("schedule_inspect", stdin, stdout, stderr)), history_(history_init()) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    el_set(editor_, EL_PROMPT, &prompt_of);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_source(editor_, nullptr);  // the user's ~/.editrc
  }
  ~TerminalCommands() override {
    history_end(history_);
    el_end(editor_);
  }
  TerminalCommands(const TerminalCommands&) = delete;
  TerminalCommands& operator=(const TerminalCommands&) = delete;

  std::optional<std::string> next(const std::string& prompt) override {
    shown_prompt = prompt;
    int length = 0;
    const char* text = el_gets(editor_, &length);
    if (text == nullptr || length <= 0) {
      std::cout << std::endl;
      return std::nullopt;
    }
    std::string line(text, std::size_t(length));
    HistEvent event;
    if (line != "\n") history(history_, &event, H_ENTER, text);
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
  }

 private:
  EditLine* editor_;
  History* history_;
};
#endif

}  // namespace

std::unique_ptr<CommandSource> commands_from(std::istream& in, std::ostream& out) {
  const bool is_terminal = &in == &std::cin && isatty(STDIN_FILENO) != 0;
#if SELVAGE_HAVE_LIBEDIT
  if (is_terminal && isatty(STDOUT_FILENO) != 0) return std::make_unique<TerminalCommands>();
#endif
  return std::make_unique<StreamCommands>(in, out, !is_terminal);
}

}  // namespace selvage
