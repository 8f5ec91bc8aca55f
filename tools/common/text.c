// SPDX-License-Identifier: MIT
/* Numbers, sizes, names of errors, arrays, strings of JSON, the terminal. */
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

int64_t signed_value(uint64_t value, uint32_t bytes)
{
	const uint64_t sign = 1ull << (8 * bytes - 1);

	/* Cut the bits above the sign bit, then set all of them to the sign. */
	value &= sign | (sign - 1);
	return (int64_t)((value ^ sign) - sign);
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

void *need_memory(void *ptr)
{
	if (!ptr) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	return ptr;
}

char *copy_text(const char *text)
{
	return need_memory(strdup(text));
}

ssize_t read_line(char **line, size_t *room, size_t max, FILE *file)
{
	size_t len = 0;
	int c = 0;

	while (c != '\n' && (c = getc_unlocked(file)) != EOF) {
		if (len == max)
			return -EFBIG;
		if (len + 1 >= *room) {
			size_t more = *room ? *room * 2 : 256;
			char *text = realloc(*line, more);

			if (!text)
				return -ENOMEM;
			*line = text;
			*room = more;
		}
		(*line)[len++] = (char)c;
	}
	if (ferror(file))
		return -errno;
	if (len)
		(*line)[len] = '\0';
	return (ssize_t)len;
}

void *append(void *list, uint32_t *count, size_t size)
{
	char *more = list;

	/* Grow the array when the count is a power of two. */
	if (!(*count & (*count - 1)))
		more = need_memory(reallocarray(list, *count ? *count * 2ul : 1, size));
	memset(more + *count * size, 0, size);
	(*count)++;
	return more;
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

unsigned int terminal_width(int fd, unsigned int least)
{
	const char *columns = getenv("COLUMNS");
	unsigned int width = 80;
	struct winsize size;
	uint64_t value;

	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		width = size.ws_col;
	else if (columns && parse_number(columns, &value) && value)
		width = value > 240 ? 240 : (unsigned int)value;
	if (width < least)
		width = least;
	return width > 240 ? 240 : width;
}

size_t character_length(const char *text)
{
	/* The least code point that needs so many bytes. */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)*text;
	size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0x80 ? 2 : 1, i;
	uint32_t code = first;

	if ((first >= 0x80 && first < 0xc0) || first >= 0xf8)
		return 0;
	if (len > 1)
		code &= 0xffu >> (len + 1);
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    code == 0xfffe || code == 0xffff)
		return 0;
	return len;
}

int whole_letters(const char *text, size_t most)
{
	size_t bytes = 0, len;

	for (; text[bytes]; bytes += len) {
		len = character_length(text + bytes);
		len = len ? len : 1;
		if (bytes + len > most)
			break;
	}
	return (int)bytes;
}

void make_printable(char *text)
{
	size_t len;

	for (; *text; text += len) {
		unsigned char c = (unsigned char)*text;

		len = character_length(text);
		/* Control characters of two bytes end at U+009F. */
		if (len && c >= 0x20 && c != 0x7f && (c != 0xc2 || (unsigned char)text[1] >= 0xa0))
			continue;
		len = len ? len : 1;
		memset(text, c == '\t' ? ' ' : '?', len);
	}
}

void put_json_string(FILE *out, const char *text)
{
	size_t len;

	putc('"', out);
	for (; *text; text += len ? len : 1) {
		unsigned char c = (unsigned char)*text;

		len = character_length(text);
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == '<' || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else if (len == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0)
			fprintf(out, "\\u%04x", (unsigned char)text[1]);
		else if (len)
			fwrite(text, 1, len, out);
		else
			fputs("\\ufffd", out);
	}
	putc('"', out);
}
