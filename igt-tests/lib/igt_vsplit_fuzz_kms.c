// SPDX-License-Identifier: MIT
/*
 * What a client does to the heads of an adapter, from a seed: framebuffers, commits, flips,
 * cursors, vblanks, leases, and root's files of the heads.
 *
 * A client opens a file on the primary node in its first such step. The first file that is open is
 * DRM master. Most steps are made by the master, a few by the other client. A signal ends every
 * wait of a step: a commit may wait for the client's own work without limit, and that work may have
 * no end.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_kms.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define DEBUGFS "/sys/kernel/debug/dri/"

/* ---- what there is ------------------------------------------------------ */

/* Objects have the same ids each time an adapter is bound. */
static struct kms_display displays[VSPLIT_FUZZ_WORLDS];

static unsigned int nr_displays;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
/* Heads may be lit, or have no monitor, because of steps of the running program. */
static bool used;

static const struct kms_display *display_of(const struct vsplit_adapter *ad)
{
	for (unsigned int i = 0; i < nr_displays; i++)
		if (displays[i].ad == ad)
			return &displays[i];
	return NULL;
}

static void find_props(int fd, struct kms_object *o, uint32_t id)
{
	drmModeObjectPropertiesPtr props = drmModeObjectGetProperties(fd, id, DRM_MODE_OBJECT_ANY);

	o->id = id;
	for (uint32_t i = 0; props && i < props->count_props && o->nr < ARRAY_SIZE(o->props); i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, props->props[i]);

		if (!prop)
			continue;
		o->props[o->nr].id = prop->prop_id;
		snprintf(o->props[o->nr++].name, sizeof(o->props[0].name), "%.27s", prop->name);
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
}

static void find_connectors(int fd, struct kms_head *head, const drmModeRes *res)
{
	for (int i = 0; i < res->count_connectors; i++) {
		drmModeConnectorPtr con = drmModeGetConnectorCurrent(fd, res->connectors[i]);
		drmModeEncoderPtr enc = con ? drmModeGetEncoder(fd, con->encoders[0]) : NULL;

		if (enc && enc->possible_crtcs & (1u << head->pipe)) {
			if (con->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
				find_props(fd, &head->writeback, con->connector_id);
			} else {
				find_props(fd, &head->connector, con->connector_id);
				snprintf(head->name, sizeof(head->name), "Virtual-%u",
					 con->connector_type_id);
			}
		}
		drmModeFreeEncoder(enc);
		drmModeFreeConnector(con);
	}
}

static void find_planes(int fd, struct kms_head *head)
{
	drmModePlaneResPtr res = drmModeGetPlaneResources(fd);

	for (uint32_t i = 0; res && i < res->count_planes; i++) {
		drmModePlanePtr plane = drmModeGetPlane(fd, res->planes[i]);

		if (plane && plane->possible_crtcs & (1u << head->pipe) &&
		    head->nr_planes < ARRAY_SIZE(head->planes))
			find_props(fd, &head->planes[head->nr_planes++], plane->plane_id);
		drmModeFreePlane(plane);
	}
	drmModeFreePlaneResources(res);
}

static int open_primary(const struct vsplit_adapter *ad)
{
	char path[32];
	int file;

	snprintf(path, sizeof(path), "/dev/dri/card%d", ad->primary);
	/* Nonblocking: events are read only if there are any. */
	file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return -errno;
	drmSetClientCap(file, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
	drmSetClientCap(file, DRM_CLIENT_CAP_ATOMIC, 1);
	drmSetClientCap(file, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1);
	return file;
}

void vsplit_fuzz_kms_find(const struct vsplit_adapter *ad)
{
	struct kms_display *d = &displays[nr_displays];
	int file = display_of(ad) || nr_displays == ARRAY_SIZE(displays) ? -1 : open_primary(ad);
	drmModeResPtr res;

	if (file < 0)
		return;
	res = drmModeGetResources(file);
	for (int i = 0; res && i < res->count_crtcs && d->nr < ARRAY_SIZE(d->heads); i++) {
		struct kms_head *head = &d->heads[d->nr++];

		head->pipe = i;
		find_props(file, &head->crtc, res->crtcs[i]);
		find_connectors(file, head, res);
		find_planes(file, head);
		igt_assert(head->connector.id && head->writeback.id && head->nr_planes > 1);
	}
	drmModeFreeResources(res);
	close(file);
	if (!d->nr)
		return;
	d->ad = ad;
	nr_displays++;
}

/* ---- waiting has an end ------------------------------------------------- */

#define KMS_PATIENCE_NS 150000000

static void wake(int signal_number)
{
}

static bool patience_begin(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 5 };
	/* The timer repeats, because the first signal may come before the wait. */
	const struct itimerspec when = {
		.it_value.tv_nsec = KMS_PATIENCE_NS, .it_interval.tv_nsec = KMS_PATIENCE_NS / 8,
	};

	event._sigev_un._tid = syscall(SYS_gettid);
	return !timer_create(CLOCK_MONOTONIC, &event, timer) &&
	       !timer_settime(*timer, 0, &when, NULL);
}

