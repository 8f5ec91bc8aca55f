// SPDX-License-Identifier: MIT
/*
 * The library from C++: fills an allocation on the GPU and prints how it went. Objects give
 * themselves back, and errors are exceptions.
 *
 * c++ -o hello hello.cc $(pkg-config --cflags --libs libdrm_vsplit)
 */
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <system_error>

#include "vsplit.h"

template <typename T, void (*give_back)(T *)>
struct Deleter {
	void operator()(T *object) const { give_back(object); }
};

using Device = std::unique_ptr<vsplit_device, Deleter<vsplit_device, vsplit_device_close>>;
using Context = std::unique_ptr<vsplit_context, Deleter<vsplit_context, vsplit_context_destroy>>;
using Bo = std::unique_ptr<vsplit_bo, Deleter<vsplit_bo, vsplit_bo_destroy>>;
using Stream = std::unique_ptr<vsplit_stream, Deleter<vsplit_stream, vsplit_stream_destroy>>;
using Record = std::unique_ptr<vsplit_record, Deleter<vsplit_record, vsplit_record_free>>;

static void check(int ret, const char *what)
{
	if (ret)
		throw std::system_error(-ret, std::generic_category(), what);
}

/* Return the object that a call stores through its last argument. */
template <typename Owner, typename Call, typename... Args>
static Owner make(const char *what, Call call, Args... args)
{
	typename Owner::pointer object;

	check(call(args..., &object), what);
	return Owner(object);
}

static void hello()
{
	const std::size_t size = 1 << 20;
	Device dev = make<Device>("open", vsplit_device_open, nullptr);
	Context ctx = make<Context>("context", vsplit_context_create, dev.get(), 0,
				    VSPLIT_CTX_PRIORITY_NORMAL, 0);
	Bo bo = make<Bo>("allocation", vsplit_bo_create, dev.get(), size, 0);
	Stream stream = make<Stream>("stream", vsplit_stream_create);
	vsplit_submission done;
	void *bytes;
	int error;

	vsplit_stream_bind(stream.get(), 0, bo.get(), 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(stream.get(), 0, 0, size, 0x01010101);
	check(vsplit_submit(ctx.get(), stream.get(), 0, nullptr, 0, &done), "submit");
	check(vsplit_wait(ctx.get(), done.id, -1, &error), "wait");
	check(error, "execution");
	check(vsplit_bo_map(bo.get(), &bytes), "map");
	std::cout << "the last byte is " << int(static_cast<char *>(bytes)[size - 1]) << '\n';

	Record record = make<Record>("record", vsplit_record_read, ctx.get(), done.id);
	char *text;

	check(vsplit_record_text(record.get(), &text), "text");
	std::cout << text;
	std::free(text);
}

int main()
{
	try {
		hello();
	} catch (const std::system_error &e) {
		std::cerr << "hello: " << e.what() << '\n';
		return 1;
	}
	return 0;
}
