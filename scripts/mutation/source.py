"""The tokens of a C++ file that clang-format has laid out, and what each of them is part of."""

import re

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<directive>(?m:^)[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
      | (?P<string>R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)"|"(?:[^"\\\n]|\\.)*"\w*)
      | (?P<char>'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:[\w.]|'\w|[eE][+-])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^!=<>]=|.)""",
    re.VERBOSE | re.DOTALL,
)

# Of binary operators, how tightly they bind.
PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8,
    "<": 6, "<=": 6, ">": 6, ">=": 6, "==": 5, "!=": 5,
    "&": 4, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_ENDS_OPERAND = ASSIGNMENTS | {"?", ":", ",", ";"}
_WORDS_BEFORE_OPERAND = {"return", "throw", "case", "else", "do", "co_return", "co_yield"}
_TYPE_WORDS = {"class", "struct", "enum", "union"}
_UNEVALUATED = {"static_assert", "decltype", "sizeof", "alignof", "noexcept", "requires"}


class Token:
    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.line = kind, text, start, line
        self.end = start + len(text)
        self.match = None  # index of the bracket that belongs to it
        self.role = ""  # of a brace: namespace, type, block, value; of < and >: angle
        self.spaced = self.spaced_after = False
        self.can_change = False  # it is evaluated at run time, in the body of a function

    def is_binary(self):
        return self.text in PRECEDENCE and self.spaced and self.spaced_after and not self.role


class Source:
    """The tokens of a text: brackets matched, braces told apart, and which can be changed."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = []
        line, spaced = 1, True
        for found in _TOKEN.finditer(text):
            kind = found.lastgroup if found.lastgroup != "delimiter" else "string"
            if kind in ("space", "directive"):
                spaced = True
                if self.tokens:
                    self.tokens[-1].spaced_after = True
            else:
                token = Token(kind, found.group(), found.start(), line)
                token.spaced, spaced = spaced, False
                self.tokens.append(token)
            line += found.group().count("\n")
        self._match_brackets()
        self._match_angles()
        self._tell_braces()
        self._mark_changeable()

    def slice(self, first, last):
        """The text of the tokens first to last, both included."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def is_at(self, i, *texts):
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def _match_brackets(self):
        open_ones = []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in _CLOSERS:
                open_ones.append(i)
            elif token.text in _CLOSERS.values():
                if not open_ones or _CLOSERS[self.tokens[open_ones[-1]].text] != token.text:
                    raise ValueError(f"{self.path}:{token.line}: brackets do not match")
                token.match = open_ones.pop()
                self.tokens[token.match].match = i

    # The layout tells a template's < from a comparison: it has no space before it.
    def _match_angles(self):
        for i, token in enumerate(self.tokens):
            if token.text != "<" or token.role or i == 0:
                continue
            before = self.tokens[i - 1]
            if before.text != "template" and (token.spaced or before.kind != "name"):
                continue
            depth, j = 1, i + 1
            while j < len(self.tokens) and depth > 0:
                t = self.tokens[j]
                if t.text in _CLOSERS:
                    j = t.match
                elif t.text == "<" and (not t.spaced or self.is_at(j - 1, "template")):
                    depth += 1
                elif t.text in (">", ">>"):
                    depth -= len(t.text)
                elif t.text in (";", ")", "}"):
                    break
                j += 1
            if depth <= 0:
                token.role = "angle"
                token.match = j - 1
                self.tokens[j - 1].role = "angle"
                if self.tokens[j - 1].match is None:
                    self.tokens[j - 1].match = i

    def statement_start(self, i):
        """Where the statement or declaration that token i is part of begins."""
        j = i - 1
        while j >= 0:
            t = self.tokens[j]
            if t.text == "}" and t.role != "value" and not self._is_lambda(t.match):
                break
            if t.text in (";", "{", "("):
                break
            if t.text == ":" and self.is_at(j - 1, "public", "private", "protected"):
                break
            j = t.match if t.text in (")", "]", "}") else j
            j -= 1
        return j + 1

    def _is_lambda(self, brace):
        j = brace - 1
        if self.is_at(j, "mutable", "noexcept"):
            j -= 1
        if self.is_at(j, ")"):
            j = self.tokens[j].match - 1
        return self.is_at(j, "]") and self.tokens[j].role != "attribute"

    def _tell_braces(self):
        around = []
        for i, token in enumerate(self.tokens):
            if token.text == "}" and token.kind == "sign":
                token.role = self.tokens[token.match].role
                around.pop()
            if token.text != "{" or token.kind != "sign":
                continue
            token.role = self._role_of(i, around[-1] if around else "namespace")
            around.append(token.role)

    def _role_of(self, i, around):
        header = self.tokens[self.statement_start(i) : i]
        words = {t.text for t in header if t.kind == "name"}
        if "namespace" in words or (words == {"extern"} and around == "namespace"):
            return "namespace"
        if around in ("block", "value"):
            if self._is_lambda(i) or self._is_arrow(i):
                return "block"
            if words & _TYPE_WORDS and not any(t.text in ("(", "=") for t in header):
                return "type"
            if around == "value":
                return "value"
            is_block = self.is_at(i - 1, ")", "else", "do", "try", ";", "{", "}", ":")
            return "block" if is_block and self.tokens[i].spaced else "value"
        if words & _TYPE_WORDS and not any(t.text in ("(", "=") for t in header):
            return "type"
        if not self.tokens[i].spaced or not any(t.text == "(" for t in header):
            return "value"
        return "value" if self.is_at(i - 1, "=", ",", "(", "{") else "block"

    def _is_arrow(self, i):
        """Does a return type stand before the brace?"""
        j = i - 1
        while j > 0 and not self.is_at(j, ";", "{", "}", "(", ",", "="):
            if self.tokens[j].text == "->" and self.tokens[j].spaced:
                return True
            j -= 1
        return False

    def _mark_changeable(self):
        open_ones = []
        for i, token in enumerate(self.tokens):
            if token.text == "}" and token.kind == "sign":
                open_ones.pop()
            in_code = bool(open_ones) and open_ones[-1] == "code"
            token.can_change = in_code
            if token.text == "{" and token.kind == "sign":
                open_ones.append(self._kind_inside(i, in_code))
        for i, token in enumerate(self.tokens):
            if token.role == "angle" and token.match is not None and token.match > i:
                self._fix(i, token.match)
            elif token.text in ("constexpr", "consteval"):
                is_if = self.is_at(i - 1, "if")
                self._fix(i, self.tokens[i + 1].match if is_if else self._end_of_statement(i))
            elif token.text in ("case", "using", "static_assert", "template", "typedef"):
                end = ":" if token.text == "case" else ";"
                if token.text != "template":
                    self._fix(i, self._next(i, end))
            elif token.text in _UNEVALUATED or self._is_macro(i):
                if self.is_at(i + 1, "("):
                    self._fix(i, self.tokens[i + 1].match)
            elif token.text == "[" and self.is_at(i + 1, "["):
                self._fix(i, token.match)

    def _kind_inside(self, i, in_code):
        role = self.tokens[i].role
        if role == "value":
            return "code" if in_code else "fixed"
        if role != "block":
            return "fixed"
        header = self.tokens[self.statement_start(i) : i]
        is_constant = any(t.text in ("constexpr", "consteval") for t in header)
        return "fixed" if is_constant and not self._is_if_constexpr(header) else "code"

    @staticmethod
    def _is_if_constexpr(header):
        return any(a.text == "if" and b.text == "constexpr" for a, b in zip(header, header[1:]))

    def _is_macro(self, i):
        text = self.tokens[i].text
        return self.tokens[i].kind == "name" and len(text) > 3 and text.isupper()

    def _fix(self, first, last):
        for i in range(first, last + 1):
            self.tokens[i].can_change = False

    def _next(self, i, text):
        while i < len(self.tokens) - 1 and self.tokens[i].text != text:
            i += 1
        return i

    # A function's body follows its header and is told apart on its own.
    def _end_of_statement(self, i):
        while i < len(self.tokens) - 1 and self.tokens[i].text != ";":
            token = self.tokens[i]
            if token.text == "{" and token.role != "value":
                return i
            i = token.match if token.text in _CLOSERS else i
            i += 1
        return i

    def left_operand(self, i, precedence):
        """The first token of what stands left of token i and binds at least so tightly."""
        j = i - 1
        while j >= 0:
            t = self.tokens[j]
            if t.kind == "sign":
                if t.text in (")", "]") or (t.text == "}" and t.role == "value"):
                    j = t.match
                elif t.role == "angle" and t.match < j:
                    j = t.match
                elif t.text == "}" or t.text in _CLOSERS or t.text in _ENDS_OPERAND:
                    break
                elif t.is_binary() and PRECEDENCE[t.text] < precedence:
                    break
            elif t.text in _WORDS_BEFORE_OPERAND:
                break
            j -= 1
        return j + 1 if j + 1 < i else None

    def right_operand(self, i, precedence):
        """The last token of what stands right of token i and binds more tightly."""
        j = i + 1
        while j < len(self.tokens):
            t = self.tokens[j]
            if t.kind == "sign":
                if t.text in _CLOSERS or (t.role == "angle" and t.match > j):
                    j = t.match
                elif t.text in _CLOSERS.values() or t.text in _ENDS_OPERAND:
                    break
                elif t.is_binary() and PRECEDENCE[t.text] <= precedence:
                    break
            j += 1
        return j - 1 if j - 1 > i else None

    def call_start(self, i):
        """The first token of the call whose name is token i: `a.b(c).f` for f."""
        j = i
        while True:
            if self.is_at(j - 1, ".", "->", "::"):
                j -= 2
                while self.is_at(j, ")", "]", ">"):
                    if self.tokens[j].match is None:
                        return None
                    j = self.tokens[j].match - 1
                if self.tokens[j].kind != "name":
                    return None
            else:
                return j

    def arguments(self, i):
        """The first and last tokens of each argument between the parenthesis i and its match."""
        found, first, j = [], i + 1, i + 1
        end = self.tokens[i].match
        while j < end:
            t = self.tokens[j]
            if t.text in _CLOSERS or (t.role == "angle" and t.match > j):
                j = t.match
            elif t.text == ",":
                found.append((first, j - 1))
                first = j + 1
            j += 1
        if first < end:
            found.append((first, end - 1))
        return found
