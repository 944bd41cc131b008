"""The single faults that can be planted in a file: each a place, and what stands there then."""

from source import ASSIGNMENTS, PRECEDENCE

_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<",
               "&": "|", "|": "&", "^": "|"}  # fmt: skip
_UPDATES = {"+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|=", "^=": "|="}
_CALLS = {"min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of", "front": "back",
          "back": "front", "lower_bound": "upper_bound", "upper_bound": "lower_bound",
          "floor_div": "ceil_div", "ceil_div": "floor_div"}  # fmt: skip
_NO_SWAP = {"if", "for", "while", "switch", "catch", "return"}
_DECLARES = {"const", "auto", "static", "using", "return", "throw", "if", "for", "while", "do",
             "switch", "case", "default", "else", "try", "catch", "goto", "delete", "public",
             "private", "protected", "struct", "class", "enum", "template", "typename", "friend",
             "unsigned", "constexpr", "thread_local", "extern"}  # fmt: skip


class Fault:
    """An expression, `fault ? mutated : original`, or a statement that is left out."""

    def __init__(self, source, kind, first, last, mutated, as_bool=False, at=None):
        self.path, self.kind, self.mutated, self.as_bool = source.path, kind, mutated, as_bool
        self.start, self.end = source.tokens[first].start, source.tokens[last].end
        self.line = source.tokens[first if at is None else at].line
        self.original = source.text[self.start : self.end]
        self.number = 0

    def __str__(self):
        def short(text):
            text = " ".join(text.split())
            return text if len(text) <= 90 else text[:60] + " ... " + text[-25:]

        return f"{self.path}:{self.line}: {short(self.original)}  ->  {short(self.mutated)}"


