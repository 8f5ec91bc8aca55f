// SPDX-License-Identifier: MIT
/* The parser of vsplit-play: its results for good files, and its exact messages for bad ones. */
#include <stdlib.h>

#include "check.h"
#include "parse.h"

static struct parse_error error;

static struct scenario *parse(const char *text)
{
	return scenario_parse("t.vss", text, strlen(text), &error);
}

static const char *refused(const char *text)
{
	struct scenario *s = parse(text);

	if (!s)
		return error.text;
	scenario_free(s);
	return "accepted";
}

/* Beginnings of many cases. */
#define RUNS_ALONE	"t.vss:2: alloc: an allocation in runs takes no options but in=, device= and priority="
#define SEG	"segment vram memory 1M\n"
#define CTX	"context C\n"
#define ALLOC	"alloc A 4K\n"
#define DMA	CTX ALLOC "dma B C\n bind 0 A\n"
#define MAPS	"device D\nalloc A 5000 device=D\n"

static void long_titles_are_cut(void)
{
#define LONG "# 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 1\n"
	struct scenario *s = parse(LONG LONG LONG LONG "# and more.\ncontext C\n");

	CHECK(s && strlen(s->title) > 160 && !strcmp(s->title + strlen(s->title) - 6, " 1 ..."));
	scenario_free(s);
}

/* The path is not cut, so that an editor finds the line. */
static void long_paths_are_told_whole(void)
{
	char path[1000], text[1100];
	struct parse_error wrong;

	memset(path, 'd', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	CHECK(!scenario_parse(path, "x\n", 2, &wrong));
	snprintf(text, sizeof(text), "%s:1: 'x' is no statement", path);
	CHECK_STR(wrong.text, text);
	memcpy(path + 100, "/none", 6);
	CHECK(!scenario_load(path, &wrong));
	snprintf(text, sizeof(text), "%s: No such file or directory", path);
	CHECK_STR(wrong.text, text);
}

static void characters(void)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{ "a", 1 }, { "\x01", 1 }, { "\x7f", 1 }, { "\xc2\x80", 2 }, { "\xdf\xbf", 2 },
		{ "\xe0\xa0\x80", 3 }, { "\xef\xbf\xbd", 3 }, { "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		/* Invalid first bytes; too few bytes; more bytes than are needed. */
		{ "\x80", 0 }, { "\xbf\xbf", 0 }, { "\xf8\x88\x80\x80\x80", 0 }, { "\xff", 0 },
		{ "\xc3", 0 }, { "\xc3z", 0 }, { "\xe2\x82", 0 }, { "\xf0\x9f\x98", 0 },
		{ "\xc1\xbf", 0 }, { "\xe0\x9f\xbf", 0 }, { "\xf0\x8f\xbf\xbf", 0 },
		/* Surrogates; characters that XML forbids; a value that is no code point. */
		{ "\xed\xa0\x80", 0 }, { "\xef\xbf\xbe", 0 }, { "\xef\xbf\xbf", 0 },
		{ "\xf4\x90\x80\x80", 0 },
	};
	char text[] = "\t\xc3\xa9\xc2\x9b\xc2\xa0\x7f\xe2\x82\x1b[m";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_EQ(character_length(cases[i].text), cases[i].length);
	make_printable(text);
	CHECK_STR(text, " \xc3\xa9??\xc2\xa0????[m");
}

/* A title in another encoding, and with control sequences of a terminal. */
static void titles_are_printable(void)
{
	struct scenario *s = parse("# Gr\xf6\xdf" "e\tin \x1b[31mMB\xe2\x80\xa6\ncontext C\n");

	CHECK_STR(s ? s->title : NULL, "Gr??e in ?[31mMB\xe2\x80\xa6");
	scenario_free(s);
}

static void a_whole_scenario(void)
{
	struct scenario *s = parse(
		"# SPDX-License-Identifier: MIT\n"
		"# The title goes on\n"
		"# for two lines. The rest is not it.\n"
		"\n"
		"segment vram memory 256M cpu=64M\r\n"
		"segment aper aperture 0x1000000 commit=8M cpu=none\n"
		"slots 16\n"
		"engine save-restore=yes paging=own   # one engine\n"
		"errors wddm\n"
		"option force-split=yes\n"
		"device D\n"
		"context C\n"
		"context C2 device=D mode=patch priority=high errors=atomic engine=1\n"
		"alloc A 128M in=vram,aper priority=0xa0000000 cpu\n"
		"alloc B 5000 pinned device=D\n"
		"dma B C      # names of different kinds may be the same\n"
		"  bind 0 A\n"
		"  unbind 3\n"
		"# a comment inside\n"
		"\n"
		"  fill 0 0x55\n"
		"\tfill 0 7 4K 0x100\n"
		"  bind 1 A\n"
		"  copy 1 0 8\n"
		"  spin 1000\n"
		"  pad 0x400\n"
		"submit B\n"
		"submit B after=B\n"
		"wait B\n"
		"wait all\n"
		"write A 0x11 0 4096\n"
		"lock A dontwait\n"
		"unlock A\n"
		"expect B portions>=2\n"
		"expect A bytes=0x55 4096 0x100\n"
		"expect A in=vram at=128M\n"
		"expect C state=lost-oom\n"
		"expect evicted=4K paged-in<=1G moved=0\n"
		"close D\n");
	const struct dma_def *d;

	CHECK(s);
	if (!s) {
		printf("# %s\n", error.text);
		return;
	}
	CHECK_STR(s->title, "The title goes on for two lines.");
	CHECK(s->adapter.own && s->adapter.described);
	CHECK_EQ(s->adapter.num_segments, 2);
	CHECK_EQ(s->adapter.segments[0].size, 256 << 20);
	CHECK_EQ(s->adapter.segments[0].cpu, 64 << 20);
	CHECK_EQ(s->adapter.segments[1].commit, 8 << 20);
	CHECK_EQ(s->adapter.segments[1].cpu, 0);
	CHECK(s->adapter.segments[1].aperture);
	CHECK_EQ(s->adapter.slots, 16);
	CHECK_EQ(s->adapter.save_restore, 1);
	CHECK_EQ(s->adapter.paging_own, 1);
	CHECK_EQ(s->num_devices, 2);
	CHECK_EQ(s->devices[1].closed, 39);
	CHECK_EQ(s->num_contexts, 2);
	CHECK(s->contexts[0].wddm);
	CHECK(!s->contexts[1].wddm);
	CHECK_EQ(s->contexts[1].device, 1);
	CHECK_EQ(s->contexts[1].priority, VSPLIT_CTX_PRIORITY_HIGH);
	CHECK_EQ(s->contexts[1].engine, 1);
	CHECK_EQ(s->allocs[0].num_segments, 2);
	CHECK_STR(s->allocs[0].segments[1], "aper");
	CHECK_EQ(s->allocs[0].flags, VSPLIT_GEM_CPU_ACCESS);
	CHECK_EQ(s->allocs[0].priority, VSPLIT_PRIORITY_HIGH);
	CHECK_EQ(s->allocs[1].flags, VSPLIT_GEM_PINNED);
	CHECK_EQ(s->allocs[1].size, 5000);

	d = &s->dmas[0];
	CHECK_EQ(d->num_ops, 8);
	CHECK_EQ(d->length, 0x400);
	CHECK(d->ops[0].group && !d->ops[0].last);
	CHECK(!d->ops[1].group && d->ops[1].last);
	CHECK_EQ(d->ops[2].offset, 48);
	CHECK_EQ(d->ops[3].offset, 96);
	CHECK(d->ops[4].group && d->ops[4].last);
	CHECK_EQ(d->ops[4].offset, 144);
	CHECK_EQ(d->ops[5].offset, 168);
	CHECK_EQ(d->ops[6].offset, 216);
	CHECK_EQ(d->ops[7].offset, 224);
	CHECK(bind_writes(d, 0));
	CHECK(bind_writes(d, 4));
	CHECK_EQ(op_default_length(s, d, 2), 128 << 20);

	CHECK_EQ(s->stmts[5].type, STMT_SUBMIT);
	CHECK(s->stmts[5].force_split);
	CHECK_EQ(s->stmts[6].num_after, 1);
	CHECK_EQ(s->stmts[8].index, NO_INDEX);
	CHECK_EQ(s->stmts[9].byte, 0x11);
	CHECK_EQ(s->stmts[10].lock_flags, VSPLIT_LOCK_DONOT_WAIT);
	CHECK_EQ(s->stmts[12].checks[0].compare, COMPARE_GE);
	CHECK_EQ(s->stmts[12].kind, EXPECT_DMA);
	CHECK_EQ(s->stmts[13].checks[0].range.length, 0x100);
	CHECK_EQ(s->stmts[14].num_checks, 2);
	CHECK_EQ(s->stmts[14].checks[1].number, 128 << 20);
	CHECK_EQ(s->stmts[15].checks[0].number, VSPLIT_STATE_LOST_OOM);
	CHECK_EQ(s->stmts[16].kind, EXPECT_TOTALS);
	CHECK_EQ(s->stmts[16].num_checks, 3);
	scenario_free(s);
}

