# SPDX-License-Identifier: MIT
# The planner.
split_judges := split_problem.c split_check.c split_reference.c split_subset.c

links_test_split_examples := $(split_sources) $(split_judges)
links_test_split_choices := $(split_sources) $(split_judges)
links_test_split_errors := $(split_sources) $(split_judges)
links_test_split_random := $(split_sources) $(split_judges)
links_test_split_pack := $(split_sources) $(split_judges)
links_test_split_few_looks := $(split_judges)
links_test_split_solvable := $(split_sources) $(split_judges)
links_test_split_growth := $(split_sources)
links_test_split_steps := $(split_sources)
libs_test_split_steps := -lm
links_bench_plan := $(split_sources)
links_fuzz_split := $(split_sources) $(split_judges)

# Count instructions, or steps of very long lists, or try everything.
plain += test_split_growth test_split_steps test_split_solvable bench_plan
