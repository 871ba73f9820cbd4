#!/usr/bin/env python3
"""Checks a page of --html as browsers read it, and prints its figures, lists and lines in short.

Every element is closed, identifiers are there once, links lead to one of them, and nothing is loaded or run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from html.parser import HTMLParser

VOID = {"meta"}
KNOWN = {"html", "head", "title", "style", "body", "a", "header", "main", "section", "h1", "h2", "h3", "p", "b", "small",
         "code", "span", "dl", "div", "dt", "dd", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "class", "href", "id", "scope", "title", "colspan"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.out = [], set(), [], []
        self.cells = self.text = None

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        assert len(attributes) == len(pairs), pairs
        assert tag in KNOWN | VOID, tag
        assert set(attributes) <= ATTRIBUTES, attributes
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes
            self.ids.add(attributes["id"])
        if "href" in attributes:
            assert attributes["href"].startswith("#"), attributes
            self.links.append(attributes["href"][1:])
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "tr":
            self.cells, self.mark = [], attributes.get("class", "")
        if tag in ("td", "dt", "dd", "h1", "h2", "h3", "li", "title", "p"):
            self.text, self.level = "", attributes.get("class", "")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open, self.getpos())
        if tag == "dt":
            self.name = self.text
        elif tag == "dd":
            self.out.append(f"figure {self.name}: {self.text}")
        elif tag in ("h1", "h2", "h3", "title", "p"):
            self.out.append(f"{tag} {self.text}")
        elif tag == "li":
            self.out.append(f"- {self.text}")
        elif tag == "td":
            self.cells.append(self.text + (f" [{self.level}]" if self.level[:1] == "b" else ""))
        elif tag == "tr" and self.cells:
            self.out.append(" | ".join(([self.mark] if self.mark else []) + self.cells))

    def handle_data(self, data):
        if self.text is not None:
            self.text += data


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    assert text.startswith("<!DOCTYPE html>\n")
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    for link in page.links:
        assert link in page.ids, link
    assert "url(" not in text.split("</style>")[0] and "@import" not in text.split("</style>")[0]
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n".join(page.out))


if __name__ == "__main__":
    main()
