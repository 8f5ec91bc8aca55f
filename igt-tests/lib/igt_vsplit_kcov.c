// SPDX-License-Identifier: MIT
/*
 * Coverage of the module by KCOV.
 *
 * The blocks are the calls of __sanitizer_cov_trace_pc() for which the module's file has
 * relocations; the kernel reports their return addresses. Only .text counts, not .init.text and
 * .exit.text.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_kcov.h"

#include <elf.h>
#include <sys/stat.h>

#define KCOV "/sys/kernel/debug/kcov"
#define KCOV_INIT_TRACE		_IOR('c', 1, unsigned long)
#define KCOV_ENABLE		_IO('c', 100)
#define KCOV_TRACE_PC		0
#define KCOV_HANDLE		0x76u

/* the argument of the ioctl that enables remote coverage */
struct remote_arg {
	uint32_t trace_mode;
	uint32_t area_size;
	uint32_t num_handles;
	uint64_t common_handle __attribute__((aligned(8)));
	uint64_t handles[];
};

#define KCOV_REMOTE_ENABLE	_IOW('c', 102, struct remote_arg)

#define LOCAL_WORDS	(512u << 10)
#define REMOTE_WORDS	(512u << 10)
#define MAX_AREAS	8

static struct area {
	unsigned long *words;
	unsigned long size;
} areas[MAX_AREAS];
static unsigned int nr_areas;

static unsigned long text;	/* the address of the module's .text */
static unsigned long text_size;
/* For each byte of .text: these bits are set at the return address of a block. */
#define BLOCK		1u
#define SEEN		2u
#define COMPLAINT	4u	/* runs only if the kernel complains */
static uint8_t *blocks;
static unsigned int nr_blocks, nr_seen;

/* The module's file. */
static uint8_t *file;
static const Elf64_Shdr *sections;

static const char *module_file(void)
{
	return getenv("VSPLIT_KO");
}

bool vsplit_kcov_there(void)
{
	return access(KCOV, R_OK | W_OK) == 0 && module_file();
}

static const char *section_name(const Elf64_Shdr *s)
{
	const Elf64_Ehdr *head = (void *)file;

	return (char *)file + sections[head->e_shstrndx].sh_offset + s->sh_name;
}

