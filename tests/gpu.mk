# SPDX-License-Identifier: MIT
# The software GPU and the validator.
isa_sources := ../drv/gpu/vsplit_gpu_isa.c
gpu_sources := $(isa_sources) ../drv/gpu/vsplit_gpu_decode.c ../drv/gpu/vsplit_gpu_paging.c ../drv/gpu/vsplit_gpu_mmu.c \
	../drv/gpu/vsplit_gpu_ranges.c ../drv/gpu/vsplit_gpu_exec.c ../drv/gpu/vsplit_gpu_draw.c ../drv/gpu/vsplit_gpu_mma.c \
	../drv/gpu/vsplit_gpu_mma_avx2.c ../drv/gpu/vsplit_gpu_mma_vnni.c ../drv/gpu/vsplit_swizzle.c

links_test_isa := $(isa_sources)
links_test_swizzle := ../drv/gpu/vsplit_swizzle.c
links_test_parse := $(isa_sources) ../drv/exec/vsplit_parse.c
links_fuzz_parse := $(isa_sources) ../drv/exec/vsplit_parse.c
links_test_exec := $(gpu_sources) gpu_world.c
links_test_exec_paging := $(gpu_sources) gpu_world.c
links_test_exec_random := $(gpu_sources) gpu_world.c gpu_reference.c draw_reference.c gpu_streams.c
links_test_draw := $(gpu_sources) gpu_world.c draw_reference.c
links_test_mma := $(gpu_sources) gpu_world.c
links_bench_gpu := $(gpu_sources) gpu_world.c
plain += bench_gpu
links_fuzz_exec := $(gpu_sources) gpu_world.c gpu_reference.c draw_reference.c gpu_streams.c
links_test_mmu := $(gpu_sources) gpu_world.c
links_test_ranges := $(gpu_sources) gpu_world.c

# Units with vector registers; programs use what the processor has.
$(O)/%/drv/gpu/vsplit_gpu_mma_avx2.o: ALL_CFLAGS += -mavx2
$(O)/%/drv/gpu/vsplit_gpu_mma_vnni.o: ALL_CFLAGS += -mavx512f -mavx512vnni
