// SPDX-License-Identifier: MIT
/* Programs of the fuzzer: reading and writing them as text, making random ones, changing them. */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

static const char *const other_names[] = {
	"close-bo", "syncobj", "map", "touch", "unmap", "export", "reopen", "wait", "dumb",
	"fdinfo", "knob", "unbind", "populate", "locked", "remap", "poke", "import", "dmabuf",
	"debugfs", "hooks", "trace", "perf", "configfs", "fence", "bus", "buffer", "wrong",
	"faulty", "timeline", "many", "hang", "dying", "ranges", "pending", "plan", "surface",
	"foreign", "adapter", "filter", "clock", "cgroup",
	"user",
	"kms-fb", "kms-mode", "kms-commit", "kms-flip", "kms-cursor", "kms-wait", "kms-lease",
	"kms-master", "kms-probe", "kms-root", "kms-show",
};

_Static_assert(ARRAY_SIZE(other_names) == OTHER_END - OTHER_FIRST, "a name for each");

static const char *const prop_names[] = {
	"-", "site", "interrupt", "kernel", "beside", "held", "sites", "waits", "kernels",
};

_Static_assert(ARRAY_SIZE(prop_names) == PROP_END, "a name for each");

const char *vsplit_fuzz_call_name(unsigned int call)
{
	return call < OTHER_FIRST ? vsplit_calls[call].name : other_names[call - OTHER_FIRST];
}

int vsplit_fuzz_print(const struct vsplit_fuzz_program *p, char *text)
{
	int n = snprintf(text, VSPLIT_FUZZ_TEXT, "world %u kill %u\n", p->world, p->kill_us);

	for (unsigned int i = 0; i < p->nr; i++)
		n += snprintf(text + n, VSPLIT_FUZZ_TEXT - n, "%s %s %u %" PRIx64 "\n",
			      vsplit_fuzz_call_name(p->steps[i].call),
			      prop_names[p->steps[i].prop], p->steps[i].nth, p->steps[i].seed);
	igt_assert(n < VSPLIT_FUZZ_TEXT);
	return n;
}

static bool parse_step(const char *line, struct vsplit_fuzz_step *s)
{
	char call[32], prop[32];
	unsigned int nth;

	if (sscanf(line, "%31s %31s %u %" SCNx64, call, prop, &nth, &s->seed) != 4)
		return false;
	for (s->call = 0; s->call < OTHER_END && strcmp(call, vsplit_fuzz_call_name(s->call)); )
		s->call++;
	for (s->prop = 0; s->prop < PROP_END && strcmp(prop, prop_names[s->prop]); )
		s->prop++;
	s->nth = nth;
	return s->call < OTHER_END && s->prop < PROP_END;
}

const char *vsplit_fuzz_parse(const char *text, struct vsplit_fuzz_program *p)
{
	unsigned int world, kill;

	memset(p, 0, sizeof(*p));
	text += strspn(text, " \n");
	if (!*text)
		return NULL;
	igt_assert_f(sscanf(text, "world %u kill %u", &world, &kill) == 2, "no program: %.40s\n",
		     text);
	p->world = world % VSPLIT_FUZZ_WORLDS;
	p->kill_us = kill;
	text += strcspn(text, "\n");
	while (p->nr < VSPLIT_FUZZ_STEPS) {
		text += strspn(text, " \n");
		if (!*text || !strncmp(text, "world ", 6))
			break;
		igt_assert_f(parse_step(text, &p->steps[p->nr]), "no step: %.40s\n", text);
		p->nr++;
		text += strcspn(text, "\n");
	}
	return text;
}

/* Does this step take a hundred times longer than others? */
static bool is_dear(unsigned int call)
{
	return call == OTHER_CONFIGFS || call == OTHER_UNBIND || call == OTHER_BUS ||
	       call == OTHER_MANY || call == OTHER_HANG || call == OTHER_DYING ||
	       call == OTHER_ADAPTER || call == OTHER_FILTER || call == OTHER_CLOCK ||
	       call == OTHER_CGROUP;
}

static bool has_heads(unsigned int world)
{
	return world == VSPLIT_FUZZ_PCI || world >= VSPLIT_FUZZ_HEADS;
}