/* ---- the older calls ---------------------------------------------------- */

static int flip_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	uint32_t w, h, fb = kms_fb(c, rng, &w, &h), connector = head->connector.id;

	switch (below(rng, 8)) {
	case 0: {
		struct drm_mode_crtc args = {
			.crtc_id = head->crtc.id, .fb_id = fb, .mode = kms_mode(rng),
			.mode_valid = odd32(rng, 1), .count_connectors = odd32(rng, 1),
			.set_connectors_ptr = (uintptr_t)&connector,
		};

		if (dice(rng, 4)) {
			args.fb_id = 0;
			args.mode_valid = 0;
			args.count_connectors = 0;
		}
		/* The kernel reads as many ids as are counted. */
		if (args.count_connectors > 1)
			args.set_connectors_ptr = 0;
		return kms_call(c->kms, DRM_IOCTL_MODE_SETCRTC, &args);
	}
	case 1: {
		struct drm_mode_set_plane args = {
			.plane_id = head->planes[below(rng, head->nr_planes)].id,
			.crtc_id = odd32(rng, head->crtc.id), .fb_id = dice(rng, 4) ? 0 : fb,
			.crtc_x = odd32(rng, below(rng, 40)), .crtc_w = odd32(rng, w),
			.crtc_h = odd32(rng, h), .src_w = odd32(rng, w << 16),
			.src_h = odd32(rng, h << 16), .flags = odd32(rng, 0),
		};

		return kms_call(c->kms, DRM_IOCTL_MODE_SETPLANE, &args);
	}
	case 2: {
		uint16_t color[3][KMS_LUT] = {};
		struct drm_mode_crtc_lut args = {
			.crtc_id = head->crtc.id,
			.gamma_size = vsplit_fuzz_odd(rng) ? below(rng, KMS_LUT) : KMS_LUT,
			.red = (uintptr_t)color[0], .green = (uintptr_t)color[1],
			.blue = (uintptr_t)color[2],
		};

		return kms_call(c->kms, dice(rng, 3) ? DRM_IOCTL_MODE_GETGAMMA :
				DRM_IOCTL_MODE_SETGAMMA, &args);
	}
	case 3: {
		struct drm_mode_obj_set_property args = {
			.obj_id = head->crtc.id, .obj_type = DRM_MODE_OBJECT_ANY,
			.prop_id = head->crtc.props[below(rng, head->crtc.nr)].id,
			.value = below(rng, 2),
		};

		return kms_call(c->kms, DRM_IOCTL_MODE_OBJ_SETPROPERTY, &args);
	}
	default: {
		struct drm_mode_crtc_page_flip_target args = {
			.crtc_id = odd32(rng, head->crtc.id), .fb_id = fb,
			.flags = odd32(rng, below(rng, 4)), .user_data = 1,
		};

		return kms_call(c->kms, DRM_IOCTL_MODE_PAGE_FLIP, &args);
	}
	}
}

static int cursor_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		       struct vsplit_rng *rng)
{
	struct drm_mode_cursor2 args = {
		.flags = odd32(rng, 1 + below(rng, 3)), .crtc_id = odd32(rng, head->crtc.id),
		.x = odd32(rng, below(rng, 80)), .y = odd32(rng, below(rng, 60)),
		.width = odd32(rng, 16u << below(rng, 3)), .hot_x = odd32(rng, below(rng, 16)),
	};

	args.height = odd32(rng, args.width);
	if (args.flags & DRM_MODE_CURSOR_BO && !dice(rng, 4))
		args.handle = kms_bo(c, rng, 64 * 64 * 4);
	/* The argument of the shorter call is the beginning of the longer one's. */
	return kms_call(c->kms, dice(rng, 3) ? DRM_IOCTL_MODE_CURSOR : DRM_IOCTL_MODE_CURSOR2,
			&args);
}

/* ---- time --------------------------------------------------------------- */