static void memory_statements(void)
{
	struct scenario *s = parse(
		"segment vram memory 8M\n"
		"segment aper aperture 8M\n"
		"segment more aperture 8M\n"
		"device other adapter=own\n"
		"device screen node=primary\n"
		"context C\n"
		"alloc A 4M in=vram:read:end,aper evict-to=more,aper end align=64K\n"
		"surface T L 1M pitch=1K in=aper:end private=7\n"
		"import F A device=other\n"
		"dumb P 64 32 32 device=screen\n"
		"priority A high\n"
		"dma B C\n"
		" bind 0 T\n"
		" bind 1 L\n"
		" swizzle 0 1\n"
		" unswizzle 1 0\n"
		"knob lose_aperture_maps 1\n"
		"suspend\n"
		"resume 0\n"
		"lock L read write ignore-sync ignore-read-sync dontwait dontevict aperture discard\n"
		"expect L locks=1 shared=0 ok\n"
		"expect transferred<=4K acquired=0 stray-writes>=1\n");
	const struct alloc_def *a;
	const struct dma_def *d;

	CHECK(s);
	if (!s) {
		printf("# %s\n", error.text);
		return;
	}
	CHECK(s->adapter.test);
	CHECK(s->devices[1].own && !s->devices[1].primary);
	CHECK(!s->devices[2].own && s->devices[2].primary);
	CHECK(same_adapter(s, DEFAULT_DEVICE, 2) && !same_adapter(s, DEFAULT_DEVICE, 1));
	CHECK_EQ(s->num_allocs, 5);
	a = &s->allocs[0];
	CHECK_EQ(a->num_segments, 2);
	CHECK_STR(a->segments[0], "vram");
	CHECK_EQ(a->segment_flags[0], VSPLIT_GEM_SEGMENT_READ_ONLY | VSPLIT_GEM_SEGMENT_TOPDOWN);
	CHECK_EQ(a->segment_flags[1], 0);
	CHECK_EQ(a->num_evict_to, 2);
	CHECK_STR(a->evict_to[0], "more");
	CHECK_EQ(a->flags, VSPLIT_GEM_TOPDOWN);
	CHECK_EQ(a->align, 65536);
	CHECK_EQ(s->allocs[1].kind, ALLOC_TILES);
	CHECK_STR(s->allocs[1].name, "T");
	CHECK_EQ(s->allocs[2].kind, ALLOC_ROWS);
	CHECK_EQ(s->allocs[2].pitch, 1024);
	CHECK_EQ(s->allocs[1].segment_flags[0], VSPLIT_GEM_SEGMENT_TOPDOWN);
	CHECK_EQ(s->allocs[1].private_byte, 7);
	CHECK_EQ(s->allocs[3].kind, ALLOC_IMPORT);
	CHECK_EQ(s->allocs[3].source, 0);
	CHECK_EQ(s->allocs[3].size, 4 << 20);
	CHECK_EQ(s->allocs[4].kind, ALLOC_DUMB);
	CHECK_EQ(s->allocs[4].size, 64 * 32 * 4);
	d = &s->dmas[0];
	CHECK_EQ(d->length, 2 * 24 + 2 * 80);
	CHECK(bind_writes(d, 0));
	CHECK(bind_writes(d, 1));
	CHECK_EQ(op_pitch(s, d, 2), 1024);
	CHECK_EQ(op_rows(s, d, 3), 1024);
	CHECK_EQ(s->stmts[7].priority, VSPLIT_PRIORITY_HIGH);
	CHECK_STR(s->stmts[8].knob, "lose_aperture_maps");
	CHECK_EQ(s->stmts[8].value, 1);
	CHECK_EQ(s->stmts[9].type, STMT_SUSPEND);
	CHECK_EQ(s->stmts[11].lock_flags, VSPLIT_LOCK_FLAGS);
	scenario_free(s);
}