/* A random step of a program in @world. */
static void random_step(struct vsplit_rng *rng, struct vsplit_fuzz_step *s, unsigned int world,
			const bool *has)
{
	uint32_t dice = vsplit_rng_below(rng, 100);

	memset(s, 0, sizeof(*s));
	s->seed = vsplit_rng_next(rng);
	/* Submissions and allocations matter most. */
	if (dice < 25)
		s->call = DRM_VSPLIT_SUBMIT;
	else if (dice < 32)
		s->call = DRM_VSPLIT_GEM_CREATE;
	else if (dice < 38)
		s->call = OTHER_BUFFER;
	else if (dice < 42)
		s->call = OTHER_TOUCH;
	else
		s->call = vsplit_rng_below(rng, OTHER_END);
	/* Steps on heads: often where there are heads, seldom elsewhere. */
	if (has_heads(world) && vsplit_fuzz_dice(rng, 3))
		s->call = OTHER_KMS_FB + vsplit_rng_below(rng, OTHER_END - OTHER_KMS_FB);
	else if (s->call >= OTHER_KMS_FB && !has_heads(world) && !vsplit_fuzz_dice(rng, 12))
		s->call = DRM_VSPLIT_ESCAPE;
	/* Dear steps are slow, and destroy all that was there. */
	if (is_dear(s->call) && !vsplit_fuzz_dice(rng, 12))
		s->call = DRM_VSPLIT_ESCAPE;
	if (vsplit_rng_below(rng, 100) < 60)
		return;
	s->prop = vsplit_rng_below(rng, PROP_END);
	/* Mostly a single failure is enough. */
	if (s->prop > PROP_HELD && (is_dear(s->call) || !vsplit_fuzz_dice(rng, 8)))
		s->prop = PROP_SITE + s->prop - PROP_SITES;
	if (!has[s->prop])
		s->prop = PROP_BESIDE;
	s->nth = 1 + vsplit_rng_below(rng, s->prop == PROP_KERNEL ? 60 : 24);
}

void vsplit_fuzz_random(struct vsplit_rng *rng, struct vsplit_fuzz_program *p,
			const bool has[PROP_END])
{
	memset(p, 0, sizeof(*p));
	p->world = vsplit_rng_below(rng, VSPLIT_FUZZ_WORLDS);
	p->nr = 4 + vsplit_rng_below(rng, VSPLIT_FUZZ_STEPS - 3);
	for (unsigned int i = 0; i < p->nr; i++)
		random_step(rng, &p->steps[i], p->world, has);
	/* The first step makes something to work with. */
	p->steps[0].call = OTHER_POPULATE;
	p->steps[0].prop = PROP_NONE;
}

void vsplit_fuzz_change(struct vsplit_rng *rng, struct vsplit_fuzz_program *p,
			const struct vsplit_fuzz_program *with, const bool has[PROP_END])
{
	unsigned int changes = 1 + vsplit_rng_below(rng, 3);

	while (changes--) {
		unsigned int at = vsplit_rng_below(rng, p->nr);

		switch (vsplit_rng_below(rng, 8)) {
		case 0:
			random_step(rng, &p->steps[at], p->world, has);
			break;
		case 1:
			p->steps[at].seed = vsplit_rng_next(rng);
			break;
		case 2:		/* removed */
			if (p->nr > 2) {
				memmove(&p->steps[at], &p->steps[at + 1],
					(p->nr - at - 1) * sizeof(p->steps[0]));
				p->nr--;
			}
			break;
		case 3:		/* inserted */
			if (p->nr < VSPLIT_FUZZ_STEPS) {
				memmove(&p->steps[at + 1], &p->steps[at],
					(p->nr - at) * sizeof(p->steps[0]));
				p->nr++;
				random_step(rng, &p->steps[at], p->world, has);
			}
			break;
		case 4:		/* taken from another program */
			p->steps[at] = with->steps[vsplit_rng_below(rng, with->nr)];
			break;
		case 5:		/* repeated */
			if (p->nr < VSPLIT_FUZZ_STEPS)
				p->steps[p->nr++] = p->steps[at];
			break;
		case 6:		/* the next failure */
			if (p->steps[at].prop == PROP_NONE && has[PROP_SITE])
				p->steps[at].prop = PROP_SITE + vsplit_rng_below(rng, 3);
			if (!has[p->steps[at].prop])
				p->steps[at].prop = PROP_NONE;
			p->steps[at].nth = p->steps[at].nth % 100 + 1;
			break;
		default:
			p->world = vsplit_rng_below(rng, VSPLIT_FUZZ_WORLDS);
			break;
		}
	}
}

void vsplit_fuzz_cheapen(struct vsplit_fuzz_program *p)
{
	unsigned int dear = 0;

	for (unsigned int i = 0; i < p->nr; i++) {
		if (p->steps[i].prop > PROP_HELD && ++dear > 2)
			p->steps[i].prop = PROP_NONE;
		if (!is_dear(p->steps[i].call))
			continue;
		if (++dear > 1 + p->nr / 8u)
			p->steps[i].call = OTHER_BUFFER;
	}
}

bool vsplit_fuzz_unbinds(const struct vsplit_fuzz_program *p)
{
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->steps[i].call == OTHER_UNBIND || p->steps[i].call == OTHER_BUS ||
		    p->steps[i].call == OTHER_DYING)
			return true;
	return false;
}

bool vsplit_fuzz_is_wanted(unsigned int world)
{
	const char *list = getenv("VSPLIT_WORLDS");
	char *end;

	if (!list)
		return true;
	for (; *list; list = *end ? end + 1 : end)
		if (strtoul(list, &end, 10) == world && end != list)
			return true;
	return false;
}