static int wait_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	union drm_wait_vblank vblank = {
		.request = {
			.type = DRM_VBLANK_RELATIVE | head->pipe << DRM_VBLANK_HIGH_CRTC_SHIFT,
			.sequence = below(rng, 3), .signal = 7,
		},
	};
	struct drm_crtc_get_sequence get = { .crtc_id = odd32(rng, head->crtc.id) };
	struct drm_crtc_queue_sequence queue = {
		.crtc_id = odd32(rng, head->crtc.id), .user_data = 9,
		.flags = odd32(rng, DRM_CRTC_SEQUENCE_RELATIVE | below(rng, 2) << 1),
		.sequence = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : below(rng, 4),
	};
	char events[1024];

	switch (below(rng, 5)) {
	case 0:
		if (vsplit_fuzz_odd(rng))
			vblank.request.type = vsplit_fuzz_wild(rng);
		vblank.request.sequence = odd32(rng, vblank.request.sequence);
		return kms_call(c->kms, DRM_IOCTL_WAIT_VBLANK, &vblank);
	case 1:
		vblank.request.type |= DRM_VBLANK_EVENT;
		vblank.request.type |= dice(rng, 2) ? DRM_VBLANK_NEXTONMISS : 0;
		vblank.request.sequence = odd32(rng, vblank.request.sequence);
		return kms_call(c->kms, DRM_IOCTL_WAIT_VBLANK, &vblank);
	case 2:
		return kms_call(c->kms, DRM_IOCTL_CRTC_GET_SEQUENCE, &get);
	case 3:
		return kms_call(c->kms, DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &queue);
	default:
		return read(c->kms, events, sizeof(events)) < 0 ? -errno : 0;
	}
}

/* ---- masters and leases ------------------------------------------------- */

static int lease_step(struct vsplit_fuzz_client *c, const struct kms_display *d,
		      struct vsplit_rng *rng)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];
	uint32_t objects[8] = { head->crtc.id, head->connector.id }, lessees[8];
	struct drm_mode_create_lease args = {
		.object_ids = (uintptr_t)objects, .object_count = 2, .flags = odd32(rng, O_CLOEXEC),
	};
	struct drm_mode_list_lessees list = {
		.count_lessees = ARRAY_SIZE(lessees), .lessees_ptr = (uintptr_t)lessees,
	};
	struct drm_mode_get_lease get = {
		.count_objects = ARRAY_SIZE(objects), .objects_ptr = (uintptr_t)objects,
	};
	struct drm_mode_revoke_lease revoke;
	int ret;

	for (unsigned int i = 0; i < head->nr_planes; i++)
		if (!i || !dice(rng, 6))
			objects[args.object_count++] = odd32(rng, head->planes[i].id);
	if (!dice(rng, 6))
		objects[args.object_count++] = head->writeback.id;
	if (vsplit_fuzz_odd(rng))
		args.object_count = below(rng, 8);
	ret = kms_call(c->kms, DRM_IOCTL_MODE_CREATE_LEASE, &args);
	kms_call(c->kms, DRM_IOCTL_MODE_LIST_LESSEES, &list);
	if (ret)
		return ret;
	drmSetClientCap(args.fd, DRM_CLIENT_CAP_ATOMIC, 1);
	drmSetClientCap(args.fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1);
	kms_call(args.fd, DRM_IOCTL_MODE_GET_LEASE, &get);
	/*
	 * A file sees the framebuffers of all files, and its own leave the screen only when it is
	 * closed.
	 */
	ret = kms_commit_step(args.fd, c, head, rng);
	revoke.lessee_id = odd32(rng, args.lessee_id);
	/* Otherwise none of its objects can be leased again. */
	if (!dice(rng, 4))
		kms_call(c->kms, DRM_IOCTL_MODE_REVOKE_LEASE, &revoke);
	kms_commit_step(args.fd, c, head, rng);
	vsplit_fuzz_add_file(c, args.fd);
	return ret;
}

static int master_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	struct drm_auth auth = {};
	int ret;

	switch (below(rng, 4)) {
	case 0:
		return kms_call(c->kms, DRM_IOCTL_DROP_MASTER, NULL);
	case 1:
		return kms_call(c->kms, DRM_IOCTL_SET_MASTER, NULL);
	case 2:
		/* The other client becomes master. */
		ret = kms_call(c->kms, DRM_IOCTL_DROP_MASTER, NULL);
		if (other->kms >= 0)
			ret = kms_call(other->kms, DRM_IOCTL_SET_MASTER, NULL);
		return ret;
	default:
		ret = kms_call(other->kms >= 0 ? other->kms : c->kms, DRM_IOCTL_GET_MAGIC, &auth);
		auth.magic = odd32(rng, auth.magic);
		return ret ?: kms_call(c->kms, DRM_IOCTL_AUTH_MAGIC, &auth);
	}
}