static void heads_and_flips(void)
{
	struct scenario *s = parse(
		"device D node=primary\n"
		"device E node=primary adapter=own\n"
		"context C device=D\n"
		"head H mode=64x48 device=D\n"
		"head I device=D\n"
		"head J device=E\n"
		"alloc A 12K device=D width=64 height=48\n"
		"alloc B 16K device=D width=60 height=48 pitch=256\n"
		"dumb P 64 48 16 device=D\n"
		"import Q P device=E\n"
		"dma X C\n bind 0 A\n fill 0 1\n"
		"submit X\n"
		"flip H A after=X\n"
		"flip J Q async\n"
		"wait H\n"
		"expect H shows=A frames>=1 pixel=63,47,0x010101 ok\n"
		"expect J error=EINVAL\n"
		"expect X after-flip=I\n");
	const struct stmt *stmt;

	CHECK(s);
	if (!s) {
		printf("# %s\n", error.text);
		return;
	}
	CHECK_EQ(s->adapter.heads, 2);
	CHECK(s->adapter.own && !s->devices[DEFAULT_DEVICE].primary);
	CHECK_EQ(s->heads[0].width, 64);
	CHECK_EQ(s->heads[0].height, 48);
	CHECK_EQ(s->heads[1].pipe, 1);
	CHECK_EQ(s->heads[1].width, 0);
	CHECK_EQ(s->heads[2].pipe, 0);
	CHECK(s->heads[2].error_expected && !s->heads[0].error_expected);
	CHECK_EQ(s->allocs[0].fb_pitch, 256);
	CHECK_EQ(s->allocs[0].pitch, 0);
	CHECK_EQ(s->allocs[1].fb_pitch, 256);
	CHECK_EQ(s->allocs[3].width, 64);
	stmt = &s->stmts[s->num_stmts - 6];
	CHECK_EQ(stmt->type, STMT_FLIP);
	CHECK_EQ(stmt->index, 0);
	CHECK_EQ(stmt->num_after, 1);
	CHECK(!stmt->async && stmt[1].async);
	CHECK_EQ(stmt[1].alloc, 3);
	CHECK_EQ(stmt[2].type, STMT_WAIT_HEAD);
	CHECK_EQ(stmt[3].kind, EXPECT_HEAD);
	CHECK_EQ(stmt[3].checks[0].number, 0);
	CHECK_EQ(stmt[3].checks[2].x, 63);
	CHECK_EQ(stmt[3].checks[2].y, 47);
	CHECK_EQ(stmt[3].checks[2].number, 0x010101);
	CHECK_EQ(stmt[5].kind, EXPECT_DMA);
	CHECK_EQ(stmt[5].checks[0].number, 1);
	scenario_free(s);

	/* A head without a device gets the device without a name, and its primary node. */
	s = parse("head H\n");
	CHECK(s && s->devices[DEFAULT_DEVICE].primary && s->adapter.heads == 1);
	scenario_free(s);

	/* An allocation without a size gets that of the first head that shows it. */
	s = parse("head H mode=33x8\nhead I mode=8x8\nalloc A 4K\nflip H A\nflip I A\n");
	CHECK(s && s->allocs[0].width == 33 && s->allocs[0].height == 8);
	CHECK(s && s->allocs[0].fb_pitch == 136 && s->allocs[0].bpp == 32);
	scenario_free(s);
}

static void without_an_adapter(void)
{
	struct scenario *s = parse(CTX "alloc A 4K in=anything\n");

	CHECK(s && !s->adapter.own);
	scenario_free(s);
	s = parse("");
	CHECK(s && !s->num_stmts);
	scenario_free(s);
	s = parse("slots 4\n" CTX);
	CHECK(s && s->adapter.own && s->adapter.num_segments == 2);
	scenario_free(s);
	s = parse("errors wddm\n" CTX);
	CHECK(s && s->adapter.own && !s->adapter.described);
	scenario_free(s);
}

static void defaults(void)
{
	struct scenario *s = parse("option force-split=yes\n" DMA "submit B\noption force-split=no\n"
				   "errors wddm\ncontext D\nsubmit B\nexpect A bytes=0");

	CHECK(s);
	if (!s)
		return;
	CHECK(s->stmts[2].force_split);
	CHECK(!s->stmts[4].force_split);
	CHECK(!s->contexts[0].wddm);
	CHECK(s->contexts[1].wddm);
	CHECK_EQ(s->contexts[0].priority, VSPLIT_CTX_PRIORITY_NORMAL);
	CHECK(!bind_writes(&s->dmas[0], 0));
	CHECK_EQ(s->stmts[5].checks[0].range.length, 4096);
	CHECK(!s->stmts[5].checks[0].range.given);
	scenario_free(s);
	s = parse("option force-split=yes\ncontext C mode=explicit\ndma B C\n spin 1\nsubmit B\n");
	CHECK(s && !s->stmts[1].force_split);
	scenario_free(s);
}

static void a_mark_before_the_text(void)
{
	struct scenario *s = parse("\xef\xbb\xbf" CTX);

	CHECK(s && s->num_contexts == 1);
	scenario_free(s);
	CHECK_STR(refused(CTX "\xef\xbb\xbf" CTX), "t.vss:2: '\xef\xbb\xbf" "context' is no statement");
}

/* Priorities: the lowest one of the driver is 0x28000000. */
static void in_runs(void)
{
	struct scenario *s = parse("segment vram memory 8M\n"
				   "device D\n"
				   "context V device=D mode=va\n"
				   "alloc A 4M device=D in=vram runs priority=high\n"
				   "expect A runs<=2\n");

	CHECK(s);
	if (!s)
		return;
	CHECK_EQ(s->allocs[0].flags, VSPLIT_GEM_RUNS);
	CHECK_EQ(s->allocs[0].priority, VSPLIT_PRIORITY_HIGH);
	CHECK_EQ(s->stmts[s->num_stmts - 1].checks[0].type, CHECK_RUNS);
	CHECK_EQ(s->stmts[s->num_stmts - 1].checks[0].number, 2);
	scenario_free(s);
}

static void small_priorities_have_an_order(void)
{
	struct scenario *s = parse("alloc A 4K priority=1\nalloc B 4K priority=2\n"
				   "alloc E 4K priority=0x28000000\nalloc F 4K priority=0x27ffffff\n"
				   "alloc G 4K\n");

	CHECK(s);
	if (!s)
		return;
	CHECK_EQ(s->allocs[0].priority, VSPLIT_PRIORITY_MIN + 1);
	CHECK_EQ(s->allocs[1].priority, VSPLIT_PRIORITY_MIN + 2);
	CHECK_EQ(s->allocs[2].priority, VSPLIT_PRIORITY_MIN);
	CHECK_EQ(s->allocs[3].priority, VSPLIT_PRIORITY_LOW - 1);
	CHECK_EQ(s->allocs[4].priority, 0);
	scenario_free(s);
}

