# SPDX-License-Identifier: MIT
"""Sphinx's configuration: "make docs" makes pages of this directory, in build/docs."""
project = "vsplit"
author = "The vsplit authors"
copyright = author  # pylint: disable=redefined-builtin
html_theme = "alabaster"
html_theme_options = {"page_width": "75em", "description": "WDDM's video-memory model on DRM"}
html_show_copyright = False
html_show_sphinx = False
highlight_language = "none"
nitpicky = True