static void load_file(void)
{
	int fd = open(module_file(), O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *head;
	struct stat st;

	igt_assert(fd >= 0);
	igt_assert_eq(fstat(fd, &st), 0);
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	igt_assert(file != MAP_FAILED);
	close(fd);
	head = (void *)file;
	igt_assert(!memcmp(head->e_ident, ELFMAG, SELFMAG));
	sections = (void *)(file + head->e_shoff);
}

/* The function that contains an offset in .text. */
static const char *function_at(unsigned long at, unsigned long *start, unsigned long *end)
{
	const Elf64_Ehdr *head = (void *)file;

	for (unsigned int i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		const Elf64_Sym *sym = (void *)(file + s->sh_offset);

		if (s->sh_type != SHT_SYMTAB)
			continue;
		for (unsigned long n = 0; n < s->sh_size / sizeof(*sym); n++) {
			if (ELF64_ST_TYPE(sym[n].st_info) != STT_FUNC ||
			    sym[n].st_shndx >= head->e_shnum ||
			    strcmp(section_name(&sections[sym[n].st_shndx]), ".text") ||
			    at < sym[n].st_value || at > sym[n].st_value + sym[n].st_size)
				continue;
			*start = sym[n].st_value;
			*end = sym[n].st_value + sym[n].st_size;
			return (char *)file + sections[s->sh_link].sh_offset + sym[n].st_name;
		}
	}
	*start = 0;
	*end = 0;
	return "?";
}

/* KUnit tests are in the module, but are no part of the driver. */
static bool is_test(unsigned long at)
{
	static const char *last;
	static unsigned long start, end;

	/* Relocations are sorted, and searching for the function is slow: keep the last result. */
	if (!last || at < start || at >= end)
		last = function_at(at, &start, &end);
	return !strncmp(last, "vsplit_kunit_", 13);
}

/* Size of a call instruction. */
#define CALL_BYTES 5

/*
 * Mark the block that contains the instruction at @at as a complaint. If a block begins directly
 * behind the complaint, at @next, mark it as well: it runs only after the complaint, unless other
 * code reaches it, and then it has been seen.
 */
static void mark_complaint(unsigned long at, unsigned long next)
{
	unsigned long start, end;

	if (at > text_size)
		return;
	function_at(at, &start, &end);
	next += CALL_BYTES;
	if (next < end && blocks[next] & BLOCK)
		blocks[next] |= COMPLAINT;
	while (at > start && !(blocks[at] & BLOCK))
		at--;
	if (blocks[at] & BLOCK)
		blocks[at] |= COMPLAINT;
}

/*
 * Find the blocks from which the kernel's WARN(), lockdep and refcount_t complain: they have a trap
 * that the table of bugs lists, a call of a function that prints a complaint, or the "once" of one.
 */
static void find_complaints(const Elf64_Shdr *s)
{
	static const char *const names[] = {
		"refcount_warn_saturate", "__warn_printk", "lockdep_rcu_suspicious",
	};
	const Elf64_Shdr *symtab = &sections[s->sh_link];
	const char *strings = (char *)file + sections[symtab->sh_link].sh_offset;
	const Elf64_Rela *rela = (void *)(file + s->sh_offset);
	bool bugs = !strcmp(section_name(&sections[s->sh_info]), "__bug_table");

	for (unsigned long r = 0; r < s->sh_size / sizeof(*rela); r++) {
		const Elf64_Sym *sym = (Elf64_Sym *)(file + symtab->sh_offset) +
				       ELF64_R_SYM(rela[r].r_info);
		const char *in = sym->st_shndx < SHN_LORESERVE ?
				 section_name(&sections[sym->st_shndx]) : "";

		/* The first word of an entry is the position of the trap. */
		if (bugs && rela[r].r_offset % 12 == 0 && !strcmp(in, ".text")) {
			unsigned long trap = sym->st_value + rela[r].r_addend;

			mark_complaint(trap, trap + 2);
		}
		if (bugs)
			continue;
		if (!strcmp(in, ".data..once") || !strcmp(in, ".data..unlikely"))
			mark_complaint(rela[r].r_offset, text_size);
		for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(strings + sym->st_name, names[i]))
				mark_complaint(rela[r].r_offset, rela[r].r_offset + 4);
	}
}

static void find_all_complaints(void)
{
	const Elf64_Ehdr *head = (void *)file;

	for (unsigned int i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];

		if (s->sh_type == SHT_RELA &&
		    (!strcmp(section_name(&sections[s->sh_info]), ".text") ||
		     !strcmp(section_name(&sections[s->sh_info]), "__bug_table")))
			find_complaints(s);
	}
}

static void find_blocks(void)
{
	const Elf64_Ehdr *head = (void *)file;

	for (unsigned int i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i], *symtab, *strtab;
		const Elf64_Rela *rela;

		if (s->sh_type != SHT_RELA || strcmp(section_name(&sections[s->sh_info]), ".text"))
			continue;
		text_size = sections[s->sh_info].sh_size;
		blocks = calloc(1, text_size + 8);
		igt_assert(blocks);
		symtab = &sections[s->sh_link];
		strtab = &sections[symtab->sh_link];
		rela = (void *)(file + s->sh_offset);
		for (unsigned long r = 0; r < s->sh_size / sizeof(*rela); r++) {
			const Elf64_Sym *sym = (Elf64_Sym *)(file + symtab->sh_offset) +
					       ELF64_R_SYM(rela[r].r_info);
			const char *name = (char *)file + strtab->sh_offset + sym->st_name;

			if (strcmp(name, "__sanitizer_cov_trace_pc") ||
			    is_test(rela[r].r_offset))
				continue;
			/* The operand of the call is 4 bytes; the return address is behind it. */
			blocks[rela[r].r_offset + 4] = BLOCK;
			nr_blocks++;
		}
	}
	igt_assert_f(nr_blocks, "%s has no coverage\n", module_file());
	find_all_complaints();
}