static void addresses_and_primaries(void)
{
	struct scenario *s = parse("device D\ncontext V device=D mode=va\nalloc A 5000 device=D\n"
				   "map D A 0x1000 4K\nmap D A 8K 0 4K read\n"
				   "dma B V\n  primary A\n  spin 1\n");

	CHECK(s);
	if (!s)
		return;
	CHECK_EQ(s->stmts[3].va.offset, 4096);
	CHECK_EQ(s->stmts[4].va.bytes, 4096);
	CHECK_EQ(s->stmts[4].va.flags, VSPLIT_VA_OP_READ_ONLY);
	/* The buffer names an allocation that a head could show, so the adapter gets a head. */
	CHECK(s->devices[1].primaries && !s->devices[1].primary);
	CHECK_EQ(s->adapter.heads, 1);
	scenario_free(s);
}

static void fences_write_nothing(void)
{
	struct scenario *s = parse(CTX ALLOC "fence F\ndma X C\n wait-fence F 1\n bind 0 A\n spin 1\n"
				   " signal F 2\n");

	CHECK(s && !bind_writes(&s->dmas[0], 1));
	scenario_free(s);
}

static void writes_are_found(void)
{
	struct scenario *s = parse(CTX "alloc A 8K\nalloc B 4K\nalloc E 4K\n"
				   "dma X C\n bind 0 A\n bind 1 B\n bind 2 E\n copy 0 1\n fill 2 1\n"
				   " bind 2 B\n bind 0 E\n copy 0 2\n unbind 0\n fill 0 3\n");
	const struct dma_def *d;

	CHECK(s);
	if (!s)
		return;
	d = &s->dmas[0];
	CHECK(bind_writes(d, 0));
	CHECK(!bind_writes(d, 1));
	CHECK(bind_writes(d, 2));
	CHECK(!bind_writes(d, 5));
	CHECK(bind_writes(d, 6));
	CHECK_EQ(op_default_length(s, d, 3), 4096);
	CHECK_EQ(op_default_length(s, d, 9), 8);
	scenario_free(s);
}