class Finder:
    """Every fault of a source, in the order of the text."""

    def __init__(self, source):
        self._s, self._tokens, self._found = source, source.tokens, []

    def all(self):
        for i, token in enumerate(self._tokens):
            if not token.can_change:
                continue
            if token.is_binary():
                self._binary(i)
            elif token.text == "?":
                self._branches(i)
            elif token.text == "!" and not token.spaced_after:
                self._negation(i)
            elif token.kind == "number":
                self._number(i)
            elif token.text in ("true", "false"):
                other = "false" if token.text == "true" else "true"
                self._add("literal", i, i, other)
            elif token.text in ("if", "while") and self._s.is_at(i + 1, "("):
                self._condition(i)
            elif token.kind == "name" and self._s.is_at(i + 1, "("):
                self._call(i)
            if self._starts_statement(i):
                self._statement(i)
        return sorted(self._found, key=lambda f: (f.line, f.start, f.end, f.mutated))

    def _add(self, kind, first, last, mutated, **more):
        if mutated != self._s.slice(first, last):
            self._found.append(Fault(self._s, kind, first, last, mutated, **more))

    def _binary(self, i):
        op, precedence = self._tokens[i].text, PRECEDENCE[self._tokens[i].text]
        first = self._s.left_operand(i, precedence)
        last = self._s.right_operand(i, precedence)
        if first is None or last is None:
            return
        left, right = self._s.slice(first, i - 1), self._s.slice(i + 1, last)
        if op in ("&&", "||"):
            self._add("dropped condition", first, last, left, as_bool=True, at=i)
            self._add("dropped condition", first, last, right, as_bool=True, at=i)
            other = "||" if op == "&&" else "&&"
            self._add("logic", first, last, f"({left}) {other} ({right})", at=i)
            return
        other = _COMPARISONS.get(op) or _ARITHMETIC.get(op)
        kind = "comparison" if op in _COMPARISONS else "arithmetic"
        if other:
            self._add(kind, first, last, f"{left} {other} {right}", at=i)
        if op in ("<", "<=", ">", ">=", "-", "/", "%"):
            self._add("swapped operands", first, last, f"({right}) {op} ({left})", at=i)

    def _branches(self, i):
        first, depth, colon = self._s.left_operand(i, 0), 0, i
        while colon < len(self._tokens):
            t = self._tokens[colon]
            if t.match is not None and t.match > colon:
                colon = t.match
            elif t.text == "?":
                depth += 1
            elif t.text == ":":
                depth -= 1
                if depth == 0:
                    break
            elif t.text in (";", ")", "}"):
                return
            colon += 1
        last = self._s.right_operand(colon, 0)
        if first is None or last is None:
            return
        test = self._s.slice(first, i - 1)
        rest = self._s.slice(i, last)
        self._add("swapped branches", first, last, f"!({test}) {rest}", at=i)

    def _negation(self, i):
        last = i + 1
        while True:
            token = self._tokens[last]
            if token.match is not None and token.match > last:
                last = token.match
            after = self._tokens[last + 1]
            if after.text in (".", "->", "::"):
                last += 2
            elif after.text in ("(", "[") or (after.role == "angle" and after.match > last):
                last += 1
            elif after.text == "{" and not after.spaced:
                last += 1
            elif token.text in ("*", "!") and last == i + 1:
                last += 1
            else:
                break
        self._add("negation", i, last, f"bool({self._s.slice(i + 1, last)})")

    def _number(self, i):
        text = self._tokens[i].text
        if not text.replace("'", "").isdecimal() or (len(text) > 1 and text[0] == "0"):
            return
        value = int(text.replace("'", ""))
        self._add("off by one", i, i, str(value + 1))
        if value > 0:
            self._add("off by one", i, i, str(value - 1))

    def _condition(self, i):
        first, last = i + 2, self._tokens[i + 1].match - 1
        declares = any(t.text in (";", "=") for t in self._tokens[first : last + 1])
        if last < first or declares:
            return
        self._add("dropped condition", first, last, "false", as_bool=True)
        if self._tokens[i].text == "if":
            self._add("dropped condition", first, last, "true", as_bool=True)

    def _call(self, i):
        name, first, last = self._tokens[i].text, self._s.call_start(i), self._tokens[i + 1].match
        if first is None or name in _NO_SWAP:
            return
        if name in _CALLS:
            mutated = self._s.slice(first, i)[: -len(name)] + _CALLS[name]
            self._add("call", first, last, mutated + self._s.slice(i + 1, last))
            return
        arguments = self._s.arguments(i + 1)
        for (a, b), (c, d) in zip(arguments, arguments[1:]):
            swapped = self._s.slice(c, d) + ", " + self._s.slice(a, b)
            if self._s.slice(c, d) == self._s.slice(a, b):
                continue
            head = self._s.text[self._tokens[first].start : self._tokens[a].start]
            tail = self._s.text[self._tokens[d].end : self._tokens[last].end]
            self._add("swapped operands", first, last, head + swapped + tail)

    def _starts_statement(self, i):
        if i == 0:
            return False
        before = self._tokens[i - 1]
        is_start = self._tokens[i].kind == "name" or self._tokens[i].text in ("++", "--", "*")
        if before.text == ")" and is_start:
            return self._s.is_at(before.match - 1, "if", "for", "while")
        if before.text == ";":  # but not within for (;;)
            return not self._in_for(i)
        if before.text in ("{", "}"):
            return before.role == "block"
        return before.text in ("else", "do")

    def _in_for(self, i):
        j = i - 1
        while j >= 0:
            t = self._tokens[j]
            if t.text in (")", "]", "}") and t.match is not None:
                j = t.match
            elif t.text in ("(", "[", "{"):
                return t.text == "("
            j -= 1
        return False

    def _statement(self, i):
        if self._tokens[i].text in _DECLARES or self._tokens[i].text in "{};),":
            return
        end, update = i, None
        while end < len(self._tokens) and self._tokens[end].text != ";":
            t = self._tokens[end]
            if t.text in ASSIGNMENTS and update is None:
                update = end
            if t.text == "}" and t.match < i:
                return
            end = t.match if t.text in ("(", "[", "{") else end
            end += 1
        if self._is_declaration(i):
            return
        self._add("dropped statement", i, end, "")
        if update is not None and self._tokens[update].text in _UPDATES:
            other = _UPDATES[self._tokens[update].text]
            left, right = self._s.slice(i, update - 1), self._s.slice(update + 1, end - 1)
            self._add("arithmetic", i, end - 1, f"{left} {other} {right}")
        if self._tokens[i].text in ("++", "--"):
            other = "--" if self._tokens[i].text == "++" else "++"
            self._add("arithmetic", i, end - 1, other + self._s.slice(i + 1, end - 1))

    # A type and a name, or a structured binding.
    def _is_declaration(self, i):
        if self._tokens[i].kind != "name":
            return False
        while self._s.is_at(i + 1, "::"):
            i += 2
        if self._tokens[i + 1].role == "angle" and self._tokens[i + 1].match > i:
            i = self._tokens[i + 1].match
            while self._s.is_at(i + 1, "::"):
                i += 2
        after = self._tokens[i + 1]
        return after.kind == "name" or (after.text in ("&", "*", "&&") and after.spaced_after)