/* Queries that a client makes when it starts, or when a monitor was connected. */
static int probe_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		      struct vsplit_rng *rng)
{
	struct drm_mode_modeinfo modes[64];
	uint32_t props[64], encoders[4];
	uint64_t values[64];
	struct drm_mode_get_connector args = {
		.connector_id = dice(rng, 3) ? head->writeback.id : head->connector.id,
		.modes_ptr = (uintptr_t)modes, .props_ptr = (uintptr_t)props,
		.prop_values_ptr = (uintptr_t)values, .encoders_ptr = (uintptr_t)encoders,
		/* With a count of 0 modes the kernel probes the connector. */
		.count_modes = dice(rng, 2) ? 0 : ARRAY_SIZE(modes), .count_props = 64,
		.count_encoders = 4,
	};
	struct drm_mode_crtc crtc = { .crtc_id = odd32(rng, head->crtc.id) };
	struct drm_mode_get_plane plane = {
		.plane_id = odd32(rng, head->planes[below(rng, head->nr_planes)].id),
	};

	switch (below(rng, 4)) {
	case 0:
		return kms_call(c->kms, DRM_IOCTL_MODE_GETCRTC, &crtc);
	case 1:
		return kms_call(c->kms, DRM_IOCTL_MODE_GETPLANE, &plane);
	default:
		args.connector_id = odd32(rng, args.connector_id);
		return kms_call(c->kms, DRM_IOCTL_MODE_GETCONNECTOR, &args);
	}
}

/* ---- root --------------------------------------------------------------- */

static int read_some(struct vsplit_fuzz_client *c, const char *path, struct vsplit_rng *rng)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	char text[512];

	if (file < 0)
		return -errno;
	ret = read(file, text, sizeof(text)) < 0 ? -errno : 0;
	/* A file that stays open keeps computing checksums. */
	if (dice(rng, 4))
		vsplit_fuzz_add_file(c, file);
	else
		close(file);
	return ret;
}

/* Connects or disconnects a monitor, reads checksums, or reads a picture. */
static int root_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	static const char *const connected[] = { "0", "1", "1", "2", "x" };
	static const char *const crcs[] = { "auto", "auto", "none", "", "autos" };
	char path[96];

	switch (below(rng, 6)) {
	case 0:
		snprintf(path, sizeof(path), DEBUGFS "%d/%s/connected", vsplit_fuzz_ad->primary,
			 head->name);
		if (dice(rng, 4))
			return vsplit_fuzz_read_all(path);
		return __vsplit_write_file(path, connected[below(rng, vsplit_fuzz_clean ? 3 : 5)]);
	case 1:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/control",
			 vsplit_fuzz_ad->primary, head->pipe);
		if (dice(rng, 3))
			return vsplit_fuzz_read_all(path);
		return __vsplit_write_file(path, crcs[below(rng, vsplit_fuzz_clean ? 2 : 5)]);
	case 2 ... 3:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/data",
			 vsplit_fuzz_ad->primary, head->pipe);
		return read_some(c, path, rng);
	case 4:
		snprintf(path, sizeof(path), DEBUGFS "%d/heads", vsplit_fuzz_ad->primary);
		return vsplit_fuzz_read_all(path);
	default:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/picture",
			 vsplit_fuzz_ad->primary, head->pipe);
		return read_some(c, path, rng);
	}
}

/* ---- a play ------------------------------------------------------------- */

/* Lights a head, shows several things one after the other, looks at them, and turns it dark. */
static int play_show(struct vsplit_fuzz_client *c, const struct kms_display *d,
		     struct vsplit_rng *rng)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];
	struct kms_request r;
	char path[96];
	uint32_t mode;
	int ret;

	vsplit_fuzz_clean = true;
	kms_add_fb(c, rng, &kms_formats[below(rng, 2)], KMS_W, KMS_H);
	kms_begin(&r, rng);
	mode = kms_set_mode(c, &r, head);
	kms_set_plane(c, &r, head, 0);
	ret = kms_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	kms_blob_end(c, mode);
	snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/data", vsplit_fuzz_ad->primary,
		 head->pipe);
	if (dice(rng, 2))
		read_some(c, path, rng);
	for (unsigned int n = 2 + below(rng, 5); n; n--) {
		switch (below(rng, 8)) {
		case 0:
			root_step(c, head, rng);
			break;
		case 1:
			cursor_step(c, head, rng);
			break;
		case 2:
			wait_step(c, head, rng);
			break;
		case 3:
			/* Work that writes the shown allocation; the next commit waits for it. */
			vsplit_fuzz_buffer(c, rng);
			break;
		case 4:
			kms_begin(&r, rng);
			kms_set_writeback(c, &r, head);
			kms_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
			break;
		default:
			kms_commit_step(c->kms, c, head, rng);
			break;
		}
	}
	if (dice(rng, 3))
		return ret;
	kms_begin(&r, rng);
	kms_set_off(&r, head);
	kms_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	return ret;
}