static void bad_files(void)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "frobnicate\n", "t.vss:1: 'frobnicate' is no statement" },
		{ "sumbit\n", "t.vss:1: 'sumbit' is no statement (is it submit?)" },
		{ "\x1b]0;x\xc2\x9b\x7f\n", "t.vss:1: '?]0;x\?\?\?' is no statement" },
		{ "\n# x\n\n  bind 0 A\n",
		  "t.vss:4: an indented line belongs to a dma, and there is none before it" },
		{ "segment\n", "t.vss:1: segment: a name is missing" },
		{ "segment 1a memory 4K\n", "t.vss:1: segment: '1a' is no name" },
		{ "segment system memory 4K\n",
		  "t.vss:1: segment: the name 'system' means the memory outside of the segments" },
		{ "segment abcdefghijklmnopqrstuvwxyz012345 memory 4K\n",
		  "t.vss:1: segment: the name is longer than 31 letters" },
		{ "segment v memory\n", "t.vss:1: segment: size is missing" },
		{ "segment v memory 4X\n", "t.vss:1: segment: size '4X' is no size such as 4096, 64K, 8M or 1G" },
		{ "segment v memory 4KB\n", "t.vss:1: segment: size '4KB' is no size such as 4096, 64K, 8M or 1G" },
		{ "segment v memory -1\n", "t.vss:1: segment: size '-1' is no size such as 4096, 64K, 8M or 1G" },
		{ "segment v memory 99999999999G\n",
		  "t.vss:1: segment: size '99999999999G' is no size such as 4096, 64K, 8M or 1G" },
		{ "segment v memory 0\n", "t.vss:1: segment: the size is 0" },
		{ "segment v ram 4K\n", "t.vss:1: segment: 'ram' is neither memory nor aperture" },
		{ "segment v memory 4K commit=8K\n",
		  "t.vss:1: segment: commit 8K is not between 1 and the size" },
		{ "segment v memory 4K cpu=8K\n", "t.vss:1: segment: cpu 8K is over the size" },
		{ "segment v memory 5000\n",
		  "t.vss:1: segment: the size 5000 is no multiple of 4096 (a page)" },
		{ "segment v memory 8K commit=5000\n",
		  "t.vss:1: segment: commit 5000 is no multiple of 4096 (a page)" },
		{ "segment v memory 8K cpu=1\n",
		  "t.vss:1: segment: cpu 1 is no multiple of 4096 (a page)" },
		{ "segment v memory 4K cpu=some\n", "t.vss:1: segment: cpu 'some' is no size such as 4096, 64K, 8M or 1G" },
		{ "segment v memory 4K ranges=17\n",
		  "t.vss:1: segment: ranges 17 is no number up to 16" },
		{ "segment v aperture 4K ranges=1\n",
		  "t.vss:1: segment: an aperture has no swizzling ranges" },
		{ "segment v memory 4K fast\n", "t.vss:1: segment: unexpected 'fast'" },
		{ SEG SEG, "t.vss:2: segment: there is a segment vram already" },
		{ "segment a memory 1M\nsegment b memory 1M\nsegment c memory 1M\n"
		  "segment d memory 1M\nsegment e memory 1M\nsegment f memory 1M\n"
		  "segment g memory 1M\n", "t.vss:7: segment: more than 6 segments" },
		{ "slots 0\n", "t.vss:1: slots: 0 is too few" },
		{ "slots 4K\n", "t.vss:1: slots: the number '4K' is no number such as 12 or 0x0c" },
		{ "slots 4097\n", "t.vss:1: slots: the number 4097 is over 4096" },
		{ "slots 4 5\n", "t.vss:1: slots: unexpected '5'" },
		{ "slots 4\nslots 4\n", "t.vss:2: slots: given twice" },
		{ "engine save-restore=maybe\n", "t.vss:1: engine: unexpected 'save-restore=maybe'" },
		{ "engine paging=own\nengine paging=same\n",
		  "t.vss:2: engine: 'paging=same' contradicts an earlier engine line" },
		{ "errors\n", "t.vss:1: errors: atomic or wddm is missing" },
		{ "errors both\n", "t.vss:1: errors: 'both' is neither atomic nor wddm" },
		{ "option\n", "t.vss:1: option: an option is missing" },
		{ "option force-split=2\n", "t.vss:1: option: force-split is yes or no, not '2'" },
		{ "adapter\n", "t.vss:1: adapter: NAME=VALUE is missing" },
		{ "adapter look_ahead\n", "t.vss:1: adapter: 'look_ahead' is not NAME=VALUE" },
		{ "adapter victims=lru segments/a/size=1\n",
		  "t.vss:1: adapter: 'segments/a/size=1' is not NAME=VALUE" },
		{ "option warp=9\n", "t.vss:1: option: 'warp=9' is not known" },
		{ "device D\ndevice D\n", "t.vss:2: device: there is a device D already" },
		{ "device D x\n", "t.vss:1: device: unexpected 'x'" },
		{ CTX CTX, "t.vss:2: context: there is a context C already" },
		{ "context C device=D\n", "t.vss:1: context: there is no device 'D'" },
		{ "device D\nmap D\n", "t.vss:2: map: an allocation is missing" },
		{ MAPS "map D A 0x1800\n", "t.vss:3: map: the address 0x1800 is no multiple of 4096 (a page)" },
		{ MAPS "map D A 0x1000 0 0\n", "t.vss:3: map: the size is 0" },
		{ MAPS "map D A 0x1000 8K read\n",
		  "t.vss:3: map: offset 8192 is not inside of A, which has 8192" },
		{ MAPS "map D A 0x1000 4K 8K\n",
		  "t.vss:3: map: 8192 bytes from 4096 on are not inside of A, which has 8192" },
		{ MAPS "map D A 0x1000 1 4K\n", "t.vss:3: map: the offset 0x1 is no multiple of 4096 (a page)" },
		{ MAPS "map D A 0xfffffffffffff000\n",
		  "t.vss:3: map: 8192 bytes from 0xfffffffffffff000 on go over the last address" },
		{ "device D\nunmap D 0x1000 0\n", "t.vss:2: unmap: the size is 0" },
		{ "device D\nsparse D 4K 100\n",
		  "t.vss:2: sparse: the size 0x64 is no multiple of 4096 (a page)" },
		{ "device D\ncontext V mode=va device=D\n" ALLOC "dma B V\n primary A\n spin 1\n",
		  "t.vss:5: primary: A is of another device than the context" },
		{ "fence F\nfence F\n", "t.vss:2: fence: there is a F already" },
		{ "fence F x\n", "t.vss:1: fence: the value 'x' is no number such as 12 or 0x0c" },
		{ "signal F 1\n", "t.vss:1: signal: there is no fence 'F'" },
		{ "fence F\nwait F\n", "t.vss:2: wait: the value is missing" },
		{ CTX "dma B C\n  wait-fence F 1\n", "t.vss:3: wait-fence: there is no fence 'F'" },
		{ "fence F\nexpect F bytes=1\n", "t.vss:2: expect: there is no allocation 'F'" },
		{ ALLOC "offer A gladly\n", "t.vss:2: offer: unexpected 'gladly'" },
		{ ALLOC "reclaim A low\n", "t.vss:2: reclaim: unexpected 'low'" },
		{ "offer A\n", "t.vss:1: offer: there is no allocation 'A'" },
		{ "context C mode=x\n", "t.vss:1: context: mode is patch, explicit, va or hw, not 'x'" },
		{ "context C priority=9\n",
		  "t.vss:1: context: priority is low, normal or high, not '9'" },
		{ "context C errors=no\n", "t.vss:1: context: errors is atomic or wddm, not 'no'" },
		{ "context C colour=red\n", "t.vss:1: context: unexpected 'colour=red'" },
		{ ALLOC ALLOC, "t.vss:2: alloc: there is an allocation A already" },
		{ "alloc A\n", "t.vss:1: alloc: size is missing" },
		{ "alloc A 0\n", "t.vss:1: alloc: the size is 0" },
		{ SEG "alloc A 4K in=gart\n", "t.vss:2: alloc: there is no segment 'gart' (there is vram)" },
		{ SEG "alloc A 4K in=vram,vram\n", "t.vss:2: alloc: in= names vram twice" },
		{ SEG "alloc A 4K in=vram,\n", "t.vss:2: alloc: '' is no name of a segment" },
		{ SEG "alloc A 4K in=vram in=vram\n", "t.vss:2: alloc: in= is given twice" },
		{ "alloc A 4K swizzled pitch=100\n", "t.vss:1: alloc: pitch 100 is no multiple of 64" },
		{ "alloc A 4K pitch=64\n",
		  "t.vss:1: alloc: pitch= is of a swizzled one, or one with width= and height=" },
		{ "alloc A 4K width=8\n", "t.vss:1: alloc: width= and height= go together" },
		{ "alloc A 4K width=0 height=1\n",
		  "t.vss:1: alloc: width '0' is no number from 1 to 16384" },
		{ "alloc A 4K width=32 height=33\n",
		  "t.vss:1: alloc: 33 rows of 128 bytes are over the size" },
		{ "alloc A 4K width=32 height=8 pitch=124\n",
		  "t.vss:1: alloc: pitch 124 is no multiple of 8 from 128 on" },
		{ "alloc A 4K swizzled width=8 height=8\n",
		  "t.vss:1: alloc: a swizzled allocation has no width= and height=, because no head shows it" },
		{ "head\n", "t.vss:1: head: a name is missing" },
		{ "head H\nhead H\n", "t.vss:2: head: there is a head H already" },
		{ "head H mode=64\n", "t.vss:1: head: mode '64' is no WIDTHxHEIGHT up to 4096x4096" },
		{ "head H mode=64x4097\n",
		  "t.vss:1: head: mode '64x4097' is no WIDTHxHEIGHT up to 4096x4096" },
		{ "head H size=1\n", "t.vss:1: head: unexpected 'size=1'" },
		{ "device D\nhead H device=D\n",
		  "t.vss:2: head: needs a device with node=primary" },
		{ "flip H A\n", "t.vss:1: flip: there is no head 'H'" },
		{ "head H\nflip H A\n", "t.vss:2: flip: there is no allocation 'A'" },
		{ "head H\nalloc A 4K\nflip H A\n",
		  "t.vss:3: flip: A is neither a dumb buffer nor an allocation with width= and height=" },
		{ "head H mode=8x8\nalloc A 4K swizzled\nflip H A\n",
		  "t.vss:3: flip: A is neither a dumb buffer nor an allocation with width= and height=" },
		{ "head H mode=64x32\nalloc A 8K\nalloc B 8191\nflip H A\nflip H B\n",
		  "t.vss:5: flip: B has 8191 bytes, and the 64x32 of H take 8192" },
		{ "head H\ndumb A 8 8 32\nflip H A after=B\n",
		  "t.vss:3: flip: there is no DMA buffer 'B'" },
		{ "head H\ndumb A 8 8 32\nflip H A soon\n", "t.vss:3: flip: unexpected 'soon'" },
		{ "device D node=primary\nhead H device=D\nclose D\nwait H\n",
		  "t.vss:4: device D was closed in line 3" },
		{ "head H mode=8x8\nexpect H pixel=8,0,0\n",
		  "t.vss:2: expect: pixel 8,0 is outside of H" },
		{ "head H\nexpect H pixel=1,0x1000000\n",
		  "t.vss:2: expect: '1,0x1000000' is no pixel: X,Y,0xRRGGBB" },
		{ "head H\nexpect H shows=A\n", "t.vss:2: expect: there is no allocation 'A'" },
		{ DMA "submit B\nexpect B after-flip=H\n",
		  "t.vss:6: expect: there is no head 'H'" },
		{ "alloc A 4K swizzled pinned\n", "t.vss:1: alloc: a swizzled allocation cannot be pinned" },
		{ SEG "alloc A 4K in=vram runs pinned\n", RUNS_ALONE },
		{ SEG "alloc A 4K in=vram runs cpu\n", RUNS_ALONE },
		{ SEG "alloc A 4K in=vram swizzled runs\n", RUNS_ALONE },
		{ SEG "alloc A 4K in=vram runs align=8K\n", RUNS_ALONE },
		{ SEG "alloc A 4K in=vram runs width=8 height=8\n", RUNS_ALONE },
		{ SEG "alloc A 4K in=vram runs evict-to=vram\n", RUNS_ALONE },
		{ SEG "alloc A 4K runs\n",
		  "t.vss:2: alloc: an allocation in runs needs one memory segment: in=SEG" },
		{ SEG "alloc A 4K in=vram:end runs\n",
		  "t.vss:2: alloc: an allocation in runs needs one memory segment: in=SEG" },
		{ SEG "segment aper aperture 8M\nalloc A 4K in=aper runs\n",
		  "t.vss:3: alloc: an allocation in runs is in a memory segment, and aper is an aperture" },
		{ SEG "device D node=primary\nhead H mode=8x8 device=D\nalloc A 4K device=D in=vram runs\nflip H A\n",
		  "t.vss:5: flip: A is in runs, and a head shows only allocations in one piece" },
		{ "alloc A 4K\nlock A later\n", "t.vss:2: lock: unexpected 'later'" },
		{ "alloc A 4K priority=0\n",
		  "t.vss:1: alloc: priority '0' is neither min, low, normal, high or max, nor a number from 1 to 0xc8000000" },
		{ "alloc A 4K big\n", "t.vss:1: alloc: unexpected 'big'" },
		{ SEG "alloc A 4K in=vram:late\n",
		  "t.vss:2: alloc: a segment is :read or :end, not ':late'" },
		{ SEG "alloc A 4K in=vram:read,vram\n", "t.vss:2: alloc: in= names vram twice" },
		{ SEG "alloc A 4K evict-to=vram:end\n",
		  "t.vss:2: alloc: 'vram:end' is no name of a segment" },
		{ SEG "alloc A 4K evict-to=gart\n", "t.vss:2: alloc: there is no segment 'gart' (there is vram)" },
		{ "alloc A 4K align=3K\n", "t.vss:1: alloc: align 3K is no power of two" },
		{ "surface A\n", "t.vss:1: surface: a name for the rows is missing" },
		{ "surface A A 4K\n", "t.vss:1: surface: there is an allocation A already" },
		{ "surface A B 0\n", "t.vss:1: surface: the size is 0" },
		{ "surface A B 4K private=256\n", "t.vss:1: surface: private '256' is no byte" },
		{ "surface A B 4K pinned\n", "t.vss:1: surface: unexpected 'pinned'" },
		{ ALLOC "import A A\n", "t.vss:2: import: there is an allocation A already" },
		{ "import B A\n", "t.vss:1: import: there is no allocation 'A' (there is B)" },
		{ "import A A\n", "t.vss:1: import: A is no import of itself" },
		{ ALLOC "import B A in=vram\n", "t.vss:2: import: unexpected 'in=vram'" },
		{ "dumb A 64 64\n", "t.vss:1: dumb: bits per pixel is missing" },
		{ "dumb A 64 0 32\n", "t.vss:1: dumb: sides are not 0, and a pixel has whole bytes" },
		{ "dumb A 64 64 12\n", "t.vss:1: dumb: sides are not 0, and a pixel has whole bytes" },
		{ "dumb A 64 64 32\n", "t.vss:1: dumb: needs a device with node=primary" },
		{ ALLOC "priority A\n", "t.vss:2: priority: the priority is missing" },
		{ ALLOC "priority A most\n",
		  "t.vss:2: priority: priority 'most' is neither min, low, normal, high or max, nor a number from 1 to 0xc8000000" },
		{ "knob nothing 1\n", "t.vss:1: knob: there is no knob 'nothing'" },
		{ "knob evict_between 2\n", "t.vss:1: knob: the setting 2 is over 1" },
		{ "knob delay_paging 1000001\n", "t.vss:1: knob: the setting 1000001 is over 1000000" },
		{ "suspend 64\n", "t.vss:1: suspend: the engine 64 is over 63" },
		{ "resume now\n", "t.vss:1: resume: the engine 'now' is no number such as 12 or 0x0c" },
		{ "device D adapter=new\n", "t.vss:1: device: unexpected 'adapter=new'" },
		{ DMA " swizzle 1 0\n", "t.vss:5: swizzle: there are no whole rows in both slots" },
		{ DMA " unswizzle 0\n", "t.vss:5: unswizzle: the source slot is missing" },
		{ ALLOC "expect A discarded=2\n",
		  "t.vss:2: expect: discarded: '2' is neither 0 nor 1" },
		{ "expect A shared\n", "t.vss:1: expect: shared needs a value (shared=...)" },
		{ ALLOC "expect A acquired=1\n",
		  "t.vss:2: expect: 'acquired=1' is a total of the run: no name goes before it" },
		{ CTX "dma B D\n spin 1\n", "t.vss:2: dma: there is no context 'D' (there is C)" },
		{ CTX "dma B\n", "t.vss:2: dma: its context is missing" },
		{ CTX "dma B C\nsubmit B\n", "t.vss:2: dma: B has no commands (indented lines after it)" },
		{ CTX "dma B C\n", "t.vss:2: dma: B has no commands (indented lines after it)" },
		{ DMA "dma B C\n", "t.vss:5: dma: there is a DMA buffer B already" },
		{ CTX "dma B C\n jump 4\n", "t.vss:3: 'jump' is no command of a dma (there are bind, unbind, fill, copy, spin, pad, "
		  "swizzle, unswizzle, primary, signal, wait-fence)" },
		{ CTX "dma B C\n unbnd 4\n", "t.vss:3: 'unbnd' is no command of a dma (is it unbind?)" },
		{ CTX "dma B C\n bind 0 A\n", "t.vss:3: bind: there is no allocation 'A'" },
		{ CTX "dma B C\n bind\n", "t.vss:3: bind: the slot is missing" },
		{ CTX "dma B C\n bind 0x1000000 A\n", "t.vss:3: bind: the slot 0x1000000 is over 16777215" },
		{ "device D\nalloc A 4K device=D\n" CTX "dma B C\n bind 0 A\n",
		  "t.vss:5: bind: A is of another device than the context" },
		{ DMA " fill 0 256\n", "t.vss:5: fill: the byte 256 is over 255" },
		{ DMA " fill 0\n", "t.vss:5: fill: the byte is missing" },
		{ DMA " fill 0 1 4096\n", "t.vss:5: fill: length is missing" },
		{ DMA " copy 0\n", "t.vss:5: copy: the source slot is missing" },
		{ DMA " copy 0 1 2 3\n", "t.vss:5: copy: unexpected '3'" },
		{ DMA " spin 60000001\n", "t.vss:5: spin: the time 60000001 is over 60000000" },
		{ DMA " pad 20\n", "t.vss:5: pad: 20 is no multiple of 8" },
		{ DMA " pad 16\n",
		  "t.vss:5: pad: 16 (0x10) lies behind: the commands so far take 24 (0x18) bytes" },
		{ DMA " pad 2G\n", "t.vss:5: pad: the DMA buffer is over 1G" },
		{ "submit B\n", "t.vss:1: submit: there is no DMA buffer 'B'" },
		{ DMA "submit B now\n", "t.vss:5: submit: unexpected 'now'" },
		{ DMA "submit B after=B\n", "t.vss:5: submit: B was not submitted before" },
		{ DMA "submit B after=X\n", "t.vss:5: submit: there is no DMA buffer 'X' (there is B)" },
		{ DMA "wait B\n", "t.vss:5: wait: B was not submitted before" },
		{ "wait\n", "t.vss:1: wait: a DMA buffer, a head, or all, is missing" },
		{ "write A 1\n", "t.vss:1: write: there is no allocation 'A'" },
		{ ALLOC "write A 1 4096 1\n", "t.vss:2: write: 1 bytes from 4096 on are not inside of A, which has 4096" },
		{ ALLOC "write A 1 0 0xffffffffffffffff\n",
		  "t.vss:2: write: 18446744073709551615 bytes from 0 on are not inside of A, which has 4096" },
		{ ALLOC "lock A now\n", "t.vss:2: lock: unexpected 'now'" },
		{ ALLOC "resident B\n",
		  "t.vss:2: resident: there is no allocation 'B' (there is A)" },
		{ ALLOC "evict A now\n", "t.vss:2: evict: there is no allocation 'now' (there is A)" },
		{ ALLOC "resident R A later=1\n", "t.vss:2: resident: unexpected 'later=1'" },
		{ ALLOC "resident R A\nresident R A\n",
		  "t.vss:3: resident: there is a R already" },
		{ ALLOC "device D\nresident A device=D\n",
		  "t.vss:3: resident: A is an allocation of another device" },
		{ "budget D local 1M\n", "t.vss:1: budget: there is no device 'D'" },
		{ "device D\nbudget D all 1M\n",
		  "t.vss:2: budget: 'all' is neither local nor nonlocal" },
		{ "device D\ntrim D 0\n", "t.vss:2: trim: 0 bytes are nothing to give back" },
		{ "device D trim=no\n", "t.vss:1: device: unexpected 'trim=no'" },
		{ "close D\n", "t.vss:1: close: there is no device 'D'" },
		{ "device D\nclose D\nclose D\n", "t.vss:3: device D was closed in line 2" },
		{ "device D\nalloc A 4K device=D\nclose D\nwrite A 1\n",
		  "t.vss:4: device D was closed in line 3" },
		{ "expect\n", "t.vss:1: expect: the subject is missing" },
		{ "expect A\n", "t.vss:1: expect: A: a key such as ok is missing" },
		{ "expect A colour=red\n",
		  "t.vss:1: expect: 'colour' is nothing that can be expected" },
		{ "expect A bytes=1\n", "t.vss:1: expect: there is no allocation 'A'" },
		{ "expect B ok\n", "t.vss:1: expect: there is no DMA buffer or allocation or context or head or request 'B'" },
		{ "expect B portions=1\n", "t.vss:1: expect: there is no DMA buffer 'B'" },
		{ "expect B error=EIO\n",
		  "t.vss:1: expect: there is no DMA buffer or allocation or context or head or request 'B'" },
		{ "expect C state=active\n", "t.vss:1: expect: there is no context 'C'" },
		{ CTX "expect C state=dead\n", "t.vss:2: expect: 'dead' is no state (there are lost, "
		  "active, lost-oom, lost-hang, lost-fault, lost-residency, lost-page-fault)" },
		{ DMA "expect B ok\n", "t.vss:5: expect: B was not submitted before" },
		{ DMA "submit B\nexpect B portions\n",
		  "t.vss:6: expect: portions needs a value (portions=...)" },
		{ DMA "submit B\nexpect B portions=two\n",
		  "t.vss:6: expect: portions: 'two' is no number such as 12 or 0x0c" },
		{ DMA "submit B\nexpect B error=EFOO\n",
		  "t.vss:6: expect: 'EFOO' is no name of an error such as ENOSPC" },
		{ DMA "submit B\nexpect B error>=EIO\n", "t.vss:6: expect: error takes = only" },
		{ DMA "submit B\nexpect B ok=1\n", "t.vss:6: expect: ok takes no value" },
		{ DMA "submit B\nexpect B portions=1 bytes=1\n",
		  "t.vss:6: expect: these do not go together" },
		{ ALLOC "expect A bytes=300\n", "t.vss:2: expect: bytes: '300' is no byte such as 17 or 0x11" },
		{ ALLOC "expect A bytes=3 4096 1\n", "t.vss:2: expect: 1 bytes from 4096 on are not inside of A, which has 4096" },
		{ ALLOC "expect A bytes=3 1\n", "t.vss:2: expect: length is missing" },
		{ SEG ALLOC "expect A in=gart\n", "t.vss:3: expect: there is no segment 'gart' (there is vram)" },
		{ ALLOC "expect A at=here\n", "t.vss:2: expect: at: 'here' is no size such as 4096, 64K, 8M or 1G" },
		{ "expect evicted=lots\n", "t.vss:1: expect: evicted: 'lots' is no size such as 4096, 64K, 8M or 1G" },
		{ ALLOC "expect A moved=1\n",
		  "t.vss:2: expect: 'moved=1' is a total of the run: no name goes before it" },
		{ "expect portions=1\n", "t.vss:1: expect: a name is missing before 'portions=1'" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(refused(cases[i].text), cases[i].why);
}