static void add_area(int fd, unsigned long size)
{
	void *map = mmap(NULL, size * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	igt_assert(map != MAP_FAILED);
	igt_assert(nr_areas < MAX_AREAS);
	areas[nr_areas++] = (struct area) { map, size };
}

static int open_kcov(unsigned long size)
{
	int fd = open(KCOV, O_RDWR);

	igt_assert_f(fd >= 0, KCOV ": %s\n", strerror(errno));
	igt_assert_eq(ioctl(fd, KCOV_INIT_TRACE, size), 0);
	add_area(fd, size);
	return fd;
}

static bool read_text(void)
{
	char value[64];

	if (__vsplit_read_file("/sys/module/vsplit/sections/.text", value, sizeof(value)))
		return false;
	text = strtoul(value, NULL, 0);
	return true;
}

void vsplit_kcov_start(void)
{
	struct remote_arg arg = {
		.trace_mode = KCOV_TRACE_PC,
		.area_size = LOCAL_WORDS,
		.common_handle = KCOV_HANDLE,
	};

	load_file();
	find_blocks();
	igt_assert(read_text());
	/*
	 * Threads that this thread makes inherit the handle, so that work for them is reported
	 * here.
	 */
	igt_assert_eq(ioctl(open_kcov(REMOTE_WORDS), KCOV_REMOTE_ENABLE, &arg), 0);
}

void vsplit_kcov_join(void)
{
	igt_assert_eq(ioctl(open_kcov(LOCAL_WORDS), KCOV_ENABLE, KCOV_TRACE_PC), 0);
}

static int child = -1;

void vsplit_kcov_prepare_child(void)
{
	if (child < 0)
		child = open_kcov(LOCAL_WORDS);
}

void vsplit_kcov_child(void)
{
	/*
	 * One child runs at a time. It may be killed at any instant; the kernel then ends its
	 * coverage.
	 */
	if (child >= 0)
		ioctl(child, KCOV_ENABLE, KCOV_TRACE_PC);
}

/* Are all addresses of this thread addresses of blocks, if .text is at @where? */
static bool text_fits(unsigned long where, const unsigned long *words, unsigned long n)
{
	for (unsigned long i = 1; i <= n; i++)
		if (words[i] - where > text_size || !(blocks[words[i] - where] & BLOCK))
			return false;
	return true;
}

/*
 * The module is gone again: find an address of .text at which everything that ran was a block of
 * it.
 */
static void guess_text(void)
{
	for (unsigned int a = 0; a < nr_areas; a++) {
		unsigned long n = areas[a].words[0], at;

		if (n < 16 || n >= areas[a].size - 1)
			continue;
		at = areas[a].words[1] & ~0xffful;
		for (unsigned long i = 0; i <= text_size; i += 4096, at -= 4096) {
			if (text_fits(at, areas[a].words, n)) {
				text = at;
				return;
			}
		}
	}
}

void vsplit_kcov_loaded(void)
{
	if (!read_text())
		guess_text();
}

unsigned int vsplit_kcov_collect(void)
{
	unsigned int new = 0;

	for (unsigned int a = 0; a < nr_areas; a++) {
		unsigned long *words = areas[a].words;
		unsigned long n = __atomic_load_n(&words[0], __ATOMIC_RELAXED);

		if (n > areas[a].size - 1)
			n = areas[a].size - 1;
		for (unsigned long i = 1; i <= n; i++) {
			unsigned long at = words[i] - text;

			if (at <= text_size && (blocks[at] & (BLOCK | SEEN)) == BLOCK) {
				blocks[at] |= SEEN;
				new++;
			}
		}
		__atomic_store_n(&words[0], 0, __ATOMIC_RELAXED);
	}
	nr_seen += new;
	return new;
}

unsigned int vsplit_kcov_seen(void)
{
	return nr_seen;
}

unsigned int vsplit_kcov_all(void)
{
	return nr_blocks;
}

unsigned int vsplit_kcov_complaints(void)
{
	unsigned int nr = 0;

	for (unsigned long at = 0; at < text_size + 8; at++)
		nr += (blocks[at] & (BLOCK | SEEN | COMPLAINT)) == (BLOCK | COMPLAINT);
	return nr;
}

void vsplit_kcov_write_unseen(const char *path)
{
	FILE *f = fopen(path, "w");

	igt_assert_f(f, "%s\n", path);
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	for (unsigned long at = 0; at < text_size + 8; at++) {
		unsigned long start, end;
		const char *name;

		if ((blocks[at] & (BLOCK | SEEN)) != BLOCK)
			continue;
		name = function_at(at, &start, &end);
		fprintf(f, "%s+%#lx%s\n", name, at - start,
			blocks[at] & COMPLAINT ? " complaint" : "");
	}
	fclose(f);
}
