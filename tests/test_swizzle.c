// SPDX-License-Identifier: MIT
/*
 * The tiled layout: against its definition, and as a bijection on any size.
 */
#include "../drv/gpu/vsplit_swizzle.h"
#include "harness.h"

/* The definition: tiles of 64 bytes by 64 rows, row-major twice. */
static u64 reference(u32 pitch, u32 x, u64 y)
{
	u64 tile = y / 64 * (pitch / 64) + x / 64;

	return tile * 4096 + y % 64 * 64 + x % 64;
}

/* Where a byte of the linear surface is in tiles; bytes behind the last whole row of tiles stay. */
static u64 to_tiled(u32 pitch, u64 bytes, u64 linear)
{
	u64 band = pitch * 64ull;

	return linear < bytes / band * band ? reference(pitch, linear % pitch, linear / pitch) : linear;
}

static void swizzle_definition(void)
{
	static const u32 pitches[] = { 64, 128, 192, 320, 4096, 65536 + 64 };
	u32 i, x, y;

	for (i = 0; i < ARRAY_SIZE(pitches); i++) {
		u32 pitch = pitches[i];
		u64 bytes = (u64)pitch * 192;

		for (y = 0; y < 192; y += 1 + y % 3) {
			for (x = 0; x < pitch; x += pitch > 4096 ? 61 : 1) {
				u64 should = reference(pitch, x, y);
				u64 linear = (u64)y * pitch + x;

				t_check(vsplit_swizzle_xy(pitch, x, y) == should);
				t_check(vsplit_swizzle_to_linear(pitch, bytes, should) == linear);
			}
		}
	}
}

/* For any size: a bijection on [0, bytes), and the tail behind the last band stays. */
static void swizzle_bijection(void)
{
	static const u32 pitches[] = { 64, 128, 448, 1024 };
	u32 i, pages;

	for (i = 0; i < ARRAY_SIZE(pitches); i++) {
		for (pages = 1; pages <= 40; pages++) {
			u64 bytes = pages * 4096ull, band = pitches[i] * 64ull, at;
			u8 *seen = calloc(1, bytes);

			for (at = 0; at < bytes; at++) {
				u64 to = to_tiled(pitches[i], bytes, at);

				if (to >= bytes || seen[to]++) {
					t_fail("pitch %u, %llu bytes: %llu goes to %llu",
					       pitches[i], (long long)bytes, (long long)at,
					       (long long)to);
					break;
				}
				t_check(vsplit_swizzle_to_linear(pitches[i], bytes, to) == at);
				if (at >= bytes / band * band)
					t_check(to == at);
			}
			free(seen);
		}
	}
}

static void swizzle_pitch(void)
{
	u32 pitch;

	for (pitch = 0; pitch < 1024; pitch++)
		t_check(vsplit_swizzle_pitch_ok(pitch) == (pitch && !(pitch & 63)));
}

/* A surface beyond 4 GiB: nothing is computed with 32 bits. */
static void swizzle_large(void)
{
	u32 pitch = 1u << 20;
	u64 bytes = (u64)pitch << 16, y = 65535, linear = y * pitch + 12345;

	t_check(vsplit_swizzle_xy(pitch, 12345, y) == reference(pitch, 12345, y));
	t_check(vsplit_swizzle_to_linear(pitch, bytes, reference(pitch, 12345, y)) == linear);
	/* The largest possible pitch. */
	pitch = ~63u;
	bytes = (u64)pitch * 128;
	linear = 100ull * pitch + pitch - 1;
	t_check(vsplit_swizzle_xy(pitch, pitch - 1, 100) == reference(pitch, pitch - 1, 100));
	t_check(vsplit_swizzle_to_linear(pitch, bytes, reference(pitch, pitch - 1, 100)) == linear);
}

int main(void)
{
	t_run(swizzle_definition);
	t_run(swizzle_bijection);
	t_run(swizzle_pitch);
	t_run(swizzle_large);
	return t_status;
}