static void no_text(void)
{
	struct scenario *s = scenario_parse("t.vss", "slots 4\0\n", 9, &error);

	CHECK(!s);
	CHECK_STR(error.text, "t.vss:1: the line has a NUL byte: this is no text");
	CHECK(!scenario_load("/nowhere/x.vss", &error));
	CHECK_STR(error.text, "/nowhere/x.vss: No such file or directory");
	CHECK(!scenario_load("/", &error));
	CHECK_STR(error.text, "/: Is a directory");
}

static void last_line_without_newline(void)
{
	CHECK_STR(refused("slots 4"), "accepted");
	CHECK_STR(refused("slots 4\nslots"), "t.vss:2: slots: given twice");
	CHECK_STR(refused("slots#4"), "t.vss:1: slots: the number is missing");
}

static void sizes(void)
{
	uint64_t v;
	char text[SIZE_TEXT];

	CHECK(parse_size("0", &v) && v == 0);
	CHECK(parse_size("0x10", &v) && v == 16);
	CHECK(parse_size("0x10K", &v) && v == 16384);
	CHECK(parse_size("16777215G", &v) && v == 16777215ull << 30);
	CHECK(parse_size("18446744073709551615", &v) && v == UINT64_MAX);
	CHECK(!parse_size("18446744073709551616", &v));
	CHECK(!parse_size("17179869184G", &v));
	CHECK(!parse_size("", &v));
	CHECK(!parse_size("K", &v));
	CHECK(!parse_size("0x", &v));
	CHECK(!parse_size("1k", &v));
	CHECK(!parse_size(" 1", &v));
	CHECK(!parse_size("+1", &v));
	CHECK(!parse_number("1K", &v));
	CHECK(!parse_number("0xg", &v));
	CHECK_STR(format_size(text, 0), "0");
	CHECK_STR(format_size(text, 96ull << 20), "96M");
	CHECK_STR(format_size(text, 5000), "5000");
	CHECK_STR(format_size(text, 2048ull << 30), "2048G");
	CHECK_STR(format_size(text, 1536), "1536");
	CHECK_STR(format_about(text, 999), "999 B");
	CHECK_STR(format_about(text, 1536), "1.5 KiB");
	CHECK_STR(format_about(text, 100ull << 20), "100 MiB");
	CHECK_STR(errno_name(-28), "ENOSPC");
	CHECK_EQ(errno_value("ENOSPC"), 28);
	CHECK_EQ(errno_value("ENOTHING"), 0);
}

