// images: says what dyld has loaded, and dyld itself, each with its header's address
// and its UUID as they are in memory.
#include <mach/mach.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void say(const struct mach_header *header, const char *path) {
	const struct mach_header_64 *h = (const struct mach_header_64 *)header;
	const uint8_t *at = (const uint8_t *)(h + 1);
	printf("image %p ", (const void *)h);
	for (uint32_t c = 0; c < h->ncmds; c++) {
		const struct load_command *l = (const struct load_command *)at;
		if (l->cmd == LC_UUID)
			for (int b = 0; b < 16; b++)
				printf("%02X", ((const struct uuid_command *)l)->uuid[b]);
		at += l->cmdsize;
	}
	printf(" %s\n", path);
}

// dyld is not in its own list, and since macOS 12 every main thread begins in it.
// Offsets are of dyld_all_image_infos (mach-o/dyld_images.h, which not all have).
enum { DYLD_LOAD_ADDRESS = 0x20, DYLD_PATH = 0xc0 };

static void sayDyld(void) {
	struct task_dyld_info d;
	mach_msg_type_number_t n = TASK_DYLD_INFO_COUNT;
	if (task_info(mach_task_self(), TASK_DYLD_INFO, (task_info_t)&d, &n) != KERN_SUCCESS)
		return;
	const char *all = (const char *)d.all_image_info_addr;
	say(*(const struct mach_header *const *)(all + DYLD_LOAD_ADDRESS), *(const char *const *)(all + DYLD_PATH));
}

int main(void) {
	for (uint32_t i = 0; i < _dyld_image_count(); i++)
		say(_dyld_get_image_header(i), _dyld_get_image_name(i));
	sayDyld();
	printf("%d ready\n", getpid());
	fflush(stdout);
	for (volatile unsigned long n = 0;; n++)
		usleep(20000);
}