/* ---- all ---------------------------------------------------------------- */

/* Opens the client's file on the primary node. Returns whether it is master. */
static bool become_master(struct vsplit_fuzz_client *c)
{
	pthread_mutex_lock(&open_lock);
	if (c->kms < 0)
		c->kms = open_primary(vsplit_fuzz_ad);
	pthread_mutex_unlock(&open_lock);
	return c->kms >= 0 && !kms_call(c->kms, DRM_IOCTL_SET_MASTER, NULL);
}

static int kms_step(struct vsplit_fuzz_client *c, unsigned int step, struct vsplit_rng *rng,
		    const struct kms_display *d)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];

	switch (step) {
	case OTHER_KMS_FB:
		return kms_fb_step(c, rng);
	case OTHER_KMS_MODE:
		return kms_mode_step(c, d, rng);
	case OTHER_KMS_COMMIT:
		return kms_commit_step(c->kms, c, head, rng);
	case OTHER_KMS_FLIP:
		return flip_step(c, head, rng);
	case OTHER_KMS_CURSOR:
		return cursor_step(c, head, rng);
	case OTHER_KMS_WAIT:
		return wait_step(c, head, rng);
	case OTHER_KMS_LEASE:
		return lease_step(c, d, rng);
	case OTHER_KMS_MASTER:
		return master_step(c, rng);
	case OTHER_KMS_PROBE:
		return probe_step(c, head, rng);
	case OTHER_KMS_ROOT:
		return root_step(c, head, rng);
	default:
		return play_show(c, d, rng);
	}
}

int vsplit_fuzz_kms(struct vsplit_fuzz_client *c, unsigned int step, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	const struct kms_display *d = display_of(vsplit_fuzz_ad);
	struct drm_mode_card_res res = {};
	timer_t timer;
	int ret;

	/* An adapter without heads refuses all of these calls. */
	if (!d)
		return kms_call(c->fd, DRM_IOCTL_MODE_GETRESOURCES, &res);
	__atomic_store_n(&used, true, __ATOMIC_RELAXED);
	if (!become_master(c) && other->kms >= 0 && !dice(rng, 4))
		c = other;
	if (c->kms < 0)
		return -ENODEV;
	if (!patience_begin(&timer))
		return -EAGAIN;
	ret = kms_step(c, step, rng, d);
	timer_delete(timer);
	return ret;
}

static int all_off(const struct kms_display *d)
{
	struct vsplit_rng rng = { 1 };
	struct kms_request r;
	int ret, file = open_primary(d->ad);

	if (file < 0)
		return file;
	vsplit_fuzz_clean = true;
	kms_begin(&r, &rng);
	for (unsigned int i = 0; i < d->nr; i++)
		kms_set_off(&r, &d->heads[i]);
	ret = kms_send(file, &vsplit_fuzz_clients[0], &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	close(file);
	return ret;
}

static bool all_dark(const struct vsplit_adapter *ad)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), DEBUGFS "%d/heads", ad->primary);
	return __vsplit_read_file(path, text, sizeof(text)) || !strstr(text, " lit 1");
}

/*
 * A framebuffer that was closed is still shown after its file is gone, and the heads of a killed
 * client stay lit. The next master turns them off.
 */
void vsplit_fuzz_kms_end(bool killed)
{
	const struct kms_display *d = display_of(vsplit_fuzz_ad);
	char path[96];
	int ret = 0;

	if (!__atomic_exchange_n(&used, false, __ATOMIC_RELAXED) && !killed)
		return;
	if (!d)
		return;
	for (unsigned int i = 0; i < d->nr; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%d/%s/connected", d->ad->primary,
			 d->heads[i].name);
		__vsplit_write_file(path, "1");
	}
	igt_assert_f(vsplit_soon(!(ret = all_off(d))), "turning heads off: %s\n", strerror(-ret));
	igt_assert_f(vsplit_soon(all_dark(d->ad)), "a head stays lit\n");
}

void vsplit_fuzz_kms_start(void)
{
	/* With this handler, interrupted calls end with -EINTR. */
	const struct sigaction action = { .sa_handler = wake };

	igt_assert_eq(sigaction(SIGRTMIN + 5, &action, NULL), 0);
}
