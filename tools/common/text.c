// SPDX-License-Identifier: MIT
/* Numbers, sizes, names of errors, strings of JSON, the terminal. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

#include "common.h"

#define LAST_ERRNO	133

static bool parse_prefix(const char *text, uint64_t *value, const char **end)
{
	char *stop;
	int base = 10;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		if (!isxdigit((unsigned char)text[2]))
			return false;
	} else if (!isdigit((unsigned char)text[0])) {
		return false;
	}
	errno = 0;
	*value = strtoull(text, &stop, base);
	*end = stop;
	return !errno;
}

bool parse_number(const char *text, uint64_t *value)
{
	const char *end;

	return parse_prefix(text, value, &end) && !*end;
}

bool parse_size(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	const char *end, *suffix;
	unsigned int shift;

	if (!parse_prefix(text, value, &end))
		return false;
	if (!*end)
		return true;
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1])
		return false;
	shift = 10 * (unsigned int)(suffix - suffixes + 1);
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

const char *format_size(char text[SIZE_TEXT], uint64_t bytes)
{
	static const char suffixes[] = "\0KMG";
	unsigned int i = 0;

	while (i < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	snprintf(text, SIZE_TEXT, "%" PRIu64 "%.1s", bytes, &suffixes[i]);
	return text;
}

const char *format_about(char text[SIZE_TEXT], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	unsigned int i = 0;

	while (value >= 1000 && i + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		i++;
	}
	snprintf(text, SIZE_TEXT, "%.*f %s", i && value < 100 ? 1 : 0, value, units[i]);
	return text;
}

const char *errno_name(int error)
{
	const char *name = strerrorname_np(error < 0 ? -error : error);

	return name ? name : "EUNKNOWN";
}

int errno_value(const char *name)
{
	int i;

	for (i = 1; i <= LAST_ERRNO; i++) {
		const char *known = strerrorname_np(i);

		if (known && !strcmp(known, name))
			return i;
	}
	return 0;
}

void complain(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

unsigned int terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	unsigned int width = 80;
	struct winsize size;
	uint64_t value;

	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		width = size.ws_col;
	else if (columns && parse_number(columns, &value) && value)
		width = value > 240 ? 240 : (unsigned int)value;
	if (width < 40)
		width = 40;
	return width > 240 ? 240 : width;
}

void put_json_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\' || c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}
