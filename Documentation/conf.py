# SPDX-License-Identifier: MIT
"""Sphinx's configuration: "make docs" makes pages of this directory, in build/docs."""
import os
import re

from docutils import nodes  # type: ignore
from docutils.parsers.rst import Directive  # type: ignore
from docutils.statemachine import StringList  # type: ignore
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

project = "vsplit"
author = "The vsplit authors"
copyright = author  # pylint: disable=redefined-builtin
html_theme = "alabaster"
html_theme_options = {"page_width": "min(75em, 96vw)", "body_max_width": "none", "description": "WDDM's video-memory model on DRM"}
html_show_copyright = False
html_show_sphinx = False
highlight_language = "none"
nitpicky = True

# ---- reference.rst: what stands in the sources -------------------------------------------------

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


class FromSource(Directive):
    """A part of the page that is parsed from lines which make() takes out of a file of the driver's."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True

    def source(self, path):
        path = os.path.join(TOP, path)
        self.state.document.settings.env.note_dependency(path)
        with open(path) as f:
            return f.read()

    def run(self):
        node = nodes.Element()
        self.state.nested_parse(StringList(self.make(), source=self.arguments[0]), 0, node)
        return node.children


class Options(FromSource):
    """options:: PARAM or OPTION: those rows of the table of options."""

    def make(self):
        text = re.sub(r"/\*.*?\*/", "", self.source("drv/vsplit_params_table.h"), flags=re.S)
        rows = re.findall(r'^VSPLIT_(\w+)\((\w+), (\w+), "([^"]*)", (\w+), (\w+),\s*((?:"[^"]*"\s*)+),\s*[\w.]+\);', text, re.M)
        if len(rows) != len(re.findall(r"^VSPLIT_\w+\(", text, re.M)):
            raise self.error("a row of drv/vsplit_params_table.h is not understood")
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: auto", ""]
        lines += self.row("name", "kind", "default", "range", "meaning")
        for kind, name, what, default, least, most, said in rows:
            if kind == self.arguments[0]:
                numbers = what in ("u32", "size")
                lines += self.row(f"``{name}``", what, default, f"{self.number(least)} to {self.number(most)}" if numbers else "",
                                  "".join(re.findall('"([^"]*)"', said)).replace("*", "\\*").replace("model_ ", "``model_`` "))
        return lines

    @staticmethod
    def row(*cells):
        return [("   * - " if i == 0 else "     - ") + cell for i, cell in enumerate(cells)]

    def number(self, text):
        """A limit: a number, or the name of one in the driver's headers or those of the interface."""
        if text.isdigit():
            return text
        for path in ("drv/vsplit_params.h", "drv/vsplit_device.h", "uapi/drm/vsplit_drm.h", "uapi/drm/vsplit_isa.h"):
            m = re.search(rf"#define\s+{text}\s+(.+)", self.source(path))
            if m:
                return re.sub(r"BIT_ULL\((\d+)\)", r"2^\1", re.sub(r"\s*/\*.*|[uU]?[lL]*$", "", m[1].strip()))
        raise self.error(f"{text} is nowhere defined")


class Overview(FromSource):
    """overview:: FILE TITLE: a DOC comment, which names each file that the source makes in debugfs."""

    def make(self):
        text = self.source(self.arguments[0])
        m = re.search(rf"/\*\*\n \* DOC: {re.escape(self.arguments[1])}\n(.*?)\n \*/", text, re.S)
        if not m:
            raise self.error(f"{self.arguments[0]} has no DOC: {self.arguments[1]}")
        for name in re.findall(r'debugfs_create_(?!dir)\w+\("(\w+)"|^\t\{ "(\w+)", \w+ \},', text, re.M):
            if f"``{''.join(name)}``" not in m[1]:
                raise self.error(f"{self.arguments[0]}: the overview does not tell of {''.join(name)}")
        return [re.sub(r"^ \* ?", "", line).expandtabs(8) for line in m[1].split("\n")]


class Ioctls(FromSource):
    """ioctls:: HEADER: each ioctl of the interface, with the first sentences about its struct."""

    def make(self):
        text = self.source(self.arguments[0])
        said = {name: re.sub(r"\s*\n \* ?\t?", " ", what) for name, what in re.findall(r"^ \* struct (\w+) - (.*?)\n \* @", text, re.M | re.S)}
        calls = re.findall(r"^#define (DRM_IOCTL_VSPLIT_\w+) \\\n\tDRM_IOW?R?\(\S+ \+ \w+, struct (\w+)\)", text, re.M)
        count = re.search(r"#define DRM_VSPLIT_NUM_IOCTLS\s+(\w+)", text)
        if not count or len(calls) != int(count[1], 0):
            raise self.error(f"{self.arguments[0]}: an ioctl is not understood")
        return [".. list-table::", "   :header-rows: 1", "   :widths: 25 30 45", "", *Options.row("ioctl", "struct", "what it does")] + [
            line for name, struct in calls for line in Options.row(f"``{name.removeprefix('DRM_IOCTL_VSPLIT_')}``", f"``{struct}``", said[struct])]


class PageLinks(SphinxTransform):
    """The name of a page, as it stands in the text, is a link to it."""

    default_priority = 500

    def apply(self, **kwargs):
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, (nodes.literal, nodes.FixedTextElement, nodes.reference, nodes.title, addnodes.pending_xref)):
                continue
            parts = re.split(r"(?<![\w/])([a-z][a-z-]*)\.rst\b", text.astext())
            made = []
            for i, part in enumerate(parts):
                if i % 2 and part in self.env.found_docs:
                    made.append(addnodes.pending_xref("", nodes.inline("", part + ".rst"), refdomain="std", reftype="doc", refdoc=self.env.docname,
                                                      reftarget=part, refexplicit=True, refwarn=True))
                else:
                    made.append(nodes.Text(part + ".rst" if i % 2 else part))
            if len(parts) > 1:
                text.parent.replace(text, made)


def setup(app):
    app.add_directive("options", Options)
    app.add_directive("overview", Overview)
    app.add_directive("ioctls", Ioctls)
    app.add_transform(PageLinks)
