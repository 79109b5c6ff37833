"""A page as a document, for tests."""

from __future__ import annotations

from html.parser import HTMLParser

APART = {"td", "th", "dt", "dd", "p", "summary", "code", "h4"}
VOID = {"meta", "link", "br", "input", "circle", "rect", "path", "line", "use"}


class Document(HTMLParser):
    """Elements with their attributes and the text under each, and whether tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[list[str]] = []
        self.open: list[int] = []
        self.mistakes: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in APART:
            self.handle_data(" ")
        self.elements.append((tag, dict(attrs)))
        self.texts.append([])
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append([])

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.elements[self.open[-1]][0] != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()}")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for index in self.open:
            self.texts[index].append(data)

    def all(self, tag: str, kind: str = "") -> list[str]:
        """The texts of all elements with this tag (and class), with spaces made plain."""
        return [
            " ".join("".join(text).split())
            for (name, attributes), text in zip(self.elements, self.texts, strict=True)
            if name == tag and (not kind or kind in (attributes.get("class") or "").split())
        ]