static void numbers_of_any_width(void)
{
	uint32_t bytes;

	for (bytes = 1; bytes <= 8; bytes *= 2) {
		const uint64_t high = 1ull << (8 * bytes - 1);

		CHECK(signed_value(0, bytes) == 0);
		CHECK(signed_value(high - 1, bytes) == (int64_t)(high - 1));
		CHECK(signed_value(high | (high - 1), bytes) == -1);
		CHECK(signed_value(high, bytes) == -(int64_t)(high - 1) - 1);
		CHECK(signed_value((uint64_t)-5, bytes) == -5);
	}
}

/* The names of an object come back, also if the list has grown, and if a name comes twice. */
static void names_are_found(void)
{
	char *list[300] = { NULL }, text[20];
	struct name_index names = { 0 };
	uint32_t i, j;

	CHECK_EQ(find_name(&names, list, 0, sizeof(*list), "a"), NO_INDEX);
	for (i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "n%u", i % 200);
		/* The last name comes later. */
		CHECK_EQ(find_name(&names, list, i + 1, sizeof(*list), text),
			 i < 200 ? NO_INDEX : i - 200);
		list[i] = copy_text(text);
		for (j = 0; j <= i; j += 1 + i / 10) {
			snprintf(text, sizeof(text), "n%u", j % 200);
			CHECK_EQ(find_name(&names, list, i + 1, sizeof(*list), text), j % 200);
		}
	}
	for (i = 0; i < 300; i++)
		free(list[i]);
	free(names.slots);
}

/* Time that grows with the square of the lines would be hours here. */
static void many_lines(void)
{
	const uint32_t lines = 300000;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size), *told = fopen("/dev/null", "w");
	uint32_t i;

	fputs("context C\n", out);
	for (i = 0; i < lines; i++)
		fprintf(out, "alloc A%u 4K\n", i);
	fputs("dma B C\n bind 0 A0\n bind 1 A1\n", out);
	for (i = 0; i < lines; i++)
		fputs(" copy 0 1\n", out);
	fclose(out);
	CHECK_EQ(scenario_check_text("t.vss", text, size, told), 0);
	free(text);
	out = open_memstream(&text, &size);
	fputs("context C\nalloc A 4K\n", out);
	for (i = 0; i < lines; i++)
		fprintf(out, "dma B%u C\n bind 0 A\n fill 0 1\n%s", i, i % 2 ? " fill 0 1Q\n" : "");
	fclose(out);
	CHECK_EQ(scenario_check_text("t.vss", text, size, told), lines / 2);
	free(text);
	fclose(told);
}

int main(void)
{
	RUN(long_paths_are_told_whole);
	RUN(characters);
	RUN(titles_are_printable);
	RUN(a_whole_scenario);
	RUN(long_titles_are_cut);
	RUN(memory_statements);
	RUN(heads_and_flips);
	RUN(without_an_adapter);
	RUN(defaults);
	RUN(writes_are_found);
	RUN(fences_write_nothing);
	RUN(addresses_and_primaries);
	RUN(in_runs);
	RUN(small_priorities_have_an_order);
	RUN(a_mark_before_the_text);
	RUN(bad_files);
	RUN(no_text);
	RUN(last_line_without_newline);
	RUN(sizes);
	RUN(numbers_of_any_width);
	RUN(names_are_found);
	RUN(many_lines);
	return check_total_failures != 0;
}
